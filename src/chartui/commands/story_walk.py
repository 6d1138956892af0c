"""What can be done while a story is played."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["STORY_WALK"]

STORY_WALK: Final[tuple[Command, ...]] = (
    Command(
        id="walk-again",
        keys=("r",),
        action="walk_again",
        scope="narrative",
        title="Begin the walk again",
        help="From the section where it began.",
    ),
    Command(
        id="fill-keys",
        keys=("left_curly_bracket",),
        action="fill_keys",
        scope="narrative",
        title="Give template keys their values",
        help="What an application would fill in; for this session.",
    ),
    Command(
        id="walk-by-chance",
        keys=("R",),
        action="walk_by_chance",
        scope="narrative",
        title="Walk by chance, many times",
        help="Lists the sections and decisions that nobody came to.",
    ),
    Command(
        id="write-walk",
        keys=("O",),
        action="write_walk",
        scope="narrative",
        title="Write the walk to a file",
        help="To be gone again whenever the story has changed.",
    ),
    Command(
        id="replay-walk",
        keys=("L",),
        action="replay_walk",
        scope="narrative",
        title="Go a walk of a file again",
        help="Tells where the path does not exist any more.",
    ),
)
