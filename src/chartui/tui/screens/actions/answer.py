"""What is read beside the scene: the reply, the form, what was found, the turns; one of them is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from chartui.tui.screens.actions.checks import ChecksView
from chartui.tui.screens.actions.state import Pane
from chartui.tui.screens.actions.turns import TurnsView
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.pane_set import PaneSet
from chartui.tui.widgets.tab_line import Tab, TabLine

__all__ = ["Answer"]

_TITLES: Final = {Pane.REPLY: "Reply", Pane.FORM: "Form", Pane.CHECKS: "Checks", Pane.TURNS: "Turns"}
#: The command that leads to each pane.
_COMMANDS: Final = {
    Pane.REPLY: "show-reply",
    Pane.FORM: "show-form",
    Pane.CHECKS: "show-checks",
    Pane.TURNS: "show-turns",
}


class Answer(PaneSet[Pane]):
    """The panes under their names."""

    def __init__(self) -> None:
        self.tabs = TabLine()
        self.reply = FieldsView(id="reply")
        self.form = FieldsView(id="form")
        self.checks = ChecksView(id="checks")
        self.turns = TurnsView(id="turns")
        panes: dict[Pane, Widget] = {
            Pane.REPLY: self.reply,
            Pane.FORM: self.form,
            Pane.CHECKS: self.checks,
            Pane.TURNS: self.turns,
        }
        super().__init__(panes, Pane.REPLY, id="answer")

    def compose(self) -> ComposeResult:
        """The names, and the panes."""
        yield self.tabs
        yield from self.panes.values()

    def show_tabs(self, present: Pane, marks: Mapping[Pane, str], key: Callable[[str], str]) -> None:
        """Name the panes and what waits in them; ``key`` gives the key of a command, as it is written for people."""
        self.border_title = Content(_TITLES[present])
        tabs = [Tab(pane.value, _TITLES[pane], _COMMANDS[pane], marks.get(pane, "")) for pane in Pane]
        keys = " ".join(filter(None, map(key, ("previous-answer-pane", "next-answer-pane"))))
        self.tabs.show(tabs, present.value, keys)
