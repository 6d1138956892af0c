"""A few labelled sentences below a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.painting import Line, wrap
from chartui.tui.theming import Palette

__all__ = ["Fact", "Facts"]

LABEL_WIDTH = 11


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and a sentence; ``role`` names the palette's style of the latter, ``sign`` stands before it."""

    label: str
    text: str
    role: str = "value"
    sign: str = ""


class Facts(Widget):
    """Draws facts, long ones wrapped."""

    DEFAULT_CSS = """
    Facts { height: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._facts: Sequence[Fact] = ()

    def show(self, facts: Sequence[Fact]) -> None:
        """Show other facts."""
        self._facts = facts
        self.refresh(layout=True)

    def _rows(self, width: int) -> list[tuple[str, str, str, str]]:
        rows = []
        for fact in self._facts:
            lines = wrap(fact.text, max(10, width - LABEL_WIDTH - 3 - (2 if fact.sign else 0)))
            for number, text in enumerate(lines):
                sign = "" if not fact.sign else "  " if number else f"{fact.sign} "
                rows.append(("" if number else fact.label, sign, text, fact.role))
        return rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As many lines as the facts take."""
        return len(self._rows(width))

    def render_line(self, y: int) -> Strip:
        """One line."""
        rows, line = self._rows(self.size.width), Line(self.size.width).gap()
        palette = Palette.of(self.app.theme_variables)
        if y < len(rows):
            label, sign, text, role = rows[y]
            style = getattr(palette, role)
            line.add(label, palette.label, width=LABEL_WIDTH).gap().add(sign, style).add(text, style)
        return line.strip(self.rich_style)
