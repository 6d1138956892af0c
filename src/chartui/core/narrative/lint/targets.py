"""Lint rules about targets, such as dangling references, unreachable sections, and loops."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from chartui.core.narrative.graph import Dangling, ReferenceKind, may_lead_on
from chartui.core.narrative.lint import fixes
from chartui.core.narrative.lint.findings import SHORT_ID, Check, Finding, Fix, Place, PlaceKind, Seen, found, quoted
from chartui.core.narrative.loops import closed_loops, loop_text
from chartui.core.text import single_line

_STORY: Final = Place(PlaceKind.STORY)
#: Maximum number of sections of a loop that are named.
_NAMED: Final = 3


def _start(seen: Seen) -> Iterator[Finding]:
    graph = seen.graph
    first = next(iter(graph.sections), None)
    fix = None
    if first is not None and seen.embedded:
        fix = Fix(f"set {quoted(graph.section_name(first))} as the start", fixes.starting_at_the_first)
    if graph.start is None:
        if seen.story.enabled:
            words = "has no sections" if first is None else "has no start"
            yield found("no-start", _STORY, words, fix)
    elif graph.has_section(graph.start) is False:
        yield found("dangling-start", _STORY, f"starts at {_missing(graph.start)}", fix)


def _missing(section_id: str) -> str:
    return f"a missing section ({single_line(section_id, limit=SHORT_ID)})" if section_id else "a missing section"


def _dangling(seen: Seen) -> Iterator[Finding]:
    dead = {(d.owner, d.position) for d in seen.graph.dangling if d.kind is ReferenceKind.OVERRIDDEN}
    for reference in seen.graph.dangling:
        kind, owner, position, target = reference
        place, message = Place(_PLACES[kind], owner, position), f"goes to {_missing(target)}"
        if kind is ReferenceKind.DECISION:
            way = (seen.graph.sections[owner].decisions or ())[position]
            change = partial(fixes.without_decision, section_id=owner, way=way)
            yield found("dangling-decision", place, message, Fix("remove the decision", change))
        elif kind is ReferenceKind.TRIGGER:
            fix = Fix("remove the target", partial(fixes.disconnected, trigger_id=owner))
            yield found("dangling-trigger", place, message, fix)
        elif kind is ReferenceKind.OVERRIDDEN:
            yield found("unknown-trigger", place, "refers to a missing trigger", _drop(seen, reference))
        # An override of an unknown trigger has no effect, so a finding about its target would be superfluous.
        elif kind is ReferenceKind.OVERRIDE and (owner, position) not in dead:
            yield found("dangling-override", place, message, _drop(seen, reference))


def _uncertain(seen: Seen) -> Iterator[Finding]:
    """Yield findings about references to sections and triggers that may be unreadable.

    They are not errors and have no fix.
    """
    missed = seen.graph.missed
    dead = {(d.owner, d.position) for d in seen.graph.dangling if d.kind is ReferenceKind.OVERRIDDEN}
    for kind, owner, position, target in seen.graph.uncertain:
        if kind is ReferenceKind.OVERRIDE and (owner, position) in dead:
            continue
        shown = single_line(target, limit=SHORT_ID)
        if kind is ReferenceKind.OVERRIDDEN:
            message = f"refers to trigger {shown}, which {missed.maybe('trigger')}"
        elif kind is ReferenceKind.START:
            message = f"starts at {shown}, which {missed.maybe('section')}"
        else:
            message = f"goes to {shown}, which {missed.maybe('section')}"
        yield found("unreadable-target", Place(_PLACES[kind], owner, position), message)


#: The place of a reference.
_PLACES: Final = {
    ReferenceKind.START: PlaceKind.STORY,
    ReferenceKind.DECISION: PlaceKind.DECISION,
    ReferenceKind.TRIGGER: PlaceKind.TRIGGER,
    ReferenceKind.OVERRIDE: PlaceKind.OVERRIDE,
    ReferenceKind.OVERRIDDEN: PlaceKind.OVERRIDE,
}


def _drop(seen: Seen, reference: Dangling) -> Fix | None:
    """Return the fix for an override without effect. A service cannot change overrides (decision 59)."""
    if not seen.embedded:
        return None
    trigger_id = seen.graph.overrides(reference.owner)[reference.position].trigger_id
    change = partial(fixes.without_override, section_id=reference.owner, trigger_id=trigger_id)
    return Fix("remove the override", change)


def _unconnected(seen: Seen) -> Iterator[Finding]:
    idle = seen.graph.idle
    for trigger_id in seen.graph.triggers:
        if trigger_id in idle:
            yield found("unconnected-trigger", Place(PlaceKind.TRIGGER, trigger_id), "has no target")


def _unreachable(seen: Seen) -> Iterator[Finding]:
    # An unreadable section or trigger may refer to this section.
    for section_id in seen.graph.unreachable if not seen.graph.missed.ways else ():
        change = partial(fixes.without_section, section_id=section_id, embedded=seen.embedded)
        fix = Fix("remove the section and its text", change, safe=False)
        yield found("unreachable", Place(PlaceKind.SECTION, section_id), "is never reached", fix)


def _ends(seen: Seen) -> Iterator[Finding]:
    for section_id, section in seen.graph.sections.items():
        if section_id in seen.graph.reachable and not section.decisions and not may_lead_on(section):
            place = Place(PlaceKind.SECTION, section_id)
            if section.decisions is None:
                change = partial(fixes.ending, section_id=section_id)
                # Only the author knows whether the story should continue here.
                fix = Fix("mark the section as an ending", change, safe=False)
                yield found("dead-end", place, "is a dead end", fix)
            else:
                yield found("ending", place, "is an ending")


def _loops(seen: Seen) -> Iterator[Finding]:
    for loop in closed_loops(seen.graph, seen.loops):
        place = Place(PlaceKind.SECTION, loop.sections[0])
        if place.owner not in seen.graph.reachable:
            continue
        names = loop_text(seen.graph, loop.sections, _NAMED)
        if loop.automatic:
            yield found("automatic-loop", place, f"is in an infinite loop: {names}")
            continue
        only = f"is in a closed loop: {names}" if len(loop.sections) > 1 else "goes only to itself"
        if loop.triggers_leave:
            yield found("trigger-only", place, f"{only}, unless a trigger fires")
        else:
            yield found("loop", place, only)


TARGETS: Final[tuple[Check, ...]] = (_start, _dangling, _uncertain, _unconnected, _unreachable, _ends, _loops)
