"""Record size-limited copies of the latest calls for the requests screen.

For example, if only the first hundred of ten thousand records fit, the other records are not copied. Placeholders mark
the omitted parts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from chartui.core.backends.base import Answer, Backend, Context, Layer, Meta
from chartui.core.classes import NamedTuple
from chartui.core.clock import Clock, Monotonic, monotonic, system_clock
from chartui.core.jsontext import NotJson, Wire, dumps
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.operation import Operation


class Call(NamedTuple):
    """A recorded call, or several similar calls combined into one entry.

    ``at`` is the time when the last call started, ``seconds`` is the total duration of all calls, and ``folded`` is the
    number of calls. ``number`` identifies the first call and never changes. A successful call has a ``body`` and
    ``meta``, and a failed call has an ``error``. A call without any of these is still in progress (``under_way``), or
    was canceled before a response arrived. ``context`` is recorded without its ``expected`` values, because these may
    be whole records.
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
    under_way: bool = False

    @property
    def given_up(self) -> bool:
        return self.body is None and self.error is None and not self.under_way

    @property
    def status(self) -> int | None:
        return self.error.status if self.error is not None else self.meta.status if self.meta is not None else None

    @property
    def attempts(self) -> int | None:
        """How many times the call was sent, or None if it was canceled."""
        return self.error.attempts if self.error is not None else self.meta.attempts if self.meta is not None else None


#: Operations that are called at every keystroke. Of similar calls, only the last is kept, because they would push out
#: all other calls.
_FOLDED: Final = frozenset({"estimate", "get-estimate"})
#: Headers whose values are never shown.
_SECRET_HEADERS: Final = frozenset({"authorization", "cookie", "proxy-authorization", "set-cookie"})


class Recorder(Layer):
    """Records the latest calls for the requests screen, as copies of requests and responses.

    The copies have a limited size and never contain the API key. ``redact`` is the function that removes the API key
    from a service's responses.
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
        super().__init__(backend)
        self._calls: deque[Call] = deque(maxlen=size)
        self._clock = clock
        self._ticks = ticks
        self._redact = redact
        self._number = 0
        self._under_way: dict[int, tuple[Call, float]] = {}
        self._listeners: list[Callable[[Call], None]] = []
        self._begun: list[Callable[[Call], None]] = []

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(self._calls)

    @property
    def under_way(self) -> tuple[tuple[Call, float], ...]:
        """The calls that are waiting for a response, oldest first.

        Each call comes with its start time, as measured by the clock ``ticks``.
        """
        return tuple(self._under_way.values())

    def listen(self, listener: Callable[[Call], None], *, begun: bool = False) -> Callable[[], None]:
        """Call ``listener`` after every recorded call. Return a function that removes the listener.

        ``listener`` runs on the event loop of the recorded call. If ``begun`` is set, ``listener`` is called at the
        start of every call instead.
        """
        listeners = self._begun if begun else self._listeners
        listeners.append(listener)

        def stop() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return stop

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform the operation, and record its success, failure or cancellation."""
        self._number += 1
        begun = Call(
            number=self._number,
            at=self._clock().isoformat(timespec="milliseconds"),
            seconds=0.0,
            operation=operation,
            payload=excerpt(payload, redact=self._redact),
            context=context._replace(expected=None, before=None, joins=False, progress=None),
            under_way=True,
        )
        start = self._ticks()
        self._under_way[begun.number] = begun, start
        for listener in tuple(self._begun):
            listener(begun)
        answer: Answer | None = None
        failure: ServiceError | None = None
        try:
            answer = await self._backend.perform(operation, payload, context)
            return answer
        except ServiceError as error:
            # The error is copied, because the raised exception would keep its stack frames in memory.
            failure = replace(error, message=self._redact(error.message), answer=self._redact(error.answer))
            raise
        finally:
            del self._under_way[begun.number]
            call = begun._replace(
                under_way=False,
                seconds=self._ticks() - start,
                body=None if answer is None else excerpt(answer.body, redact=self._redact),
                meta=None if answer is None else answer.meta._replace(headers=self._headers(answer.meta)),
                error=failure,
            )
            self._remember(call)

    def _headers(self, meta: Meta) -> dict[str, str]:
        kept: dict[str, str] = excerpt(meta.headers, redact=self._redact).value
        return {name: "(not recorded)" if name in _SECRET_HEADERS else value for name, value in kept.items()}

    def _remember(self, call: Call) -> None:
        last = self._calls[-1] if self._calls else None
        if last is not None and _alike(last, call):
            call = call._replace(number=last.number, folded=last.folded + 1, seconds=last.seconds + call.seconds)
            self._calls[-1] = call
        else:
            self._calls.append(call)
        for listener in tuple(self._listeners):
            listener(call)


def _alike(last: Call, call: Call) -> bool:
    """Return whether two consecutive calls are the same query, sent at different keystrokes.

    The earlier call may have been canceled.
    """
    return (
        call.operation.name in _FOLDED
        and last.operation is call.operation
        and last.context == call.context
        and last.error is None
        and call.error is None
    )


#: The limits of a copy: the approximate number of characters of its JSON text, the number of values, the number of
#: levels, and the number of characters per text.
MAX_CHARACTERS: Final = 64 * 1024
MAX_VALUES: Final = 2000
MAX_DEPTH: Final = 64
MAX_TEXT: Final = 4096
#: The length of the longest secret that is searched for, in characters. Even a truncated secret is found.
MAX_SECRET: Final = 4096


class Excerpt(NamedTuple):
    """A copy of the beginning of a value.

    ``value`` is in wire form and can be written as JSON. If ``whole`` is false, something was omitted, and placeholders
    show how much.
    """

    value: Wire
    whole: bool = True


def excerpt(value: Wire, *, redact: Callable[[str], str] = str) -> Excerpt:
    """Return a copy of the beginning of ``value``. Every string is passed through ``redact``.

    Values that JSON cannot express are replaced with a description.
    """
    taking = _Taking(redact)
    return Excerpt(taking.take(value, 0), taking.whole)


class _Taking:
    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._values = MAX_VALUES
        self._room = MAX_CHARACTERS
        self.whole = True

    def take(self, value: Wire, depth: int) -> Wire:
        self._values -= 1
        if isinstance(value, str):
            return self._text(value)
        if value is None or value is True or value is False:
            self._room -= 6
            return value
        if isinstance(value, (dict, list, Mapping, Sequence)) and not isinstance(value, bytes | bytearray):
            if depth >= MAX_DEPTH:
                return self._mark("nested too deeply")
            return self._members(value, depth) if isinstance(value, (dict, Mapping)) else self._items(value, depth)
        if isinstance(value, int | Decimal | float):
            try:
                self._room -= len(dumps(value)) + 2
            except (NotJson, ValueError):  # NaN, infinity, or a number with thousands of digits
                return self._mark("a number that JSON cannot represent")
            return value
        return self._mark(f"{type(value).__name__} cannot be written as JSON")

    def _text(self, text: str) -> str:
        if len(text) <= MAX_TEXT and len(text) <= self._room:
            self._room -= len(text) + 4
            return self._redact(text)
        limit = max(0, min(MAX_TEXT, self._room))
        kept = self._redact(text[: limit + MAX_SECRET])[:limit]
        self._room -= len(kept) + 4
        missing = len(text) - limit
        return kept if missing <= 0 else kept + self._more(missing, "character")

    def _items(self, items: Sequence[Wire], depth: int) -> list[Wire]:
        kept: list[Wire] = []
        for item in items:
            if self._is_full():
                kept.append(self._more(len(items) - len(kept), "item"))
                break
            kept.append(self.take(item, depth + 1))
        return kept

    def _members(self, members: Mapping[str, Wire], depth: int) -> dict[str, Wire]:
        kept: dict[str, Wire] = {}
        for name, value in members.items():
            if self._is_full():
                kept["…"] = self._more(len(members) - len(kept), "member")
                break
            kept[self._text(str(name))] = self.take(value, depth + 1)
        return kept

    def _is_full(self) -> bool:
        return self._values <= 0 or self._room <= 0

    def _more(self, missing: int, what: str) -> str:
        return self._mark(f"{missing} more {what}{'' if missing == 1 else 's'}")

    def _mark(self, what: str) -> str:
        self.whole = False
        return f"… ({what})"
