"""A character's configuration for the estimator: which one it is, and making it the present one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from chartui.core.character import models_of, read_character
from chartui.core.costs import facts_of, price
from chartui.core.estimation.character_cost import CharacterCost, Inputs, map_character
from chartui.core.estimation.pins import load_pins
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
    from chartui.tui.screens.estimator.screen import EstimatorScreen

__all__ = [
    "ask_for_one",
    "assumptions_of",
    "choose_character",
    "estimator_of",
    "inputs_of",
    "load_character",
    "put_into_estimator",
]


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
    from chartui.tui.screens.estimator.view import View

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
