"""Test which operations work on a profile. The test only reads data and changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from enum import StrEnum
from typing import Final

from chartui.core.backends.base import Answer
from chartui.core.classes import dataclass
from chartui.core.clock import Clock, monotonic, system_clock
from chartui.core.jsontext import Wire
from chartui.core.lock import disabled
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation, Tier
from chartui.core.spec.operations import OPERATIONS
from chartui.core.spec.records import Records
from chartui.core.spec.shape import wire_names

#: A clock difference of at least this many seconds is reported.
_SKEW: Final = 120.0
#: Kinds of errors without an answer. After such an error, no other operation needs to be tried.
_NOBODY: Final = frozenset({ErrorKind.UNREACHABLE})
_LATE: Final = frozenset({ErrorKind.UNREACHABLE, ErrorKind.TIMEOUT})
#: Kinds of errors about the API key → why an operation that needs it would fail.
_KEY: Final = {
    ErrorKind.NO_KEY: "There is no API key.",
    ErrorKind.BAD_KEY: "The API key was rejected.",
    ErrorKind.UNSAFE: "The API key was not sent.",
}
#: Kinds of errors before anything is sent, so that the service has refused nothing.
_UNSENT: Final = frozenset({ErrorKind.NO_KEY, ErrorKind.UNSAFE})
#: Statuses of a service that is temporarily down. If all operations fail with other errors, the server is probably not
#: the service.
_DOWN: Final = frozenset({429, 500, 502, 503, 504})
#: The operations performed first, because the other checks depend on their results.
_FIRST: Final = ("list-characters", "options", "list-models")
#: The operations that list the IDs needed for other operations.
_LISTS: Final = ("list-sections", "list-triggers")
#: Attribute of a request → the list that holds such an ID, and its member there.
_FROM: Final = {
    "char_id": ("list-characters", "character_id"),
    "character_id": ("list-characters", "character_id"),
    "section_id": ("list-sections", "section_id"),
    "trigger_id": ("list-triggers", "trigger_id"),
}


class State(StrEnum):
    """The outcome of testing one operation or one aspect of a profile."""

    OK = "ok"
    WARNING = "warning"  # it works with restrictions
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of testing one operation or one aspect of a profile.

    ``name`` is the operation's name if ``operation`` is True. Otherwise, ``name`` is ``service``, ``key``, ``tier``,
    ``estimation``, ``lock`` or ``clock``. ``sentence`` may quote the service and is not sanitized. ``milliseconds`` is
    the time until the response arrived, if it did. ``kind`` is the kind of failure, if the test failed.
    """

    name: str
    state: State
    sentence: str
    milliseconds: float | None = None
    kind: ErrorKind | None = None
    operation: bool = False


class Verdict(StrEnum):
    """The overall result of testing a profile."""

    WORKS = "works"  # an operation answered as specified, and the API key, if needed, was accepted
    DOWN = "down"  # no answer, or temporarily down
    KEY = "key"  # it answers, but the API key is missing, refused or could not be tried
    STRANGER = "stranger"  # something answers, but not in the way of the service


def verdict(findings: Iterable[Finding]) -> Verdict:
    """Derive the overall result from the findings of :func:`probe`."""
    found = {finding.name: finding for finding in findings if not finding.operation}
    service, key = found["service"], found.get("key")
    if service.state is State.OK:
        return Verdict.WORKS if key is None or key.state is State.OK else Verdict.KEY
    if service.kind is ErrorKind.UNEXPECTED:
        return Verdict.STRANGER
    return Verdict.KEY if service.kind in (None, *_KEY) else Verdict.DOWN


async def probe(session: Session, *, clock: Clock = system_clock) -> AsyncIterator[Finding]:
    """Test a profile.

    Yield findings about the service as a whole, followed by findings about each operation. Every read operation is
    performed if there is something to read. For every other operation, the finding says whether the operation would be
    allowed. If the service does not answer the first call, it is not called again. This function never raises an error.
    """
    asked = _Probe(session)
    for name in _FIRST:
        await asked.ask(OPERATIONS[name])
    for finding in (asked.service(), asked.key(), asked.tier(), asked.estimation(), asked.lock(), asked.clock(clock)):
        if finding is not None:
            yield finding
    rows = [row for row in OPERATIONS.values() if row.path is not None or session.service.embedded]
    for row in rows:
        if row.name in _LISTS:
            await asked.ask_about(row)
    for row in rows:
        yield await asked.operation(row)


class _Probe:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._service = session.service.asking_as("probe")
        self._where = "The embedded store" if session.service.embedded else session.where
        self._results: dict[str, tuple[Answer | ServiceError, float]] = {}

    async def ask(self, row: Operation, payload: Mapping[str, Wire] | None = None) -> None:
        """Perform a read and store its result, unless the read is known to fail."""
        if self._hindrance(row) is not None:
            return
        start = monotonic()
        result: Answer | ServiceError
        try:
            result = await self._service.call(row, payload or {}, refresh=True)
        except ServiceError as error:
            result = error
        self._results[row.name] = (result, (monotonic() - start) * 1000)

    # -- the service as a whole ---------------------------------------------------------------------------------------

    def service(self) -> Finding:
        """Test whether at least one operation of the service answers as specified."""
        times = [time for result, time in self._results.values() if _telling(result)]
        if times:
            return Finding(name="service", state=State.OK, sentence=f"{self._where} answers.", milliseconds=min(times))
        errors = [result for result, _ in self._results.values() if isinstance(result, ServiceError)]
        strange = [e for e in errors if e.status is not None and e.status not in _DOWN and e.kind not in _KEY]
        if strange or not errors:
            redirect = (e.message for e in strange if e.status in range(300, 400))
            why = next(redirect, f"No operation at {self._where} responded as specified. Check the address.")
            sentence = f"The server does not behave like the service. {why}"
            return Finding(name="service", state=State.REFUSED, sentence=sentence, kind=ErrorKind.UNEXPECTED)
        down = (e for e in errors if e.status in _DOWN or (e.status is None and e.kind not in _KEY))
        error = next(down, errors[0])
        if error.kind in _KEY and error.status is None:
            return Finding(name="service", state=State.NOT_TRIED, sentence=f"Nothing was sent. {_KEY[error.kind]}")
        return _failed("service", error)

    def key(self) -> Finding | None:
        """Test whether the API key is accepted. Return None if no API key is needed."""
        if self._session.service.embedded:
            return None
        error = self._key_error()
        if error is not None:
            return _failed("key", error)
        tiered = [(OPERATIONS[name], result) for name, result in self._kept() if OPERATIONS[name].tier is not None]
        # A refusal because of the account's tier proves that the API key is valid.
        refused = {row.name for row, e in tiered if isinstance(e, ServiceError) and e.kind is ErrorKind.TIER}
        if any(_telling(r) or (row.name in refused and row.tier is not Tier.FREE) for row, r in tiered):
            return Finding(name="key", state=State.OK, sentence="The service accepts the API key.")
        failed = next((e for _, e in tiered if isinstance(e, ServiceError) and e.status is not None), None)
        if failed is not None:
            sentence = "No operation that needs an API key succeeded."
            return Finding(name="key", state=State.REFUSED, sentence=sentence, kind=failed.kind)
        return Finding(name="key", state=State.NOT_TRIED, sentence="No response, so the API key could not be checked.")

    def tier(self) -> Finding | None:
        """Report the account's tier, if known. Return None without an account."""
        if self._session.service.embedded:
            return None
        result = self._result("list-models")
        if isinstance(result, Answer):
            return Finding(name="tier", state=State.OK, sentence="Professional or higher: the account can list models.")
        if result is not None and result.kind is ErrorKind.TIER:
            sentence = "Free: the account can list characters, but not models."
            return Finding(name="tier", state=State.OK, sentence=sentence)
        why = self._hindrance(OPERATIONS["list-models"]) or "The list of models could not be read."
        return Finding(name="tier", state=State.NOT_TRIED, sentence=f"Unknown. {why}")

    def estimation(self) -> Finding:
        result = self._result("options")
        if isinstance(result, Answer):
            sentence, time = "Estimates and options are available.", self._results["options"][1]
            return Finding(name="estimation", state=State.OK, sentence=sentence, milliseconds=time)
        if result is None:
            why = self._hindrance(OPERATIONS["options"]) or ""
            return Finding(name="estimation", state=State.NOT_TRIED, sentence=why)
        return _failed("estimation", result)

    def lock(self) -> Finding | None:
        sentence = self._session.lock.refusal("every change")
        return Finding(name="lock", state=State.WARNING, sentence=sentence) if sentence else None

    def clock(self, clock: Clock) -> Finding | None:
        """Report the difference between the service's clock and this machine's. Return None if it is small."""
        from email.utils import parsedate_to_datetime

        now = clock()
        for _, result in self._kept():
            date = result.meta.headers.get("date") if isinstance(result, Answer) else None
            try:
                moment = parsedate_to_datetime(date) if date else None
            except ValueError:
                continue
            if moment is None or moment.tzinfo is None:
                continue
            seconds = (moment - now).total_seconds()
            if abs(seconds) < _SKEW:
                return None
            way = "ahead of" if seconds > 0 else "behind"
            sentence = f"The service's clock is {abs(seconds) / 60:.0f} min {way} this machine's."
            return Finding(name="clock", state=State.WARNING, sentence=sentence)
        return None

    # -- one operation ------------------------------------------------------------------------------------------------

    async def operation(self, row: Operation) -> Finding:
        """Test whether the operation ``row`` works. An operation that changes something is not performed."""
        if row.effect is not Effect.READ:
            return _untried(row, self._prospect(row))
        reason = await self.ask_about(row)
        result = self._result(row.name)
        if result is None:
            return _untried(row, reason)
        time = self._results[row.name][1]
        if isinstance(result, ServiceError):
            return _failed(row.name, result, milliseconds=time if _answered(result) else None, operation=True)
        return Finding(name=row.name, state=State.OK, sentence=row.summary, milliseconds=time, operation=True)

    async def ask_about(self, row: Operation) -> str:
        """Perform a read once with the known IDs. Return why it was not performed, or an empty text."""
        if row.name in self._results:
            return ""
        payload = self._payload(row)
        if isinstance(payload, str):
            return payload
        await self.ask(row, payload)
        return self._hindrance(row) or ""

    def _payload(self, row: Operation) -> dict[str, Wire] | str:
        """Return the payload for ``row``, or the reason why there is none."""
        payload: dict[str, Wire] = {}
        for attribute, member in wire_names(row.request.load()).items():
            if attribute not in _FROM:
                continue
            what, name = _FROM[attribute]
            value = self._first(what, name)
            if value is None:
                return self._hindrance(row) or f"No {name.removesuffix('_id')} to test with."
            payload[member] = value
        return payload

    def _first(self, name: str, member: str) -> str | None:
        """Return an ID from a list. For characters, prefer one with a graph."""
        result = self._result(name)
        found = result.read(OPERATIONS[name]) if isinstance(result, Answer) else None
        entries = found.get("characters") if isinstance(found, Mapping) else found
        if isinstance(entries, Records):
            best = sorted(entries.summaries, key=lambda summary: summary.is_narrative_driven is not True)
            return best[0].character_id if best else None
        records = [entry for entry in entries or () if isinstance(entry, Mapping)]
        return next((value for record in records if isinstance(value := record.get(member), str)), None)

    def _prospect(self, row: Operation) -> str:
        session = self._session
        allowed = row.effect is Effect.ACT and session.profile.allow_act
        if session.locked_by is not None and not allowed:
            cost = " A turn costs credits." if row.effect is Effect.ACT else ""
            return f"{disabled(session.locked_by, row.name)}{cost}"
        hindrance = self._hindrance(row)
        if hindrance is not None:
            return hindrance
        cost = "costs credits" if row.effect is Effect.ACT else "changes data"
        if session.service.embedded:
            return f"Allowed ({cost})."
        if row.tier is Tier.FREE or isinstance(self._result("list-models"), Answer):
            return f"Allowed by the tier ({cost})."
        return f"Needs the {row.tier} tier ({cost})."

    def _hindrance(self, row: Operation) -> str | None:
        """Return the known reason why ``row`` would fail, or None."""
        error = self._key_error() if row.tier is not None else None
        if error is not None:
            return _KEY[error.kind]
        if any(isinstance(result, ServiceError) and result.kind in _NOBODY for _, result in self._kept()):
            return "The service does not answer."
        if row.tier is None:
            return None
        models = self._result("list-models")
        beyond = isinstance(models, ServiceError) and models.kind is ErrorKind.TIER
        if beyond and row.name != "list-models" and row.tier is not Tier.FREE:
            return f"Needs the {row.tier} tier, but the API key has a lower tier."
        return None

    def _key_error(self) -> ServiceError | None:
        return next((e for _, e in self._kept() if isinstance(e, ServiceError) and e.kind in _KEY), None)

    def _kept(self) -> list[tuple[str, Answer | ServiceError]]:
        return [(name, result) for name, (result, _) in self._results.items()]

    def _result(self, name: str) -> Answer | ServiceError | None:
        return self._results[name][0] if name in self._results else None


def _answered(result: Answer | ServiceError) -> bool:
    return isinstance(result, Answer) or result.status is not None


def _telling(result: Answer | ServiceError) -> bool:
    """Return whether an operation got a non-empty answer as specified. An empty list could come from any server."""
    return isinstance(result, Answer) and bool(result.body)


def _failed(name: str, error: ServiceError, *, milliseconds: float | None = None, operation: bool = False) -> Finding:
    state = State.UNREACHABLE if error.kind in _LATE else State.NOT_TRIED if error.kind in _UNSENT else State.REFUSED
    return Finding(
        name=name, state=state, sentence=error.message, milliseconds=milliseconds, kind=error.kind, operation=operation
    )


def _untried(row: Operation, sentence: str) -> Finding:
    return Finding(name=row.name, state=State.NOT_TRIED, sentence=sentence, operation=True)
