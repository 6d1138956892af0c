"""What ``chartui narrative walk --json`` writes; ``docs/walks.md`` describes it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.narrative.graph import Graph
    from chartui.core.narrative.walk.coverage import Coverage
    from chartui.core.narrative.walk.replay import Broken, Replayed, Retraced

__all__ = ["coverage_facts", "replayed_facts", "walk_facts"]


def replayed_facts(path: Path, character_id: str, one: Replayed) -> Wire:
    """How a file went."""
    retraced = one.retraced
    here = retraced.walk.here
    return {
        "file": str(path),
        "character": character_id or None,
        "holds": one.holds,
        "steps": len(one.script.choices),
        "done": len(one.script.choices) if retraced.broken is None else max(0, retraced.broken.step - 1),
        "ends": None if here is None else _section_facts(retraced.walk.graph, here),
        "broken": _broken_facts(retraced.broken),
        "unmet": list(one.unmet),
        "remarks": [{"step": remark.step, "text": remark.text} for remark in retraced.remarks],
    }


def walk_facts(character_id: str, gone: Retraced, keys: Mapping[str, str]) -> Wire:
    """A walk, what is said on it, and what leads on from its end."""
    one = gone.walk
    graph = one.graph
    return {
        "character": character_id or None,
        "steps": [
            {
                "how": said.step.how.value,
                **_section_facts(graph, said.step.section),
                "words": said.step.words,
                "trigger_id": said.step.trigger or None,
                "stays": said.step.stays,
                "said": [
                    {"exactly": passage.exactly, "text": passage.text}
                    for speech in (said.message, said.objective)
                    for passage in (speech.passages if speech is not None else ())
                ],
            }
            for said in one.said(one.steps, keys)
        ],
        "ways": [
            {
                "number": way.number,
                "criteria": way.edge.criteria,
                "next_section_id": way.edge.target,
                "exists": graph.has_section(way.edge.target),
            }
            for way in one.ways
        ],
        "triggers": [
            {
                "trigger_id": event.trigger,
                "trigger_name": event.name,
                "destination_section": event.target,
                "exists": event.exists or graph.has_section(event.target),
                "overridden": event.overridden,
                "within": event.within,
            }
            for event in one.events
        ],
        "end": one.end.value if one.end is not None else None,
        "loop": list(one.loop),
        "broken": _broken_facts(gone.broken),
    }


def coverage_facts(character_id: str, coverage: Coverage) -> Wire:
    """What random walks came to see."""
    graph, asked = coverage.graph, coverage.asked
    never_fired: list[Wire] = [{"trigger_id": one, "trigger_name": graph.trigger_name(one)} for one in coverage.unfired]
    return {
        "character": character_id or None,
        "seed": asked.seed,
        "walks": asked.walks,
        "steps": asked.steps,
        "start": asked.start or graph.start,
        "sections": {
            "total": len(graph.sections),
            "visited": len(coverage.visits),
            "percent": coverage.percent,
            "never": [{**_section_facts(graph, one), "why": why.value} for one, why in coverage.reasons.items()],
        },
        "decisions": {
            "total": coverage.decisions,
            "taken": len(coverage.taken),
            "never": [
                {
                    "section_id": edge.source,
                    "position": edge.position,
                    "criteria": edge.criteria,
                    "next_section_id": edge.target,
                    "never_runs": edge.never_runs,
                }
                for edge in coverage.untaken
            ],
        },
        "triggers": {"total": len(graph.triggers), "fired": len(coverage.fired), "never": never_fired}
        if asked.fire
        else None,
        "dead_ends": [{**_section_facts(graph, one), "walks": number} for one, number in coverage.dead_ends.items()],
        "loops": [{**_section_facts(graph, one), "walks": number} for one, number in coverage.loops.items()],
        "ended": {how.value: number for how, number in sorted(coverage.ended.items())},
        "longest": coverage.longest,
    }


def _section_facts(graph: Graph, section_id: str) -> dict[str, Wire]:
    return {"section_id": section_id, "section_name": graph.section_name(section_id)}


def _broken_facts(broken: Broken | None) -> Wire:
    if broken is None:
        return None
    return {
        "step": broken.step,
        "section_id": broken.section or None,
        "expected": broken.expected,
        "there": list(broken.there),
    }
