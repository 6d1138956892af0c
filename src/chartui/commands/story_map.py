"""What can be done on the map of a story."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["STORY_MAP"]

STORY_MAP: Final[tuple[Command, ...]] = ()
