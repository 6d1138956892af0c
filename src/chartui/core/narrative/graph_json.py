"""Export and import a narrative graph as JSON.

The JSON document contains the data that users edit, and values derived from this data. Derived values (the order of
decisions, reachability, and dangling references) help programs that draw the graph or compute statistics. On
import, derived values are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.narrative.graph import Graph, edges_of
from chartui.core.narrative.story import Story
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build
from chartui.core.tables import BadTable, typed
from chartui.core.text import escape_json

FORMAT: Final = "chartui-graph"
VERSION: Final = 1


class GraphFile(NamedTuple):
    title: str
    story: Story


def write(story: Story, title: str) -> str:
    """Return the story as one indented JSON document. Control characters are escaped, so all values are preserved."""
    return escape_json(dumps(facts(story, title), indent=2)) + "\n"


def facts(story: Story, title: str) -> dict[str, Wire]:
    """Return the JSON document as a dictionary.

    Duplicate sections and triggers, which share the ID of an earlier one, are marked and come last.
    """
    graph = story.graph()
    sections = [*graph.sections.values(), *graph.duplicate_sections]
    triggers = [*graph.triggers.values(), *graph.duplicate_triggers]
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "enabled": story.enabled,
        "start": graph.start,
        "sections": [_section(graph, s, number >= len(graph.sections)) for number, s in enumerate(sections)],
        "triggers": [_trigger(graph, t, number >= len(graph.triggers)) for number, t in enumerate(triggers)],
        "unreachable": [] if graph.missed.ways else list(graph.unreachable),
        "unconnected": [trigger.trigger_id for trigger in graph.unconnected],
        "dangling": [
            {"kind": kind.value, "id": owner or None, "position": position, "target": target}
            for kind, owner, position, target in graph.dangling
        ],
    }


def _section(graph: Graph, section: Section, duplicate: bool) -> dict[str, Wire]:
    tried = {edge.position: (number, edge) for number, edge in enumerate(edges_of(section), start=1)}
    decisions: list[Wire] = []
    for position, decision in enumerate(section.decisions or ()):
        number, edge = tried[position]
        decisions.append(
            {
                "criteria": decision.criteria,
                "target": decision.next_section_id,
                "priority": decision.priority,
                "number": number,
                "catch_all": edge.immediate,
                "never_runs": edge.never_runs,
                "exists": graph.has_section(decision.next_section_id),
            }
        )
    overrides: list[Wire] = [
        {
            "trigger": override.trigger_id,
            "target": override.destination_section,
            "exists": _both(graph.has_section(override.destination_section), graph.has_trigger(override.trigger_id)),
        }
        for override in section.triggers or ()
    ]
    return {
        "id": section.section_id,
        "name": section.section_name,
        "objective": section.objective,
        "decisions": None if section.decisions is None else decisions,
        "overrides": None if section.triggers is None else overrides,
        "duplicate": duplicate,
        "reachable": not duplicate
        and (section.section_id in graph.reachable or (None if graph.missed.ways else False)),
        "incoming": [] if duplicate else list(graph.parents[section.section_id]),
    }


def _trigger(graph: Graph, trigger: Trigger, duplicate: bool) -> dict[str, Wire]:
    return {
        "id": trigger.trigger_id,
        "name": trigger.trigger_name,
        "message": trigger.trigger_message,
        "target": trigger.destination_section,
        "duplicate": duplicate,
        "exists": graph.has_section(trigger.destination_section),
    }


def _both(one: bool | None, other: bool | None) -> bool | None:
    return False if False in (one, other) else None if None in (one, other) else True


def read(text: str) -> GraphFile:
    """Read a story from an exported JSON document.

    Raises :class:`~chartui.core.tables.BadTable`, with the location of the error, if the document is not valid.
    """
    try:
        document = loads(text)
    except NotJson as error:
        raise BadTable(f"the file is not JSON: {error}.", line=error.line) from None
    document = typed(document, dict, "the document", "an object")
    if document.get("format") != FORMAT:
        raise BadTable(f'not an exported graph: "format" must be "{FORMAT}".')
    if document.get("version") != VERSION:
        if "version" not in document:
            raise BadTable(f"the version is missing; this program supports version {VERSION}.")
        raise BadTable(f"unknown version {document.get('version')!r}; this program reads version {VERSION}.")
    story = Story.of(
        None,
        [build(Section, _section_of(one, where)) for where, one in _each(document, "sections")],
        [build(Trigger, _trigger_of(one, where)) for where, one in _each(document, "triggers")],
    )
    enabled = document.get("enabled")
    story = replace(
        story, start=_text(document, "start", "") or None, enabled=enabled is True if enabled in (True, False) else None
    )
    return GraphFile(_text(document, "title", "") or "", story)


def _each(table: Mapping[str, Any], member: str, where: str = "") -> list[tuple[str, dict[str, Any]]]:
    given = table.get(member)
    entries: Sequence[Any] = [] if given is None else typed(given, list, f"{where}{member}", "a list")
    places = [f"{where}{member}[{number}]" for number in range(len(entries))]
    return [(f"{place}.", typed(one, dict, place, "an object")) for place, one in zip(places, entries, strict=True)]


def _text(table: Mapping[str, Any], member: str, where: str, *, needed: bool = False) -> str | None:
    value = table.get(member)
    if value is None and not needed:
        return None
    text: str = typed(value, str, f"{where}{member}", "text")
    return text


def _section_of(table: Mapping[str, Any], where: str) -> dict[str, Wire]:
    return {
        "section_id": _text(table, "id", where, needed=True),
        "section_name": _text(table, "name", where),
        "objective": _text(table, "objective", where),
        "decisions": None
        if table.get("decisions") is None
        else [_decision_of(one, place) for place, one in _each(table, "decisions", where)],
        "triggers": None
        if table.get("overrides") is None
        else [
            {
                "trigger_id": _text(one, "trigger", place, needed=True),
                "destination_section": _text(one, "target", place),
            }
            for place, one in _each(table, "overrides", where)
        ],
    }


def _decision_of(table: Mapping[str, Any], where: str) -> dict[str, Wire]:
    decision: dict[str, Wire] = {
        "criteria": _text(table, "criteria", where, needed=True),
        "next_section_id": _text(table, "target", where, needed=True),
    }
    if table.get("priority") is not None:
        decision["priority"] = typed(table["priority"], int, f"{where}priority", "a whole number")
    return decision


def _trigger_of(table: Mapping[str, Any], where: str) -> dict[str, Wire]:
    return {
        "trigger_id": _text(table, "id", where, needed=True),
        "trigger_name": _text(table, "name", where),
        "trigger_message": _text(table, "message", where),
        "destination_section": _text(table, "target", where),
    }
