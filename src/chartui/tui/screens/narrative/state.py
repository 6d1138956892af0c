"""The state of the narrative screen, and the interface of the screen to its parts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol

from chartui.core.classes import dataclass
from chartui.core.narrative.nodes import Node
from chartui.core.narrative.outline import Outline, Row, outline
from chartui.core.narrative.signs import ALL_TESTED, Untested
from chartui.core.narrative.story import Story
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character

if TYPE_CHECKING:
    from chartui.core.plans.story_editor import StoryEditor
    from chartui.core.service import Service
    from chartui.core.session import Session
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.narrative.spot import Spot
    from chartui.tui.widgets.screen import Copyable

#: Larger stories, in sections, are laid out in the background; smaller ones take less time than a frame.
AT_ONCE: Final = 1_000


#: The topic of messages on a key that does nothing here: they go with the next key.
UNTIL_NEXT_KEY: Final = "until the next key"


class Tab(StrEnum):
    """A tab beside the tree."""

    SECTION = "section"
    MAP = "map"
    LINT = "lint"
    WALK = "walk"
    STATS = "stats"


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrativeState:
    """The graph of a character and its presentation.

    ``wanted`` is the id of the requested character, if any, and ``known_as`` its name from another screen.
    ``stored`` is the story as read; ``story`` includes the staged changes, and is the same object without any.
    ``outline`` is that of ``outlined``: of ``story``, or of its predecessor while a large story is being laid out.
    The tree shows only the matches of ``query`` and their parents, unless they are marked ``in_place`` or all
    rows are ``unhidden`` until the query changes.
    ``untested`` is what neither saved nor random walks reached, whichever ran last. ``start_loading`` says whether the
    start is unknown only because the record is still loading.
    Sections keep the places that they have in ``anchor``; without one, all are placed again. The tree has room for
    ``levels``, counted from the node with the id ``root`` if that is set, or else from the top.
    """

    wanted: str | None = None
    known_as: str = ""
    character: Character | None = None
    stored: Story | None = None
    story: Story | None = None
    outlined: Story | None = None
    outline: Outline | None = None
    anchor: Outline | None = None
    levels: int | None = None
    root: str | None = None
    folded: frozenset[str] = frozenset()
    query: str = ""
    in_place: bool = False
    unhidden: bool = False
    tab: Tab = Tab.SECTION
    loading: bool = True
    start_loading: bool = False
    error: ServiceError | None = None
    note: str = ""
    untested: Untested = ALL_TESTED

    @property
    def name(self) -> str:
        return (
            (self.character.character_name if self.character is not None else None)
            or self.known_as
            or self.wanted
            or ""
        )

    @property
    def title(self) -> str:
        """The name once it or the graph has been read."""
        return self.name if self.character is not None or self.known_as else "Narrative"

    @property
    def searching(self) -> bool:
        """Whether the tree is searched."""
        return bool(self.query.strip())

    @property
    def narrowed(self) -> bool:
        """Whether the tree shows only what matches."""
        return self.searching and not (self.in_place or self.unhidden)

    @property
    def unfilled(self) -> bool:
        """Whether there is no character whose story could be shown."""
        return self.story is None and not self.loading and self.error is None and not self.note

    @property
    def staged(self) -> bool:
        """Whether the story differs from the stored one."""
        return self.story is not self.stored

    @property
    def pending(self) -> bool:
        """Whether the outline belongs to an earlier story."""
        return self.outlined is not self.story

    def telling(self, story: Story | None) -> NarrativeState:
        """The state with another story; a large one keeps the previous outline for now."""
        state = replace(self, story=story)
        if not state.pending:
            return replace(state, anchor=self.outline)
        if story is None or len(story.sections) > AT_ONCE:
            return state
        return state.outlining(outline(story.graph(), self.anchor))

    def outlining(self, outline: Outline) -> NarrativeState:
        return replace(self, outline=outline, anchor=outline, outlined=self.story)

    def in_reach(self, node_id: str | None) -> NarrativeState:
        """The state in which the tree has room for the level of a node, if that exists."""
        node = self.outline.find(node_id) if self.outline is not None and node_id is not None else None
        if node is None or self.outline is None or self.levels is None or self.narrowed:
            return self
        root = self.outline.find(self.root) if self.root is not None else None
        inside = root is None or root.place <= node.place < root.end
        if inside and node.level - (root.level if root is not None else 0) <= self.levels:
            return self
        root = self.outline.root_for(node, self.levels)
        return replace(self, root=root.id if root is not None else None)

    def revealing(self, node: Node) -> NarrativeState:
        """The state in which no fold hides a node, and the tree has room for its level."""
        above = self.outline.ancestors(node) if self.outline is not None else ()
        return replace(self, folded=self.folded - {each.id for each in above}).in_reach(node.id)

    def matching(self) -> tuple[Node, ...]:
        return self.outline.matching(self.query) if self.outline is not None else ()

    def rows(self) -> Sequence[Row]:
        """The visible rows."""
        if self.outline is None or not (self.outline.graph.sections or self.outline.graph.triggers):
            return ()
        if self.narrowed:
            return self.outline.rows_to((node.place for node in self.matching()), levels=self.levels)
        root = self.outline.find(self.root) if self.root is not None else None
        return self.outline.rows(self.folded, root=root, levels=self.levels)


async def laid_out(story: Story, anchor: Outline | None = None) -> Outline:
    """The outline of a story, computed in the background for a large one; sections keep their places in ``anchor``."""
    if len(story.sections) <= AT_ONCE:
        return outline(story.graph(), anchor)
    return await asyncio.to_thread(lambda: outline(story.graph(), anchor))


class Desk(Protocol):
    """The interface of the narrative screen to its parts, which change things only through it."""

    session: Session

    @property
    def state(self) -> NarrativeState: ...

    @property
    def editor(self) -> StoryEditor:
        """The editor of the current story."""

    @property
    def node(self) -> Node | None:
        """The selected node of the tree."""

    @property
    def at_hand(self) -> Node | None:
        """The node that keys act on: that of the selected finding while Lint has the focus, or else :attr:`node`."""

    @property
    def spot(self) -> Spot:
        """The target of an edit: the selected line or finding of the focused tab, or else :attr:`node`."""

    @property
    def is_attached(self) -> bool:
        """Whether the screen still exists; opening another profile removes it."""

    @property
    def workbench(self) -> ChartuiApp: ...

    @property
    def service(self) -> Service: ...

    def start(self, work: Callable[[], Coroutine[Any, Any, None]], *, group: str, title: str = "") -> None:
        """Run ``work`` in the background; cancels earlier work in the same ``group``."""

    def under_way(self, group: str) -> bool:
        """Whether work in ``group`` is still running."""

    def loading_text(self, *groups: str, width: int | None = None) -> str:
        """The progress of these groups, in at most ``width`` cells."""

    def label(self, command: str) -> str:
        """The shortcut of a command, for display."""

    def offer(self, copyable: Copyable, *, as_file: bool) -> None:
        """Offer to copy a text or write it to a file."""

    def refuses(self) -> bool:
        """Whether changes are impossible now, with a message: while locked, or before the story is loaded."""

    def stage(self, story: Story, title: str, *, keep: str | None = None, field: str = "") -> None:
        """Stage ``story`` as one more step called ``title``; typing into one ``field`` is a single step.

        The cursor stays on its node, or moves to the node ``keep``.
        """

    def show_state(self, state: NarrativeState, *, keep: str | None = None) -> None:
        """Show another state in the tree; the cursor stays on its node, or moves to the node ``keep``."""

    def show_story(self, character: Character | None = None, *, keep: str | None = None) -> None:
        """Show the editor's story everywhere, and the record of its ``character`` if that was refreshed."""

    def show_made(self, ids: Mapping[str, str]) -> None:
        """Show the editor's story after new items got their real ``ids``; the cursor stays on its item."""

    def show_tabs(self) -> None:
        """Show the story and its selected node in the tabs."""

    def turn_to(self, tab: Tab) -> None:
        """Show a tab; the focus stays in the tree if it is there."""

    def open_tab(self, tab: Tab) -> None:
        """Show and focus a tab; in a narrow window the map and the walk fill the window."""

    def fill_window(self, full: bool) -> None:
        """Show the tab alone or beside the tree; the focus moves to a visible part."""

    def focus_tree(self) -> None:
        """Focus the tree."""

    def show_tree(self) -> None:
        """Show the tree beside the tab; the focus stays."""

    def shows(self, node_id: str) -> bool:
        """Whether the row of a node is in sight."""

    def go_to(self, *node_ids: str, jump: bool = True) -> None:
        """Move the tree's cursor to the first of these nodes that exists, revealing it if hidden.

        A ``jump`` can be undone by going back.
        """

    def turn_to_character(self, character_id: str) -> None:
        """Read the graph of another character."""
