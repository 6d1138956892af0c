"""Where a story is written: tree and tabs, with the keys that change what the cursor is at."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.drafts import TURNED, turned
from chartui.tui.guides import guide
from chartui.tui.screens.narrative.drafts import StoryDrafts
from chartui.tui.screens.narrative.links import Links, ask_what_leads_here
from chartui.tui.screens.narrative.spot import About, Spot
from chartui.tui.screens.narrative.state import Desk, Tab
from chartui.tui.screens.narrative.tabs.panel import EntryLine, StoryTabs
from chartui.tui.screens.narrative.tabs.section import ADD_DECISION, ADD_OVERRIDE
from chartui.tui.screens.narrative.texts import Texts
from chartui.tui.screens.narrative.tree import TreePanel
from chartui.tui.screens.narrative.writer import Writer
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.questions import Confirm


class StoryWork(Horizontal):
    """Every change is staged, and nothing is sent before it is applied."""

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
    NarrativeScreen.-wide #tabs.-section > #map-tab { display: block; border-left: vkey $meaning-border; }
    NarrativeScreen.-wide #tabs > .-present { border-left: vkey $meaning-border; }
    NarrativeScreen.-wide #tabs > #section-tab.-present { border-left: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("narrative.story")

    def __init__(self, desk: Desk, drafts: StoryDrafts, tree: TreePanel, tabs: StoryTabs) -> None:
        super().__init__(id="work")
        self._desk = desk
        self._drafts = drafts
        self._tree = tree
        self._tabs = tabs
        self._writer = Writer(desk, tabs)
        self._texts = Texts(self._writer)
        self._links = Links(self._writer)

    def compose(self) -> ComposeResult:
        yield self._tree
        yield self._tabs

    @property
    def spot(self) -> Spot:
        return self._writer.spot

    @on(EntryLine.Left)
    def _answered(self) -> None:
        self._writer.answered()

    def on_mount(self) -> None:
        self._desk.start(self._find_drafts, group="drafts")

    async def _find_drafts(self) -> None:
        found = await self._drafts.find()
        if found is not None:
            self.post_message(found)

    @on(StoryDrafts.Found)
    def _drafts_were_found(self, found: StoryDrafts.Found) -> None:
        self._drafts.resume(found)

    # -- what is in sight ---------------------------------------------------------------------------------------------

    def action_open_pane(self, tab: str) -> None:
        if tab == Tab.WALK:
            self._tabs.walk.play()
        else:
            self._desk.open_tab(Tab(tab), fill=tab == Tab.MAP)

    def action_turn_pane(self, step: int) -> None:
        self._desk.turn_to(Tab(self._tabs.neighbour(step)))

    def action_fill_window(self) -> None:
        """Give the tab the whole window, or show the tree beside it again."""
        self._desk.fill_window(not self.screen.has_class("-full"))

    def action_filter(self) -> None:
        """Type to filter what has the keys, or the tree, which comes into sight for it."""
        if self._tabs.has_focus_within and self._tabs.tab(self._desk.state.tab).begin_filter():
            return
        if self.screen.has_class("-full"):
            self._desk.fill_window(False)
        self._tree.begin_filter()

    # -- the lines of the section -------------------------------------------------------------------------------------

    def action_edit_section(self) -> None:
        """Let keys go to the lines of the section; there, change the one under the cursor."""
        if self._writer.section.has_focus:
            self._change_line()
        else:
            self._desk.open_tab(Tab.SECTION, fill=True)

    @on(LineView.Chosen, "#detail")
    def _change_line(self) -> None:
        """Change what the line under the cursor says, or go to the section that it names."""
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
            self._links.add_override()
        elif spot.about is About.DECISION:
            self._links.write_criteria()
        elif spot.about is About.OVERRIDE or path == "destination_section":
            self._links.choose_target()

    def action_rename(self) -> None:
        self._texts.rename()

    def action_write_objective(self) -> None:
        self._texts.write_objective()

    def action_objective_outside(self) -> None:
        self._texts.write_outside()

    def action_add_section(self) -> None:
        self._links.add_section()

    def action_add_trigger(self) -> None:
        self._links.add_trigger()

    def action_add_decision(self) -> None:
        self._links.add_decision()

    def action_write_criteria(self) -> None:
        self._links.write_criteria()

    def action_choose_target(self) -> None:
        self._links.choose_target()

    def action_move_decision(self, step: int) -> None:
        self._links.move_decision(step)

    def action_start_here(self) -> None:
        self._links.start_here()

    def action_end_here(self) -> None:
        self._links.end_here()

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
            tell("Changes of this story are being applied. Undo and redo are available afterwards.")
            return
        title = desk.editor.undo() if step < 0 else desk.editor.redo()
        if title is None:
            nothing = f"No staged edit to undo. {desk.label('undo')} undoes applied changes."
            tell(nothing if step < 0 else "Nothing to redo.", topic=TURNED)
            return
        desk.show_story()
        tell(turned(title, step), topic=TURNED)

    def _nothing_staged(self) -> str:
        text = "No staged changes. Edits wait here until you apply them."
        return guide(self._desk.workbench, text, "{edit-section} edits the selected section.")

    def action_drop_story(self) -> None:
        """Ask whether to discard all staged changes."""
        desk = self._desk
        if desk.refuses():
            return
        if not desk.editor.edits:
            desk.workbench.tell(self._nothing_staged())
            return

        def answered(agreed: bool | None) -> None:
            if agreed and not desk.refuses():
                desk.editor.discard()
                desk.show_story()

        undo, name = desk.label("undo-edit"), single_line(desk.state.name, limit=30)
        message = f"Staged: {desk.editor.edits.counted}. {undo} brings them back."
        question = Confirm(f"Discard changes to the story of {name}", message, "Discard")
        desk.workbench.push_screen(question, answered)

    def action_send_story(self) -> None:
        """Apply the staged changes."""
        from chartui.tui.screens.narrative.apply import apply_story

        desk = self._desk
        if desk.workbench.refuses("applying staged changes") or desk.refuses():
            return
        if not desk.editor.edits:
            desk.workbench.tell(self._nothing_staged())
        else:
            desk.start(partial(apply_story, desk, self._drafts), group="send")

    # -- what tabs do from anywhere -----------------------------------------------------------------------------------

    def action_map_focus(self) -> None:
        self._tabs.map.turn_focus()

    def action_map_more(self, step: int) -> None:
        self._tabs.map.show_more(step)

    def action_fix_finding(self) -> None:
        self._tabs.lint.fix_finding()

    def action_fix_findings(self) -> None:
        self._tabs.lint.fix_findings()

    def action_least_severity(self) -> None:
        self._tabs.lint.turn_severity()

    def action_walk_again(self) -> None:
        self._tabs.walk.begin_again()

    def action_fill_keys(self) -> None:
        self._tabs.walk.fill_keys()

    def action_write_walk(self) -> None:
        self._tabs.walk.write_to_file()

    def action_walk_by_chance(self) -> None:
        self._desk.start(self._tabs.walk.walk_by_chance, group="chance")

    def action_replay_walk(self) -> None:
        self._desk.start(self._tabs.walk.replay, group="replay")

    # -- links and files ----------------------------------------------------------------------------------------------

    def action_ask_who_leads(self) -> None:
        self._desk.start(partial(ask_what_leads_here, self._desk), group="lead")

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
