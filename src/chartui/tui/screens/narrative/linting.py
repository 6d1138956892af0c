"""The part of the narrative screen that tells what is wrong with the story, and puts it right."""

from __future__ import annotations

from chartui.tui.screens.narrative.mapping import MappingStory

__all__ = ["LintingStory"]


class LintingStory(MappingStory):
    """Fills the pane with the findings."""
