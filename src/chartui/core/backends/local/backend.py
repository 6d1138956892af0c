"""A backend that uses the embedded store.

Importing this module and creating a backend are fast, because the store is opened and its handlers are loaded only when
the first operation is performed. Estimates are computed without opening the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Protocol

from chartui.core.backends.base import Answer, Context
from chartui.core.clock import Clock, Ids, random_ids, system_clock
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.own_thread import OwnThread
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation, Tier

if TYPE_CHECKING:
    from chartui.core.backends.local.store import Account, Store


class Estimates(Protocol):
    """Performs the operations that estimate costs."""

    def estimate(self, payload: Mapping[str, Wire]) -> dict[str, Wire]:
        """Return the body of the response to an estimate request.

        The payload is ``{"selections": {…}, "assumptions": {…}}``.
        """
        ...

    def options(self) -> dict[str, Wire]: ...


def _reference_estimates() -> Estimates:
    from chartui.core.estimation.card import load_card
    from chartui.core.estimation.estimator import Estimator

    return Estimator(load_card())


class LocalBackend:
    """Performs operations on the embedded store.

    ``opener`` is the function that opens the store. The backend acts for the built-in account of embedded profiles
    (decision 56). :meth:`for_account` returns a backend for another account. ``estimator`` is the function that creates
    the estimator when it is first needed. By default, the estimator uses the packaged reference rates.
    """

    def __init__(
        self,
        opener: Callable[[], Store],
        *,
        estimator: Callable[[], Estimates] = _reference_estimates,
        clock: Clock = system_clock,
        ids: Ids = random_ids,
    ) -> None:
        self._owner = OwnThread(opener, name="store")
        self._estimates = cache(estimator)
        self._account: Account | None = None
        self._clock = clock
        self._ids = ids

    def for_account(self, account: Account | None) -> LocalBackend:
        """Return a backend for another account. The new backend uses the same store and the same thread.

        Closing either backend closes both.
        """
        other = copy(self)
        other._account = account
        return other

    def authorize(self, operation: Operation) -> None:
        """Raise :class:`ServiceError` (kind ``tier``) if the account's tier excludes ``operation`` (decision 29)."""
        tier = Tier.PROFESSIONAL if self._account is None else self._account.tier
        if operation.tier is not None and tier.rank < operation.tier.rank:
            raise ServiceError(
                ErrorKind.TIER,
                f"“{operation.summary}” needs the {operation.tier} tier or higher; this account has the {tier} tier.",
            )

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform one operation in one transaction. If :class:`ServiceError` is raised, nothing has changed."""
        self.authorize(operation)
        if not context.typed:
            from chartui.core.spec.check import check_request

            payload = check_request(operation, payload)
        match operation.name:
            case "options":
                return Answer(body=self._estimates().options())
            case "estimate":
                return Answer(body=self._estimates().estimate(payload))
            case "get-estimate":
                from chartui.core.estimation.estimator import payload_of_query

                return Answer(body=self._estimates().estimate(payload_of_query(payload)))
        kept = _kept(payload)
        return Answer(body=await self._owner.run(lambda store: self._handle(store, operation, kept, context)))

    def _handle(self, store: Store, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Wire:
        """Perform ``operation`` in the thread that owns the store."""
        from chartui.core.backends.local.call import LocalCall
        from chartui.core.backends.local.handlers import HANDLERS
        from chartui.core.backends.local.store import BUILT_IN_ACCOUNT

        handler = HANDLERS[operation.name]
        with store.reading() if operation.effect is Effect.READ else store.writing() as tables:
            call = LocalCall(
                tables=tables,
                account=self._account or BUILT_IN_ACCOUNT,
                payload=payload,
                expected=context.expected,
                clock=self._clock,
                ids=self._ids,
            )
            return handler(call)

    async def aclose(self) -> None:
        """Close the store. Calling this twice is safe, and a later operation reopens the store."""
        await self._owner.aclose()


def _kept(payload: Mapping[str, Wire]) -> Mapping[str, Wire]:
    """Return ``payload`` exactly as it will be stored. Values that JSON cannot represent never reach the store."""
    try:
        # The value is put into an array, because records are nested one level deeper in a list than in the request that
        # created them.
        kept: Mapping[str, Wire] = loads(dumps([payload]))[0]
    except NotJson as error:
        raise ServiceError(ErrorKind.INVALID, f"The request cannot be stored: {error}.") from None
    return kept
