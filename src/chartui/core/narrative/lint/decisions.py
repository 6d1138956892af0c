"""The decisions of one section beside one another: what is never tried, and what stands there twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from chartui.core.jsontext import same
from chartui.core.names import bare
from chartui.core.narrative.lint import fixes
from chartui.core.narrative.lint.finding import Finding, Fix, Place, PlaceKind, quoted
from chartui.core.narrative.lint.looking import Look, Seen, found

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Edge
    from chartui.core.spec.models.narrative import Decision

__all__ = ["DECISIONS"]


def _place(edge: Edge) -> Place:
    return Place(PlaceKind.DECISION, edge.source, edge.position)


def _beside_one_another(seen: Seen) -> Iterator[Finding]:
    for section_id, edges in seen.graph.edges.items():
        for edge in edges:
            if not edge.criteria.strip():
                yield found("no-criteria", _place(edge), "has no criteria")
        if len(edges) > 1:
            yield from _compared(edges, seen.graph.sections[section_id].decisions or ())


def _compared(edges: Sequence[Edge], ways: Sequence[Decision]) -> Iterator[Finding]:
    """What the decisions of one section, in the order they are tried, say of those before them."""
    tried: dict[str, list[Edge]] = {}
    # Only what leads to the same place by the same words can be the same: not all are compared with one another.
    twins: dict[tuple[str, str], list[Edge]] = {}
    for edge in edges:
        before = tried.setdefault(bare(edge.criteria), [])
        like = twins.setdefault((edge.criteria, edge.target), [])
        way = ways[edge.position]
        if any(same(ways[other.position].raw, way.raw) for other in like):
            fix = Fix("remove it", partial(fixes.without_twin, section_id=edge.source, way=way))
            yield found("same-decision", _place(edge), "stands there twice", fix)
        elif edge.never_runs:
            yield _after_star(edge)
        elif edge.criteria.strip():
            yield from _alike(edge, before)
        before.append(edge)
        like.append(edge)


def _after_star(edge: Edge) -> Finding:
    if edge.immediate:
        return found("after-star", _place(edge), "comes after another one that is always met")
    fix = Fix("put * behind the others", partial(fixes.star_last, section_id=edge.source))
    return found("after-star", _place(edge), "comes after * and never runs", fix)


def _alike(edge: Edge, before: Sequence[Edge]) -> Iterator[Finding]:
    twin = next((other for other in before if other.criteria == edge.criteria), None)
    if twin is not None:
        yield found("same-criteria", _place(edge), "has the criteria of a decision before it")
    elif before:
        yield found("similar-criteria", _place(edge), f"is easily taken for {quoted(before[0].criteria)}")


DECISIONS: Final[tuple[Look, ...]] = (_beside_one_another,)
