"""What can be done while a story is played."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["STORY_WALK"]

STORY_WALK: Final[tuple[Command, ...]] = ()
