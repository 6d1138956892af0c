"""What can be done with the findings about a story."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["STORY_LINT"]

STORY_LINT: Final[tuple[Command, ...]] = ()
