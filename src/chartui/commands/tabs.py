"""The tabs of each screen, by the names that the command line takes, and which screen a view is on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from chartui.commands import COMMANDS
from chartui.core.bookmark import View
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
#: The options that only some screens understand, with these screens; the first is the default.
_SCREENS: Final[Mapping[str, tuple[str, ...]]] = {
    "section": ("narrative",),
    "finding": ("narrative",),
    "filter": ("characters", "narrative", "requests"),
    "fuzzy": ("characters",),
    "sort": ("characters",),
    "reverse": ("characters",),
}


def view_to_open(view: View) -> View:
    """The view with its screen and tab.

    Raises :class:`BadName` for an option that its screen does not have, and for an unknown tab, column or rule.
    """
    tab = view.tab or ("lint" if view.finding else None)
    owner = next((name for name, tabs in TABS.items() if tab in tabs), None)
    screen = view.screen
    for option, screens in _SCREENS.items():
        if getattr(view, option):
            screen = screen or (owner if owner in screens else screens[0])
            if screen not in screens:
                raise BadName(f"--{option} applies to {', '.join(screens)}, not to the {screen} screen.")
    if tab is not None:
        here = TABS[screen] if screen else tuple(name for names in TABS.values() for name in names)
        if owner is None:
            raise BadName(unknown("tab", tab, here, place=f"on the {screen} screen" if screen else ""))
        if tab not in here:
            raise BadName(f"The tab “{tab}” is on the {owner} screen, not on the {screen} screen.")
    if view.sort is not None:
        from chartui.core.characters.finder import Column

        if view.sort not in tuple(Column):
            raise BadName(unknown("column", view.sort, tuple(Column)))
    if view.finding is not None:
        from chartui.core.narrative.lint import RULES

        if (rule := view.finding.partition(":")[0]) not in RULES:
            raise BadName(unknown("rule", rule, RULES))
    return view._replace(screen=screen or owner, tab=tab)
