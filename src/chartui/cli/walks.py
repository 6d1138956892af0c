"""The stories that commands about walks work with, and what they print as JSON (``docs/walks.md``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chartui.cli.lookup import read_story
from chartui.cli.output import members
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask
from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.signs import ENDING
from chartui.core.narrative.walk.coverage import Coverage
from chartui.core.narrative.walk.random_walks import Ended, RandomCoverage
from chartui.core.narrative.walk.replay import Broken, Replayed, Retraced

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.session import Session


class WalkStory(NamedTuple):
    """A story, its character and its template values. The ID is empty for a story from a file."""

    character_id: str
    name: str
    graph: Graph
    keys: Mapping[str, str]

    @property
    def label(self) -> str:
        return self.name or self.character_id or "story"


def add_story(parser: Parser, *, default: str = "") -> None:
    whose = parser.add_mutually_exclusive_group()
    whose.option("--character", "CHARACTER", f"the character's name or ID{default}", dest="character_id")
    whose.option("--bundle", "FILE", "use the story in a file from 'chartui pull', without sending anything", type=str)


def stories(arguments: Arguments, ids: Sequence[str]) -> Mapping[str, WalkStory]:
    if arguments.bundle is not None:
        from chartui.cli.bundles import read_file

        bundle, _ = read_file(arguments.bundle)
        return dict.fromkeys(ids, WalkStory("", bundle.name or "", bundle.story.graph(), bundle.keys or {}))

    async def question(session: Session) -> dict[str, WalkStory]:
        read = {}
        for given in dict.fromkeys(ids):
            # The name has been replaced by an ID since.
            character_id = arguments.character_id or given
            character, story = await read_story(session, character_id)
            read[given] = WalkStory(character_id, character.character_name or "", story.graph(), {})
        return read

    return ask(arguments, question)


def only_story(arguments: Arguments) -> WalkStory:
    character_id = arguments.character_id or ""
    return stories(arguments, [character_id])[character_id]


def target(graph: Graph, section_id: str | None) -> str:
    """The target of a decision or trigger, such as ``→ The gallery``."""
    if section_id is None:
        return "→ nowhere"
    if section_id in graph.sections:
        ending = f"{ENDING} " if graph.ends_at(section_id) else ""
        return f"→ {ending}{graph.section_name(section_id)}"
    sign = "?" if graph.has_section(section_id) is None else "∅"
    return f"→ {sign} {section_id} ({graph.absence(section_id, 'missing')})"


# -- JSON -------------------------------------------------------------------------------------------------------------


def replayed_facts(file: str, character_id: str, one: Replayed) -> Wire:
    retraced = one.retraced
    here = retraced.walk.here
    return {
        "file": file,
        "character_id": character_id or None,
        "passed": one.holds,
        "steps": len(one.script.choices),
        "steps_done": len(one.script.choices) if retraced.broken is None else max(0, retraced.broken.step - 1),
        "end_section": None if here is None else _section_facts(retraced.walk.graph, here),
        "stopped_at": _broken_facts(retraced.broken),
        "unmet_expectations": list(one.unmet),
        "remarks": [{"step": remark.step, "text": remark.text} for remark in retraced.remarks],
    }


def walk_facts(character_id: str, played: Retraced, keys: Mapping[str, str]) -> Wire:
    one = played.walk
    graph = one.graph
    return {
        "character_id": character_id or None,
        "steps": [
            {
                "how": spoken.step.how.value,
                **_section_facts(graph, spoken.step.section),
                "choice": spoken.step.words,
                "trigger_id": spoken.step.trigger or None,
                "stayed": spoken.step.stays,
                "texts": [
                    {"spoken": passage.exactly, "text": passage.text}
                    for speech in (spoken.message, spoken.objective)
                    for passage in (speech.passages if speech is not None else ())
                ],
            }
            for spoken in one.said(one.steps, keys)
        ],
        "decisions": [
            {"number": number, "criteria": edge.criteria, "next_section_id": edge.target}
            | {"exists": graph.has_section(edge.target)}
            for number, edge in ((way.number, way.edge) for way in one.ways)
        ],
        "triggers": [
            {
                "trigger_id": event.trigger,
                "trigger_name": event.name,
                "destination_section": event.target,
                "exists": event.exists or graph.has_section(event.target),
                "overridden": event.overridden,
                "section_id": event.within,
            }
            for event in one.events
        ],
        "end": one.end.value if one.end is not None else None,
        "loop": list(one.loop),
        "stopped_at": _broken_facts(played.broken),
    }


def coverage_facts(coverage: Coverage, *, triggers: bool) -> dict[str, Wire]:
    graph = coverage.graph
    never_fired: list[Wire] = [{"trigger_id": one, "trigger_name": graph.trigger_name(one)} for one in coverage.unfired]
    return {
        "sections": {
            "total": len(graph.sections),
            "visited": len(coverage.visits),
            "percent": coverage.percent,
            "never_visited": [
                {**_section_facts(graph, one), "reason": why.value} for one, why in coverage.reasons.items()
            ],
        },
        "decisions": {
            "total": coverage.decisions,
            "taken": len(coverage.taken),
            "percent": coverage.percent_taken,
            "never_taken": [
                {"section_id": e.source}
                | members(e, "position", "criteria")
                | {"next_section_id": e.target, "never_runs": e.never_runs}
                for e in coverage.untaken
            ],
        },
        "triggers": {"total": len(graph.triggers), "fired": len(coverage.fired), "never_fired": never_fired}
        if triggers
        else None,
    }


def random_facts(character_id: str, found: RandomCoverage) -> Wire:
    graph, asked = found.coverage.graph, found.asked
    return {
        "character_id": character_id or None,
        **members(asked, "seed", "walks", "steps"),
        "start": asked.start or graph.start,
        **coverage_facts(found.coverage, triggers=asked.fire),
        "endings": _stop_facts(found, Ended.ENDING),
        "dead_ends": _stop_facts(found, Ended.DEAD_END),
        "unreadable": _stop_facts(found, Ended.UNREADABLE),
        "loops": [
            {"sections": [_section_facts(graph, one) for one in loop.sections], "walks": walks}
            | members(loop, "automatic", "triggers_leave")
            for loop, walks in found.stuck
        ],
        "ended_by": {how.value: number for how, number in sorted(found.ended.items())},
        "longest_walk": found.longest,
    }


def _stop_facts(found: RandomCoverage, how: Ended) -> list[Wire]:
    graph = found.coverage.graph
    return [{**_section_facts(graph, one), "walks": walks} for one, walks in found.stopped(how)]


def _section_facts(graph: Graph, section_id: str) -> dict[str, Wire]:
    return {"section_id": section_id, "section_name": graph.section_name(section_id)}


def _broken_facts(broken: Broken | None) -> Wire:
    if broken is None:
        return None
    return {
        "step": broken.step,
        "section_id": broken.section or None,
        "expected": broken.expected,
        "available": list(broken.there),
    }
