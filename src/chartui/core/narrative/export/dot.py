"""A narrative graph in the language of Graphviz."""

from __future__ import annotations

from typing import Final

from chartui.core.narrative.export.drawing import Line, LineKind, Node, NodeKind, drawing
from chartui.core.narrative.story import Story
from chartui.core.text import display_text, single_line

__all__ = ["write"]

_SHAPES: Final = {
    NodeKind.START: "circle",
    NodeKind.SECTION: "box",
    NodeKind.TRIGGER: "cds",
    NodeKind.MISSING: "octagon",
    NodeKind.NOWHERE: "octagon",
}
# In this order: a backslash begins an escape, and an ampersand the name of a character.
_ESCAPES: Final = (("\\", "\\\\"), ('"', '\\"'), ("&", "&amp;"), ("\n", "\\n"))


def write(story: Story, title: str) -> str:
    """The story as a directed graph, objectives and messages as what is shown when one points at a node.

    What can never happen is a dotted edge; what nothing leads to says so, and has a dashed border.
    """
    drawn = drawing(story.graph())
    lines = [
        "digraph story {",
        f"  label={_quoted(single_line(title))};",
        '  labelloc="t"; rankdir="TB";',
        '  node [fontname="sans-serif"]; edge [fontname="sans-serif", fontsize="10"];',
        *(f"  {_node(node)}" for node in drawn.nodes),
        *(f"  {_edge(line)}" for line in drawn.lines),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    for sign, escape in _ESCAPES:
        text = text.replace(sign, escape)
    return f'"{text}"'


def _attributes(**values: str) -> str:
    return ", ".join(f"{name}={_quoted(value)}" for name, value in values.items() if value)


def _node(node: Node) -> str:
    label, style = node.label, "rounded" if node.kind is NodeKind.SECTION else "solid"
    if node.kind is NodeKind.MISSING:
        label = f"{node.missing_label}\n({node.absence})"
    elif node.duplicate:
        label, style = f"{label}\n(same id as another)", "dashed"
    elif not node.reachable:
        label, style = f"{label}\n(unreachable)", "rounded,dashed"
    tip = display_text(node.text, multiline=True)
    attributes = _attributes(label=label, shape=_SHAPES[node.kind], style=style, tooltip=tip or node.label)
    return f"{node.key} [{attributes}];"


def _edge(line: Line) -> str:
    style = "dotted" if line.never_runs else "bold" if line.kind is LineKind.START else "solid"
    label = f"ϟ {line.label}" if line.kind is LineKind.OVERRIDE else line.label
    if line.never_runs:
        label = f"{label}\n(never runs)".strip()
    return f"{line.source} -> {line.target} [{_attributes(label=label, style=style)}];"
