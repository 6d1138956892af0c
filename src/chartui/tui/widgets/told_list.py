"""A list of sentences to read in a dialogue, and a few keys that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip

from chartui.core.text import single_line
from chartui.tui.bindings import sign_of
from chartui.tui.lines import Line
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LaidOut, LineView
from chartui.tui.widgets.text import PieceRow, put

__all__ = ["ToldList"]


class ToldList(Dialog[str | None]):
    """Shows rows, which ``rows`` makes for a width; the result is the key that was pressed, None for leaving.

    ``answers`` are the keys that answer with what each does; the first is Enter's as well.
    """

    DEFAULT_CSS = """
    ToldList > Vertical { width: 100; padding: 1 0 0 1; }
    ToldList _Rows { height: auto; max-height: 100%; background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", show=False),
        Binding("enter", "answer", show=False, priority=True),
        Binding("space", "page", show=False),
    ]

    def __init__(
        self,
        title: str,
        rows: Callable[[int], Iterable[PieceRow]],
        answers: Mapping[str, str],
        *,
        leaving: str = "leaves it",
    ) -> None:
        super().__init__()
        self._title = title
        self._rows = _Rows(rows)
        self._answers = dict(answers)
        self._leaving = leaving

    def compose(self) -> ComposeResult:
        """The rows, and on the border the keys."""
        with Vertical() as panel:
            panel.border_title = Content(single_line(self._title, limit=80))
            first, *_ = [*self._answers, ""]
            enter = f" {sign_of(self, 'enter')}"
            keys = [f"{key}{enter if key == first else ''} {deed}" for key, deed in self._answers.items()]
            panel.border_subtitle = Content(" · ".join([*keys, f"esc {self._leaving}"]))
            yield self._rows

    def on_mount(self) -> None:
        """Keys scroll the rows."""
        self._rows.focus()

    def on_key(self, event: events.Key) -> None:
        """One of the answers."""
        if event.character in self._answers:
            event.stop()
            self.dismiss(event.character)

    @on(LineView.Chosen)
    def _clicked(self, event: LineView.Chosen) -> None:
        event.stop()  # a click on a row is no answer

    def action_answer(self) -> None:
        """The first of the answers; without any, leave."""
        self.dismiss(next(iter(self._answers), None))

    def action_page(self) -> None:
        """A page down."""
        self._rows.action_page(1)


class _Rows(LaidOut[PieceRow]):
    """The rows; laid out once a width."""

    def __init__(self, rows: Callable[[int], Iterable[PieceRow]]) -> None:
        super().__init__()
        self._made = rows

    def lay_out(self) -> None:
        self.put(list(self._made(max(24, self._width - 2))))

    def draw_row(self, index: int, width: int) -> Strip:
        return put(Line(width), self._rows[index], self.palette).strip()
