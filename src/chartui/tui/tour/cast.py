"""A film as an asciicast, version 2: a file that players of terminal recordings play."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from rich.color import ColorSystem
from textual._compositor import LayoutUpdate
from textual.geometry import Region

from chartui.tui.output.cells import Cells
from chartui.tui.output.encoder import Abilities, Pictures, Place, encode
from chartui.tui.output.grid import Look, Row
from chartui.tui.tour.film import Film

#: Hides the caret and does not wrap lines; the end restores both.
_BEGIN: Final = "\x1b[?25l\x1b[?7l\x1b[m\x1b[2J"
_END: Final = "\x1b[m\x1b[{};1H\x1b[?7h\x1b[?25h"
#: What every player can do: it neither scrolls nor erases, so that it looks alike in all of them.
_ABILITIES: Final = Abilities(whole=False)


def cast(film: Film) -> bytes:
    """The asciicast of ``film``; captions become markers, which players use as chapters."""
    columns, lines = film.size
    header = {"version": 2, "width": columns, "height": lines, "title": film.title}
    events = [(at, 0, "m", caption) for at, caption in film.chapters]
    events += [(at, 1, "o", text) for at, text in _outputs(film)]
    events.append((film.length, 1, "o", _END.format(lines)))
    events.sort(key=lambda event: event[:2])
    return "".join(f"{_json(line)}\n" for line in (header, *([at / 1000, *rest] for at, _, *rest in events))).encode()


def _outputs(film: Film) -> Iterator[tuple[int, str]]:
    columns, lines = film.size
    cells = Cells(ColorSystem.TRUECOLOR)
    cells.resize(columns, lines)
    shown: list[Row] | None = None
    pen: Look | None = None
    place: Place = None
    for at, rows in film.shots:
        cells.take(LayoutUpdate([[row] for row in rows], Region(0, 0, columns, lines)))
        text, pen, place = encode(Pictures(shown, cells.rows, cells.looks, cells.compounds), pen, place, _ABILITIES)
        if shown is None:
            text = _BEGIN + text
        shown = cells.rows.copy()
        if text:
            yield at, text


def _json(line: object) -> str:
    return json.dumps(line, ensure_ascii=False)
