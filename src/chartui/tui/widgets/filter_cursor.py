"""Where the cursor of a filtered list belongs: on the first match, and back where it was once the filter is cleared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["FilterCursor"]

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
        """The record that the cursor belongs on."""
        return self.match or self.origin
