"""Sessions whose recorder sees failures and answers as a test wants them, at times that are the same at every run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from chartui.core.backends.base import Answer, Backend, Cache, Context, Meta
from chartui.core.backends.recorder import Recorder
from chartui.core.jsontext import Wire, dumps
from chartui.core.service import Service
from chartui.core.session import Session
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import operation
from tests.tui.sessions import MOMENT, REMOTE, Double, demo

__all__ = ["ask", "recorded", "served"]


class _Served:
    """A backend around another that answers as if over HTTP; ``metas`` says how, by the name of an operation."""

    def __init__(self, backend: Backend, metas: Mapping[str, Meta]) -> None:
        self._backend = backend
        self._metas = metas

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform, with what a client would know of the answer."""
        answer = await self._backend.perform(operation, payload, context)
        size = len(dumps(answer.body).encode())
        headers = {"content-type": "application/json", "content-length": str(size)}
        return Answer(
            body=answer.body, meta=self._metas.get(operation.name) or Meta(status=200, headers=headers, bytes=size)
        )

    async def aclose(self) -> None:
        """Close the store."""
        await self._backend.aclose()


def recorded(session: Session | None = None) -> tuple[Session, Double]:
    """A session on the demo data with a double between recorder and store. A call takes 12 ms, one begins a second."""
    session = session or demo()
    double = Double(session.recorder._backend)
    return _through(session, double), double


def served(**metas: Meta) -> tuple[Session, Double]:
    """The same as it is on a service over the network; ``metas`` by the name of an operation, with ``_`` for ``-``."""
    session = demo()
    double = Double(session.recorder._backend)
    opened = _through(session, _Served(double, {name.replace("_", "-"): meta for name, meta in metas.items()}))
    service = Service(opened.recorder, embedded=False)
    return replace(opened, profile=REMOTE, service=service, where=REMOTE.host or ""), double


def _through(session: Session, backend: Backend) -> Session:
    moments, steps = count(), count()

    def clock() -> datetime:
        return MOMENT + timedelta(seconds=next(moments), milliseconds=250)

    recorder = Recorder(backend, clock=clock, ticks=lambda: next(steps) * 0.012)
    return replace(session, recorder=recorder, service=Service(recorder, embedded=True))


#: How an answer comes that the client had kept.
KEPT = Meta(status=200, headers={"etag": '"7"'}, attempts=0, cache=Cache.HIT)


async def ask(session: Session, *operations: str, **payload: Any) -> None:
    """Perform operations, whatever comes of them."""
    for name in operations:
        with suppress(ServiceError):
            await session.service.asking_as("a test").call(operation(name), payload)
