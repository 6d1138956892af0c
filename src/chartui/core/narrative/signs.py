"""The symbols that mark the state of a section in the outline, on the map, in findings and on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chartui.core.classes import NamedTuple
from chartui.core.numbers import number_of
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph
    from chartui.core.narrative.story import Story

START: Final = "▶"
ENDING: Final = "∎"
UNREACHABLE: Final = "↛"
DANGLING: Final = "∅"
UNKNOWN: Final = "?"
TRIGGER: Final = "ϟ"
UNTESTED: Final = "▫"


class Untested(NamedTuple):
    """The sections, decisions and triggers of ``graph`` that no saved walk reaches.

    A decision is identified by its section and position.
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


def endings_text(before: Story | None, after: Story | None) -> str:
    """Return a sentence that names the sections that became endings by losing their last decision.

    The sentence ends with a space. The result is empty if there are no such sections.
    """
    if before is None or after is None:
        return ""
    from chartui.core.narrative.graph import visible_name  # glyphs, which every start draws, need only the signs

    ended = [
        visible_name(section.section_name, key)
        for key, section in after.sections.items()
        if section.decisions is not None
        and not section.decisions
        and (earlier := before.sections.get(key)) is not None
        and earlier.decisions
    ]
    if not ended:
        return ""
    name = f"“{single_line(ended[0], limit=30)}”"
    if not ended[1:]:
        return f"{name} has no decisions left and is now an ending. "
    more = number_of(len(ended) - 1, "other section")
    return f"{name} and {more} have no decisions left and are now endings. "


def section_signs(graph: Graph, section_id: str) -> tuple[str, ...]:
    """Return the symbols for the state of a section, such as start, ending or unreachable."""
    signs = {
        START: section_id == graph.start,
        ENDING: graph.ends_at(section_id),
        UNREACHABLE: graph.is_unreachable(section_id),
    }
    return tuple(sign for sign, holds in signs.items() if holds)
