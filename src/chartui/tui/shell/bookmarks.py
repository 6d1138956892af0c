"""Keeps the bookmark of the open profile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from chartui.core.bookmark import Bookmark, save_bookmark
from chartui.core.profiles import Place

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp
    from chartui.tui.loading import Stoppable

#: Seconds from a key or a click until the bookmark is written.
DELAY: Final = 2.0


class Bookmarks:
    """Writes the bookmark a moment after a key or a click, and at the end, if it has changed."""

    def __init__(self, app: ChartuiApp) -> None:
        self._app = app
        self._timer: Stoppable | None = None
        self._written: Bookmark | None = None
        self._writing: asyncio.Future[None] | None = None
        self._failed = False

    @property
    def _on(self) -> bool:
        return self._app.opening.remembers(self._app.session.profile, self._app.config.remember)

    def touch(self) -> None:
        """A key was pressed, or the mouse."""
        if self._timer is None and self._on:
            self._timer = self._app.connection.later(DELAY, self._write)

    def _write(self) -> None:
        self._timer = None
        app = self._app
        if app.work.present is None or (bookmark := app.work.bookmark) == self._written:
            return
        since = app.opening.kept if self._written is None else self._written
        self._written = bookmark
        self._writing = asyncio.ensure_future(self._save(self._writing, app.session.profile.place, bookmark, since))

    async def _save(
        self, before: asyncio.Future[None] | None, owner: Place, bookmark: Bookmark, since: Bookmark
    ) -> None:
        if before is not None:
            await before
        try:
            await asyncio.to_thread(save_bookmark, owner, bookmark, since=since)
        except OSError as error:
            if not self._failed:
                self._failed = True
                message = f"{error.strerror}. The next session cannot start where you left off."
                self._app.tell(message, title="Bookmark not saved", severity="warning")

    def stop(self) -> None:
        """Write the last bookmark of the open profile: the program ends, or another profile is opened."""
        if self._timer is not None:
            self._timer.stop()
        if self._on:
            self._write()
        self._timer = self._written = None

    async def settled(self) -> None:
        if self._writing is not None:
            await self._writing
