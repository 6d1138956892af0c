"""The narrative graph of one character: a tree to read it by, and what there is to know of the place one is at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from chartui.core.narrative.graph import Graph
from chartui.core.narrative.outline import Kind, Node, Outline, Row, outline, section_node
from chartui.core.narrative.text import render
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.screens.narrative.detail import detail
from chartui.tui.screens.narrative.tree import NarrativeTree
from chartui.tui.widgets.chooser import matches
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.line_tree import matching_rows
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable, WorkScreen

__all__ = ["NarrativeScreen", "NarrativeState"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrativeState:
    """Whose graph was read, and how it is looked at. ``wanted`` is the character asked for, None before one is."""

    wanted: str | None = None
    character: Character | None = None
    outline: Outline | None = None
    folded: frozenset[str] = frozenset()
    query: str = ""
    loading: bool = True
    error: ServiceError | None = None
    note: str = ""

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


class NarrativeScreen(WorkScreen):
    """Tree and detail side by side; in a narrow window the detail lies below the tree."""

    SCOPE = "narrative"
    AUTO_FOCUS = "#tree"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("narrative")
    DEFAULT_CSS = """
    NarrativeScreen #panes { layout: vertical; }
    NarrativeScreen #left { height: 3fr; }
    NarrativeScreen #detail { height: 2fr; }
    NarrativeScreen.-wide #panes { layout: horizontal; }
    NarrativeScreen.-wide #left { width: 3fr; height: 1fr; }
    NarrativeScreen.-wide #detail { width: 2fr; height: 1fr; }
    NarrativeScreen #filter { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    NarrativeScreen.-filtering #filter { display: block; }
    NarrativeScreen #tree { height: 1fr; }
    """

    @dataclass
    class Read(Message):
        """The graph of a character was read, or could not be."""

        wanted: str | None
        character: Character | None = None
        outline: Outline | None = None
        error: ServiceError | None = None
        note: str = ""

    def __init__(self) -> None:
        super().__init__()
        self.state = NarrativeState()
        self._came_from: list[str] = []

    def compose_work(self) -> Iterable[Widget]:
        """The panes."""
        with Horizontal(id="panes"):
            left = Vertical(id="left", classes="panel")
            left.border_title = Content("Narrative")
            with left:
                yield FilterBox("filter: section, criteria, trigger", id="filter")
                yield NarrativeTree(id="tree")
            section = FieldsView(id="detail")
            section.add_class("panel")
            section.border_title = Content("Section")
            yield section

    def prepare(self) -> None:
        """Find the widgets once."""
        self._tree = self.query_one(NarrativeTree)
        self._detail = self.query_one(FieldsView)
        self._show(self.state)

    def on_screen_resume(self) -> None:
        """Show the character that was asked for elsewhere."""
        super().on_screen_resume()
        wanted = self.workbench.character
        if self.state.character is not None and wanted is not None and wanted != self.state.wanted:
            self._turn_to(wanted)

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read the graph; folds and cursor stay."""
        del refresh  # graphs are never cached
        wanted = self.state.wanted or self.workbench.character
        self._show(replace(self.state, wanted=wanted, loading=True))
        await self._read(wanted)

    def _turn_to(self, character_id: str) -> None:
        """Read the graph of another character."""
        self._came_from.clear()
        self._show(NarrativeState(wanted=character_id))
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
        start = character.start_narrative_section_id if character else None
        drawn = outline(Graph.build(sections, triggers, start))
        self.post_message(self.Read(wanted, character, drawn))

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
        if message.character is not None:
            identity = message.character.character_id
            self.workbench.character = identity
            state = replace(state, wanted=identity, character=message.character, outline=message.outline)
        self._show(state)
        self._show_detail()
        if message.error is not None and state.outline is not None:
            self.workbench.tell_failure(message.error, kept="The graph is the last one that was read.")

    # -- showing ------------------------------------------------------------------------------------------------------

    def _show(self, state: NarrativeState, *, keep: str | None = None) -> None:
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

    def _show_detail(self) -> None:
        node = self._tree.current
        if node is None or self.state.outline is None:
            self._detail.show((), note="")
            return
        groups, note = detail(self.state.outline.graph, node)
        self._detail.show(groups, note=note)

    # -- what the user does -------------------------------------------------------------------------------------------

    @on(LineView.Rested, "#tree")
    def _rested(self) -> None:
        self._show_detail()

    @on(LineView.Chosen, "#tree")
    def _chosen(self) -> None:
        self.action_follow()

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        state = replace(self.state, query=event.value)
        found = state.matching()
        self._show(state, keep=found[0].id if found else None)

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
            self._show(replace(self.state, folded=self.state.folded ^ {node.id}))
        elif node.parent >= 0:
            self._go(self.state.outline.nodes[node.parent])

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
                self._go(target)
        elif node.id in self.state.folded:
            self._show(replace(self.state, folded=self.state.folded - {node.id}))

    def action_go_back(self) -> None:
        """Out of the filter; else back along the last jump."""
        if self.has_class("-filtering"):
            self.query_one("#filter", Input).value = ""
            self.remove_class("-filtering")
            self._tree.focus()
        elif self._came_from and self.state.outline is not None:
            node = self.state.outline.find(self._came_from.pop())
            if node is not None:
                self._go(node)

    def _go(self, node: Node) -> None:
        """Put the cursor on a node, whatever hides it."""
        assert self.state.outline is not None  # noqa: S101 - the node comes from it
        above = {n.id for n in self.state.outline.ancestors(node)}
        if self._tree.find(node.id) is None:
            self._show(replace(self.state, folded=self.state.folded - above, query=""), keep=node.id)
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
            self._turn_to(chosen)

    def action_toggle_narrative(self) -> None:
        """Ask, then switch the graph on or off."""
        self.start(self._toggle, group="toggle")

    async def _toggle(self) -> None:
        from chartui.core.clock import random_ids
        from chartui.core.plans.narrative import GraphSteps
        from chartui.core.plans.plan import Plan

        character, drawn = self.state.character, self.state.outline
        if character is None or drawn is None:
            return
        enabled = not character.is_narrative_driven
        word = "on" if enabled else "off"
        step = GraphSteps(character, drawn.graph, embedded=self.service.embedded).toggle(enabled)
        steps = () if step is None else (step,)
        plan = Plan(id=random_ids(), title=f"Switch the narrative graph {word}", steps=steps)
        await self.workbench.carry_out(plan, deed=f"Switch it {word}")
