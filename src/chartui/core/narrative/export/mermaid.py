"""A narrative graph as a Mermaid flowchart.

Ids are made up, and labels stand in quotes with every sign that means something written as a number, so that no name
can end a label, begin a comment or be taken for formatting.
"""

from __future__ import annotations

import re
from typing import Final

from chartui.core.jsontext import dumps
from chartui.core.narrative.export.drawing import Line, LineKind, Node, NodeKind, drawing
from chartui.core.narrative.story import Story
from chartui.core.text import single_line

__all__ = ["write"]

# All of ASCII that is neither a letter, a digit, a blank nor harmless wherever it stands. At the beginning of a label
# a dash or a number with a dot would begin a list.
_MEANING: Final = re.compile(r"[\"#$%&*+/:;<=>@\[\\\]^_`{|}~]|^-|(?<=\d)\.")

_SHAPES: Final = {
    NodeKind.START: ('(("', '"))'),
    NodeKind.SECTION: ('["', '"]'),
    NodeKind.TRIGGER: ('(["', '"])'),
    NodeKind.MISSING: ('{{"', '"}}'),
    NodeKind.NOWHERE: ('{{"', '"}}'),
}
_STYLES: Final = (
    "classDef unreachable stroke-dasharray: 5 5",
    "classDef missing stroke:#c0392b,stroke-width:2px",
    "classDef trigger stroke:#b7791f",
)


def write(story: Story, title: str) -> str:
    """The story as a flowchart from top to bottom: sections as boxes, triggers rounded, unknown ids as hexagons.

    What can never happen is a dotted edge; what nothing leads to says so, and has a dashed border.
    """
    drawn = drawing(story.graph())
    lines = [
        "---",
        f"title: {dumps(single_line(title))}",  # a text of JSON is one of YAML
        "---",
        "flowchart TD",
        *(f"    {_node(node)}" for node in drawn.nodes),
        *(f"    {_edge(line)}" for line in drawn.lines),
        *(f"    {style}" for style in _STYLES),
    ]
    return "\n".join(lines) + "\n"


def _escaped(label: str) -> str:
    # No decimal number stands for more than one character, and the semicolon ends it.
    return _MEANING.sub(lambda match: f"#{ord(match[0])};", label)


def _node(node: Node) -> str:
    begin, end = _SHAPES[node.kind]
    return f"{node.key}{begin}{_escaped(_label(node))}{end}{_class(node)}"


def _label(node: Node) -> str:
    if node.kind is NodeKind.MISSING:
        return f"{node.missing_label} ({node.absence})"
    if node.duplicate:
        return f"{node.label} (same id as another)"
    if node.kind is NodeKind.SECTION and not node.reachable:
        return f"{node.label} (unreachable)"
    return f"ϟ {node.label}" if node.kind is NodeKind.TRIGGER else node.label


def _class(node: Node) -> str:
    if node.kind is NodeKind.SECTION:
        return "" if node.reachable else ":::unreachable"
    return {NodeKind.TRIGGER: ":::trigger", NodeKind.MISSING: ":::missing"}.get(node.kind, "")


def _edge(line: Line) -> str:
    arrow = "-.->" if line.never_runs else "==>" if line.kind is LineKind.START else "-->"
    label = f"ϟ {line.label}" if line.kind is LineKind.OVERRIDE else line.label
    if line.never_runs:
        label = f"{label} (never runs)".strip()
    return (
        f'{line.source} {arrow}|"{_escaped(label)}"| {line.target}' if label else f"{line.source} {arrow} {line.target}"
    )
