"""Messages: lines directly above the footer. The screen makes room, so nothing is covered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, cast

from rich.cells import cell_len
from rich.style import Style
from textual.app import App
from textual.events import Click
from textual.geometry import Size
from textual.notifications import Notification
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.classes import dataclass
from chartui.core.clock import monotonic
from chartui.core.text import ends_in_quotes
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.theme import Palette
from chartui.tui.widgets.text import Piece, PieceRow, Role, flow, put

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Messages shown together, and the lines or the share of the window that messages may take.
_TOGETHER: Final = 2
_LINES: Final = 3
_SHARE: Final = 4
#: The longest useful line, and the cells for its edge and the number of hidden messages.
_WIDEST: Final = 100
_EDGES: Final = 6
#: The color of a message, and a sign with the same meaning.
_LOOKS: Final[Mapping[str, tuple[Role, str]]] = {
    "information": ("label", ""),
    "warning": ("warning", f"{GLYPHS.warning} "),
    "error": ("danger", f"{GLYPHS.danger} "),
}


@dataclass
class Notice(Notification):
    """A message that expires by a monotonic clock; it replaces the one with its ``identity``."""

    begun: float = field(default_factory=monotonic)

    @property
    def time_left(self) -> float:
        return self.begun + self.timeout - monotonic()


class MessageBar(Widget):
    """The last message, and above it the most important of the others. A click removes one.

    The number of hidden messages is shown; they appear as there is room.
    """

    DEFAULT_CSS = "MessageBar { display: none; height: auto; width: 1fr; background: $surface; }"

    def __init__(self) -> None:
        super().__init__()
        self._notices: Sequence[Notification] = []
        self._lines: list[tuple[Notification, PieceRow]] = []

    def show(self, notices: Sequence[Notification]) -> None:
        if notices != self._notices:
            self._notices = notices
            # At once: the framework may draw before it asks for the height, and again only if that has changed.
            self._fit(self.size.width)
            self.display = bool(notices)
            self.refresh(layout=True)
            self.screen.refresh_bindings()  # Esc does something else

    @property
    def told(self) -> Sequence[Notification]:
        """The message of each line."""
        return [notice for notice, _ in self._lines]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        self._fit(width)
        return len(self._lines)

    def _fit(self, width: int) -> None:
        """Choose the messages to show, and wrap them."""
        most = left = max(_LINES, self.app.size.height // _SHARE)
        shown: dict[int, list[PieceRow]] = {}
        last = len(self._notices) - 1
        ranked = sorted(enumerate(self._notices), key=lambda n: (n[0] < last, n[1].severity == "information", -n[0]))
        for number, notice in ranked:
            rows = _rows(notice, width, most)
            if len(rows) <= left and len(shown) < _TOGETHER:
                shown[number], left = rows, left - len(rows)
        self._lines = [(self._notices[number], row) for number in sorted(shown) for row in shown[number]]

    def render_line(self, y: int) -> Strip:
        palette, line = Palette.of(self.app.theme_variables), Line(self.size.width)
        if y < len(self._lines):
            notice, row = self._lines[y]
            put(line.add(GLYPHS.cursor, getattr(palette, _LOOKS[notice.severity][0])).gap(), row, palette)
            if y == 0 and (left_out := len(self._notices) - len({told.identity for told in self.told})):
                more = f"+{left_out} "
                line.push_right(len(more)).add(more, palette.label)
        strip = line.strip(self.rich_style)
        return _linked(strip) if cast("ChartuiApp", self.app).window.links else strip

    def on_click(self, event: Click) -> None:
        self.app._unnotify(self.told[event.y])


def withdraw(app: App[Any], topic: str) -> None:
    """Remove the message on a topic, if there is one: what it says is over."""
    for notice in [one for one in app._notifications if one.identity == topic]:
        app._unnotify(notice)


def _linked(strip: Strip) -> Strip:
    """A line with links to the addresses and files in it."""
    from chartui.core.links import links_in

    text, done = strip.text, 0
    parts: list[Strip] = []
    for link in links_in(text):
        start, end = cell_len(text[: link.start]), cell_len(text[: link.end])
        parts += [strip.crop(done, start), strip.crop(start, end).apply_style(Style(link=link.target))]
        done = end
    return Strip.join([*parts, strip.crop(done)])


def _rows(notice: Notification, width: int, most: int) -> list[PieceRow]:
    role, sign = _LOOKS[notice.severity]
    lead = f"{sign}{notice.title}  " if notice.title else sign
    words = [Piece(lead, role if sign else "title"), Piece(" ".join(notice.message.split()), "value")]
    rows = list(flow(words, min(width, _WIDEST) - _EDGES))
    if len(rows) > most:
        shown = "".join(piece.text for row in rows[:most] for piece in row)
        end = f"{GLYPHS.ellipsis}{'”' if ends_in_quotes(shown) else ''}"
        rows[most - 1] = (*rows[most - 1], Piece(end, "label"))
    return rows[:most]
