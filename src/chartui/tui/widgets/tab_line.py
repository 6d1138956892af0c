"""One line that names several panes, of which one is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.theme import Palette

__all__ = ["Tab", "TabLine"]


class Tab(NamedTuple):
    """A pane: its title, the command that leads to it, and what waits in it, as a mark behind the title."""

    name: str
    title: str
    command: str
    mark: str = ""


class TabLine(Widget):
    """The panes, the present one marked, and the keys that lead to the others where there is room for them."""

    DEFAULT_CSS = "TabLine { height: 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._tabs: Sequence[Tab] = ()
        self._present = ""
        self._keys = ""

    def show(self, tabs: Sequence[Tab], present: str, keys: str = "") -> None:
        """Draw these panes, ``present`` being the name of the one that is shown."""
        if (tabs, present, keys) != (self._tabs, self._present, self._keys):
            self._tabs, self._present, self._keys = tabs, present, keys
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        palette, line = Palette.of(self.app.theme_variables), Line(self.size.width)
        taken = sum(1 + cell_len(tab.title) + (1 + cell_len(tab.mark) if tab.mark else 0) for tab in self._tabs)
        apart = min(2, max(0, (line.width - taken) // max(1, len(self._tabs))))
        for tab in self._tabs:
            here = tab.name == self._present
            line.add(GLYPHS.chosen if here else " ", palette.accent)
            leads = Style(meta={"@click": f"app.command('{tab.command}')"})
            line.add(tab.title, palette.accent + Style(underline=True) if here else palette.label + leads)
            if tab.mark:
                line.gap().add(tab.mark, palette.staged)
            line.gap(apart)
        if line.left > len(self._keys) + 1:
            line.push_right(len(self._keys) + 1).add(self._keys, palette.key)
        return line.strip(self.rich_style)
