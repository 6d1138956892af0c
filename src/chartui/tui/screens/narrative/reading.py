"""The part of the narrative screen that reads: what the panes beside the tree show, and what can be taken along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from chartui.core.narrative.outline import render
from chartui.core.spec.errors import ServiceError
from chartui.tui.screens.narrative.moving import MovingStory
from chartui.tui.screens.narrative.state import Pane
from chartui.tui.wait import waiting
from chartui.tui.widgets.screen import Copyable

__all__ = ["ReadingStory"]


class ReadingStory(MovingStory):
    """The panes, of which one is shown, and the character whose story it is."""

    def on_screen_resume(self) -> None:
        """Show the character that was asked for elsewhere."""
        super().on_screen_resume()
        wanted = self.workbench.character
        if self.state.character is not None and wanted is not None and wanted != self.state.wanted:
            self.turn_to_character(wanted)

    # -- the panes ----------------------------------------------------------------------------------------------------

    def show_panes(self) -> None:
        """Show in the present pane what belongs to the story and to the node with the cursor."""
        self.panes.show_tabs(self.state.pane, self.marks(), self.keymap_label)
        if self.state.pane is Pane.SECTION:
            self.show_section()

    def show_section(self) -> None:
        """Show what there is to read and to change at the cursor."""
        raise NotImplementedError

    def marks(self) -> Mapping[Pane, str]:
        """What waits in the panes."""
        return {}

    def keymap_label(self, command: str) -> str:
        """The key of a command, as it is written for people."""
        return self.workbench.keymap.label(command)

    def action_open_pane(self, pane: str) -> None:
        """Go to a pane."""
        self.open_pane(Pane(pane))

    def action_turn_pane(self, step: int) -> None:
        """Show the next or the previous pane; the focus stays in the tree where it is."""
        panes = list(Pane)
        self.turn_to(panes[(panes.index(self.state.pane) + step) % len(panes)])

    def action_fill_window(self) -> None:
        """Give the pane the whole window, or show the tree beside it again."""
        self.fill_window(not self.has_class("-full"))

    def fill_window(self, full: bool) -> None:
        """Show the pane alone, or beside the tree; the focus goes to what is in sight."""
        self.set_class(full, "-full")
        (self.panes.pane(self.state.pane) if full else self._tree).focus()

    def open_pane(self, pane: Pane) -> None:
        """Show a pane, and let keys go there."""
        self.turn_to(pane)
        self.panes.pane(pane).focus()

    def turn_to(self, pane: Pane) -> None:
        """Show a pane."""
        self.state = replace(self.state, pane=pane)
        self.panes.show_pane(pane)
        self.show_panes()

    # -- what can be taken along, and whose story it is ---------------------------------------------------------------

    def copy_choices(self) -> Sequence[Copyable]:
        """What the cursor stands on, and the whole graph as text."""
        node, drawn = self._tree.current, self.state.outline
        if node is None or drawn is None:
            return ()
        section = drawn.graph.sections.get(node.section) if node.section is not None else None
        trigger = drawn.graph.triggers.get(node.trigger) if node.trigger is not None else None
        choices: list[Copyable] = []
        if node.section is not None and not self._is_new(node.section):
            choices.append(Copyable("Id of the section", node.section))
        if section is not None and section.objective:
            choices.append(Copyable("Objective of the section", section.objective))
        if node.trigger is not None and not self._is_new(node.trigger):
            choices.append(Copyable("Id of the trigger", node.trigger))
        if trigger is not None and trigger.trigger_message:
            choices.append(Copyable("Message of the trigger", trigger.trigger_message))
        return [*choices, Copyable("The graph as text", partial(render, drawn))]

    def _is_new(self, item_id: str) -> bool:
        """Whether a section or trigger was never sent: its id is then only a name inside the story."""
        story, stored = self.state.story, self.state.stored
        if story is None or stored is None:
            return False
        return item_id in {*story.sections, *story.triggers} and item_id not in {*stored.sections, *stored.triggers}

    def action_pick_character(self) -> None:
        """Choose whose graph is shown."""
        self.start(self._pick, group="pick")

    async def _pick(self) -> None:
        from chartui.tui.widgets.chooser import Choice, Chooser

        async with waiting(self.workbench, "Whose graph?"):
            try:
                summaries = await self.service.summaries()
            except ServiceError as error:
                self.workbench.tell_failure(error)
                return
            choices = [
                Choice(s.character_id, s.character_name or s.character_id, "narrative" if s.is_narrative_driven else "")
                for s in summaries
            ]
            chosen = await self.app.push_screen_wait(Chooser("Whose graph?", choices, self.state.wanted))
        if chosen is not None and chosen != self.state.wanted:
            self.workbench.character = chosen
            self.turn_to_character(chosen)
