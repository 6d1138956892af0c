"""Labelled values in groups: how the core hands something over to be read, on a screen or in a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Access(StrEnum):
    """How much of a value a service lets one see (decision 25)."""

    READABLE = "readable"
    WRITE_ONLY = "write-only"
    KNOWN_HERE = "known here"


@dataclass(frozen=True, slots=True)
class Entry:
    """One value: ``path`` names it on the wire, ``text`` is it in words, not yet cleaned; ``said`` whether it has one.

    ``scale`` is the value from 0 to 1 where it is one of several scores, for a bar. ``items`` are the parts of a list
    of plain values, which ``text`` has in a row. ``remark`` is what else is to be known about the value, ``changed``
    whether that is that it is another one than when it was last seen. ``copied`` is what somebody gets who takes the
    value along: a text as it is, all else as JSON; None where there is nothing.
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
