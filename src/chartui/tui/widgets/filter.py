"""Filtering a list: the box you type into, and where the cursor belongs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from textual.widgets import Input


class FilterBox(Input):
    """One line of text. Its caret stands still: one that blinks writes to the terminal without end.

    With ``begins_anew`` what you type when you come back takes the place of what is there.
    """

    def __init__(self, hint: str, *, id: str | None = None, begins_anew: bool = False) -> None:  # noqa: A002
        super().__init__(placeholder=hint, id=id, select_on_focus=begins_anew, compact=True)
        self.cursor_blink = False


K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class FilterCursor(Generic[K]):
    """The record chosen before the filter (``origin``), and the one the filter put the cursor on (``match``).

    Both are keys of records; None where there is none. A cursor that has left the match was moved by the user, so the
    record it is on now counts as chosen.
    """

    origin: K | None = None
    match: K | None = None

    def chosen(self, current: K | None) -> K | None:
        """The record the user chose last; ``current`` is the one with the cursor."""
        return self.origin if current == self.match else current

    def turned(self, current: K | None, first: K | None, *, narrowed: bool) -> FilterCursor[K]:
        """The same after the filter changed; ``first`` is its first match, unused unless the filter leaves any out."""
        return FilterCursor(self.chosen(current), first if narrowed else None)

    @property
    def wanted(self) -> K | None:
        return self.match or self.origin
