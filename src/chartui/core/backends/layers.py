"""Backends that wrap another backend and add safeguards, such as confirmation and recording."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from chartui.core.backends.base import Answer, Backend, Cache, Context, Layer, Progress, Received, check_expected
from chartui.core.jsontext import Wire, dumps
from chartui.core.lock import Lock, LockedBy
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation

if TYPE_CHECKING:
    import asyncio

    from chartui.core.journal import Journal


class ReadOnly(Layer):
    """Allows only reads while the lock is on.

    ``allow_act`` also permits turns, which cost credits but change no setting. ``lock`` is checked on every call. If it
    is None, the profile's own lock applies.
    """

    def __init__(self, backend: Backend, lock: Lock | None = None, *, allow_act: bool = False) -> None:
        super().__init__(backend)
        self._lock = lock or Lock(LockedBy.PROFILE)
        self._allowed = {Effect.READ, Effect.ACT} if allow_act else {Effect.READ}

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform the operation. Raises :class:`ServiceError` (kind ``read_only``) if the lock forbids it."""
        if operation.effect not in self._allowed and (refusal := self._lock.refusal(operation.name)):
            raise ServiceError(ErrorKind.READ_ONLY, refusal)
        return await self._backend.perform(operation, payload, context)


#: Asks the user whether an operation with a given payload may be performed.
Confirm = Callable[[Operation, Mapping[str, Wire]], Awaitable[bool]]


class ConfirmFirstWrite(Layer):
    """Asks for confirmation before the first write or turn on a production profile (DESIGN 1).

    ``confirm`` is the function that asks the user. It is None if there is no user to ask. Calls waiting at the same
    time share one question. Once the user has confirmed, no further questions are asked. If the user declines, the next
    call asks again.
    """

    def __init__(self, backend: Backend, confirm: Confirm | None, *, name: str) -> None:
        super().__init__(backend)
        self._confirm = confirm
        self._name = name
        self._agreed = False
        self._question: asyncio.Future[bool] | None = None
        self._waiting = 0

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform the operation if the user confirms it.

        If the user declines, nothing is sent, and :class:`ServiceError` (kind ``unconfirmed``) is raised.
        """
        if operation.effect is not Effect.READ and not self._agreed:
            if not await self._ask(operation, payload):
                raise ServiceError(
                    ErrorKind.UNCONFIRMED,
                    f"Not confirmed: '{self._name}' is a production profile, so its first change must be "
                    f"confirmed. {operation.name} was not sent. Nothing was changed.",
                )
            if context.expected:
                # The question may have been open for a long time, so earlier reads are too old to compare with.
                context = context._replace(before=None)
        return await self._backend.perform(operation, payload, context)

    async def _ask(self, operation: Operation, payload: Mapping[str, Wire]) -> bool:
        if self._confirm is None:
            return False
        import asyncio

        if self._question is None:
            self._question = asyncio.ensure_future(self._confirm(operation, payload))
            self._question.add_done_callback(self._answered)
        question = self._question
        self._waiting += 1
        try:
            # If one caller cancels, the question stays open for the other callers.
            return await asyncio.shield(question)
        finally:
            self._waiting -= 1
            if not self._waiting:
                question.cancel()

    def _answered(self, question: asyncio.Future[bool]) -> None:
        self._question = None
        if not question.cancelled() and question.exception() is None:
            self._agreed = self._agreed or question.result()


class Compared(Layer):
    """Passes every estimate from a service, with its payload, to ``compare`` before the caller receives the estimate.

    Responses from this machine's cache are not compared, because they may be older than the learned card. Responses to
    requests that learn or check rates are excluded too, because the code that sends them makes its own comparison.
    """

    def __init__(self, backend: Backend, compare: Callable[[Mapping[str, Wire], Wire], Awaitable[None]]) -> None:
        super().__init__(backend)
        self._compare = compare

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform the operation. If the response is an estimate, pass it to the comparison function.

        No additional call is made.
        """
        answer = await self._backend.perform(operation, payload, context)
        estimated = operation.name in ("estimate", "get-estimate") and context.origin != "rates"
        if estimated and answer.meta.cache is not Cache.HIT:
            await self._compare(payload, answer.body)
        return answer


#: Kinds of errors of a read that do not block a change, because the service can never return the values.
UNREADABLE: Final = frozenset(
    {
        ErrorKind.INVALID,
        ErrorKind.NOT_AVAILABLE,
        ErrorKind.NOT_FOUND,
        ErrorKind.REFUSED,
        ErrorKind.TIER,
        ErrorKind.TOO_LARGE,
        ErrorKind.UNEXPECTED,
    }
)


class Journaled(Layer):
    """Records every change in the journal before the change is made, and its outcome afterwards (DESIGN 6).

    The current values are read first, unless ``context.before`` contains them. For a remote service, the current values
    are compared with the expected values. A difference is a conflict, and nothing is sent. Unreadable fields are not
    compared. The embedded store makes this comparison inside its transaction. A change that cannot be recorded is not
    made. ``journal`` is the function that opens the journal when the first change is made. ``redact`` is the function
    that removes the API key from a service's responses.
    """

    def __init__(
        self,
        backend: Backend,
        journal: Callable[[], Journal],
        place: Place,
        *,
        embedded: bool,
        redact: Callable[[str], str] = str,
    ) -> None:
        super().__init__(backend)
        self._journal = journal
        self._place = place
        self._embedded = embedded
        self._redact = redact
        self._changes: set[asyncio.Task[Answer]] = set()

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform the operation and record it.

        A cancellation takes effect only after the outcome of a change is recorded.
        """
        if operation.effect is not Effect.WRITE:
            return await self._backend.perform(operation, payload, context)
        import asyncio

        from chartui.core.backends.recorded_change import RecordedChange

        before = await self._before(operation, payload, context)
        journal = self._journal()
        change = RecordedChange(
            journal=journal,
            operation=operation,
            intend=lambda: journal.intend(self._place, operation.name, payload, before=before, context=context),
            perform=lambda: self._backend.perform(operation, payload, context),
            can_be_given_up=not self._embedded,
            redact=self._redact,
        )
        # This runs in a task of its own that is never canceled, so every outcome is recorded.
        task = asyncio.ensure_future(change.run())
        self._changes.add(task)
        task.add_done_callback(self._ended)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            change.give_up()
            await asyncio.wait([task])
            raise

    def _ended(self, task: asyncio.Task[Answer]) -> None:
        self._changes.discard(task)
        if not task.cancelled():
            task.exception()  # retrieve the error, even if no caller is waiting for it any longer

    async def _before(
        self, operation: Operation, payload: Mapping[str, Wire], context: Context
    ) -> Mapping[str, Wire] | None:
        """Return the current values, or None if nothing can be read.

        Raises :class:`ServiceError`, with nothing sent.
        """
        before = context.before
        if before is None:
            from chartui.core.backends.present import present

            try:
                before = await present(self._backend, operation.name, payload, context, embedded=self._embedded)
            except ServiceError as error:
                if error.kind not in UNREADABLE:
                    if self._embedded:
                        raise
                    message = f"The current values could not be read. Nothing was sent. {error.message}"
                    raise replace(error, message=message, sent="no") from None
        if not before:
            return None
        if not self._embedded:
            readable = {name: seen for name, seen in (context.expected or {}).items() if name in before}
            what = next((noun for noun in ("trigger", "section") if f"{noun}_id" in payload), "character")
            check_expected(readable, before, what)
        text = dumps(before)
        return before if self._redact(text) == text else None

    async def aclose(self) -> None:
        """Close the backend once all outcomes are recorded.

        The journal stays open, because other parts of the program may be using it.
        """
        if self._changes:
            import asyncio

            await asyncio.wait(self._changes)
        await super().aclose()


T = TypeVar("T")


class Shared(Generic[T]):
    """A call that several callers are waiting for. It is canceled only when all of them have canceled."""

    def __init__(self, call: Awaitable[T]) -> None:
        import asyncio

        self._call = asyncio.ensure_future(call)
        self._waiting = 0

    @property
    def over(self) -> bool:
        return self._call.done() or not self._waiting

    async def wait(self) -> T:
        """Wait for the call and return its result. Raises the same errors as the call."""
        import asyncio

        self._waiting += 1
        try:
            return await asyncio.shield(self._call)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._call.cancel()


class _Read(Shared[Answer]):
    def __init__(self, backend: Backend, operation: Operation, payload: Mapping[str, Wire], context: Context) -> None:
        self._listening: list[Progress] = []
        super().__init__(backend.perform(operation, payload, context._replace(progress=self._pass_on)))

    def listen(self, progress: Progress | None) -> None:
        if progress is not None:
            self._listening.append(progress)

    def _pass_on(self, received: Received) -> None:
        for progress in self._listening:
            progress(received)


class Joined(Layer):
    """Lets identical reads in progress share one request to a backend.

    Only reads with ``joins`` in their context share a request. A read that starts after a change never shares the
    response of a read that started before the change.
    """

    def __init__(self, backend: Backend) -> None:
        super().__init__(backend)
        self._reads: dict[str, _Read] = {}

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform the operation, or wait for the result of an identical call in progress.

        Raises the same :class:`ServiceError` as the backend.
        """
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
        read.listen(context.progress)
        try:
            return await read.wait()
        finally:
            if read.over and self._reads.get(question) is read:
                del self._reads[question]
