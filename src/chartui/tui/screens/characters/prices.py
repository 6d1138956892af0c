"""Prices of characters, as stored and with staged changes. Heavy, so imported late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from chartui.core.character import Reading, models_of, with_objective
from chartui.core.characters.finder import Finder, listed_text
from chartui.core.classes import NamedTuple
from chartui.core.costs import Basis, Remembered, facts_of, facts_with, price, price_with_ends
from chartui.core.estimation.character_cost import CharacterCost, cost_as_wire, cost_sheet
from chartui.core.estimation.character_map import Facts
from chartui.core.estimation.pins import Pins, change_pins, load_pins, why_not_pinned
from chartui.core.estimation.source import Source
from chartui.core.list_costs import list_costs, read_measures
from chartui.core.spec.catalogue import OWN_ENDPOINT, counterpart
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.estimation import Selections
from chartui.core.text import single_line
from chartui.tui.screens.characters.tabs.cost import CostShown, price_words
from chartui.tui.screens.estimator.character import (
    ask_for_one,
    basis_of,
    estimator_of,
    put_into_estimator,
    quantities_of,
)
from chartui.tui.screens.estimator.quantities import Proposal
from chartui.tui.wait import waiting
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.screen import Copyable, WorkScreen

if TYPE_CHECKING:
    from chartui.core.characters.models import Models
    from chartui.core.estimation.discovery import Choice as OptionChoice
    from chartui.core.jsontext import Wire
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.state import Listing, Shown

#: The key of the choice that removes an entry from the table; no option has this name.
_NONE = ""


class ListCosts(NamedTuple):
    """The costs of a list: ``finder`` has them, in the scenario of this name; the ``longest`` has so many cells."""

    finder: Finder
    scenario: str
    longest: int


async def costs_of_list(work: WorkScreen, listing: Listing, models: Models | None) -> ListCosts:
    """The costs of all characters of a list, from the rate card, ready to be sorted by. Raises :class:`ServiceError`.

    ``models`` are read if None.
    """
    app, session, service, finder = work.workbench, work.session, work.service, listing.finder
    rates, basis = session.rates.get(), await basis_of(app)
    models = models or await models_of(service, finder.summaries[0].character_id)
    measures = await read_measures(service, session.journal, session.profile.place, listing.records)

    def compute() -> ListCosts:
        found = finder.with_costs(list_costs(measures, models, basis, rates.card))
        found.find(listing.query, fuzzy=listing.fuzzy, sorting=listing.sorting)
        longest = max((len(listed_text(cost)) for cost in {*found.costs.values()}), default=0)
        return ListCosts(found, basis.scenario, longest)

    return await asyncio.to_thread(compute)


class CostDesk:
    """Computes the cost of characters for a screen (``work``), and performs the commands about it.

    Answers of a service are ``remembered`` and not requested again until cleared.
    """

    def __init__(self, work: WorkScreen) -> None:
        self._work = work
        self.remembered: Remembered = {}

    @property
    def _app(self) -> ChartuiApp:
        return self._work.workbench

    async def cost_of(self, shown: Shown, record: Mapping[str, Wire]) -> CostShown:
        """The cost of the stored settings and, if different, of the staged ones. Raises :class:`ServiceError`."""
        basis = await basis_of(self._app)
        reading = Reading(record, None, shown.now, shown.known_here)
        reading = await with_objective(self._work.watched_service("cost"), reading)
        facts = facts_of(reading, shown.models, basis.scenes)
        later = facts_with(facts, shown.staged.changes, shown.models)
        service = self._work.watched_service("cost")
        now = await price_with_ends(service, facts, basis, self.remembered)
        staged = await price_with_ends(service, later, basis, self.remembered) if later != facts else None
        return CostShown(
            character_id=shown.character_id,
            name=shown.name,
            now=now,
            staged=staged,
            scenario=basis.scenario,
            kinds=len(basis.cases),
            problems=basis.pins.problems,
        )

    async def _ask(self, facts: Facts, basis: Basis) -> CharacterCost:
        return await price(self._work.watched_service("cost"), facts, basis, self.remembered)

    # -- commands ----------------------------------------------------------------------------------------------------

    async def pin_price(self, cost: CostShown, again: Callable[[], None]) -> None:
        """Pin the model or the voice that decides the price. Asks which if both can be pinned."""
        if self._table() is None:
            return
        facts = cost.latest.mapped.facts
        chosen: str | None = "llm" if facts.voice is None else "tts"
        if facts.code and facts.voice is not None and not why_not_pinned(facts.code):
            choices = [Choice("llm", "The model", facts.code), Choice("tts", "The voice", facts.voice)]
            chosen = await self._app.push_screen_wait(Chooser("Pin the price of…", choices))
        if chosen is not None:
            await (self.pin_model if chosen == "llm" else self.name_voice)(cost, again)

    async def pin_model(self, cost: CostShown, again: Callable[[], None]) -> None:
        """Ask which of the estimator's models to price the character's model as; ``again`` requests the cost then."""
        facts = cost.latest.mapped.facts
        pins, code = self._table(), facts.code
        if pins is None:
            return
        if not code or (why := why_not_pinned(code)):
            self._app.tell(why if code else "The record names no model.", title="Nothing to price")
            return
        title = f"Price {single_line(code, limit=40)} as…"
        try:
            async with waiting(self._app, title):
                chosen = await self._app.push_screen_wait(await self._models(title, code, facts, pins))
        except ServiceError as error:
            self._app.tell_failure(error)
            return
        if chosen is not None:
            self._save(lambda table: table.with_model(code, chosen or None), again, code, chosen)

    async def _models(self, title: str, code: str, facts: Facts, pins: Pins) -> Chooser[Choice]:
        """The estimator's models with their prices, the likely ones first. Raises :class:`ServiceError`."""
        entry = counterpart(code)
        candidates = entry.candidates if entry is not None else (OWN_ENDPOINT,)
        options = {choice.key: choice for choice in estimator_of(self._app).state.choices("llm")}
        basis = await basis_of(self._app)
        pinned = {key: basis._replace(pins=pins.with_model(code, key)) for key in candidates}
        notes = {key: price_words(await self._ask(facts, one)) for key, one in pinned.items()}
        first = [options[key] for key in candidates if key in options]
        rest = [choice for key, choice in options.items() if key not in candidates]
        return Chooser(title, _choices((*first, *rest), notes, taken=code in pins.models), pins.models.get(code))

    async def name_voice(self, cost: CostShown, again: Callable[[], None]) -> None:
        """Ask which speech output option the character's voice is billed as; ``again`` requests the cost then."""
        voice, pins = cost.latest.mapped.facts.voice, self._table()
        if pins is None:
            return
        if voice is None:
            self._app.tell("The record names no voice.", title="No voice to price")
            return
        options = estimator_of(self._app).state.choices("tts")
        title = f"Bill voice {single_line(voice, limit=40)} as…"
        chooser = Chooser(title, _choices(options, {}, taken=voice in pins.voices), pins.voices.get(voice))
        chosen = await self._app.push_screen_wait(chooser)
        if chosen is not None:
            self._save(lambda table: table.with_voice(voice, chosen or None), again, voice, chosen)

    async def open_in_estimator(self, cost: CostShown, _again: Callable[[], None]) -> None:
        """Load the character's configuration into the estimator."""
        if not cost.latest.mapped.configurations:
            self._app.tell(cost.latest.unknown, title="No configuration")
            return
        configuration = await ask_for_one(self._app, f"Configuration of {cost.name}", cost.latest)
        if configuration is not None:
            tokens = cost.latest.tokens
            name = single_line(cost.name, limit=40)
            put_into_estimator(self._app, configuration, None if tokens is None else Proposal(name, tokens))

    def copies(self, cost: CostShown) -> list[Copyable]:
        """The cost as texts to copy."""
        from chartui.core.reproduce import as_json
        from chartui.core.sheet import as_csv, as_markdown

        sheet = cost_sheet(cost.latest, f"Cost of {single_line(cost.name)}", self._app.config.price)
        # A command does not know the changes staged here.
        command = [Copyable("Cost as a chartui command", self._command(cost), ".sh")]
        return [
            *(command if cost.staged is None else ()),
            Copyable("Cost and sources as Markdown", as_markdown(sheet), ".md"),
            Copyable("Cost and sources as CSV", as_csv(sheet), ".csv"),
            Copyable("Cost as JSON", as_json(cost_as_wire(cost.latest)), ".json"),
        ]

    def _command(self, cost: CostShown) -> str:
        """The equivalent command: the character, and the estimator's inputs that apply to it."""
        from chartui.core.reproduce import estimate_command, with_scenario, written_mix

        form = {p.member: p.values[0] for p in cost.now.mapped.parts if p.source is Source.FORM}
        selections, assumptions = Selections(**form), quantities_of(self._app)  # type: ignore[arg-type]
        state, session = estimator_of(self._app).state, self._work.session
        scenario, own = state.scenario, state.own_ranges if state.scenario is not None else None
        written, given = written_mix(scenario, own, throwaway=session.throwaway)
        name, who = "" if written is None else written.name, cost.character_id
        command = estimate_command(selections, assumptions, session.profile, character=who, scenario=name, given=given)
        return with_scenario(command, scenario, written)

    def _table(self) -> Pins | None:
        """The user's pricing file; None after a message when it has problems or a lock is set."""
        if self._app.refuses("pinning a price"):
            return None
        pins = load_pins(self._work.session.pins_path)
        if not pins.problems:
            return pins
        self._app.tell(
            f"{pins.problems[0]} Fix this problem first. The file was not changed.",
            title="Pricing file",
            severity="warning",
        )
        return None

    def _save(self, change: Callable[[Pins], Pins], again: Callable[[], None], what: str, key: str) -> None:
        """Change the pricing file: ``what`` is priced as the option ``key``, or no longer pinned if that is empty."""
        try:
            change_pins(change, self._work.session.pins_path)
        except (OSError, ValueError) as error:
            self._app.tell(
                f"Can't write your pricing file: {str(error).rstrip('.')}.", title="Not saved", severity="error"
            )
            return
        again()
        name, pin = single_line(what, limit=40), self._app.keymap.label("pin-price")
        remove = f"To remove the pin, press {pin} and choose “No entry”." if pin else ""
        self._app.tell(f"{name} is priced as {key}. {remove}" if key else f"{name} has no pinned price.", title="Pins")


def _choices(options: Iterable[OptionChoice], notes: Mapping[str, str], *, taken: bool) -> list[Choice]:
    none = Choice(_NONE, "No entry", "", "removes the entry from your pricing file" if taken else "changes nothing")
    return [none, *(Choice(c.key, c.label, notes.get(c.key, ""), c.key) for c in options)]
