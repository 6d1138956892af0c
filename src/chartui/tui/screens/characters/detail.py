"""The character under the cursor beside the list, in tabs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from textual import on
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Input

from chartui.core.characters.record import Search
from chartui.core.reproduce import as_json
from chartui.core.session import Session
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.screens.characters.changes_since_visit import Visits
from chartui.tui.screens.characters.state import CharactersState, Tab
from chartui.tui.screens.characters.tabs.cost import CostTab
from chartui.tui.screens.characters.tabs.history import HistoryTab
from chartui.tui.screens.characters.tabs.record import RawTab, RecordTab, copied_cards
from chartui.tui.screens.characters.tabs.settings import SettingsTab
from chartui.tui.widgets.find import FindBox, LineFinder, Searched
from chartui.tui.widgets.screen import Copyable, WorkScreen
from chartui.tui.widgets.tabs import TabName, TabPanel


class Detail(TabPanel):
    """The tabs, and the box to search the record."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for("characters.detail")
    SCOPED_CSS = False
    DEFAULT_CSS = """
    Detail { width: 1fr; max-width: 104; }
    Detail > #find { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    Detail.-finding > #find { display: block; }
    .-wide Detail { layout: horizontal; max-width: 160; }
    .-wide Detail > #find { dock: top; width: 100%; }
    .-wide Detail > .-present { max-width: 100; }
    .-wide Detail > #past { display: block; width: 33%; border-left: vkey $meaning-border; }
    .-wide Detail > #past.-present { width: 1fr; border-left: none; }
    """
    TABS: ClassVar[Sequence[TabName]] = (
        TabName(Tab.SETTINGS, "Settings", "edit-settings"),
        TabName(Tab.RECORD, "Record", "show-record"),
        TabName(Tab.RAW, "JSON", "show-raw"),
        TabName(Tab.COST, "Cost", "show-cost"),
        TabName(Tab.HISTORY, "History", "show-character-history"),
    )

    def __init__(self, session: Session, visits: Visits) -> None:
        self.settings = SettingsTab(session)
        self.record = RecordTab(visits)
        self.raw = RawTab()
        self.cost = CostTab()
        self.past = HistoryTab(visits)
        self.find_box = FindBox("find in names, paths and values", id="find")
        #: The tab that is searched, and what searches it.
        self._sought: Widget | None = None
        self._seeker: Searched[Any] | HistoryTab | LineFinder | None = None
        self._about = ""
        tabs = (self.settings, self.record, self.raw, self.cost, self.past)
        super().__init__(dict(zip(Tab, tabs, strict=True)), common=[self.find_box], id="detail")
        self.turn_to(Tab.RECORD)

    def show_state(self, state: CharactersState) -> None:
        """Show the character under the cursor, or why it cannot be shown."""
        beside = self._sought is self.past and self.past.beside
        if self._sought is not None and self._sought is not self.part(state.tab) and not beside:
            self._stop_finding()
        for tab in (self.settings, self.record, self.raw, self.cost, self.past):
            tab.show_state(state)
        marks = {Tab.SETTINGS: self.settings.mark, Tab.RECORD: self.record.mark(state)}
        if state.shown == state.current_id:  # otherwise the tabs keep the previous character until this one is read
            self._about = single_line(state.name, limit=60)
        self.show_marks({str(tab): mark for tab, mark in marks.items()}, self._about)

    def read(self, tab: Tab) -> None:
        """Load the data of a tab besides the record."""
        if tab is Tab.SETTINGS:
            self.settings.read()
        elif tab is Tab.COST:
            self.cost.read()
        if tab is Tab.HISTORY or self.past.beside:
            self.past.read()

    def copies(self, state: CharactersState) -> Sequence[Copyable]:
        """The character under the cursor and the data read; that of the focused tab first."""
        if state.current is None:
            return ()
        work = cast("WorkScreen", self.screen)
        return [
            *self.record.copies(),
            *self.raw.copies(),
            *(self.cost.copies() if self.cost.has_focus else ()),
            Copyable("ID", state.current.character_id),
            *([Copyable("Name", state.current.character_name)] if state.current.character_name else ()),
            *([Copyable("Record as JSON", as_json(state.record), ".json")] if state.is_read else ()),
            *(copied_cards(work.workbench, state.reading) if state.is_read and state.reading is not None else ()),
            *(() if self.cost.has_focus else self.cost.copies()),
        ]

    # -- searching ----------------------------------------------------------------------------------------------------

    @property
    def searchable(self) -> SettingsTab | RecordTab | RawTab | CostTab | HistoryTab | None:
        """The focused tab."""
        tabs = (self.settings, self.record, self.raw, self.cost, self.past)
        return next((tab for tab in tabs if tab.has_focus), None)

    def find(self) -> bool:
        """Open the search in the focused tab; returns whether a tab has the focus."""
        if (tab := self.searchable) is None:
            return False
        self._sought, self._seeker = tab, tab.finder if isinstance(tab, SettingsTab | CostTab) else tab
        self.add_class("-finding")
        self.find_box.focus()
        self._look()
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A match can only be shown while a search is open."""
        return self._sought is not None if action == "go_to_match" else super().check_action(action, parameters)

    def action_go_to_match(self, step: int) -> None:
        """Go to the next match, or with -1 to the previous one."""
        if self._seeker is not None:
            self._seeker.next_hit(step)

    def leave_find(self) -> bool:
        """Close the search of the focused tab; returns whether it was open."""
        if self._sought is None or not self.has_focus_within:
            return False
        self._sought.focus()
        self._stop_finding()
        return True

    @on(Input.Changed, "#find")
    def _look(self) -> None:
        if self._seeker is not None:
            self._seeker.look_for(Search(self.find_box.value))

    def _stop_finding(self) -> None:
        seeker, self._sought, self._seeker = self._seeker, None, None
        self.remove_class("-finding")
        if seeker is not None:
            seeker.look_for(Search(""))
            self.screen.refresh_bindings()

    @on(Input.Submitted, "#find")
    def _found(self) -> None:
        """Focus the searched text; without a search text, close the search."""
        if self._sought is not None:
            self._sought.focus()
        if not self.find_box.value.strip():
            self._stop_finding()

    @on(FindBox.Go)
    def _went(self, message: FindBox.Go) -> None:
        self.action_go_to_match(message.step)
