"""Sends the picture to the terminal: only what has changed, and no faster than the line delivers it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from textual._compositor import ChopsUpdate, LayoutUpdate

from chartui.tui.output.cells import Cells
from chartui.tui.output.encoder import Abilities, Pictures, Place, encode
from chartui.tui.output.grid import Look, Row
from chartui.tui.output.pacing import PATIENCE, Pacing

if TYPE_CHECKING:
    from chartui.tui.driver import TerminalDriver

#: The modes for synchronized output and for left and right margins.
SYNCHRONIZED, MARGINS = 2026, 69
_ASK: Final = "\x1b[?{}$p"
_TOGETHER: Final = "\x1b[?2026h{}\x1b[?2026l"
NO_LINK: Final = "\x1b]8;;\x1b\\"
#: Larger frames, in bytes, are synchronized, because a terminal could show only a part of them.
_LARGE: Final = 500
#: A terminal's answers for a mode that it has: set, reset.
_ABLE: Final = (1, 2)


class Output:
    """Keeps what ``driver``'s terminal shows and what it should show."""

    def __init__(self, driver: TerminalDriver, console: Console) -> None:
        self._driver = driver
        self._cells = Cells(COLOR_SYSTEMS[console.color_system] if console.color_system else ColorSystem.TRUECOLOR)
        self._pacing = Pacing()
        self._abilities = Abilities(erases=_erases())
        self._synchronizes = False
        self._shown: list[Row] | None = None
        self._pen: Look | None = None
        self._place: Place = None
        self._caret: Place = None
        self._overdue: asyncio.TimerHandle | None = None
        self._left = False
        #: The number of queries so far, including the framework's own.
        self.queries = 1

    def draw(self, update: LayoutUpdate | ChopsUpdate, size: tuple[int, int], caret: Place) -> None:
        """Update the picture, and send the change as soon as possible."""
        if size != self._cells.size:
            self._cells.resize(*size)
            self.lose()
        self._cells.take(update)
        self._caret = caret
        self.send()

    def repaint(self) -> None:
        """Send the whole picture now."""
        self._left = False
        self._pacing.forget()
        self.lose()
        self.send()

    def lose(self) -> None:
        """Note that the content of the terminal is unknown."""
        if self._pen is not None and self._pen.link:
            self._driver.write(NO_LINK)
        self._shown = self._pen = self._place = None
        self._abilities = self._abilities._replace(whole=self._cells.size == self._driver.window_size)

    def send(self) -> None:
        """Send what has changed, unless too much is in transit. This is called again when there is room."""
        if self._left or not self._cells.filled or self._pacing.is_full or not self._driver.is_free():
            return
        cells = self._cells
        pictures = Pictures(self._shown, cells.rows, cells.looks, cells.compounds)
        text, self._pen, self._place = encode(pictures, self._pen, self._place, self._abilities, caret=self._caret)
        self._shown = cells.rows.copy()
        if not text:
            return
        size = len(text.encode())
        if self._synchronizes and size > _LARGE:
            text = _TOGETHER.format(text)
        if self._pacing.send(size):
            text += _ASK.format(SYNCHRONIZED)
            self.queries += 1
            self._watch()
        self._driver.write(text)

    def answer(self, mode: int, value: int) -> None:
        """Handle the terminal's answer for a mode."""
        if mode == MARGINS:
            self._abilities = self._abilities._replace(margins=value in _ABLE)
            return
        if not self._pacing.asks:  # the first answer, to the framework's query
            self._driver.write(_ASK.format(MARGINS))
        self._synchronizes = value in _ABLE
        self._pacing.answer()
        self._watch()
        self.send()

    def _watch(self) -> None:
        """Limit the time to wait for an answer."""
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None
        if self._pacing.waits:
            self._overdue = asyncio.get_running_loop().call_later(PATIENCE, self._give_up)

    def _give_up(self) -> None:
        self._pacing.give_up()
        self._watch()
        self.send()

    @property
    def waits(self) -> bool:
        """Whether an answer is outstanding."""
        return self._pacing.waits

    def leave(self) -> str:
        """Stop sending until the next repaint, and return the sequence that resets the pen.

        A frame that is held back is dropped: it would be written over the screen of the next program.
        """
        self._left = True
        return (NO_LINK if self._pen is not None and self._pen.link else "") + "\x1b[m"


def _erases() -> bool:
    """Whether the terminal erases with the background color (terminfo: bce)."""
    try:
        import _curses
    except ImportError:
        return False
    try:
        _curses.setupterm(None, 2)
    except _curses.error:
        return False
    return _curses.tigetflag("bce") == 1
