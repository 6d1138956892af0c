"""The outline of a narrative graph as plain text, for a pipe, a file or a terminal without colour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from chartui.core.narrative.nodes import Kind, Link, Node
from chartui.core.narrative.outline import Outline, Row
from chartui.core.text import single_line

__all__ = ["render", "way_text"]

#: Levels drawn left of a line; deeper ones are a number, or a long story would grow with the square of its depth.
MAX_LEVELS: Final = 32
_LIMIT: Final = 200


def render(outline: Outline, rows: Iterable[Row] | None = None) -> str:
    """The nodes of the outline, or those of ``rows``, as lines with box-drawing guides; ends with a line feed."""
    shown = outline.rows() if rows is None else rows
    return "".join(f"{_guides(outline, row.node)}{_line(outline, row.node)}\n" for row in shown)


def way_text(outline: Outline, node: Node) -> str:
    """What leads to the place that a node shows: the section and the criteria, the trigger, or the start."""
    if node.link is Link.START:
        return "the start of the story"
    if node.kind is Kind.TRIGGER:
        return f"trigger {_clean(node.label)}"
    above = outline.nodes[node.parent]
    through = f"trigger {_clean(node.label)}, while it runs" if node.link is Link.OVERRIDE else _clean(node.label)
    return f"{_clean(above.title)}: {through}"


def _guides(outline: Outline, node: Node) -> str:
    if node.depth == 0:
        return ""
    *above, more = outline.guides(node, MAX_LEVELS)
    hidden = node.depth - len(above) - 1
    return "".join(
        (
            f"⋯{hidden} " if hidden else "",
            *("│  " if going_on else "   " for going_on in above),
            "├─ " if more else "└─ ",
        )
    )


def _line(outline: Outline, node: Node) -> str:
    if node.kind is Kind.TRIGGER:
        return f"⚡ {_clean(node.label)}{_destination(outline, node)}"
    title = _clean(node.title)
    if node.kind is Kind.DANGLING:
        return f"{_clean(node.label)} → ✗ {title}"
    mark = "↩ " if node.kind is Kind.REFERENCE else ""
    here = "nowhere" if node.kind is Kind.NOWHERE else f"{mark}{title}"
    if node.kind is Kind.MISSING:
        here = _missing(outline, node)
    if node.link is Link.DECISION:
        here = f"[{_clean(node.label)}] → {here}"
    elif node.link is Link.OVERRIDE:
        here = f"⚡ [{_clean(node.label)}] → {here}"
    elif node.link is Link.TRIGGER:
        here = f"→ {here}"
    return f"{here} (never runs)" if node.never_runs else here


def _missing(outline: Outline, node: Node) -> str:
    unknown = outline.graph.has_section(node.section) is None
    return f"? {_clean(node.title)} ({outline.graph.absence(node.section)})" if unknown else f"✗ {_clean(node.title)}"


def _destination(outline: Outline, node: Node) -> str:
    """Where a trigger leads, unless the next line shows it."""
    if node.destination is Kind.REFERENCE:
        return f" → ↩ {_clean(node.title)}"
    if node.destination is Kind.MISSING:
        return f" → {_missing(outline, node)}"
    return "" if node.destination is Kind.SECTION else " (not connected)"


def _clean(text: str) -> str:
    return single_line(text, limit=_LIMIT)
