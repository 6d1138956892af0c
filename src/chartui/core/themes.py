"""Themes define the colors and text attributes of the terminal UI. Some are built in, and users can write their own::

    format = "chartui-theme"
    version = 1
    name = "dusk"                # the same as the file's name
    about = "Grey and violet."
    dark = true

    [colors]
    background = "#16161c"       # or a terminal color: "default", "red", "bright-red"
    primary = "#b39df3"

    [meanings]
    credits = "#e7c664"

    [styles]
    warning = "bold underline"

Values missing from the file come from a built-in theme. A file with a mistake is not used at all, because half a theme
is worse than a different theme. See ``docs/themes.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.naming import nearest, unknown
from chartui.core.paths import own_themes, shipped_theme, shipped_themes
from chartui.core.tables import BadTable, Reader, refuse_unknown, typed

FORMAT: Final = "chartui-theme"
VERSION: Final = 1
#: Backgrounds, the text on them, and the colors of marks and buttons.
COLORS: Final = (
    "background",
    "surface",
    "panel",
    "foreground",
    "primary",
    "secondary",
    "accent",
    "success",
    "warning",
    "error",
)
#: Meanings with their own color in every theme, on any background; ``cursor`` is a background.
MEANINGS: Final = (
    "label",
    "quiet",
    "border",
    "credits",
    "latency",
    "staged",
    "warning",
    "danger",
    "cursor",
    "local",
    "remote",
)
#: Meanings that can have attributes besides their color.
STYLED: Final = (
    *("value", "label", "quiet", "title", "accent", "credits", "latency", "staged", "warning", "danger", "local"),
    *("remote", "border", "key", "badge", "banner", "cursor", "cursor_idle", "match"),
)
ATTRIBUTES: Final = ("bold", "dim", "italic", "underline", "reverse", "strike")

_HUES: Final = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
#: The colors of every terminal, in the shades chosen by its user.
TERMINAL_COLORS: Final = ("default", *_HUES, *(f"bright-{hue}" for hue in _HUES))

_PARTS: Final = ("name", "about", "dark", "colors", "meanings", "styles")
_HEX: Final = re.compile(r"#[0-9a-fA-F]{6}")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")
#: The maximum length of a theme's description, in characters.
LONGEST_ABOUT: Final = 60


class ThemeFile(NamedTuple):
    """A complete theme. Values that are missing from its file have defaults.

    ``colors`` and ``meanings`` have a value for every name in :data:`COLORS` and :data:`MEANINGS`. Each value is
    ``#rrggbb`` or, if ``terminal`` is set, one of :data:`TERMINAL_COLORS`. ``styles`` has attributes for some of the
    names in :data:`STYLED`.
    """

    name: str
    about: str
    dark: bool
    colors: Mapping[str, str]
    meanings: Mapping[str, str]
    styles: Mapping[str, str]

    @property
    def terminal(self) -> bool:
        return self.colors["background"] in TERMINAL_COLORS


class LoadedTheme(NamedTuple):
    """A theme, or the reasons why it cannot be used.

    Each reason is one sentence that states the file, the setting and the fix.
    """

    theme: ThemeFile | None
    problems: tuple[str, ...] = ()


# -- finding ----------------------------------------------------------------------------------------------------------


def theme_names() -> tuple[str, ...]:
    """Return the names of all themes, including unusable ones.

    The built-in themes come first, followed by the user's own.
    """
    shipped = [path.stem for path in shipped_themes()]
    return (*shipped, *(path.stem for path in own_theme_files() if path.stem not in shipped))


def own_theme_files() -> tuple[Path, ...]:
    """Return the files of the user's own themes."""
    return tuple(sorted(own_themes().glob("*.toml")))


def find_theme(name: str) -> Path | None:
    """Return the path of a theme's file, or None if no theme has this name.

    Built-in themes take precedence over the user's own.
    """
    if not _NAME.fullmatch(name):  # a name must not refer to a file outside the folders
        return None
    shipped = shipped_theme(name)
    if shipped.is_file():
        return shipped
    own = own_themes() / f"{name}.toml"
    return own if own.is_file() else None


# -- reading ----------------------------------------------------------------------------------------------------------


def load_theme(path: Path) -> LoadedTheme:
    """Read the theme in ``path``. Problems are returned, never raised as errors."""
    own = path != shipped_theme(path.stem)
    if not path.exists():
        return LoadedTheme(None, (f"{path}: no such file.",))
    reader = Reader(path, FORMAT, VERSION, _PARTS)
    if own:
        reader.take(_check_name, path)
    if not reader.table:
        return LoadedTheme(None, reader.problems)
    reader.take(_check_called, reader.table, path.stem)
    about = reader.take(_about, reader.table) or ""
    dark = reader.take(typed, reader.table.get("dark", True), bool, "dark", "true or false")
    for part, known in (("colors", COLORS), ("meanings", MEANINGS), ("styles", STYLED)):
        for key in reader.entries(part):
            reader.take(refuse_unknown, (key,), known, part)
    colors = _read(reader, "colors", COLORS)
    meanings = _read(reader, "meanings", MEANINGS)
    styles = {
        key: reader.take(_attributes, value, f"styles.{key}") or ""
        for key, value in reader.entries("styles").items()
        if key in STYLED
    }
    reader.take(_check_one_kind, {**_named("colors", colors), **_named("meanings", meanings)})
    if reader.problems:
        return LoadedTheme(None, reader.problems)
    terminal = any(value in TERMINAL_COLORS for value in (*colors.values(), *meanings.values()))
    theme = ThemeFile(
        name=path.stem,
        about=about,
        dark=True if dark is None else dark,
        colors=MappingProxyType(colors),
        meanings=MappingProxyType(meanings),
        styles=MappingProxyType(styles),
    )
    if len(colors) < len(COLORS) or len(meanings) < len(MEANINGS):
        return _filled(theme, "terminal" if terminal else "lantern" if theme.dark else "daylight")
    return LoadedTheme(theme)


def _filled(theme: ThemeFile, base: str) -> LoadedTheme:
    """Return ``theme`` with missing values taken from the built-in theme ``base``."""
    found, problems = load_theme(shipped_theme(base))
    if found is None:
        return LoadedTheme(None, problems)
    whole = theme._replace(
        colors=MappingProxyType({**found.colors, **theme.colors}),
        meanings=MappingProxyType({**found.meanings, **theme.meanings}),
        styles=MappingProxyType({**found.styles, **theme.styles}),
    )
    return LoadedTheme(whole)


def _read(reader: Reader, part: str, known: tuple[str, ...]) -> dict[str, str]:
    entries = reader.entries(part)
    read = {key: reader.take(_color, entries[key], f"{part}.{key}") for key in known if key in entries}
    return {key: color for key, color in read.items() if color is not None}


def _named(part: str, colors: Mapping[str, str]) -> dict[str, str]:
    return {f"{part}.{key}": color for key, color in colors.items()}


def _check_name(path: Path) -> None:
    if shipped_theme(path.stem).is_file():
        raise BadTable(f"a built-in theme is called '{path.stem}'; give the file another name.")
    if path.suffix != ".toml" or not _NAME.fullmatch(path.stem):
        raise BadTable("a theme file name may contain lower-case letters, digits and dashes, and must end in .toml.")


def _check_called(table: Mapping[str, Any], stem: str) -> None:
    if typed(table.get("name", stem), str, "name", "text") != stem:
        raise BadTable(f"name must be {stem!r}, the same as the file name.")


def _about(table: Mapping[str, Any]) -> str:
    about = typed(table.get("about", ""), str, "about", "a sentence")
    if len(about) > LONGEST_ABOUT:
        raise BadTable(f"about must not be longer than {LONGEST_ABOUT} characters.")
    return about


def _color(value: Any, where: str) -> str:
    wanted = "a color such as '#8ab4f8' or a terminal color such as 'bright-blue'"
    text = typed(value, str, where, wanted)
    if _HEX.fullmatch(text):
        return text.lower()
    if text not in TERMINAL_COLORS:
        if not text.startswith("#") and nearest(text, TERMINAL_COLORS):
            raise BadTable(unknown("color", text, TERMINAL_COLORS, place=f"for {where}"), at=where)
        raise BadTable(f"{where} is {text!r}, which is not {wanted}.")
    return text


def _attributes(value: Any, where: str) -> str:
    text = typed(value, str, where, "attributes separated by spaces")
    words = text.split()
    refuse_unknown(words, ATTRIBUTES, where)
    return " ".join(dict.fromkeys(words))


def _check_one_kind(colors: Mapping[str, str]) -> None:
    """Raise an error if terminal colors are mixed with others, because their contrast is unknown."""
    terminal = [where for where, color in colors.items() if color in TERMINAL_COLORS]
    if terminal and len(terminal) < len(colors):
        other = next(where for where in colors if where not in terminal)
        raise BadTable(f"{terminal[0]} is a terminal color and {other} is not. A theme cannot mix the two kinds.")


#: The minimum contrast of text with its background, and of a sign with its own meaning, such as the focus border.
FOR_TEXT: Final = 4.5
_FOR_SIGNS: Final = 3.0

#: Text colors, by their place in the file.
_TEXTS: Final = (
    *("colors.foreground", "colors.primary", "colors.secondary", "colors.accent"),
    *("colors.success", "colors.warning", "colors.error"),
    *("meanings.label", "meanings.quiet", "meanings.credits", "meanings.latency", "meanings.staged"),
    *("meanings.warning", "meanings.danger", "meanings.local", "meanings.remote"),
)
#: Their backgrounds: panels, bars and dialogs, text boxes and the idle cursor, and the cursor.
_GROUNDS: Final = ("colors.background", "colors.surface", "colors.panel", "meanings.cursor")
#: The focus shows as a border; credits and danger are backgrounds of badges whose text has the background color.
_FOCUS: Final = "colors.primary"
_BADGES: Final = ("meanings.credits", "meanings.danger", "colors.primary")


class Pair(NamedTuple):
    """Two colors that are used together on screen.

    The fields are the names of the two colors in the theme file, their contrast, and the minimum contrast.
    """

    text: str
    ground: str
    contrast: float
    needed: float


def contrast(one: str, other: str) -> float:
    """Return the contrast between two colors of the form ``#rrggbb``, from 1 (none) to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(int(color[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return float(channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4)


def pairs(theme: ThemeFile) -> Iterator[Pair]:
    """Yield all pairs of colors that are used together.

    Yields nothing for a theme with terminal colors, because their contrast is unknown.
    """
    if theme.terminal:
        return
    color = {f"colors.{name}": value for name, value in theme.colors.items()}
    color |= {f"meanings.{name}": value for name, value in theme.meanings.items()}
    for ground in _GROUNDS:
        for text in _TEXTS:
            yield Pair(text, ground, contrast(color[text], color[ground]), FOR_TEXT)
    for ground in _GROUNDS[:2]:
        yield Pair(_FOCUS, ground, contrast(color[_FOCUS], color[ground]), _FOR_SIGNS)
    for badge in _BADGES:
        yield Pair("colors.background", badge, contrast(color["colors.background"], color[badge]), FOR_TEXT)


def too_weak(theme: ThemeFile) -> Iterator[Pair]:
    return (pair for pair in pairs(theme) if pair.contrast < pair.needed)
