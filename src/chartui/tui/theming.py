"""Themes: TOML files turned into the framework's themes, and the styles that lines are painted with."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

from rich.style import Style
from textual.theme import Theme

from chartui.core.paths import shipped_themes, theme_names

__all__ = ["DEFAULT_THEME", "MEANINGS", "Palette", "load_theme", "shipped_themes", "theme_names"]

DEFAULT_THEME: Final = "lantern"

#: What a theme gives a colour to, beside the framework's own names; the values stand in for a theme that says nothing.
MEANINGS: Final[Mapping[str, str]] = {
    "label": "#959db2",
    "quiet": "#7d859b",
    "border": "#3a4154",
    "credits": "#ffc46b",
    "latency": "#6fd3d6",
    "staged": "#d59bf5",
    "warning": "#ff9f5a",
    "danger": "#ff7a8a",
    "cursor": "#2c3349",
    "local": "#8fd694",
    "remote": "#ff9f5a",
}


def load_theme(path: Path) -> Theme:
    """Read one theme file. The shipped ones are checked by the tests, not at every start."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    colors: dict[str, Any] = document["colors"]
    meanings = {f"meaning-{name}": value for name, value in (MEANINGS | document.get("meanings", {})).items()}
    return Theme(name=document["name"], dark=document.get("dark", True), variables=meanings, **colors)


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
        """The palette of a theme, from the framework's table of its variables."""
        return _palette(
            tuple(variables.get(f"meaning-{name}", default) for name, default in MEANINGS.items()),
            variables["foreground"],
            variables["background"],
            variables["primary"],
            variables["panel"],
        )


@cache
def _palette(meanings: tuple[str, ...], foreground: str, background: str, primary: str, panel: str) -> Palette:
    color = dict(zip(MEANINGS, meanings, strict=True))
    styles = {name: Style(color=value) for name, value in color.items()}
    own = {
        "value": Style(color=foreground),
        "title": Style(color=foreground, bold=True),
        "accent": Style(color=primary, bold=True),
        "key": Style(color=color["credits"], bold=True),
        "badge": Style(color=background, bgcolor=color["credits"], bold=True),
        "banner": Style(color=background, bgcolor=color["danger"], bold=True),
        "cursor": Style(bgcolor=color["cursor"], bold=True),
        "cursor_idle": Style(bgcolor=panel),
        "match": Style(color=color["credits"], underline=True),
        "danger": Style(color=color["danger"], bold=True),
    }
    chosen = styles | own
    return Palette(**{f.name: chosen[f.name] for f in fields(Palette)})
