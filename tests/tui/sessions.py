"""Sessions that are the same at every run, and a backend that fails, waits and remembers as a test wants it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from chartui.core.backends.base import Answer, Backend, Context
from chartui.core.backends.local.seed import seed
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.backends.local.tables import StoredCharacter
from chartui.core.clock import seeded_ids
from chartui.core.jsontext import Wire
from chartui.core.lock import Lock, LockedBy
from chartui.core.profiles import BUILT_IN, Profile, ProfileKind
from chartui.core.service import Service
from chartui.core.session import Fill, Session, open_session
from chartui.core.spec.elements import Decoded, Unreadable
from chartui.core.spec.operation import Operation
from chartui.demos import fill
from chartui.demos.sample import Sample, samples

__all__ = ["Double", "demo", "doubled", "filled_with", "remote", "seeded"]

#: When every test takes place.
MOMENT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
REMOTE = Profile(name="staging", kind=ProfileKind.REMOTE, base_url="https://characters.example:8443")


def clock() -> datetime:
    """A clock that stands still."""
    return MOMENT


def demo(*, read_only: bool = False, fill_store: Fill | None = None) -> Session:
    """The demo data in a throwaway store, or what ``fill_store`` puts there; the same ids at every run."""
    ids = seeded_ids(7)
    return open_session(
        BUILT_IN["demo"],
        throwaway=True,
        read_only=read_only,
        fill=fill_store or (lambda store: fill(store, ids=ids, clock=clock)),
        clock=clock,
        ids=ids,
    )


def seeded(count: int) -> Fill:
    """This many characters without stories."""

    def fill_store(store: Store) -> None:
        seed(store, BUILT_IN_ACCOUNT, characters=count, sections=0, seed=1, record_bytes=500)

    return fill_store


def filled_with(change: Callable[[Sample], Sample]) -> Fill:
    """The demo data, each character as ``change`` makes it."""

    def fill_store(store: Store) -> None:
        with store.writing() as tables:
            for original in samples(BUILT_IN_ACCOUNT.user_id, ids=seeded_ids(7), clock=clock):
                sample = change(original)
                tables.characters.insert(StoredCharacter(sample.record, sample.backstory, sample.reasoning_effort))
                for section in sample.sections:
                    tables.narrative.sections.insert(section)
                for trigger in sample.triggers:
                    tables.narrative.triggers.insert(trigger)

    return fill_store


class Double:
    """A backend around another: fails where it is told to, and keeps answers back until they are let go.

    ``failures``, ``answers`` and what of an answer is ``unreadable`` are by the name of an operation. ``calls`` holds
    what was asked for, in order.
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.failures: dict[str, BaseException] = {}
        self.answers: dict[str, Wire] = {}
        self.unreadable: dict[str, tuple[Unreadable, ...]] = {}
        self.calls: list[tuple[str, Mapping[str, Wire]]] = []
        self._held: dict[str, list[asyncio.Event]] = defaultdict(list)
        self._holding: set[str] = set()

    def hold(self, name: str) -> None:
        """Keep the answers to the following calls of an operation back."""
        self._holding.add(name)

    def waiting(self, name: str) -> int:
        """How many calls of an operation have been kept waiting so far."""
        return len(self._held[name])

    def let_go(self, name: str, number: int) -> None:
        """Give the answer to the ``number``-th call that waits, counted from 0."""
        self._held[name][number].set()

    def let_all_go(self) -> None:
        """Give every answer, and keep none back from now on."""
        self._holding.clear()
        for events in self._held.values():
            for event in events:
                event.set()

    def count(self, name: str) -> int:
        """How often an operation was asked for."""
        return sum(1 for called, _ in self.calls if called == name)

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform as told."""
        name = operation.name
        self.calls.append((name, payload))
        if name in self._holding:
            event = asyncio.Event()
            self._held[name].append(event)
            # What is let go later answers later, even to somebody who no longer waits.
            await asyncio.shield(asyncio.ensure_future(event.wait()))
        if name in self.failures:
            raise self.failures[name]
        if name in self.answers:
            answer = Answer(body=self.answers[name])
        else:
            answer = await self.backend.perform(operation, payload, context)
        if name not in self.unreadable:
            return answer
        return answer._replace(decoded=Decoded(body=answer.read(operation), unreadable=self.unreadable[name]))

    async def aclose(self) -> None:
        """Close the backend, and leave nobody waiting."""
        self.let_all_go()
        await self.backend.aclose()


def doubled(session: Session | None = None) -> tuple[Session, Double]:
    """A session on the demo data with a double between service and store."""
    session = session or demo()
    double = Double(session.recorder)
    return replace(session, service=Service(double, embedded=True)), double


def remote(*, read_only: bool = False, fill_store: Fill | None = None) -> tuple[Session, Double]:
    """A session as it is on a service over the network; the demo data answer, without a network,
    or what ``fill_store`` puts there."""
    session = demo(fill_store=fill_store)
    double = Double(session.recorder)
    opened = replace(
        session,
        profile=REMOTE,
        service=Service(double, embedded=False),
        lock=Lock(LockedBy.FLAG if read_only else None),
        where=REMOTE.host or "",
    )
    return opened, double


def storyless(*, read_only: bool = False) -> Session:
    """The demo data without a single section or trigger."""

    def change(sample: Sample) -> Sample:
        record = {**sample.record, "start_narrative_section_id": None, "is_narrative_driven": False}
        return sample._replace(record=record, sections=[], triggers=[])

    return demo(fill_store=filled_with(change), read_only=read_only)
