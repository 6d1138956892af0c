"""The seed of the contract behind a journal, in process and over HTTP without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Final

from chartui.core.backends.base import Answer, Context
from chartui.core.backends.layers import Journaled
from chartui.core.backends.recorder import Recorder
from chartui.core.journal import Entry, Journal
from chartui.core.jsontext import Wire
from chartui.core.profiles import Place
from chartui.core.spec.operations import OPERATIONS
from tests.contract.world import Path, Switch, Template, World

__all__ = ["PLACE", "Journaling"]

PLACE: Final = Place("contract", "https://service.example")


@dataclass(frozen=True, slots=True)
class Journaling:
    """A world, and a journaled way to its store."""

    world: World
    journal: Journal
    recorder: Recorder
    layer: Journaled

    @classmethod
    @asynccontextmanager
    async def opened(cls, path: Path, template: Template, folder: FilePath) -> AsyncIterator[Journaling]:
        """On a fresh copy of the seed in ``folder``, with the journal in the same folder."""
        async with World.opened(path, template, folder, Switch()) as world:
            journal = Journal(folder / "journal.db")
            recorder = Recorder(world.connect())
            layer = Journaled(recorder, lambda: journal, PLACE, embedded=path is Path.LOCAL)
            try:
                yield cls(world, journal, recorder, layer)
            finally:
                await layer.aclose()
                await journal.aclose()

    async def __call__(self, name: str, payload: Mapping[str, Wire], **context: Any) -> Answer:
        return await self.layer.perform(OPERATIONS[name], payload, Context(**context))

    async def inside(self, name: str, payload: Mapping[str, Wire]) -> Any:
        return (await self.world.inside().call(OPERATIONS[name], payload)).body

    async def last(self) -> Entry:
        """The last entry, which there must be."""
        entry, *_ = await self.journal.entries()
        return entry

    @property
    def asked(self) -> list[tuple[str, str]]:
        return [(call.operation.name, call.context.origin) for call in self.recorder.calls]
