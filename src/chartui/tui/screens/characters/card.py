"""The card of a character, to be read, copied and written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip

from chartui.core.characters.card import WIDTH, Card
from chartui.tui.lines import Line
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LaidOut

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["CardDialog"]


class _Source(Protocol):
    def __call__(self, *, with_texts: bool = False) -> Card | None: ...


class _CardView(LaidOut[str]):
    """The lines of a card, as they are copied."""

    def __init__(self, lines: Callable[[], list[str]]) -> None:
        super().__init__()
        self._lines = lines

    def lay_out(self) -> None:
        """The lines; they are made for the width of every terminal."""
        self.put(self._lines())

    def draw_row(self, index: int, width: int) -> Strip:
        """One line."""
        return Line(width).gap().add(self._rows[index], self.palette.title if not index else self.palette.value).strip()


class CardDialog(Dialog[None]):
    """Shows a card; the texts that are personal come only when they are asked for."""

    DEFAULT_CSS = f"""
    CardDialog > Vertical {{ width: {WIDTH + 4}; max-width: 100%; max-height: 100%; }}
    CardDialog _CardView {{ height: auto; max-height: 100%; background: $surface; scrollbar-gutter: auto; }}
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,I", "dismiss(None)", show=False),
        Binding("y", "copy", show=False),
        Binding("t", "texts", show=False),
    ]

    def __init__(self, source: _Source) -> None:
        super().__init__()
        self._source = source
        self._with_texts = False
        self._card = str(source())
        self._view = _CardView(lambda: self._card.rstrip("\n").split("\n"))

    def compose(self) -> ComposeResult:
        """The card."""
        with Vertical() as panel:
            panel.border_title = Content("Card for a support ticket")
            yield self._view
        self._panel = panel

    def on_mount(self) -> None:
        """Keys go to the card."""
        self._say()
        self._view.lay_out()
        self._view.focus()

    def _say(self) -> None:
        texts = "t without its texts" if self._with_texts else "t with its texts"
        self._panel.border_subtitle = Content(f"y copy · {texts} · esc closes")

    def action_texts(self) -> None:
        """With what was written about the character, or without."""
        self._with_texts = not self._with_texts
        self._card = str(self._source(with_texts=self._with_texts))
        self._say()
        self._view.cursor = 0
        self._view.lay_out()

    def action_copy(self) -> None:
        """Copy the card as it is shown."""
        title = "Card with its texts" if self._with_texts else "Card for a ticket"
        cast("ChartuiApp", self.app).copy(self._card, title)
