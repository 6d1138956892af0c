"""Sentences in a dialogue, wrapped to its width."""

from __future__ import annotations

from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.painting import Line, wrap
from chartui.tui.theming import Palette

__all__ = ["Words"]


class Words(Widget):
    """Text from anywhere, as it is: never read as markup. ``role`` names the palette's style."""

    DEFAULT_CSS = """
    Words { height: auto; }
    """

    def __init__(self, text: str, *, role: str = "value", id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._text = text
        self._role = role

    def show(self, text: str, *, role: str) -> None:
        """Show another text."""
        self._text, self._role = text, role
        self.refresh(layout=True)

    @property
    def palette(self) -> Palette:
        """The styles of the theme in force."""
        return Palette.of(self.app.theme_variables)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As many lines as the text takes."""
        return len(wrap(self._text, max(10, width - 2))) if self._text else 0

    def render_line(self, y: int) -> Strip:
        """One line."""
        lines = wrap(self._text, max(10, self.size.width - 2))
        line = Line(self.size.width).gap()
        if y < len(lines):
            line.add(lines[y], getattr(self.palette, self._role))
        return line.strip(self.rich_style)
