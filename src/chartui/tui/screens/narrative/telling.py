"""The part of the narrative screen that reads a story and shows it as a tree, however large it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace

from rich.cells import cell_len
from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from chartui.core.narrative.nodes import Kind, Node
from chartui.core.narrative.outline import Outline
from chartui.core.narrative.story import Story
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.records import Records
from chartui.core.spec.shape import build
from chartui.core.text import single_line
from chartui.tui.garbage import lasting
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.narrative.panes import Panes
from chartui.tui.screens.narrative.state import AT_ONCE, NarrativeState, drawn
from chartui.tui.screens.narrative.tree import NarrativeTree
from chartui.tui.widgets.border import room_on_border, write_on_border
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.screen import WorkScreen

__all__ = ["TellingStory"]


class TellingStory(WorkScreen):
    """Tree and panes side by side; in a narrow window the panes lie below the tree, or fill the window.

    A part that fills a pane does so in :meth:`show_panes`, which is called whenever the story or the place in it is
    another. A part that changes the story gives the whole of it to :meth:`tell_story`. A large one is laid out beside
    the keyboard: until that is done, the tree is that of the story before it (:attr:`NarrativeState.pending`).
    """

    @dataclass
    class Read(Message):
        """The graph of a character was read, or could not be."""

        wanted: str | None
        character: Character | None = None
        story: Story | None = None
        outline: Outline | None = None
        error: ServiceError | None = None
        note: str = ""

    @dataclass
    class RecordRead(Message):
        """The record of the character whose graph is shown was read, or could not be."""

        wanted: str
        character: Character | None = None
        error: ServiceError | None = None

    @dataclass
    class Drawn(Message):
        """A large story was laid out."""

        story: Story
        outline: Outline

    DATA = "graph"

    def __init__(self) -> None:
        super().__init__()
        self.state = NarrativeState()
        self.panes = Panes()
        self._drawing = False
        self._keep: str | None = None

    def compose_work(self) -> Iterable[Widget]:
        """The tree, and the panes beside it."""
        with Horizontal(id="work"):
            left = Vertical(id="left", classes="panel")
            left.border_title = Content("Narrative")
            with left:
                yield FilterBox("filter: name, criteria, trigger, objective", id="filter")
                yield NarrativeTree(id="tree")
            yield self.panes

    def prepare(self) -> None:
        """Find the widgets once."""
        self._tree = self.query_one(NarrativeTree)
        self._left = self.query_one("#left")
        self.show_state(self.state)
        self.show_panes()

    # -- reading ------------------------------------------------------------------------------------------------------

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read the graph; folds and cursor stay."""
        del refresh  # graphs are never cached
        wanted = self.state.wanted or self.workbench.character
        self.show_state(replace(self.state, wanted=wanted, loading=True, note=""))
        with lasting():
            await self._read(wanted)

    async def _read(self, wanted: str | None) -> None:
        try:
            records = None if wanted or self.service.embedded else await self.watched_service().records()
            character_id = wanted or await self._first_with_graph(records)
            if character_id is None:
                self.post_message(self.Read(wanted, note="This account has no characters yet."))
                return
            character, sections, triggers = await asyncio.gather(
                self._record_for_now(character_id, records),
                self.watched_service().sections(character_id),
                self.watched_service().triggers(character_id),
            )
        except ServiceError as error:
            self.post_message(self.Read(wanted, error=error))
            return
        story = Story.of(character, sections, triggers)
        if character is not None and character.raw.keys() == {"character_id"}:
            story = replace(story, start_known=False)
        self.post_message(self.Read(wanted, character, story, await _laid_out(story)))
        if not self.service.embedded and records is None:
            await self._read_record(character_id)

    async def _record_for_now(self, character_id: str, records: Records | None) -> Character | None:
        """The record to show the graph with: of a service, which only returns all records at once, the last one."""
        if self.service.embedded or records is not None:
            return await self.watched_service().character(character_id, among=records)
        known = self.state.character
        if known is not None and known.character_id == character_id:
            return known
        return build(Character, {"character_id": character_id})

    async def _read_record(self, character_id: str) -> None:
        """Read where the story starts and whether the graph is on, which may take much longer than the graph."""
        try:
            self.post_message(self.RecordRead(character_id, await self.watched_service().character(character_id)))
        except ServiceError as error:
            self.post_message(self.RecordRead(character_id, error=error))

    @property
    def filled(self) -> bool:
        """Whether there is a graph from before."""
        return self.state.outline is not None

    def show_loading(self) -> None:
        """Show it in place of the tree, or below the one from before."""
        if not self.filled:
            self._tree.show_empty(self._emptiness(self.state))
        write_on_border(self._left, self._counts(self.state))

    def read_canceled(self, group: str) -> None:
        """Say so in place of the tree, where there is none from before."""
        super().read_canceled(group)
        if group == "read":
            self.show_state(replace(self.state, loading=False, note="" if self.filled else self.canceled()))

    async def _first_with_graph(self, records: Records | None) -> str | None:
        """The first character that follows a graph; else the first of all."""
        summaries = await self.watched_service().summaries() if records is None else records.summaries
        chosen = next((s for s in summaries if s.is_narrative_driven), summaries[0] if summaries else None)
        return chosen.character_id if chosen else None

    @on(Read)
    def _was_read(self, message: Read) -> None:
        if message.wanted != self.state.wanted:
            return
        state = replace(self.state, loading=False, error=message.error, note=message.note)
        if message.character is not None and message.story is not None:
            identity = message.character.character_id
            self.workbench.character = identity
            state = replace(state, wanted=identity, character=message.character)
            state = replace(state, outline=message.outline, told=message.story)
            state = self.story_was_read(state, message.story)
        self.show_state(state)
        self.show_panes()
        if message.error is not None and state.outline is not None:
            self.workbench.tell_failure(message.error, kept="The graph is the last one that was read.")

    @on(RecordRead)
    def _record_was_read(self, message: RecordRead) -> None:
        stored = self.state.stored
        if message.wanted != self.state.wanted or stored is None:
            return
        if message.error is not None:
            kept = "The graph is shown. Its start section and whether it is on may have changed."
            self.workbench.tell_failure(message.error, kept=kept)
        elif message.character is not None:
            self._know(message.character, stored)

    def _know(self, character: Character, stored: Story) -> None:
        """Show the graph with the record of its character."""
        story = stored.belonging_to(character)
        state = replace(self.state, character=character)
        if story != stored:
            state = self.story_was_read(state, story)
        self.show_state(state)
        self.show_panes()

    def story_was_read(self, state: NarrativeState, story: Story) -> NarrativeState:
        """What is shown once a story was read; a part that stages changes puts them on top."""
        return replace(state, stored=story).telling(story)

    # -- showing ------------------------------------------------------------------------------------------------------

    def tell_story(self, story: Story, *, keep: str | None = None) -> None:
        """Show another story; the cursor stays on its node, or goes to the one with the id ``keep``."""
        self.show_state(self.state.telling(story), keep=keep)
        self.show_panes()

    def show_panes(self) -> None:
        """Show in the present pane what belongs to the story and to the node with the cursor."""
        raise NotImplementedError

    def show_state(self, state: NarrativeState, *, keep: str | None = None) -> None:
        """Show another state; the cursor stays on its node, or goes to the one with the id ``keep``."""
        self.state = state
        self._tree.empty = self._emptiness(state)
        self._tree.awaiting = state.outline is None and (state.loading or state.pending)
        self._tree.look_for(state.query)
        self._tree.show(state.outline, state.rows(), keep=keep)
        write_on_border(self._left, self._counts(state))
        self.show_place()
        if state.pending:
            self._keep = keep or self._keep
            if not self._drawing:
                self._drawing = True
                self.start(self._draw, group="draw")

    async def _draw(self) -> None:
        """Lay out the story that there is when that is done: somebody may go on changing it meanwhile."""
        with lasting():
            while (story := self.state.story) is not None:
                outline = await _laid_out(story)
                if story is self.state.story:
                    self.post_message(self.Drawn(story, outline))
                    break
        self._drawing = False

    @on(Drawn)
    def _was_drawn(self, message: Drawn) -> None:
        if message.story is self.state.story:
            keep, self._keep = self._keep, None
            self.show_state(self.state.showing(message.outline), keep=keep)
            self.show_panes()

    def show_place(self) -> None:
        """Whose story it is, and where in it the cursor is when that cannot be seen."""
        character = self.state.character
        called = (character.character_name or character.character_id) if character else None
        name = single_line(called or "Narrative", limit=60)
        path = _path(self._tree.out_of_sight(), self._left.size.width - cell_len(name) - 8)
        self._left.border_title = Content(f"{name} {GLYPHS.note} {path}" if path else name)

    def _counts(self, state: NarrativeState) -> str:
        if state.character is None or state.outline is None:
            return ""
        if loading := self.loading_text("read", width=room_on_border(self._left)):
            return loading
        graph = state.outline.graph
        enabled = state.character.is_narrative_driven
        on = "on/off unknown" if enabled is None else f"{GLYPHS.on} on" if enabled else f"{GLYPHS.off} off"
        late = f"{GLYPHS.danger} not read again · " if state.error else ""
        found = f"{count(len(state.matching()))} found · " if state.query.strip() else ""
        sections, triggers = number_of(len(graph.sections), "section"), number_of(len(graph.triggers), "trigger")
        return f"{late}{found}{on} · {sections} · {triggers}"

    def _emptiness(self, state: NarrativeState) -> str:
        if state.loading and (loading := self.loading_text("read", width=self._tree.size.width - 3)):
            return loading
        if state.error is not None:
            return f"{GLYPHS.danger} {state.error.message} F5 asks again."
        if state.loading:
            return ""
        if state.query.strip():
            return "Nothing matches. Escape clears the filter."
        return state.note or "This character has no narrative graph: no section, no trigger."

    @property
    def node(self) -> Node | None:
        """The node with the cursor; none for a section that is gone already from a story that is being laid out."""
        node, story = self._tree.current, self.state.story
        if node is not None and story is not None and self.state.pending and node.kind is Kind.SECTION:
            return node if node.section in story.sections else None
        return node


async def _laid_out(story: Story) -> Outline:
    """The outline of a story; a large one is laid out beside the keyboard."""
    return await asyncio.to_thread(drawn, story) if len(story.sections) > AT_ONCE else drawn(story)


def _path(above: Iterable[Node], cells: int) -> str:
    """The nodes above a place, the nearest first, in a line: the nearest, and as many more as there is room for."""
    names: list[str] = []
    for node in above:
        name = single_line(node.title or node.label, limit=60)
        cells -= cell_len(name) + 3
        if names and cells < 0:
            names.append(GLYPHS.ellipsis)
            break
        names.append(name)
    return f" {GLYPHS.chosen} ".join(reversed(names))
