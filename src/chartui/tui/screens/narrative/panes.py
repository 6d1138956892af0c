"""What stands beside the tree, in panes of which one is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from chartui.tui.screens.narrative.lint_view import LintView
from chartui.tui.screens.narrative.map_view import MapView
from chartui.tui.screens.narrative.section_view import EntryLine, SectionView
from chartui.tui.screens.narrative.state import Pane
from chartui.tui.screens.narrative.walk_view import WalkView
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.pane_set import PaneSet
from chartui.tui.widgets.tab_line import Tab, tab_title

__all__ = ["Panes"]

#: The command that leads to each pane.
_COMMANDS: Final = {
    Pane.SECTION: "show-section",
    Pane.MAP: "show-map",
    Pane.LINT: "show-findings",
    Pane.WALK: "walk-story",
}


class Panes(PaneSet[Pane]):
    """The panes; their names are the title of the panel around them."""

    DEFAULT_CSS = """
    Panes > #find-finding { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    Panes.-finding > #find-finding { display: block; }
    """

    def __init__(self) -> None:
        self.section = SectionView(id="detail")
        self.entry = EntryLine()
        self.map = MapView(id="map")
        self.findings = LintView(id="findings")
        self.walk = WalkView(id="walk")
        self.find = FilterBox("filter: section, trigger, what is wrong", id="find-finding")
        panes: dict[Pane, Widget] = {
            Pane.SECTION: self.section,
            Pane.MAP: self.map,
            Pane.LINT: self.findings,
            Pane.WALK: self.walk,
        }
        super().__init__(panes, Pane.SECTION, id="panes")
        self.border_title = Content("Section")

    def compose(self) -> ComposeResult:
        """The panes."""
        yield self.find
        yield from self.panes.values()
        yield self.entry

    def show_tabs(self, present: Pane, marks: Mapping[Pane, str], key: Callable[[str], str]) -> None:
        """Name the panes and what waits in them; ``key`` gives the key of a command, as it is written for people."""
        tabs = [Tab(p.value, p.value.capitalize(), _COMMANDS[p], marks.get(p, "")) for p in self.panes]
        keys = " ".join(filter(None, map(key, ("previous-story-pane", "next-story-pane"))))
        self.border_title = tab_title(tabs, present.value, keys)
