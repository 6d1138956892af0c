"""What a drawing of a narrative graph consists of, whatever draws it: nodes with short keys, and edges between them.

Every record is a node, those that share an id with an earlier one as well; so is every id that something leads to and
nothing has. Every decision, connected trigger and override is an edge, and so is the beginning of the story.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from chartui.core.narrative.graph import Edge, Graph, edges_of
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.text import single_line

__all__ = ["Drawing", "Line", "LineKind", "Node", "NodeKind", "drawing"]

#: The longest label, in characters.
_LABEL: Final = 120


class NodeKind(StrEnum):
    """What a node stands for."""

    START = "start"  # where the story begins; its edge leads to the start section
    SECTION = "section"
    TRIGGER = "trigger"
    MISSING = "missing"  # an id that no section has
    NOWHERE = "nowhere"  # what an override without a destination leads to


class Node(NamedTuple):
    """A node: ``key`` is a letter and a number, ``label`` one line that is safe to show.

    ``reachable`` is false for sections that nothing leads to; ``duplicate`` marks records that share the id of an
    earlier one and never count. ``text`` is the objective or the message, as it is stored; ``absence`` says of a
    missing one what is known of it, ``unknown`` that it may be there and could not be read.
    """

    key: str
    kind: NodeKind
    label: str
    text: str = ""
    reachable: bool = True
    duplicate: bool = False
    absence: str = ""
    unknown: bool = False

    @property
    def missing_label(self) -> str:
        """The id that no section has, with its sign."""
        return f"{'?' if self.unknown else '✗'} {self.label}"


class LineKind(StrEnum):
    """What an edge stands for."""

    START = "start"
    DECISION = "decision"
    TRIGGER = "trigger"
    OVERRIDE = "override"


class Line(NamedTuple):
    """An edge between two nodes, by their keys; ``never_runs`` marks what is stored and cannot happen."""

    source: str
    target: str
    kind: LineKind
    label: str = ""
    never_runs: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes and edges, in the order of the graph."""

    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]


def drawing(graph: Graph) -> Drawing:
    """The nodes and edges of a graph: the same graph gives the same drawing."""
    return _Drafter(graph).drawn()


class _Drafter:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._keys = {section_id: f"s{number}" for number, section_id in enumerate(graph.sections)}
        self._missing: dict[str, Node] = {}
        self._nowhere: Node | None = None

    def drawn(self) -> Drawing:
        graph, sections = self._graph, list(self._sections())
        triggers = [*graph.triggers.values(), *graph.duplicate_triggers]
        nodes = [
            *([Node("start", NodeKind.START, "start")] if graph.start is not None else []),
            *(node for node, _ in sections),
            *(self._trigger(number, trigger) for number, trigger in enumerate(triggers)),
        ]
        lines = [
            *([Line("start", self._to(graph.start), LineKind.START)] if graph.start is not None else []),
            *(line for node, section in sections for line in self._leading_from(node, section)),
            *self._fired(triggers),
        ]
        # What the lines lead to and nothing is there for is known only now.
        return Drawing((*nodes, *self._missing.values(), *filter(None, (self._nowhere,))), tuple(lines))

    def _sections(self) -> Iterator[tuple[Node, Section]]:
        for section_id, section in self._graph.sections.items():
            # Where something could not be read, it may lead there.
            reachable = section_id in self._graph.reachable or self._graph.missed.ways
            yield self._section(self._keys[section_id], section, reachable=reachable, duplicate=False), section
        for number, section in enumerate(self._graph.duplicate_sections, len(self._keys)):
            yield self._section(f"s{number}", section, reachable=False, duplicate=True), section

    def _section(self, key: str, section: Section, *, reachable: bool, duplicate: bool) -> Node:
        label = single_line(section.section_name or section.section_id, limit=_LABEL)
        return Node(key, NodeKind.SECTION, label, section.objective or "", reachable, duplicate)

    def _trigger(self, number: int, trigger: Trigger) -> Node:
        label = single_line(trigger.trigger_name or trigger.trigger_id, limit=_LABEL)
        duplicate = number >= len(self._graph.triggers)
        return Node(f"t{number}", NodeKind.TRIGGER, label, trigger.trigger_message or "", not duplicate, duplicate)

    def _leading_from(self, node: Node, section: Section) -> Iterator[Line]:
        edges: Iterable[Edge] = edges_of(section) if node.duplicate else self._graph.edges[section.section_id]
        for edge in edges:
            label = single_line(edge.criteria, limit=_LABEL)
            never = edge.never_runs or node.duplicate
            yield Line(node.key, self._to(edge.target), LineKind.DECISION, label, never)
        for override in section.triggers or ():
            label = single_line(self._graph.trigger_name(override.trigger_id), limit=_LABEL)
            never = node.duplicate or override.trigger_id not in self._graph.triggers
            yield Line(node.key, self._to(override.destination_section), LineKind.OVERRIDE, label, never)

    def _fired(self, triggers: Iterable[Trigger]) -> Iterator[Line]:
        for number, trigger in enumerate(triggers):
            if trigger.destination_section:
                never = number >= len(self._graph.triggers)
                yield Line(f"t{number}", self._to(trigger.destination_section), LineKind.TRIGGER, never_runs=never)

    def _to(self, section_id: str | None) -> str:
        """The key of what is there, made when nothing is."""
        if not section_id:
            self._nowhere = Node("nowhere", NodeKind.NOWHERE, "nowhere")
            return self._nowhere.key
        if section_id in self._keys:
            return self._keys[section_id]
        label = single_line(section_id, limit=_LABEL)
        absence, unknown = self._graph.absence(section_id, "not there"), self._graph.has_section(section_id) is None
        key = f"m{len(self._missing)}"
        made = Node(key, NodeKind.MISSING, label, reachable=False, absence=absence, unknown=unknown)
        return self._missing.setdefault(section_id, made).key
