"""One character beside the list: its settings, its record, or what it costs."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from chartui.core.fields import Group
from chartui.core.text import single_line
from chartui.tui.screens.characters.cost import CostView
from chartui.tui.screens.characters.settings import SettingsForm
from chartui.tui.screens.characters.state import Pane, Shown
from chartui.tui.screens.characters.tabs import Tabs
from chartui.tui.widgets.fields_view import FieldsView

__all__ = ["Detail"]


class Detail(Vertical):
    """The panes under their names; one is shown."""

    DEFAULT_CSS = """
    Detail > SettingsForm, Detail > FieldsView, Detail > CostView { display: none; height: 1fr; }
    Detail.-settings > SettingsForm, Detail.-record > FieldsView, Detail.-cost > CostView { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="detail", classes="panel -record")
        self.tabs = Tabs()
        self.form = SettingsForm(id="settings")
        self.record = FieldsView(id="record")
        self.cost = CostView(id="cost")
        self.border_title = Content("Character")

    def compose(self) -> ComposeResult:
        """The names, and the panes."""
        yield self.tabs
        yield self.form
        yield self.record
        yield self.cost

    def show_pane(self, pane: Pane) -> None:
        """Show one of the panes; the focus follows when it was in the other."""
        inside = self.has_focus_within
        for other in Pane:
            self.set_class(other is pane, f"-{other.value}")
        if inside:
            self.pane(pane).focus()

    def pane(self, pane: Pane) -> Widget:
        """The widget of a pane."""
        panes: dict[Pane, Widget] = {Pane.SETTINGS: self.form, Pane.RECORD: self.record, Pane.COST: self.cost}
        return panes[pane]

    def show_record(self, name: str, groups: Sequence[Group], *, note: str = "", same: bool = False) -> None:
        """Show a record, from its top unless it is the ``same`` one again."""
        self.border_title = Content(single_line(name or "Character", limit=60))
        self.record.show(groups, note=note, same=same)

    def show_settings(self, pane: Pane, shown: Shown | None, *, note: str = "") -> None:
        """Show settings, or a sentence instead."""
        self.form.show_settings(shown, note=note)
        self.tabs.show(pane, len(shown.staged.changes) if shown is not None else 0)
