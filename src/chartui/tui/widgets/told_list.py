"""A dialog with a list of sentences, and keys that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip

from chartui.core.text import single_line
from chartui.tui.lines import Line
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LaidOut, LineView
from chartui.tui.widgets.text import PieceRow, put


class ToldList(Dialog[str | None]):
    """Shows rows, which ``rows`` makes for a width; the result is the key that was pressed, None for leaving.

    ``answers`` are the keys that answer with what each does; the first is Enter's as well.
    """

    DEFAULT_CSS = """
    ToldList > Vertical { width: 100; padding: 1 0 0 1; }
    ToldList _Rows { height: auto; max-height: 100%; background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "page", "Page down", show=False)]

    def __init__(
        self,
        title: str,
        rows: Callable[[int], Iterable[PieceRow]],
        answers: Mapping[str, str],
        *,
        leaving: str = "Cancel",
    ) -> None:
        super().__init__()
        self._title = title
        self._rows = _Rows(rows)
        for number, (key, deed) in enumerate(answers.items()):
            self._bindings.bind(key if number else f"{key},enter", f"dismiss({key!r})", deed, priority=True)
        self._bindings.bind("escape" if answers else "escape,enter", "dismiss(None)", leaving, priority=True)

    def compose(self) -> ComposeResult:
        with Vertical() as panel:
            panel.border_title = Content(single_line(self._title, limit=80))
            yield self._rows

    def on_mount(self) -> None:
        self._rows.focus()

    @on(LineView.Chosen)
    def _clicked(self, event: LineView.Chosen) -> None:
        event.stop()  # a click on a row does not answer

    def action_page(self) -> None:
        self._rows.action_page(1)


class _Rows(LaidOut[PieceRow]):
    """The rows, laid out once per width."""

    def __init__(self, rows: Callable[[int], Iterable[PieceRow]]) -> None:
        super().__init__()
        self._made = rows

    def lay_out(self) -> None:
        self.put(list(self._made(max(24, self._width - 2))))

    def draw_row(self, index: int, width: int) -> Strip:
        return put(Line(width), self._rows[index], self.palette).strip()
