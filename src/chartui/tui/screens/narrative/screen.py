"""The narrative graph of one character: a tree for reading, and tabs for editing, drawing, linting and playing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.binding import BindingType
from textual.widget import Widget

from chartui.commands import Command
from chartui.core.bookmark import ScreenPlace, tab_in, text_in
from chartui.core.jsontext import Wire
from chartui.core.naming import BadName, Item, find
from chartui.core.narrative.graph import visible_name
from chartui.core.narrative.nodes import Kind, Node, section_node
from chartui.core.narrative.story import Story
from chartui.core.plans.story_editor import StoryEditor
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.garbage import lasting
from chartui.tui.guides import no_characters, story_not_loaded
from chartui.tui.screens.narrative.drafts import StoryDrafts
from chartui.tui.screens.narrative.reader import GraphRead, RecordRead, read_graph
from chartui.tui.screens.narrative.spot import Spot, spot_at, spot_of
from chartui.tui.screens.narrative.state import NarrativeState, Tab
from chartui.tui.screens.narrative.tabs.panel import StoryTabs
from chartui.tui.screens.narrative.tree import TreePanel
from chartui.tui.screens.narrative.work import StoryWork
from chartui.tui.shell.first_character import found_character, naming_character
from chartui.tui.widgets.screen import NORMAL, Copyable, WorkScreen

if TYPE_CHECKING:
    from chartui.tui.shell.palette import Group


#: Characters whose folder of walks is remembered.
_MOST_FOLDERS: Final = 30

#: Commands that the footer offers only once there is a graph, and those that also need a section or trigger in it.
_OF_A_GRAPH: Final = frozenset({"add-to-story", "toggle-narrative"})
_OF_ROWS: Final = frozenset(
    {"fold", "edit-text", "filter-sections", "map-focus", "lint-severity", "restart-walk", "new-walk"}
)


class NarrativeScreen(WorkScreen):
    """Holds the state and shows it in the tree and the tabs, which change it through the methods of a desk."""

    SCOPE = "narrative"
    DATA = "graph"
    LIVE = True
    AUTO_FOCUS = "#tree"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("narrative")

    def __init__(self) -> None:
        super().__init__()
        self.state = NarrativeState()
        #: The place to start at, until the graph is there.
        self._start: ScreenPlace = {}
        #: Whether a tab fills the window only because the window was narrow when the tab was opened.
        self._filled_narrow = False

    @cached_property
    def _drafts(self) -> StoryDrafts:
        return StoryDrafts(self)

    def compose_work(self) -> Iterable[Widget]:
        self._tree = TreePanel(self)
        self._tabs = StoryTabs(self)
        yield StoryWork(self, self._drafts, self._tree, self._tabs)

    def prepare(self) -> None:
        walks = self._start.get("walks")
        if isinstance(walks, Mapping):
            self._tabs.walk.folders = {key: folder for key, folder in walks.items() if isinstance(folder, str)}
        self._shown_locked = self.locked
        self._tree.start_with(self.state.query)
        self._tabs.turn_to(self.state.tab)
        self.show_state(self.state)
        self.show_tabs()
        self.set_class(self._start.get("full") is True, "-full")

    def place(self) -> ScreenPlace:
        section, state = self.section, self.state
        in_tab = self._tabs.has_focus_within
        there = {"section": section.id if section else None, "character": state.wanted, "in_tab": in_tab}
        if state.tab is Tab.LINT:
            there["finding"] = self._tabs.lint.finding_name
        shown = {
            "tab": state.tab.value,
            "filter": state.query,
            "in_place": state.in_place,
            "full": self.has_class("-full"),
            "walks": dict([*self._tabs.walk.folders.items()][-_MOST_FOLDERS:]),
        }
        return {**self._start, **({} if self._start else there), **shown}

    def start_at(self, place: ScreenPlace) -> None:
        self._start = place
        self.state = replace(self.state, tab=tab_in(place, self.state.tab), query=text_in(place, "filter"))
        self.state = replace(self.state, in_place=place.get("in_place") is True)

    def _return_to_start(self) -> None:
        """Go to the section and the tab to start at: those named on the command line, or the last ones."""
        start, self._start = self._start, {}
        if start.get("character") in (None, self.state.wanted):
            self._find_section(text_in(start, "section"), start.get("character"))
            self._tabs.lint.go_to(text_in(start, "finding"))
        if start.get("full"):
            self.call_after_refresh(self.fill_window, True)
        elif start.get("in_tab"):
            self.open_tab(self.state.tab)

    def _find_section(self, wanted: str, owner: Wire) -> None:
        story = self.state.story
        if not wanted or story is None:
            return
        try:
            items = (Item(key, section.section_name or "") for key, section in story.sections.items())
            found = find("section", wanted, items)
        except BadName as error:
            if not self._drafts.resumed:  # the draft may contain it
                self._start = {"section": wanted, "character": owner}
                return
            gone = "The section you last worked on no longer exists."
            told, title = (str(error), "--section") if owner is None else (gone, "")
            self.workbench.tell(told, title=title, severity="warning")
        else:
            self.show_state(self.state, keep=section_node(found.id))
            self.show_tabs()

    # -- reading ------------------------------------------------------------------------------------------------------

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read the graph; keeps folds and cursor."""
        records = None if refresh else self.workbench.work.records_just_read  # graphs are never cached
        service: Callable[[], Service] = self.watched_service
        if self.workbench.names_character:
            self.show_state(replace(self.state, loading=True, note=""))
            try:
                service = await naming_character(self.workbench, service)
            except ServiceError as error:
                self.post_message(GraphRead(self.state.wanted, error=error))
                return
        wanted = self.state.wanted or self.workbench.character
        known_as = self.workbench.work.name_known(wanted) if wanted else ""
        self.show_state(replace(self.state, wanted=wanted, known_as=known_as, loading=True, note=""))
        with lasting():
            with suppress(ServiceError):  # looked up again before anything is sent
                self.show_made(await self.editor.look_for_made(self.service, self.session.journal))
            async for message in read_graph(service, wanted, self.state.character, records):
                self.post_message(message)

    @property
    def filled(self) -> bool:
        return self.state.outline is not None

    def show_loading(self) -> None:
        self._tree.show_loading()

    def refresh_bars(self) -> None:
        """Adapt to a changed lock."""
        super().refresh_bars()
        if self.is_mounted and self._shown_locked is not self.locked:
            self._shown_locked = self.locked
            self.show_state(self.state)
            self.show_tabs()

    def read_canceled(self, group: str) -> None:
        super().read_canceled(group)
        if group == "read":
            note = "" if self.filled else self.canceled()
            self.show_state(replace(self.state, loading=False, start_loading=False, note=note))
            self.show_tabs()

    @on(GraphRead)
    def _graph_was_read(self, message: GraphRead) -> None:
        if message.wanted != self.state.wanted:
            return
        state = replace(self.state, loading=False, error=message.error, note="")
        if message.character is not None and message.story is not None:
            identity = message.character.character_id
            self.workbench.character = identity
            state = replace(state, start_loading=message.record_follows and not message.story.start_known)
            self.state = replace(state, wanted=identity, outline=message.outline, outlined=message.story, anchor=None)
            found_character(self.workbench, there=True)
            self._put_over(message.character, message.story)
            self._return_to_start()
        elif found_character(self.workbench, there=state.error is None or state.error.kind is not ErrorKind.NOT_FOUND):
            self._stale, self._start = True, {}
            self.show_state(replace(state, wanted=None, error=None))
            return
        else:
            self.show_state(state)
            self.show_tabs()
        if message.error is not None and state.outline is not None:
            self.workbench.tell_failure(message.error, kept="The last version loaded is still shown.")

    @on(StoryDrafts.Found)
    def _drafts_were_resumed(self) -> None:
        """Start at the last section, if only its draft contains it."""
        if self.filled:
            self._return_to_start()

    @on(RecordRead)
    def _record_was_read(self, message: RecordRead) -> None:
        stored = self.state.stored
        if message.wanted != self.state.wanted or stored is None:
            return
        self.show_state(replace(self.state, start_loading=False))
        if message.error is not None:
            kept = "The graph is shown, but its start and its on/off state may be out of date."
            self.workbench.tell_failure(message.error, kept=kept)
        elif message.character is not None:
            story = stored.belonging_to(message.character)
            self._put_over(message.character, stored if story == stored else story)

    def _put_over(self, character: Character, stored: Story) -> None:
        """Show the story just read with the staged changes applied to it."""
        self.editor.name = character.character_name or character.character_id
        if stored is not self.editor.stored:
            self.editor.read(stored)
        # A refresh may move the section to another place, where a fold or the edge of the tree would hide it.
        self.show_story(character, keep=self.node.id if self.node is not None else None)

    async def settled(self) -> None:
        await self._drafts.settled()

    def leaving(self) -> str:
        return "\n\n".join(filter(None, [self._drafts.leaving(), *(work.leaving() for work in self.query(StoryWork))]))

    def palette_groups(self) -> Iterable[Group]:
        """The sections of the open graph."""
        from chartui.tui.shell.palette import SECTIONS, Entry, Group

        if self.state.outline is not None and self.state.story is not None:
            name = f"Opens this section in the graph of {single_line(self.state.name, limit=60)}."
            sections = self.state.story.sections.items()
            titles = (
                (key, single_line(visible_name(section.section_name, key), limit=60)) for key, section in sections
            )
            yield Group.of(
                [Entry(key, title, "section", name, (), partial(self._go_to_section, key)) for key, title in titles],
                SECTIONS,
            )

    async def _go_to_section(self, section_id: str) -> None:
        """Go to a section from any screen."""
        self.workbench.character = self.state.wanted  # the graph that is open, whatever is in hand elsewhere
        self.workbench.work.show("narrative", leads_back=True)
        await self.workbench.work.arrived()
        if self.state.outline is not None and self.state.outline.find(section_node(section_id)) is not None:
            self.fill_window(False)
            self.go_to(section_node(section_id))

    @property
    def in_hand(self) -> str | None:
        """The id of the character whose graph is open."""
        return self.state.wanted

    def name_known(self, character_id: str) -> str:
        character = self.state.character
        return character.character_name or "" if character is not None and character_id == self.state.wanted else ""

    @property
    def section(self) -> Item | None:
        node = self.node
        of_section = node is not None and node.kind in (Kind.SECTION, Kind.REFERENCE)
        return Item(node.section, node.title) if node is not None and of_section and node.section else None

    # -- showing ------------------------------------------------------------------------------------------------------

    @property
    def editor(self) -> StoryEditor:
        return self._drafts.editor(self.state.wanted or "")

    @property
    def node(self) -> Node | None:
        """The node under the cursor; None if its section is already gone from a story still being laid out."""
        node, story = self._tree.view.current, self.state.story
        if node is not None and story is not None and self.state.pending and node.kind is Kind.SECTION:
            return node if node.section in story.sections else None
        return node

    @property
    def at_hand(self) -> Node | None:
        lint, outline = self._tabs.lint, self.state.outline
        if not lint.view.has_focus or outline is None:
            return self.node
        nodes = lint.place.nodes if lint.place is not None else ()
        return next(filter(None, map(outline.find, reversed(nodes))), None)

    @property
    def spot(self) -> Spot:
        story, outline, section, lint = self.state.story, self.state.outline, self._tabs.section.view, self._tabs.lint
        if story is None or outline is None:
            return Spot()
        if lint.view.has_focus:
            return spot_of(story, lint.place) if lint.place is not None else Spot()
        return spot_at(story, outline, self.node, section.path or "" if section.has_focus else None)

    def show_story(self, character: Character | None = None, *, keep: str | None = None) -> None:
        state = replace(self.state, stored=self.editor.stored, character=character or self.state.character)
        state = state.telling(self.editor.story)
        kept = state.outline.find(keep) if state.outline is not None and keep is not None else None
        self.show_state(state if kept is None else state.revealing(kept), keep=keep)
        self.show_tabs()

    def show_made(self, ids: Mapping[str, str]) -> None:
        if ids and self.state.stored is not None:
            # A node's ID contains those of its section or trigger, and of the section that it belongs to.
            node = "/".join(ids.get(part, part) for part in self.node.id.split("/")) if self.node is not None else None
            self.show_story(keep=node)

    def show_state(self, state: NarrativeState, *, keep: str | None = None) -> None:
        self.state = state.in_reach(keep)
        self._tree.show(self.state, keep=keep)

    def show_tabs(self) -> None:
        self._tabs.show(self.state)
        self.refresh_bindings()

    def label(self, command: str) -> str:
        return self.workbench.keymap.label(command)

    def copy_choices(self) -> Sequence[Copyable]:
        return self._tabs.copy_choices(self.state.tab)

    def offer(self, copyable: Copyable, *, as_file: bool) -> None:
        from chartui.tui.clipboard import copy_text
        from chartui.tui.shell.files import offer_text

        (offer_text if as_file else copy_text)(self, copyable)

    # -- changing -----------------------------------------------------------------------------------------------------

    def refuses(self) -> bool:
        if self.workbench.refuses("editing the story"):
            return True
        if self.state.stored is None:
            self.workbench.tell(self._absence())
            self.workbench.refuse_typed_ahead()
        return self.state.stored is None

    def _absence(self) -> str:
        """Why no story can be edited, and the key that helps."""
        if self.state.error is not None:
            return story_not_loaded(self.workbench, self.state.error)
        if self.state.loading:
            return "The story is still loading. Try again in a moment."
        return self.state.note or no_characters(self.workbench)

    def stage(self, story: Story, title: str, *, keep: str | None = None, field: str = "") -> None:
        before = self.state.story
        if not self.refuses() and self.editor.stage(story, title, field=field):
            self.show_story(keep=keep)
            self._tree.unhide(before, keep=keep)

    # -- moving about -------------------------------------------------------------------------------------------------

    def turn_to(self, tab: Tab) -> None:
        self.state = replace(self.state, tab=tab)
        self._tabs.turn_to(tab)
        if tab is Tab.SECTION and self._filled_narrow:
            self.show_tree()
        else:
            self.show_tabs()

    def on_resize(self, event: events.Resize) -> None:
        if self._filled_narrow and event.size.width >= NORMAL:
            self.show_tree()

    def open_tab(self, tab: Tab) -> None:
        self.turn_to(tab)
        self._tabs.tab(tab).focus()
        if tab is not Tab.SECTION and self.has_class("-narrow") and not self.has_class("-full"):
            self.fill_window(True)
            self._filled_narrow = True

    def fill_window(self, full: bool) -> None:
        self._filled_narrow = False
        self.set_class(full, "-full")
        self.show_tabs()
        (self._tabs.tab(self.state.tab) if full else self._tree.view).focus()

    def show_tree(self) -> None:
        self._filled_narrow = False
        self.remove_class("-full")
        self.show_tabs()

    def focus_tree(self) -> None:
        self._tree.view.focus()

    def shows(self, node_id: str) -> bool:
        row = self._tree.view.find(node_id)
        return row is not None and self._tree.view.in_sight(row)

    def go_to(self, *node_ids: str, jump: bool = True) -> None:
        outline = self.state.outline
        node = next(filter(None, map(outline.find, node_ids)), None) if outline is not None else None
        if node is not None and node is not self.node:
            self._tree.go_to(node, jump=jump)

    @property
    def escape_cancels(self) -> bool:
        """Only while neither a tab nor the filter has the focus."""
        return not (self._tabs.has_focus_within or self._tree.filtering)

    @property
    def escape_clears(self) -> bool:
        return self._tree.filtering and not self._tabs.has_focus_within

    def enter(self, opener: str) -> None:
        """Forget earlier jumps, so that Esc returns to the screen that the graph was opened from."""
        super().enter(opener)
        if self.filled:
            self._tree.forget_jumps()

    @property
    def leads_back(self) -> bool:
        return self._tree.can_go_back or super().leads_back

    def footer_word(self, found: Command) -> str:
        """Hide what has no object: adding without a graph, folding and editing in an empty one, applying, fixing."""
        story, read = self.state.story, not self.state.loading
        if read and story is None and found.id in _OF_A_GRAPH:
            return ""
        if read and found.id in _OF_ROWS and (story is None or not (story.sections or story.triggers)):
            return ""
        if found.id in ("fold", "edit-text") and self.filled and self.node is None:
            return ""
        if found.id == "matches-in-place" and not self.state.narrowed:
            return "matches only"
        if found.id == "take-decision":
            return self._tabs.walk.view.choice_word
        finding = self._tabs.lint.selected
        if found.id == "apply-story" and not self.editor.edits:
            return ""
        if found.id == "fix-finding-in-story" and (finding is None or finding.fix is None):
            return ""
        return super().footer_word(found)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Whether a command applies now; “Back” needs something to go back to."""
        if action == "toggle_narrative" and self.state.unfilled:
            return False
        return action != "go_back" or bool(self.escape_word)

    def action_go_back(self) -> None:
        """Leave the filter, then the tab, then go back along the last jump, and finally to the previous screen."""
        if self._tabs.has_focus_within:
            if not self._tabs.tab(self.state.tab).go_back():
                self.fill_window(False)
        elif self._tree.filtering:
            self._tree.leave_filter()
        elif not self._tree.can_go_back:
            self.step_back()
        elif not self.cancel_read():
            self._tree.go_back()

    # -- the character ------------------------------------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        """Show the character requested by another screen."""
        super().on_screen_resume()
        wanted = self.workbench.character
        there = self.state.wanted is not None and self in self.workbench.work  # not of the profile before
        if there and wanted is not None and wanted != self.state.wanted:
            self.turn_to_character(wanted)
        elif there and self.state.tab is Tab.STATS:  # the inputs of the estimator may have changed
            self.show_tabs()

    def turn_to_character(self, character_id: str) -> None:
        self._tree.forget()
        self._tabs.lint.forget()
        self.show_state(NarrativeState(wanted=character_id, tab=self.state.tab))
        self.load_data()

    def action_pick_character(self) -> None:
        from chartui.tui.screens.narrative.character import pick_character

        self.start(partial(pick_character, self), group="pick")

    def action_toggle_narrative(self) -> None:
        from chartui.tui.screens.narrative.character import toggle_graph

        self.start(partial(toggle_graph, self), group="toggle")
