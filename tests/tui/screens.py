"""The screens as a test knows them: what somebody sees there, by its name. Only here a test reaches into a screen, so
that a screen may be built in another way without a test being written anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from textual.widget import Widget

from chartui.tui.screens.actions.screen import ActionsScreen
from chartui.tui.screens.actions.state import Pane as ActionsPane
from chartui.tui.screens.characters.history_pane import PastView
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.screens.characters.seeing import Sight
from chartui.tui.screens.characters.settings import SettingsForm
from chartui.tui.screens.characters.state import Pane as CharactersPane
from chartui.tui.screens.estimator.rank import RankList
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.screens.narrative.lint_view import LintView, Told
from chartui.tui.screens.narrative.map_view import MapView
from chartui.tui.screens.narrative.screen import NarrativeScreen
from chartui.tui.screens.narrative.section_view import SectionView
from chartui.tui.screens.narrative.state import Pane as NarrativePane
from chartui.tui.screens.narrative.walk_view import WalkView
from chartui.tui.screens.requests.screen import RequestsScreen
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.form import FieldRow
from chartui.tui.widgets.json_view import JsonView
from chartui.tui.widgets.line_list import LineList
from chartui.tui.widgets.line_tree import LineTree
from chartui.tui.widgets.screen import Copyable, WorkScreen

if TYPE_CHECKING:
    from textual.timer import Timer

    from chartui.core.actions.turn import Turn
    from chartui.core.backends.layers import Call
    from chartui.core.characters.comparing import Comparison
    from chartui.core.characters.models import Models
    from chartui.core.jsontext import Wire
    from chartui.core.narrative.nodes import Node
    from chartui.core.narrative.outline import Outline, Row
    from chartui.core.narrative.story import Story
    from chartui.core.plans.settings import Staged
    from chartui.core.session import Session
    from chartui.core.spec.models.characters import Character
    from chartui.core.spec.models.summaries import CharacterSummary
    from chartui.core.spec.records import Records
    from chartui.tui.screens.actions.state import Repetition, Talk
    from chartui.tui.screens.characters.state import Shown
    from chartui.tui.screens.estimator.rank import _Row as RankRow
    from chartui.tui.screens.estimator.state import EstimatorState
    from chartui.tui.screens.estimator.study import Study
    from chartui.tui.screens.narrative.spot import Spot
    from chartui.tui.screens.narrative.walk_rows import Playing

__all__ = ["Actions", "Characters", "Estimator", "Narrative", "Reader", "Requests"]

S = TypeVar("S", bound=WorkScreen)
W = TypeVar("W", bound=Widget)


class Reader(Generic[S]):
    """What the screens have in common."""

    def __init__(self, screen: S) -> None:
        self._screen = screen

    @property
    def is_attached(self) -> bool:
        """Whether the screen is still part of the program."""
        return self._screen.is_attached

    def find(self, kind: type[W]) -> W:
        """The one widget of a kind, whatever lies over the screen."""
        return self._screen.query_one(kind)

    def copy_choices(self) -> Sequence[Copyable]:
        """What can be copied at the cursor."""
        return self._screen.copy_choices()


class Narrative(Reader[NarrativeScreen]):
    """The narrative graph."""

    @property
    def character(self) -> Character:
        """Whose graph it is."""
        character = self._screen.state.character
        assert character is not None
        return character

    @property
    def wanted(self) -> str:
        """The id of the character whose graph is asked for."""
        wanted = self._screen.state.wanted
        assert wanted is not None
        return wanted

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
        return self._screen.edits

    @property
    def conflicts(self) -> Sequence[object]:
        """What was changed here and elsewhere."""
        return self._screen.written.conflicts

    async def kept(self) -> None:
        """Wait until every draft is on the disk."""
        await self._screen._keeper.settled()

    def tell(self, story: Story, *, keep: str | None = None) -> None:
        """Show another story, as if it had been written; the cursor stays on the row ``keep``."""
        self._screen.tell_story(story, keep=keep)

    def turn_to(self, character_id: str) -> None:
        """Go to another character, and tell of it what is known."""
        self._screen.turn_to_character(character_id)
        self._screen.show_panes()

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
        return self._screen._tree

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
        return self._screen._tree.current

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
        return self._screen.spot

    def go_to_section(self, section_id: str) -> None:
        """Put the cursor on a section."""
        self._screen.go_to_section(section_id)

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
    def pane(self) -> NarrativePane:
        """The pane in sight."""
        return self._screen.state.pane

    @property
    def in_panes(self) -> bool:
        """Whether the keys go to a pane."""
        return self._screen.panes.has_focus_within

    def fills_window(self) -> bool:
        """Whether a pane has the whole window."""
        return self._screen.has_class("-full")

    @property
    def title(self) -> str:
        """The names of the panes, as the border has them."""
        return str(self._screen.panes.border_title)

    @property
    def count(self) -> str:
        """What the lower border of the panes counts."""
        return str(self._screen.panes.border_subtitle)

    @property
    def section(self) -> SectionView:
        """The pane of the section."""
        return self._screen.panes.section

    @property
    def map(self) -> MapView:
        """The pane of the map."""
        return self._screen.panes.map

    @property
    def walk(self) -> WalkView:
        """The pane of the walk."""
        return self._screen.panes.walk

    @property
    def findings(self) -> LintView:
        """The pane of what is wrong."""
        return self._screen.panes.findings

    @property
    def told(self) -> Sequence[Told]:
        """What is wrong, in the order of the list."""
        return self._screen.panes.findings._told

    @property
    def told_text(self) -> str:
        """The whole list of what is wrong as one text, also what is scrolled away."""
        rows = self._screen.panes.findings._rows
        return " ".join(" ".join(strip.text.split()) for strip, _ in rows if strip is not None)

    @property
    def looked_over(self) -> Story | None:
        """The story in which this was found."""
        return self._screen._looked_over.story

    @property
    def asks_line(self) -> bool:
        """Whether a line is asked for at the foot of the panes."""
        return self._screen.panes.entry.asking

    @property
    def playing(self) -> Playing:
        """The walk."""
        found = self._screen._playing_now()
        assert found is not None
        return found


class Characters(Reader[CharactersScreen]):
    """The characters: list, record, settings."""

    @property
    def view(self) -> LineList[CharacterSummary]:
        """The list."""
        return self._screen._list

    @property
    def summaries(self) -> Sequence[CharacterSummary]:
        """All characters, in sight or not."""
        return self._screen.state.summaries

    @property
    def names(self) -> list[str | None]:
        """The names in the list."""
        return [summary.character_name for summary in self._screen._list.items]

    @property
    def current(self) -> CharacterSummary | None:
        """The character at the cursor; None where there is none."""
        return self._screen.current

    @property
    def name(self) -> str | None:
        """Its name; None where there is none."""
        return self.current.character_name if self.current is not None else None

    @property
    def selected(self) -> Sequence[CharacterSummary]:
        """Those that are marked."""
        return self._screen.selected

    @property
    def query(self) -> str:
        """What the list is filtered by."""
        return self._screen.state.query

    @property
    def fuzzy(self) -> bool:
        """Whether it is filtered by letters."""
        return self._screen.state.fuzzy

    @property
    def loading(self) -> bool:
        """Whether the list is being read."""
        return self._screen.state.loading

    @property
    def records(self) -> Records:
        """The records that were read for the list."""
        return self._screen.state.records

    @property
    def described(self) -> bool:
        """Whether the records can be searched."""
        return self._screen.state.described

    # -- the character beside the list --------------------------------------------------------------------------------

    @property
    def shown_id(self) -> str | None:
        """The id of the character beside the list."""
        return self._screen.state.shown

    @property
    def record(self) -> Mapping[str, Wire]:
        """Its record; empty until it is there."""
        return self._screen.state.record

    @property
    def pane(self) -> CharactersPane:
        """The pane in sight."""
        return self._screen.state.pane

    @property
    def shows_detail(self) -> bool:
        """Whether the panes are in sight."""
        return self._screen.detail.display

    def fills_window(self) -> bool:
        """Whether the panes have a narrow window to themselves."""
        return self._screen.has_class("-detail")

    @property
    def in_detail(self) -> bool:
        """Whether the keys go to a pane."""
        return self._screen.detail.has_focus_within

    @property
    def is_finding(self) -> bool:
        """Whether a word of the record can be typed."""
        return self._screen.detail.find.display

    @property
    def record_view(self) -> FieldsView:
        """The pane of the record."""
        return self._screen.detail.record

    @property
    def raw_view(self) -> JsonView:
        """The pane of the record as it was read."""
        return self._screen.detail.raw

    @property
    def past_view(self) -> PastView:
        """The pane of the history."""
        return self._screen.detail.past

    @property
    def form(self) -> SettingsForm:
        """The pane of the settings."""
        return self._screen.detail.form

    def open_pane(self, name: str) -> None:
        """Turn to a pane."""
        self._screen.action_open_pane(name)

    @property
    def look_timer(self) -> Timer | None:
        """What waits until the character counts as seen."""
        return self._screen._looking

    @property
    def sight(self) -> Sight:
        """What is known of the last visit."""
        return self._screen.sight

    # -- settings -----------------------------------------------------------------------------------------------------

    @property
    def settings(self) -> Shown:
        """The settings that are shown."""
        shown = self._screen.shown
        assert shown is not None
        return shown

    @property
    def are_settings_shown(self) -> bool:
        """Whether the settings have been read."""
        return self._screen.shown is not None

    @property
    def now(self) -> Mapping[str, Wire] | None:
        """The settings as they are stored; None until they are there."""
        return self._screen.state.now

    @property
    def staged(self) -> Mapping[str, Staged]:
        """What is to be saved, by character."""
        return self._screen.state.staged

    @property
    def models(self) -> Models | None:
        """The models; None until they are known."""
        return self._screen.state.models

    def keep(self, staged: Staged) -> None:
        """Write a draft again, as the program does by itself."""
        self._screen._keeper.keep(staged)

    async def kept(self) -> None:
        """Wait until every draft is on the disk."""
        await self._screen._keeper.settled()

    def refresh_bars(self) -> None:
        """Draw the bars again, as when the lock is another."""
        self._screen.refresh_bars()

    # -- two characters -----------------------------------------------------------------------------------------------

    @property
    def is_comparing(self) -> bool:
        """Whether two are held against each other, and the cursor is on what differs."""
        panel = self._screen._panel
        return panel is not None and panel.view.at_cursor is not None

    @property
    def comparison(self) -> Comparison | None:
        """What came of it."""
        return self._screen._comparison

    @property
    def other_profile(self) -> Session | None:
        """The other profile, while one is open."""
        return self._screen._other


class Actions(Reader[ActionsScreen]):
    """The actions: the scene, what is said, and the reply."""

    @property
    def talk(self) -> Talk:
        """What was said with this character, and what is composed."""
        talk = self._screen.state.talk
        assert talk is not None
        return talk

    @property
    def turn(self) -> Turn:
        """What is composed."""
        return self.talk.turn

    @property
    def repetition(self) -> Repetition:
        """How far the turns are being said again."""
        return self.talk.repetition

    @property
    def has_talk(self) -> bool:
        """Whether there is somebody to speak to."""
        return self._screen.state.talk is not None

    @property
    def talks(self) -> Mapping[str, Talk]:
        """The same of every character."""
        return self._screen.state.talks

    @property
    def wanted(self) -> str:
        """The id of the character that is spoken to."""
        wanted = self._screen.state.wanted
        assert wanted is not None
        return wanted

    @property
    def name(self) -> str:
        """Its name."""
        return self._screen.state.name

    @property
    def pane(self) -> ActionsPane:
        """The pane in sight."""
        return self._screen.state.pane

    @property
    def parts(self) -> Sequence[Widget]:
        """The parts of the screen."""
        screen = self._screen
        return [screen._scene, screen._reply, screen._notice, screen._say]

    @property
    def reply(self) -> Widget:
        """The part with the reply."""
        return self._screen._reply

    @property
    def row(self) -> FieldRow:
        """The row of the scene at the cursor."""
        row = self._screen._scene.current
        assert row is not None
        return row

    @property
    def rows(self) -> Sequence[FieldRow]:
        """The rows of the scene that can be changed."""
        return [row for row in self._screen._scene._rows if isinstance(row, FieldRow)]

    @property
    def said(self) -> str:
        """What stands in the box for what is said."""
        return self._screen._say.text

    def compose(self, talk: Talk) -> None:
        """Have this composed, as if it had been written."""
        self._screen._change(talk)

    def turn_to(self, character_id: str) -> None:
        """Speak to somebody else."""
        self._screen._turn_to(character_id)

    async def kept(self) -> None:
        """Wait until every draft is on the disk."""
        await self._screen._keeper.settled()


class Estimator(Reader[EstimatorScreen]):
    """The estimator: its inputs, its estimate, its views."""

    @property
    def now(self) -> EstimatorState:
        """All that it shows, as one value: inputs, estimate, what is pinned."""
        return self._screen.state

    def show(self, state: EstimatorState) -> None:
        """Show this instead, as if it had been typed or answered."""
        self._screen.show(state)

    @property
    def study(self) -> Study:
        """What the views work with."""
        study = self._screen.study
        assert study is not None
        return study

    def begin_with(self, chosen: Mapping[str, str | bool], typed: Mapping[str, str]) -> None:
        """Start from other inputs."""
        self._screen.begin_with(chosen, typed)

    @property
    def ranked(self) -> RankList:
        """The list of the ranking."""
        return self._screen.query_one(RankList)

    @property
    def ranking(self) -> Sequence[RankRow]:
        """The rows of the ranking, also those that are scrolled away."""
        return self.ranked._rows


class Requests(Reader[RequestsScreen]):
    """The requests: the list of calls, and the one at the cursor."""

    @property
    def view(self) -> LineList[Call]:
        """The list."""
        return self._screen._list

    @property
    def names(self) -> list[str]:
        """The names of the operations in the list."""
        return [call.operation.name for call in self._screen._list.items]

    @property
    def current(self) -> Call:
        """The call at the cursor."""
        call = self._screen._list.current
        assert call is not None
        return call

    @property
    def shown(self) -> Call | None:
        """The call beside the list."""
        return self._screen._call.call
