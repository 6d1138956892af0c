"""What a command is: its keys, its words in the footer, the palette and the help, and its effect on data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

#: The scope around every other one.
APP = "app"


class DataEffect(StrEnum):
    """What a command does to the service's data."""

    NONE = "none"
    STAGE = "stage"
    WRITE = "write"
    ACT = "act"


@dataclass(frozen=True, slots=True)
class Command:
    """One thing you can do.

    ``shortcut`` lists its keys in the framework's words, the first one shown; empty for a command
    that only the palette reaches. ``action`` is a method ``action_…`` of
    the widget with the command's ``scope``: the application, a screen (``narrative``) or a part of one
    (``narrative.tree``).
    """

    id: str
    shortcut: str
    action: str
    scope: str
    title: str
    help: str
    name: str = ""
    footer: str = ""
    effect: DataEffect = DataEffect.NONE

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys, in the framework's words."""
        return tuple(self.shortcut.split())


def within(scope: str, outer: str) -> bool:
    """Whether ``scope`` is ``outer`` or a part of it."""
    return outer in (APP, scope) or scope.startswith(f"{outer}.")
