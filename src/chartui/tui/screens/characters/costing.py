"""The part of the characters screen that says what they cost."""

from __future__ import annotations

from textual import on

from chartui.core.spec.models.characters import CharacterSummary
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.characters.detail import Detail
from chartui.tui.screens.characters.pricing import CostDesk, Costed
from chartui.tui.screens.characters.state import CharactersState, Pane, Shown
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import WorkScreen

__all__ = ["CostingScreen"]


class CostingScreen(WorkScreen):
    """Asks what the character under the cursor costs, while that is looked at, and shows it."""

    state: CharactersState
    detail: Detail
    costs: CostDesk

    @property
    def current(self) -> CharacterSummary | None:
        """The character under the cursor."""
        raise NotImplementedError

    @property
    def shown(self) -> Shown | None:
        """Its settings, once they were read."""
        raise NotImplementedError

    def open_pane(self, pane: Pane) -> None:
        """Go to a pane of the character under the cursor."""
        raise NotImplementedError

    def price_again(self) -> None:
        """Ask what the character under the cursor costs, when that is what is looked at."""
        self.costs.ask(self.shown)
        self.show_cost()

    @on(Costed)
    def _costed(self, message: Costed) -> None:
        if self.costs.take(message):
            self.show_cost()

    def show_cost(self, note: str = "") -> None:
        """Show what the character under the cursor costs, as far as that is known; ``note`` says why it is not."""
        current, cost, error = self.current, self.state.cost, self.state.cost_error
        if cost is not None and (current is None or cost.character_id != current.character_id):
            cost = None
        if error is not None:
            kept = " The figures below are the last that were told." if cost is not None else ""
            note = f"{GLYPHS.danger} {error.message}{kept}"
        self.detail.cost.show_cost(cost, note=note or ("" if cost is not None else "Asking what it costs…"))

    def on_screen_resume(self) -> None:
        """The estimator's inputs may be others by now."""
        if self.state.pane is Pane.COST:
            self.price_again()

    def action_show_cost(self) -> None:
        """Go to what the character under the cursor costs."""
        self.open_pane(Pane.COST)

    def action_cost(self, deed: str) -> None:
        """Do something about what the character under the cursor costs."""
        getattr(self.costs, deed)()

    @on(LineView.Chosen, "#cost")
    def _member_chosen(self) -> None:
        self.costs.choose(self.detail.cost.member)
