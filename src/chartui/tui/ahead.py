"""Import what every screen but the first needs, after the first picture."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Final

from textual.app import App

#: Modules that several screens share. Each takes at most 10 ms, and a key that comes meanwhile waits that long.
SHARED: Final = (
    "chartui.tui.widgets.filter",
    "chartui.tui.widgets.questions",
    "chartui.core.spec.models.characters",
    "chartui.core.spec.models.narrative",
    "chartui.core.spec.records",
    "chartui.core.journal.journal",
    "chartui.core.drafts",
    "chartui.tui.drafts",
    "chartui.tui.widgets.fields_view",
)
#: Seconds between two of them.
_PAUSE: Final = 0.03


def import_ahead(app: App[int]) -> None:
    """Import the modules one after the other from now on, as long as ``app`` is running."""
    missing = iter([name for name in SHARED if name not in sys.modules])
    _later(app, missing)


def _later(app: App[int], missing: Iterator[str]) -> None:
    if (name := next(missing, None)) is not None:

        def load() -> None:
            import_module(name)
            _later(app, missing)

        app.set_timer(_PAUSE, load)
