"""Guarantees made once, around any backend."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chartui.core.backends.base import Answer, Backend, Context
from chartui.core.clock import Clock, Monotonic, monotonic, system_clock
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import Effect, Operation

__all__ = ["Call", "ReadOnly", "Recorder"]


class ReadOnly:
    """Lets reads through and refuses the rest, whoever asks: the decision is made from the row's effect.

    ``allow_act`` lets ``act`` rows through as well: they cost credits, but change no setting.
    """

    def __init__(self, backend: Backend, *, allow_act: bool = False) -> None:
        self._backend = backend
        self._allowed = {Effect.READ, Effect.ACT} if allow_act else {Effect.READ}

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform a read; raises :class:`ServiceError` (kind ``read_only``) for anything else."""
        if operation.effect not in self._allowed:
            raise ServiceError(
                ErrorKind.READ_ONLY, f"Read-only: {operation.name} was not sent, and nothing was changed."
            )
        return await self._backend.perform(operation, payload, context)

    async def aclose(self) -> None:
        """Close the backend."""
        await self._backend.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One recorded call. ``seconds`` is the time it took; exactly one of ``answer`` and ``error`` is there."""

    number: int
    at: str
    seconds: float
    operation: Operation
    payload: Mapping[str, Wire]
    context: Context
    answer: Answer | None = None
    error: ServiceError | None = None


class Recorder:
    """Keeps the last calls, for the requests screen. Payloads and answers never hold the key, so neither does this."""

    def __init__(
        self,
        backend: Backend,
        *,
        size: int = 1000,
        clock: Clock = system_clock,
        ticks: Monotonic = monotonic,
        listener: Callable[[Call], None] | None = None,
    ) -> None:
        self._backend = backend
        self._calls: deque[Call] = deque(maxlen=size)
        self._clock = clock
        self._ticks = ticks
        self._number = 0
        self.listener = listener

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls, oldest first."""
        return tuple(self._calls)

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform and remember, success or failure."""
        at = self._clock().isoformat(timespec="milliseconds")
        start = self._ticks()
        answer: Answer | None = None
        failure: ServiceError | None = None
        try:
            answer = await self._backend.perform(operation, payload, context)
            return answer
        except ServiceError as error:
            failure = error
            raise
        finally:
            self._remember(operation, payload, context, at, self._ticks() - start, answer, failure)

    def _remember(
        self,
        operation: Operation,
        payload: Mapping[str, Wire],
        context: Context,
        at: str,
        seconds: float,
        answer: Answer | None,
        error: ServiceError | None,
    ) -> None:
        self._number += 1
        if answer is None and error is None:
            error = ServiceError(ErrorKind.TIMEOUT, "Given up before an answer came.", sent="unclear")
        call = Call(
            number=self._number,
            at=at,
            seconds=seconds,
            operation=operation,
            payload=payload,
            context=context,
            answer=answer,
            error=error,
        )
        self._calls.append(call)
        if self.listener is not None:
            self.listener(call)

    async def aclose(self) -> None:
        """Close the backend."""
        await self._backend.aclose()
