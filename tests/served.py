"""``chartui serve`` in a process of its own, and its application in a thread of this one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from chartui.core.jsontext import loads
from chartui.core.server.http import ASGIApp
from chartui.core.server.run import HEAD_SECONDS, STOP_SECONDS, CannotListen, Server, base_url_of, listen

__all__ = ["PROGRAM", "running_server", "serving"]

#: The program as an installed script starts it.
PROGRAM: Final = (sys.executable, "-c", "import sys; from chartui.main import main; sys.exit(main())")


@contextmanager
def serving(*words: str) -> Iterator[tuple[subprocess.Popen[str], Any]]:
    """``chartui serve`` in a process; gives it and its start-up line."""
    process = subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0", "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.stderr and process.stderr.read()
        yield process, loads(line)
    finally:
        process.terminate()  # so that it removes its throwaway store
        process.communicate()
        watchdog.cancel()


@contextmanager
def running_server(app: ASGIApp, *, port: int = 0, head_seconds: float = HEAD_SECONDS) -> Iterator[str]:
    """``app`` served from a thread while the block runs; gives the base URL. Raises :class:`CannotListen`."""
    server = Server(app, head_seconds=head_seconds)
    ready = threading.Event()
    bound = listen(port)
    base_url = base_url_of(bound)
    thread = threading.Thread(
        target=lambda: asyncio.run(server.run_on(bound, lambda _url: ready.set())), name="server", daemon=True
    )
    thread.start()
    try:
        if not ready.wait(10):
            raise CannotListen(f"The server at {base_url} did not start.")
        yield base_url
    finally:
        server.should_exit = True
        thread.join(STOP_SECONDS + 5)
