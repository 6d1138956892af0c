"""A question before something is changed."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip

from chartui.tui.painting import Line, wrap
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LineView

__all__ = ["Confirm"]


class _Options(LineView):
    """Cancel first, then the deed."""

    def __init__(self, message: str, deed: str, key: str) -> None:
        super().__init__()
        self._message = message
        self._lines: list[str] = []
        self._options = (("Cancel", "esc"), (deed, key))

    def width_changed(self) -> None:
        """Wrap the question again."""
        self._lines = [*wrap(self._message, max(10, self._width - 3)), ""]
        self.rows_changed()
        self.move_to(len(self._lines))

    @property
    def row_count(self) -> int:
        return len(self._lines) + len(self._options)

    def can_stop_at(self, index: int) -> bool:
        return len(self._lines) <= index < self.row_count

    def draw_row(self, index: int, width: int) -> Strip:
        if index < len(self._lines):
            return Line(width).gap().add(self._lines[index], self.palette.value).strip()
        text, key = self._options[index - len(self._lines)]
        line = Line(width).gap().add("› " if index == self.cursor else "  ", self.palette.accent)
        return line.add(text, self.palette.title, width=min(28, line.left - 6)).add(key, self.palette.key).strip()

    @property
    def on_deed(self) -> bool:
        return self.cursor == self.row_count - 1


class Confirm(Dialog[bool]):
    """Asks before a change. Cancel has the cursor, and the key that agrees is another than the one that asked."""

    DEFAULT_CSS = """
    Confirm > Vertical {
        width: 60;
        border: round $warning;
        border-title-color: $warning;
        padding: 1 1 0 1;
    }
    Confirm _Options { height: auto; max-height: 16; background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(False)", show=False),
        Binding("y", "dismiss(True)", show=False),
    ]

    def __init__(self, title: str, message: str, deed: str) -> None:
        super().__init__()
        self._title = title
        self._question = _Options(message, deed, "y")

    def compose(self) -> ComposeResult:
        """The question and its two answers."""
        with Vertical() as panel:
            panel.border_title = Content(self._title)
            yield self._question

    def on_mount(self) -> None:
        """Keys go to the answers."""
        self._question.focus()

    def on_line_view_chosen(self) -> None:
        """Enter takes the answer under the cursor."""
        self.dismiss(self._question.on_deed)
