"""The tree of a story, with filter, folds and jumps along references."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from chartui.core.classes import dataclass
from chartui.core.narrative.nodes import Kind, Node, section_node, trigger_node
from chartui.core.narrative.outline import Outline
from chartui.core.narrative.signs import ALL_TESTED
from chartui.core.narrative.story import Story
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.garbage import lasting
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import NO_MATCHES, empty_graph, no_characters, story_not_loaded
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.narrative.state import Desk, NarrativeState, laid_out
from chartui.tui.screens.narrative.tree_view import NarrativeTree
from chartui.tui.widgets.border import entitle, room_on_border, write_on_border
from chartui.tui.widgets.filter import FilterCursor, ListFilter
from chartui.tui.widgets.line_tree import LineTree
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.messages import withdraw

#: The topic of the message that all rows are shown although a filter is set.
_UNHIDDEN: Final = "rows not filtered"


class TreePanel(Vertical):
    """The tree with its filter. Jumps along references are remembered for going back.

    A large story is laid out in the background; until then, the tree shows the previous one.
    """

    @dataclass
    class Outlined(Message):
        """A large story was laid out."""

        story: Story
        outline: Outline

    DEFAULT_CSS = """
    TreePanel > #filter { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    TreePanel.-filtering > #filter { display: block; }
    TreePanel > #tree { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("narrative.tree")

    def __init__(self, desk: Desk) -> None:
        super().__init__(id="left", classes="panel")
        self._desk = desk
        self._filter = ListFilter("filter: name, criteria, trigger, objective", id="filter")
        self.view = NarrativeTree(id="tree")
        self._came_from: list[str] = []
        self._outlining = False
        self._keep: str | None = None
        self._filter_cursor: FilterCursor[str] = FilterCursor()
        self.border_title = Content("Narrative")

    def compose(self) -> ComposeResult:
        yield self._filter
        yield self.view

    # -- showing ------------------------------------------------------------------------------------------------------

    def show(self, state: NarrativeState, *, keep: str | None = None) -> None:
        """Show a state; the cursor stays on its node, or goes to the one with the id ``keep``."""
        tree, edits = self.view, self._desk.editor.edits
        tree.staged, tree.staged_links = frozenset((*edits.sections, *edits.triggers)), edits.links()
        tree.untested = state.untested.of(state.outline.graph) if state.outline is not None else ALL_TESTED
        tree.start_loading = state.start_loading
        tree.empty = self._emptiness(state)
        tree.awaiting = state.outline is None and (state.loading or state.pending)
        tree.look_for(state.query)
        tree.show(state.outline, state.rows(), keep=keep)
        write_on_border(self, self._counts(state))
        self._show_place()
        if not state.unhidden:
            withdraw(self.app, _UNHIDDEN)
        if state.pending:
            self._keep = keep or self._keep
            if not self._outlining:
                self._outlining = True
                self._desk.start(self._outline, group="draw")

    async def _outline(self) -> None:
        """Lay out the latest story in the background, since you may keep editing in the meantime."""
        with lasting():
            while (story := self._desk.state.story) is not None:
                outline = await laid_out(story, self._desk.state.anchor)
                if story is self._desk.state.story:
                    self.post_message(self.Outlined(story, outline))
                    break
        self._outlining = False

    @on(Outlined)
    def _was_outlined(self, message: Outlined) -> None:
        if message.story is self._desk.state.story:
            keep, self._keep = self._keep, None
            self._desk.show_state(self._desk.state.outlining(message.outline), keep=keep)
            self._desk.show_tabs()

    def show_loading(self) -> None:
        """Show the progress of reading in place of the tree, or below the previous one."""
        state = self._desk.state
        if state.outline is None:
            self.view.show_empty(self._emptiness(state))
        write_on_border(self, self._counts(state))

    def _show_place(self) -> None:
        """Show the character's name, and the path of the cursor when its parents are out of sight."""
        name = single_line(self._desk.state.title, limit=60)
        path = _path(self.view.out_of_sight(), self.size.width - cell_len(name) - 8)
        entitle(self, f"{name} {GLYPHS.note} {path}" if path else name)

    def _counts(self, state: NarrativeState) -> str:
        changed = self._desk.editor.edits.counted
        # The footer may have no room for the key that applies them.
        send = self._desk.label("apply-story")
        staged = f"{GLYPHS.staged} {changed}, {send} applies · " if changed else ""
        if state.character is None or state.outline is None:
            return staged
        if loading := self._desk.loading_text("read", width=room_on_border(self)):
            return f"{staged}{loading}"
        graph = state.outline.graph
        enabled = state.character.is_narrative_driven
        on = (
            "on/off state unknown"
            if enabled is None
            else f"{GLYPHS.on} graph on"
            if enabled
            else f"{GLYPHS.off} graph off"
        )
        if enabled is False and graph.sections and not changed:
            on += f", {self._desk.label('toggle-narrative')} switches it on"
        late = f"{GLYPHS.danger} out of date · " if state.error else ""
        found = f"{self._found(state)} · " if state.searching else ""
        sections, triggers = number_of(len(graph.sections), "section"), number_of(len(graph.triggers), "trigger")
        return f"{staged}{late}{found}{on} · {sections} · {triggers}"

    def _found(self, state: NarrativeState) -> str:
        """The number of matches, which of them has the cursor, and whether all rows are shown."""
        matches, node = state.matching(), self.view.current
        number = next((n for n, match in enumerate(matches, 1) if match is node), None)
        found = f"{count(len(matches))} found" if number is None else f"{count(number)} of {count(len(matches))} found"
        return found if state.narrowed else f"{found} · all rows"

    def _emptiness(self, state: NarrativeState) -> str:
        if state.loading and (loading := self._desk.loading_text("read", width=self.view.size.width - 3)):
            return loading
        if state.error is not None:
            return story_not_loaded(self._desk.workbench, state.error)
        if state.loading:
            return ""
        if state.unfilled:
            return no_characters(self._desk.workbench)
        if state.note:
            return state.note
        return NO_MATCHES if state.narrowed else empty_graph(self._desk.workbench)

    @on(LineTree.Resized)
    def _was_resized(self, message: LineTree.Resized) -> None:
        if message.levels != self._desk.state.levels:
            self._desk.show_state(replace(self._desk.state, levels=message.levels))

    @on(LineView.Rested, "#tree")
    def _rested(self) -> None:
        self._show_place()
        if self._desk.state.searching:
            write_on_border(self, self._counts(self._desk.state))
        self._desk.show_tabs()
        self.refresh_bindings()

    # -- the filter ---------------------------------------------------------------------------------------------------

    @property
    def filtering(self) -> bool:
        return self.has_class("-filtering")

    def start_with(self, query: str) -> None:
        """Show the filter of the last time, if there was one; nothing is listed yet."""
        self._filter.value = query
        self.set_class(bool(query), "-filtering")

    @property
    def _current_id(self) -> str | None:
        return self.view.current.id if self.view.current is not None else None

    def begin_filter(self) -> None:
        if not self._filter.has_focus:
            self._filter_cursor = self._filter_cursor.accepted(self._current_id)
        self.add_class("-filtering")
        self._filter.focus()

    def search(self, query: str) -> None:
        """Filter for another text; the focus stays."""
        if query.strip():
            self._filter.value = query
        else:
            self.leave_filter()

    def leave_filter(self) -> None:
        """Clear the filter; the cursor returns to its place before filtering."""
        self._filter.value = ""
        if self._filter.has_focus:
            self.view.focus()
        else:
            self._filter_cursor = self._filter_cursor.accepted(self._current_id)
        self.remove_class("-filtering")
        self.refresh_bindings()

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        if event.value == self._desk.state.query:
            return
        state = replace(self._desk.state, query=event.value, unhidden=False)
        first = next(iter(state.matching()), None)
        self._filter_cursor = self._filter_cursor.turned(
            self._current_id, first.id if first is not None else None, narrowed=state.searching
        )
        if not state.in_place:
            self.view.scroll_to(y=0, animate=False)  # also scrolls the parents of the first match into view
        elif first is not None:
            state = state.revealing(first)
        self._desk.show_state(state, keep=self._filter_cursor.wanted)
        self.refresh_bindings()

    def unhide(self, before: Story | None, *, keep: str | None) -> None:
        """Show all rows if the filter hides a section or trigger added to the story ``before``, and say so.

        The next filter hides rows again.
        """
        state, story = self._desk.state, self._desk.state.story
        if before is None or story is None or not state.narrowed:
            return
        added = [section_node(one) for one in story.sections if one not in before.sections]
        added += [trigger_node(one) for one in story.triggers if one not in before.triggers]
        if all(self.view.find(one) is not None for one in added):
            return
        keep = keep or self._current_id
        node = state.outline.find(keep) if state.outline is not None and keep is not None else None
        state = replace(state, unhidden=True)
        self._desk.show_state(state if node is None else state.revealing(node), keep=keep)
        told = "All rows are shown because the filter would hide what you added."
        back = f"{self._desk.label('matches-in-place')} shows matches only."
        self._desk.workbench.tell(f"{told} {back}", topic=_UNHIDDEN)

    @on(Input.Submitted, "#filter")
    def _accept_match(self) -> None:
        """Treat the node under the cursor as chosen: clearing the filter keeps the cursor on it."""
        self._filter_cursor = self._filter_cursor.accepted(self._current_id)
        self.view.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Matches can only be shown while something is searched for, and rows need a story."""
        if self._desk.state.unfilled and action in ("fold", "fold_all"):
            return False
        if action == "follow":  # Enter and → are free elsewhere
            return self.can_follow
        of_search = action in ("go_to_match", "show_in_place")
        return self._desk.state.searching if of_search else super().check_action(action, parameters)

    def action_go_to_match(self, step: int) -> None:
        """Go to the next match, or with -1 to the previous one; after the last comes the first."""
        node, matches = self.view.current, self._desk.state.matching()[::step]
        here = node.place if node is not None else -1
        match = next((one for one in matches if (one.place - here) * step > 0), next(iter(matches), None))
        if match is not None:
            self.go_to(match)

    def action_show_in_place(self) -> None:
        """Show the matches among all rows, or the matches and their parents only."""
        state, node = self._desk.state, self.view.current
        state = replace(state, in_place=state.narrowed, unhidden=False)
        self._desk.show_state(state if node is None else state.revealing(node), keep=self._current_id)

    # -- folds --------------------------------------------------------------------------------------------------------

    def action_fold(self) -> None:
        """Fold or unfold the node; if there is nothing to fold, go to its parent."""
        node, state = self.view.current, self._desk.state
        if node is None or state.outline is None:
            return
        if node.id == state.root:
            self._desk.show_state(replace(state, root=None), keep=state.outline.nodes[node.parent].id)
        elif node.id not in state.folded and self.view.folded_here:
            self._desk.show_state(replace(state, root=node.id))
        elif node.foldable and not state.narrowed:
            self._desk.show_state(replace(state, folded=state.folded ^ {node.id}))
        elif node.parent >= 0:
            self.go_to(state.outline.nodes[node.parent])

    def action_fold_all(self) -> None:
        """Fold everything below the second level, or unfold everything if something is folded."""
        state = self._desk.state
        if state.outline is None or state.narrowed:
            return
        folded = frozenset(node.id for node in state.outline.nodes if node.foldable and node.parent >= 0)
        self._desk.show_state(replace(state, folded=frozenset() if state.folded else folded))

    # -- jumps --------------------------------------------------------------------------------------------------------

    @on(LineView.Chosen, "#tree")
    def _chosen(self, event: LineView.Chosen) -> None:
        """Follow; what has no target is left to the parent."""
        if self.can_follow:
            event.stop()
        self.action_follow()

    def action_follow(self) -> None:
        """Jump from a reference to its section, or from a listed dangling reference to its place; elsewhere unfold."""
        node, state = self.view.current, self._desk.state
        if (target := self._target) is not None:
            self.go_to(target, jump=True)
        elif node is not None and node.id in state.folded:
            self._desk.show_state(replace(state, folded=state.folded - {node.id}))
        elif node is not None and self.view.folded_here:
            self._desk.show_state(replace(state, root=node.id))

    @property
    def can_follow(self) -> bool:
        """Whether the row under the cursor has a target, or is folded."""
        return self._target is not None or self.view.folded_here

    @property
    def _target(self) -> Node | None:
        node, state = self.view.current, self._desk.state
        if node is None or state.outline is None:
            return None
        leads = node.kind is Kind.REFERENCE or (node.kind is Kind.TRIGGER and node.destination is Kind.REFERENCE)
        section_id = node.section if leads else None
        return state.outline.origin(node) if section_id is None else state.outline.find(section_node(section_id))

    def go_to(self, node: Node, *, jump: bool = False) -> None:
        """Move the cursor to a node, revealing it if hidden; a ``jump`` is remembered for going back."""
        state = self._desk.state
        assert state.outline is not None  # noqa: S101 - the node comes from it
        if jump and self.view.current is not None:
            self._came_from.append(self.view.current.id)
            self.refresh_bindings()
        if self.view.find(node.id) is None:
            state = self._desk.state
            if state.narrowed:
                self.leave_filter()
                state = replace(self._desk.state, query="")
            self._desk.show_state(state.revealing(node), keep=node.id)
        row = self.view.find(node.id)
        if row is not None:
            self.view.move_to(row)

    @property
    def can_go_back(self) -> bool:
        return bool(self._came_from)

    def go_back(self) -> None:
        outline = self._desk.state.outline
        node = outline.find(self._came_from.pop()) if self._came_from and outline is not None else None
        if node is not None:
            self.go_to(node)
        self.refresh_bindings()

    def forget_jumps(self) -> None:
        self._came_from.clear()

    def forget(self) -> None:
        self.forget_jumps()
        self.leave_filter()


def _path(above: Iterable[Node], cells: int) -> str:
    """The parents of a place in one line: the nearest one, and as many more as fit."""
    names: list[str] = []
    for node in above:
        name = single_line(node.title or node.label, limit=60)
        cells -= cell_len(name) + 3
        if names and cells < 0:
            names.append(GLYPHS.ellipsis)
            break
        names.append(name)
    return f" {GLYPHS.chosen} ".join(reversed(names))
