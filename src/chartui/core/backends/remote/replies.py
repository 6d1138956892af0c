"""Read responses that differ from the specification, and retry failed requests.

If a response has no usable body, the error message gives the reason (decision 28). Nearly every operation is a POST
request without an idempotency key, so retries depend on the operation. Safe operations are tried up to three times.
Operations that create something are retried only if it is certain that the first request did not reach the service.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from random import random
from typing import Final, TypeVar

from chartui.core.backends.remote.messages import Reply
from chartui.core.classes import dataclass
from chartui.core.clock import Monotonic, monotonic
from chartui.core.jsontext import NotJson, Wire, dumps, loads, loads_marked
from chartui.core.names import shortened
from chartui.core.spec.elements import Decoded
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation, Reader, Retry
from chartui.core.spec.records import Records, records_in
from chartui.core.text import display_text, single_line

T = TypeVar("T")

TRIES: Final = 3
#: A retry waits a random time from 0 to this many seconds. The maximum doubles with each try, up to the limit.
FIRST_WAIT: Final = 0.25
LONGEST_WAIT: Final = 2.0
#: The longest wait, in seconds, that a service may request. If it requests a longer one, there is no retry, and the
#: message says when to try again.
LONGEST_OBEYED: Final = 10.0


class TryAgain(Exception):
    """Raised if a request failed for a temporary reason. ``error`` is the error to raise if all retries fail."""

    def __init__(self, error: ServiceError) -> None:
        super().__init__()
        self.error = error


@dataclass(frozen=True, slots=True)
class Retrying:
    """Retries failed requests. The clock, the random source and the sleep function can be replaced in tests."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random
    ticks: Monotonic = monotonic

    async def run(self, attempt: Callable[[], Awaitable[T]], *, retry: Retry, deadline: float) -> tuple[T, int]:
        """Call ``attempt`` repeatedly until it succeeds or ``deadline`` seconds have passed.

        Return the result and the number of tries. If no further try is allowed, or if it would come too late, the
        :class:`ServiceError` of the last try is raised. The error's ``sent`` is ``unclear`` if any try may have reached
        the service, even if the last try did not.
        """
        end = self.ticks() + deadline
        tried, unclear = 0, False
        while True:
            tried += 1
            # The error is raised outside the handlers, because a chained exception would hold the stack frames of the
            # client, which contain the API key.
            try:
                return await attempt(), tried
            except TryAgain as again:
                error, wait = again.error, self._wait(again.error, tried, retry)
            except ServiceError as failure:
                error, wait = failure, None
            if wait is None or self.ticks() + wait >= end:
                if unclear and error.sent == "no":
                    error.sent = "unclear"
                error.attempts = tried
                raise error
            unclear = unclear or error.sent == "unclear"
            await self.sleep(wait)

    def _wait(self, error: ServiceError, tried: int, retry: Retry) -> float | None:
        """Return the number of seconds until the next try, or None if there is to be no other try."""
        if tried >= TRIES or (retry is Retry.IF_NOT_SENT and error.sent != "no"):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= LONGEST_OBEYED else None
        return self.random() * min(LONGEST_WAIT, FIRST_WAIT * float(2 ** (tried - 1)))


def retry_after(value: str | None, now: datetime) -> float | None:
    """Return the number of seconds to wait, given a ``Retry-After`` header in seconds or as a date.

    Return None for an invalid header.
    """
    if value is None:
        return None
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:  # "-0000" means UTC
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


#: The maximum number of characters kept of a service's own message.
LONGEST_REASON: Final = 500
#: The maximum number of characters kept of an unreadable answer.
LONGEST_ANSWER: Final = 4_000
_ERROR_MEMBERS: Final = frozenset({"error", "api_error", "internal_error"})
_KINDS: Final[Mapping[int, ErrorKind]] = {
    400: ErrorKind.INVALID,
    401: ErrorKind.BAD_KEY,
    403: ErrorKind.TIER,
    404: ErrorKind.NOT_FOUND,
    409: ErrorKind.CONFLICT,
    413: ErrorKind.TOO_LARGE,
    429: ErrorKind.RATE_LIMITED,
}
#: Temporary statuses. A plain 500 is not one of them, because the same request would fail the same way.
_PASSING: Final = frozenset({429, 502, 503, 504})
#: Statuses of a server that will never support the operation. It is probably not the service.
_UNKNOWN: Final = frozenset({404, 405, 501, 505})


def refusal(row: Operation, reply: Reply, *, key_sent: bool, now: datetime) -> TryAgain | ServiceError | None:
    """Return the error that corresponds to the status of ``reply``, or None if the reply was successful."""
    status, host = reply.status, reply.from_host
    if status in (200, 201, 202, 203, 204):
        return None
    if 300 <= status < 400 and status != 304:
        return ServiceError(
            ErrorKind.REFUSED,
            f"{host} redirects to {_target(reply)}. Redirects are not followed. "
            "If the service has moved, change base_url in the profile.",
            status=status,
        )
    if not 400 <= status < 600:
        return ServiceError(
            ErrorKind.UNEXPECTED,
            f"{host} answered with the unexpected status {status}. Check base_url in the profile.",
            status=status,
        )
    kind = _kind(row, status, key_sent)
    # The header is used only for temporary failures, although other refusals may contain it too.
    wait = retry_after(reply.headers.get("retry-after"), now) if status in _PASSING else None
    error = ServiceError(kind, _sentence(kind, reply, wait), status=status, retry_after=wait)
    return TryAgain(error) if status in _PASSING else error


def _kind(row: Operation, status: int, key_sent: bool) -> ErrorKind:
    missing_key = row.errors.get(ErrorKind.NO_KEY)
    if missing_key is not None and not key_sent and status in (401, missing_key[0]):
        return ErrorKind.NO_KEY
    if status >= 500:
        return ErrorKind.INTERNAL
    return _KINDS.get(status, ErrorKind.REFUSED)


def _sentence(kind: ErrorKind, reply: Reply, wait: float | None) -> str:
    host, message = reply.from_host, _message(reply)
    words = f" ({message.rstrip('.')})" if message else ""
    advice = "Check base_url in the profile" if reply.status in _UNKNOWN else "Check the request"
    match kind:
        case ErrorKind.NO_KEY:
            return f"{host} needs an API key, but none was sent{words}. Set the source of the API key in the profile."
        case ErrorKind.BAD_KEY:
            return f"{host} rejected the API key{words}. Check the API key of this profile."
        case ErrorKind.TIER:
            return f"{host} does not allow this for your API key or subscription{words}. Use a higher-tier API key."
        case ErrorKind.RATE_LIMITED:
            when = "later" if wait is None else f"in {wait:.0f} s"
            return f"{host} has received too many requests{words}. Try again {when}."
        case ErrorKind.INTERNAL:
            if reply.status not in _UNKNOWN:
                advice = "Try again later" if wait is None else f"Try again in {wait:.0f} s"
            return f"{host} failed with {_phrase(reply.status)}{words}. {advice}."
        case _:
            return message or f"{host} refused the request with {_phrase(reply.status)}. {advice}."


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"status {status}"


def _target(reply: Reply) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(reply.headers.get("location", ""))
    except ValueError:
        return "an invalid address"
    # The user name and password are removed, because they must not appear in a message.
    host = single_line(parts.netloc.rpartition("@")[2], limit=100)
    return f"{parts.scheme}://{host}" if parts.scheme and host else host or "another path on the same host"


def _message(reply: Reply) -> str:
    """Return the service's own message in ``reply``, on one line and cut to the maximum length.

    The text is empty if the reply has no message for people.
    """
    if reply.is_html:
        return ""
    text = reply.body.decode("utf-8", "replace")
    try:
        body = loads(text)
    except NotJson:
        words = text
    else:
        words = _error_in(body) or (body if isinstance(body, str) else "" if body in (None, {}, []) else text)
    return _capped(words)


def _capped(words: str) -> str:
    """Return text on one line, cut between words so that no part of an API key remains."""
    words = " ".join(words[: LONGEST_REASON * 4].split())
    if len(words) <= LONGEST_REASON or shortened(words) != words:  # a list is shortened when it is shown
        return words
    start = words[: LONGEST_REASON - 2]
    return (start.rpartition(" ")[0] or start) + " …"


def _error_in(body: Wire) -> str | None:
    """Return the text of the error member of ``body``, or None if the member is missing or empty.

    The case of the member's name does not matter.
    """
    if not isinstance(body, Mapping):
        return None
    for name, value in body.items():
        if name.lower() in _ERROR_MEMBERS and value not in (None, "", False):
            if isinstance(value, Mapping) and isinstance(value.get("message"), str):
                return str(value["message"])
            return value if isinstance(value, str) else dumps(value)
    return None


def read_body(row: Operation, reply: Reply, reader: Reader | None = None) -> tuple[Wire, Decoded]:
    """Return the raw body of a successful reply, and the parts of the body that could be read.

    Decoding a large body takes a long time and blocks the thread. If the operation has a ``reader``, the body has
    already been parsed during the download. Raises :class:`ServiceError` of kind ``refused`` if the body is an
    error message, or of kind ``unexpected`` if the body cannot be used.
    """
    host = reply.from_host
    if reply.is_html:
        raise _unusable(row, reply, f"{host} answered with a web page instead of data. Check base_url in the profile.")
    if not reply.body.strip():
        # The warning that a change may have been made is added elsewhere.
        raise _unusable(row, reply, f"{host} sent an empty response.")
    try:
        body, repeated = (reader.end(reply.body), ()) if reader is not None else loads_marked(reply.body)
    except NotJson as error:
        raise _unusable(row, reply, f"{host} sent a response that is not valid JSON ({error}).") from None
    message = _error_in(body)
    # A reply besides the error is shown, because the turn may be billed (decision 70).
    parts = ("text", "response", "actionSequence") if row.effect is Effect.ACT else ()
    if message is not None and not any(body.get(part) for part in parts):
        raise ServiceError(ErrorKind.REFUSED, _capped(message), status=reply.status)
    try:
        if (records := records_in(body)) is not None:
            _check_records(records)
            return body, Decoded({"characters": records}, records.unreadable)
        from chartui.core.spec.tolerance import read_answer

        return body, read_answer(row.response.load(), row.decode(body), repeated)
    except ServiceError as error:
        raise _unusable(row, reply, error.message) from None


def _check_records(records: Records) -> None:
    """Raise :class:`ServiceError` (kind ``unexpected``) if no record can be read (decision 69)."""
    if records.unreadable and not records:
        number, reason = len(records.unreadable), records.unreadable[0].reason
        none = "the only record cannot be read" if number == 1 else f"none of the {number} records can be read"
        raise ServiceError(ErrorKind.UNEXPECTED, f"The response cannot be read: {none} ({reason}).")


def _unusable(row: Operation, reply: Reply, message: str) -> ServiceError:
    """Return the error for an unusable answer.

    The error includes the text of an answer that may have cost credits (decision 70).
    """
    text = reply.body[: LONGEST_ANSWER * 4].decode("utf-8", "replace")
    answer = display_text(text, multiline=True)[:LONGEST_ANSWER]
    paid = row.effect is Effect.ACT and bool(answer.strip())
    return ServiceError(ErrorKind.UNEXPECTED, message, status=reply.status, answer=answer if paid else "")
