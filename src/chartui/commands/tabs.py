"""The tabs of each screen, by the names that the command line takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from chartui.commands import COMMANDS
from chartui.core.naming import BadName, unknown
from chartui.core.profiles import SCREEN_NAMES

_OPENS: Final = re.compile(r"(?:view|open_tab|open_pane)\('([a-z-]+)'\)")
#: The tabs that a command opens, from left to right; no two screens share a name.
TABS: Final[Mapping[str, tuple[str, ...]]] = {
    screen: tuple(
        found[1] for c in COMMANDS if c.scope.split(".")[0] == screen and (found := _OPENS.fullmatch(c.action))
    )
    for screen in SCREEN_NAMES
}


def screen_to_open(screen: str | None, tab: str | None, *, section: bool) -> str | None:
    """The screen that has the tab, and sections if ``section``; raises :class:`BadName` if it is not ``screen``."""
    if section and screen not in (None, "narrative"):
        raise BadName(f"--section works only on the narrative screen, not on {screen}.")
    screen = "narrative" if section else screen
    if tab is None:
        return screen
    here = TABS[screen] if screen else tuple(name for names in TABS.values() for name in names)
    if tab not in here:
        owner = next((name for name, tabs in TABS.items() if tab in tabs), None)
        if owner is not None:
            raise BadName(f"The tab “{tab}” is on the {owner} screen, not on {screen}.")
        raise BadName(unknown("tab", tab, here, place=f"of {screen}" if screen else ""))
    return screen or next(name for name, tabs in TABS.items() if tab in tabs)
