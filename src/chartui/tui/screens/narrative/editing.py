"""The part of the narrative screen that changes the story: staged, reviewed, and sent as few operations."""

from __future__ import annotations

from chartui.tui.screens.narrative.reading import ReadingStory

__all__ = ["EditingStory"]


class EditingStory(ReadingStory):
    """Stages changes of the story."""
