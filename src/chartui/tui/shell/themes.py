"""Choosing a theme: the selected one is previewed, and only Enter keeps it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from textual import on

from chartui.core.config import config_path, keep_theme
from chartui.core.paths import shipped_theme
from chartui.core.tables import BadTable
from chartui.core.themes import find_theme, load_theme, theme_names
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.line_list import Column
from chartui.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp
    from chartui.tui.theme import Looks

_COLUMNS: Final[tuple[Column[Choice], ...]] = (
    Column("Theme", lambda c: c.label),
    Column("", lambda c: c.note, 13, align="right", role=lambda c: "danger" if GLYPHS.danger in c.note else "label"),
)


class ThemeChooser(Chooser[Choice]):
    """The themes, beside the screen that previews them."""

    DEFAULT_CSS = """
    ThemeChooser { align: right middle; background: $background 0%; }
    ThemeChooser.-detailed > Vertical { width: 36; height: auto; max-height: 92%; }
    """

    SENTENCE = 4

    def __init__(self, looks: Looks) -> None:
        title = "Theme (NO_COLOR is set)" if looks.terminal.colorless else "Theme"
        super().__init__(title, [_choice(name) for name in theme_names()], looks.worn, columns=_COLUMNS)
        self._looks = looks

    @on(LineView.Rested)
    def _try_on(self, event: LineView.Rested) -> None:
        event.stop()
        current = self._list.current
        if current is not None and current.key != self._looks.worn:
            self._looks.wear(current.key)  # the errors of an invalid theme are shown below the list


def _choice(name: str) -> Choice:
    path = find_theme(name)
    theme, problems = load_theme(path) if path is not None else (None, ("unknown theme name.",))
    own = path != shipped_theme(name)
    if theme is None:
        # The list has no room for the path of the file, which the user knows.
        told = " ".join(problem.removeprefix(f"{path}: ") for problem in problems)
        return Choice(name, name, f"{GLYPHS.danger} errors", told)
    return Choice(name, name, "your own" if own else "", theme.about)


async def choose_theme(app: ChartuiApp) -> None:
    """Let the user browse the themes and keep one; Escape restores the old one."""
    before = app.looks.worn
    name = await app.push_screen_wait(ThemeChooser(app.looks))
    if name is None:
        app.looks.wear(before)
    else:
        await wear(app, name=name)


async def wear(app: ChartuiApp, *, name: str) -> None:
    """Apply a theme and keep it; one with errors is refused."""
    if problems := app.looks.wear(name):
        app.looks.apply()
        app.tell(" ".join(problems), title="Theme", severity="warning")
        return
    of_profile = app.session.profile.theme
    app.looks.keep(name)
    try:
        await asyncio.to_thread(keep_theme, name)
    except (BadTable, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        app.tell(
            f"Theme {name} applies to this session only and was not saved ({config_path()}: {why})",
            title="Theme",
            severity="error",
        )
        return
    message = f"Theme {name} was saved to {config_path()}."
    if of_profile not in (None, name):
        message += f" Profile '{app.session.profile.name}' sets '{of_profile}', which overrides this theme at startup."
    app.tell(message, title="Theme")
