"""What the narrative screen shows, and what its parts may ask of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol

from chartui.core.narrative.nodes import Node
from chartui.core.narrative.outline import Outline, Row, outline
from chartui.core.narrative.story import Story
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character

if TYPE_CHECKING:
    from chartui.core.plans.story_editor import StoryEditor
    from chartui.core.service import Service
    from chartui.core.session import Session
    from chartui.tui.app import ChartuiApp
    from chartui.tui.widgets.screen import Copyable

#: A story of more sections than this is laid out beside the keyboard; one of fewer takes less time than a picture.
AT_ONCE: Final = 1_000


class Tab(StrEnum):
    """What stands beside the tree."""

    SECTION = "section"
    MAP = "map"
    LINT = "lint"
    WALK = "walk"


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrativeState:
    """Whose graph was read, and how it is looked at. ``wanted`` is the character asked for, None before one is.

    ``stored`` is the story as it was read; ``story`` as it is being written, the same one while nothing is staged.
    ``outline`` is that of ``outlined``: of ``story``, or, while a large one is being laid out, of the one before it.
    """

    wanted: str | None = None
    character: Character | None = None
    stored: Story | None = None
    story: Story | None = None
    outlined: Story | None = None
    outline: Outline | None = None
    folded: frozenset[str] = frozenset()
    query: str = ""
    tab: Tab = Tab.SECTION
    loading: bool = True
    error: ServiceError | None = None
    note: str = ""

    @property
    def name(self) -> str:
        return (self.character.character_name if self.character is not None else None) or self.wanted or ""

    @property
    def staged(self) -> bool:
        """Whether the story is not as it is stored."""
        return self.story is not self.stored

    @property
    def pending(self) -> bool:
        """Whether the outline is still that of another story."""
        return self.outlined is not self.story

    def telling(self, story: Story | None) -> NarrativeState:
        """The same with another story; a large one keeps the outline of the one before it for now."""
        state = replace(self, story=story)
        if story is None or not state.pending or len(story.sections) > AT_ONCE:
            return state
        return state.outlining(outline(story.graph()))

    def outlining(self, outline: Outline) -> NarrativeState:
        return replace(self, outline=outline, outlined=self.story)

    def matching(self) -> tuple[Node, ...]:
        return self.outline.matching(self.query) if self.outline is not None else ()

    def rows(self) -> list[Row]:
        """What is on view."""
        if self.outline is None or not (self.outline.graph.sections or self.outline.graph.triggers):
            return []
        if self.query.strip():
            return self.outline.rows_to(node.place for node in self.matching())
        return self.outline.rows(self.folded)


async def laid_out(story: Story) -> Outline:
    """The outline of a story; a large one is laid out beside the keyboard."""
    if len(story.sections) <= AT_ONCE:
        return outline(story.graph())
    return await asyncio.to_thread(lambda: outline(story.graph()))


class Desk(Protocol):
    """What the parts of the narrative screen ask of it. A part changes nothing but through these methods."""

    session: Session

    @property
    def state(self) -> NarrativeState: ...

    @property
    def editor(self) -> StoryEditor:
        """What is written of the present story."""

    @property
    def node(self) -> Node | None:
        """The node with the cursor of the tree."""

    @property
    def is_attached(self) -> bool:
        """Whether the screen is still there: another profile may have been opened."""

    @property
    def workbench(self) -> ChartuiApp: ...

    @property
    def service(self) -> Service: ...

    def start(self, work: Callable[[], Coroutine[Any, Any, None]], *, group: str, title: str = "") -> None:
        """Do ``work`` beside the keyboard; what was started before in the same ``group`` is given up."""

    def under_way(self, group: str) -> bool:
        """Whether something that was started in ``group`` has not ended."""

    def loading_text(self, *groups: str, width: int | None = None) -> str:
        """What is being read in these groups, in at most ``width`` cells."""

    def label(self, command: str) -> str:
        """The key of a command, as it is written for people."""

    def offer(self, copyable: Copyable, *, as_file: bool) -> None:
        """Copy a text, or write it to a file."""

    def refuses(self) -> bool:
        """Whether nothing can be changed just now, which is shown: under the lock, or before there is a story."""

    def stage(self, story: Story, title: str, *, keep: str | None = None, field: str = "") -> None:
        """Stage ``story`` as one more step, which ``title`` names; what is typed into one ``field`` is one step.

        The cursor stays on its node, or goes to the one with the id ``keep``.
        """

    def show_state(self, state: NarrativeState, *, keep: str | None = None) -> None:
        """Show another state in the tree; the cursor stays on its node, or goes to the one with the id ``keep``."""

    def show_story(self, character: Character | None = None, *, keep: str | None = None) -> None:
        """Show the story of the editor everywhere, and the record of its ``character`` where it was read again."""

    def show_made(self, ids: Mapping[str, str]) -> None:
        """Show the story of the editor where what was new has other ``ids`` by now; the cursor stays on it."""

    def show_tabs(self) -> None:
        """Show in the tabs what belongs to the story and to the node with the cursor."""

    def turn_to(self, tab: Tab) -> None:
        """Show a tab; the focus stays in the tree where it is."""

    def open_tab(self, tab: Tab, *, fill: bool = False) -> None:
        """Show a tab, and let keys go there; in a narrow window it may ``fill`` all of it."""

    def fill_window(self, full: bool) -> None:
        """Show the tab alone, or beside the tree; the focus goes to what is in sight."""

    def focus_tree(self) -> None:
        """Let keys go to the tree."""

    def show_tree(self) -> None:
        """Bring the tree into sight beside the tab; the focus stays where it is."""

    def go_to(self, node: Node, *, jump: bool = True) -> None:
        """Put the cursor of the tree on a node, whatever hides it; a ``jump`` can be undone by going back."""

    def turn_to_character(self, character_id: str) -> None:
        """Read the graph of another character."""
