"""A film as an animated SVG: no scripts, nothing from elsewhere, and only what differs from picture to picture.

Each word and each background is drawn once for every place and style, and shown while it is on the screen. Pieces that
come and go together are one group with CSS keyframes of their own. A program without CSS animations shows the first
picture.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter

from rich.console import Console
from rich.segment import Segment, Segments

from chartui.core.text import cell_width
from chartui.tui.svg import Back, Rows, Run, draw_row
from chartui.tui.tour.film import Film

_WORD = re.compile(r"[^\s\u00a0]+")
_FILL = re.compile(r' fill="#\w+"')
#: A background or a word, with its row.
_Piece = tuple[int, Back | Run]


def animation(film: Film) -> bytes:
    """The animated SVG of ``film``, which repeats without end."""
    rows, numbers = _distinct_rows(film)
    pieces: list[list[Back | Run]] = [
        [*(back for back in _merged(behind) if back.fill != rows.common), *_words(runs)]
        for behind, runs in zip(rows.behind, rows.runs, strict=True)
    ]
    times: dict[_Piece, list[int]] = {}
    for shot, shown in enumerate(numbers):
        for row, number in enumerate(shown):
            for piece in pieces[number]:
                times.setdefault((row, piece), []).append(shot)
    # All backgrounds are drawn below all words, which may come before and stay after them.
    groups: dict[tuple[bool, tuple[int, ...]], list[_Piece]] = {}
    for (row, piece), present in sorted(times.items(), key=lambda item: isinstance(item[0][1], Run)):
        groups.setdefault((isinstance(piece, Run), tuple(present)), []).append((row, piece))
    classes: dict[tuple[int, ...], str] = {}
    style = [f"[class]{{animation:{film.length / 1000:g}s step-end infinite}}.h{{visibility:hidden}}"]
    drawn: list[str] = []
    for (_, shots), members in groups.items():
        inside, fill = _with_common_fill("".join(_drawn(members, rows.common)))
        if len(shots) == len(numbers):
            drawn.append(f"<g{fill}>{inside}</g>")
            continue
        if shots not in classes:
            name = classes[shots] = f"k{len(classes)}"
            frames = "".join(_keyframes(shots, film))
            style.append(f"@keyframes {name}{{{frames}}}.{name}{{animation-name:{name}}}")
        drawn.append(f'<g class="{classes[shots]}{"" if shots[0] == 0 else " h"}"{fill}>{inside}</g>')
    style.append("@media(prefers-reduced-motion:reduce){[class]{animation:none}}")
    return rows.drawing(film.size[1], drawn, "".join(style)).encode()


def _distinct_rows(film: Film) -> tuple[Rows, list[list[int]]]:
    """Every row that the film shows, and the numbers of those in each picture."""
    known: dict[tuple[Segment, ...], int] = {}
    numbers = [[known.setdefault(tuple(row), len(known)) for row in shot.rows] for shot in film.shots]
    console = Console(
        width=film.size[0],
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        record=True,
        legacy_windows=False,
        safe_box=False,
    )
    console.print(Segments([segment for row in known for segment in (*row, Segment.line())]), end="")
    return Rows.of(console.export_svg(title=film.title)), numbers


def _merged(behind: Iterable[Back]) -> Iterator[Back]:
    """Backgrounds without the seams between styles."""
    whole: Back | None = None
    for back in behind:
        if whole is not None and whole.fill == back.fill and whole.column + whole.width == back.column:
            whole = whole._replace(width=whole.width + back.width)
            continue
        if whole is not None:
            yield whole
        whole = back
    if whole is not None:
        yield whole


def _words(runs: Iterable[Run]) -> Iterator[Run]:
    """The words of a row, which are drawn one by one anyway; a line below them or through them is not cut."""
    for run in runs:
        if run.style.line is not None:
            yield run
            continue
        for found in _WORD.finditer(run.text):
            yield run._replace(column=run.column + cell_width(run.text[: found.start()]), text=found[0])


def _drawn(pieces: list[_Piece], common: str) -> Iterator[str]:
    for row, members in groupby(sorted(pieces, key=itemgetter(0)), key=itemgetter(0)):
        parts = [piece for _, piece in members]
        behind = [part for part in parts if isinstance(part, Back)]
        yield draw_row(row, behind, [part for part in parts if isinstance(part, Run)], common)


def _with_common_fill(drawn: str) -> tuple[str, str]:
    """A drawing without its most frequent color, and that color for the group around it."""
    [(fill, _)] = Counter(_FILL.findall(drawn)).most_common(1)
    return drawn.replace(fill, ""), fill


def _keyframes(shots: tuple[int, ...], film: Film) -> Iterator[str]:
    """When a group appears and disappears; its class says how it begins."""
    starts = [*(shot.at for shot in film.shots), film.length]
    moments = [(shots[0], "visible")] if shots[0] else []
    for before, after in pairwise((*shots, len(film.shots))):
        if after > before + 1:
            moments += [(before + 1, "hidden"), (after, "visible")]
    for shot, how in moments:
        if shot < len(film.shots):
            yield f"{100 * starts[shot] / film.length:.3f}%{{visibility:{how}}}"
