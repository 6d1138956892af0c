"""Editing a story: the tree and the tabs, with the keys that change the item under the cursor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Key

from chartui.commands import command, commands_at
from chartui.core.text import single_line
from chartui.tui.bindings import active, bindings_for
from chartui.tui.drafts import TURNED, turned
from chartui.tui.guides import applying, no_characters, none_staged, nothing_to_turn
from chartui.tui.screens.narrative.drafts import StoryDrafts
from chartui.tui.screens.narrative.links import Links, show_incoming_links, show_reachable
from chartui.tui.screens.narrative.spot import About, Spot
from chartui.tui.screens.narrative.state import UNTIL_NEXT_KEY, Desk, Tab
from chartui.tui.screens.narrative.tabs.panel import EntryLine, StoryTabs
from chartui.tui.screens.narrative.tabs.section import ADD_DECISION, ADD_OVERRIDE, CRITERIA, TARGET
from chartui.tui.screens.narrative.texts import Texts
from chartui.tui.screens.narrative.tree import TreePanel
from chartui.tui.screens.narrative.writer import Writer
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.messages import withdraw
from chartui.tui.widgets.questions import Confirm

#: Actions that work only while their tab is visible, with that tab.
_TABS: Final = {"take": Tab.WALK} | {
    row.action.partition("(")[0]: Tab(tab.name)
    for row in commands_at("narrative.story")
    for tab in StoryTabs.TABS
    if tab.command == row.tab
}

#: Actions that need a story.
_OF_A_STORY: Final = frozenset(row.action.partition("(")[0] for row in commands_at("narrative.story")) - {
    "open_pane",
    "turn_pane",
    "fill_window",
}


class StoryWork(Horizontal):
    """Every change is staged; nothing is sent until it is applied."""

    SCOPED_CSS = False
    DEFAULT_CSS = """
    NarrativeScreen #left, NarrativeScreen #tabs { width: 1fr; height: 1fr; }
    NarrativeScreen.-full #left { display: none; }
    NarrativeScreen.-narrow #work { layout: vertical; }
    NarrativeScreen.-narrow #left { height: 3fr; }
    NarrativeScreen.-narrow #tabs { height: 2fr; }
    NarrativeScreen.-wide #left { min-width: 60; max-width: 100; }
    NarrativeScreen.-wide #tabs { width: 2fr; layout: horizontal; }
    NarrativeScreen.-wide #tabs > #section-tab { display: block; max-width: 100; }
    NarrativeScreen.-wide.-full #tabs > #section-tab { display: none; }
    NarrativeScreen.-wide.-full #tabs > #section-tab.-present { display: block; }
    NarrativeScreen.-wide #tabs.-section > #map-tab { display: block; border-left: vkey $meaning-border; }
    NarrativeScreen.-wide #tabs > .-present { border-left: vkey $meaning-border; }
    NarrativeScreen.-wide #tabs > #section-tab.-present { border-left: none; }
    NarrativeScreen.-wide.-full #tabs > .-present { border-left: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for("narrative.story"),
        *(Binding(str(number), f"take({number})", show=False) for number in range(1, 10)),
    ]

    def __init__(self, desk: Desk, drafts: StoryDrafts, tree: TreePanel, tabs: StoryTabs) -> None:
        super().__init__(id="work")
        self._desk = desk
        self._drafts = drafts
        self._tree = tree
        self._tabs = tabs
        self._writer = Writer(desk, tabs)
        self._texts = Texts(self._writer, tree.search)
        self._links = Links(self._writer)
        # Commands that a part performs on its own.
        self.action_rename = self._texts.rename
        self.action_objective_outside = self._texts.write_outside
        self.action_replace_text = self._texts.replace_text
        self.action_add_section = self._links.add_section
        self.action_add_trigger = self._links.add_trigger
        self.action_add_decision = self._links.add_decision
        self.action_choose_target = self._links.choose_target
        self.action_move_decision = self._links.move_decision
        self.action_start_here = self._links.start_here
        self.action_end_here = self._links.end_here
        self.action_map_focus = self._tabs.map.turn_focus
        self.action_map_more = self._tabs.map.show_more
        self.action_fix_finding = self._tabs.lint.fix_finding
        self.action_fix_findings = self._tabs.lint.fix_findings
        self.action_least_severity = self._tabs.lint.turn_severity
        self.action_walk_again = self._tabs.walk.begin_again
        self.action_fill_keys = self._tabs.walk.fill_keys
        self.action_way_here = self._tabs.walk.show_way
        self.action_save_walk = self._tabs.walk.save
        self.action_take = self._tabs.walk.view.take

    def compose(self) -> ComposeResult:
        yield self._tree
        yield self._tabs

    @property
    def spot(self) -> Spot:
        return self._writer.spot

    def leaving(self) -> str:
        """A sentence on typed answers that are lost when the program ends; empty without any."""
        return self._writer.leaving()

    @on(EntryLine.Left)
    def _answered(self) -> None:
        self._writer.answered()

    def on_mount(self) -> None:
        self._desk.start(self._find_drafts, group="drafts")

    async def _find_drafts(self) -> None:
        self.post_message(await self._drafts.find())

    @on(StoryDrafts.Found)
    def _drafts_were_found(self, found: StoryDrafts.Found) -> None:
        self._drafts.resume(found)

    # -- what is in sight ---------------------------------------------------------------------------------------------

    def action_open_pane(self, tab: str) -> None:
        if tab == Tab.WALK:
            self._tabs.walk.play()
        else:
            self._desk.open_tab(Tab(tab))

    def action_turn_pane(self, step: int) -> None:
        self._desk.turn_to(Tab(self._tabs.neighbour(step)))

    def action_fill_window(self) -> None:
        """Enlarge and focus the tab, or show the tree beside it again; the focus stays in the tab."""
        if self.screen.has_class("-full"):
            self._desk.show_tree()
        else:
            self._desk.fill_window(True)

    def action_filter(self) -> None:
        """Filter the focused tab, or else the tree, which is shown if hidden."""
        if self._tabs.has_focus_within and self._tabs.tab(self._desk.state.tab).begin_filter():
            return
        if self.screen.has_class("-full"):
            self._desk.fill_window(False)
        self._tree.begin_filter()

    # -- the lines of the section -------------------------------------------------------------------------------------

    def action_edit(self) -> None:
        """Edit the selected line of the section, or the selected tree node."""
        if self._writer.section.has_focus:
            self._change_line()
        elif not self._desk.refuses():
            self._edit_here()

    def _edit_here(self) -> None:
        """Edit the item under the cursor; for a decision, which may share its row with a section, ask which part."""
        spot, story = self._writer.spot, self._writer.story
        if spot.about is About.OVERRIDE:
            self._links.choose_target()
        elif spot.way is None or story is None:
            self._texts.write_objective()
        else:
            holder, position = spot.way
            graph = story.graph()
            decision = (story.sections[holder].decisions or ())[position]
            name = single_line(graph.section_name(decision.next_section_id), limit=40)
            parts: dict[str, Callable[[], object]] = {
                f"Criteria “{single_line(decision.criteria, limit=40)}”": self._links.write_criteria,
                f"Target “{name}”": self._links.choose_target,
            }
            if spot.about is About.SECTION:
                parts = {f"Objective of “{name}”": self._texts.write_objective, **parts}
            number = [edge.position for edge in graph.edges[holder]].index(position) + 1
            source = single_line(graph.section_name(holder), limit=40)
            title = f"Edit decision {number} of “{source}”" if spot.about is About.DECISION else f"Edit “{name}”"
            self._writer.choose(title, parts)

    @on(LineView.Chosen, "#tree")
    def action_continue(self) -> None:
        """Continue the story behind a section without decisions."""
        if self.can_continue:
            self._links.continue_story()

    @property
    def can_continue(self) -> bool:
        return not self._desk.session.read_only and self._links.open_end is not None

    @on(LineView.Chosen, "#detail")
    def _change_line(self) -> None:
        """Edit the line under the cursor, or go to the section it names."""
        path, spot = self._writer.section.path or "", self._writer.spot
        if path.startswith("parents["):
            self._links.go_to_parent(int(path[len("parents[") : -1]))
        elif self._desk.refuses():
            return
        elif path in ("section_name", "trigger_name"):
            self._texts.rename()
        elif path in ("objective", "trigger_message"):
            self._texts.write_objective()
        elif path == ADD_DECISION:
            self._links.add_decision()
        elif path == ADD_OVERRIDE:
            self._links.add_override(self._writer.spot.section)
        elif path == CRITERIA:
            self._links.write_criteria()
        elif path == TARGET:
            self._links.choose_target()
        elif spot.about in (About.DECISION, About.OVERRIDE):
            self._edit_here()
        elif path == "destination_section":
            self._links.choose_target()

    def action_add(self) -> None:
        """Add what is most likely next: the first section, another trigger, or a decision with its target."""
        story, spot = self._writer.story, self._writer.spot
        if self._writer.refuses() or story is None:
            return
        if not story.sections and not story.triggers:
            self._links.add_section()
        elif spot.about is About.TRIGGER:
            self._links.add_trigger()
        elif self._links.holder is not None:
            self._links.add_decision(or_others=spot.about is About.SECTION)
        else:
            self._writer.choose("Add", {"Section": self._links.add_section, "Trigger": self._links.add_trigger})

    def action_remove(self) -> None:
        from chartui.tui.screens.narrative.removal import Removal

        Removal(self._writer).remove()

    # -- undo, discard, apply -----------------------------------------------------------------------------------------

    def action_undo_edit(self) -> None:
        self._turn(-1)

    def action_redo_edit(self) -> None:
        self._turn(1)

    def _turn(self, step: int) -> None:
        """Undo (-1) or redo (1) the last edit."""
        desk, tell = self._desk, self._desk.workbench.tell
        if desk.refuses():
            return
        if desk.under_way("send"):
            tell(applying("this story"))
            return
        title = desk.editor.undo() if step < 0 else desk.editor.redo()
        if title is None:
            tell(nothing_to_turn(desk.workbench, step), topic=TURNED)
            return
        desk.show_story()
        tell(turned(title, step), topic=TURNED)

    def _nothing_staged(self) -> str:
        return none_staged(self._desk.workbench, "{edit-text} edits the selected section.")

    def action_discard_story(self) -> None:
        """Ask whether to discard all staged changes."""
        desk = self._desk
        if desk.refuses():
            return
        if not desk.editor.edits:
            desk.workbench.tell(self._nothing_staged())
            return

        name = single_line(desk.state.name, limit=30)
        what = f"changes: {desk.editor.edits.counted}. {desk.label('undo-edit')} restores them."

        def answered(agreed: bool | None) -> None:
            if agreed and not desk.refuses():
                desk.editor.discard()
                desk.show_story()
                desk.workbench.tell(f"Discarded {what}", topic=TURNED)

        question = Confirm(f"Discard changes to the story of {name}", f"Discards {what}", "Discard")
        desk.workbench.push_screen(question, answered)

    def action_apply_staged(self) -> None:
        """Apply the staged changes."""
        from chartui.tui.screens.narrative.apply import apply_story

        desk = self._desk
        if desk.workbench.refuses("applying staged changes") or desk.refuses():
            return
        if not desk.editor.edits:
            desk.workbench.tell(self._nothing_staged())
        else:
            desk.start(partial(apply_story, desk, self._drafts), group="send")

    # -- what tabs do -------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a tab's command works; it does from anywhere while the tab is visible.

        The story is continued in the tree, where Enter has no other use on a section without decisions.
        """
        if action in _OF_A_STORY and self._desk.state.unfilled:
            return False
        if action == "continue":
            return self._tree.view.has_focus and self.can_continue
        tab = _TABS.get(action)
        return super().check_action(action, parameters) if tab is None else self._tabs.shows(tab)

    def action_walk_at_random(self) -> None:
        self._desk.start(self._tabs.walk.walk_at_random, group="chance")

    def action_way_from(self) -> None:
        self._desk.start(self._tabs.walk.show_way_from, group="way")

    def action_replay_walk(self) -> None:
        self._desk.start(self._tabs.walk.replay, group="replay")

    def on_key(self, event: Key) -> None:
        """Say where a key works that does nothing here."""
        workbench = self._desk.workbench
        withdraw(workbench, UNTIL_NEXT_KEY)
        keys, tabs = workbench.keymap.keys, {tab.command: tab.name for tab in StoryTabs.TABS}
        rows = [row for row in commands_at("narrative.story") if event.key in keys(row)]
        if self._desk.state.unfilled and any(row.action.partition("(")[0] in _OF_A_STORY for row in rows):
            workbench.tell(no_characters(workbench), topic=UNTIL_NEXT_KEY)
            return
        rows = [row for row in rows if row.tab]
        unused = not any(event.key in each.keys for each in active(self.screen))
        if unused and event.key in keys(command("next-section-match")):
            workbench.tell(
                f"No filter is set. {self._desk.label('filter-sections')} filters the tree.", topic=UNTIL_NEXT_KEY
            )
        if rows and unused:
            names = dict.fromkeys(f"{tabs[row.tab]} ({self._desk.label(row.tab)})" for row in rows)
            which = f"{' and '.join(names)} tab{'s' if len(names) > 1 else ''}"
            workbench.tell(f"{workbench.keymap.sign(event.key)} works in the {which}.", topic=UNTIL_NEXT_KEY)

    # -- links and files ----------------------------------------------------------------------------------------------

    def action_show_incoming_links(self) -> None:
        self._desk.start(partial(show_incoming_links, self._desk), group="lead")

    def action_reachable(self) -> None:
        self._desk.start(partial(show_reachable, self._desk), group="lead")

    def action_export_story(self) -> None:
        from chartui.tui.screens.narrative.import_export import export_story

        self._desk.start(partial(export_story, self._desk), group="ship")

    def action_import_story(self) -> None:
        from chartui.tui.screens.narrative.import_export import import_story

        if not self._desk.workbench.refuses("import") and self._desk.state.story is not None:
            self._desk.start(partial(import_story, self._desk), group="ship")

    def action_ship_bundle(self) -> None:
        from chartui.tui.screens.narrative.bundles import ship

        if self._desk.state.character is not None:
            self._desk.start(partial(ship, self._desk), group="ship")
