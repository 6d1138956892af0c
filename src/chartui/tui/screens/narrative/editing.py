"""The part of the narrative screen that changes the story: the lines of its pane, and keys in the tree."""

from __future__ import annotations

from textual import on

from chartui.tui.screens.narrative.detail import ADD_DECISION, ADD_OVERRIDE
from chartui.tui.screens.narrative.removing import RemovingStory
from chartui.tui.screens.narrative.spot import About
from chartui.tui.screens.narrative.state import Pane
from chartui.tui.widgets.line_view import LineView

__all__ = ["EditingStory"]


class EditingStory(RemovingStory):
    """Every change is staged, and nothing is sent by it.

    What stages (:meth:`~chartui.tui.screens.narrative.staging.StagingStory.stage`), sends, writes, leads elsewhere and
    removes are parts of their own.
    """

    def action_edit_section(self) -> None:
        """Let keys go to the lines of the section; there, change the one under the cursor."""
        if self.panes.section.has_focus:
            self._change_line()
        else:
            self.open_pane(Pane.SECTION)
            if self.has_class("-narrow"):  # a few lines below the tree are no room to write in
                self.fill_window(True)

    @on(LineView.Chosen, "#detail")
    def _line_chosen(self) -> None:
        self._change_line()

    def _change_line(self) -> None:
        """Change what the line under the cursor says, or go to the section that it names."""
        path, spot = self.panes.section.path or "", self.spot
        if path.startswith("parents["):
            self._go_to_parent(int(path[len("parents[") : -1]))
        elif self.refuses():
            return
        elif path in ("section_name", "trigger_name"):
            self.action_rename()
        elif path in ("objective", "trigger_message"):
            self.action_write_objective()
        elif path == ADD_DECISION:
            self.action_add_decision()
        elif path == ADD_OVERRIDE:
            self.add_override()
        elif spot.about is About.DECISION:
            self.action_write_criteria()
        elif spot.about is About.OVERRIDE or path == "destination_section":
            self.action_choose_target()

    def _go_to_parent(self, number: int) -> None:
        outline, section_id = self.state.outline, self.spot.section
        if outline is not None and section_id is not None:
            parents = outline.graph.parents.get(section_id, ())
            if number < len(parents):
                self.go_to_section(parents[number])
