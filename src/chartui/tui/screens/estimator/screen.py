"""The estimator: ten inputs, and what an interaction costs with them, at the speed of typing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from chartui.core.estimation.discovery import Choice as OptionChoice
from chartui.core.estimation.discovery import Discovery, discover
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.estimation import Estimate
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.numbers import count
from chartui.tui.screens.estimator.result import ResultView
from chartui.tui.screens.estimator.state import (
    INPUTS,
    QUANTITIES,
    SELECTIONS,
    SWITCHES,
    EstimatorState,
    ViewName,
)
from chartui.tui.screens.estimator.study import Studies, Study
from chartui.tui.screens.estimator.view import VIEWS, View
from chartui.tui.widgets.form import FieldKind, FieldRow, FormView, Heading
from chartui.tui.widgets.screen import Copyable, WorkScreen
from chartui.tui.widgets.tab_line import Tab, TabLine

if TYPE_CHECKING:
    from chartui.core.estimation.rates import Rates

__all__ = ["EstimatorScreen"]

#: Seconds to wait for the next key before a service over the network is asked; the embedded store is asked at once.
DEBOUNCE: Final = 0.2
#: From this many rows on, wide windows show the estimate and a view one below the other, and the ranking as well.
TALL: Final = 34


class EstimatorScreen(WorkScreen):
    """Inputs on the left; on the right the estimate, or a view of what could be chosen instead, or both."""

    SCOPE = "estimator"
    AUTO_FOCUS = "#inputs"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("estimator")
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]  # noqa: RUF012 - declared so by the framework
    DEFAULT_CSS = """
    EstimatorScreen #board { layout: grid; grid-size: 2 2; grid-columns: 36 1fr; grid-rows: 1 1fr; }
    EstimatorScreen #inputs { row-span: 2; }
    EstimatorScreen .view { display: none; }
    EstimatorScreen.-viewing #result { display: none; }
    EstimatorScreen.-viewing .view.-present { display: block; }
    EstimatorScreen.-wide #board { grid-columns: 46 1fr; }
    EstimatorScreen.-wide.-tall #board { grid-size: 2 3; grid-rows: 1 15 1fr; }
    EstimatorScreen.-wide.-tall #inputs { padding: 1 0 0 0; }
    EstimatorScreen.-wide.-tall #result { display: block; row-span: 2; }
    EstimatorScreen.-wide.-tall.-viewing #result { row-span: 1; }
    EstimatorScreen.-wide.-tall #view-rank { display: block; }
    EstimatorScreen.-zoomed #board, EstimatorScreen.-wide.-tall.-zoomed #board {
        grid-size: 1 2; grid-columns: 1fr; grid-rows: 1 1fr;
    }
    EstimatorScreen.-zoomed #inputs { display: none; }
    EstimatorScreen.-wide.-tall.-zoomed #result { row-span: 1; }
    EstimatorScreen.-wide.-tall.-zoomed.-viewing #result { display: none; }
    EstimatorScreen.-wide.-tall.-zoomed #view-rank { display: none; }
    EstimatorScreen.-wide.-tall.-zoomed #view-rank.-present { display: block; }
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

    @dataclass
    class Rated(Message):
        """The rates that the views compute with are there."""

        rates: Rates

    def __init__(self) -> None:
        super().__init__()
        self.state = EstimatorState(discovery=discover(None))
        self._studies = Studies()
        self._views: dict[ViewName, View] = {}
        self._said_default = ""

    def compose_work(self) -> Iterable[Widget]:
        """The form and the result; views come when they are first shown."""
        self.set_class(self.app.size.height >= TALL, "-tall")
        self.set_class(self.app.size.height < TALL, "-short")
        with Container(id="board"):
            self._form = FormView(id="inputs")
            self._form.add_class("panel")
            self._form.border_title = Content("Configuration")
            yield self._form
            self._tabs = TabLine(id="tabs")
            yield self._tabs
            self._result = ResultView(id="result")
            self._result.add_class("panel")
            self._result.border_title = Content("Estimate")
            yield self._result
            if self._all_in_sight and ViewName.RANK in VIEWS:
                yield self._view(ViewName.RANK)

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
        self._form.show(_rows(state))
        self._say_default()
        study = self._studies.of(state)
        self._result.show(state, study)
        self._tabs.show(_TABS, state.view.value, self._turning_keys)
        if study is not None:
            for view in self._views.values():
                if self._in_sight(view):
                    view.show(study)

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
        self._show(replace(self.state, rates=message.rates))

    # -- views --------------------------------------------------------------------------------------------------------

    @property
    def study(self) -> Study | None:
        """What the views are computed from just now; None while there are no rates."""
        return self._studies.of(self.state)

    @property
    def _all_in_sight(self) -> bool:
        """Whether the window shows the estimate, a view and the ranking at once."""
        return self.has_class("-wide") and self.has_class("-tall")

    @property
    def _turning_keys(self) -> str:
        keymap = self.workbench.keymap
        return " ".join(filter(None, (keymap.label("previous-view"), keymap.label("next-view"))))

    def _view(self, name: ViewName) -> View:
        """A view, made when it is first asked for."""
        if name not in self._views:
            module, _, class_name = VIEWS[name].partition(":")
            view_class: type[View] = getattr(import_module(module), class_name)
            self._views[name] = view_class()
        return self._views[name]

    def _in_sight(self, view: View) -> bool:
        """Whether a view is shown; asked of the classes and not of the styles, which follow with the next picture."""
        zoomed = self.has_class("-zoomed")
        ranked = view.NAME is ViewName.RANK and self._all_in_sight and not zoomed
        return view.is_mounted and (ranked or self.state.view is view.NAME)

    async def action_view(self, name: str) -> None:
        """Show a view and go to it."""
        await self._turn_to(ViewName(name), follow=True)

    async def action_in_view(self, name: str, deed: str) -> None:
        """Do what a command of one view does, showing it first."""
        view = self._view(ViewName(name))
        if self.state.view is not view.NAME:
            await self._turn_to(view.NAME, follow=True)
        getattr(view, f"action_{deed}")()

    async def action_turn_view(self, step: int) -> None:
        """Show the next or the previous view."""
        names = [ViewName.ESTIMATE, *VIEWS]
        inside = any(view.has_focus_within for view in self._views.values()) or self._result.has_focus
        await self._turn_to(names[(names.index(self.state.view) + step) % len(names)], follow=inside)

    def action_leave_view(self) -> None:
        """The focus back to the inputs, which come back where the view had the whole window."""
        self.remove_class("-zoomed")
        self._form.focus()

    def action_zoom(self) -> None:
        """Give the view the whole window, or take it back."""
        self.toggle_class("-zoomed")
        if self.has_class("-zoomed"):
            self._focus_view()
        self._show(self.state)

    async def _turn_to(self, name: ViewName, *, follow: bool) -> None:
        """Show a view; the focus goes there with ``follow``."""
        if name is not ViewName.ESTIMATE and name not in self._views:
            await self.query_one("#board").mount(self._view(name), after=self._after(name))
        for other, view in self._views.items():
            view.set_class(other is name, "-present")
        # The ranking has a place of its own where everything is in sight.
        beside = name is ViewName.RANK and self._all_in_sight
        self.set_class(name is not ViewName.ESTIMATE and not beside, "-viewing")
        self._show(replace(self.state, view=name))
        if follow:
            self._focus_view()

    def _after(self, name: ViewName) -> Widget:
        """What a new view comes behind: the ranking is the first of them, since it has a place of its own."""
        ranking = self._views.get(ViewName.RANK)
        return ranking if ranking is not None and name is not ViewName.RANK else self._result

    def _focus_view(self) -> None:
        """Let the keys go to the present view."""
        view = self._views.get(self.state.view)
        if view is None:
            self._result.focus()
        else:
            # Behind the layout that shows it: what is not displayed takes no focus.
            self.call_after_refresh(lambda: view.query_one(f"#{view.FOCUS}").focus())

    @on(View.Picked)
    def _picked(self, message: View.Picked) -> None:
        self._form.stop_typing()
        self._change(self.state.put(message.chosen, message.typed))

    # -- inputs -------------------------------------------------------------------------------------------------------

    @on(FormView.Moved, "#inputs")
    def _say_default(self) -> None:
        """Say on the form's border what the input under the cursor would be by default, when it is something else."""
        row = self._form.current
        said = ""
        if row is not None and row.changed and (default := self.state.default(row.id)) is not None:
            text = _default_text(self.state, row.id, default)
            key = self.workbench.keymap.label("reset-field")
            said = single_line(f"{key} resets: {text}" if key else f"default: {text}", limit=32)
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

    def copy_choices(self) -> Sequence[Copyable]:
        """The estimate."""
        from chartui.tui.screens.estimator.copying import copy_choices

        return copy_choices(self.state, self.workbench.session.profile)

    def action_reset_all(self) -> None:
        """Every input back to its default."""
        self._form.stop_typing()
        self._change(self.state.reset())


_TITLES: Final = {
    ViewName.ESTIMATE: "Estimate",
    ViewName.COMPARE: "Compare",
    ViewName.RANK: "Rank",
    ViewName.EXPLORE: "Explore",
    ViewName.WHAT_IF: "What-if",
    ViewName.PLANS: "Plans",
}
_TABS: Final = tuple(Tab(n.value, _TITLES[n], f"view-{n.value}") for n in (ViewName.ESTIMATE, *VIEWS))


def _default_text(state: EstimatorState, attribute: str, default: str | bool | Decimal) -> str:
    """A default as the form would show it."""
    if isinstance(default, bool):
        return "on" if default else "off"
    return count(default) if isinstance(default, Decimal) else state.label(attribute, default)


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
