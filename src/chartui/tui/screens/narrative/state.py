"""What the narrative screen shows: whose graph, as it is stored and as it is being written, and how it is looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from chartui.core.narrative.outline import Node, Outline, Row, outline
from chartui.core.narrative.story import Story
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character
from chartui.tui.widgets.chooser import matches
from chartui.tui.widgets.line_tree import matching_rows

__all__ = ["NarrativeState", "Pane"]


class Pane(StrEnum):
    """What stands beside the tree."""

    SECTION = "section"
    MAP = "map"
    LINT = "lint"
    WALK = "walk"


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrativeState:
    """Whose graph was read, and how it is looked at. ``wanted`` is the character asked for, None before one is.

    ``stored`` is the story as it was read; ``story`` as it is being written, the same one while nothing is staged.
    ``outline`` is that of ``story``, or of the graph as it was read where nothing is staged.
    """

    wanted: str | None = None
    character: Character | None = None
    stored: Story | None = None
    story: Story | None = None
    outline: Outline | None = None
    folded: frozenset[str] = frozenset()
    query: str = ""
    pane: Pane = Pane.SECTION
    loading: bool = True
    error: ServiceError | None = None
    note: str = ""

    @property
    def staged(self) -> bool:
        """Whether the story is not as it is stored."""
        return self.story is not self.stored

    def telling(self, story: Story) -> NarrativeState:
        """The same with another story."""
        return replace(self, story=story, outline=outline(story.graph()))

    def matching(self) -> list[Node]:
        """The nodes whose text holds every word of the query; none without a query."""
        if self.outline is None or not self.query.strip():
            return []
        return [node for node in self.outline.nodes if matches(self.query, f"{node.label} {node.title}")]

    def rows(self) -> list[Row]:
        """What is on view."""
        if self.outline is None or not (self.outline.graph.sections or self.outline.graph.triggers):
            return []
        if self.query.strip():
            return matching_rows(self.outline, [node.place for node in self.matching()])
        return self.outline.rows(self.folded)
