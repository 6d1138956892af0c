"""The terminal: what it can show, the filters for its output, and its signals."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from rich.segment import Segment
from textual.color import Color
from textual.driver import Driver
from textual.filter import LineFilter

from chartui.core.classes import NamedTuple
from chartui.core.config import OFF
from chartui.core.links import WITHOUT_WINDOW
from chartui.core.text import display_text, is_plain

#: Values of ``TERM`` (its end) and ``COLORTERM`` for more than sixteen colors, as the framework reads them.
_MANY: Final = ("256color", "kitty")
_TRUE: Final = ("truecolor", "24bit")
#: The values that the interpreter gives ``LC_CTYPE`` in the locale C (PEP 538).
_COERCED: Final = ("C.UTF-8", "C.utf8", "UTF-8")


class Terminal(NamedTuple):
    """What to send to a terminal: ``ascii`` only, ``colorless`` without colors, ``few_colors`` at most sixteen;
    ``windowed`` with a title, links and notices; only ``differences`` between two pictures; ``plain`` lines of text
    instead of pictures.
    """

    ascii: bool = False
    colorless: bool = False
    few_colors: bool = False
    windowed: bool = False
    differences: bool = True
    plain: bool = False


def terminal_of(
    environment: Mapping[str, str],
    *,
    ascii: bool | None = None,  # noqa: A002
    plain: bool = False,
) -> Terminal:
    """The terminal of a process with this environment.

    ``ascii`` is set by a flag or the settings; otherwise ``CHARTUI_ASCII`` decides, then the kind of terminal and the
    locale. ``NO_COLOR`` counts unless it is empty (no-color.org).
    """
    term = environment.get("TERM", "")
    said = environment.get("CHARTUI_ASCII", "").strip().lower()
    if ascii is None and said:
        ascii = said not in OFF  # noqa: A001
    return Terminal(
        ascii=(term in WITHOUT_WINDOW or not _takes_unicode(environment)) if ascii is None else ascii,
        colorless=bool(environment.get("NO_COLOR")),
        few_colors=environment.get("COLORTERM", "").strip().lower() not in _TRUE and not term.lower().endswith(_MANY),
        windowed=bool(term) and term not in WITHOUT_WINDOW and not plain,
        differences=environment.get("CHARTUI_DIFFERENCES", "").strip().lower() not in OFF and not plain,
        plain=plain,
    )


def _takes_unicode(environment: Mapping[str, str]) -> bool:
    """Whether the locale's name says UTF-8: over SSH, this machine often lacks the locale itself.

    Without any locale, UTF-8 is assumed, as the interpreter does.
    """
    locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := environment.get(name))), "UTF-8")
    charset = locale.partition("@")[0].rpartition(".")[2]
    return charset.replace("-", "").lower() == "utf8"


def given_environment() -> Mapping[str, str]:
    """The environment that the program was started with.

    In the locale C the interpreter sets ``LC_CTYPE`` to UTF-8 before any of our code runs (PEP 538). The same value set
    by the user is kept.
    """
    now = dict(os.environ)
    if now.get("LC_ALL") or now.get("LC_CTYPE") not in _COERCED:
        return now
    with suppress(OSError):
        for pair in Path("/proc/self/environ").read_bytes().split(b"\0"):
            if pair.startswith(b"LC_CTYPE="):
                return {**now, "LC_CTYPE": os.fsdecode(pair.removeprefix(b"LC_CTYPE="))}
        del now["LC_CTYPE"]
        return now
    # Without /proc: in the locale C the interpreter also enables its UTF-8 mode (PEP 540), otherwise only on request.
    asked_for = now.get("PYTHONUTF8") or "utf8" in sys._xoptions
    if sys.flags.utf8_mode and not asked_for:
        del now["LC_CTYPE"]
    return now


def heed(leave: Callable[[signal.Signals], None]) -> None:
    """Call ``leave`` for each signal that asks the program to end, on the running loop of the main thread."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        loop.add_signal_handler(number, partial(leave, number))


def stop_the_group(*, first: Callable[[], None]) -> bool:
    """Do ``first``, and stop until the shell continues the program; returns False if no shell could do that."""
    # The session's first process group has no shell that could continue a stopped program.
    if sys.platform == "win32" or os.getpgrp() == os.getsid(0):
        return False
    first()
    # Stop the whole group: otherwise the shell would wait for a script that started the program.
    os.killpg(os.getpgrp(), signal.SIGTSTP)
    return True


class SafeText(LineFilter):
    """The last safeguard: no control character reaches the terminal, even from text that was not cleaned."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        if all(s.control or is_plain(s.text) for s in segments):
            return segments
        return [s if s.control else Segment(display_text(s.text), s.style) for s in segments]


def filters_for(terminal: Terminal) -> Iterator[LineFilter]:
    """The filters for every line on its way to the terminal."""
    yield SafeText()
    if terminal.ascii or terminal.colorless:
        from chartui.tui.plain import AsciiText, Colorless

        if terminal.ascii:
            yield AsciiText()
        if terminal.colorless:
            yield Colorless()


def driver_for(chosen: type[Driver], *, plain: bool) -> type[Driver]:
    """The driver that notices when the terminal is gone, or the one for plain mode; else the framework's ``chosen``."""
    if sys.platform == "win32":
        return chosen
    from chartui.tui.driver import PlainDriver, TerminalDriver

    if plain:
        return PlainDriver
    return TerminalDriver if issubclass(TerminalDriver, chosen) else chosen
