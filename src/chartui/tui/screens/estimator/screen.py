"""The estimator: ten inputs, and what an interaction costs with them, at the speed of typing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from chartui.core.estimation.discovery import Discovery, discover
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.estimation import Estimate
from chartui.tui.bindings import bindings_for
from chartui.tui.screens.estimator.board import TALL, Board
from chartui.tui.screens.estimator.inputs import default_note, rows_of, stepped
from chartui.tui.screens.estimator.keeping import KeepingScreen
from chartui.tui.screens.estimator.result import ResultView
from chartui.tui.screens.estimator.state import SWITCHES, EstimatorState, ViewName
from chartui.tui.screens.estimator.study import Pinned, Studies, Study
from chartui.tui.screens.estimator.view import View
from chartui.tui.widgets.form import FormView
from chartui.tui.widgets.screen import WIDE, Copyable

if TYPE_CHECKING:
    from chartui.core.estimation.rates import Rates

__all__ = ["EstimatorScreen"]

#: Seconds to wait for the next key before a service over the network is asked; the embedded store is asked at once.
DEBOUNCE: Final = 0.2


class EstimatorScreen(KeepingScreen):
    """Inputs on the left; on the right the estimate, or a view of what could be chosen instead, or both."""

    SCOPE = "estimator"
    AUTO_FOCUS = "#inputs"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("estimator")
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]  # noqa: RUF012 - declared so by the framework

    @dataclass
    class Answered(Message):
        """Request ``number`` was answered, by an estimate or a refusal."""

        number: int
        answer: Estimate | ServiceError

    @dataclass
    class Discovered(Message):
        """The service told its options."""

        discovery: Discovery

    @dataclass
    class Rated(Message):
        """The rates that the views compute with are there."""

        rates: Rates

    def __init__(self) -> None:
        super().__init__()
        self.state = EstimatorState(discovery=discover(None))
        self._studies = Studies()
        self._said_default = ""

    def compose_work(self) -> Iterable[Widget]:
        """The form and the result; views come when they are first shown."""
        self.set_class(self.app.size.height >= TALL, "-tall")
        self.set_class(self.app.size.height < TALL, "-short")
        self._form = FormView(id="inputs")
        self._form.add_class("panel")
        self._form.border_title = Content("Configuration")
        result = ResultView(id="result")
        result.add_class("panel")
        result.border_title = Content("Estimate")
        self._board = Board(self._form, result)
        self._had_room = _has_room(self.app.size)
        yield self._board

    def prepare(self) -> None:
        """Show the inputs."""
        self._show(self.state)
        if self.state.view is not ViewName.ESTIMATE:
            self.call_later(self._turn_to, self.state.view, follow=False)

    async def read_data(self, *, refresh: bool = False) -> None:
        """Ask for the options, and what the present inputs cost."""
        state = self.state.asked_again()
        self._show(state)
        self._find_rates(refresh=refresh)
        asked = [self._ask(state, refresh=refresh)] if state.complete else []
        await asyncio.gather(self._discover(refresh=refresh), *asked)

    def belongings(self) -> EstimatorState:
        """The inputs, which say nothing about anybody's data."""
        return self.state.inputs_only()

    def take_along(self, belongings: object) -> None:
        """Begin with these inputs."""
        if isinstance(belongings, EstimatorState):
            self.state = replace(belongings, discovery=self.state.discovery)

    # -- state --------------------------------------------------------------------------------------------------------

    def _change(self, state: EstimatorState) -> None:
        """Show other inputs and ask what they cost."""
        self._show(state)
        if state.complete:
            self.start(partial(self._ask_when_idle, state), group="estimate")

    def _show(self, state: EstimatorState) -> None:
        self.state = state
        self._form.show(rows_of(state))
        self._say_default()
        keymap = self.workbench.keymap
        keys = " ".join(filter(None, (keymap.label("previous-view"), keymap.label("next-view"))))
        self._board.show(state, self._studies.of(state), keys)

    async def _ask_when_idle(self, state: EstimatorState) -> None:
        if not self.service.embedded:
            await asyncio.sleep(DEBOUNCE)
        await self._ask(state)

    async def _ask(self, state: EstimatorState, *, refresh: bool = False) -> None:
        answer: Estimate | ServiceError
        try:
            answer = await self.service.estimate(state.selections(), state.assumptions(), refresh=refresh)
        except ServiceError as error:
            answer = error
        self.post_message(self.Answered(state.number, answer))

    async def _discover(self, *, refresh: bool) -> None:
        try:
            options = await self.service.options(refresh=refresh)
        except ServiceError:
            return  # the estimate itself says what is wrong; the catalogue's labels do until then
        self.post_message(self.Discovered(discover(options.raw)))

    def _find_rates(self, *, refresh: bool) -> None:
        """Read the rates for the views; that there are none is said by the estimate itself."""
        if refresh:
            self.session.rates.forget()
        with suppress(ServiceError):
            self.post_message(self.Rated(self.session.rates.get()))

    @on(Answered)
    def _answered(self, message: Answered) -> None:
        if message.number != self.state.number:
            return
        if isinstance(message.answer, ServiceError):
            self._show(self.state.with_error(message.number, message.answer))
        else:
            self._show(self.state.with_answer(message.number, message.answer))

    @on(Discovered)
    def _discovered(self, message: Discovered) -> None:
        self._show(replace(self.state, discovery=message.discovery))

    @on(Rated)
    def _rated(self, message: Rated) -> None:
        if message.rates.problem and message.rates != self.state.rates:
            self.workbench.tell(message.rates.banner, title="Learned rates", severity="warning")
        self._show(self.with_kept(replace(self.state, rates=message.rates)))

    # -- views --------------------------------------------------------------------------------------------------------

    @property
    def study(self) -> Study | None:
        """What the views are computed from just now; None while there are no rates."""
        return self._studies.of(self.state)

    async def action_view(self, name: str) -> None:
        """Show a view and go to it."""
        await self._turn_to(ViewName(name), follow=True)

    async def action_in_view(self, name: str, deed: str) -> None:
        """Do what a command of one view does, showing it first."""
        if self.state.view is not ViewName(name):
            await self._turn_to(ViewName(name), follow=True)
        getattr(self._board.view(ViewName(name)), f"action_{deed}")()

    async def action_turn_view(self, step: int) -> None:
        """Show the next or the previous view."""
        await self._turn_to(self._board.neighbour(step), follow=self._board.holds_keys)

    async def _turn_to(self, name: ViewName, *, follow: bool) -> None:
        await self._board.turn_to(name)
        self._show(replace(self.state, view=name))
        if follow:
            self._board.focus_present()

    def action_leave_view(self) -> None:
        """The focus back to the inputs, which come back where the view had the whole window."""
        self._board.zoom(False)
        self._show(self.state)
        self._form.focus()

    def action_zoom(self) -> None:
        """Give the view the whole window, or take it back."""
        self._board.zoom(not self._board.has_class("-zoomed"))
        self._show(self.state)
        self._board.focus_present()

    def on_resize(self, event: events.Resize) -> None:
        """What is in sight may be other panels now."""
        room = _has_room(event.size)
        if room is not self._had_room:  # and not at every event: a dumb terminal has two sizes, which alternate
            self._had_room = room
            self.call_after_refresh(self._rearrange)

    def _rearrange(self) -> None:
        self._board.fit_window()
        self._show(self.state)

    @on(View.Picked)
    def _picked(self, message: View.Picked) -> None:
        self._form.stop_typing()
        self._change(self.state.put(message.chosen, message.typed))

    # -- what is kept -------------------------------------------------------------------------------------------------

    def keep(self, state: EstimatorState) -> None:
        """Show a state with the same inputs and others pinned."""
        self._show(state)

    def begin_with(self, chosen: Mapping[str, str | bool], typed: Mapping[str, str]) -> None:
        """Put these inputs into the form, and every other one back to its default."""
        self._form.stop_typing()
        self._change(self.state.reset().put(chosen, typed))

    @property
    def pinned_at_hand(self) -> Pinned | None:
        """What is pinned and under the cursor of the view that has the keys."""
        view = self._board.present
        return view.pinned_at_hand if view is not None and view.has_focus_within else None

    # -- inputs -------------------------------------------------------------------------------------------------------

    @on(FormView.Moved, "#inputs")
    def _say_default(self) -> None:
        """Say on the form's border what the input under the cursor would be by default, when it is something else."""
        said = default_note(self.state, self._form.current, self.workbench.keymap.label("reset-field"))
        if said != self._said_default:
            self._said_default = said
            self._form.border_subtitle = Content(said)

    @on(FormView.Typed)
    def _typed(self, message: FormView.Typed) -> None:
        if self.state.typed.get(message.field, "") != message.text:
            self._change(self.state.type(message.field, message.text))

    @on(FormView.Activated)
    def _activated(self, message: FormView.Activated) -> None:
        if message.field in SWITCHES:
            self._change(self.state.choose(message.field, not self.state.value(message.field)))
        else:
            self.start(partial(self._choose, message.field), group="choose")

    async def _choose(self, attribute: str) -> None:
        from chartui.tui.screens.estimator.options import option_chooser

        chosen = await self.app.push_screen_wait(option_chooser(self.state, self.study, attribute))
        if chosen is not None and chosen != self.state.value(attribute):
            self._change(self.state.choose(attribute, chosen))

    def action_choose_field(self) -> None:
        """Change the input with the cursor."""
        self._form.action_choose()

    def action_step(self, step: int) -> None:
        """The next or previous option, or a step more or less."""
        row = self._form.current
        if row is not None:
            self._form.stop_typing()
            self._change(stepped(self.state, row.id, step))

    def action_reset_field(self) -> None:
        """The input with the cursor back to its default."""
        row = self._form.current
        if row is not None:
            self._form.stop_typing()
            self._change(self.state.reset(row.id))

    def copy_choices(self) -> Sequence[Copyable]:
        """What the present view shows, and the estimate."""
        from chartui.tui.screens.estimator.copying import copy_choices

        return copy_choices(self.state, self.session.profile, self._board.present)

    def action_apply_to_character(self) -> None:
        """Stage the present model for a character."""
        from chartui.tui.screens.estimator.applying import apply_to_character

        self.workbench.start(apply_to_character)

    def action_load_character(self) -> None:
        """Begin with a character's configuration."""
        from chartui.tui.screens.estimator.of_character import load_character

        self.workbench.start(load_character)

    def action_learn_rates(self) -> None:
        """Find out what the service charges; its card is taken as soon as it is there."""
        from chartui.tui.screens.estimator.learning import learn_rates

        self.workbench.start(learn_rates)

    def action_reset_all(self) -> None:
        """Every input back to its default."""
        self._form.stop_typing()
        self._change(self.state.reset())


def _has_room(size: Size) -> bool:
    """Whether a window shows the estimate, a view and the ranking at once."""
    return size.width >= WIDE and size.height >= TALL
