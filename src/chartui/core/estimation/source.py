"""The sources of values that determine the price of a character."""

from __future__ import annotations

from enum import StrEnum


class Source(StrEnum):
    GIVEN = "given"  # given by the user; overrides the record
    RECORD = "record"
    STAGED = "staged"
    KNOWN_HERE = "from this machine"  # the value cannot be read, so the last value written from this machine is used
    TABLE = "pinned"
    FORM = "current form"
    PRESET = "preset"
    DEFAULT = "default"  # the service's default
