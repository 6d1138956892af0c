"""Themes as the framework's themes, and the styles that lines are painted with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final

from rich.style import Style
from textual.theme import Theme

from chartui.core.themes import MEANINGS, STYLED, TERMINAL_COLORS, ThemeFile

__all__ = ["DEFAULT_THEME", "VARIABLES", "Palette", "as_framework_theme"]

DEFAULT_THEME: Final = "lantern"

#: What every theme says beside the framework's own names; the framework wants a value for each before there is a theme.
VARIABLES: Final[Mapping[str, str]] = {
    **{f"meaning-{name}": "ansi_default" for name in MEANINGS},
    **{f"style-{name}": "none" for name in STYLED},
}
#: How the framework writes the terminal's own colours.
_TERMINAL: Final = "ansi_"


def as_framework_theme(theme: ThemeFile) -> Theme:
    """``theme`` for the framework, with our meanings and attributes as variables."""
    colors: dict[str, Any] = {name: _written(color) for name, color in theme.colors.items()}
    variables = {f"meaning-{name}": _written(color) for name, color in theme.meanings.items()}
    variables |= {f"style-{name}": theme.styles.get(name) or "none" for name in STYLED}
    # What the framework would blend with the ground can be read as little as it likes, and shines through dialogues.
    quiet, label = variables["meaning-quiet"], variables["meaning-label"]
    variables |= {"text-disabled": quiet, "foreground-muted": label, "text-muted": label}
    if theme.terminal:
        variables |= {name: colors[name] for name in ("surface", "panel")} | dict(_MARKS)
    return Theme(name=theme.name, dark=theme.dark, ansi=theme.terminal, variables=variables, **colors)


#: What the framework paints in colours of its own choice where a theme is made of the terminal's colours.
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


@dataclass(frozen=True, slots=True)
class Palette:
    """The styles lines are painted with, one a role; made once per theme."""

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
        """The palette of a theme, from the framework's table of its variables, which is another for each theme."""
        before, palette = _latest[0]
        if variables is not before:  # every line that is drawn asks
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
        "key": Style(color=color["credits"], bold=True),
        "cursor": Style(bgcolor=color["cursor"], bold=True),
        "cursor_idle": Style(bgcolor=panel),
        "match": Style(color=color["credits"], underline=True),
        "danger": Style(color=color["danger"], bold=True),
    }
    for name, ground in (("badge", "credits"), ("banner", "danger")):
        # The ground of a terminal is no colour that a text could have: what is reversed has it all the same.
        styles[name] = (
            Style(color=color[ground], bold=True, reverse=True)
            if background == _DEFAULT
            else Style(color=background, bgcolor=color[ground], bold=True)
        )
    return Palette(**{f.name: styles[f.name] + _attributes(given[f"style-{f.name}"]) for f in fields(Palette)})


_DEFAULT: Final = "default"


def _for_lines(color: str) -> str:
    """A colour as lines want it written."""
    return color.removeprefix(_TERMINAL)


def _attributes(words: str) -> Style:
    return Style.parse(words)


#: The table that was asked about last, and its palette.
_latest: Final[list[tuple[Mapping[str, str], Palette]]] = [
    ({}, _palette(("ansi_default",) * len(_GROUNDS), tuple(VARIABLES.values())))
]
