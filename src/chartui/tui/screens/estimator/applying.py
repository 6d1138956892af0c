"""Giving the model of the present configuration to a character: as changes that wait there to be saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from chartui.core.estimation.character_cost import Applicable, applicable_as
from chartui.core.estimation.pins import load_pins
from chartui.core.plans.settings import MODEL, REASONING
from chartui.tui.screens.estimator.of_character import choose_character, estimator_of
from chartui.tui.widgets.chooser import Choice, Chooser

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.screen import CharactersScreen

__all__ = ["NOT_APPLIED", "apply_to_character", "changes_for"]

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
