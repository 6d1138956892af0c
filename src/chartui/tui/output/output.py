"""Sends the picture to the terminal: only what differs from what is shown, and no faster than the line carries it."""

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

#: The questions for synchronized output and for left and right margins.
SYNCHRONIZED, MARGINS = 2026, 69
_ASK: Final = "\x1b[?{}$p"
_TOGETHER: Final = "\x1b[?2026h{}\x1b[?2026l"
NO_LINK: Final = "\x1b]8;;\x1b\\"
#: Bytes of a frame from which a terminal might show it in parts.
_LARGE: Final = 400
#: Answers to the question for a mode that say that it can be set.
_ABLE: Final = (1, 2)


class Output:
    """What ``driver``'s terminal shows, and what it should show."""

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
        #: Questions that the terminal will answer, as it answers the framework's.
        self.questions = 1

    def draw(self, update: LayoutUpdate | ChopsUpdate, size: tuple[int, int], caret: Place) -> None:
        """Change the picture, and send the change as soon as the line carries it."""
        if size != self._cells.size:
            self._cells.resize(*size)
            self.lose()
        self._cells.take(update)
        self._caret = caret
        self.send()

    def repaint(self) -> None:
        """Send the whole picture, whatever is under way."""
        self._pacing.forget()
        self.lose()
        self.send()

    def lose(self) -> None:
        """What the terminal shows is not known any more."""
        if self._pen is not None and self._pen.link:
            self._driver.write(NO_LINK)
        self._shown = self._pen = self._place = None
        self._abilities = self._abilities._replace(whole=self._cells.size == self._driver.window_size)

    def send(self) -> None:
        """Send what has changed, unless enough is under way: then the terminal's answer, or the system, calls again."""
        if not self._cells.filled or self._pacing.is_full or not self._driver.is_free():
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
            self.questions += 1
            self._watch()
        self._driver.write(text)

    def answer(self, mode: int, value: int) -> None:
        """The terminal has said whether it has a mode."""
        if mode == MARGINS:
            self._abilities = self._abilities._replace(margins=value in _ABLE)
            return
        if not self._pacing.asks:  # the framework has asked, and the terminal answers
            self._driver.write(_ASK.format(MARGINS))
        self._synchronizes = value in _ABLE
        self._pacing.answer()
        self._watch()
        self.send()

    def _watch(self) -> None:
        """Give up the terminal's answer some time after the question."""
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
        """Whether the terminal has yet to answer."""
        return self._pacing.waits

    @property
    def ending(self) -> str:
        """What leaves the terminal's pen as it was."""
        return (NO_LINK if self._pen is not None and self._pen.link else "") + "\x1b[m"


def _erases() -> bool:
    """Whether the terminal erases in the background's colour, as far as the system knows it."""
    try:
        import _curses
    except ImportError:
        return False
    try:
        _curses.setupterm(None, 2)
    except _curses.error:
        return False
    return _curses.tigetflag("bce") == 1
