"""The rows of a walk and of the reports on walks, with the targets of those that can be chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.walk.path import Event, Way
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.text import Piece, PieceRow

#: Longest name, and longest name in the path line.
NAME: Final = 80
CRUMB: Final = 40
#: Most decisions, triggers, sections or walks in one list; the tree has the rest.
MOST: Final = 200


class Visit(NamedTuple):
    """A node to show in the tree, by its ID."""

    node: str


class SuiteWalk(NamedTuple):
    """A walk of the suite on screen, by its number, to show its replay."""

    number: int


class RecordOn(Enum):
    """Continue a walk from where its replay ended."""

    HERE = "here"


Target = Way | Event | Visit | SuiteWalk | RecordOn
WalkRow = tuple[PieceRow, Target | None]


def target_piece(graph: Graph, section_id: str) -> Piece:
    if section_id in graph.sections:
        ending = f"{GLYPHS.ending} " if graph.ends_at(section_id) else ""
        return Piece(ending + single_line(graph.section_name(section_id), limit=NAME), "label")
    text = f"{single_line(section_id, limit=NAME)} {graph.absence(section_id)}"
    if graph.has_section(section_id) is None:
        return Piece(f"{GLYPHS.warning} {text}", "warning")
    return Piece(f"{GLYPHS.danger} {text}", "danger")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def plain(rows: Iterable[PieceRow]) -> Iterator[WalkRow]:
    for row in rows:
        yield (row, None)


def first_stops(rows: Iterable[PieceRow], target: Target) -> Iterator[WalkRow]:
    for number, row in enumerate(rows):
        yield (row, target if number == 0 else None)
