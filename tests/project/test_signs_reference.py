"""``docs/signs.md`` is made from the legend of the terminal UI: ``UPDATE_GOLDEN=1`` writes it anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from chartui.commands import SCREENS
from chartui.tui.plain import in_ascii
from chartui.tui.shell.legend import DIALOG, EVERYWHERE, SIGNS, Sign

from .pages import DOCS, cell, kept, table

PAGE = DOCS / "signs.md"

_HEAD: Final = """\
# The symbols

This page lists every symbol that the terminal UI draws. <kbd>?</kbd> lists the symbols on the current screen. If the
table of a screen or part has a symbol that is also listed under "Everywhere", the meaning in that table applies there.
Every state has a symbol, so you can read the screen without colors. Terminals without Unicode get the symbol under
"ASCII" ([limited terminals](themes.md#limited-terminals)).
"""
_TITLES: Final = {
    EVERYWHERE: "Everywhere",
    "footerbar": "In the footer",
    DIALOG: "In dialogs",
    **{screen.id.removeprefix("show-"): screen.name for screen in SCREENS},
}


def _title(scope: str) -> str:
    return _TITLES[scope.partition(".")[0]]


def _rows(signs: Iterable[tuple[Sign, str]]) -> str:
    rows = (
        (
            cell(sign.sign),
            f"`` {in_ascii(sign.sign)} ``".replace("|", "\\|"),
            cell(sign.name),
            cell(sign.meaning),
            where,
        )
        for sign, where in signs
    )
    return table(("symbol", "ASCII", "name", "meaning", "where"), rows)


def reference() -> str:
    """``docs/signs.md``."""
    parts = [_HEAD]
    for title in _TITLES.values():
        found = {}
        for sign in SIGNS:
            scopes = [scope for scope in sign.scopes if _title(scope) == title]
            if scopes:
                found[sign] = ", ".join(f"`{scope}`" for scope in scopes if "." in scope)
        if found:
            parts.append(f"## {title}\n\n{_rows(found.items())}")
    return "\n".join(parts)


def test_the_reference_of_signs_is_made_from_the_legend() -> None:
    assert kept(PAGE, reference()) == reference()
