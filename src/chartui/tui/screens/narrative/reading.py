"""The part of the narrative screen that reads a graph, and moves about in its tree; beside it stand the panes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from chartui.core.narrative.outline import Kind, Node, section_node
from chartui.core.narrative.story import Story
from chartui.core.narrative.text import render
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.screens.narrative.detail import detail
from chartui.tui.screens.narrative.panes import Panes
from chartui.tui.screens.narrative.state import NarrativeState, Pane
from chartui.tui.screens.narrative.tree import NarrativeTree
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable, WorkScreen

__all__ = ["ReadingStory"]


class ReadingStory(WorkScreen):
    """Tree and panes side by side; in a narrow window the panes lie below the tree, or fill the window.

    A part that fills a pane does so in :meth:`show_panes`, which is called whenever the story or the place in it is
    another. A part that changes the story gives the whole of it to :meth:`tell_story`.
    """

    @dataclass
    class Read(Message):
        """The graph of a character was read, or could not be."""

        wanted: str | None
        character: Character | None = None
        story: Story | None = None
        error: ServiceError | None = None
        note: str = ""

    def __init__(self) -> None:
        super().__init__()
        self.state = NarrativeState()
        self.panes = Panes()
        self._came_from: list[str] = []

    def compose_work(self) -> Iterable[Widget]:
        """The tree, and the panes beside it."""
        with Horizontal(id="work"):
            left = Vertical(id="left", classes="panel")
            left.border_title = Content("Narrative")
            with left:
                yield FilterBox("filter: section, criteria, trigger", id="filter")
                yield NarrativeTree(id="tree")
            yield self.panes

    def prepare(self) -> None:
        """Find the widgets once."""
        self._tree = self.query_one(NarrativeTree)
        self.show_state(self.state)
        self.show_panes()

    def on_screen_resume(self) -> None:
        """Show the character that was asked for elsewhere."""
        super().on_screen_resume()
        wanted = self.workbench.character
        if self.state.character is not None and wanted is not None and wanted != self.state.wanted:
            self.turn_to_character(wanted)

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read the graph; folds and cursor stay."""
        del refresh  # graphs are never cached
        wanted = self.state.wanted or self.workbench.character
        self.show_state(replace(self.state, wanted=wanted, loading=True))
        await self._read(wanted)

    def turn_to_character(self, character_id: str) -> None:
        """Read the graph of another character."""
        self._came_from.clear()
        self.show_state(NarrativeState(wanted=character_id, pane=self.state.pane))
        self.refresh_data()

    # -- reading ------------------------------------------------------------------------------------------------------

    async def _read(self, wanted: str | None) -> None:
        try:
            character_id = wanted or await self._first_with_graph()
            if character_id is None:
                self.post_message(self.Read(wanted, note="This account has no characters yet."))
                return
            character, sections, triggers = await asyncio.gather(
                self.service.character(character_id),
                self.service.sections(character_id),
                self.service.triggers(character_id),
            )
        except ServiceError as error:
            self.post_message(self.Read(wanted, error=error))
            return
        self.post_message(self.Read(wanted, character, Story.of(character, sections, triggers)))

    async def _first_with_graph(self) -> str | None:
        """The first character that follows a graph; else the first of all."""
        summaries = await self.service.summaries()
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
            state = self.story_was_read(state, message.story)
        self.show_state(state)
        self.show_panes()
        if message.error is not None and state.outline is not None:
            self.workbench.tell_failure(message.error, kept="The graph is the last one that was read.")

    def story_was_read(self, state: NarrativeState, story: Story) -> NarrativeState:
        """What is shown once a story was read; a part that stages changes puts them on top."""
        return replace(state, stored=story).telling(story)

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_state(self, state: NarrativeState, *, keep: str | None = None) -> None:
        self.state = state
        self._tree.empty = self._emptiness(state)
        self._tree.show(state.outline, state.rows(), keep=keep)
        left = self.query_one("#left")
        name = (state.character.character_name if state.character else None) or "Narrative"
        left.border_title = Content(single_line(name, limit=60))
        left.border_subtitle = Content(self._counts(state))

    def _counts(self, state: NarrativeState) -> str:
        if state.character is None or state.outline is None:
            return ""
        graph = state.outline.graph
        on = f"{GLYPHS.on} on" if state.character.is_narrative_driven else f"{GLYPHS.off} off"
        late = f"{GLYPHS.danger} not read again · " if state.error else ""
        return f"{late}{on} · {count(len(graph.sections))} sections · {count(len(graph.triggers))} triggers"

    def _emptiness(self, state: NarrativeState) -> str:
        if state.error is not None:
            return f"{GLYPHS.danger} {state.error.message} F5 asks again."
        if state.loading:
            return "Reading the graph…"
        if state.query.strip():
            return "Nothing matches. Escape clears the filter."
        return state.note or "This character has no narrative graph: no section, no trigger."

    @property
    def node(self) -> Node | None:
        """The node with the cursor."""
        return self._tree.current

    def tell_story(self, story: Story, *, keep: str | None = None) -> None:
        """Show another story; the cursor stays on its node, or goes to the one with the id ``keep``."""
        self.show_state(self.state.telling(story), keep=keep)
        self.show_panes()

    def show_panes(self) -> None:
        """Show in the present pane what belongs to the story and to the node with the cursor."""
        self.panes.show_tabs(self.state.pane.value.capitalize(), self.state.pane, self.marks(), self.keymap_label)
        if self.state.pane is Pane.SECTION:
            self._show_section()

    def _show_section(self) -> None:
        node = self._tree.current
        if node is None or self.state.outline is None:
            self.panes.section.show((), note="")
            return
        groups, note = detail(self.state.outline.graph, node)
        self.panes.section.show(groups, note=note)

    def marks(self) -> Mapping[Pane, str]:
        """What waits in the panes."""
        return {}

    def keymap_label(self, command: str) -> str:
        """The key of a command, as it is written for people."""
        return self.workbench.keymap.label(command)

    def action_open_pane(self, pane: str) -> None:
        """Go to a pane."""
        self.open_pane(Pane(pane))

    def action_turn_pane(self, step: int) -> None:
        """Show the next or the previous pane; the focus stays in the tree where it is."""
        panes = list(Pane)
        self.turn_to(panes[(panes.index(self.state.pane) + step) % len(panes)])

    def action_fill_window(self) -> None:
        """Give the pane the whole window, or show the tree beside it again."""
        self.fill_window(not self.has_class("-full"))

    def fill_window(self, full: bool) -> None:
        """Show the pane alone, or beside the tree; the focus goes to what is in sight."""
        self.set_class(full, "-full")
        (self.panes.pane(self.state.pane) if full else self._tree).focus()

    def open_pane(self, pane: Pane) -> None:
        """Show a pane, and let keys go there."""
        self.turn_to(pane)
        self.panes.pane(pane).focus()

    def turn_to(self, pane: Pane) -> None:
        """Show a pane."""
        self.state = replace(self.state, pane=pane)
        self.panes.show_pane(pane)
        self.show_panes()

    def go_to_section(self, section_id: str) -> None:
        """Put the cursor of the tree where a section is expanded, and remember where one came from."""
        target = self.state.outline.find(section_node(section_id)) if self.state.outline is not None else None
        if target is not None:
            if self.node is not None:
                self._came_from.append(self.node.id)
            self.go_to(target)

    # -- what the user does -------------------------------------------------------------------------------------------

    @on(LineView.Rested, "#tree")
    def _rested(self) -> None:
        self.show_panes()

    @on(LineView.Chosen, "#tree")
    def _chosen(self) -> None:
        self.action_follow()

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        state = replace(self.state, query=event.value)
        found = state.matching()
        self.show_state(state, keep=found[0].id if found else None)

    @on(Input.Submitted, "#filter")
    def _submitted(self) -> None:
        self._tree.focus()

    def action_filter(self) -> None:
        """Type to filter."""
        self.add_class("-filtering")
        self.query_one("#filter").focus()

    def action_fold(self) -> None:
        """Hide or show what comes below; on a node without anything below, go to its parent."""
        node = self._tree.current
        if node is None or self.state.outline is None:
            return
        if node.foldable:
            self.show_state(replace(self.state, folded=self.state.folded ^ {node.id}))
        elif node.parent >= 0:
            self.go_to(self.state.outline.nodes[node.parent])

    def action_follow(self) -> None:
        """Along a reference to the section itself; elsewhere unfold."""
        node = self._tree.current
        if node is None or self.state.outline is None:
            return
        leads = node.kind is Kind.REFERENCE or (node.kind is Kind.TRIGGER and node.destination is Kind.REFERENCE)
        if (leads or node.kind is Kind.DANGLING) and node.section is not None:
            target = self.state.outline.find(section_node(node.section))
            if target is not None:
                self._came_from.append(node.id)
                self.go_to(target)
        elif node.id in self.state.folded:
            self.show_state(replace(self.state, folded=self.state.folded - {node.id}))

    def action_go_back(self) -> None:
        """Out of the filter; else from the pane to the tree, and there back along the last jump."""
        if self.panes.has_focus_within:
            self.fill_window(False)
        elif self.has_class("-filtering"):
            self.query_one("#filter", Input).value = ""
            self.remove_class("-filtering")
            self._tree.focus()
        elif self._came_from and self.state.outline is not None:
            node = self.state.outline.find(self._came_from.pop())
            if node is not None:
                self.go_to(node)

    def go_to(self, node: Node) -> None:
        """Put the cursor on a node, whatever hides it."""
        assert self.state.outline is not None  # noqa: S101 - the node comes from it
        above = {n.id for n in self.state.outline.ancestors(node)}
        if self._tree.find(node.id) is None:
            self.show_state(replace(self.state, folded=self.state.folded - above, query=""), keep=node.id)
        row = self._tree.find(node.id)
        if row is not None:
            self._tree.move_to(row)

    def copy_choices(self) -> Sequence[Copyable]:
        """What the cursor stands on, and the whole graph as text."""
        node, drawn = self._tree.current, self.state.outline
        if node is None or drawn is None:
            return ()
        section = drawn.graph.sections.get(node.section) if node.section is not None else None
        trigger = drawn.graph.triggers.get(node.trigger) if node.trigger is not None else None
        choices: list[Copyable] = []
        if node.section is not None:
            choices.append(Copyable("Id of the section", node.section))
        if section is not None and section.objective:
            choices.append(Copyable("Objective of the section", section.objective))
        if node.trigger is not None:
            choices.append(Copyable("Id of the trigger", node.trigger))
        if trigger is not None and trigger.trigger_message:
            choices.append(Copyable("Message of the trigger", trigger.trigger_message))
        return [*choices, Copyable("The graph as text", render(drawn))]

    def action_pick_character(self) -> None:
        """Choose whose graph is shown."""
        self.start(self._pick, group="pick")

    async def _pick(self) -> None:
        from chartui.tui.widgets.chooser import Choice, Chooser

        try:
            summaries = await self.service.summaries()
        except ServiceError as error:
            self.workbench.tell_failure(error)
            return
        choices = [
            Choice(s.character_id, s.character_name or s.character_id, "narrative" if s.is_narrative_driven else "")
            for s in summaries
        ]
        chosen = await self.app.push_screen_wait(Chooser("Whose graph?", choices, self.state.wanted))
        if chosen is not None and chosen != self.state.wanted:
            self.workbench.character = chosen
            self.turn_to_character(chosen)
