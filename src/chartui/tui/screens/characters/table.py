"""The table in the list of characters: its columns, and the marks of a row."""

from __future__ import annotations

from collections.abc import Mapping

from chartui.core.characters.finder import Column as By
from chartui.core.characters.finder import listed_text
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.tui.screens.characters.columns import WIDTHS, columns
from chartui.tui.screens.characters.state import Listing
from chartui.tui.widgets.line_list import Column, LineList


class CharacterTable(LineList[CharacterSummary]):
    """The characters of a listing that match its filter, in its columns."""

    def __init__(self) -> None:
        self.listing = Listing()
        #: The cells of the longest cost.
        self._cost_width = WIDTHS[By.COST]
        super().__init__((), key=lambda s: s.character_id, marked=self._is_selected, id="list")
        self.fit_to(self.listing)

    def fit_to(self, listing: Listing, *, longest_cost: int | None = None) -> None:
        """Show the columns of a listing; its ``longest_cost`` has so many cells, unless they are as before."""
        self.listing = listing
        if longest_cost is not None:
            self._cost_width = min(WIDTHS[By.COST], longest_cost)
        self.show_columns(tuple(self._every().values()))

    def _every(self) -> dict[By | None, Column[CharacterSummary]]:
        return columns(
            self.listing.sorting,
            self.listing.columns,
            is_staged=lambda c: c in self.listing.finder.staged,
            is_gone=lambda s: self.listing.finder.is_gone(s),
            cost=self._cost_text,
            cost_width=self._cost_width,
        )

    def _cost_text(self, character_id: str) -> str:
        """The cost of a character; empty until it is computed."""
        cost = self.listing.finder.costs.get(character_id)
        return "" if cost is None else listed_text(cost)

    def _is_selected(self, summary: CharacterSummary) -> bool:
        return summary.character_id in self.listing.selected

    @property
    def lacks(self) -> Mapping[By, int]:
        """The cells that each column lacks to be shown."""
        return {by: self.lacking(number) for number, by in enumerate(self._every()) if by is not None}

    @property
    def shows_costs(self) -> bool:
        """Whether the costs are in sight or decide the order."""
        if not self.is_attached or self.listing.sorting.column is By.COST:
            return self.is_attached
        place = next((number for number, by in enumerate(self._every()) if by is By.COST), None)
        return place is not None and self.shows(place)
