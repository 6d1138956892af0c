"""What there is to read about one node of a narrative outline."""

from __future__ import annotations

from collections.abc import Iterator

from chartui.core.characters.record import value_text
from chartui.core.fields import Entry, Group
from chartui.core.jsontext import Wire
from chartui.core.narrative.graph import IMMEDIATE, Graph
from chartui.core.narrative.outline import Node
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.tui.glyphs import GLYPHS

__all__ = ["detail"]


def detail(graph: Graph, node: Node) -> tuple[tuple[Group, ...], str]:
    """The groups about a node, and a sentence where there is nothing else to say."""
    if node.trigger is not None and node.trigger in graph.triggers:
        trigger = graph.triggers[node.trigger]
        groups = [_trigger(graph, trigger)]
        if node.section is not None and node.section in graph.sections:
            groups += _section(graph, graph.sections[node.section])
        return tuple(groups), ""
    if node.section is not None and node.section in graph.sections:
        return tuple(_section(graph, graph.sections[node.section])), ""
    if node.section is not None:
        return (
            (),
            f"No section has the id {node.section}. It was removed, or never made; what leads here leads nowhere.",
        )
    return (), "Choose a section or a trigger to read it."


def _section(graph: Graph, section: Section) -> list[Group]:
    groups = [
        Group(
            "Section",
            (
                Entry("Name", "section_name", section.section_name or "no name", said=bool(section.section_name)),
                Entry("Objective", "objective", section.objective or "empty", said=bool(section.objective)),
                Entry("Id", "section_id", section.section_id),
            ),
        )
    ]
    sections = {
        "Decisions, in order": tuple(_decisions(graph, section)),
        "Overrides": tuple(_overrides(graph, section)),
        "Led to by": tuple(_parents(graph, section.section_id)),
        "Other members": tuple(_others(section)),
    }
    groups += [Group(title, entries) for title, entries in sections.items() if entries]
    return groups


def _place(graph: Graph, section_id: str) -> str:
    known = section_id in graph.sections
    return graph.section_name(section_id) if known else f"{GLYPHS.danger} {section_id} does not exist"


def _decisions(graph: Graph, section: Section) -> Iterator[Entry]:
    for number, edge in enumerate(graph.edges[section.section_id], 1):
        criteria = f"{IMMEDIATE} at once" if edge.immediate else edge.criteria
        never = f"  {GLYPHS.warning} never runs" if edge.never_runs else ""
        order = "" if edge.priority is None else f"  (priority {edge.priority})"
        text = f"{criteria} {GLYPHS.to} {_place(graph, edge.target)}{order}{never}"
        yield Entry(str(number), f"decisions[{edge.position}]", text)


def _overrides(graph: Graph, section: Section) -> Iterator[Entry]:
    for position, override in enumerate(section.triggers or ()):
        where = _place(graph, override.destination_section) if override.destination_section else "nowhere"
        name = graph.trigger_name(override.trigger_id)
        yield Entry(GLYPHS.trigger, f"triggers[{position}]", f"{name} {GLYPHS.to} {where}")


def _parents(graph: Graph, section_id: str) -> Iterator[Entry]:
    if section_id == graph.start:
        yield Entry(GLYPHS.start, "", "the start of the story")
    for parent in graph.parents.get(section_id, ()):
        yield Entry(GLYPHS.back, "parents", graph.section_name(parent))
    for trigger in graph.triggers.values():
        if trigger.destination_section == section_id:
            yield Entry(GLYPHS.trigger, "", f"trigger {graph.trigger_name(trigger.trigger_id)}")


_SHOWN = frozenset({"section_id", "section_name", "objective", "decisions", "parents", "triggers", "character_id"})


def _others(section: Section) -> Iterator[Entry]:
    for member, value in section.raw.items():
        if member not in _SHOWN:
            yield _entry(member, value)


def _entry(member: str, value: Wire) -> Entry:
    return Entry(member, member, value_text(value), said=value not in (None, "", [], {}))


def _trigger(graph: Graph, trigger: Trigger) -> Group:
    target = trigger.destination_section
    return Group(
        "Trigger",
        (
            Entry("Name", "trigger_name", trigger.trigger_name or "no name", said=bool(trigger.trigger_name)),
            Entry("Message", "trigger_message", trigger.trigger_message or "empty", said=bool(trigger.trigger_message)),
            Entry("Leads to", "destination_section", _place(graph, target) if target else "nowhere", said=bool(target)),
            Entry("Id", "trigger_id", trigger.trigger_id),
        ),
    )
