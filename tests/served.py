"""``chartui serve`` in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from chartui.core.jsontext import loads

__all__ = ["PROGRAM", "serving"]

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
        process.terminate()  # so that it removes its throw-away store
        process.communicate()
        watchdog.cancel()
