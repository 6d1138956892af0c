"""What can be changed in a story."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["STORY_EDITING"]

STORY_EDITING: Final[tuple[Command, ...]] = ()
