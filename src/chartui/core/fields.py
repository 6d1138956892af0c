"""Labelled values in groups, for display on a screen or in a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Access(StrEnum):
    """The visibility of a value on a service (decision 25)."""

    READABLE = "readable"
    WRITE_ONLY = "write-only"
    KNOWN_HERE = "known here"


@dataclass(frozen=True, slots=True)
class Entry:
    """One value: ``path`` is its name on the wire, ``text`` its text, not yet sanitized; ``said`` is whether it has a
    value.

    ``scale`` is a score from 0 to 1, for a bar. ``items`` are the parts of a list of plain values, joined in ``text``.
    ``remark`` is a note on the value, ``changed`` whether the note is that it changed since it was last seen.
    ``copied`` is the text for the clipboard: text unchanged, everything else as JSON; None if there is nothing.
    """

    label: str
    path: str
    text: str
    said: bool = True
    access: Access = Access.READABLE
    scale: float | None = None
    items: tuple[str, ...] = ()
    remark: str = ""
    changed: bool = False
    copied: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Values that belong together."""

    title: str
    entries: tuple[Entry, ...]
