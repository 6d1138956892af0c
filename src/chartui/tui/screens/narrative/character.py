"""Choosing the character, and switching its graph on or off."""

from __future__ import annotations

from chartui.core.clock import random_ids
from chartui.core.plans.plan import Plan
from chartui.core.plans.story import story_steps
from chartui.core.spec.errors import ServiceError
from chartui.tui.guides import no_characters
from chartui.tui.run_plan import carry_out
from chartui.tui.screens.narrative.state import Desk
from chartui.tui.wait import waiting
from chartui.tui.widgets.chooser import Choice, Chooser


async def pick_character(desk: Desk) -> None:
    """Ask for the character whose graph to show."""
    workbench = desk.workbench
    async with waiting(workbench, "Choose a character"):
        try:
            summaries = await workbench.work.summaries(desk.service)
        except ServiceError as error:
            workbench.tell_failure(error)
            return
        if not summaries:
            workbench.tell(no_characters(workbench))
            return
        choices = [
            Choice(s.character_id, s.character_name or s.character_id, "narrative" if s.is_narrative_driven else "")
            for s in summaries
        ]
        chosen = await workbench.push_screen_wait(Chooser("Choose a character", choices, desk.state.wanted))
    if chosen is not None and chosen != desk.state.wanted:
        workbench.character = chosen
        desk.turn_to_character(chosen)


async def toggle_graph(desk: Desk) -> None:
    """Switch the graph on or off, after a review."""
    character, stored = desk.state.character, desk.state.stored
    if character is None or stored is None:
        return
    if character.is_narrative_driven is None and desk.under_way("read"):
        desk.workbench.tell("The graph's on/off state is still loading. Try again in a moment.")
        return
    enabled = not character.is_narrative_driven
    word = "on" if enabled else "off"
    made = story_steps(character, stored, stored.switched(enabled), embedded=desk.service.embedded)
    plan = Plan(id=random_ids(), title=f"Switch the narrative graph {word}", steps=made.steps)
    await carry_out(desk.workbench, plan, verb=f"Switch {word}")
