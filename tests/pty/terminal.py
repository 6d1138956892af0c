"""A program in a real pseudo-terminal: what the terminal shows, what the program writes, and the state it leaves."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.emulator import Emulator, Kind

__all__ = ["CHARTUI", "ESCAPE", "Terminal", "running"]

#: The installed program.
CHARTUI = Path(sys.executable).with_name("chartui")
#: The Escape key as terminals with the newer key protocol send it; older ones send a lone escape character.
ESCAPE = "\x1b[27u"
#: Seconds until something that does not come is given up.
PATIENCE = 60.0
#: Modes that a full-screen program sets: alternate screen, mouse (4), focus, bracketed paste.
_MODES = (b"1049", b"1000", b"1003", b"1015", b"1006", b"1004", b"2004")


class Terminal:
    """The terminal's side: reads, waits, types, and changes its size."""

    def __init__(
        self, process: subprocess.Popen[bytes], control: int, size: tuple[int, int], kind: Kind | None
    ) -> None:
        self.process = process
        self.raw = b""
        self.screen = Emulator(*size, kind, answer=self.type)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self.gone = False
        self._from = self._stream_from = 0
        self._control = control
        self._modes = termios.tcgetattr(control)

    @property
    def fresh(self) -> bytes:
        """What was written since the last call of :meth:`forget`."""
        return self.raw[self._from :]

    @property
    def text(self) -> str:
        """What can be read: on the screen of a full-screen program, else what was written since :meth:`forget`."""
        return self.screen.text if self.screen.on_alternate else self.screen.stream[self._stream_from :]

    def _read(self, deadline: float) -> bool:
        """Take what is there; False at the end of the output."""
        left = deadline - time.monotonic()
        assert left > 0, f"waited in vain; so far: {self.text[-2000:]!r}"
        ready, _, _ = select.select([self._control], [], [], left)
        if not ready:
            return True
        try:
            data = os.read(self._control, 65536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self._take(data)
        return bool(data)

    def _take(self, data: bytes) -> None:
        self.raw += data
        self.screen.feed(self._decode(data))

    def read_some(self, count: int) -> int:
        """Once the program rests, read at most so many bytes, as a slow terminal does; returns how many came."""
        before = None
        while (now := _at_rest(self.process.pid)) is None or now != before:
            before = now
            select.select([], [], [], 0.01)
        before = len(self.raw)
        if select.select([self._control], [], [], 0)[0]:
            self._take(os.read(self._control, count))
        return len(self.raw) - before

    def wait_for(self, *texts: str) -> None:
        """Read until every text is shown, and something was written since the last call of :meth:`forget`."""
        deadline = time.monotonic() + PATIENCE
        while texts and not (self.fresh and all(text in self.text for text in texts)):
            assert self._read(deadline), f"it ended before it wrote {texts}: {self.text[-2000:]!r}"

    def wait_until_gone(self, text: str) -> None:
        """Read until a text is not shown any more."""
        deadline = time.monotonic() + PATIENCE
        while text in self.text:
            assert self._read(deadline), f"it ended before {text} was gone: {self.text[-2000:]!r}"

    def wait_for_bytes(self, data: bytes) -> None:
        """Read until these bytes are there."""
        deadline = time.monotonic() + PATIENCE
        while data not in self.fresh:
            assert self._read(deadline), f"it ended before it wrote {data!r}"

    def wait_until_stopped(self) -> None:
        """Wait until a signal has stopped the program, or it has ended."""
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def wait_for_rest(self, seconds: float = 0.2) -> None:
        """Read until nothing has come for so long, and the program slept meanwhile.

        A picture is sent in pieces, and on a busy machine a program may be silent because it gets no processor.
        """
        deadline = time.monotonic() + PATIENCE
        before = None
        while (now := _at_rest(self.process.pid)) is None or now != before:
            before = now
            while select.select([self._control], [], [], seconds)[0]:
                assert self._read(deadline), "it ended"
                before = None
            assert time.monotonic() < deadline, "it never rests"

    def forget(self) -> None:
        """Look only at what is written from now on."""
        self._from, self._stream_from = len(self.raw), len(self.screen.stream)

    def type(self, keys: str) -> None:
        """Send keys."""
        os.write(self._control, keys.encode())

    def type_all(self, keys: str) -> None:
        """Send more keys than the terminal holds; returns when the program has taken all but the last of them."""
        data = keys.encode()
        while data:
            data = data[os.write(self._control, data[:4096]) :]

    def resize(self, columns: int, lines: int) -> None:
        """Change the size of the window; the system tells the program."""
        self.screen.resize(columns, lines)
        _set_size(self._control, columns, lines)

    def end(self, sent: signal.Signals | None = None) -> int:
        """Read to the end, after sending a signal if one is given; returns the exit status."""
        if sent is not None:
            self.process.send_signal(sent)
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline):
            pass
        return self.process.wait(timeout=PATIENCE)

    def hang_up(self) -> None:
        """Go away, as a window does that is closed: nothing can be read or written any more."""
        os.close(self._control)
        self.gone = True

    def assert_restored(self) -> None:
        """The terminal is as it was found: main screen, cursor shown, no mouse, no paste marks, line editing on."""
        for mode in _MODES:
            on, off = self.raw.rfind(b"\x1b[?" + mode + b"h"), self.raw.rfind(b"\x1b[?" + mode + b"l")
            assert off > on or on < 0, f"mode {mode!r} was left on"
        assert self.raw.rfind(b"\x1b[?25h") > self.raw.rfind(b"\x1b[?25l"), "the cursor was left hidden"
        assert b"\x1b[?1049h" in self.raw
        assert termios.tcgetattr(self._control)[:4] == self._modes[:4], "line editing was left off"


def _at_rest(pid: int) -> int | None:
    """The processor time a process has used so far, in ticks, while all its threads sleep; None while one works.

    Where the system has no ``/proc`` this is always 0.
    """
    used = 0
    for path in Path(f"/proc/{pid}/task").glob("*/stat"):
        # The name of the program, in brackets, may hold anything.
        fields = path.read_text().rpartition(")")[2].split()
        if fields[0] != "S":
            return None
        used += int(fields[11]) + int(fields[12])
    return used


def _set_size(control: int, columns: int, lines: int) -> None:
    fcntl.ioctl(control, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


def _take_terminal() -> None:
    """In the child: make the terminal on standard input its own, so that signals of the terminal reach it."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@contextmanager
def running(
    command: Sequence[str | Path],
    *,
    size: tuple[int, int] = (80, 24),
    environment: Mapping[str, str] | None = None,
    signalled: bool = True,
    stdout: int | None = None,
    kind: Kind | None = None,
) -> Iterator[Terminal]:
    """Run ``command`` in a terminal of its own of ``size`` (columns, lines); it is killed when it is left running.

    Without ``signalled`` the system sends it no signals of the terminal, as to a program that was put into a session of
    its own. ``stdout`` is another file for what is no picture; ``kind`` says what the terminal
    can do.
    """
    control, own = pty.openpty()
    _set_size(control, *size)
    terminal: Terminal | None = None
    try:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=own,
            stdout=own if stdout is None else stdout,
            stderr=own,
            start_new_session=True,
            preexec_fn=_take_terminal if signalled else None,
            env={**os.environ, "TERM": "xterm-256color", **(environment or {})},
        )
        terminal = Terminal(process, control, size, kind)
        os.close(own)
        try:
            yield terminal
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(timeout=PATIENCE)
    finally:
        if terminal is None or not terminal.gone:
            os.close(control)
