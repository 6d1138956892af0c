"""The terminal driver, which quits cleanly when the terminal is lost.

When a window is closed or a connection breaks, the system may send a signal, but it often does not reach the program:
another program sits between it and the terminal, or the terminal is not its controlling terminal. In any case every
write fails and the input ends. The framework's driver would end its writing thread and then wait forever for room in
its queue, or read the end of the input again and again; this one ends the program in either case.
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Sequence
from io import TextIOWrapper
from math import inf
from typing import TYPE_CHECKING, Any, Final, cast

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key

from chartui.tui.output.output import SYNCHRONIZED, Output

if TYPE_CHECKING:
    from types import FrameType

    from textual.app import App

    from chartui.tui.app import ChartuiApp

#: Sequences that keep the window's title on the terminal's stack, set it, and restore it or at least clear it.
_KEEP, _TITLE, _RESTORE = "\x1b[22;2t", "\x1b]2;{}\x1b\\", "\x1b]2;\x1b\\\x1b[23;2t"
#: The size that plain text is laid out for: texts are not cut, and the estimator shows one view at a time.
PLAIN_SIZE: Final = (159, 33)
#: Seconds between checks whether the input thread should end, and until an incomplete sequence counts as a key.
_PATIENCE: Final = 0.1
_ESCAPE: Final = "\x1b"
#: Erases the screen before it is left. When tmux restores the screen of a window that has grown, it first wraps the
#: rows that are wider than the earlier window, and then keeps them above the prompt.
_ERASE: Final = "\x1b[m\x1b[2J"
#: A terminal's answer for a mode.
_MODE: Final = re.compile(r"\x1b\[\?(\d+);(\d)\$y")
#: Input that consists of answers to the queries that confirm what has arrived.
_ANSWERS: Final = re.compile(rf"(?:\x1b\[\?{SYNCHRONIZED};\d\$y)+")
#: Seconds to wait for outstanding answers at the end.
_ANSWERED: Final = 1.0
#: Seconds after which the system has stored the size that a signal announced.
_STORED: Final = 0.1


class KeyParser(XTermParser):
    """Reports any character that directly follows an escape as that character with Alt.

    ``[`` and ``O`` may begin a sequence: they count as characters if nothing follows for a moment. ``reported`` is
    called with each mode and value that the terminal reports.
    """

    _sequence = ""

    def __init__(self, debug: bool = False, reported: Callable[[int, int], None] | None = None) -> None:
        super().__init__(debug)
        self._reported = reported

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        if self._reported is not None and (mode := _MODE.fullmatch(sequence)):
            self._reported(int(mode[1]), int(mode[2]))
        if sequence.startswith(_ESCAPE):
            self._sequence = sequence
        # Single characters of a longer, unknown sequence arrive here too.
        alone = alt and self._sequence == _ESCAPE + sequence
        character = sequence[1:] if len(sequence) == 2 and sequence[0] == _ESCAPE else sequence if alone else ""
        if character.isprintable() and character and (alone or character not in "[O"):
            return [Key(f"alt+{key.key}", key.character) for key in super()._sequence_to_key_events(character)]
        return super()._sequence_to_key_events(sequence, alt)


class TerminalDriver(LinuxDriver):
    """Draws in a terminal and reads its keys; when the terminal is lost, the application is notified once and quits."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._title, self._titled = "", False
        if self._size is None:
            # If asked later, the framework assumes 80x25 for any dumb terminal, and keeps drawing for both sizes in
            # turn.
            self._size = self._get_terminal_size()
        self._queued = 0
        self._answered: float = 0
        self._answers = threading.Condition()
        workbench = cast("ChartuiApp", app)
        self.output = workbench.output = Output(self, app.console) if workbench.differences else None
        if self._file is not None:
            self._outlet = _Outlet(self._file, self._lost)
            # The few file methods that the framework's thread needs.
            self._file = cast("TextIOWrapper[Any]", self._outlet)

    def entitle(self, title: str) -> None:
        """Set the window's title, until the terminal is handed back."""
        self.write(("" if self._titled else _KEEP) + _TITLE.format(title))
        self._title, self._titled = title, True

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]  # of the framework
        if self._title:
            self._titled = False  # what was written meanwhile is lost
            self.entitle(self._title)
        if self._writer_thread is None:  # it was gone from the start
            self._lost()
        self._watch_size()
        # Called by the handler of SIGCONT too, possibly in the middle of a frame.
        self._loop.call_soon_threadsafe(cast("ChartuiApp", self._app).redraw)

    def _watch_size(self) -> None:
        """Read the size a second time after each signal: Linux sends the signal before it stores the new size."""
        resized = signal.getsignal(signal.SIGWINCH)
        if not callable(resized):
            return

        def read_again(signum: int, frame: FrameType | None) -> None:
            resized(signum, frame)
            self._loop.call_soon_threadsafe(self._loop.call_later, _STORED, resized, signum, None)

        signal.signal(signal.SIGWINCH, read_again)

    def stop_application_mode(self) -> None:
        if self._titled:
            self.write(_RESTORE)
            self._titled = False
        if self.output is not None:
            self.write(self.output.leave())
        self.write(_ERASE)
        super().stop_application_mode()

    def disable_input(self) -> None:
        """Stop reading input, but first wait for outstanding answers: the shell would read them as keys."""
        if self.output is not None and self.output.waits:
            asked = self.output.queries
            with self._answers:
                self._answers.wait_for(lambda: self._answered >= asked, _ANSWERED)
        super().disable_input()

    def close(self) -> None:
        """Wait until everything is written; nothing can be written until the terminal is taken over again."""
        super().close()
        self._writer_thread = None

    def write(self, data: str) -> None:
        if self._writer_thread is not None:
            self._queued += 1
            super().write(data)

    def is_free(self) -> bool:
        """Whether everything has been written. If not, changes are sent as soon as it has."""
        if self._writer_thread is None:
            return False
        self._outlet.flushed = self._send  # set first, so that no flush is missed
        if self._outlet.written < self._queued:
            return False
        self._outlet.flushed = None
        return True

    @property
    def window_size(self) -> tuple[int, int]:
        """The columns and lines of the window, which can be larger than the program; 0 if unknown."""
        try:
            columns, lines = os.get_terminal_size(self._outlet.fileno())
        except OSError:
            return 0, 0
        return columns, lines

    def _send(self) -> None:
        if self.output is not None:
            self._loop.call_soon_threadsafe(self.output.send)

    def _reported(self, mode: int, value: int) -> None:
        if self.output is not None:
            self._loop.call_soon_threadsafe(self.output.answer, mode, value)
            if mode == SYNCHRONIZED:
                self._answer(self._answered + 1)

    def _answer(self, count: float) -> None:
        with self._answers:
            self._answered = count
            self._answers.notify()

    def run_input_thread(self) -> None:
        """Pass on typed input until the program or the input ends."""
        parser = KeyParser(self._debug, self._reported)
        decode = getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            text = ""
            if select.select([self.fileno], [], [], _PATIENCE)[0]:
                data = self._read()
                if not data:
                    self._lost()
                    return
                text = self._without_answers(decode(data))
            # An empty text would tell the parser that the input has ended.
            for message in (*(parser.feed(text) if text else ()), *parser.tick()):
                self.process_message(message)

    def _without_answers(self, text: str) -> str:
        """Handle answers here, which arrive with every other key: the parser looks for a key in each part of them.

        The framework needs only the first one.
        """
        if not self._answered or not _ANSWERS.fullmatch(text):
            return text
        for mode, value in _MODE.findall(text):
            self._reported(int(mode), int(value))
        return ""

    def _read(self) -> bytes:
        """The typed input; empty only when the terminal is gone, since Ctrl+D is a key here."""
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""

    def _lost(self) -> None:
        # Called on any thread.
        self._answer(inf)
        self._loop.call_soon_threadsafe(cast("ChartuiApp", self._app).hang_up)


class PlainDriver(TerminalDriver):
    """Reads keys from the terminal, and writes only lines of text, to standard output: no sequence for a terminal.

    The layout has a fixed size, so the window's size makes no difference to the text.
    """

    def __init__(self, app: App[Any], *, debug: bool = False, **_: object) -> None:
        super().__init__(app, debug=debug, mouse=False, size=PLAIN_SIZE)
        if (speech := cast("ChartuiApp", app).speech) is not None:
            speech.say = self._say
        if isinstance(sys.__stdout__, TextIOWrapper):
            sys.__stdout__.reconfigure(errors="backslashreplace")
            self._outlet = _Outlet(sys.__stdout__, self._lost)
            self._file = cast("TextIOWrapper[Any]", self._outlet)

    def _get_terminal_size(self) -> tuple[int, int]:
        return PLAIN_SIZE

    def write(self, data: str) -> None:
        """Drop everything that the framework draws."""

    def _say(self, lines: Sequence[str]) -> None:
        super().write("".join(f"{line}\n" for line in lines))


class _Outlet:
    """A terminal's file; once it cannot be written, further output is dropped and ``lost`` is called."""

    def __init__(self, file: TextIOWrapper[Any], lost: Callable[[], None]) -> None:
        self._file = file
        self._lost = lost
        #: The number of texts written and flushed; called after each flush.
        self.written = 0
        self.flushed: Callable[[], None] | None = None
        self._begun = 0

    def write(self, text: str) -> None:
        self._begun += 1
        try:
            self._file.write(text)
        except OSError:
            self._lose()

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:
            self._lose()
        self.written = self._begun
        if self.flushed is not None:
            self.flushed()

    def fileno(self) -> int:
        return self._file.fileno()

    def _lose(self) -> None:
        # When the interpreter exits, buffered output still needs a valid file.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)
        self._lost()
