"""A plot on the screen: only changed lines are drawn again."""

from __future__ import annotations

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.lines import Ground
from chartui.tui.plots import Plot, draw_plot
from chartui.tui.theme import Palette


class PlotView(Widget):
    """Shows a plot in all the room that it has. It takes no keys: the owner moves the plot's cursor."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._plot: Plot | None = None
        self._strips: list[Strip] = []
        self._drawn_for: tuple[Size, Palette] | None = None
        self._ground = Ground(self)

    @property
    def palette(self) -> Palette:
        return Palette.of(self.app.theme_variables)

    def show(self, plot: Plot) -> None:
        """Show another plot."""
        if plot == self._plot:
            return
        before, drawn_for, first = self._strips, self._drawn_for, self._plot is None
        self._plot = plot
        if first or drawn_for is None or drawn_for[0] != self.size:
            self._drawn_for = None
            self.refresh()
            return
        self._draw(*drawn_for)
        for y, (old, new) in enumerate(zip(before, self._strips, strict=True)):
            if old != new:
                self.refresh(Region(0, y, self.size.width, 1))

    def _draw(self, size: Size, palette: Palette) -> None:
        self._drawn_for = size, palette
        self._strips = draw_plot(self._plot, size.width, size.height, palette) if self._plot else []

    def render_line(self, y: int) -> Strip:
        """One line, drawn with all others when the size or the theme is another."""
        wanted = self.size, self.palette
        if wanted != self._drawn_for:
            self._draw(*wanted)
        if y >= len(self._strips):
            return Strip.blank(self.size.width, self._ground.style)
        return self._strips[y].apply_style(self._ground.style)
