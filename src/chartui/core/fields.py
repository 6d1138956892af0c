"""Labeled values in groups, for display on screens and in tables."""

from __future__ import annotations

from enum import StrEnum

from chartui.core.classes import dataclass


class Access(StrEnum):
    """Whether a value can be read, and whether it can be changed (decision 25).

    The service does not return write-only values, so they are known only if they were written from this machine.
    """

    READABLE = "readable"
    WRITE_ONLY = "write-only"
    KNOWN_HERE = "from this machine"
    NO_CALL = "no call"

    @property
    def words(self) -> str:
        """A short description of the access level, for display; empty for a value that can be read and changed."""
        return {Access.READABLE: "", Access.NO_CALL: "not editable"}.get(self, self.value)


@dataclass(frozen=True, slots=True)
class Entry:
    """A labeled value.

    ``path`` is the path of the value in the service's data, and ``text`` is its unsanitized text. ``said`` is False if
    the value is absent. ``scale`` is a score from 0 to 1 that is shown as a bar. ``items`` contains the items of a list
    of plain values, which are joined in ``text``. ``remark`` is a note on the value. ``changed`` is True if the note
    reports a change since the value was last seen. ``copied`` is the text for the clipboard, or None. A string is
    copied unchanged, and any other value as JSON.
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
    """A titled group of related values."""

    title: str
    entries: tuple[Entry, ...]
