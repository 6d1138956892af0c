"""The list of characters over a slow line, against a plain download of the same answer over the same line.

.venv/bin/python benchmarks/slow_line.py --rounds 1 --part all
"""

from __future__ import annotations

import argparse
import http.client
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from finding import serving
from lists import filled
from probe import environment
from report import CHARTUI, Row, of, ratios, show

_VARIABLE: Final = "CHARTUI_BENCHMARK_KEY"
_HEADER: Final = "SERVICE-API-KEY"
_ENCODINGS: Final = re.compile(rb"\r\nAccept-Encoding:[^\r]*", re.IGNORECASE)
#: Characters, bytes a second, whether the line lets a compressed answer be asked for.
CASES: Final = {
    "fast": ("10 000 characters at 8 Mbit/s", 10_000, 1_000_000, False),
    "gzip": ("10 000 characters at 8 Mbit/s, gzip", 10_000, 1_000_000, True),
    "slow": ("500 characters at 64 kbit/s", 500, 8_000, False),
}


class Run(NamedTuple):
    """One way over the line: seconds, bytes that came, and how the program ended."""

    seconds: float
    bytes: int
    status: int = 0
    said: str = ""


# -- the line ---------------------------------------------------------------------------------------------------------


class Line:
    """A proxy that lets ``rate`` bytes a second of an answer through; ``passed`` counts them.

    Without ``compressed`` it takes out of requests what asks for a compressed answer.
    """

    def __init__(self, behind: str, rate: int, *, compressed: bool) -> None:
        self._behind = (urlsplit(behind).hostname or "", urlsplit(behind).port or 80)
        self._rate = rate
        self._compressed = compressed
        self.passed = 0

    def carry(self, client: socket.socket) -> None:
        """Carry one connection to its end."""
        with client, socket.create_connection(self._behind) as server, suppress(OSError):
            threading.Thread(target=self._ask, args=(client, server), daemon=True).start()
            due = time.monotonic()
            while data := server.recv(max(1, self._rate // 20)):
                due = max(due, time.monotonic() - 0.1) + len(data) / self._rate
                time.sleep(max(0.0, due - time.monotonic()))
                client.sendall(data)
                self.passed += len(data)

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                server.sendall(data if self._compressed else _ENCODINGS.sub(b"", data))
            server.shutdown(socket.SHUT_WR)


def drip(client: socket.socket) -> None:
    """A service that begins a list and then sends a byte a second."""
    with client, suppress(OSError):
        client.recv(65536)
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")
        while True:
            client.sendall(b" ")
            time.sleep(1)


@contextmanager
def listening(carry: Callable[[socket.socket], None]) -> Iterator[str]:
    """Hand every connection to ``carry`` in a thread of its own; gives the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=carry, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


# -- over it ----------------------------------------------------------------------------------------------------------


def download(url: str, key: str, *, compressed: bool) -> Run:
    """The answer as it comes, and nothing done with it."""
    start, size = time.perf_counter(), 0
    connection = http.client.HTTPConnection(url.removeprefix("http://"))
    asked = {_HEADER: key, "Content-Length": "0", **({"Accept-Encoding": "gzip"} if compressed else {})}
    connection.request("POST", "/character/list", headers=asked)
    response = connection.getresponse()
    while data := response.read1(65536):
        size += len(data)
    connection.close()
    return Run(time.perf_counter() - start, size)


def command(program: str, url: str, environ: Mapping[str, str], line: Line | None = None) -> Run:
    """The whole command, with the limits of a new profile."""
    with TemporaryDirectory() as folder:
        own = {**environ, "CHARTUI_CONFIG_DIR": folder, "CHARTUI_DATA_DIR": folder}
        add = (program, "profiles", "add", "slow", "--url", url, "--key-env", _VARIABLE)
        subprocess.run(add, env=own, check=True, capture_output=True)
        passed = line.passed if line is not None else 0
        start = time.perf_counter()
        words = (program, "--profile", "slow", "characters", "list")
        ended = subprocess.run(words, env=own, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
    return Run(seconds, line.passed - passed if line is not None else 0, ended.returncode, ended.stderr.strip())


def measure(name: str, program: str, rounds: int) -> None:
    """Both ways in turn, and the table."""
    title, characters, rate, compressed = CASES[name]
    with TemporaryDirectory() as folder, ExitStack() as stack:
        served = stack.enter_context(serving(filled(folder, characters)))
        shown = subprocess.run(
            (CHARTUI, "--json", "profiles", "show", "served"), env=served, check=True, capture_output=True, text=True
        )
        behind = re.search(r'"base_url": "([^"]+)"', shown.stdout)
        assert behind is not None
        line = Line(behind[1], rate, compressed=compressed)
        url = stack.enter_context(listening(line.carry))
        plain, ours = [], []
        for _ in range(rounds):
            plain.append(download(url, served[_VARIABLE], compressed=compressed))
            ours.append(command(program, url, served, line))
    rows = [
        Row("bytes of the answer", of(plain, "bytes", 1e6), "MB", decimals=2),
        Row("plain download", of(plain, "seconds"), "s"),
        Row("chartui characters list", of(ours, "seconds"), "s"),
        Row("against the plain download", ratios(of(ours, "seconds"), of(plain, "seconds")), "×", "≤ 1.3", 2),
        Row("bytes that the program made pass", of(ours, "bytes", 1e6), "MB", decimals=2),
    ]
    show(title, rows)
    _ended(ours)


def _ended(runs: Sequence[Run]) -> None:
    for run in runs:
        print(f"  ended with {run.status}{f': {run.said}' if run.said else ''}")


def measure_drip(program: str, rounds: int) -> None:
    """A service that drips: when it is given up, and what is said."""
    with listening(drip) as url:
        ours = [command(program, url, {**environment(), _VARIABLE: "some-key-of-a-service"}) for _ in range(rounds)]
    show("one byte a second", [Row("chartui characters list", of(ours, "seconds"), "s", "≤ 30")])
    _ended(ours)


def main() -> None:
    """Measure the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=(*CASES, "drip", "all"), default="all")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--program", default=CHARTUI, help="another chartui, such as that of an older checkout")
    arguments = parser.parse_args()
    for name in CASES:
        if arguments.part in (name, "all"):
            measure(name, arguments.program, arguments.rounds)
    if arguments.part in ("drip", "all"):
        measure_drip(arguments.program, arguments.rounds)


if __name__ == "__main__":
    main()
