"""The names of the panes of a character, of which one is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.glyphs import GLYPHS
from chartui.tui.painting import Line
from chartui.tui.screens.characters.state import Pane
from chartui.tui.theming import Palette

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["Tabs"]


class Tabs(Widget):
    """One line: the panes, the present one marked, and the keys that lead to the others."""

    DEFAULT_CSS = "Tabs { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self._pane = Pane.RECORD
        self._changes = 0

    def show(self, pane: Pane, changes: int) -> None:
        """Mark a pane; ``changes`` is how many settings are staged."""
        if (pane, changes) != (self._pane, self._changes):
            self._pane, self._changes = pane, changes
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        palette, line = Palette.of(self.app.theme_variables), Line(self.size.width).gap()
        for pane in Pane:
            here = pane is self._pane
            style = palette.accent + Style(underline=True) if here else palette.label
            line.add(GLYPHS.chosen if here else " ", palette.accent)
            line.add(pane.value.capitalize(), style if here else style + self._leads_to(pane))
            if pane is Pane.SETTINGS and self._changes:
                line.gap().add(f"{GLYPHS.staged}{self._changes}", palette.staged)
            line.gap(2)
        keymap = cast("ChartuiApp", self.app).keymap
        keys = " ".join(filter(None, (keymap.label("previous-pane"), keymap.label("next-pane"))))
        if line.left > len(keys) + 2:
            line.push_right(len(keys) + 1).add(keys, palette.key)
        return line.strip(self.rich_style)

    def _leads_to(self, pane: Pane) -> Style:
        """A click on a pane that is not shown turns to it: of three in a ring, each is a step from every other."""
        panes = list(Pane)
        steps = (panes.index(pane) - panes.index(self._pane)) % len(panes)
        turn = "next-pane" if steps == 1 else "previous-pane"
        return Style(meta={"@click": f"app.command('{turn}')"})
