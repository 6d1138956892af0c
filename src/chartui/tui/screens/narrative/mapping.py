"""The part of the narrative screen that draws the graph as a map."""

from __future__ import annotations

from chartui.tui.screens.narrative.editing import EditingStory

__all__ = ["MappingStory"]


class MappingStory(EditingStory):
    """Fills the pane with the map."""
