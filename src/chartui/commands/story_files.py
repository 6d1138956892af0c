"""What brings stories to files and services, and from there."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["STORY_FILES"]

STORY_FILES: Final[tuple[Command, ...]] = ()
