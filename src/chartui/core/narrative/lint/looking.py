"""What the rules look at: a story with everything derived, and how a finding is made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chartui.core.narrative.lint.finding import Finding, Fix, Place
from chartui.core.narrative.lint.rules import RULES

if TYPE_CHECKING:
    from chartui.core.narrative.circles import Circles
    from chartui.core.narrative.graph import Edge, Graph
    from chartui.core.narrative.story import Story
    from chartui.core.spec.models.characters import Character

__all__ = ["Look", "Seen", "found"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A story as the rules see it. ``stored`` is the story as it was read, which alone is held against its parents.

    ``keys`` are the template keys that are declared, None where nobody declares any. ``embedded`` tells whether the
    start and overrides can be set (decisions 26 and 59).
    """

    story: Story
    stored: Story
    graph: Graph
    circles: Circles
    record: Character | None
    keys: Collection[str] | None
    embedded: bool

    def open_edges(self, section_id: str) -> Iterator[Edge]:
        """The decisions of a section that run and lead to a section that is, or may be, there."""
        there = self.graph.has_section
        return (
            edge for edge in self.graph.edges[section_id] if not edge.never_runs and there(edge.target) is not False
        )


#: One way to look at a story; it may find what several rules are about.
Look = Callable[[Seen], Iterator[Finding]]


def found(rule_id: str, place: Place, message: str, fix: Fix | None = None) -> Finding:
    """A finding of the rule with this id."""
    return Finding(rule=RULES[rule_id], place=place, message=message, fix=fix)
