"""Questions at the terminal."""

from __future__ import annotations

import signal
import sys


def can_ask() -> bool:
    """Whether questions can be asked: on standard error, with the answer from standard input."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def asked(question: str) -> str:
    """A line from the terminal; empty at the end of input. Ctrl+C ends the program immediately."""
    # The handler of the event loop would only record the signal, and reading would continue.
    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        print(question, end="", file=sys.stderr, flush=True)
        return sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, earlier)


def secret(what: str) -> str:
    """A line typed without being shown; empty without an answer."""
    from getpass import getpass

    try:
        return getpass(f"{what}: ")
    except EOFError:
        return ""
