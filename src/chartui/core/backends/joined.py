"""Reads of the same thing at the same time share one request."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import Generic, TypeVar

from chartui.core.backends.base import Answer, Backend, Context, Progress, Received
from chartui.core.jsontext import Wire, dumps
from chartui.core.spec.operation import Effect, Operation

__all__ = ["Joined", "Shared"]

T = TypeVar("T")


class Shared(Generic[T]):
    """A call with several callers: it is canceled when the last of them gives up."""

    def __init__(self, call: Awaitable[T]) -> None:
        import asyncio

        self._call = asyncio.ensure_future(call)
        self._waiting = 0

    @property
    def over(self) -> bool:
        """Whether the call ended or its last caller gave up."""
        return self._call.done() or not self._waiting

    async def wait(self) -> T:
        """The result of the call; raises what the call raises."""
        import asyncio

        self._waiting += 1
        try:
            return await asyncio.shield(self._call)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._call.cancel()


class _Read(Shared[Answer]):
    """A read under way, which reports its progress to every caller."""

    def __init__(self, backend: Backend, operation: Operation, payload: Mapping[str, Wire], context: Context) -> None:
        self._listening: list[Progress] = []
        super().__init__(backend.perform(operation, payload, replace(context, progress=self._tell)))

    def tell(self, progress: Progress | None) -> None:
        """Call ``progress`` from now on."""
        self._listening += [] if progress is None else [progress]

    def _tell(self, received: Received) -> None:
        for progress in self._listening:
            progress(received)


class Joined:
    """A backend around another: a read whose context ``joins`` shares the request of the same read under way, if any.

    A change ends the sharing: a read that began before the change ended is never shared with one that begins later.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._reads: dict[str, _Read] = {}

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform, or wait for what is under way; raises :class:`ServiceError` as the backend does."""
        if operation.effect is not Effect.READ:
            self._reads.clear()
            try:
                return await self._backend.perform(operation, payload, context)
            finally:
                self._reads.clear()
        if not context.joins:
            return await self._backend.perform(operation, payload, context)
        question = dumps([operation.name, payload, context.refresh])
        read = self._reads.get(question)
        if read is None:
            read = self._reads[question] = _Read(self._backend, operation, payload, context)
        read.tell(context.progress)
        try:
            return await read.wait()
        finally:
            if read.over and self._reads.get(question) is read:
                del self._reads[question]

    async def aclose(self) -> None:
        """Close the backend."""
        await self._backend.aclose()
