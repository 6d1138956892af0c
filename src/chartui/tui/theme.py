"""Themes: as framework themes, as styles for drawing lines, and the current one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.style import Style
from textual.app import App
from textual.theme import Theme

from chartui.core.classes import NamedTuple
from chartui.core.paths import shipped_theme
from chartui.core.themes import MEANINGS, STYLED, TERMINAL_COLORS, ThemeFile, find_theme, load_theme, theme_names
from chartui.tui.terminal import Terminal

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

DEFAULT_THEME: Final = "lantern"

#: Our names beside the framework's own, which needs a value for each before a theme is set.
VARIABLES: Final[Mapping[str, str]] = {
    **{f"meaning-{name}": "ansi_default" for name in MEANINGS},
    **{f"style-{name}": "none" for name in STYLED},
}
#: The style sheet of the screens, of their panels and of the cursor in a field.
PANELS: Final = """
WorkScreen { layout: vertical; background: $background; }
.panel {
    border: round $meaning-border;
    border-title-color: $meaning-label;
    border-title-align: left;
    border-subtitle-color: $meaning-quiet;
    border-subtitle-align: right;
    background: $background;
}
.panel:focus, .panel:focus-within {
    border: round $primary;
    border-title-color: $primary;
    border-title-style: bold;
}
Input:ansi > .input--cursor, Input:ansi > .input--selection {
    background: ansi_default;
    color: ansi_default;
    text-style: reverse;
}
"""
#: The framework's prefix for the terminal's own colors.
_TERMINAL: Final = "ansi_"


def as_framework_theme(theme: ThemeFile) -> Theme:
    """``theme`` for the framework, with our meanings and attributes as variables."""
    colors: dict[str, Any] = {name: _written(color) for name, color in theme.colors.items()}
    variables = {f"meaning-{name}": _written(color) for name, color in theme.meanings.items()}
    variables |= {f"style-{name}": theme.styles.get(name) or "none" for name in STYLED}
    # The framework would blend these with the background, which makes them hard to read and dialogs transparent.
    quiet, label = variables["meaning-quiet"], variables["meaning-label"]
    variables |= {"text-disabled": quiet, "foreground-muted": label, "text-muted": label}
    if theme.terminal:
        variables |= {name: colors[name] for name in ("surface", "panel")} | dict(_MARKS)
    return Theme(name=theme.name, dark=theme.dark, ansi=theme.terminal, variables=variables, **colors)


#: Colors that the framework chooses itself, for a theme made of the terminal's colors.
_MARKS: Final[Mapping[str, str]] = {
    "ansi-background": "ansi_default",
    "ansi-foreground": "ansi_default",
    "input-selection-background": "ansi_default",
    "input-selection-foreground": "ansi_default",
    "screen-selection-background": "ansi_default",
    "screen-selection-foreground": "ansi_default",
    "scrollbar": "ansi_default",
    "scrollbar-hover": "ansi_default",
    "scrollbar-active": "ansi_default",
    "scrollbar-background": "ansi_default",
    "scrollbar-background-hover": "ansi_default",
    "scrollbar-background-active": "ansi_default",
    "block-cursor-background": "ansi_default",
    "border": "ansi_default",
    "border-blurred": "ansi_default",
}


def _written(color: str) -> str:
    return _TERMINAL + color.replace("-", "_") if color in TERMINAL_COLORS else color


class Palette(NamedTuple):
    """The styles for drawing lines, one per role; created once per theme."""

    value: Style
    label: Style
    quiet: Style
    title: Style
    accent: Style
    credits: Style
    latency: Style
    staged: Style
    warning: Style
    danger: Style
    local: Style
    remote: Style
    border: Style
    key: Style
    badge: Style
    banner: Style
    cursor: Style
    cursor_idle: Style
    match: Style

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> Palette:
        """The palette of a theme, given the framework's table of its variables."""
        before, palette = _latest[0]
        if variables is not before:  # called for every drawn line
            palette = _palette(*(tuple(variables[name] for name in names) for names in (_GROUNDS, VARIABLES)))
            _latest[0] = variables, palette
        return palette


_GROUNDS: Final = ("foreground", "background", "primary", "panel")


@cache
def _palette(framework: tuple[str, ...], own: tuple[str, ...]) -> Palette:
    foreground, background, primary, panel = map(_for_lines, framework)
    given = dict(zip(VARIABLES, own, strict=True))
    color = {name: _for_lines(given[f"meaning-{name}"]) for name in MEANINGS}
    styles = {name: Style(color=value) for name, value in color.items()}
    styles |= {
        "value": Style(color=foreground),
        "title": Style(color=foreground, bold=True),
        "accent": Style(color=primary, bold=True),
        "key": Style(color=foreground, bold=True),
        "cursor": Style(bgcolor=color["cursor"]),
        "cursor_idle": Style(bgcolor=panel),
        "match": Style(color=color["credits"], underline=True),
        "danger": Style(color=color["danger"], bold=True),
    }
    styles["badge"] = styles["label"] + Style(bold=True)
    # A text cannot have the terminal's background as its color, but reversed text does.
    styles["banner"] = (
        Style(color=color["danger"], bold=True, reverse=True)
        if background == _DEFAULT
        else Style(color=background, bgcolor=color["danger"], bold=True)
    )
    return Palette(**{name: styles[name] + _attributes(given[f"style-{name}"]) for name in Palette._fields})


_DEFAULT: Final = "default"


def _for_lines(color: str) -> str:
    return color.removeprefix(_TERMINAL)


def _attributes(words: str) -> Style:
    return Style.parse(words)


#: The latest table with its palette.
_latest: Final[list[tuple[Mapping[str, str], Palette]]] = [
    ({}, _palette(("ansi_default",) * len(_GROUNDS), tuple(VARIABLES.values())))
]


#: The themes without colors and for sixteen colors.
COLORLESS: Final = "monochrome"
FEW_COLORS: Final = "terminal"
#: Seconds between two checks of the file of the user's own theme. Built-in themes are not watched.
_LOOK_EVERY: Final = 1.0

#: The state of a file: its modification time, size and identity.
Stamp = tuple[int, int, int]


class Looks:
    """Applies themes to ``app``: the one from the flag, the profile or the settings, if ``terminal`` can show it."""

    def __init__(self, app: ChartuiApp, terminal: Terminal) -> None:
        self._app = app
        self.terminal = terminal
        self._file: Path | None = None
        self._read: Stamp | None = None
        self._seen: Stamp | None = None
        self._watched = False

    @property
    def usual(self) -> str:
        return FEW_COLORS if self.terminal.few_colors else DEFAULT_THEME

    @property
    def worn(self) -> str:
        return self._app.theme

    def apply(self) -> None:
        """Apply the requested theme; a missing or invalid one is reported, and the default replaces it."""
        app, of_profile = self._app, self._app.session.profile.theme
        # Always set, so that no environment variable changes the look of a demo.
        wanted = app.opening.theme or of_profile or app.config.theme
        problems = self.wear(wanted or self.usual)
        if not problems:
            return
        self.wear(self.usual)
        if not app.opening.theme:
            who = f"profile '{app.session.profile.name}'" if of_profile else "the settings"
            problems = (f"Theme '{wanted}' is set by {who}.", *problems)
        app.call_later(app.tell, "\n".join(problems), title="Theme", severity="warning")

    def wear(self, name: str) -> tuple[str, ...]:
        """Apply a theme; if that is not possible, nothing changes, and the problems are returned."""
        name = COLORLESS if self.terminal.colorless else name
        path = find_theme(name)
        if path is None:
            return (f"Unknown theme '{name}'. Choose from: {', '.join(theme_names())}.",)
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
        """Ignore the theme set by a flag or the settings, because the user has chosen one."""
        self._app.opening.theme = None
        self._app.config = self._app.config._replace(theme=name)

    # -- files that change --------------------------------------------------------------------------------------------

    def watch(self) -> None:
        """Check the file of the user's own theme regularly while the program runs."""
        if self._file is not None and not self._watched and self._app.is_running:
            self._watched = True
            self._app.set_interval(_LOOK_EVERY, self.look)

    def look(self) -> None:
        """Apply the theme again when its file has changed and is complete: unchanged since the last check."""
        if self._file is None:
            return
        before, self._seen = self._seen, _stamp(self._file)
        if self._seen == self._read or self._seen != before:
            return
        self._read = self._seen
        # A missing file is reported like one with an error.
        name, problems = self._file.stem, load_theme(self._file).problems
        if not problems:
            self.wear(name)
            return
        message = "\n".join([*problems, f"The last valid version of '{name}' stays in use."])
        self._app.tell(message, title="Theme", severity="warning")


def _stamp(path: Path) -> Stamp | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
