"""What a newcomer types into the palette, and what must come first.

``python -m tests.project.searches`` prints the table.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final

from chartui.tui.shell.palette import Palette
from tests.tui.sessions import demo
from tests.tui.user import User, opened, run_app

#: What is typed → the title of the entry that must come first.
SEARCHES: Final[Mapping[str, str]] = {
    "cheap": "Explore all configurations",
    "cheapest model": "Explore all configurations",
    "tmp": "Temperature",
    "change temperature many": "Change selected characters…",
    "change model": "Edit the settings",
    "undo": "Undo the last change…",
    "revert last change": "Undo the last change…",
    "export csv": "Write to a file…",
    "dark theme": "Choose a theme…",
    "lantern": "lantern",
    "quit": "Quit",
    "exit": "Quit",
    "read only": "Lock or unlock",
    "where is my key": "Enter another API key…",
    "password": "Enter another API key…",
    "story errors": "Lint the story",
    "dead ends": "Lint the story",
    "camille": "Camille Rousseau",
    "elena mrash": "Elena Marsh",
    "compare": "Compare configurations",
    "compare two characters": "Compare two characters",
    "reload": "Refresh",
    "curl": "Copy…",
    "rate card": "Learn rates…",
    "budget": "Explore all configurations",
    "beta": "Rank models and voices",
    "help": "Show help",
    "shortcuts": "Show help",
    "history": "Show the history…",
    "chat": "Go to the actions",
    "twine": "Export the graph…",
    "mermaid": "Export the graph…",
    "play the story": "Walk through the story",
    "switch to staging": "Choose a profile…",
    "clone character": "Duplicate the character…",
    "delete": "Delete the character…",
    "backup": "Pull, diff or push a bundle…",
    "coverage": "Random walks…",
    "language": "Language",
    "who changed": "Show the history…",
    "who changed it and when": "Show the history…",
    "changed by": "Changed by",
    "moderation": "Moderation",
    "delete section override": "Delete section override",
    "gallery": "The gallery",
    "backstory": "Backstory",
    "failed requests": "Show failures only, or all",
    "log": "Go to the requests",
    "how much does it cost": "Show the estimate",
}


async def first_found(user: User, typed: str) -> str:
    """The title of the first entry for what is typed."""
    await user.press(":")
    await user.at(Palette)
    await user.paste(typed)
    palette = user.app.screen
    assert isinstance(palette, Palette)
    title = palette.entry.label if palette.entry is not None else "–"
    await user.press("escape")
    return title


async def found() -> dict[str, str]:
    """The first entry for each search, with the characters and a graph loaded."""
    async with opened(demo(), screen="characters") as user:
        await user.ready()
        await user.press("N")
        await user.ready()
        await user.press("E")
        await user.ready()
        return {typed: await first_found(user, typed) for typed in SEARCHES}


def main() -> None:
    """Print the table."""
    for typed, title in run_app(found()).items():
        wanted = SEARCHES[typed]
        mark = "✓" if title == wanted else "✗"
        sys.stdout.write(f"{mark} {typed:28} {title:34} {'' if title == wanted else wanted}".rstrip() + "\n")


if __name__ == "__main__":
    main()
