"""The part of the characters screen that selects several of them, and offers what can be done to characters as such."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from textual.widgets import Input

from chartui.core.spec.models.summaries import CharacterSummary
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.screens.characters.finding import FindingScreen
from chartui.tui.screens.characters.state import CharactersState
from chartui.tui.widgets.bars import FooterBar

__all__ = ["SelectingScreen"]


class SelectingScreen(FindingScreen):
    """Keeps who is selected, whatever is filtered and however often the list is read.

    What makes, copies, renames, removes and changes characters is loaded when it is first wanted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._going_to = ""

    # -- who is selected ----------------------------------------------------------------------------------------------

    @property
    def selected(self) -> Sequence[CharacterSummary]:
        """Those who are selected, in the order in which the service lists them."""
        return [s for s in self.state.summaries if s.character_id in self.state.selected]

    def is_selected(self, character_id: str) -> bool:
        """Whether a character is among them."""
        return character_id in self.state.selected

    def standing(self) -> str:
        """How many are selected, since the list may be out of sight."""
        number = len(self.state.selected)
        return f"{GLYPHS.done} {count(number)} selected" if number else ""

    def list_notes(self) -> Sequence[str]:
        """How many are selected."""
        standing = self.standing()
        return [*super().list_notes(), *([standing] if standing else [])]

    def show_state(self, state: CharactersState, *, keep: str | None = None) -> None:
        """Show another list; who is not in it any more is not selected any more, and that is said."""
        if state.selected and state.summaries is not self.state.summaries:
            there = state.selected & {summary.character_id for summary in state.summaries}
            if gone := len(state.selected) - len(there):
                whose = "1 character is" if gone == 1 else f"{count(gone)} characters are"
                self.workbench.tell(f"{whose} not there any more, and no longer selected.")
            state = replace(state, selected=there)
        if self._going_to and any(summary.character_id == self._going_to for summary in state.summaries):
            keep, self._going_to = self._going_to, ""
        super().show_state(state, keep=keep)
        self.query_one(FooterBar).refresh()

    def _select(self, selected: frozenset[str]) -> None:
        self.show_state(replace(self.state, selected=selected))

    def action_select(self) -> None:
        """Select the character under the cursor, or no longer."""
        if self.current is not None:
            self._select(self.state.selected ^ {self.current.character_id})

    def action_select_matching(self) -> None:
        """Select all that the list shows."""
        self._select(self.state.selected | {summary.character_id for summary in self._list.items})

    def action_select_none(self) -> None:
        """Select nobody."""
        self._select(frozenset())

    def go_to(self, character_id: str) -> None:
        """Put the cursor on a character, now or as soon as the list has it; out of a filter that would hide it."""
        self._going_to = character_id
        self.query_one("#filter", Input).value = ""
        self.remove_class("-filtering")
        self.show_state(replace(self.state, query=""))

    # -- what is done to characters -----------------------------------------------------------------------------------

    def action_bulk_change(self) -> None:
        """Change a setting of all who are selected."""
        from chartui.tui.screens.characters.bulk import change_many

        self.start(partial(change_many, self), group="plan")

    def action_keep_house(self, deed: str) -> None:
        """Make, copy, rename or remove a character."""
        from chartui.tui.screens.characters.housekeeping import keep_house

        self.start(partial(keep_house, self, deed), group="plan")
