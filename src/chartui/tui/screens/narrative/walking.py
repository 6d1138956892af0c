"""The part of the narrative screen that plays the story."""

from __future__ import annotations

from chartui.tui.screens.narrative.linting import LintingStory

__all__ = ["WalkingStory"]


class WalkingStory(LintingStory):
    """Fills the pane with the walk."""
