"""A command: its keys, its texts in footer, palette and help, and its effect on data."""

from __future__ import annotations

from enum import StrEnum

from chartui.core.classes import NamedTuple

#: The outermost scope.
APP = "app"


class DataEffect(StrEnum):
    """The effect of a command on the service's data."""

    NONE = "none"
    STAGE = "stage"
    WRITE = "write"
    ACT = "act"


class Command(NamedTuple):
    """A command you can give by key or from the palette.

    ``shortcut`` lists its keys by their framework names; the first one is shown. Without keys, the command is only in
    the palette. ``action`` is a method ``action_…`` of the widget with the command's ``scope``: the application, a
    screen (``narrative``) or a part of it (``narrative.tree``). If the command works only while a tab is open, ``tab``
    is the id of the command that opens that tab.
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
    tab: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys, by their framework names."""
        return tuple(self.shortcut.split())

    def bound(self, keys: tuple[str, ...]) -> str:
        """The keys for a binding. Never empty, since a binding without a key cannot be rebound."""
        return ",".join(keys) or f"no_key_{self.id}"


def within(scope: str, outer: str) -> bool:
    """Whether ``scope`` is ``outer`` or a part of it."""
    return outer in (APP, scope) or scope.startswith(f"{outer}.")
