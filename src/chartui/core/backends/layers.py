"""Guarantees made once, around any backend."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from chartui.core.backends.base import Answer, Backend, Context, Meta
from chartui.core.backends.excerpt import Excerpt, excerpt
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
    """One recorded call, or several alike in one place.

    ``at`` is when the last of them began, ``seconds`` the time they took together, ``folded`` how many they are;
    ``number`` is that of the first and never changes. A success has ``body`` and ``meta``, a failure its ``error``; a
    call that has neither was given up before an answer came. ``context`` is without the expectations, which may be
    whole records.
    """

    number: int
    at: str
    seconds: float
    operation: Operation
    payload: Excerpt
    context: Context
    body: Excerpt | None = None
    meta: Meta | None = None
    error: ServiceError | None = None
    folded: int = 1

    @property
    def given_up(self) -> bool:
        """Nobody waited for the answer."""
        return self.body is None and self.error is None

    @property
    def status(self) -> int | None:
        """The HTTP status, where there was one."""
        return self.error.status if self.error is not None else self.meta.status if self.meta is not None else None

    @property
    def attempts(self) -> int | None:
        """How often it was sent; None for what was given up."""
        return self.error.attempts if self.error is not None else self.meta.attempts if self.meta is not None else None


#: What is asked at every keystroke: calls alike replace one another, or they would push all others out.
_FOLDED: Final = frozenset({"estimate", "get-estimate"})
#: Headers whose values are for nobody's eyes.
_SECRET_HEADERS: Final = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})


class Recorder:
    """Keeps the last calls, for the requests screen: bounded copies of what was asked and answered.

    Neither holds the key; should a service send it back, ``redact`` takes it out.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        size: int = 1000,
        clock: Clock = system_clock,
        ticks: Monotonic = monotonic,
        redact: Callable[[str], str] = str,
    ) -> None:
        self._backend = backend
        self._calls: deque[Call] = deque(maxlen=size)
        self._clock = clock
        self._ticks = ticks
        self._redact = redact
        self._number = 0
        self._listeners: list[Callable[[Call], None]] = []

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls, oldest first."""
        return tuple(self._calls)

    def listen(self, listener: Callable[[Call], None]) -> Callable[[], None]:
        """Call ``listener`` after every call, on the event loop it was made on; returns what ends that."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform and remember: success, failure, or that it was given up."""
        at = self._clock().isoformat(timespec="milliseconds")
        start = self._ticks()
        answer: Answer | None = None
        failure: ServiceError | None = None
        try:
            answer = await self._backend.perform(operation, payload, context)
            return answer
        except ServiceError as error:
            # A copy: the one that was raised keeps the frames it went through alive.
            failure = replace(error, message=self._redact(error.message))
            raise
        finally:
            seconds = self._ticks() - start
            self._number += 1
            call = Call(
                number=self._number,
                at=at,
                seconds=seconds,
                operation=operation,
                payload=excerpt(payload, redact=self._redact),
                context=replace(context, expected=None, before=None),
                body=None if answer is None else excerpt(answer.body, redact=self._redact),
                meta=None if answer is None else replace(answer.meta, headers=self._headers(answer.meta)),
                error=failure,
            )
            self._remember(call)

    def _headers(self, meta: Meta) -> dict[str, str]:
        kept: dict[str, str] = excerpt(meta.headers, redact=self._redact).value
        return {name: "(not kept)" if name in _SECRET_HEADERS else value for name, value in kept.items()}

    def _remember(self, call: Call) -> None:
        last = self._calls[-1] if self._calls else None
        if last is not None and _alike(last, call):
            call = replace(call, number=last.number, folded=last.folded + 1, seconds=last.seconds + call.seconds)
            self._calls[-1] = call
        else:
            self._calls.append(call)
        for listener in tuple(self._listeners):
            listener(call)

    async def aclose(self) -> None:
        """Close the backend."""
        await self._backend.aclose()


def _alike(last: Call, call: Call) -> bool:
    """Whether two calls in a row are the same question at another keystroke; an earlier one may have been given up."""
    return (
        call.operation.name in _FOLDED
        and last.operation is call.operation
        and last.context == call.context
        and last.error is None
        and call.error is None
    )
