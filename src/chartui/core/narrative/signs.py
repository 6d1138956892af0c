"""The signs of a section's state, the same in the tree, the map, the findings and on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph

START: Final = "▶"
ENDING: Final = "∎"
UNREACHABLE: Final = "↛"
DANGLING: Final = "∅"


def section_signs(graph: Graph, section_id: str) -> str:
    """Return the signs of a section's state, separated by spaces: start, ending, unreachable."""
    signs = []
    if section_id == graph.start:
        signs.append(START)
    if graph.ends_at(section_id):
        signs.append(ENDING)
    if graph.is_unreachable(section_id):
        signs.append(UNREACHABLE)
    return " ".join(signs)
