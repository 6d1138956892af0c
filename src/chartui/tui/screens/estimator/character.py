"""A character's configuration in the estimator, and the estimator's model for a character."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from chartui.core.character import models_of, read_character
from chartui.core.costs import facts_of, price
from chartui.core.estimation.character_cost import Applicable, CharacterCost, Inputs, applicable_as, map_character
from chartui.core.estimation.pins import load_pins
from chartui.core.plans.settings import MODEL, REASONING
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.estimation import Assumptions
from chartui.core.text import single_line
from chartui.tui.numbers import credits_text
from chartui.tui.screens.estimator.state import INPUTS, parse_quantity
from chartui.tui.wait import waiting
from chartui.tui.widgets.chooser import Choice, Chooser

if TYPE_CHECKING:
    from chartui.core.spec.models.summaries import CharacterSummary
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.screen import CharactersScreen
    from chartui.tui.screens.estimator.screen import EstimatorScreen


def estimator_of(app: ChartuiApp) -> EstimatorScreen:
    """The estimator of the open profile, whether or not it was shown before."""
    return cast("EstimatorScreen", app.work["estimator"])


def inputs_of(estimator: EstimatorScreen) -> Inputs:
    """What is chosen on the estimator, for what no record says."""
    return Inputs(chosen=dict(estimator.state.chosen), defaults=dict(estimator.state.discovery.selections))


def assumptions_of(estimator: EstimatorScreen) -> Assumptions:
    """The quantities that are typed on the estimator; what is no number takes the default."""
    given = {}
    for name, text in estimator.state.typed.items():
        try:
            given[name] = parse_quantity(text)
        except ValueError:
            continue
    return Assumptions(**given)


def put_into_estimator(app: ChartuiApp, configuration: Mapping[str, str | bool]) -> None:
    """Make a configuration the estimator's present one, and show it."""
    from chartui.tui.screens.estimator.board import View

    estimator = estimator_of(app)
    if estimator.is_mounted:
        estimator.post_message(View.Picked(configuration))
    else:
        estimator.state = estimator.state.put(configuration)
    app.action_show("estimator")


# -- what is asked -----------------------------------------------------------------------------------------------------


async def choose_character(app: ChartuiApp, title: str) -> CharacterSummary | None:
    """A character that the user chooses; None for none. To be awaited in a worker."""
    async with waiting(app, title):
        try:
            summaries = await app.session.service.asking_as("estimator").summaries()
        except ServiceError as error:
            app.tell_failure(error)
            return None
        if not summaries:
            app.tell("This account has no characters yet.")
            return None
        choices = [Choice(s.character_id, s.character_name or "(no name)", s.model or "–") for s in summaries]
        chosen = await app.push_screen_wait(Chooser(title, choices, app.character))
        return next((s for s in summaries if s.character_id == chosen), None)


async def ask_for_one(app: ChartuiApp, title: str, cost: CharacterCost) -> Mapping[str, str | bool] | None:
    """The configuration of a cost; of several, the one that the user chooses. To be awaited in a worker."""
    configurations = cost.mapped.configurations
    if len(configurations) < 2:
        return configurations[0] if configurations else None
    amounts = {one.llm: credits_text(one.estimate.credits) for one in cost.priced if one.estimate is not None}
    choices = [Choice(str(c["llm"]), str(c["llm"]), amounts.get(str(c["llm"]), "unknown")) for c in configurations]
    chosen = await app.push_screen_wait(Chooser(title, choices))
    return next((c for c in configurations if c["llm"] == chosen), None)


async def load_character(app: ChartuiApp) -> None:
    """Ask for a character and make its configuration the present one; what is assumed is told.

    To be awaited in a worker.
    """
    summary = await choose_character(app, "Begin with a character's configuration")
    if summary is None:
        return
    name = single_line(summary.character_name or summary.character_id, limit=40)
    session, estimator = app.session, estimator_of(app)
    service = session.service.asking_as("estimator")
    async with waiting(app, name):
        try:
            reading = await read_character(service, session.journal, session.profile.place, summary.character_id)
            if reading is None:
                app.tell(f"{name} is not there any more.", title="Not done", severity="warning")
                return
            facts = facts_of(reading, await models_of(service, summary.character_id))
            mapped = map_character(facts, inputs_of(estimator), load_pins())
            if not mapped.configurations:
                app.tell(mapped.unknown, title=f"{name} has no configuration", severity="warning")
                return
            cost = await price(service, mapped, assumptions_of(estimator)) if mapped.decides else CharacterCost(mapped)
        except ServiceError as error:
            app.tell_failure(error)
            return
        configuration = await ask_for_one(app, f"{name} depends on {mapped.decides}", cost)
    if configuration is None:
        return
    put_into_estimator(app, configuration)
    assumed = ", ".join(INPUTS[part.member].label for part in mapped.parts if part.assumed)
    app.tell(f"The inputs are those of {name}.{f' Assumed: {assumed}.' if assumed else ''}")


#: Why nothing but the model is given to a character.
NOT_APPLIED: Final = (
    "Not applied: memory, knowledge and speech out, which no call changes; speech in, animation and the quantities, "
    "which belong to the application."
)


def changes_for(applied: Applicable) -> Mapping[str, str]:
    """The settings of a character with which it is priced so; the level stays where it does not matter."""
    return {MODEL: applied.code} | ({} if applied.level is None else {REASONING: applied.level})


async def apply_to_character(app: ChartuiApp) -> None:
    """Ask as what, and to whom, the present model is given, and stage that. Nothing is sent.

    To be awaited in a worker.
    """
    key = estimator_of(app).state.value("llm")
    if not isinstance(key, str):
        app.tell("Which model the service takes by default is not known: choose one.", title="Nothing to apply")
        return
    found, why = applicable_as(key, load_pins())
    if not found:
        app.tell(why, title="Nothing to apply", severity="warning")
        return
    applied = await _choose(app, key, found)
    if applied is None:
        return
    level = "" if applied.level is None else f" at level {applied.level}"
    summary = await choose_character(app, f"Give {applied.code}{level} to")
    if summary is None:
        return
    app.character = summary.character_id
    app.action_show("characters")
    characters = cast("CharactersScreen", app.work["characters"])
    if await characters.give(summary.character_id, changes_for(applied)):
        doubt = f" {applied.reason}" if applied.assumed else ""
        app.tell(f"Staged, and not sent.{doubt} {NOT_APPLIED}")


async def _choose(app: ChartuiApp, key: str, found: Sequence[Applicable]) -> Applicable | None:
    """As what; where there are several ways, the one that the user chooses."""
    if len(found) == 1:
        return found[0]
    names = [one.code if one.level is None else f"{one.code} at level {one.level}" for one in found]
    choices = [Choice(str(i), name, "", one.reason) for i, (name, one) in enumerate(zip(names, found, strict=True))]
    chosen = await app.push_screen_wait(Chooser(f"Apply {key} as", choices))
    return None if chosen is None else found[int(chosen)]
