"""The signs that mark a section's state in the tree, the map, the findings and on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph

START: Final = "▶"
ENDING: Final = "∎"
UNREACHABLE: Final = "↛"
DANGLING: Final = "∅"
UNKNOWN: Final = "?"
TRIGGER: Final = "ϟ"
UNTESTED: Final = "▫"


class Untested(NamedTuple):
    """The sections, the decisions by section and position, and the triggers that no saved walk of ``graph`` reaches."""

    graph: Graph | None = None
    sections: frozenset[str] = frozenset()
    decisions: frozenset[tuple[str, int]] = frozenset()
    triggers: frozenset[str] = frozenset()

    def of(self, graph: Graph) -> Untested:
        """Return what is untested in ``graph``: nothing if that is another one, since it was not tested."""
        return self if graph is self.graph else ALL_TESTED


#: Nothing is marked.
ALL_TESTED: Final = Untested()


def section_signs(graph: Graph, section_id: str) -> tuple[str, ...]:
    """Return the signs of a section's state: start, ending, unreachable."""
    signs = {
        START: section_id == graph.start,
        ENDING: graph.ends_at(section_id),
        UNREACHABLE: graph.is_unreachable(section_id),
    }
    return tuple(sign for sign, holds in signs.items() if holds)
