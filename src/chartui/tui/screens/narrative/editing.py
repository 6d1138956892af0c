"""The part of the narrative screen that changes the story: staged, reviewed, and sent as few operations."""

from __future__ import annotations

from typing import NamedTuple

from chartui.core.narrative.story import Story
from chartui.tui.screens.narrative.reading import ReadingStory

__all__ = ["EditingStory"]


class _Edit(NamedTuple):
    """What was done, and the story before it; of what was undone, the one behind it."""

    title: str
    story: Story


class EditingStory(ReadingStory):
    """Stages changes of the story."""

    def __init__(self) -> None:
        super().__init__()
        self._past: list[_Edit] = []
        self._future: list[_Edit] = []

    @property
    def locked(self) -> bool:
        """Whether nothing may be changed."""
        return self.session.read_only

    def stage(self, story: Story, title: str, *, keep: str | None = None) -> None:
        """Put ``story`` in front of what is stored, to be sent when that is wanted; ``title`` names what was done.

        The cursor stays on its node, or goes to the one with the id ``keep``. Under the lock nothing is staged, and
        that is told.
        """
        present = self.state.story
        if self.locked:
            self.workbench.tell("This profile is read-only: the story can be looked at, and not changed.")
        elif present is not None and story != present:
            self._past.append(_Edit(title, present))
            self._future.clear()
            self.tell_story(story, keep=keep)
