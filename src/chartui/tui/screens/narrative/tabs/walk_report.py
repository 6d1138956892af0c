"""The reports of the walk tab: the coverage of random walks, the results of saved walks, and a single replay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from chartui.core.narrative.graph import Edge, Graph
from chartui.core.narrative.loops import loop_text
from chartui.core.narrative.nodes import section_node, trigger_node
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.narrative.tabs.walk_rows import (
    CRUMB,
    MOST,
    NAME,
    RecordOn,
    SuiteWalk,
    Visit,
    WalkRow,
    capital,
    first_stops,
    plain,
    target_piece,
)
from chartui.tui.widgets.text import Piece, PieceRow, Role, flow, told

if TYPE_CHECKING:
    from chartui.core.narrative.loops import ClosedLoop
    from chartui.core.narrative.walk.coverage import Coverage
    from chartui.core.narrative.walk.random_walks import RandomCoverage
    from chartui.core.narrative.walk.replay import Replayed
    from chartui.core.narrative.walk.suite import SuiteResult


def random_rows(found: RandomCoverage, present: Graph, width: int) -> Iterator[WalkRow]:
    """The coverage of random walks, and how they ended."""
    fire = found.asked.fire
    yield from _outdated(found.coverage, present, width)
    yield from plain(_figures(found.coverage, triggers=fire))
    yield from plain(told(_endings(found), width, "label"))
    yield from _missed(found.coverage, width)
    if fire:
        yield from _unfired(found.coverage, width)
    yield from _stops(found, width)


def suite_rows(suite: SuiteResult, present: Graph, width: int) -> Iterator[WalkRow]:
    """The results of saved walks, and their coverage."""
    yield from _outdated(suite.coverage, present, width)
    total, passed = len(suite.results), len(suite.results) - suite.failed
    role: Role = "local" if not suite.failed else "danger"
    glyph = GLYPHS.done if not suite.failed else GLYPHS.danger
    yield from plain(told(f"{count(passed)} of {number_of(total, 'walk')} passed.", width, role, glyph))
    yield from plain(_figures(suite.coverage, triggers=bool(suite.coverage.graph.triggers)))
    yield ((), None)
    for number, one in enumerate(suite.results[:MOST]):
        holds = one.replayed.holds
        first = Piece(f"{GLYPHS.done if holds else GLYPHS.danger}  ", "local" if holds else "danger")
        name = Piece(single_line(one.name, limit=NAME), "value")
        steps = Piece(f"  {number_of(len(one.replayed.script.choices), 'step')}", "quiet")
        yield from first_stops(flow((name, steps), width, indent=3, first=first), SuiteWalk(number))
        for failure in one.failures:
            yield from plain(flow((Piece(capital(failure), "label"),), width, indent=3))
    if total > MOST:
        yield ((Piece(f"   {GLYPHS.ellipsis} and {count(total - MOST)} more", "quiet"),), None)
    yield from _missed(suite.coverage, width)
    yield from _unfired(suite.coverage, width)


def _outdated(coverage: Coverage, present: Graph, width: int) -> Iterator[WalkRow]:
    if coverage.graph is not present:
        yield from plain(told("The story has changed since this run.", width, "warning", GLYPHS.warning))


def _missed(coverage: Coverage, width: int) -> Iterator[WalkRow]:
    graph = coverage.graph
    unvisited = ((_place(graph, one, why.value), one) for one, why in coverage.reasons.items())
    yield from _listed("Sections never reached", len(coverage.reasons), unvisited, width)
    untaken = ((_untaken(graph, edge), edge.source) for edge in coverage.untaken)
    yield from _listed("Decisions never taken", len(coverage.untaken), untaken, width)


def _stops(found: RandomCoverage, width: int) -> Iterator[WalkRow]:
    """The closed loops, dead ends and endings in which walks ended, with the number of walks."""
    from chartui.core.narrative.walk.random_walks import Ended

    graph, loops = found.coverage.graph, found.stuck
    rows = ((_loop(graph, loop, walks), loop.sections[0]) for loop, walks in loops)
    yield from _listed("Closed loops", len(loops), rows, width)
    titles = {Ended.DEAD_END: "Dead ends", Ended.UNREADABLE: "Unreadable sections", Ended.ENDING: "Endings"}
    for how, title in titles.items():
        often = found.stopped(how)
        rows = ((_place(graph, one, number_of(walks, "walk")), one) for one, walks in often)
        yield from _listed(title, len(often), rows, width)


def _figures(coverage: Coverage, *, triggers: bool) -> Iterator[PieceRow]:
    graph, decisions = coverage.graph, coverage.decisions
    figures = [("sections", len(coverage.visits), len(graph.sections)), ("decisions", len(coverage.taken), decisions)]
    if triggers:
        figures.append(("triggers", len(coverage.fired), len(graph.triggers)))
    percents = {"sections": coverage.percent, "decisions": coverage.percent_taken}
    for what, some, total in figures:
        role: Role = "value" if some == total else "warning"
        yield (
            Piece(f"{count(some):>6}", role),
            Piece(f" of {count(total)} {what}", "label"),
            Piece(f"   {percents[what]}%" if what in percents else "", "value"),
        )


def _endings(found: RandomCoverage) -> str:
    from chartui.core.narrative.walk.random_walks import Ended

    ended = ", ".join(f"{count(found.ended[how])} {how.words}" for how in Ended if found.ended[how])
    return f"How the walks ended: {ended}. The longest walk had {number_of(found.longest, 'step')}."


def _listed(
    title: str,
    total: int,
    rows: Iterable[tuple[Sequence[Piece], str]],
    width: int,
    node_of: Callable[[str], str] = section_node,
) -> Iterator[WalkRow]:
    """A list with its length; ``rows`` contains pieces and the ID of a section, or of what ``node_of`` takes."""
    if not total:
        return
    yield ((), None)
    yield ((Piece(title, "accent"), Piece(f"  {count(total)}", "quiet")), None)
    for number, (pieces, identity) in enumerate(rows):
        if number == MOST:
            yield ((Piece(f"  {GLYPHS.ellipsis} and {count(total - MOST)} more", "quiet"),), None)
            return
        yield from first_stops(flow(pieces, width, indent=2), Visit(node_of(identity)))


def _place(graph: Graph, section_id: str, remark: str) -> Sequence[Piece]:
    name = Piece(single_line(graph.section_name(section_id), limit=NAME), "value")
    return (name, Piece(f"  {remark}" if remark else "", "quiet"))


def _loop(graph: Graph, loop: ClosedLoop, walks: int) -> Sequence[Piece]:
    remarks = (number_of(walks, "walk"), "automatic" if loop.automatic else "", loop.exit)
    remark = f"  {' · '.join(filter(None, remarks))}"
    return (Piece(loop_text(graph, loop.sections), "value"), Piece(remark, "quiet"))


def _untaken(graph: Graph, edge: Edge) -> Sequence[Piece]:
    criteria = "always" if edge.immediate else single_line(edge.criteria, limit=NAME)
    return (
        Piece(f"{single_line(graph.section_name(edge.source), limit=CRUMB)}: ", "label"),
        Piece(criteria, "value"),
        Piece(f" {GLYPHS.to} ", "quiet"),
        target_piece(graph, edge.target),
        Piece("  never runs" if edge.never_runs else "", "quiet"),
    )


def _unfired(coverage: Coverage, width: int) -> Iterator[WalkRow]:
    graph, unfired = coverage.graph, coverage.unfired
    rows = (((Piece(single_line(graph.trigger_name(one), limit=NAME), "value"),), one) for one in unfired)
    yield from _listed("Triggers never fired", len(unfired), rows, width, trigger_node)


def replay_rows(replayed: Replayed, width: int) -> Iterator[WalkRow]:
    """The steps of a saved walk, where it leaves the story, and the offer to record on from there."""
    from chartui.core.narrative.walk.replay import expected

    broken, script = replayed.retraced.broken, replayed.script
    if replayed.holds:
        yield from plain(told("The path exists and meets all expectations.", width, "local", GLYPHS.done))
    elif broken is not None:
        yield from plain(told(f"The path no longer exists. {capital(str(broken))}.", width, "danger", "✗"))
    for unmet in replayed.unmet:
        yield from plain(told(f"{capital(unmet)}.", width, "danger", GLYPHS.danger))
    for remark in replayed.retraced.remarks:
        yield from plain(told(f"{capital(str(remark))}.", width, "warning", GLYPHS.warning))
    if not replayed.holds and replayed.retraced.walk.steps:
        where = "where the walk leaves the story" if broken is not None else "the end of the walk"
        offer = flow(
            (Piece(f"Continue recording from {where}", "value"),),
            width,
            indent=3,
            first=Piece(f"{GLYPHS.chosen}  ", "accent"),
        )
        yield from first_stops(offer, RecordOn.HERE)
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
        yield from plain(flow((words,), width, indent=7, first=first))
