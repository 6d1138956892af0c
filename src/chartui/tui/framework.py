"""The import of the framework, without the command palette that chartui replaces with its own.

The framework imports its palette with every application, and five widgets with the palette. This takes 15 ms of a
start. Of these widgets, chartui needs some, but only after the first picture.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Final

_PALETTE: Final = "textual.command"


class _StandIn(ModuleType):
    """A module in which every name is an empty class."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def import_framework() -> None:
    """Import the framework, unless it is imported already. Its palette can still be imported afterwards."""
    if "textual.app" in sys.modules or _PALETTE in sys.modules:
        return
    sys.modules[_PALETTE] = _StandIn(_PALETTE)
    try:
        import textual.app  # noqa: F401
    finally:
        del sys.modules[_PALETTE]
