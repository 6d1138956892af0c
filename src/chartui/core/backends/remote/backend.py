"""A remote backend, which performs operations over HTTP.

It accepts responses that differ from the specification, and limits their size and the time that they may take.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from random import random
from typing import TYPE_CHECKING, Final

from chartui.core.backends.base import Answer, Cache, Context, Meta
from chartui.core.backends.remote.arrival import Arrival
from chartui.core.backends.remote.messages import Reply, Request, Terms, build_request
from chartui.core.backends.remote.replies import Retrying, read_body, refusal
from chartui.core.classes import dataclass
from chartui.core.clock import Clock, Monotonic, monotonic, system_clock
from chartui.core.credentials import Key, SourceKind
from chartui.core.jsontext import Wire
from chartui.core.profiles import Profile, check_profile
from chartui.core.spec.elements import Decoded
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.backends.remote.http import HttpClient, Transport

MAX_ENTRIES: Final = 256
MAX_BYTES: Final = 16 * 1024 * 1024
_DIRECTIVE: Final = re.compile(r"([a-z-]+)(?:\s*=\s*\"?([^\",]*)\"?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A cached response, in raw and decoded form.

    ``fresh_until`` is a time on the monotonic clock. ``size`` is the number of bytes received.
    """

    body: Wire
    decoded: Decoded
    headers: Mapping[str, str]
    size: int
    fresh_until: float

    @property
    def etag(self) -> str | None:
        return self.headers.get("etag")


class AnswerCache:
    """A cache for the most recently used responses, keyed by URL.

    The number of responses and their total size are limited.
    """

    def __init__(self, ticks: Monotonic) -> None:
        self._ticks = ticks
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._size = 0

    def find(self, url: str) -> Kept | None:
        kept = self._kept.get(url)
        if kept is not None:
            self._kept.move_to_end(url)
        return kept

    def is_fresh(self, kept: Kept) -> bool:
        return self._ticks() < kept.fresh_until

    def keep(self, url: str, body: Wire, decoded: Decoded, headers: Mapping[str, str], size: int) -> None:
        """Cache a response if its headers allow caching. An older response from the same URL is replaced."""
        self._drop(url)
        lifetime = _lifetime(headers)
        if lifetime is None or size > MAX_BYTES:
            return
        self._kept[url] = Kept(
            body=body, decoded=decoded, headers=headers, size=size, fresh_until=self._ticks() + lifetime
        )
        self._size += size
        while self._size > MAX_BYTES or len(self._kept) > MAX_ENTRIES:
            self._drop(next(iter(self._kept)))

    def confirm(self, url: str, kept: Kept, headers: Mapping[str, str]) -> None:
        """Extend the lifetime of a cached response after the service has confirmed it.

        The new headers specify the lifetime.
        """
        merged = {**kept.headers, **headers}
        if self._kept.get(url) is kept:
            self._kept[url] = replace(kept, headers=merged, fresh_until=self._ticks() + (_lifetime(merged) or 0.0))

    def _drop(self, url: str) -> None:
        dropped = self._kept.pop(url, None)
        if dropped is not None:
            self._size -= dropped.size


def _lifetime(headers: Mapping[str, str]) -> float | None:
    """Return the number of seconds an answer stays fresh.

    Returns None if the answer must not be cached, or if caching would not help.
    """
    directives = dict(_DIRECTIVE.findall(headers.get("cache-control", "").lower()))
    if "no-store" in directives:
        return None
    age = directives.get("max-age", "")
    lifetime = float(age) if re.fullmatch(r"[0-9]{1,9}", age) and "no-cache" not in directives else 0.0
    spent = headers.get("age", "")
    lifetime -= float(spent) if re.fullmatch(r"[0-9]{1,9}", spent) else 0.0
    if lifetime <= 0:
        return 0.0 if "etag" in headers else None
    return lifetime


_LOG: Final = logging.getLogger("chartui.remote")
_NOT_MODIFIED: Final = 304
#: Advice that is removed from messages about unclear outcomes, where it would be wrong.
_TRY_AGAIN: Final = re.compile(r"\. Try again(?: later| in a moment| in [0-9]+ s)?$")
_DOUBT: Final = ". The change may still have taken effect, so check before repeating it."
_BILLED: Final = ". This turn may have been billed."


class RemoteBackend:
    """Performs operations on the service of ``profile``.

    All operations that have a URL path are supported. ``fetch_key`` returns the API key, or None if no API key should
    be sent. It may block, so it is called outside the event loop. It is called when the API key is first needed, and
    again if the service rejects that API key. A user who did not enter an API key is not asked again until
    :meth:`set_key` or :meth:`forget_key` is called. ``transport``, ``sleep``, ``random`` and ``ticks`` can be replaced
    in tests. Raises :class:`~chartui.core.profiles.ProfileError` for an unsafe address. Use a backend from one event
    loop only.
    """

    def __init__(
        self,
        profile: Profile,
        fetch_key: Callable[[], Key | None],
        *,
        clock: Clock = system_clock,
        transport: Transport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        random: Callable[[], float] = random,
        ticks: Monotonic = monotonic,
    ) -> None:
        self._profile = check_profile(profile)
        self._fetch_key = fetch_key
        self._key: Key | None = None
        self._none_entered: str | None = None
        self._sent: deque[Key] = deque(maxlen=8)
        self._fetching = asyncio.Lock()
        self._clock = clock
        self._transport = transport
        self._client: HttpClient | None = None
        self._retrying = Retrying(sleep, random, ticks)
        self._cache = AnswerCache(ticks)

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform ``operation``.

        The ``sent`` attribute of a :class:`ServiceError` says whether the operation may have taken effect.
        """
        if operation.path is None:
            raise ServiceError(
                ErrorKind.NOT_AVAILABLE, f"{operation.name} needs an embedded store. No service offers this operation."
            )
        # The time for building the request and fetching the API key does not count as the service's time.
        request = build_request(operation, payload, self._profile.base_url or "")
        key = await self._key_for(operation)
        whole = _Whole.of(operation, self._profile, context)
        arrival = Arrival(
            patience=self._profile.read_timeout,
            ticks=self._retrying.ticks,
            progress=context.progress,
            on_begin=whole.follow,
        )
        asked = _Asked(operation, payload, request, key, context.refresh, whole.seconds, arrival)
        try:
            async with whole.timer:
                return await self._answer(asked)
        except ServiceError as error:
            failure = error
        except TimeoutError:
            failure = ServiceError(ErrorKind.TIMEOUT, whole.missed(self._profile.host), sent="unclear")
        if failure.kind is ErrorKind.BAD_KEY and self._key is key:
            self._key = None  # The next call reads the source again, so that a changed API key works without a restart.
        safe = replace(failure, message=self.redact(failure.message), answer=self.redact(failure.answer))
        failure = _explained(operation, safe)
        # The error is raised outside the handlers, because a chained exception would hold the stack frames of the
        # client, which contain the API key.
        raise failure

    def redact(self, text: str) -> str:
        """Return ``text`` without the API keys that this backend has sent."""
        for key in self._sent:
            text = key.redact(text)
        return text

    def set_key(self, key: Key) -> None:
        """Use the given API key from now on. It is kept only in memory, and discarded if the service rejects it."""
        self._key, self._none_entered = key, None
        self._sent.append(key)

    def forget_key(self) -> None:
        self._key = self._none_entered = None

    async def aclose(self) -> None:
        client, self._key, self._client = self._client, None, None
        if client is not None:
            await client.aclose()

    # -- the key -----------------------------------------------------------------------------------------------------

    async def _key_for(self, row: Operation) -> Key | None:
        """Return the API key if the operation needs one. For estimates, this depends on the profile (decision 14)."""
        if row.tier is None and not self._profile.send_key_to_estimation:
            return None
        if self._key is None:
            async with self._fetching:  # The user is asked once, however many screens are waiting.
                if self._key is None:
                    await self._fetch()
        return self._key

    async def _fetch(self) -> None:
        if self._none_entered is not None:
            raise ServiceError(ErrorKind.NO_KEY, self._none_entered, sent="no")
        source = self._profile.key
        try:
            key = await asyncio.to_thread(self._fetch_key)
        except ServiceError as error:
            if error.kind is ErrorKind.NO_KEY and source is not None and source.kind is SourceKind.ASK:
                self._none_entered = error.message
            raise
        if key is not None and self._key is None:  # Otherwise, an API key has been set in the meantime.
            self.set_key(key)

    # -- the answer ---------------------------------------------------------------------------------------------------

    async def _answer(self, asked: _Asked) -> Answer:
        try:
            return await self._cached(asked)
        except ServiceError as error:
            other = _other_disconnect(asked.row, asked.payload)
            if other is None or error.kind not in (ErrorKind.INVALID, ErrorKind.REFUSED):
                raise
        return await self._cached(replace(asked, request=build_request(asked.row, other, self._profile.base_url or "")))

    async def _cached(self, asked: _Asked) -> Answer:
        """Return the answer, from the cache if the service allows it (decision 12)."""
        url = asked.request.url
        kept = self._cache.find(url) if asked.row.cacheable and not asked.refresh else None
        if kept is not None and self._cache.is_fresh(kept):
            meta = Meta(status=200, headers=kept.headers, attempts=0, cache=Cache.HIT)
            return Answer(body=kept.body, meta=meta, decoded=kept.decoded)
        if asked.refresh:
            # also bypass the caches between this machine and the service
            asked = asked.adding("Cache-Control", "no-cache")
        elif kept is not None and kept.etag is not None:
            asked = asked.adding("If-None-Match", kept.etag)
        (reply, body, decoded), attempts = await self._retrying.run(
            lambda: self._attempt(asked, kept), retry=asked.row.retry, deadline=asked.deadline
        )
        cache = Cache.NONE
        if kept is not None and reply.status == _NOT_MODIFIED:
            cache = Cache.REVALIDATED
            self._cache.confirm(url, kept, reply.headers)
        elif asked.row.cacheable and reply.status == 200:
            self._cache.keep(url, body, decoded, reply.headers, len(reply.body))
        meta = Meta(status=reply.status, headers=reply.headers, bytes=reply.received, attempts=attempts, cache=cache)
        return Answer(body=body, meta=meta, decoded=decoded)

    async def _attempt(self, asked: _Asked, kept: Kept | None) -> tuple[Reply, Wire, Decoded]:
        row, key = asked.row, asked.key
        terms = Terms.of(row, self._profile)
        reader = row.reader() if row.reader is not None else None
        client = await self._http()
        reply = await client.send(asked.request, key=key, terms=terms, arrival=asked.arrival, reader=reader)
        if reply.status == _NOT_MODIFIED and kept is not None and "If-None-Match" in asked.request.headers:
            return reply, kept.body, kept.decoded
        problem = refusal(row, reply, key_sent=key is not None, now=self._clock())
        if problem is not None:
            raise problem
        try:
            # Reading a large answer takes a while.
            return reply, *await asyncio.to_thread(read_body, row, reply, reader)
        except ServiceError as error:
            if error.kind is ErrorKind.UNEXPECTED:
                text = self.redact(f"{error} {reply.body[:1000].decode('utf-8', 'replace')}")
                _LOG.debug("%s: %s", row.name, single_line(text, limit=300))
            raise

    async def _http(self) -> HttpClient:
        if self._client is None:
            # Importing the client and loading the certificate authorities takes 100 ms, so both are done in a thread.
            made = await asyncio.to_thread(_make_client, self._profile, self._transport)
            self._client = self._client or made
        return self._client


@dataclass(frozen=True, slots=True)
class _Asked:
    """One call: the request, its API key, the time limit for the answer to begin, and the progress of its arrival."""

    row: Operation
    payload: Mapping[str, Wire]
    request: Request
    key: Key | None
    refresh: bool
    deadline: float
    arrival: Arrival

    def adding(self, header: str, value: str) -> _Asked:
        return replace(self, request=replace(self.request, headers={**self.request.headers, header: value}))


class _Whole:
    """The time limit of a whole call: ``seconds``, or ``flowing`` once a large answer has begun (decision 67).

    ``names`` are the names of these two settings in the profile. A limit set by the caller has no names.
    """

    def __init__(self, seconds: float, flowing: float, *names: str) -> None:
        self.seconds = seconds
        self._flowing = flowing
        self._names = names
        self._begun = False
        self._start = asyncio.get_running_loop().time()
        self.timer = asyncio.timeout(seconds)

    @classmethod
    def of(cls, row: Operation, profile: Profile, context: Context) -> _Whole:
        if context.deadline is not None:
            return cls(context.deadline, context.deadline)
        # A deadline longer than the limit for large answers applies to them too.
        if not row.large or profile.deadline > profile.transfer_timeout:
            return cls(profile.deadline, profile.deadline, "deadline", "deadline")
        return cls(profile.deadline, profile.transfer_timeout, "deadline", "transfer_timeout")

    def follow(self, begun: bool) -> None:
        self._begun = begun
        self.timer.reschedule(self._start + (self._flowing if begun else self.seconds))

    def missed(self, host: str | None) -> str:
        seconds = self._flowing if self._begun else self.seconds
        setting = f" ({self._names[self._begun]} in the profile)" if self._names else ""
        return f"{host} did not finish its response within {seconds:g} s{setting}. Try again later."


def _make_client(profile: Profile, transport: Transport | None) -> HttpClient:
    from chartui.core.backends.remote.http import HttpClient

    return HttpClient(profile, transport)


def _other_disconnect(row: Operation, payload: Mapping[str, Wire]) -> dict[str, Wire] | None:
    """Return the alternative form of a request that disconnects a trigger: an empty text instead of null (decision 40).

    Returns None for any other request.
    """
    changes = payload.get("updated_data")
    if row.name != "update-trigger" or not isinstance(changes, Mapping):
        return None
    if "destination_section" not in changes or changes["destination_section"] is not None:
        return None
    return {**payload, "updated_data": {**changes, "destination_section": ""}}


def _explained(row: Operation, error: ServiceError) -> ServiceError:
    """Return the error for callers: ``error``, with a warning if the change may have been made anyway."""
    message, sent = error.message, error.sent
    if row.effect is not Effect.READ and (
        sent == "unclear" or error.kind in (ErrorKind.UNEXPECTED, ErrorKind.INTERNAL)
    ):
        sent = "unclear"
        message = f"{_TRY_AGAIN.sub('', message.rstrip('.'))}{_BILLED if row.effect is Effect.ACT else _DOUBT}"
    return replace(error, message=message, sent=sent)
