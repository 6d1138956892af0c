"""Measure a program of the terminal from outside: when it shows what, how much it writes, what it needs.

The program runs in a pseudo-terminal of its own, with the emulator of the tests as its screen: a text counts as shown
once it is there. Times are those at which bytes were read, so the emulator's own time does not count. The terminal
reports synchronized output (mode 2026) and left and right margins (mode 69). For Linux: memory and processor time come
from /proc and from the clocks of processes.

    .venv/bin/python benchmarks/probe.py --until 'end to end' --keys 'down down' --quit q -- .venv/bin/chartui demo
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from bisect import bisect_right
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, NoReturn

sys.path.append(str(Path(__file__).parents[1]))

from tests.emulator import Emulator, Kind

#: What a terminal sends for a key that is no character.
KEYS: Final[Mapping[str, bytes]] = {
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    "pageup": b"\x1b[5~",
    "pagedown": b"\x1b[6~",
    "enter": b"\r",
    "escape": b"\x1b",
    "tab": b"\t",
    "space": b" ",
    "backspace": b"\x7f",
    "f5": b"\x1b[15~",
    "ctrl+t": b"\x14",
    "ctrl+u": b"\x15",
}
#: Seconds to wait for what never comes.
LIMIT: Final = 60.0

#: What it can do.
_KIND: Final = Kind(margins=True, modes={2026: 2, 69: 2})


class Failed(Exception):
    """The program did not do what was waited for; the message says what, and what it wrote last."""


#: Titles, notices and the like, and queries.
_NOT_DRAWN: Final = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[\?\d+\$p")


@dataclass(frozen=True, slots=True)
class Start:
    """From the start until a text is shown (``ready``) and until the last byte before a pause (``settled``), in ms.

    ``size`` is the number of bytes and ``cpu`` the processor time (ms) until settled; ``memory`` is the peak of
    resident memory when ready, in bytes.
    """

    ready: float
    settled: float
    size: int
    cpu: float
    memory: int


@dataclass(frozen=True, slots=True)
class Press:
    """From a key to the ``first`` and the ``last`` byte that it caused, in ms, and their number, ``size``.

    ``shown`` is the time until a text that was waited for. A key that caused nothing has no times.
    """

    first: float | None
    last: float | None
    shown: float | None
    size: int


@dataclass(frozen=True, slots=True)
class Hold:
    """A key held down: ``drain`` from the last press to the last change of the screen, ``cpu`` of a press, both in ms.

    The window's title, which follows when the cursor rests, and queries to the terminal change nothing on the screen.
    ``slowest`` is the longest that a press had to wait for the next byte. A key that caused nothing at all has neither
    this nor ``drain``.
    """

    presses: int
    drain: float | None
    cpu: float
    slowest: float | None = None


@dataclass(frozen=True, slots=True)
class Idle:
    """A while without keys: ``cpu`` in percent of one processor, and the number of bytes written."""

    seconds: float
    cpu: float
    size: int


@dataclass(frozen=True, slots=True)
class Quit:
    """From the key to the end of the process, in ms, and its exit status (below 0: the signal)."""

    took: float
    status: int


def environment(**changes: str) -> dict[str, str]:
    """The variables for a measured program: those of this process without what would change what it does or shows.

    Compiled modules may be written, whatever this process does: without them every start compiles what was edited.
    """
    foreign = ("TEXTUAL_", "CHARTUI_", "XDG_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    for name in ("NO_COLOR", "FORCE_COLOR", "LINES", "COLUMNS", "PYTHONDONTWRITEBYTECODE"):
        kept.pop(name, None)
    return {**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor", **changes}


class Session:
    """A program in a terminal of ``columns`` × ``lines``; :func:`session` opens one and closes it.

    Every method raises :class:`Failed` when something takes longer than ``limit`` seconds.
    """

    def __init__(
        self, command: Sequence[str], columns: int, lines: int, environ: Mapping[str, str], limit: float
    ) -> None:
        self._limit = limit
        self._size = 0
        self._screen = Emulator(columns, lines, _KIND, answer=self._type)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        #: When which number of bytes was read.
        self._chunks: list[tuple[float, int]] = []
        #: When the program last wrote something that is drawn.
        self._drawn = 0.0
        self._running = True
        self._began = time.perf_counter()
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            _become(command, columns, lines, environ)
        self._process = os.pidfd_open(self._pid)

    # -- measuring ----------------------------------------------------------------------------------------------------

    def start(self, text: str, *, quiet: float = 0.2) -> Start:
        """Wait until ``text``, a pattern, is shown, and then for a pause of ``quiet`` seconds."""
        ready = self._wait_for(re.compile(text), 0)
        memory = _peak_memory(self._pid)
        self.settle(quiet)
        cpu = _processor_seconds(self._pid)
        return Start(
            ready=_ms(ready - self._began),
            settled=_ms(self._chunks[-1][0] - self._began),
            size=self._size,
            cpu=_ms(cpu),
            memory=memory,
        )

    def press(self, key: str, *, until: str | None = None, quiet: float = 0.06) -> Press:
        """Press a key, wait for the pattern ``until`` where there is one, and then for a pause of ``quiet`` seconds."""
        chunks, size = len(self._chunks), self._size
        sent = self._send(key)
        shown = self._wait_for(re.compile(until), size) if until is not None else None
        if shown is not None or self._read(max(quiet, 0.5)):
            self.settle(quiet)
        caused = self._chunks[chunks:]
        return Press(
            first=_ms(caused[0][0] - sent) if caused else None,
            last=_ms(caused[-1][0] - sent) if caused else None,
            shown=None if shown is None else _ms(shown - sent),
            size=self._size - size,
        )

    def hold(self, key: str, *, seconds: float = 2.0, rate: int = 30, quiet: float = 0.1) -> Hold:
        """Press a key ``rate`` times a second for some seconds, and wait for a pause of ``quiet`` seconds."""
        presses, chunks = max(1, round(seconds * rate)), len(self._chunks)
        self._drawn = 0.0
        cpu = _processor_seconds(self._pid)
        begin, sent = time.perf_counter(), []
        for number in range(presses):
            self._read_until(begin + number / rate)
            sent.append(self._send(key))
        self.settle(quiet)
        spent = _processor_seconds(self._pid) - cpu
        came = [moment for moment, _ in self._chunks[chunks:]]
        if not came:
            return Hold(presses, None, _ms(spent / presses))
        waits = [came[place] - moment for moment in sent if (place := bisect_right(came, moment)) < len(came)]
        drain = max(0.0, self._drawn - sent[-1])
        return Hold(presses, _ms(drain), _ms(spent / presses), _ms(max(waits, default=0.0)))

    def idle(self, seconds: float = 5.0) -> Idle:
        """Leave the program alone."""
        size, cpu, begin = self._size, _processor_seconds(self._pid), time.perf_counter()
        self._read_until(begin + seconds)
        spent = _processor_seconds(self._pid) - cpu
        return Idle(seconds, round(100 * spent / seconds, 2), self._size - size)

    def quit(self, key: str) -> Quit:
        """Press the key that ends the program, and wait for its end."""
        sent = self._send(key)
        while not self._ended():
            if time.perf_counter() - sent > self._limit:
                raise Failed(f"{key!r} did not end it. {self._wrote()}")
            self._read(0.05, self._process)
        ended = time.perf_counter()
        return Quit(_ms(ended - sent), self._reap())

    def memory(self) -> int:
        """The peak of resident memory so far, in bytes."""
        return _peak_memory(self._pid)

    def settle(self, quiet: float = 0.4) -> None:
        """Wait for a pause of ``quiet`` seconds in what it writes."""
        begin = time.perf_counter()
        while self._read(quiet):
            if time.perf_counter() - begin > self._limit:
                raise Failed(f"it never stops writing. {self._wrote()}")

    @property
    def written(self) -> int:
        """The number of bytes so far."""
        return self._size

    @property
    def cpu(self) -> float:
        """The processor time so far, in ms."""
        return _ms(_processor_seconds(self._pid))

    @property
    def text(self) -> str:
        """What is on the screen, without spaces at the ends of lines."""
        return "\n".join(row.rstrip() for row in self._screen.rows).rstrip()

    def close(self) -> None:
        """End the program, if it did not end by itself, and let go of the terminal."""
        if self._running:
            os.killpg(self._pid, signal.SIGKILL)
            self._reap()
        os.close(self._terminal)
        os.close(self._process)

    # -- the terminal's side ------------------------------------------------------------------------------------------

    def _send(self, key: str) -> float:
        """Send a key, or several separated by ``,,``; returns when."""
        data = b"".join(KEYS.get(each) or each.encode() for each in key.split(",,"))
        sent = time.perf_counter()
        os.write(self._terminal, data)
        return sent

    def _read(self, seconds: float, *besides: int) -> bool:
        """Read once, waiting for at most ``seconds``; False when nothing came. Returns early for ``besides``."""
        ready, _, _ = select.select([self._terminal, *besides], [], [], max(0.0, seconds))
        if self._terminal not in ready:
            return False
        try:
            data = os.read(self._terminal, 1 << 16)
        except OSError:  # how a terminal says that its program is gone
            return False
        now = time.perf_counter()
        self._size += len(data)
        self._screen.feed(self._decode(data))
        self._chunks.append((now, len(data)))
        if _NOT_DRAWN.sub(b"", data):
            self._drawn = now
        return True

    def _read_until(self, moment: float) -> None:
        while (rest := moment - time.perf_counter()) > 0:
            if not self._read(rest) and self._ended():
                raise Failed(f"it ended by itself. {self._wrote()}")

    def _type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def _wait_for(self, pattern: re.Pattern[str], begin: int) -> float:
        """Wait until ``pattern`` is on the screen and more than ``begin`` bytes were written; returns when it was."""
        deadline = time.perf_counter() + self._limit
        while self._size == begin or not pattern.search(self.text):
            if not self._read(deadline - time.perf_counter()):
                problem = "it ended before" if self._ended(patience=1.0) else f"{self._limit:g} s passed before"
                raise Failed(f"{problem} {pattern.pattern!r} was shown. {self._wrote()}")
        return self._chunks[-1][0]

    def _ended(self, patience: float = 0.0) -> bool:
        return bool(select.select([self._process], [], [], patience)[0])

    def _reap(self) -> int:
        self._running = False
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def _wrote(self) -> str:
        return f"The screen ends with: {self.text[-300:]!r}"


@contextmanager
def session(
    command: Sequence[str],
    size: tuple[int, int] = (80, 24),
    environ: Mapping[str, str] | None = None,
    *,
    limit: float = LIMIT,
) -> Iterator[Session]:
    """Run ``command`` in a terminal of ``size`` (columns, lines); it is ended when the block is left."""
    running = Session(command, *size, environment() if environ is None else environ, limit)
    try:
        yield running
    finally:
        running.close()


def _become(command: Sequence[str], columns: int, lines: int, environ: Mapping[str, str]) -> NoReturn:
    """In the new process: turn into the program."""
    try:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.execvpe(command[0], list(command), dict(environ))
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}".encode())
    finally:
        os._exit(127)


def _family(pid: int) -> list[int]:
    """A process and all that it started and that still runs."""
    found = [pid]
    for member in found:  # grows while it is walked
        for children in Path(f"/proc/{member}/task").glob("*/children"):
            found += map(int, children.read_text().split())
    return found


def _peak_memory(pid: int) -> int:
    """Bytes; the sum of the peaks of a process and its children."""
    statuses = (Path(f"/proc/{member}/status").read_text() for member in _family(pid))
    peaks = (re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE) for status in statuses)
    return sum(int(peak[1]) * 1024 for peak in peaks if peak)


def _processor_seconds(pid: int) -> float:
    """Processor time of a process and its children, from the clock that Linux keeps for each process."""
    return sum(time.clock_gettime((~member << 3) | 2) for member in _family(pid))


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)


def size_of(text: str) -> tuple[int, int]:
    """Columns and lines in ``80x24``; for argument parsers."""
    if not re.fullmatch(r"\d{1,4}x\d{1,4}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 80x24")
    columns, lines = map(int, text.split("x"))
    return columns, lines


def _measure(arguments: argparse.Namespace) -> dict[str, object]:
    """Everything that was asked for, by its name."""
    found: dict[str, object] = {}
    with session(arguments.command, arguments.size, limit=arguments.limit) as running:
        found["start"] = asdict(running.start(arguments.until))
        keys = []
        for key in arguments.keys.split():
            keys.append({"key": key, **asdict(running.press(key))})
            running.settle()
        found["keys"] = keys
        if arguments.hold:
            found["hold"] = {"key": arguments.hold, **asdict(running.hold(arguments.hold))}
            running.settle()
        if arguments.idle:
            found["idle"] = asdict(running.idle(arguments.idle))
        if arguments.quit:
            found["quit"] = asdict(running.quit(arguments.quit))
        if arguments.text:
            found["text"] = running.text
    return found


def main() -> int:
    """Measure the program that the command line names; returns 1 when it did not do what was waited for."""
    parser = argparse.ArgumentParser(description="Measure a program in a pseudo-terminal; times are milliseconds.")
    parser.add_argument("--until", required=True, metavar="PATTERN", help="ready when this text is shown")
    parser.add_argument("--size", type=size_of, default=(80, 24), metavar="80x24", help="columns and lines")
    parser.add_argument("--keys", default="", metavar="KEYS", help=f"keys to press: {', '.join(KEYS)}, or characters")
    parser.add_argument("--hold", metavar="KEY", help="a key to hold down for two seconds, 30 times a second")
    parser.add_argument("--idle", type=float, metavar="SECONDS", help="time without a key")
    parser.add_argument("--quit", metavar="KEY", help="the key that quits the program")
    parser.add_argument("--text", action="store_true", help="also print the text that was written")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="longest time to wait")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the program and its arguments, after --")
    try:
        print(json.dumps(_measure(parser.parse_args()), indent=2, ensure_ascii=False))
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
