"""The terminal's window: its title, links, and a notice when long work has ended."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from chartui.core.config import TerminalUse
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Seconds after which the end of some work is worth a notice.
LONG: Final = 10.0
#: Seconds until a title is set, so that moving through a list does not send one for each step.
_STAYS: Final = 0.25
#: Uses nothing of a terminal.
NOTHING: Final = TerminalUse(title=False, links=False, notices=False)
#: The longest part of a title and the longest notice, in characters.
_PART, _NOTICE = 40, 100


class Window:
    """What ``app`` shows outside its screen, as far as ``use`` allows."""

    def __init__(self, app: ChartuiApp, use: TerminalUse, *, ascii: bool = False) -> None:  # noqa: A002
        self._app = app
        self._ascii = ascii
        self._use = use
        self._shown: tuple[str, ...] = ()
        self._due: asyncio.TimerHandle | None = None

    @property
    def links(self) -> bool:
        return self._use.links

    def entitle(self) -> None:
        """Show the profile and the current character in the window's title, once they stay the same for a moment."""
        from chartui.tui.driver import TerminalDriver

        app = self._app
        if not (self._use.title and isinstance(driver := app._driver, TerminalDriver)):
            return
        present = app.work.present
        character = present.in_hand if present else None
        parts = ("chartui", app.session.profile.name, app.work.name_known(character) if character else "")
        if parts != self._shown:
            after = _STAYS if self._shown else 0
            self._shown = parts
            title = " – ".join(single_line(part, limit=_PART) for part in parts if part)
            if self._ascii:
                title = title.replace("–", "-").encode("ascii", "replace").decode()
            if self._due is not None:
                self._due.cancel()
            self._due = asyncio.get_running_loop().call_later(after, driver.entitle, title)

    @contextmanager
    def timed(self, title: str) -> Iterator[None]:
        """Notify the user when the block ends, if it took long and was not canceled."""
        begun = self._app.connection.ticks()
        yield
        seconds = self._app.connection.ticks() - begun
        if self._use.notices and seconds >= LONG and self._app._driver is not None:
            self._app._driver.write(notice(f"chartui: {title} finished after {int(seconds)} s"))


def notice(text: str) -> str:
    """The sequence for a notice (OSC 9). tmux passes it on if it may, and ignores it otherwise."""
    sequence = f"\x1b]9;{single_line(text, limit=_NOTICE)}\x07"
    return f"\x1bPtmux;\x1b{sequence}\x1b\\" if os.environ.get("TMUX") else sequence
