"""Keeping the cost of the character under the cursor up to date, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from chartui.core.character import Reading
from chartui.core.costs import Remembered, facts_of, facts_with, price
from chartui.core.estimation.character_cost import (
    CharacterCost,
    CharacterMap,
    Facts,
    Source,
    cost_as_wire,
    cost_sheet,
    map_character,
)
from chartui.core.estimation.pins import Pins, change_pins, load_pins, why_not_pinned
from chartui.core.spec.catalogue import OWN_ENDPOINT, counterpart
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.estimation import Selections
from chartui.core.text import single_line
from chartui.tui.screens.characters.cost import CostShown, price_words
from chartui.tui.screens.characters.costing import Costed, CostingScreen
from chartui.tui.screens.characters.state import Pane
from chartui.tui.screens.estimator.character import (
    ask_for_one,
    assumptions_of,
    estimator_of,
    inputs_of,
    put_into_estimator,
)
from chartui.tui.wait import waiting
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.screen import Copyable

if TYPE_CHECKING:
    from chartui.core.estimation.discovery import Choice as OptionChoice
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.state import CharactersState, Shown

__all__ = ["CostDesk"]

#: The key of the choice that takes an entry out of the table; no option is called so.
_NONE = ""


class CostDesk:
    """Works for ``screen``: asks for the price when something of it has changed, and carries out what is wanted.

    What a service answered is not asked again until somebody reads everything again.
    """

    def __init__(self, screen: CostingScreen) -> None:
        self._screen = screen
        self._remembered: Remembered = {}
        self._number = 0
        self._asked_about = ""

    @property
    def _app(self) -> ChartuiApp:
        return self._screen.workbench

    def forget(self) -> None:
        """Ask anew, whatever was answered before."""
        self._remembered = {}

    def ask(self, shown: Shown | None) -> None:
        """Find out what a character costs, when that is what is looked at."""
        state = self._screen.state
        if shown is None:
            return
        self._number += 1
        known = state.cost if state.cost is not None and state.cost.character_id == shown.character_id else None
        about_another = shown.character_id != self._asked_about
        self._asked_about = shown.character_id
        self._screen.state = replace(
            state,
            cost=replace(known, asking=True) if known is not None else state.cost,
            cost_error=None if about_another else state.cost_error,
        )
        self._screen.start(partial(self._price, self._number, shown, state), group="cost", title="Asking what it costs")

    async def _price(self, number: int, shown: Shown, state: CharactersState) -> None:
        pins = load_pins()
        try:
            now, staged = await self._both(shown, state, pins)
        except ServiceError as error:
            self._screen.post_message(Costed(number, None, error))
            return
        cost = CostShown(
            character_id=shown.character_id, name=shown.name, now=now, staged=staged, problems=pins.problems
        )
        self._screen.post_message(Costed(number, cost))

    async def _both(
        self, shown: Shown, state: CharactersState, pins: Pins
    ) -> tuple[CharacterCost, CharacterCost | None]:
        """The cost as it is stored and, where that changes it, with what is staged."""
        facts = facts_of(Reading(state.record, None, shown.now, shown.known_here), shown.models)
        later = facts_with(facts, shown.staged.changes, shown.models)
        now = self._map(facts, pins)
        cost = await self._ask(now)
        return cost, await self._ask(self._map(later, pins)) if later != facts else None

    def _map(self, facts: Facts, pins: Pins) -> CharacterMap:
        return map_character(facts, inputs_of(estimator_of(self._app)), pins)

    async def _ask(self, mapped: CharacterMap) -> CharacterCost:
        quantities = assumptions_of(estimator_of(self._app))
        return await price(self._screen.watched_service("cost"), mapped, quantities, self._remembered)

    def give_up(self, error: ServiceError) -> None:
        """Wait for no answer: asking was canceled."""
        self.take(Costed(self._number, None, error))

    def take(self, message: Costed) -> bool:
        """Take an answer over, unless something else was asked since; tells whether it was."""
        if message.number != self._number:
            return False
        state = self._screen.state
        kept = state.cost if message.cost is None and message.error is not None else message.cost
        if kept is not None and kept.character_id != state.shown:
            kept = None
        kept = replace(kept, asking=False) if kept is not None else None
        self._screen.state = replace(state, cost=kept, cost_error=message.error)
        return True

    # -- what can be done ---------------------------------------------------------------------------------------------

    def pin_model(self) -> None:
        """Say which of the estimator's models the character's code stands for."""
        if (cost := self._cost()) is not None:
            self._screen.start(partial(self._pin_model, cost.latest.mapped.facts), group="pin")

    async def _pin_model(self, facts: Facts) -> None:
        pins, code = self._table(), facts.code
        if pins is None:
            return
        if not code or (why := why_not_pinned(code)):
            self._app.tell(why if code else "The record names no model.", title="Nothing to pin")
            return
        title = f"What {single_line(code, limit=40)} is priced as"
        try:
            async with waiting(self._app, title):
                chosen = await self._app.push_screen_wait(await self._models(title, code, facts, pins))
        except ServiceError as error:
            self._app.tell_failure(error)
            return
        if chosen is not None:
            self._save(lambda table: table.with_model(code, chosen or None))

    async def _models(self, title: str, code: str, facts: Facts, pins: Pins) -> Chooser[Choice]:
        """The estimator's models with their prices, the likely ones first. Raises :class:`ServiceError`."""
        entry = counterpart(code)
        candidates = entry.candidates if entry is not None else (OWN_ENDPOINT,)
        options = {choice.key: choice for choice in estimator_of(self._app).state.choices("llm")}
        notes = {key: price_words(await self._ask(self._map(facts, pins.with_model(code, key)))) for key in candidates}
        first = [options[key] for key in candidates if key in options]
        rest = [choice for key, choice in options.items() if key not in candidates]
        return Chooser(title, _choices((*first, *rest), notes, taken=code in pins.models), pins.models.get(code))

    def name_voice(self) -> None:
        """Say which option for speech out the character's voice is billed as."""
        if (cost := self._cost()) is not None:
            self._screen.start(partial(self._name_voice, cost.latest.mapped.facts.voice), group="pin")

    async def _name_voice(self, voice: str | None) -> None:
        pins = self._table()
        if pins is None:
            return
        if voice is None:
            self._app.tell("The record names no voice.", title="Nothing to say")
            return
        options = estimator_of(self._app).state.choices("tts")
        title = f"What the voice {single_line(voice, limit=40)} is billed as"
        chooser = Chooser(title, _choices(options, {}, taken=voice in pins.voices), pins.voices.get(voice))
        chosen = await self._app.push_screen_wait(chooser)
        if chosen is not None:
            self._save(lambda table: table.with_voice(voice, chosen or None))

    def choose(self, member: str | None) -> None:
        """Do what there is to do about a member of the configuration."""
        if member == "llm":
            self.pin_model()
        elif member == "tts":
            self.name_voice()
        elif member is not None:
            self.open_in_estimator()

    def open_in_estimator(self) -> None:
        """Make the character's configuration the estimator's present one."""
        if (cost := self._cost()) is not None:
            self._screen.start(partial(self._open, cost), group="pin")

    async def _open(self, cost: CostShown) -> None:
        if not cost.latest.mapped.configurations:
            self._app.tell(cost.latest.unknown, title="No configuration")
            return
        configuration = await ask_for_one(self._app, f"Which one of {cost.name}", cost.latest)
        if configuration is not None:
            put_into_estimator(self._app, configuration)

    def copies(self) -> list[Copyable]:
        """The cost as texts to take along, while it is shown."""
        state = self._screen.state
        if state.pane is not Pane.COST or state.cost is None or state.cost.character_id != state.shown:
            return []
        from chartui.core.reproduce import as_json
        from chartui.core.sheet import as_csv, as_markdown

        sheet = cost_sheet(state.cost.latest, f"What {single_line(state.cost.name)} costs")
        # A command knows nothing of what waits here to be saved.
        command = [Copyable("The cost as a command of chartui", self._command(state.cost), ".sh")]
        return [
            *(command if state.cost.staged is None else ()),
            Copyable("The cost and where it comes from as Markdown", as_markdown(sheet), ".md"),
            Copyable("Where the cost comes from as CSV", as_csv(sheet), ".csv"),
            Copyable("The cost as JSON", as_json(cost_as_wire(state.cost.latest)), ".json"),
        ]

    def _command(self, cost: CostShown) -> str:
        """The command that says the same: the character, and what of the estimator's inputs counts for it."""
        from chartui.core.reproduce import estimate_command

        form = {p.member: p.values[0] for p in cost.now.mapped.parts if p.source is Source.FORM}
        selections, assumptions = Selections(**form), assumptions_of(estimator_of(self._app))  # type: ignore[arg-type]
        return estimate_command(selections, assumptions, self._screen.session.profile, character=cost.character_id)

    def _cost(self) -> CostShown | None:
        """The cost that is shown; where there is none, says so."""
        state = self._screen.state
        if state.pane is Pane.COST and state.cost is not None and state.cost.character_id == state.shown:
            return state.cost
        key = self._app.keymap.label("show-cost")
        self._app.tell(f"Press {key} to show the cost first." if key else "The cost is not shown.")
        return None

    def _table(self) -> Pins | None:
        """The user's own table; says what keeps it from being written."""
        pins = load_pins()
        if not pins.problems:
            return pins
        self._app.tell(f"{pins.problems[0]} Nothing is written to it before.", title="Your table", severity="warning")
        return None

    def _save(self, change: Callable[[Pins], Pins]) -> None:
        try:
            change_pins(change)
        except (OSError, ValueError) as error:
            self._app.tell(
                f"Your table cannot be written: {str(error).rstrip('.')}.", title="Not kept", severity="error"
            )
            return
        self._screen.price_again()


def _choices(options: Iterable[OptionChoice], notes: Mapping[str, str], *, taken: bool) -> list[Choice]:
    none = [Choice(_NONE, "Not said", "", "your table has no entry then")] if taken else []
    return [*none, *(Choice(c.key, c.label, notes.get(c.key, ""), c.key) for c in options)]
