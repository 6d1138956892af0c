"""A narrative graph as a diagram of nodes and edges, independent of the output format.

Every section, trigger and missing target becomes a node, including duplicates that share an ID. Every decision,
connected trigger and override becomes an edge. Nodes have the same symbols as on the narrative screen. In addition, the
start has a bold border, endings a double one, and unreachable sections a dashed one. Edges that can never be taken are
dotted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.jsontext import dumps
from chartui.core.narrative.graph import Edge, Graph, edges_of
from chartui.core.narrative.signs import DANGLING, ENDING, START, TRIGGER, UNKNOWN, section_signs
from chartui.core.narrative.story import LeadKind, Story
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.text import display_text, single_line

#: The longest label, in characters.
_LABEL: Final = 120
_SAME_ID: Final = "duplicate ID"


class ShapeKind(StrEnum):
    SECTION = "section"
    TRIGGER = "trigger"
    MISSING = "missing"  # an ID that no section has
    NOWHERE = "nowhere"  # the end of an override without a destination


class Shape(NamedTuple):
    """A node of a diagram.

    ``key`` is a short key that consists of a letter and a number. ``label`` is a single line that is safe to show.
    ``note`` describes the node's problem, if any. ``reachable`` is false for sections that are never reached.
    ``duplicate`` marks a section or trigger that shares the ID of an earlier one and is therefore ignored. ``text`` is
    the objective or message as stored. ``signs`` contains the symbols that mark the node on the narrative screen.
    """

    key: str
    kind: ShapeKind
    label: str
    text: str = ""
    note: str = ""
    reachable: bool = True
    duplicate: bool = False
    signs: tuple[str, ...] = ()

    @property
    def starts(self) -> bool:
        return START in self.signs

    @property
    def ends(self) -> bool:
        return ENDING in self.signs

    def words(self, gap: str) -> str:
        """Return the symbols and the label. If the node has a note, ``gap`` and the note are appended."""
        label = " ".join((*self.signs, self.label))
        return f"{label}{gap}({self.note})" if self.note else label


class Arrow(NamedTuple):
    """An edge between two nodes, identified by their keys.

    ``never_runs`` is True for a stored decision or override that can never be taken.
    """

    source: str
    target: str
    kind: LeadKind
    label: str = ""
    never_runs: bool = False

    def words(self, gap: str) -> str:
        """Return the label. If the edge can never be taken, ``gap`` and a remark are appended."""
        label = f"{TRIGGER} {self.label}" if self.kind is LeadKind.OVERRIDE else self.label
        return f"{label}{gap}(never runs)".strip() if self.never_runs else label


@dataclass(frozen=True, slots=True)
class Diagram:
    nodes: tuple[Shape, ...]
    lines: tuple[Arrow, ...]


def diagram(graph: Graph) -> Diagram:
    return _Drafter(graph).drawn()


class _Drafter:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._keys = {section_id: f"s{number}" for number, section_id in enumerate(graph.sections)}
        self._missing: dict[str, Shape] = {}
        self._nowhere: Shape | None = None

    def drawn(self) -> Diagram:
        graph, sections = self._graph, list(self._sections())
        triggers = [*graph.triggers.values(), *graph.duplicate_triggers]
        if graph.start:
            self._to(graph.start)  # a missing start section has no other place in the diagram
        nodes = [node for node, _ in sections]
        nodes += (self._trigger(number, trigger) for number, trigger in enumerate(triggers))
        lines = [line for node, section in sections for line in self._leading_from(node, section)]
        lines += self._fired(triggers)
        # The missing targets are known only after all edges have been added.
        return Diagram((*nodes, *self._missing.values(), *filter(None, (self._nowhere,))), tuple(lines))

    def _sections(self) -> Iterator[tuple[Shape, Section]]:
        for section_id, section in self._graph.sections.items():
            # An unreadable section or trigger may refer to this section.
            reachable = section_id in self._graph.reachable or self._graph.missed.ways
            yield self._section(self._keys[section_id], section, reachable=reachable, duplicate=False), section
        for number, section in enumerate(self._graph.duplicate_sections, len(self._keys)):
            yield self._section(f"s{number}", section, reachable=False, duplicate=True), section

    def _section(self, key: str, section: Section, *, reachable: bool, duplicate: bool) -> Shape:
        label = single_line(section.section_name or section.section_id, limit=_LABEL)
        note = _SAME_ID if duplicate else "" if reachable else "unreachable"
        signs = () if duplicate else section_signs(self._graph, section.section_id)
        return Shape(key, ShapeKind.SECTION, label, section.objective or "", note, reachable, duplicate, signs)

    def _trigger(self, number: int, trigger: Trigger) -> Shape:
        label = single_line(trigger.trigger_name or trigger.trigger_id, limit=_LABEL)
        duplicate = number >= len(self._graph.triggers)
        note = _SAME_ID if duplicate else ""
        text = trigger.trigger_message or ""
        return Shape(f"t{number}", ShapeKind.TRIGGER, label, text, note, duplicate=duplicate, signs=(TRIGGER,))

    def _leading_from(self, node: Shape, section: Section) -> Iterator[Arrow]:
        edges: Iterable[Edge] = edges_of(section) if node.duplicate else self._graph.edges[section.section_id]
        for edge in edges:
            label = single_line(edge.criteria, limit=_LABEL)
            never = edge.never_runs or node.duplicate
            yield Arrow(node.key, self._to(edge.target), LeadKind.DECISION, label, never)
        for override in section.triggers or ():
            label = single_line(self._graph.trigger_name(override.trigger_id), limit=_LABEL)
            never = node.duplicate or override.trigger_id not in self._graph.triggers
            yield Arrow(node.key, self._to(override.destination_section), LeadKind.OVERRIDE, label, never)

    def _fired(self, triggers: Iterable[Trigger]) -> Iterator[Arrow]:
        for number, trigger in enumerate(triggers):
            if trigger.destination_section:
                never = number >= len(self._graph.triggers)
                yield Arrow(f"t{number}", self._to(trigger.destination_section), LeadKind.TRIGGER, never_runs=never)

    def _to(self, section_id: str | None) -> str:
        if not section_id:
            self._nowhere = Shape("nowhere", ShapeKind.NOWHERE, "nowhere")
            return self._nowhere.key
        if section_id in self._keys:
            return self._keys[section_id]
        label = single_line(section_id, limit=_LABEL)
        note = self._graph.absence(section_id, "missing")
        sign = UNKNOWN if self._graph.has_section(section_id) is None else DANGLING
        signs = (START, sign) if section_id == self._graph.start else (sign,)
        key = f"m{len(self._missing)}"
        made = Shape(key, ShapeKind.MISSING, label, note=note, reachable=False, signs=signs)
        return self._missing.setdefault(section_id, made).key


_DOT_SHAPES: Final = {
    ShapeKind.SECTION: "box",
    ShapeKind.TRIGGER: "cds",
    ShapeKind.MISSING: "octagon",
    ShapeKind.NOWHERE: "octagon",
}
# The order matters: a backslash starts an escape, an ampersand a character entity.
_DOT_ESCAPES: Final = (("\\", "\\\\"), ('"', '\\"'), ("&", "&amp;"), ("\n", "\\n"))


def write_dot(story: Story, title: str) -> str:
    """Return the story as a directed graph in the DOT language, with objectives and messages as tooltips."""
    drawn = diagram(story.graph())
    lines = [
        "digraph story {",
        f"  label={_dot_quoted(single_line(title))};",
        '  labelloc="t"; rankdir="TB";',
        '  node [fontname="sans-serif"]; edge [fontname="sans-serif", fontsize="10"];',
        *(f"  {_dot_node(node)}" for node in drawn.nodes),
        *(f"  {_dot_edge(line)}" for line in drawn.lines),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _dot_quoted(text: str) -> str:
    for sign, escape in _DOT_ESCAPES:
        text = text.replace(sign, escape)
    return f'"{text}"'


def _dot_attributes(**values: str) -> str:
    return ", ".join(f"{name}={_dot_quoted(value)}" for name, value in values.items() if value)


def _dot_node(node: Shape) -> str:
    styles = {
        "rounded": node.kind is ShapeKind.SECTION and not node.duplicate,
        "dashed": node.duplicate or (node.kind is ShapeKind.SECTION and not node.reachable),
        "bold": node.starts,
    }
    style = ",".join(name for name, holds in styles.items() if holds) or "solid"
    double = "2" if node.ends else ""
    tip = display_text(node.text, multiline=True) or node.label
    shape = _DOT_SHAPES[node.kind]
    attributes = _dot_attributes(label=node.words("\n"), shape=shape, style=style, peripheries=double, tooltip=tip)
    return f"{node.key} [{attributes}];"


def _dot_edge(line: Arrow) -> str:
    style = "dotted" if line.never_runs else "solid"
    attributes = _dot_attributes(label=line.words("\n"), style=style)
    return f"{line.source} -> {line.target} [{attributes}];"


# All ASCII characters except letters, digits, spaces and characters that are harmless everywhere. At the start of a
# label, a dash or a number with a dot would start a list.
_MERMAID_MEANING: Final = re.compile(r"[\"#$%&*+/:;<=>@\[\\\]^_`{|}~]|^-|(?<=\d)\.")

_MERMAID_SHAPES: Final = {
    ShapeKind.SECTION: ('["', '"]'),
    ShapeKind.TRIGGER: ('(["', '"])'),
    ShapeKind.MISSING: ('{{"', '"}}'),
    ShapeKind.NOWHERE: ('{{"', '"}}'),
}
_MERMAID_ENDING: Final = ('[["', '"]]')
_MERMAID_STYLES: Final = (
    "classDef start stroke-width:3px",
    "classDef unreachable stroke-dasharray: 5 5",
    "classDef missing stroke:#c0392b,stroke-width:2px",
    "classDef trigger stroke:#b7791f",
)


def write_mermaid(story: Story, title: str) -> str:
    """Return the story as a top-down Mermaid flowchart.

    Sections are boxes, endings are boxes with double side lines, triggers are rounded boxes, and unknown IDs are
    hexagons.
    """
    drawn = diagram(story.graph())
    lines = [
        "---",
        f"title: {dumps(single_line(title))}",  # JSON strings are valid YAML
        "---",
        "flowchart TD",
        *(f"    {_mermaid_node(node)}" for node in drawn.nodes),
        *(f"    {_mermaid_edge(line)}" for line in drawn.lines),
        *(f"    {style}" for style in _MERMAID_STYLES),
    ]
    return "\n".join(lines) + "\n"


def _mermaid_escaped(label: str) -> str:
    # A decimal entity is exactly one character and ends with the semicolon.
    return _MERMAID_MEANING.sub(lambda match: f"#{ord(match[0])};", label)


def _mermaid_node(node: Shape) -> str:
    begin, end = _MERMAID_ENDING if node.ends else _MERMAID_SHAPES[node.kind]
    marks = {
        ShapeKind.SECTION: ":::start" if node.starts else "" if node.reachable else ":::unreachable",
        ShapeKind.TRIGGER: ":::trigger",
        ShapeKind.MISSING: ":::missing",
    }
    label = _mermaid_escaped(node.words(" "))
    return f"{node.key}{begin}{label}{end}{marks.get(node.kind, '')}"


def _mermaid_edge(line: Arrow) -> str:
    arrow = "-.->" if line.never_runs else "-->"
    label = _mermaid_escaped(line.words(" "))
    labelled = f'|"{label}"|' if label else ""
    return f"{line.source} {arrow}{labelled} {line.target}"
