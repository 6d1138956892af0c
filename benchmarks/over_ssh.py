"""A key held over SSH on a slow line: how long the screen needs to catch up, with and without sending changes only.

Starts an SSH server of its own on the loopback interface, behind a proxy that limits the bytes per second and delays
both directions. Needs ``sshd``, ``ssh`` and ``ssh-keygen``.

.venv/bin/python benchmarks/over_ssh.py --rate 8000 --rounds 3
"""

from __future__ import annotations

import argparse
import getpass
import shutil
import socket
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from lists import filled, shown
from probe import Failed, session
from report import CHARTUI

#: Seconds of a round trip; bytes a second with the most seconds of lag.
TRIP: Final = 0.15
GOALS: Final = {2_000: 1.2, 8_000: 0.3, 20_000: 0.2}
#: Seconds after which a screen that still changes is left.
LIMIT: Final = 60.0
CASES: Final = {
    "framework": ("0", ()),
    "framework, ssh -C": ("0", ("-C",)),
    "changes": ("1", ()),
    "changes, ssh -C": ("1", ("-C",)),
}


class Lag(NamedTuple):
    """Seconds from the last key to the last change (None: more than the limit), and kilobytes over the line."""

    seconds: float | None
    sent: float


class SlowLine:
    """A proxy to ``port`` that lets ``rate`` bytes a second of the answers through."""

    def __init__(self, port: int) -> None:
        self.rate = 1e9
        self.passed = 0
        self._behind = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._behind))
                for each in (client, server):
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for source, target, slow in ((client, server, False), (server, client, True)):
                    self._carry(source, target, slow=slow)

    def _carry(self, source: socket.socket, target: socket.socket, *, slow: bool) -> None:
        under_way: deque[tuple[float, bytes]] = deque()
        arrived = threading.Semaphore(0)

        def read() -> None:
            free = 0.0
            with suppress(OSError):
                while data := source.recv(max(64, int(self.rate // 40)) if slow and self.rate < 1e8 else 65536):
                    now = time.monotonic()
                    free = max(free, now) + (len(data) / self.rate if slow else 0.0)
                    under_way.append((free + TRIP / 2, data))
                    arrived.release()
                    self.passed += len(data) if slow else 0
                    time.sleep(max(0.0, free - time.monotonic()))
            under_way.append((time.monotonic(), b""))
            arrived.release()

        def write() -> None:
            with suppress(OSError):
                while arrived.acquire():
                    due, data = under_way.popleft()
                    time.sleep(max(0.0, due - time.monotonic()))
                    if not data:
                        target.shutdown(socket.SHUT_WR)
                        return
                    target.sendall(data)

        for work in (read, write):
            threading.Thread(target=work, daemon=True).start()


@contextmanager
def ssh_server(folder: Path) -> Iterator[tuple[int, Path]]:
    """A server for this user alone; its port and the private key to sign in with."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for name in ("host", "user"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(command, check=True)
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\n"
        f"PidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nCompression yes\n"
    )
    server = subprocess.Popen(
        [shutil.which("sshd") or "/usr/sbin/sshd", "-D", "-f", str(folder / "config")], stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(100):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield port, folder / "user"
    finally:
        server.terminate()
        server.wait()


def measure(
    line: SlowLine, key: Path, environ: Mapping[str, str], rate: int, case: str, size: tuple[int, int], characters: int
) -> Lag:
    """Hold the cursor key for two seconds on the list, and wait for the screen."""
    differences, options = CASES[case]
    given = {name: environ[name] for name in ("CHARTUI_DATA_DIR", "CHARTUI_CONFIG_DIR")}
    given |= {"CHARTUI_DIFFERENCES": differences, "COLORTERM": "", "LC_ALL": "C.UTF-8"}
    remote = ["env", *(f"{name}={value}" for name, value in given.items()), CHARTUI, "--profile", "local"]
    quiet = [
        "-F",
        "none",
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        "UserKnownHostsFile=/dev/null",
        "-o",
        "LogLevel=ERROR",
    ]
    command = ["ssh", "-tt", "-p", str(line.port), "-i", str(key), *quiet, *options]
    command += [f"{getpass.getuser()}@127.0.0.1", *remote, "--screen", "characters"]
    line.rate = 1e9  # to sign in
    with session(command, size, environ, limit=LIMIT) as running:
        running.settle(0.3)
        line.rate = rate
        running.start(shown(characters), quiet=1.5)
        passed = line.passed
        try:
            # SSH shows a packet of up to 32 kB only when all of it has arrived.
            drain = running.hold("down", quiet=1.5 if differences == "1" else 2 + 40_000 / rate).drain
        except Failed:
            drain = None
        lag = Lag(None if drain is None else drain / 1000, (line.passed - passed) / 1000)
        line.rate = 1e9
        return lag


def main() -> None:
    """Measure every rate and case in turn."""
    parser = argparse.ArgumentParser(description="Measures the lag of a held key over SSH on a slow line.")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each case (default: 3)")
    parser.add_argument("--rate", type=int, action="append", metavar="N", help="bytes per second (default: all)")
    parser.add_argument("--case", choices=CASES, action="append", help="default: all")
    parser.add_argument("--characters", type=int, default=10_000, metavar="N", help="how many (default: 10000)")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="chartui-benchmark-") as folder:
        environ = filled(folder, arguments.characters)
        # A title follows the last change; it is not a part of the screen.
        settings = 'format = "chartui-config"\nversion = 1\n[terminal]\ntitle = false\n'
        Path(folder, "config.toml").write_text(settings)
        with ssh_server(Path(folder)) as (port, key):
            line = SlowLine(port)
            print(f"60 keys at 30 Hz, 80x24, round trip {TRIP * 1000:.0f} ms")
            for rate in arguments.rate or GOALS:
                for case in arguments.case or CASES:
                    lags = [
                        measure(line, key, environ, rate, case, (80, 24), arguments.characters)
                        for _ in range(arguments.rounds)
                    ]
                    known = [lag.seconds for lag in lags if lag.seconds is not None]
                    seconds = (
                        f"{median(known):6.2f} s ({min(known):.2f}–{max(known):.2f})" if known else f"> {LIMIT:.0f} s"
                    )
                    goal = f"goal ≤ {GOALS[rate]}" if case == "changes" and rate in GOALS else ""
                    sent = f"{median(lag.sent for lag in lags):7.1f} kB"
                    print(f"  {rate:>6} B/s  {case:<20}{seconds:<24}{sent}  {goal}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
