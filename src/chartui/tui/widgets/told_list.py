"""A dialog with a list of sentences, and keys that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.lines import Line
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.laid_out import LaidOut
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.text import PieceRow, put


class ToldList(Dialog[str | None]):
    """Shows rows, which ``rows`` makes for a width; the result is the key that was pressed, None for leaving.

    ``answers`` are the keys that answer with what each does; the first is Enter's as well.
    """

    DEFAULT_CSS = """
    ToldList > Vertical { width: 100; padding: 1 0 0 0; }
    ToldList Rows { height: auto; max-height: 100%; background: $surface; }
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
        super().__init__(title)
        self._rows = Rows(rows, stops=bool(answers))
        for number, (key, label) in enumerate(answers.items()):
            self._bindings.bind(key if number else f"{key},enter", f"dismiss({key!r})", label, priority=True)
        self._bindings.bind("escape" if answers else "escape,enter", "dismiss(None)", leaving, priority=True)

    def content(self) -> Iterable[Widget]:
        yield self._rows

    @on(LineView.Chosen)
    def _clicked(self, event: LineView.Chosen) -> None:
        event.stop()  # a click on a row does not answer

    def action_page(self) -> None:
        self._rows.action_page(1)


class Rows(LaidOut[PieceRow]):
    """Rows to read, made for a width; without ``stops``, there is no cursor."""

    def __init__(self, rows: Callable[[int], Iterable[PieceRow]], *, stops: bool = False) -> None:
        super().__init__()
        self._made = rows
        self._stops = stops

    def can_stop_at(self, index: int) -> bool:
        return self._stops and super().can_stop_at(index)

    def lay_out(self) -> None:
        self.put(list(self._made(max(24, self._width - 3))))

    def draw_row(self, index: int, width: int) -> Strip:
        return put(Line(width).gap(), self._rows[index], self.palette).strip()
