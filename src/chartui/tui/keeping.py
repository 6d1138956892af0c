"""Keeping what is staged: written as a draft at every change, and never over another program's draft unseen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from chartui.core.drafts import Draft, Drafts
from chartui.core.jsontext import Wire
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.widgets.chooser import Choice, Chooser

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["Keepable", "Keeper", "tell_not_kept", "two_drafts", "what_becomes"]


class Keepable(Protocol):
    """What is staged of something of one character."""

    @property
    def character_id(self) -> str:
        """Whose it is."""


K = TypeVar("K", bound=Keepable)


class Keeper(Generic[K]):
    """Writes what is staged for the characters of one profile: one draft after the other, the newest of each.

    ``part`` is what the drafts are called. ``write`` gives what is kept of something, None where nothing of it is
    staged; ``read`` gives it back, None for a draft that cannot be read.

    ``met`` is called with what is staged here and there when another program has changed or dropped a draft since it
    was last read here: nothing is written over it before :meth:`seen`. ``failed`` is called when a draft cannot be
    written, once until one can be again; ``failing`` says whether that is so.
    """

    def __init__(
        self,
        drafts: Drafts,
        place: Place,
        part: str,
        *,
        write: Callable[[K], Wire],
        read: Callable[[Wire], K | None],
        met: Callable[[K, K | None], None],
        failed: Callable[[ServiceError], None],
    ) -> None:
        self._drafts = drafts
        self._place = place
        self._part = part
        self._to_wire = write
        self._from_wire = read
        self._met = met
        self._failed = failed
        self.failing = False
        self._revisions: dict[str, int] = {}
        self._others: dict[str, int] = {}
        self._waiting: dict[str, K] = {}
        self._task: asyncio.Task[None] | None = None

    async def load(self) -> Mapping[str, K]:
        """What is staged, by character; a draft that cannot be read stays where it is. Raises :class:`ServiceError`."""
        await self.settled()
        found = {}
        for draft in await self._drafts.all(self._place, part=self._part):
            staged = self._staged(draft)
            if staged is not None:
                self._revisions[draft.character_id] = draft.revision
                found[draft.character_id] = staged
        return found

    def keep(self, staged: K) -> None:
        """Write what is staged, or drop the draft where nothing is."""
        self._waiting[staged.character_id] = staged
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._write())

    def seen(self, character_id: str) -> None:
        """The user has seen the other draft: what is kept next is written over it."""
        self._revisions[character_id] = self._others.pop(character_id, 0)

    async def settled(self) -> None:
        """Wait until everything is written."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def _write(self) -> None:
        while self._waiting:
            character_id, staged = next(iter(self._waiting.items()))
            del self._waiting[character_id]
            try:
                await self._write_one(staged)
                self.failing = False
            except ServiceError as error:
                if error.kind is ErrorKind.CONFLICT:
                    await self._meet(staged)
                elif not self.failing:
                    self.failing = True
                    self._failed(error)

    async def _write_one(self, staged: K) -> None:
        row = (self._place, staged.character_id, self._part)
        revision = self._revisions.get(staged.character_id, 0)
        document = self._to_wire(staged)
        if document is not None:
            draft = await self._drafts.save(*row, document, revision=revision)
            self._revisions[staged.character_id] = draft.revision
        elif revision:
            await self._drafts.discard(*row, revision=revision)
            del self._revisions[staged.character_id]

    async def _meet(self, mine: K) -> None:
        draft = await self._drafts.load(self._place, mine.character_id, self._part)
        self._others[mine.character_id] = draft.revision if draft is not None else 0
        self._met(mine, self._staged(draft) if draft is not None else None)

    def _staged(self, draft: Draft) -> K | None:
        return self._from_wire(draft.document)


def what_becomes(keeper: Keeper[Any], *, throwaway: bool) -> str:
    """What becomes of what is staged when the program is left, in a sentence."""
    if keeper.failing:
        return "No draft of them could be written: they are lost."
    return "They go with the demo data." if throwaway else "They are kept, and here again next time."


def tell_not_kept(app: ChartuiApp, error: ServiceError, until: str) -> None:
    """Say that no draft can be written; ``until`` says how long what is staged is there all the same."""
    message = f"{error.message} What is staged is on the screen only, until it is {until}."
    app.tell(message, title="No draft is kept", severity="error")


def two_drafts(title: str, mine: str, theirs: str | None) -> Chooser[Choice]:
    """Asks which of two drafts counts when another program has written one too: ``"mine"`` or ``"theirs"``.

    ``mine`` and ``theirs`` say what is staged, None that the other program has no draft any more.
    """
    other = "the other program dropped or sent its draft" if theirs is None else theirs
    choices = [Choice("mine", "Keep mine", "", mine), Choice("theirs", "Take the other", "", other)]
    return Chooser(title, choices)
