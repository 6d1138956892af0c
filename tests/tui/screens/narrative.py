"""The narrative graph as a test knows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chartui.core.narrative.nodes import section_node
from chartui.tui.screens.narrative.screen import NarrativeScreen
from chartui.tui.screens.narrative.state import Tab
from chartui.tui.screens.narrative.tabs.lint import LintView, Listed
from chartui.tui.screens.narrative.tabs.map import MapView
from chartui.tui.screens.narrative.tabs.section import SectionView
from chartui.tui.screens.narrative.tabs.walk_view import WalkView
from chartui.tui.screens.narrative.work import StoryWork
from chartui.tui.widgets.line_tree import LineTree
from tests.tui.screens.reader import Reader

if TYPE_CHECKING:
    from chartui.core.narrative.nodes import Node
    from chartui.core.narrative.outline import Outline, Row
    from chartui.core.narrative.signs import Untested
    from chartui.core.narrative.story import Story
    from chartui.core.spec.models.characters import Character
    from chartui.tui.screens.narrative.spot import Spot
    from chartui.tui.screens.narrative.tabs.walk_text import Playing

__all__ = ["Narrative"]


class Narrative(Reader[NarrativeScreen]):
    """The narrative graph."""

    @property
    def character(self) -> Character:
        """Whose graph it is."""
        character = self._screen.state.character
        assert character is not None
        return character

    @property
    def name(self) -> str | None:
        """The name of that character; None until it is read."""
        character = self._screen.state.character
        return character.character_name if character is not None else None

    @property
    def wanted(self) -> str:
        """The id of the character whose graph is asked for."""
        wanted = self._screen.state.wanted
        assert wanted is not None
        return wanted

    @property
    def in_hand(self) -> str | None:
        """The character that other screens open."""
        return self._screen.in_hand

    @property
    def story(self) -> Story:
        """The story as it is being written."""
        story = self._screen.state.story
        assert story is not None
        return story

    @property
    def stored(self) -> Story:
        """The story as it was read."""
        story = self._screen.state.stored
        assert story is not None
        return story

    @property
    def staged(self) -> bool:
        """Whether something is to be sent."""
        return self._screen.state.staged

    @property
    def edits(self) -> object:
        """What is to be sent; false when it is nothing."""
        return self._screen.editor.edits

    @property
    def conflicts(self) -> Sequence[object]:
        """What was changed here and elsewhere."""
        return self._screen.editor.conflicts

    async def kept(self) -> None:
        """Wait until every draft is on the disk."""
        await self._screen._drafts.settled()

    def tell(self, story: Story, *, keep: str | None = None) -> None:
        """Show another story, as if it had been written; the cursor stays on the row ``keep``."""
        self._screen.editor.story = story
        self._screen.show_story(keep=keep)

    def turn_to(self, character_id: str) -> None:
        """Go to another character, and tell of it what is known."""
        self._screen.turn_to_character(character_id)
        self._screen.show_tabs()

    def toggle(self) -> None:
        """Ask for the graph to be followed, or not, whatever has the keys."""
        self._screen.action_toggle_narrative()

    @property
    def reads_drafts(self) -> bool:
        """Whether the drafts of before are still being read."""
        return any(work.group == "drafts" for work in self._screen.workers)

    # -- the tree -----------------------------------------------------------------------------------------------------

    @property
    def tree(self) -> LineTree:
        """The tree."""
        return self._screen._tree.view

    @property
    def rows(self) -> Sequence[Row]:
        """The rows of the tree."""
        return self._screen.state.rows()

    @property
    def matching(self) -> Sequence[Node]:
        """What holds every word of the filter."""
        return self._screen.state.matching()

    @property
    def folded(self) -> frozenset[str]:
        """The rows whose children are hidden."""
        return self._screen.state.folded

    @property
    def row(self) -> Node | None:
        """The row at the cursor of the tree, None where there is none."""
        return self._screen._tree.view.current

    @property
    def here(self) -> Node:
        """The same where there is one."""
        node = self.row
        assert node is not None
        return node

    @property
    def node(self) -> Node | None:
        """What the screen is about: the row at the cursor, unless it stands in a story that is no more."""
        return self._screen.node

    @property
    def spot(self) -> Spot:
        """What a key would change."""
        return self._screen.query_one(StoryWork).spot

    def go_to_section(self, section_id: str) -> None:
        """Put the cursor on a section."""
        self._screen.go_to(section_node(section_id))

    @property
    def outline(self) -> Outline:
        """How the tree is laid out."""
        outline = self._screen.state.outline
        assert outline is not None
        return outline

    @property
    def is_read(self) -> bool:
        """Whether there is a graph."""
        return self._screen.state.outline is not None

    @property
    def pending(self) -> bool:
        """Whether the tree is still that of another story."""
        return self._screen.state.pending

    # -- the panes ----------------------------------------------------------------------------------------------------

    @property
    def pane(self) -> Tab:
        """The pane in sight."""
        return self._screen.state.tab

    @property
    def in_panes(self) -> bool:
        """Whether the keys go to a pane."""
        return self._screen._tabs.has_focus_within

    def fills_window(self) -> bool:
        """Whether a pane has the whole window."""
        return self._screen.has_class("-full")

    @property
    def title(self) -> str:
        """The names of the panes, as the border has them."""
        return str(self._screen._tabs.border_title)

    @property
    def count(self) -> str:
        """What the lower border of the panes counts."""
        return str(self._screen._tabs.border_subtitle)

    @property
    def section(self) -> SectionView:
        """The pane of the section."""
        return self._screen._tabs.section.view

    @property
    def map(self) -> MapView:
        """The pane of the map."""
        return self._screen._tabs.map.view

    @property
    def walk(self) -> WalkView:
        """The pane of the walk."""
        return self._screen._tabs.walk.view

    @property
    def findings(self) -> LintView:
        """The pane of what is wrong."""
        return self._screen._tabs.lint.view

    @property
    def told(self) -> Sequence[Listed]:
        """What is wrong, in the order of the list."""
        return self._screen._tabs.lint.view._told

    @property
    def told_text(self) -> str:
        """The whole list of what is wrong as one text, also what is scrolled away."""
        rows = self._screen._tabs.lint.view._rows
        return " ".join(" ".join(strip.text.split()) for strip, _ in rows if strip is not None)

    @property
    def looked_over(self) -> Story | None:
        """The story in which this was found."""
        return self._screen._tabs.lint._found.story

    @property
    def asks_line(self) -> bool:
        """Whether a line is asked for at the foot of the panes."""
        return self._screen._tabs.entry.asking

    @property
    def untested(self) -> Untested:
        """What is marked as untested in the story."""
        state = self._screen.state
        assert state.outline is not None
        return state.untested.of(state.outline.graph)

    @property
    def playing(self) -> Playing:
        """The walk."""
        found = self._screen._tabs.walk.playing()
        assert found is not None
        return found
