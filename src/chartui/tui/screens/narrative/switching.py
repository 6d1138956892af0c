"""The part of the narrative screen that switches the graph on and off."""

from __future__ import annotations

from chartui.tui.screens.narrative.shipping import ShippingStory

__all__ = ["SwitchingStory"]


class SwitchingStory(ShippingStory):
    """Changes what is no part of the story itself."""

    def action_toggle_narrative(self) -> None:
        """Ask, then switch the graph on or off."""
        self.start(self._toggle, group="toggle")

    async def _toggle(self) -> None:
        from chartui.core.clock import random_ids
        from chartui.core.plans.narrative import GraphSteps
        from chartui.core.plans.plan import Plan

        character, stored = self.state.character, self.state.stored
        if character is None or stored is None:
            return
        if character.is_narrative_driven is None and self.under_way("read"):
            self.workbench.tell("It is not known yet whether the graph is on. Try again in a moment.")
            return
        enabled = not character.is_narrative_driven
        word = "on" if enabled else "off"
        step = GraphSteps(character, stored.graph(), embedded=self.service.embedded).toggle(enabled)
        steps = () if step is None else (step,)
        plan = Plan(id=random_ids(), title=f"Switch the narrative graph {word}", steps=steps)
        await self.workbench.carry_out(plan, deed=f"Switch it {word}")
