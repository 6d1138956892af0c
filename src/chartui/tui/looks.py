"""What the program looks like: which theme it wears, and what becomes of that when the file of the theme changes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.app import App

from chartui.core.paths import shipped_theme
from chartui.core.themes import find_theme, load_theme, theme_names
from chartui.tui.terminal import Terminal
from chartui.tui.theming import DEFAULT_THEME, as_framework_theme

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["COLORLESS", "FEW_COLORS", "Looks"]

#: The theme where no colours are wanted, and the usual one where there are sixteen.
COLORLESS: Final = "monochrome"
FEW_COLORS: Final = "terminal"
#: Seconds between two looks at the file of a theme of one's own: nobody waits long for it, and a look is one question
#: to the system. Themes that come along are not looked at.
_LOOK_EVERY: Final = 1.0

#: What is another one when a file was written: when that was, its size, and which file it is.
Stamp = tuple[int, int, int]


class Looks:
    """Dresses ``app``, in what the flag, the profile or the settings say and ``terminal`` can show."""

    def __init__(self, app: ChartuiApp, terminal: Terminal) -> None:
        self._app = app
        self.terminal = terminal
        self._file: Path | None = None
        self._read: Stamp | None = None
        self._seen: Stamp | None = None
        self._watched = False

    @property
    def usual(self) -> str:
        """What is worn when nobody asks for anything."""
        return FEW_COLORS if self.terminal.few_colors else DEFAULT_THEME

    @property
    def worn(self) -> str:
        """The name of the present theme."""
        return self._app.theme

    def apply(self) -> None:
        """Wear what is asked for; what is not there, or has mistakes, is told, and the usual one stands in."""
        app, of_profile = self._app, self._app.session.profile.theme
        # Always set, so that a variable of the environment never decides how a demo looks.
        wanted = app.opening.theme or of_profile or app.config.theme
        problems = self.wear(wanted or self.usual)
        if not problems:
            return
        self.wear(self.usual)
        if not app.opening.theme:
            who = f"Profile '{app.session.profile.name}' asks" if of_profile else "The settings ask"
            problems = (f"{who} for the theme '{wanted}'.", *problems)
        app.call_later(app.tell, "\n".join(problems), title="Theme", severity="warning")

    def wear(self, name: str) -> tuple[str, ...]:
        """Wear a theme from now on; where that cannot be done nothing changes, and what is wrong is said."""
        name = COLORLESS if self.terminal.colorless else name
        path = find_theme(name)
        if path is None:
            return (f"There is no theme '{name}'. There are: {', '.join(theme_names())}.",)
        stamp = _stamp(path)
        theme, problems = load_theme(path)
        if theme is None:
            return problems
        self._file = None if path == shipped_theme(name) else path
        self._read = self._seen = stamp
        self._app.register_theme(as_framework_theme(theme))
        if self._app.theme == name:
            self._app.mutate_reactive(App.theme)
        else:
            self._app.theme = name
        self.watch()
        return ()

    def keep(self, name: str) -> None:
        """Whoever chose a theme wants no other one that a flag or the settings asked for at the start."""
        self._app.opening.theme = None
        self._app.config = replace(self._app.config, theme=name)

    # -- files that change --------------------------------------------------------------------------------------------

    def watch(self) -> None:
        """Look at the file of a theme of one's own from time to time, as soon as the program runs."""
        if self._file is not None and not self._watched and self._app.is_running:
            self._watched = True
            self._app.set_interval(_LOOK_EVERY, self.look)

    def look(self) -> None:
        """Wear the theme anew when its file was changed and is whole: it is as it was at the look before."""
        if self._file is None:
            return
        before, self._seen = self._seen, _stamp(self._file)
        if self._seen == self._read or self._seen != before:
            return
        self._read = self._seen
        # A file that is gone is told as one with a mistake.
        name, problems = self._file.stem, load_theme(self._file).problems
        if not problems:
            self.wear(name)
            return
        message = "\n".join([*problems, f"The last version of '{name}' that could be read stays in use."])
        self._app.tell(message, title="Theme", severity="warning")


def _stamp(path: Path) -> Stamp | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
