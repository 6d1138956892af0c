"""The part of the characters screen that says what they cost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from chartui.core.session import Session
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

    def __init__(self) -> None:
        super().__init__()
        self._costs: CostDesk | None = None

    def forget(self) -> None:
        """Ask anew what was asked before."""
        super().forget()
        if self._costs is not None:
            self._costs.forget()

    def settle(self) -> None:
        """What it costs may be another thing now."""
        super().settle()
        self.price_again()

    def price_again(self) -> None:
        """Ask what the character under the cursor costs, when that is what is looked at."""
        if self.state.pane is Pane.COST:
            if self._costs is None:
                self.start(self._open_desk, group="desk")
            else:
                self._costs.ask(self.shown)
        self._show_cost()

    async def _open_desk(self) -> None:
        await asyncio.to_thread(_load, self.session)
        from chartui.tui.screens.characters.pricing import CostDesk

        self._costs = CostDesk(self)
        self.price_again()

    def show_panes(self) -> None:
        """Show what it costs, as far as that is known."""
        super().show_panes()
        self._show_cost()

    def copy_choices(self) -> Sequence[Copyable]:
        """The cost to take along as well, while it is shown."""
        choices = super().copy_choices()
        if not choices or self._costs is None or self.state.pane is not Pane.COST:
            return choices
        return [*choices, *self._costs.copies()]

    def read_canceled(self, group: str) -> None:
        """Say in the pane that the cost is not known."""
        super().read_canceled(group)
        if group == "cost" and self._costs is not None:
            self._costs.give_up(self.canceled_error("cost"))
            self._show_cost()

    @on(Costed)
    def _costed(self, message: Costed) -> None:
        if self._costs is not None and self._costs.take(message):
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
        if self._costs is None:
            key = self.workbench.keymap.label("show-cost")
            self.workbench.tell(f"Press {key} to show the cost first." if key else "The cost is not shown.")
        else:
            getattr(self._costs, deed)()

    @on(LineView.Chosen, "#cost")
    def _member_chosen(self) -> None:
        if self._costs is not None:
            self._costs.choose(self.detail.cost.member)


def _load(session: Session) -> None:
    """Import what prices a character, and read the rates: half a second in which no key would be answered."""
    from importlib import import_module

    for module in ("core.estimation.estimator", "tui.screens.estimator.screen", "tui.screens.characters.pricing"):
        import_module(f"chartui.{module}")
    with suppress(ServiceError):  # which whoever asks for a price is told
        session.rates.get()
