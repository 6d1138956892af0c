"""The lines of a walk, of the coverage of random walks, and of a replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len

from chartui.core.narrative.graph import IMMEDIATE, Edge, Graph
from chartui.core.narrative.loops import loop_text
from chartui.core.narrative.speech import Part, Speech, filled, speech
from chartui.core.narrative.walk.path import Choice, End, Event, How, Place, Said, Step, Walk, Way
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count, number_of
from chartui.tui.widgets.text import Piece, PieceRow, Role, flow, told

if TYPE_CHECKING:
    from chartui.core.narrative.loops import ClosedLoop
    from chartui.core.narrative.walk.coverage import Coverage
    from chartui.core.narrative.walk.random_walks import RandomCoverage
    from chartui.core.narrative.walk.replay import Broken, Replayed

#: Longest name in the path line.
_CRUMB: Final = 40
_NAME: Final = 80
#: Cells in a line of a report as text.
_REPORT: Final = 100
#: Most decisions, triggers or sections in one list; the tree has the rest.
_MOST: Final = 200
#: Most sections shown of those passed automatically.
_PASSED: Final = 20
#: Most characters shown of a passage; a spoken line is never that long.
_LONGEST: Final = 20_000


class Visit(NamedTuple):
    section: str


Target = Way | Event | Visit
WalkRow = tuple[PieceRow, Target | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """The contents of the tab: a walk with its template values, perhaps covered by a coverage report or a replay.

    ``start`` and ``choices`` are those of the walk at the last move. If the story has changed since, the walk repeats
    them as far as possible, and ``broken`` says where it stopped.
    """

    walk: Walk
    start: Place | None = None
    choices: tuple[Choice, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    broken: Broken | None = None
    coverage: RandomCoverage | None = None
    replayed: Replayed | None = None

    @classmethod
    def beginning(cls, graph: Graph, section_id: str | None) -> Playing:
        return cls(walk=Walk(graph)).going(Walk.begin(graph, section_id))

    def going(self, walk: Walk) -> Playing:
        start = walk.beginning if walk.steps else None
        return Playing(walk=walk, start=start, choices=walk.choices, keys=self.keys)

    def retold(self, graph: Graph) -> Playing:
        from chartui.core.narrative.walk.replay import retrace

        retraced = retrace(graph, self.start, self.choices)
        return replace(self, walk=retraced.walk, broken=retraced.broken)

    @property
    def listing(self) -> bool:
        """Whether a report covers the walk."""
        return self.coverage is not None or self.replayed is not None


def rows_of(playing: Playing, width: int) -> list[WalkRow]:
    """The lines to show, each of at most ``width`` cells."""
    if playing.replayed is not None:
        return list(_replayed(playing.replayed, width))
    if playing.coverage is not None:
        return list(_covered(playing.coverage, playing.walk.graph, width))
    return list(_played(playing, width))


def report_text(playing: Playing) -> str:
    """The report that covers the walk, below its subject."""
    rows = [crumbs(playing, _REPORT), *(row for row, _ in rows_of(playing, _REPORT))]
    return "".join("".join(piece.text for piece in row).rstrip() + "\n" for row in rows)


def crumbs(playing: Playing, width: int) -> PieceRow:
    """The top line: where the walk started and how it got here, cut in the middle; or the subject of the report."""
    if playing.replayed is not None:
        return (Piece("Replay of a saved walk", "accent"),)
    if playing.coverage is not None:
        asked = playing.coverage.asked
        return (Piece(f"{number_of(asked.walks, 'walk')} of {count(asked.steps)} steps, seed {asked.seed}", "accent"),)
    if not (steps := playing.walk.steps):
        return ()
    graph, found = playing.walk.graph, list[Piece]()
    start = Piece(_crumb(graph, steps[0], first=True), "label" if steps[1:] else "title")
    left = width - cell_len(start.text) - 2
    for step in reversed(steps[1:]):
        piece = Piece(_crumb(graph, step), "label" if found else "title")
        left -= cell_len(piece.text)
        if left < 0 and found:
            return (start, Piece(f" {GLYPHS.ellipsis}", "quiet"), *reversed(found))
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
    name = step.words if step.stays else graph.section_name(step.section)
    return f"{sign}{single_line(name, limit=_CRUMB)}"


# -- a walk -----------------------------------------------------------------------------------------------------------


def _played(playing: Playing, width: int) -> Iterator[WalkRow]:
    walk = playing.walk
    if playing.broken is not None:
        sentence = f"The story has changed. The walk stops here. {_capital(str(playing.broken))}."
        yield from _plain(told(sentence, width, "warning", GLYPHS.warning))
        yield ((), None)
    if not walk.steps:
        nowhere = "No section to start from. Select a section in the tree to begin the walk there."
        yield from _plain(told(nowhere, width, "label"))
        return
    latest = walk.latest
    if len(latest) > _PASSED:
        words = f"{GLYPHS.ellipsis} {number_of(len(latest) - _PASSED, 'section')} passed automatically"
        yield from _plain(told(words, width, "quiet"))
    for said in walk.said(latest[-_PASSED:], playing.keys):
        if said.step.how is not How.START or len(latest) > 1:  # otherwise the top line shows it
            yield from _plain(_came(walk.graph, said.step, playing.keys, width))
        yield from _plain(_said(said, width))
    yield ((), None)
    yield from _onward(walk, playing.keys, width)


def _came(graph: Graph, step: Step, keys: Mapping[str, str], width: int) -> Iterator[PieceRow]:
    name = Piece(single_line(graph.section_name(step.section), limit=_NAME), "accent")
    words = single_line(filled(step.words, keys), limit=_NAME * 2)
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
        words = "Unbalanced <speak> tags, so the end of the spoken words is unknown."
        yield from told(words, width, "warning", GLYPHS.warning, 2)


def _part(part: Part, role: Role) -> Piece:
    if not part.key:
        return Piece(part.text, role)
    return Piece(part.text, role, changed=True) if part.known else Piece(part.text, "warning")


def _onward(walk: Walk, keys: Mapping[str, str], width: int) -> Iterator[WalkRow]:
    """The decisions and triggers, and the reason if no decision can be taken."""
    graph, end = walk.graph, walk.end
    if end is End.LOOP:
        endless = f"An infinite loop: {loop_text(graph, walk.loop)}. The walk stops here."
        yield from _plain(told(endless, width, "danger", GLYPHS.danger))
    ways = walk.ways if end is not End.LOOP else ()
    for way in ways[:_MOST]:
        yield from _first_stops(_way(graph, way, keys, width), way)
    yield from _plain(_left_out(len(ways), "Play any other section from the tree.", width))
    if end is End.ENDING:
        yield from _plain(told("The story ends here.", width, "label", GLYPHS.note))
    elif end is End.NO_DECISIONS:
        unmarked = "A dead end: no decisions, but not marked as an ending."
        yield from _plain(told(unmarked, width, "warning", GLYPHS.warning))
    elif end is End.BROKEN:
        dangling = "A dead end: no decision has an existing target."
        yield from _plain(told(dangling, width, "danger", GLYPHS.missing))
    elif end is End.UNREADABLE:
        yield from _plain(told("The next section could not be read.", width, "warning", GLYPHS.warning))
    events = walk.events
    if events:
        yield ((), None)
    for event in events[:_MOST]:
        yield from _first_stops(_event(walk, event, width), event)
    yield from _plain(_left_out(len(events), "", width))


def _left_out(total: int, advice: str, width: int) -> Iterator[PieceRow]:
    """The number of items not listed, and where to find them."""
    if total > _MOST:
        yield from told(
            f"{GLYPHS.ellipsis} and {count(total - _MOST)} more. {advice}".strip(), width, "quiet", indent=3
        )


def _way(graph: Graph, way: Way, keys: Mapping[str, str], width: int) -> Iterator[PieceRow]:
    digit = Piece(f"{way.number}  " if way.number <= 9 else f"{GLYPHS.note}  ", "accent")
    pieces: list[Piece] = []
    if way.edge.immediate:
        pieces.append(Piece("otherwise", "label"))
    else:
        for passage in speech(way.edge.criteria, keys).passages:
            pieces += (_part(part, "value") for part in passage.parts)
    pieces += [Piece(f" {GLYPHS.to} ", "quiet"), _target(graph, way.edge.target)]
    yield from flow(pieces, width, indent=3, first=digit)


def _event(walk: Walk, event: Event, width: int) -> Iterator[PieceRow]:
    pieces = [Piece(single_line(event.name, limit=_NAME), "label")]
    if event.target is None:
        pieces.append(Piece(f" {GLYPHS.to} no target", "quiet"))
    else:
        pieces += [Piece(f" {GLYPHS.to} ", "quiet"), _target(walk.graph, event.target)]
    if event.within != walk.here:
        name = single_line(walk.graph.section_name(event.within), limit=_CRUMB)
        pieces.append(Piece(f", while at {name}", "quiet"))
    elif event.overridden:
        pieces.append(Piece(", overridden here", "quiet"))
    yield from flow(pieces, width, indent=3, first=Piece(f"{GLYPHS.trigger}  ", "staged"))


def _target(graph: Graph, section_id: str) -> Piece:
    if section_id in graph.sections:
        return Piece(single_line(graph.section_name(section_id), limit=_NAME), "label")
    text = f"{single_line(section_id, limit=_NAME)} {graph.absence(section_id)}"
    if graph.has_section(section_id) is None:
        return Piece(f"{GLYPHS.warning} {text}", "warning")
    return Piece(f"{GLYPHS.danger} {text}", "danger")


# -- random walks -----------------------------------------------------------------------------------------------------


def _covered(coverage: Coverage, present: Graph, width: int) -> Iterator[WalkRow]:
    graph = coverage.graph
    if graph is not present:
        yield from _plain(told("The story has changed since this run.", width, "warning", GLYPHS.warning))
    yield from _plain(_figures(coverage))
    yield from _plain(told(_endings(coverage), width, "label"))
    unvisited = ((_place(graph, one, why.value), one) for one, why in coverage.reasons.items())
    yield from _listed("Sections never reached", len(coverage.reasons), unvisited, width)
    untaken = ((_untaken(graph, edge), edge.source) for edge in coverage.untaken)
    yield from _listed("Decisions never taken", len(coverage.untaken), untaken, width)
    if coverage.asked.fire:
        yield from _unfired(coverage, width)
    yield from _stops(coverage, width)


def _stops(coverage: Coverage, width: int) -> Iterator[WalkRow]:
    """The closed loops, dead ends and endings in which walks ended, with the number of walks."""
    from chartui.core.narrative.walk.random_walks import Ended

    graph, loops = coverage.graph, coverage.stuck
    rows = ((_loop(graph, loop, walks), loop.sections[0]) for loop, walks in loops)
    yield from _listed("Closed loops", len(loops), rows, width)
    titles = {Ended.DEAD_END: "Dead ends", Ended.UNREADABLE: "Unreadable sections", Ended.ENDING: "Endings"}
    for how, title in titles.items():
        often = coverage.stopped(how)
        rows = ((_place(graph, one, number_of(walks, "walk")), one) for one, walks in often)
        yield from _listed(title, len(often), rows, width)


def _figures(coverage: Coverage) -> Iterator[PieceRow]:
    graph, decisions = coverage.graph, coverage.decisions
    figures = [("sections", len(coverage.visits), len(graph.sections)), ("decisions", len(coverage.taken), decisions)]
    if coverage.asked.fire:
        figures.append(("triggers", len(coverage.fired), len(graph.triggers)))
    for what, some, total in figures:
        role: Role = "value" if some == total else "warning"
        yield (
            Piece(f"{count(some):>6}", role),
            Piece(f" of {count(total)} {what}", "label"),
            Piece(f"   {coverage.percent} %" if what == "sections" else "", "value"),
        )


def _endings(coverage: Coverage) -> str:
    from chartui.core.narrative.walk.random_walks import Ended

    ended = ", ".join(f"{count(coverage.ended[how])} {how.words}" for how in Ended if coverage.ended[how])
    return f"Walks ended: {ended}. The longest walk had {number_of(coverage.longest, 'step')}."


def _listed(title: str, total: int, rows: Iterable[tuple[Sequence[Piece], str]], width: int) -> Iterator[WalkRow]:
    if not total:
        return
    yield ((), None)
    yield ((Piece(title, "accent"), Piece(f"  {count(total)}", "quiet")), None)
    for number, (pieces, section_id) in enumerate(rows):
        if number == _MOST:
            yield ((Piece(f"  {GLYPHS.ellipsis} and {count(total - _MOST)} more", "quiet"),), None)
            return
        yield from _first_stops(flow(pieces, width, indent=2), Visit(section_id))


def _place(graph: Graph, section_id: str, remark: str) -> Sequence[Piece]:
    name = Piece(single_line(graph.section_name(section_id), limit=_NAME), "value")
    return (name, Piece(f"  {remark}" if remark else "", "quiet"))


def _loop(graph: Graph, loop: ClosedLoop, walks: int) -> Sequence[Piece]:
    remarks = (number_of(walks, "walk"), "automatic" if loop.automatic else "", loop.exit)
    remark = f"  {' · '.join(filter(None, remarks))}"
    return (Piece(loop_text(graph, loop.sections), "value"), Piece(remark, "quiet"))


def _untaken(graph: Graph, edge: Edge) -> Sequence[Piece]:
    criteria = "always" if edge.immediate else single_line(edge.criteria, limit=_NAME)
    return (
        Piece(f"{single_line(graph.section_name(edge.source), limit=_CRUMB)}: ", "label"),
        Piece(criteria, "value"),
        Piece(f" {GLYPHS.to} ", "quiet"),
        _target(graph, edge.target),
        Piece("  never runs" if edge.never_runs else "", "quiet"),
    )


def _unfired(coverage: Coverage, width: int) -> Iterator[WalkRow]:
    if coverage.unfired:
        yield ((), None)
        yield ((Piece("Triggers never fired", "accent"), Piece(f"  {len(coverage.unfired)}", "quiet")), None)
        for trigger_id in coverage.unfired[:_MOST]:
            name = single_line(coverage.graph.trigger_name(trigger_id), limit=_NAME)
            yield from _plain(flow((Piece(name, "value"),), width, indent=2))


# -- a file -----------------------------------------------------------------------------------------------------------


def _replayed(replayed: Replayed, width: int) -> Iterator[WalkRow]:
    from chartui.core.narrative.walk.replay import expected

    broken, script = replayed.retraced.broken, replayed.script
    if replayed.holds:
        yield from _plain(told("The path exists and meets all expectations.", width, "local", GLYPHS.done))
    elif broken is not None:
        yield from _plain(told(f"The path no longer exists. {_capital(str(broken))}.", width, "danger", "✗"))
    for unmet in replayed.unmet:
        yield from _plain(told(f"{_capital(unmet)}.", width, "danger", GLYPHS.danger))
    for remark in replayed.retraced.remarks:
        yield from _plain(told(f"{_capital(str(remark))}.", width, "warning", GLYPHS.warning))
    yield ((), None)
    for number, choice in enumerate(script.choices, 1):
        glyph: str = GLYPHS.note
        role: Role = "quiet"
        if broken is None or number < broken.step:
            glyph, role = GLYPHS.done, "local"
        elif number == broken.step:
            glyph, role = GLYPHS.danger, "danger"
        first = Piece(f"{glyph} {number:>3}  ", role)
        words = Piece(expected(choice).removeprefix("the "), "value" if role == "local" else "label")
        yield from _plain(flow((words,), width, indent=7, first=first))


# -- lines ------------------------------------------------------------------------------------------------------------


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _plain(rows: Iterable[PieceRow]) -> Iterator[WalkRow]:
    for row in rows:
        yield (row, None)


def _first_stops(rows: Iterable[PieceRow], target: Target) -> Iterator[WalkRow]:
    for number, row in enumerate(rows):
        yield (row, target if number == 0 else None)
