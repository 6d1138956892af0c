"""The contents of the walk tab as lines: a walk, or a report on walks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from chartui.core.classes import dataclass
from chartui.core.narrative.graph import IMMEDIATE, Graph
from chartui.core.narrative.speech import Part, Speech, filled, speech
from chartui.core.narrative.walk.path import Choice, End, Event, How, Place, Said, Step, Walk, Way, ending_text
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.narrative.tabs.walk_report import random_rows, replay_rows, suite_rows
from chartui.tui.screens.narrative.tabs.walk_rows import (
    CRUMB,
    MOST,
    NAME,
    WalkRow,
    capital,
    first_stops,
    plain,
    target_piece,
)
from chartui.tui.widgets.text import Piece, PieceRow, Role, flow, told

if TYPE_CHECKING:
    from chartui.core.narrative.walk.random_walks import RandomCoverage
    from chartui.core.narrative.walk.replay import Broken, Replayed
    from chartui.core.narrative.walk.suite import SuiteResult

#: Cells in a line of a report as text.
_REPORT: Final = 100
#: Most sections shown of those passed automatically.
_PASSED: Final = 20
#: Most steps shown before the latest one.
_EARLIER: Final = 100
#: Most characters shown of a passage; a spoken line is never that long.
_LONGEST: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """The contents of the tab: a walk with its template values, perhaps covered by a report: the coverage of random
    walks, the results of a suite, or a replay.

    ``start`` and ``choices`` are those of the walk at the last move. If the story has changed since, the walk repeats
    them as far as possible, and ``broken`` says where it stopped. ``said`` are the expectations of the saved walk that
    is recorded on. ``before`` is the walk that this one replaced; stepping back from its beginning leads there.
    """

    walk: Walk
    start: Place | None = None
    choices: tuple[Choice, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    broken: Broken | None = None
    said: tuple[str, ...] = ()
    coverage: RandomCoverage | None = None
    suite: SuiteResult | None = None
    replayed: Replayed | None = None
    before: Playing | None = None

    @classmethod
    def beginning(cls, graph: Graph, section_id: str | None) -> Playing:
        return cls(walk=Walk(graph)).going(Walk.begin(graph, section_id))

    def going(self, walk: Walk) -> Playing:
        start = walk.beginning if walk.steps else None
        said = self.said if walk.choices else ()
        return Playing(walk=walk, start=start, choices=walk.choices, keys=self.keys, said=said, before=self.before)

    def replacing(self, walk: Walk) -> Playing:
        """Another walk instead of this one, which is kept as the one before it if it has choices."""
        kept = self.choices and self.walk.steps != walk.steps
        before = replace(self, coverage=None, suite=None, replayed=None) if kept else self.before
        return replace(self.going(walk), before=before)

    def retold(self, graph: Graph) -> Playing:
        from chartui.core.narrative.walk.replay import retrace

        retraced = retrace(graph, self.start, self.choices)
        walk, here = retraced.walk, self.walk.here
        if self.walk.stops_short and here is not None and retraced.broken is None:
            walk = walk.stopping_at(here)
        return replace(self, walk=walk, broken=retraced.broken)

    @property
    def listing(self) -> bool:
        """Whether a report covers the walk."""
        return self.coverage is not None or self.suite is not None or self.replayed is not None

    def closing(self) -> Playing:
        """The report below the one on screen, or the walk."""
        if self.replayed is not None:
            return replace(self, replayed=None)
        return replace(self, suite=None, coverage=None)


def rows_of(playing: Playing, width: int) -> list[WalkRow]:
    """The lines to show, each of at most ``width`` cells."""
    if playing.replayed is not None:
        return list(replay_rows(playing.replayed, width))
    if playing.suite is not None:
        return list(suite_rows(playing.suite, playing.walk.graph, width))
    if playing.coverage is not None:
        return list(random_rows(playing.coverage, playing.walk.graph, width))
    return list(_played(playing, width))


def earlier_rows(playing: Playing, width: int) -> tuple[list[WalkRow], list[int]]:
    """The steps before the latest ones, oldest first, and the number of the first row of each step.

    Both are empty for a report. The oldest steps of a very long walk are counted in the first row.
    """
    rows, begins = list[WalkRow](), list[int]()
    walk, steps = playing.walk, playing.walk.steps[: len(playing.walk.steps) - len(playing.walk.latest)]
    if playing.listing or not steps:
        return rows, begins
    if (left_out := len(steps) - _EARLIER) > 0:
        begins += [0] * left_out
        words = f"{GLYPHS.ellipsis} {number_of(left_out, 'earlier step')}; the transcript shows all steps"
        rows += plain(told(words, width, "quiet"))
    for said in walk.said(steps[-_EARLIER:], playing.keys):
        begins.append(len(rows))
        for row in (*_came(walk.graph, said.step, playing.keys, width), *_said(said, width)):
            rows.append((tuple(piece._replace(role="label") for piece in row), None))
    return [*rows, ((), None)], begins


def report_text(playing: Playing) -> str:
    """The report that covers the walk, below its subject."""
    rows = [crumbs(playing, _REPORT), *(row for row, _ in rows_of(playing, _REPORT))]
    return "".join("".join(piece.text for piece in row).rstrip() + "\n" for row in rows)


def crumbs(playing: Playing, width: int) -> PieceRow:
    """The top line: where the walk started and how it got here, cut in the middle; or the subject of the report.

    Without room for both, it names the current section.
    """
    if playing.replayed is not None:
        return (Piece("Replay of a saved walk", "accent"),)
    if playing.suite is not None:
        return (Piece(f"Replay: {number_of(len(playing.suite.results), 'saved walk')}", "accent"),)
    if playing.coverage is not None:
        asked = playing.coverage.asked
        return (Piece(f"{number_of(asked.walks, 'walk')} of {count(asked.steps)} steps, seed {asked.seed}", "accent"),)
    if not (steps := playing.walk.steps):
        return ()
    graph, found = playing.walk.graph, list[Piece]()
    start = Piece(_crumb(graph, steps[0], first=True), "label" if steps[1:] else "title")
    cut = Piece(f" {GLYPHS.ellipsis}", "quiet")
    left = width - cell_len(start.text) - (cell_len(cut.text) if steps[2:] else 0)
    for step in reversed(steps[1:]):
        piece = Piece(_crumb(graph, step), "label" if found else "title")
        left -= cell_len(piece.text)
        if left < 0:
            return (start, cut, *reversed(found)) if found else (Piece(GLYPHS.ellipsis, "quiet"), piece)
        found.append(piece)
    return (start, *reversed(found))


_SIGNS: Final = {
    How.START: f"{GLYPHS.start} ",
    How.DECISION: " › ",
    How.AUTOMATIC: f" {IMMEDIATE} ",
    How.TRIGGER: f" {GLYPHS.trigger} ",
    How.JUMP: f" {GLYPHS.elsewhere} ",
}


def _crumb(graph: Graph, step: Step, *, first: bool = False) -> str:
    sign = _SIGNS[How.START if first else step.how]
    name = single_line(step.words if step.stays else graph.section_name(step.section), limit=CRUMB)
    return f"{sign}{_ending(graph, step)}{name}"


def _ending(graph: Graph, step: Step) -> str:
    """The sign of an ending that the step leads to."""
    return f"{GLYPHS.ending} " if graph.ends_at(step.section) and not step.stays else ""


# -- a walk -----------------------------------------------------------------------------------------------------------


def _played(playing: Playing, width: int) -> Iterator[WalkRow]:
    walk = playing.walk
    if playing.broken is not None:
        sentence = f"The story has changed. The walk stops here. {capital(str(playing.broken))}."
        yield from plain(told(sentence, width, "warning", GLYPHS.warning))
        yield ((), None)
    if not walk.steps:
        nowhere = "No section to start from. Select a section in the tree to begin the walk there."
        yield from plain(told(nowhere, width, "label"))
        return
    latest = walk.latest
    if len(latest) > _PASSED:
        words = f"{GLYPHS.ellipsis} {number_of(len(latest) - _PASSED, 'section')} passed automatically"
        yield from plain(told(words, width, "quiet"))
    for said in walk.said(latest[-_PASSED:], playing.keys):
        if said.step.how is not How.START or len(latest) > 1:  # otherwise the top line shows it
            yield from plain(_came(walk.graph, said.step, playing.keys, width))
        yield from plain(_said(said, width))
    yield ((), None)
    yield from _onward(walk, playing.keys, width)


def _came(graph: Graph, step: Step, keys: Mapping[str, str], width: int) -> Iterator[PieceRow]:
    name = Piece(_ending(graph, step) + single_line(graph.section_name(step.section), limit=NAME), "accent")
    words = single_line(filled(step.words, keys), limit=NAME * 2)
    to = Piece(f" {GLYPHS.to} ", "quiet")
    match step.how:
        case How.START:
            pieces: PieceRow = (Piece(f"{GLYPHS.start} ", "local"), name)
        case How.AUTOMATIC:
            pieces = (Piece(f"{IMMEDIATE} always", "label"), to, name)
        case How.JUMP:
            pieces = (Piece(f"{GLYPHS.elsewhere} ", "label"), name)
        case How.TRIGGER:
            where = (Piece(" has no target; the walk stays here", "label"),) if step.stays else (to, name)
            pieces = (Piece(f"{GLYPHS.trigger} ", "staged"), Piece(words, "value"), *where)
        case _:
            pieces = (Piece(words, "value"), to, name)
    yield from flow(pieces, width)


def _said(said: Said, width: int) -> Iterator[PieceRow]:
    """The trigger's message and the section's objective: spoken words bright, instructions dim."""
    if said.message is not None:
        yield from _spoken(said.message, width)
    if said.objective is not None:
        yield from _spoken(said.objective, width)
    elif not said.step.stays:
        yield (Piece("  (empty objective)", "quiet"),)


def _spoken(one: Speech, width: int) -> Iterator[PieceRow]:
    for passage in one.passages:
        role: Role = "title" if passage.exactly else "label"
        pieces, room = [], _LONGEST
        for part in passage.parts:
            pieces.append(_part(part._replace(text=part.text[:room]), role))
            room -= len(part.text)
            if room <= 0:
                pieces.append(Piece(f"{GLYPHS.ellipsis} (more text not shown)", "quiet"))
                break
        if passage.exactly:
            pieces = [Piece("“", role), *pieces, Piece("”", role)]
        yield from flow(pieces, width, indent=2)
    if not one.balanced:
        words = "Unbalanced <speak> tags, so it is unclear where the spoken words end."
        yield from told(words, width, "warning", GLYPHS.warning, 2)


def _part(part: Part, role: Role) -> Piece:
    if not part.key:
        return Piece(part.text, role)
    return Piece(part.text, role, changed=True) if part.known else Piece(part.text, "warning")


_ENDINGS: Final[Mapping[End | None, tuple[Role, str]]] = {
    End.ENDING: ("label", GLYPHS.note),
    End.NO_DECISIONS: ("warning", GLYPHS.warning),
    End.BROKEN: ("danger", GLYPHS.missing),
    End.UNREADABLE: ("warning", GLYPHS.warning),
    End.LOOP: ("danger", GLYPHS.danger),
}


def _onward(walk: Walk, keys: Mapping[str, str], width: int) -> Iterator[WalkRow]:
    """The decisions and triggers, and the reason if no decision can be taken."""
    graph, end = walk.graph, walk.end
    ending = list(plain(told(ending_text(walk), width, *_ENDINGS[end]))) if end in _ENDINGS else []
    if end is End.LOOP:
        yield from ending
    ways = walk.ways if end is not End.LOOP else ()
    for way in ways[:MOST]:
        yield from first_stops(_way(graph, way, keys, width, automatic=walk.stops_short), way)
    yield from plain(_left_out(len(ways), "Play any other section from the tree.", width))
    if end is not End.LOOP:
        yield from ending
    events = walk.events
    if events:
        yield ((), None)
    for event in events[:MOST]:
        yield from first_stops(_event(walk, event, width), event)
    yield from plain(_left_out(len(events), "", width))


def _left_out(total: int, advice: str, width: int) -> Iterator[PieceRow]:
    """The number of items not listed, and where to find them."""
    if total > MOST:
        yield from told(f"{GLYPHS.ellipsis} and {count(total - MOST)} more. {advice}".strip(), width, "quiet", indent=3)


def _way(graph: Graph, way: Way, keys: Mapping[str, str], width: int, *, automatic: bool = False) -> Iterator[PieceRow]:
    digit = Piece(f"{way.number}  " if way.number <= 9 else f"{GLYPHS.note}  ", "accent")
    pieces: list[Piece] = []
    if way.edge.immediate:
        pieces.append(Piece(f"{IMMEDIATE} always" if automatic else "otherwise", "label"))
    else:
        for passage in speech(way.edge.criteria, keys).passages:
            pieces += (_part(part, "value") for part in passage.parts)
    pieces += [Piece(f" {GLYPHS.to} ", "quiet"), target_piece(graph, way.edge.target)]
    yield from flow(pieces, width, indent=3, first=digit)


def _event(walk: Walk, event: Event, width: int) -> Iterator[PieceRow]:
    pieces = [Piece(single_line(event.name, limit=NAME), "label"), Piece(walk.where_fired(event, CRUMB), "quiet")]
    if event.target is None:
        pieces.append(Piece(f" {GLYPHS.to} no target", "quiet"))
    else:
        pieces += [Piece(f" {GLYPHS.to} ", "quiet"), target_piece(walk.graph, event.target)]
    yield from flow(pieces, width, indent=3, first=Piece(f"{GLYPHS.trigger}  ", "staged"))
