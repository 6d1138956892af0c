"""The estimator: ten inputs, and the cost of an interaction, computed as you type."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import events, on
from textual.binding import BindingType
from textual.widget import Widget

from chartui.core.bookmark import ScreenPlace
from chartui.core.estimation.discovery import discover
from chartui.core.paths import pinned_folder
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Estimate
from chartui.tui.bindings import bindings_for
from chartui.tui.guides import NOTHING_TO_REDO, NOTHING_TO_UNDO
from chartui.tui.screens.estimator.board import TALL, Board, View
from chartui.tui.screens.estimator.inputs import default_note, form_title, rows_of, stepped
from chartui.tui.screens.estimator.kept import at_place, place_of
from chartui.tui.screens.estimator.quantities import LINK, LINKED, SWITCHES
from chartui.tui.screens.estimator.result import ResultView
from chartui.tui.screens.estimator.state import EstimatorState, ViewName
from chartui.tui.screens.estimator.study import Studies, Study
from chartui.tui.widgets.border import entitle, room_on_border, write_on_border
from chartui.tui.widgets.form import FormView
from chartui.tui.widgets.screen import NORMAL, Copyable, WorkScreen

if TYPE_CHECKING:
    from chartui.commands import Command
    from chartui.core.estimation.scenario import Scenario
    from chartui.core.presets import Preset
    from chartui.tui.screens.estimator.compare import CompareView
    from chartui.tui.screens.estimator.explore import ExploreView
    from chartui.tui.screens.estimator.study import Pinned
    from chartui.tui.shell.palette import Group

#: Seconds to wait for the next key before a service over the network is asked.
DEBOUNCE: Final = 0.2


class EstimatorScreen(WorkScreen):
    """Inputs on the left; on the right the estimate, or a view of alternatives, or both."""

    SCOPE = "estimator"
    DATA = "options"
    READS = frozenset({"read", "estimate"})
    AUTO_FOCUS = "#inputs"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("estimator.what-if"), *bindings_for("estimator")]

    def __init__(self) -> None:
        super().__init__()
        self.state = EstimatorState(discovery=discover(None))
        self._studies = Studies()
        self._room: tuple[bool, int] | None = None
        self._zoomed = self._in_tab = self._hinted = self._undoable = self._held = False

    def compose_work(self) -> Iterable[Widget]:
        self._form = FormView(id="inputs")
        self._form.add_class("panel")
        self._result = ResultView(id="result")
        self._result.add_class("panel")
        self._board = Board(self._form, self._result, self.state.view_settings)
        yield self._board

    def prepare(self) -> None:
        self.show(self.state)
        self.call_later(self._turn_to, self.state.view, follow=self._in_tab)
        if self._zoomed:
            self.call_later(self.action_zoom)

    async def read_data(self, *, refresh: bool = False) -> None:
        self._held = self.service.embedded  # which answers in a few milliseconds: everything is drawn once
        state = self.state.asked_again()
        self.show(state)
        asked = [self._ask(state, refresh=refresh)] if state.complete else []
        try:
            self._find_rates(refresh=refresh)
            await asyncio.gather(self._discover(refresh=refresh), *asked)
        finally:
            if self._held:
                self._held = False
                self.show(self.state)

    def belongings(self) -> EstimatorState:
        """The inputs and the settings of the views, which hold no data of a profile."""
        settings = self._board.settings if self.is_mounted else self.state.view_settings
        return replace(self.state, view_settings=settings).inputs_only()

    def place(self) -> ScreenPlace:
        made = self.is_mounted
        zoomed, in_tab = (self._board.zoomed, self._board.holds_keys) if made else (self._zoomed, self._in_tab)
        return {**place_of(self.belongings()), "zoomed": zoomed, "in_tab": in_tab}

    def start_at(self, place: ScreenPlace) -> None:
        self.state = at_place(self.state, place)
        self._zoomed, self._in_tab = (place.get(name) is True for name in ("zoomed", "in_tab"))

    def take_along(self, belongings: object) -> None:
        if isinstance(belongings, EstimatorState):
            self.state = replace(belongings, discovery=self.state.discovery)

    # -- state --------------------------------------------------------------------------------------------------------

    async def _change(self, state: EstimatorState) -> None:
        if state.complete and self.service.embedded:
            # The answer takes a few milliseconds: the inputs are shown with it, in one frame instead of two.
            self.state = state
            await self._ask(state)
            return
        self.show(state)
        if state.complete:
            self.start(partial(self._ask_when_idle, state), group="estimate", title="Estimating")

    def show(self, state: EstimatorState) -> None:
        self.state = state
        if self._held:
            return
        if self._undoable is not bool(state.past):
            self._undoable = bool(state.past)
            self.refresh_bindings()  # the footer offers undo while there is something to undo
        self._form.show(rows_of(state))
        entitle(self._form, form_title(state, room_on_border(self._form)))
        self._say_default()
        self._board.show(state, self.study)

    async def _ask_when_idle(self, state: EstimatorState) -> None:
        await asyncio.sleep(DEBOUNCE)
        await self._ask(state, group="estimate")

    async def _ask(self, state: EstimatorState, *, group: str = "read", refresh: bool = False) -> None:
        answer: Estimate | ServiceError
        try:
            service, selections = self.watched_service(group), state.selections()
            if state.scenario is None:
                answer = await service.estimate(selections, state.assumptions(), refresh=refresh)
            else:
                from chartui.core.estimation.mix import mixed_estimate

                cases = state.cases()
                each = (service.estimate(selections, case.assumptions(), refresh=refresh) for case in cases)
                answers = zip(cases, await asyncio.gather(*each), strict=True)
                answer = mixed_estimate([(case.weight, one) for case, one in answers])
        except ServiceError as error:
            answer = error
        if state.number == self.state.number:
            self.show(self.state.answered_by(answer))
            self.take_rates()  # the answer may show that the service has drifted from them

    async def _discover(self, *, refresh: bool) -> None:
        try:
            _, found = await self.watched_service().options(refresh=refresh)
        except ServiceError:
            return  # the estimate reports the error; the catalogue's labels are used until then
        self.show(replace(self.state, discovery=found))

    @property
    def filled(self) -> bool:
        return self.state.estimate is not None

    def show_loading(self) -> None:
        """Show the loading text on the border of the inputs, and in place of the first estimate."""
        self._say_default()
        self._result.show_loading(self.loading_text("estimate", "read"))

    def read_canceled(self, group: str) -> None:
        super().read_canceled(group)
        if self.state.stale and self.state.complete:
            self.show(self.state.answered_by(ServiceError(ErrorKind.TIMEOUT, "Canceled.")))

    def _find_rates(self, *, refresh: bool) -> None:
        """Read the rates for the views; the estimate itself reports if there are none."""
        if refresh:
            self.session.rates.forget()
        try:
            rates = self.session.rates.get()
        except ServiceError:
            return
        if rates.problem and rates != self.state.rates:
            self.workbench.tell(rates.banner, title="Learned rates", severity="warning")
        state, folder = replace(self.state, rates=rates), pinned_folder(self.session.folder)
        if folder.is_dir():
            from chartui.tui.screens.estimator.pins import with_kept

            state = with_kept(state, folder)
        self.show(state)
        self._settle_rates()

    def take_rates(self) -> None:
        """Show the rates of the session, if they were read and have changed since."""
        if self.state.rates is not None and not self.service.embedded:
            rates = self.session.rates.get()
            if rates is not self.state.rates:
                self.show(replace(self.state, rates=rates))

    def _settle_rates(self) -> None:
        """Ask which rates a view should use, unless those of the service are known or this was answered before."""
        rates = self.state.rates
        viewing = self.state.view is not ViewName.ESTIMATE and self.app.screen is self
        if viewing and rates is not None and rates.unsettled:
            from chartui.tui.screens.estimator.rates import settle_rates

            self.start(partial(settle_rates, self), group="choose")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys of the inputs work in the inputs; a letter that two tabs share is What-if's while that is open."""
        if action in ("choose_field", "step", "reset_field"):
            return self.focused is self._form
        if action == "in_view" and parameters[0] == ViewName.WHAT_IF:
            return self.state.view is ViewName.WHAT_IF
        return super().check_action(action, parameters)

    def footer_word(self, found: Command) -> str:
        """A tab's own commands are shown while it is open, and enlarging or shrinking it while it has the focus."""
        closed = found.action.startswith("in_view") and f"'{self.state.view}'" not in found.action
        hidden = closed or (found.id == "zoom-tab" and self.focused is self._form)
        view = self._edited_view
        hidden |= found.id == "undo-input" and not (self.state.past if view is None else view.edited)
        word = "" if hidden else super().footer_word(found)
        return "shrink" if word and found.id == "zoom-tab" and self._board.zoomed else word

    # -- the views -----------------------------------------------------------------------------------------------------

    @property
    def _edited_view(self) -> View | None:
        """The view whose form has the focus."""
        if not isinstance(self.focused, FormView) or self.focused is self._form:
            return None
        return next((each for each in self.focused.ancestors if isinstance(each, View)), None)

    @property
    def study(self) -> Study | None:
        """The data that the views are computed from; None without rates."""
        return self._studies.of(self.state, self.workbench.config.price, throwaway=self.session.throwaway)

    async def _turn_to(self, name: ViewName, *, follow: bool) -> None:
        """Show a view; the focus goes there with ``follow``."""
        await self._board.turn_to(name)
        self.state = self.state.viewing(name)
        self.refresh_bindings()  # each tab has its own keys
        self._board.show(self.state, self.study)
        if follow:
            self._board.focus_present()
        self._settle_rates()

    async def show_part(self, scope: str) -> None:
        """Show the tab with this scope, such as ``estimator.compare``."""
        name = scope.split(".")[1:2]
        if name and self.state.view is not ViewName(name[0]):
            await self._turn_to(ViewName(name[0]), follow=True)

    async def action_view(self, name: str) -> None:
        await self._turn_to(ViewName(name), follow=True)

    async def action_in_view(self, name: str, action: str) -> None:
        """Perform a command of a view, showing the view first."""
        if self.state.view is not ViewName(name):
            await self._turn_to(ViewName(name), follow=True)
        getattr(self._board.view(ViewName(name)), f"action_{action}")()

    async def action_turn_view(self, step: int) -> None:
        """Show the next or the previous view; the focus stays on the inputs if it is there."""
        await self._turn_to(self._board.neighbour(step), follow=self._board.holds_keys)

    async def action_leave_view(self) -> None:
        """Cancel a read; otherwise focus the inputs, which return if a view filled the window.

        From the inputs, go back to the screen from which this one was opened.
        """
        if self._form.has_focus:
            self.step_back()
        elif not self.cancel_read():
            await self._board.zoom(False)
            self._board.show(self.state, self.study)
            self._board.focus_inputs()

    async def action_filter(self) -> None:
        """Filter the visible table; without one, open the ranking and filter that."""
        if self._board.table is None:
            await self._turn_to(ViewName.RANK, follow=True)
        if (table := self._board.table) is not None:
            table.focus()
            table.action_filter()

    async def action_zoom(self) -> None:
        await self._board.zoom(not self._board.zoomed)
        self._board.show(self.state, self.study)
        self._board.focus_present()
        self.refresh_bindings()

    def on_resize(self, event: events.Resize) -> None:
        size = event.size
        room = size.height >= TALL, size.width if size.width >= NORMAL else 0
        if room != self._room:  # not at every event: a dumb terminal alternates between two sizes
            self._room = room
            self.call_after_refresh(self._rearrange)

    async def _rearrange(self) -> None:
        await self._board.fit_window()
        self._board.show(self.state, self.study)

    def palette_groups(self) -> Iterable[Group]:
        from chartui.tui.screens.estimator.palette_group import inputs_group

        return [inputs_group(self)]

    async def go_to_input(self, field: str) -> None:
        """Go to an input from any screen."""
        await self.workbench.go_to(self.SCOPE)
        if not self._form.has_focus:
            await self.action_leave_view()
        self._form.put_cursor(field)

    async def go_to_pin(self, name: str) -> None:
        """Show a pin among the others from any screen."""
        await self.workbench.go_to(self.SCOPE)
        await self.action_view(ViewName.COMPARE)
        cast("CompareView", self._board.view(ViewName.COMPARE)).go_to(name)

    def copy_choices(self) -> Sequence[Copyable]:
        from chartui.tui.screens.estimator.copies import copy_choices

        return copy_choices(self.state, self.session, self._board.present)

    # -- presets -------------------------------------------------------------------------------------------------------

    @property
    def _at_hand(self) -> Pinned | None:
        """The configuration under the cursor of the focused view."""
        view = self._board.focused
        return view.pinned_at_hand if view is not None else None

    def action_pin(self) -> None:
        """Pin the configuration at the cursor, or the current inputs; on a pin, the latter."""
        from chartui.tui.screens.estimator.pins import pin

        at_hand = self._at_hand
        self.start(partial(pin, self, None if at_hand in self.state.pinned else at_hand), group="choose")

    def action_save_preset(self) -> None:
        """Save the current inputs as a preset, or the configuration at the cursor."""
        from chartui.tui.screens.estimator.pins import save_preset

        self.start(partial(save_preset, self, self._at_hand), group="choose")

    def action_open_preset(self) -> None:
        from chartui.tui.screens.estimator.pins import open_presets

        self.start(partial(open_presets, self), group="choose")

    def action_open_scenario(self) -> None:
        from chartui.tui.screens.estimator.scenarios import open_scenarios

        self.start(partial(open_scenarios, self), group="choose")

    def action_save_scenario(self) -> None:
        """Save quantities, ranges and volume as a scenario."""
        from chartui.tui.screens.estimator.scenarios import save_scenario

        self.start(partial(save_scenario, self, self._board.settings), group="choose")

    async def apply_scenario(self, scenario: Scenario | None) -> None:
        """Take the quantities from a scenario; None returns to those of the service."""
        self._form.stop_typing()
        await self._change(self.state.applied(scenario))

    async def action_link_reply(self) -> None:
        """Link text and speech of a reply, or make them independent again."""
        self._hinted = True
        self._form.stop_typing()
        await self._change(self.state.toggled_link())

    @on(View.Dropped)
    def _dropped(self, message: View.Dropped) -> None:
        from chartui.tui.screens.estimator.pins import drop

        self.start(partial(drop, self, message.name), group="choose")

    @on(View.BaselineChosen)
    def _baseline_chosen(self, message: View.BaselineChosen) -> None:
        from chartui.tui.screens.estimator.pins import make_baseline

        make_baseline(self, message.name)

    def on_explore_view_constrained(self, message: ExploreView.Constrained) -> None:
        self.show(self.state.constrained(message.constraints))

    # -- loading inputs -----------------------------------------------------------------------------------------------

    @on(View.Picked)
    async def _picked(self, message: View.Picked) -> None:
        self._form.stop_typing()
        await self._change(self.state.put(message.chosen, message.typed, message.proposal))

    @on(View.Returned)
    async def _returned(self, message: View.Returned) -> None:
        self._form.stop_typing()
        await self._change(self.state.returned(message.place))

    async def load(self, preset: Preset) -> None:
        """Put the inputs of a preset into the form, and reset the others to their defaults."""
        self._form.stop_typing()
        await self._change(self.state.loaded(preset))

    # -- inputs -------------------------------------------------------------------------------------------------------

    @on(FormView.Moved, "#inputs")
    def _say_default(self) -> None:
        """Show the default of the selected input on the form's border, if it was changed."""
        said = self.loading_text("estimate", "read", width=room_on_border(self._form))
        said = said or default_note(self.state, self._form.current, self.workbench.keymap.label("reset-field"))
        write_on_border(self._form, said)

    @on(FormView.Typed)
    async def _typed(self, message: FormView.Typed) -> None:
        state = self.state
        if ((state.link or "") if message.field == LINK else state.typed.get(message.field, "")) != message.text:
            await self._change(state.type(message.field, message.text, before=message.before))
            self._hint_at_link(message.field)

    def _hint_at_link(self, field: str) -> None:
        """Mention once that text and speech of a reply can be linked, when one of them is changed alone."""
        if field in LINKED and self.state.link is None and not self._hinted:
            self._hinted = True
            text = "Response and Spoken reply change independently. “Link reply and speech” keeps their ratio."
            key = self.workbench.keymap.label("palette")
            self.workbench.tell(f"{text} {key} finds this command." if key else text, topic="link")

    @on(FormView.Activated)
    async def _activated(self, message: FormView.Activated) -> None:
        if message.field in SWITCHES:
            await self._change(self.state.choose(message.field, not self.state.value(message.field)))
        else:
            self.start(partial(self._choose, message.field), group="choose")

    async def _choose(self, attribute: str) -> None:
        from chartui.tui.screens.estimator.options import option_chooser

        chosen = await self.app.push_screen_wait(option_chooser(self.state, self.study, attribute))
        if chosen is not None and chosen != self.state.value(attribute):
            await self._change(self.state.choose_with_voices(attribute, chosen))

    def action_choose_field(self) -> None:
        self._form.action_choose()

    async def action_step(self, step: int) -> None:
        if (row := self._form.current) is not None:
            self._form.stop_typing()
            await self._change(stepped(self.state, row.id, step))
            self._hint_at_link(row.id)

    async def action_reset_field(self) -> None:
        if (row := self._form.current) is not None:
            self._form.stop_typing()
            await self._change(self.state.reset(row.id))

    async def action_turn_inputs(self, step: int) -> None:
        """Undo (-1) or redo (1) the last change of the inputs, or of the form of a view that has the focus."""
        from chartui.tui.drafts import TURNED, turned

        if (view := self._edited_view) is not None:
            view.query_one(FormView).stop_typing()
            done = view.turn_edits(step)
            if done and self.study is not None:
                view.show(self.study)
            nothing = NOTHING_TO_UNDO if step < 0 else NOTHING_TO_REDO
            self.workbench.tell(turned(view.EDITED, step) if done else nothing, topic=TURNED)
            return
        before, state = self.state.inputs, self.state.turned(step)
        if state is None:
            self.workbench.tell(NOTHING_TO_UNDO if step < 0 else NOTHING_TO_REDO, topic=TURNED)
            return
        self._form.stop_typing()
        await self._change(state)
        self.workbench.tell(turned(", ".join(state.inputs.changed_since(before)), step), topic=TURNED)

    def action_apply_to_character(self) -> None:
        from chartui.tui.screens.estimator.character import apply_to_character

        if not self.workbench.refuses("applying a model"):
            self.workbench.start(apply_to_character)

    def action_load_character(self) -> None:
        from chartui.tui.screens.estimator.character import load_character

        self.workbench.start(load_character)

    def action_learn_rates(self) -> None:
        """Learn the service's rates; the card is used as soon as it is written."""
        from chartui.tui.screens.estimator.rates import learn_rates

        self.workbench.start(learn_rates)

    async def action_reset_all(self) -> None:
        self._form.stop_typing()
        await self._change(self.state.reset())
