"""What a test compares of a screen: its text with the styles of it, and for documents the drawing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise
from typing import Any

import pytest
from rich.cells import cell_len
from rich.color import Color, ColorType
from rich.style import Style
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.strip import Strip

from chartui.core.themes import MEANINGS
from chartui.tui.app import ChartuiApp
from chartui.tui.tour.player import drawn
from chartui.tui.widgets.bars import Bar

__all__ = ["Drawing", "TextScreen", "WholeDrawing", "drawing", "picture", "sizes"]

#: The names that a color is called by first, where a theme gives it several.
_FIRST = (*(f"meaning-{name}" for name in MEANINGS), "foreground", "background", "surface", "panel", "primary")
_ATTRIBUTES = ("bold", "dim", "italic", "underline", "strike", "reverse")
#: What is seen of a style where there is no sign: nothing of the color of signs, and no weight.
_SEEN_BEHIND_BLANKS = ("underline", "strike", "reverse")
#: Blanks that a run goes on over.
_GAP = 2
#: What stands for a line that is not the subject of a test.
_MASK = "░"

#: Color of the signs, color behind them, and attributes.
Look = tuple[str, str, tuple[str, ...]]


class TextScreen(SingleFileSnapshotExtension):
    """A screen as text: its lines, and below them the styles of each line."""

    _file_extension = "txt"
    _write_mode = WriteMode.TEXT


class Drawing(SingleFileSnapshotExtension):
    """A screen as a drawing; its first and last line are drawn, and compared only in a test that is about them."""

    _file_extension = "svg"
    _write_mode = WriteMode.TEXT
    whole = False

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """Whether two drawings show the same."""
        if self.whole:
            return bool(serialized_data == snapshot_data)
        return _without_bars(serialized_data) == _without_bars(snapshot_data)


class WholeDrawing(Drawing):
    """A drawing that is compared with its first and last line."""

    whole = True


def sizes(*names: str, svg: str = "", whole: str = "") -> pytest.MarkDecorator:
    """Take a picture in each of these windows; ``svg`` and ``whole`` name those with these marks."""

    def case(name: str) -> Any:
        columns, lines = name.split("x")
        marks = [pytest.mark.svg] * (name in svg.split()) + [pytest.mark.whole] * (name in whole.split())
        return pytest.param((int(columns), int(lines)), id=name, marks=marks)

    assert {*svg.split(), *whole.split()} <= {*names}, "marks a window that is not there"
    return pytest.mark.parametrize("size", [case(name) for name in names])


def drawing(app: ChartuiApp) -> str:
    """The screen as SVG."""
    return app.export_screenshot(simplify=True)


def picture(app: ChartuiApp, *, whole: bool) -> str:
    """The lines of the screen, and below them the styles of each: ``line: columns style; columns style``.

    Lines and columns count from 1. The style that most of the screen has is named once and left out; lines with equal
    styles are one. Unless ``whole``, the top line and the footer are masked.
    """
    strips = drawn(app)
    masked = set() if whole else _bars(app)
    texts = [_MASK * 3 if row in masked else strip.text.rstrip() for row, strip in enumerate(strips)]
    names = _color_names(app.theme_variables)
    lines = [[] if row in masked else list(_cells(strip, names)) for row, strip in enumerate(strips)]
    looks = Counter(look for cells in lines for look, _ in cells)
    usual = looks.most_common(1)[0][0]
    told = [f"usually {_told(usual, ('', '', ()))}"]
    row = 1
    for runs, group in groupby(lines, lambda cells: _runs(cells, usual)):
        last = row + len(list(group)) - 1
        if runs:
            told.append(f"{_span(row, last)}: {runs}")
        row = last + 1
    return "\n".join([*texts, "", *told]) + "\n"


def _bars(app: ChartuiApp) -> set[int]:
    """The lines of the screen that its top line and its footer have."""
    screens = [app.screen, *app._background_screens]
    return {bar.region.y for screen in screens for bar in screen.query(Bar) if bar.region}


def _color_names(variables: Mapping[str, str]) -> dict[str, str]:
    """What the theme calls its colors, by what they are."""
    plain = {name: value.lower() for name, value in variables.items() if re.fullmatch("#[0-9a-fA-F]{6}", value)}
    rest = sorted(plain, key=lambda name: (len(name), name))
    names: dict[str, str] = {}
    for name in (*_FIRST, *rest):
        if name in plain:
            names.setdefault(plain[name], name.removeprefix("meaning-"))
    return names


def _cells(strip: Strip, names: Mapping[str, str]) -> Iterator[tuple[Look, bool]]:
    """The look of every cell of a line, and whether there is nothing in it."""
    for segment in strip:
        look = _look(segment.style or Style.null(), names)
        for sign in segment.text:
            for _ in range(cell_len(sign)):
                yield look, sign == " "


def _look(style: Style, names: Mapping[str, str]) -> Look:
    return (
        _color(style.color, names),
        _color(style.bgcolor, names),
        tuple(word for word in _ATTRIBUTES if getattr(style, word)),
    )


def _color(color: Color | None, names: Mapping[str, str]) -> str:
    if color is None:
        return "default"
    if color.type is not ColorType.TRUECOLOR or color.triplet is None:
        return color.name
    return names.get(color.triplet.hex, color.triplet.hex)


def _runs(cells: list[tuple[Look, bool]], usual: Look) -> str:
    """The runs of other looks in a line; a run goes on over the blanks between two words."""
    looks = [_behind(look, usual) if blank else look for look, blank in cells]
    signs = [place for place, (_, blank) in enumerate(cells) if not blank]
    for before, after in pairwise(signs):
        between = looks[before + 1 : after]
        if looks[before] == looks[after] and len(between) <= _GAP and {*between} == {_behind(looks[after], usual)}:
            looks[before + 1 : after] = [looks[after]] * len(between)
    told, column = [], 1
    for look, group in groupby(looks):
        last = column + len(list(group)) - 1
        if look != usual:
            told.append(f"{_span(column, last)} {_told(look, usual)}")
        column = last + 1
    return "; ".join(told)


def _behind(look: Look, usual: Look) -> Look:
    """What is seen of a look where there is no sign."""
    return usual[0], look[1], tuple(word for word in look[2] if word in _SEEN_BEHIND_BLANKS)


def _told(look: Look, usual: Look) -> str:
    """A look in words, as far as it is another one."""
    color, ground, attributes = look
    words = [color] if color != usual[0] else []
    words += attributes
    words += [f"on {ground}"] if ground != usual[1] else []
    return " ".join(words) or "plain"


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def _without_bars(svg: str) -> str:
    """A drawing without what is in its first and its last line."""
    lines = svg.splitlines()
    rows = [number for number, line in enumerate(lines) if line.startswith('<g transform="translate(0 ')]
    return "\n".join(line for number, line in enumerate(lines) if number not in (rows[:1] + rows[-1:]))
