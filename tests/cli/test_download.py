"""The line about a long answer: on a terminal only, in place, and gone at the end."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import termios
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

import pytest

from chartui.cli.sessions import Receiving
from chartui.core.backends.base import Answer, Context, Received
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import OPERATIONS
from tests.cli.conftest import Run
from tests.faults.rows import VARIABLE, Row, playing, write_profile
from tests.faults.server import Connection, reply
from tests.pty.terminal import CHARTUI, running

_ROW = OPERATIONS["list-characters"]
_KEY = {VARIABLE: "some-key-of-a-service"}


class _Arriving:
    """A backend whose answer arrives as it is told, and then fails or not."""

    def __init__(self, *received: Received, failure: ServiceError | None = None) -> None:
        self._received = received
        self._failure = failure

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        assert context.progress is not None
        for one in self._received:
            context.progress(one)
        if self._failure is not None:
            raise self._failure
        return Answer(body=operation.name)

    async def aclose(self) -> None:
        pass


class _Terminal:
    """A terminal of so many columns, and what was written to it."""

    def __init__(self, columns: int, encoding: str) -> None:
        self._control, own = pty.openpty()
        fcntl.ioctl(self._control, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.file: TextIO = os.fdopen(own, "w", encoding=encoding)

    def lines(self) -> list[str]:
        print("the end", end="", file=self.file, flush=True)
        written = b""
        while not written.endswith(b"the end"):  # what was written may come in pieces
            written += os.read(self._control, 65536)
        self.file.close()
        os.close(self._control)
        assert b"\n" not in written
        return written.decode().split("\r")[1:-1]


def _received(size: int, total: int | None, seconds: float) -> Received:
    return Received(bytes=size, total=total, seconds=seconds)


def _shown(backend: _Arriving, columns: int = 80, encoding: str = "utf-8") -> list[str]:
    terminal = _Terminal(columns, encoding)
    try:
        answer = asyncio.run(Receiving(backend, terminal.file).perform(_ROW, {}, Context()))
        assert answer.body == _ROW.name
    except ServiceError:
        pass
    return terminal.lines()


def test_the_line_is_rewritten_and_erased() -> None:
    lines = _shown(
        _Arriving(
            _received(500_000, 29_600_000, 0.9),
            _received(12_345_678, 29_600_000, 8.2),
            _received(29_600_000, 29_600_000, 30.0),
            _received(700_000, None, 31.0),
        )
    )
    assert [line.rstrip() for line in lines] == [
        "Receiving… 12.3 of 29.6 MB, 8 s. Ctrl+C cancels.",
        "Receiving… 29.6 of 29.6 MB, 30 s. Ctrl+C cancels.",
        "Receiving… 0.7 MB, 31 s. Ctrl+C cancels.",
        "",
    ]
    # Nothing is left of a longer line, nor of the last one.
    assert [len(line) for line in lines] == [48, 49, 49, 42]


def test_a_small_answer_that_takes_its_time_shows_the_time_alone() -> None:
    assert _shown(_Arriving(_received(9, 20, 3.0)))[0] == "Waiting… 3 s. Ctrl+C cancels."


def test_a_quick_answer_shows_nothing() -> None:
    assert _shown(_Arriving(_received(100, 100, 0.2))) == []


def test_the_line_is_erased_before_a_failure_is_told() -> None:
    failure = ServiceError(ErrorKind.UNREACHABLE, "gone")
    assert _shown(_Arriving(_received(100, 200, 2.0), failure=failure))[-1].strip() == ""


def test_a_narrow_terminal_cuts_the_line() -> None:
    lines = _shown(_Arriving(_received(12_345_678, 29_600_000, 8.2)), columns=30)
    assert lines[0] == "Receiving… 12.3 of 29.6 MB, 8"


def test_a_terminal_without_unicode_gets_dots() -> None:
    lines = _shown(_Arriving(_received(2_000_000, None, 8.2)), encoding="ascii")
    assert lines[0].rstrip() == "Receiving... 2.0 MB, 8 s. Ctrl+C cancels."


# -- the whole program ------------------------------------------------------------------------------------------------


async def _endless(connection: Connection) -> None:
    await connection.write(b"HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n")
    while not connection.closed:
        await connection.write(b" " * 5000)
        await asyncio.sleep(0.02)


@pytest.fixture
def profile(own_folders: Path) -> Iterator[None]:
    row = Row(name="slow", fault=_endless, settings={"read_timeout": 10.0})
    with playing(row) as played:
        write_profile(Path(os.environ["CHARTUI_CONFIG_DIR"]), row, played.url)
        yield


@pytest.mark.usefixtures("profile")
def test_ctrl_c_cancels() -> None:
    with running((CHARTUI, "characters", "list"), environment=_KEY) as terminal:
        terminal.wait_for("Receiving", " of 50.0 MB, 1 s. Ctrl+C cancels.", "2 s.")
        terminal.type("\x03")
        assert terminal.end() == 130
        assert terminal.raw.endswith(b" \r")
        assert b"\n" not in terminal.raw.replace(b"^C", b"")


def test_without_a_terminal_nothing_is_shown(run: Run, own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chartui.cli.sessions.PATIENCE", 0.0)
    monkeypatch.setenv(VARIABLE, _KEY[VARIABLE])
    row = Row(name="quick", fault=reply(200, b'{"characters": []}'))
    with playing(row) as played:
        write_profile(Path(os.environ["CHARTUI_CONFIG_DIR"]), row, played.url)
        assert run("characters", "list").err == "0 characters\n"
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        assert run("characters", "list", "--json").err == ""
