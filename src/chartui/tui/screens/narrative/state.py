"""What the narrative screen shows: whose graph, as it is stored and as it is being written, and how it is looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from chartui.core.narrative.nodes import Node
from chartui.core.narrative.outline import Outline, Row, outline
from chartui.core.narrative.story import Story
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character

__all__ = ["AT_ONCE", "NarrativeState", "Pane", "drawn"]

#: A story of more sections than this is laid out beside the keyboard; one of fewer takes less time than a picture.
AT_ONCE: Final = 1_000


class Pane(StrEnum):
    """What stands beside the tree."""

    SECTION = "section"
    MAP = "map"
    LINT = "lint"
    WALK = "walk"


def drawn(story: Story) -> Outline:
    """The outline of a story: of ten thousand sections a tenth of a second of work."""
    return outline(story.graph())


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrativeState:
    """Whose graph was read, and how it is looked at. ``wanted`` is the character asked for, None before one is.

    ``stored`` is the story as it was read; ``story`` as it is being written, the same one while nothing is staged.
    ``outline`` is that of ``told``: of ``story``, or, while a large one is being laid out, of the one before it.
    """

    wanted: str | None = None
    character: Character | None = None
    stored: Story | None = None
    story: Story | None = None
    told: Story | None = None
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

    @property
    def pending(self) -> bool:
        """Whether the outline is still that of another story."""
        return self.told is not self.story

    def telling(self, story: Story) -> NarrativeState:
        """The same with another story; a large one keeps the outline of the one before it for now."""
        state = replace(self, story=story)
        return state.showing(drawn(story)) if state.pending and len(story.sections) <= AT_ONCE else state

    def showing(self, outline: Outline) -> NarrativeState:
        """The same with the outline of its story."""
        return replace(self, outline=outline, told=self.story)

    def matching(self) -> tuple[Node, ...]:
        """The nodes that hold every word of the query; none without a query."""
        return self.outline.matching(self.query) if self.outline is not None else ()

    def rows(self) -> list[Row]:
        """What is on view."""
        if self.outline is None or not (self.outline.graph.sections or self.outline.graph.triggers):
            return []
        if self.query.strip():
            return self.outline.rows_to(node.place for node in self.matching())
        return self.outline.rows(self.folded)
