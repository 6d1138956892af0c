"""Copying text to the clipboard, or to a file if that is not possible.

Terminals accept clipboard text in an escape sequence, OSC 52, which also works over SSH. They never confirm it, so the
message always says how the text was copied. Programs between chartui and the terminal have to pass the sequence on:

* **tmux** reads the plain sequence when ``set-clipboard`` is ``on`` and passes on a wrapped one when
``allow-passthrough`` is. A configuration normally has one of the two, but there is no way to ask which, so both are
sent: at worst the same text arrives twice.

* **GNU screen** passes on wrapped text, in pieces: older versions take 256 bytes at a time.

If both have set their variable, tmux is assumed, since it is the one started inside the other.
"""

from __future__ import annotations

import asyncio
import os
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from chartui.core.classes import NamedTuple
from chartui.core.clock import Clock, system_clock
from chartui.core.paths import data_dir, write_private
from chartui.core.reproduce import as_json
from chartui.core.sheet import Sheet, as_csv, as_markdown, as_records
from chartui.core.text import display_text
from chartui.tui.numbers import number_of
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.screen import Copyable, WorkScreen

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

R = TypeVar("R")

#: Maximum length of a sequence in bytes. The strictest terminals buffer a hundred thousand bytes in total, screen
#: output included.
LIMIT: Final = 74_994
#: Maximum number of files kept.
KEPT: Final = 20
#: Terminals known to have no clipboard.
_WITHOUT: Final = frozenset({"", "dumb", "linux"})
#: Characters in one piece for GNU screen, which takes 256 including the delimiters.
_PIECE: Final = 240


#: Characters processed in one part.
_PART: Final = 1 << 16


class Sequence(NamedTuple):
    """The bytes for the terminal, and a description of the route; ``hint`` helps if the text does not arrive."""

    data: str
    way: str
    hint: str = ""


def sequence(text: str, environ: Mapping[str, str]) -> Sequence | None:
    """The sequence that copies ``text`` to the clipboard of the terminal described by ``environ``.

    None if the text is too long.
    """
    plain = f"\x1b]52;c;{b64encode(text.encode()).decode('ascii')}\a"
    data, way, hint = plain, "OSC 52", ""
    if environ.get("TMUX"):
        doubled = plain.replace("\x1b", "\x1b\x1b")
        data, way, hint = f"{plain}\x1bPtmux;{doubled}\x1b\\", "OSC 52 through tmux", "set -g allow-passthrough on"
    elif environ.get("STY"):
        pieces = (plain[start : start + _PIECE] for start in range(0, len(plain), _PIECE))
        plain = data = "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
        way = "OSC 52 through screen"
    # Either of tmux's two forms is enough; of screen's pieces all have to arrive.
    return Sequence(data, way, hint) if len(plain) <= LIMIT else None


def visible(text: str) -> str:
    """Make every control character of a text visible, so that pasting it only inserts text.

    Long texts are processed in parts, since nothing else runs while a part is processed.
    """
    parts, start = [], 0
    while start < len(text):
        end = text.find("\n", start + _PART) + 1 or len(text)
        parts.append(display_text(text[start:end], multiline=True))
        start = end
    return "".join(parts)


def copy(
    text: str,
    write: Callable[[str], None],
    *,
    to_file: bool = False,
    environ: Mapping[str, str] = os.environ,
    clock: Clock = system_clock,
    what: str = "",
) -> str:
    """Copy ``text``, called ``what``, and return a sentence that says where it went.

    Control characters are made visible first, so that pasting into a shell only inserts text. ``write`` gets everything
    for the terminal in one call; ``to_file`` never uses the terminal. Raises ``OSError`` if the file needed instead
    cannot be written.
    """
    safe = visible(text)
    size = number_of(len(safe), "character")
    size = f"“{what}” ({size})" if what else size
    if to_file or environ.get("TERM", "") in _WITHOUT:
        return f"Copied {size} to {_keep(safe, clock)}"
    found = sequence(safe, environ)
    if found is None:
        return f"Too long for the terminal's clipboard: {size} saved to {_keep(safe, clock)}"
    write(found.data)
    hint = f" If nothing was copied, add “{found.hint}” to tmux.conf." if found.hint else ""
    return f"Sent {size} to the terminal's clipboard ({found.way}).{hint}"


def _keep(text: str, clock: Clock) -> Path:
    """Write ``text`` to a new file that only the user can read; the oldest files are deleted."""
    folder = data_dir() / "clipboard"
    kept = sorted(folder.glob("*Z-[0-9][0-9][0-9][0-9].txt"))
    stem = clock().astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    of_this_second = [path.stem for path in kept if path.stem.startswith(stem)]
    number = int(of_this_second[-1].rpartition("-")[2]) + 1 if of_this_second else 0
    path = folder / f"{stem}-{number:04}.txt"
    write_private(path, text.encode())
    for old in kept[: max(0, len(kept) + 1 - KEPT)]:
        old.unlink(missing_ok=True)
    return path


class _Copied(NamedTuple):
    """A sentence on what happened to a text, and the bytes still to be written to the terminal."""

    text: str
    told: str
    data: str = ""
    failed: bool = False


def _copied(text: str, *, to_file: bool, what: str) -> _Copied:
    if not text:
        return _Copied(text, "Nothing to copy because the text is empty.")
    data: list[str] = []
    try:
        told = copy(text, data.append, to_file=to_file, what=what)
    except OSError as error:
        problem = error.strerror or "unknown reason"
        said = f"Nothing was copied: {data_dir() / 'clipboard'} cannot be written ({problem})."
        return _Copied(text, said, failed=True)
    return _Copied(text, told, "".join(data))


def hand_over(app: ChartuiApp, text: str, what: str = "") -> None:
    """Copy ``text`` and report where it went, or why it was not copied."""
    _hand_over(app, _copied(text, to_file=_to_file(app), what=what))


def _to_file(app: ChartuiApp) -> bool:
    """Whether text is copied to a file: by the settings, or because plain mode writes no sequences."""
    return app.config.clipboard == "file" or app.speech is not None


def _hand_over(app: ChartuiApp, copied: _Copied) -> None:
    if copied.data and app._driver is not None:  # the framework offers no other way to write a custom sequence
        app._driver.write(copied.data)
    app.tell(copied.told, severity="error" if copied.failed else "information")


def copy_text(screen: WorkScreen, chosen: Copyable) -> None:
    """Copy one of the texts that ``screen`` offers."""
    app = screen.workbench

    def handed(copied: _Copied) -> None:
        app.keep_copied(copied.text)
        _hand_over(app, copied)

    with_text(screen, chosen, partial(_copied, to_file=_to_file(app), what=chosen.title), handed)


def with_text(screen: WorkScreen, chosen: Copyable, work: Callable[[str], R], then: Callable[[R], None]) -> None:
    """Do ``work`` with a text, then call ``then`` with the result.

    A text that has to be generated first is generated in the background: ten thousand sections take time.
    """

    async def made() -> None:
        then(await asyncio.to_thread(work, await chosen.made()))

    if isinstance(chosen.source, str):
        then(work(chosen.source))
    else:
        screen.start(made, group="copy")


def offer(app: ChartuiApp) -> None:
    """Copy what the screen in front offers; with several texts, ask which."""
    choose(app, "Copy", copy_text)


def choose(app: ChartuiApp, action: str, take: Callable[[WorkScreen, Copyable], None]) -> None:
    """Let the user choose a text of the screen in front for an ``action`` such as "Copy", and ``take`` it."""
    screen = app.screen
    if not isinstance(screen, WorkScreen):
        return
    offered = {copyable.title: copyable for copyable in screen.copy_choices()}
    if not offered:
        app.tell(screen.none_selected or f"Nothing to {action.lower()} here yet.")
        return
    if len(offered) == 1:
        take(screen, *offered.values())
        return

    def chosen(title: str | None) -> None:
        if title is not None:
            take(screen, offered[title])

    choices = [Choice(title, title, _size(one)) for title, one in offered.items()]
    app.push_screen(Chooser(action, choices), chosen)


def _size(copyable: Copyable) -> str:
    return number_of(len(copyable.source), "character") if isinstance(copyable.source, str) else ""


#: Writes a table as Markdown, as CSV for spreadsheets, and as JSON for programs.
_FORMS: Final[Mapping[str, Callable[[Sheet], str]]] = {
    "Markdown": as_markdown,
    "CSV": as_csv,
    "JSON": lambda sheet: as_json(as_records(sheet)),
}
_SUFFIXES: Final = {"Markdown": ".md", "CSV": ".csv", "JSON": ".json"}


def forms_of(sheet: Sheet) -> list[Copyable]:
    """A table in every form."""
    return [Copyable(f"{sheet.title} ({form})", write(sheet), _SUFFIXES[form]) for form, write in _FORMS.items()]


def forms_to_make(title: str, make: Callable[[], Sheet]) -> list[Copyable]:
    """A table in every form, which is made once it is chosen: a long one takes time."""

    def written(write: Callable[[Sheet], str]) -> str:
        return write(make())

    return [Copyable(f"{title} ({form})", partial(written, write), _SUFFIXES[form]) for form, write in _FORMS.items()]
