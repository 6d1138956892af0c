"""The character under the cursor beside the list, in tabs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.widgets import Input

from chartui.core.characters.record import Search
from chartui.core.reproduce import as_json
from chartui.core.session import Session
from chartui.core.text import single_line
from chartui.tui.screens.characters.changes_since_visit import Visits
from chartui.tui.screens.characters.state import CharactersState, Tab
from chartui.tui.screens.characters.tabs.cost import CostTab
from chartui.tui.screens.characters.tabs.history import HistoryTab
from chartui.tui.screens.characters.tabs.record import RawTab, RecordTab, card
from chartui.tui.screens.characters.tabs.settings import SettingsTab
from chartui.tui.widgets.find import FindBox, Searched
from chartui.tui.widgets.screen import Copyable
from chartui.tui.widgets.tabs import TabName, TabPanel


class Detail(TabPanel):
    """The tabs, and the box in which you look for something in the record."""

    DEFAULT_CSS = """
    Detail > #find { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    Detail.-finding > #find { display: block; }
    """
    TABS: ClassVar[Sequence[TabName]] = (
        TabName(Tab.SETTINGS, "Settings", "edit-settings"),
        TabName(Tab.RECORD, "Record", "show-record"),
        TabName(Tab.RAW, "Raw", "show-raw"),
        TabName(Tab.COST, "Cost", "show-cost"),
        TabName(Tab.HISTORY, "History", "show-past"),
    )

    def __init__(self, session: Session, visits: Visits) -> None:
        self._session = session
        self.settings = SettingsTab(session)
        self.record = RecordTab(visits)
        self.raw = RawTab()
        self.cost = CostTab()
        self.past = HistoryTab(visits)
        self.find_box = FindBox("find in names, paths and values", id="find")
        self._sought: Searched[object] | None = None
        self._about = ""
        tabs = (self.settings, self.record, self.raw, self.cost, self.past)
        super().__init__(dict(zip(Tab, tabs, strict=True)), common=[self.find_box], id="detail")
        self.turn_to(Tab.RECORD)

    def show_state(self, state: CharactersState) -> None:
        """Show what is known of the character under the cursor, or why that is nothing."""
        if self._sought is not None and self._sought is not self.part(state.tab):
            self._stop_finding()
        for tab in (self.settings, self.record, self.raw, self.cost, self.past):
            tab.show_state(state)
        marks = {Tab.SETTINGS: self.settings.mark, Tab.RECORD: self.record.mark(state)}
        if state.shown == state.current_id:  # else the tabs are about the character before until this one was read
            self._about = single_line(state.name, limit=60)
        self.show_marks({str(tab): mark for tab, mark in marks.items()}, self._about)

    def read(self, tab: Tab) -> None:
        """Find out what a tab shows besides the record."""
        if tab is Tab.SETTINGS:
            self.settings.read()
        elif tab is Tab.COST:
            self.cost.read()
        if tab is Tab.HISTORY or self.past.beside:
            self.past.read()

    def copies(self, state: CharactersState) -> Sequence[Copyable]:
        """The character under the cursor, and what was read of it."""
        if state.current is None:
            return ()
        short, whole = (card(state, self._session, with_texts=texts) for texts in (False, True))
        return [
            *self.record.copies(),
            *self.raw.copies(),
            Copyable("Id", state.current.character_id),
            *([Copyable("Name", state.current.character_name)] if state.current.character_name else ()),
            *([Copyable("The record as JSON", as_json(state.record), ".json")] if state.is_read else ()),
            *([Copyable("Card for a ticket", str(short))] if short else ()),
            *([Copyable("Card with its texts", str(whole))] if whole else ()),
            *self.cost.copies(),
        ]

    # -- finding ------------------------------------------------------------------------------------------------------

    def find(self) -> bool:
        """Begin to look for something in the present tab while keys go there; tells whether that can be done."""
        tab = self.part(self.present)
        if not self.has_focus_within or not isinstance(tab, Searched):
            return False
        self._sought = tab
        self.add_class("-finding")
        self.find_box.focus()
        self._look()
        return True

    def leave_find(self) -> bool:
        """End looking for something while keys go here; tells whether there was anything to end."""
        if self._sought is None or not self.has_focus_within:
            return False
        self._sought.focus()
        self._stop_finding()
        return True

    @on(Input.Changed, "#find")
    def _look(self) -> None:
        if self._sought is not None:
            self._sought.look_for(Search(self.find_box.value))

    def _stop_finding(self) -> None:
        sought, self._sought = self._sought, None
        self.remove_class("-finding")
        if sought is not None:
            sought.look_for(Search(""))

    @on(Input.Submitted, "#find")
    def _wanted(self) -> None:
        if self._sought is not None:
            self._sought.next_hit(1)

    @on(FindBox.Go)
    def _went(self, message: FindBox.Go) -> None:
        if self._sought is not None:
            self._sought.next_hit(message.step)
