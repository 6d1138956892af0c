"""The part of the characters screen that says what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from chartui.core.spec.errors import ServiceError
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.characters.editing import EditingScreen
from chartui.tui.screens.characters.state import Pane
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable

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


class CostingScreen(EditingScreen):
    """Asks what the character under the cursor costs, while that is looked at, and shows it.

    What does it is loaded when it is first looked at.
    """

    @cached_property
    def costs(self) -> CostDesk:
        """What asks for costs, and does what is wanted about them."""
        from chartui.tui.screens.characters.pricing import CostDesk

        return CostDesk(self)

    def forget(self) -> None:
        """Ask anew what was asked before."""
        super().forget()
        if "costs" in vars(self):
            self.costs.forget()

    def settle(self) -> None:
        """What it costs may be another thing now."""
        super().settle()
        self.price_again()

    def price_again(self) -> None:
        """Ask what the character under the cursor costs, when that is what is looked at."""
        if self.state.pane is Pane.COST:
            self.costs.ask(self.shown)
        self._show_cost()

    def show_panes(self) -> None:
        """Show what it costs, as far as that is known."""
        super().show_panes()
        self._show_cost()

    def copy_choices(self) -> Sequence[Copyable]:
        """The cost to take along as well, while it is shown."""
        choices = super().copy_choices()
        return [*choices, *self.costs.copies()] if choices and self.state.pane is Pane.COST else choices

    def read_canceled(self, group: str) -> None:
        """Say in the pane that the cost is not known."""
        super().read_canceled(group)
        if group == "cost":
            self.costs.give_up(self.canceled_error("cost"))
            self._show_cost()

    @on(Costed)
    def _costed(self, message: Costed) -> None:
        if self.costs.take(message):
            self._show_cost()

    def _show_cost(self) -> None:
        current, cost, error = self.current, self.state.cost, self.state.cost_error
        note = self.why_nothing
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

    def action_cost(self, deed: str) -> None:
        """Do something about what the character under the cursor costs."""
        getattr(self.costs, deed)()

    @on(LineView.Chosen, "#cost")
    def _member_chosen(self) -> None:
        self.costs.choose(self.detail.cost.member)
