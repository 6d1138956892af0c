"""What brings stories to files and services, and from there."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["STORY_FILES"]

STORY_FILES: Final[tuple[Command, ...]] = (
    Command(
        id="export-story",
        keys=("G",),
        action="export_story",
        scope="narrative",
        title="Export the graph",
        help="Mermaid, DOT, JSON, Markdown, Twee: to copy or to write.",
    ),
    Command(
        id="import-story",
        keys=("I",),
        action="import_story",
        scope="narrative",
        title="Import a story",
        help="Twee, an exported graph or a bundle; staged first.",
    ),
    Command(
        id="ship-bundle",
        keys=("B",),
        action="ship_bundle",
        scope="narrative",
        title="Pull, compare or push a bundle",
        help="The whole character as one file, and back.",
    ),
)
