"""The estimator: ten inputs, and what an interaction costs with them, at the speed of typing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from chartui.core.estimation.discovery import Choice as OptionChoice
from chartui.core.estimation.discovery import Discovery, discover
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.estimation import Estimate
from chartui.tui.bindings import bindings_for
from chartui.tui.screens.estimator.result import ResultView
from chartui.tui.screens.estimator.state import INPUTS, QUANTITIES, SELECTIONS, SWITCHES, EstimatorState
from chartui.tui.widgets.form import FieldKind, FieldRow, FormView, Heading
from chartui.tui.widgets.screen import WorkScreen

__all__ = ["EstimatorScreen"]

#: Seconds to wait for the next key before a service over the network is asked; the embedded store is asked at once.
DEBOUNCE = 0.2


class EstimatorScreen(WorkScreen):
    """Inputs on the left, the result on the right."""

    SCOPE = "estimator"
    AUTO_FOCUS = "#inputs"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("estimator")
    DEFAULT_CSS = """
    EstimatorScreen #inputs { width: 36; }
    EstimatorScreen #result { width: 1fr; }
    EstimatorScreen.-wide #inputs { width: 46; }
    EstimatorScreen.-wide #inputs, EstimatorScreen.-wide #result { padding: 1 0 0 0; }
    """

    @dataclass
    class Answered(Message):
        """Request ``number`` was answered, by an estimate or a refusal."""

        number: int
        answer: Estimate | ServiceError

    @dataclass
    class Discovered(Message):
        """The service told its options."""

        discovery: Discovery

    def __init__(self) -> None:
        super().__init__()
        self.state = EstimatorState(discovery=discover(None))

    def compose_work(self) -> Iterable[Widget]:
        """The form and the result, side by side."""
        inputs = FormView(id="inputs")
        inputs.add_class("panel")
        inputs.border_title = Content("Configuration")
        result = ResultView(id="result")
        result.add_class("panel")
        result.border_title = Content("Estimate")
        yield Horizontal(inputs, result)

    def prepare(self) -> None:
        """Show the inputs."""
        self._form = self.query_one(FormView)
        self._result = self.query_one(ResultView)
        self._show(self.state)

    async def read_data(self, *, refresh: bool = False) -> None:
        """Ask for the options, and what the present inputs cost."""
        state = self.state.asked_again()
        self._show(state)
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
        self._form.show(_rows(state))
        self._result.show(state)

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

    # -- inputs -------------------------------------------------------------------------------------------------------

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
        from chartui.tui.widgets.chooser import Choice, Chooser

        choices = [Choice(c.key, c.label, _note(c)) for c in self.state.choices(attribute)]
        current = self.state.value(attribute)
        chooser = Chooser(INPUTS[attribute].label, choices, current if isinstance(current, str) else None)
        chosen = await self.app.push_screen_wait(chooser)
        if chosen is not None and chosen != current:
            self._change(self.state.choose(attribute, chosen))

    def action_choose_field(self) -> None:
        """Change the input with the cursor."""
        self._form.action_choose()

    def action_step(self, step: int) -> None:
        """The next or previous option, or a step more or less."""
        row = self._form.current
        if row is None:
            return
        if row.kind is FieldKind.SWITCH:
            self._change(self.state.choose(row.id, not self.state.value(row.id)))
        elif row.kind is FieldKind.CHOICE:
            keys = [c.key for c in self.state.choices(row.id)]
            value = self.state.value(row.id)
            here = keys.index(value) if isinstance(value, str) and value in keys else -1
            self._change(self.state.choose(row.id, keys[max(0, min(here + step, len(keys) - 1))]))
        else:
            value = self.state.value(row.id)
            present = value if isinstance(value, Decimal) else Decimal(0)
            stepped = max(Decimal(0), present + step * INPUTS[row.id].step)
            self._form.stop_typing()
            self._change(self.state.type(row.id, f"{stepped.normalize():f}"))

    def action_reset_field(self) -> None:
        """The input with the cursor back to its default."""
        row = self._form.current
        if row is not None:
            self._form.stop_typing()
            self._change(self.state.reset(row.id))

    def copy_choices(self) -> Sequence[tuple[str, str]]:
        """The estimate."""
        from chartui.tui.screens.estimator.copying import copy_choices

        return copy_choices(self.state, self.workbench.session.profile)

    def action_reset_all(self) -> None:
        """Every input back to its default."""
        self._form.stop_typing()
        self._change(self.state.reset())


def _rows(state: EstimatorState) -> list[FieldRow | Heading]:
    """The form's rows for a state."""
    rows: list[FieldRow | Heading] = []
    for spec in SELECTIONS:
        value, changed = state.value(spec.attribute), spec.attribute in state.chosen
        switch = spec.attribute in SWITCHES
        if switch:
            text = "–" if value is None else "on" if value else "off"
        else:
            text = state.label(spec.attribute, value) if isinstance(value, str) else "service's default"
        rows.append(
            FieldRow(
                id=spec.attribute,
                label=spec.label,
                kind=FieldKind.SWITCH if switch else FieldKind.CHOICE,
                text=text,
                on=switch and bool(value),
                changed=changed,
                problem=state.problem(spec.attribute),
            )
        )
    rows += [Heading(), Heading("Per interaction")]
    for spec in QUANTITIES:
        default = state.default(spec.attribute)
        rows.append(
            FieldRow(
                id=spec.attribute,
                label=spec.label,
                kind=FieldKind.NUMBER,
                text=state.typed.get(spec.attribute, ""),
                unit=spec.unit,
                default=f"{default:f}" if isinstance(default, Decimal) else "default",
                changed=bool(state.typed.get(spec.attribute)),
                problem=state.problem(spec.attribute),
            )
        )
    return rows


def _note(choice: OptionChoice) -> str:
    """What is worth knowing about an option in a list."""
    if not choice.known:
        return "not in our catalogue"
    return "realtime" if choice.realtime else ""
