"""Asking the person at the terminal."""

from __future__ import annotations

import signal
import sys


def can_ask() -> bool:
    """Whether somebody can be asked: the question goes to standard error, the answer comes from standard input."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def asked(question: str) -> str:
    """A line from the terminal; the end of input is no answer. An interruption ends the program at once."""
    # The loop's own handler would only take note of it, and the reading would go on.
    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        print(question, end="", file=sys.stderr, flush=True)
        return sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, earlier)


def secret(what: str) -> str:
    """What is typed without being shown; an empty answer is none."""
    from getpass import getpass

    try:
        return getpass(f"{what}: ")
    except EOFError:
        return ""
