"""The commands as the framework's bindings."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from chartui.commands import commands_for

__all__ = ["bindings_for"]


def bindings_for(scope: str) -> list[BindingType]:
    """The framework's bindings of one scope."""
    return [Binding(",".join(c.keys), c.action, c.title, show=False, id=c.id) for c in commands_for(scope)]
