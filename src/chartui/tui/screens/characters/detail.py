"""One character beside the list, in panes of which one is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from chartui.core.fields import Group
from chartui.core.text import single_line
from chartui.tui.screens.characters.cost import CostView
from chartui.tui.screens.characters.history_pane import PastView
from chartui.tui.screens.characters.settings import SettingsForm
from chartui.tui.screens.characters.state import Pane
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.find import FindBox
from chartui.tui.widgets.json_view import JsonView
from chartui.tui.widgets.pane_set import PaneSet
from chartui.tui.widgets.tab_line import Tab, TabLine

__all__ = ["Detail"]

#: The command that leads to each pane.
_COMMANDS: Final = {
    Pane.SETTINGS: "edit-settings",
    Pane.RECORD: "show-record",
    Pane.RAW: "show-raw",
    Pane.COST: "show-cost",
    Pane.HISTORY: "show-past",
}


class Detail(PaneSet[Pane]):
    """The panes under their names."""

    DEFAULT_CSS = """
    Detail > #find { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    Detail.-finding > #find { display: block; }
    """

    def __init__(self) -> None:
        self.tabs = TabLine()
        self.form = SettingsForm(id="settings")
        self.record = FieldsView(id="record", marks=True)
        self.raw = JsonView(id="raw")
        self.find = FindBox("find in names, paths and values", id="find")
        self.cost = CostView(id="cost")
        self.past = PastView(id="past")
        panes: dict[Pane, Widget] = {
            Pane.SETTINGS: self.form,
            Pane.RECORD: self.record,
            Pane.RAW: self.raw,
            Pane.COST: self.cost,
            Pane.HISTORY: self.past,
        }
        super().__init__(panes, Pane.RECORD, id="detail")
        self.border_title = Content("Character")

    def compose(self) -> ComposeResult:
        """The names, and the panes."""
        yield self.tabs
        yield self.find
        yield from self.panes.values()

    def show_record(self, name: str, groups: Sequence[Group], *, note: str = "", same: bool = False) -> None:
        """Show a record, from its top unless it is the ``same`` one again."""
        self.border_title = Content(single_line(name or "Character", limit=60))
        self.record.show(groups, note=note, same=same)

    def show_tabs(self, present: Pane, marks: Mapping[Pane, str], key: Callable[[str], str]) -> None:
        """Name the panes and what waits in them; ``key`` gives the key of a command, as it is written for people."""
        tabs = [Tab(p.value, p.value.capitalize(), _COMMANDS[p], marks.get(p, "")) for p in Pane]
        self.tabs.show(tabs, present.value, " ".join(filter(None, map(key, ("previous-pane", "next-pane")))))
