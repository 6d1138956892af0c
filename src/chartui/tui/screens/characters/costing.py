"""The part of the characters screen that says what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import CharacterSummary
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.characters.detail import Detail
from chartui.tui.screens.characters.state import CharactersState, Pane, Shown
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable, WorkScreen

if TYPE_CHECKING:
    from chartui.tui.screens.characters.cost import CostShown
    from chartui.tui.screens.characters.pricing import CostDesk

__all__ = ["Costed", "CostingScreen"]


@dataclass
class Costed(Message):
    """What a character costs was found out, or could not be; ``number`` is that of the question."""

    number: int
    cost: CostShown | None
    error: ServiceError | None = None


class CostingScreen(WorkScreen):
    """Asks what the character under the cursor costs, while that is looked at, and shows it.

    What does it is loaded when it is first looked at.
    """

    state: CharactersState
    detail: Detail

    @cached_property
    def costs(self) -> CostDesk:
        """What asks for costs, and does what is wanted about them."""
        from chartui.tui.screens.characters.pricing import CostDesk

        return CostDesk(self)

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
        if self.state.pane is Pane.COST:
            self.costs.ask(self.shown)
        self.show_cost()

    def forget_costs(self) -> None:
        """Ask anew what was asked before."""
        if "costs" in vars(self):
            self.costs.forget()

    def cost_copies(self) -> Sequence[Copyable]:
        """The cost to take along, while it is shown."""
        return self.costs.copies() if self.state.pane is Pane.COST else ()

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
