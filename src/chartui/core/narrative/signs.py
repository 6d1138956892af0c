"""The symbols that mark the state of a section in the outline, on the map, in findings and on the command line."""

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
    """The sections, decisions and triggers of ``graph`` that no saved walk reaches.

    A decision is given by its section and position.
    """

    graph: Graph | None = None
    sections: frozenset[str] = frozenset()
    decisions: frozenset[tuple[str, int]] = frozenset()
    triggers: frozenset[str] = frozenset()

    def of(self, graph: Graph) -> Untested:
        """Return the untested parts of the story if ``graph`` is the graph that was tested.

        For any other graph, return an empty result.
        """
        return self if graph is self.graph else ALL_TESTED


#: Nothing is marked.
ALL_TESTED: Final = Untested()


def section_signs(graph: Graph, section_id: str) -> tuple[str, ...]:
    """Return the symbols for the state of a section, such as start, ending or unreachable."""
    signs = {
        START: section_id == graph.start,
        ENDING: graph.ends_at(section_id),
        UNREACHABLE: graph.is_unreachable(section_id),
    }
    return tuple(sign for sign, holds in signs.items() if holds)
