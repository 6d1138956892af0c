"""A character's configuration in the estimator, and the estimator's model for a character."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from chartui.core.character import models_of, read_character, with_objective
from chartui.core.costs import Basis, basis_for, facts_of, price
from chartui.core.estimation.character_cost import CharacterCost
from chartui.core.estimation.character_map import Applicable, Inputs, applicable_as, map_character
from chartui.core.estimation.mix import Case
from chartui.core.estimation.pins import load_pins
from chartui.core.estimation.source import Source
from chartui.core.plans.settings import MODEL, REASONING
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.estimation import Assumptions
from chartui.core.text import single_line
from chartui.tui.guides import no_characters
from chartui.tui.numbers import credits_text
from chartui.tui.screens.estimator.quantities import INPUTS, Proposal
from chartui.tui.shell.first_character import name_character
from chartui.tui.wait import waiting
from chartui.tui.widgets.chooser import Choice, Chooser

if TYPE_CHECKING:
    from chartui.core.session import Session
    from chartui.core.spec.models.summaries import CharacterSummary
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.estimator.screen import EstimatorScreen


def estimator_of(app: ChartuiApp) -> EstimatorScreen:
    """The estimator of the open profile, whether or not it was shown before."""
    return cast("EstimatorScreen", app.work["estimator"])


async def basis_of(app: ChartuiApp, session: Session | None = None) -> Basis:
    """The user's pins, and the estimator's inputs: with them every screen prices characters.

    ``session`` is the profile of the characters (default: the open one).
    """
    state = estimator_of(app).state
    own = state.own_ranges
    cases = (Case("", Decimal(1), own),) if state.scenario is None else state.scenario.cases(own)
    # Speech belongs to the configuration on the form; a character has its own voice.
    chosen = {k: v for k, v in state.chosen.items() if k not in ("stt", "tts")}
    inputs = Inputs(chosen=chosen, defaults=dict(state.discovery.selections))
    scenario = state.scenario.name if state.scenario is not None else ""
    return await basis_for(session or app.session, inputs, quantities_of(app), cases, scenario)


def quantities_of(app: ChartuiApp) -> Assumptions:
    """The estimator's quantities. Those that are not numbers take their defaults, and input tokens proposed for a
    character apply to this character only.
    """
    ranges = estimator_of(app).state.own_ranges
    return Assumptions(**{name: found.typical for name, found in ranges.items()})


def put_into_estimator(
    app: ChartuiApp, configuration: Mapping[str, str | bool | None], proposal: Proposal | None = None
) -> None:
    """Show the estimator with a configuration, and with the input tokens proposed for its character."""
    from chartui.tui.screens.estimator.board import View

    estimator = estimator_of(app)
    if estimator.is_mounted:
        estimator.post_message(View.Picked(configuration, proposal=proposal))
    else:
        estimator.state = estimator.state.put(configuration, proposal=proposal)
    app.work.show("estimator", leads_back=True)


# -- what is asked -----------------------------------------------------------------------------------------------------


async def choose_character(app: ChartuiApp, title: str) -> CharacterSummary | None:
    """Ask for a character; None when canceled. Await it in a worker."""
    async with waiting(app, title):
        try:
            summaries = await app.work.summaries(app.session.service.asking_as("estimator"))
        except ServiceError as error:
            app.tell_failure(error)
            return None
        if not summaries:
            app.tell(no_characters(app))
            return None
        name_character(app, summaries)
        choices = [Choice(s.character_id, s.character_name or "(no name)", s.model or "–") for s in summaries]
        chosen = await app.push_screen_wait(Chooser(title, choices, app.character))
        return next((s for s in summaries if s.character_id == chosen), None)


async def ask_for_one(app: ChartuiApp, title: str, cost: CharacterCost) -> Mapping[str, str | bool | None] | None:
    """The whole configuration of a cost, None for a default that is unknown; asks if there are several.

    Await it in a worker.
    """
    defaults = {part.member: part.values[0] for part in cost.mapped.parts if part.source is Source.DEFAULT}
    configurations = [{**defaults, **one} for one in cost.mapped.configurations]
    if len(configurations) < 2:
        return configurations[0] if configurations else None
    amounts = {one.llm: credits_text(one.estimate.credits) for one in cost.priced if one.estimate is not None}
    choices = [Choice(str(c["llm"]), str(c["llm"]), amounts.get(str(c["llm"]), "unknown")) for c in configurations]
    chosen = await app.push_screen_wait(Chooser(title, choices))
    return next((c for c in configurations if c["llm"] == chosen), None)


async def load_character(app: ChartuiApp) -> None:
    """Ask for a character and load its configuration; reports assumed values. Await it in a worker."""
    summary = await choose_character(app, "Import from a character")
    if summary is None:
        return
    name = single_line(summary.character_name or summary.character_id, limit=40)
    session = app.session
    service = session.service.asking_as("estimator")
    async with waiting(app, name):
        try:
            reading = await read_character(service, session.journal, session.profile.place, summary.character_id)
            if reading is None:
                app.tell(f"“{name}” no longer exists.", title="Not loaded", severity="warning")
                return
            reading = await with_objective(service, reading)
            basis = await basis_of(app)
            facts = facts_of(reading, await models_of(service, summary.character_id), basis.scenes)
            mapped = map_character(facts, basis.inputs, basis.pins)
            if not mapped.configurations:
                app.tell(mapped.unknown, title=f"{name} has no configuration", severity="warning")
                return
            cost = await price(service, facts, basis) if mapped.decides else CharacterCost(mapped)
        except ServiceError as error:
            app.tell_failure(error)
            return
        configuration = await ask_for_one(app, f"The cost depends on {mapped.decides}", cost)
    if configuration is None:
        return
    tokens = basis.tokens(facts)
    put_into_estimator(app, configuration, None if tokens is None else Proposal(name, tokens))
    assumed = ", ".join(INPUTS[part.member].label for part in mapped.parts if part.assumed)
    told = (f"Inputs loaded from {name}.", f"Assumed: {assumed}." if assumed else "", tokens.told() if tokens else "")
    app.tell(" ".join(filter(None, told)))


#: Why only the model is applied to a character.
NOT_APPLIED: Final = (
    "Not applied: memory, knowledge and speech output (the service cannot change them), and speech input, animation "
    "and quantities (the application sets them)."
)


def changes_for(applied: Applicable) -> Mapping[str, str]:
    """The settings that give a character this price; the level stays where it makes no difference."""
    return {MODEL: applied.code} | ({} if applied.level is None else {REASONING: applied.level})


async def apply_to_character(app: ChartuiApp) -> None:
    """Ask for level and character, and stage the current model there. Nothing is sent. Await it in a worker."""
    from chartui.tui.screens.characters.links import stage_settings

    key = estimator_of(app).state.value("llm")
    if not isinstance(key, str):
        app.tell("The service's default model is unknown. Choose a model first.", title="Nothing to apply")
        return
    found, why = applicable_as(key, load_pins(app.session.pins_path))
    if not found:
        app.tell(why, title="Nothing to apply", severity="warning")
        return
    applied = await choose_applicable(app, key, found)
    if applied is None:
        return
    level = "" if applied.level is None else f" at level {applied.level}"
    summary = await choose_character(app, f"Apply {applied.code}{level} to…")
    if summary is None:
        return
    doubt = f" {applied.reason}" if applied.assumed else ""
    told = f"Staged, not sent.{doubt} {NOT_APPLIED}"
    await stage_settings(app, summary.character_id, changes_for(applied), told)


async def choose_applicable(app: ChartuiApp, key: str, found: Sequence[Applicable]) -> Applicable | None:
    """The model and level to apply; asks if there are several."""
    if len(found) == 1:
        return found[0]
    names = [one.code if one.level is None else f"{one.code} at level {one.level}" for one in found]
    choices = [Choice(str(i), name, "", one.reason) for i, (name, one) in enumerate(zip(names, found, strict=True))]
    chosen = await app.push_screen_wait(Chooser(f"Apply {key} as…", choices))
    return None if chosen is None else found[int(chosen)]
