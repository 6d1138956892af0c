"""The commands as the framework's bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.binding import Binding, BindingType
from textual.dom import DOMNode

from chartui.commands import commands_at

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["bindings_for", "sign_of"]


def bindings_for(scope: str) -> list[BindingType]:
    """The bindings of the widget that performs the commands of ``scope``."""
    return [Binding(",".join(c.keys), c.action, c.title, show=False, id=c.id) for c in commands_at(scope)]


def sign_of(node: DOMNode, key: str) -> str:
    """A key that no command has, by the framework's name, as the present terminal can show it."""
    return cast("ChartuiApp", node.app).keymap.sign(key)
