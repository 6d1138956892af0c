"""What can be done with the findings about a story."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["STORY_LINT"]

STORY_LINT: Final = (
    Command(
        id="fix-story-finding",
        keys=("F",),
        action="fix_finding",
        scope="narrative",
        title="Lint: put this right",
        help="The finding with the cursor, or what is wrong in the tree.",
    ),
    Command(
        id="fix-story-findings",
        keys=("X",),
        action="fix_findings",
        scope="narrative",
        title="Lint: put everything right",
        help="As far as there is a safe way; deletes no section.",
    ),
    Command(
        id="least-severity",
        keys=("w",),
        action="least_severity",
        scope="narrative",
        title="Lint: how grave",
        help="Everything, then no notes, then errors only.",
    ),
)
