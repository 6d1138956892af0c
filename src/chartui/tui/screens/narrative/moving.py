"""The part of the narrative screen that moves about in the tree: filter, folds, and jumps along an edge and back."""

from __future__ import annotations

from dataclasses import replace

from textual import on
from textual.widgets import Input

from chartui.core.narrative.nodes import Kind, Link, Node, section_node
from chartui.core.narrative.outline import way_text
from chartui.tui.screens.narrative.state import NarrativeState
from chartui.tui.screens.narrative.telling import TellingStory
from chartui.tui.widgets.filter import FilterCursor
from chartui.tui.widgets.line_view import LineView

__all__ = ["MovingStory"]


class MovingStory(TellingStory):
    """Every jump is remembered, and can be taken back."""

    def __init__(self) -> None:
        super().__init__()
        self._came_from: list[str] = []
        self._filter_cursor: FilterCursor[str] = FilterCursor()

    def turn_to_character(self, character_id: str) -> None:
        """Read the graph of another character."""
        self._came_from.clear()
        self._leave_filter()
        self.show_state(NarrativeState(wanted=character_id, pane=self.state.pane))
        self.refresh_data()

    def fill_window(self, full: bool) -> None:
        """Show the pane alone, or beside the tree; the focus goes to what is in sight."""
        raise NotImplementedError

    @on(LineView.Rested, "#tree")
    def _rested(self) -> None:
        self.show_place()
        self.show_panes()

    @on(LineView.Chosen, "#tree")
    def _chosen(self) -> None:
        self.action_follow()

    # -- the filter ---------------------------------------------------------------------------------------------------

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        if event.value == self.state.query:
            return
        state = replace(self.state, query=event.value)
        first = next((node.id for node in state.matching()), None)
        current = self._tree.current.id if self._tree.current is not None else None
        self._filter_cursor = self._filter_cursor.turned(current, first, narrowed=bool(state.query.strip()))
        self._tree.scroll_to(y=0, animate=False)  # what stands above the first match comes into sight with it
        self.show_state(state, keep=self._filter_cursor.wanted)

    @on(Input.Submitted, "#filter")
    def _submitted(self) -> None:
        self._accept_match()
        self._tree.focus()

    def _accept_match(self) -> None:
        """Count the node with the cursor as chosen: clearing the filter no longer leaves it."""
        self._filter_cursor = FilterCursor()

    def action_filter(self) -> None:
        """Type to filter; the tree comes into sight for it."""
        if self.has_class("-full"):
            self.fill_window(False)
        box = self.query_one("#filter")
        if not box.has_focus:
            self._accept_match()
        self.add_class("-filtering")
        box.focus()

    def _leave_filter(self) -> None:
        box = self.query_one("#filter", Input)
        box.value = ""
        if box.has_focus:
            self._tree.focus()
        else:
            self._accept_match()
        self.remove_class("-filtering")

    # -- folds --------------------------------------------------------------------------------------------------------

    def action_fold(self) -> None:
        """Hide or show what comes below; where there is nothing to hide, go to the node above."""
        node, drawn = self._tree.current, self.state.outline
        if node is None or drawn is None:
            return
        if node.foldable and not self.state.query.strip():
            self.show_state(replace(self.state, folded=self.state.folded ^ {node.id}))
        elif node.parent >= 0:
            self.go_to(drawn.nodes[node.parent])

    def action_fold_all(self) -> None:
        """Hide all that stands below the lines of the second level; show everything where something is hidden."""
        drawn = self.state.outline
        if drawn is None or self.state.query.strip():
            return
        folded = frozenset(node.id for node in drawn.nodes if node.foldable and node.parent >= 0)
        self.show_state(replace(self.state, folded=frozenset() if self.state.folded else folded))

    # -- jumps --------------------------------------------------------------------------------------------------------

    def action_follow(self) -> None:
        """Along a reference to the section itself, from a mention of it to the reference; elsewhere unfold."""
        node, drawn = self._tree.current, self.state.outline
        if node is None or drawn is None:
            return
        leads = node.kind is Kind.REFERENCE or (node.kind is Kind.TRIGGER and node.destination is Kind.REFERENCE)
        target = drawn.find(section_node(node.section)) if leads and node.section is not None else drawn.origin(node)
        if target is not None:
            self._jump(target)
        elif node.id in self.state.folded:
            self.show_state(replace(self.state, folded=self.state.folded - {node.id}))

    def go_to_section(self, section_id: str) -> None:
        """Put the cursor of the tree where a section is expanded, and remember where one came from."""
        target = self.state.outline.find(section_node(section_id)) if self.state.outline is not None else None
        if target is not None:
            self._jump(target)

    def _jump(self, target: Node) -> None:
        if self._tree.current is not None:
            self._came_from.append(self._tree.current.id)
        self.go_to(target)

    def go_to(self, node: Node) -> None:
        """Put the cursor on a node, whatever hides it."""
        assert self.state.outline is not None  # noqa: S101 - the node comes from it
        if self._tree.find(node.id) is None:
            above = {n.id for n in self.state.outline.ancestors(node)}
            if self.state.query.strip():
                self._leave_filter()
            self.show_state(replace(self.state, folded=self.state.folded - above, query=""), keep=node.id)
        row = self._tree.find(node.id)
        if row is not None:
            self._tree.move_to(row)

    @property
    def escape_cancels(self) -> bool:
        """Whether neither a pane nor the filter has the keys."""
        return not (self.panes.has_focus_within or self.has_class("-filtering"))

    def action_go_back(self) -> None:
        """Out of the filter; else from the pane to the tree, and there back along the last jump."""
        if self.panes.has_focus_within:
            self.fill_window(False)
        elif self.has_class("-filtering"):
            self._leave_filter()
        elif self.cancel_read():
            pass
        elif self._came_from and self.state.outline is not None:
            node = self.state.outline.find(self._came_from.pop())
            if node is not None:
                self.go_to(node)

    def action_ask_who_leads(self) -> None:
        """Ask along which of the ways that lead here one wants to go back."""
        self.start(self._ask_who_leads, group="lead")

    async def _ask_who_leads(self) -> None:
        from chartui.tui.widgets.chooser import Choice, Chooser

        node, drawn = self._tree.current, self.state.outline
        if node is None or drawn is None:
            return
        ways = {way.id: way for way in drawn.leading_to(node)}
        if not ways:
            self.workbench.tell("Nothing leads here.")
            return
        choices = [Choice(way.id, way_text(drawn, way), _sort_of(way)) for way in ways.values()]
        chosen = await self.app.push_screen_wait(Chooser("What leads here", choices, node.id))
        if chosen is not None and drawn is self.state.outline:
            way = ways[chosen]
            self._jump(drawn.nodes[way.parent] if way.id == node.id and way.parent >= 0 else way)


def _sort_of(way: Node) -> str:
    if way.never_runs:
        return "never runs"
    if way.kind is Kind.TRIGGER:
        return "trigger"
    return {Link.START: "start", Link.OVERRIDE: "override"}.get(way.link, "decision")
