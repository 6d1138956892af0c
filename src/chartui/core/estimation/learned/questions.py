"""Request estimates that reveal every rate.

About one request per model is needed. The response to a request has a line for every component, so it reveals the rates
of one option of each kind. One request is sent for each text model. These requests use different voices and animations,
with memory and knowledge on or off. Realtime models have separate requests, because they have their own audio rates
(decision 3). Quantities are large powers of ten. A rate with nine decimal places can therefore be read exactly from an
amount with six decimal places, within the precision of a double. The quantities vary between requests, so that repeated
measurements use different amounts. To avoid overloading the service, requests are sent one at a time and at a limited
pace. No request is sent while the service is busy or unavailable, and no request is repeated after it has been
answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Protocol

from chartui.core.classes import NamedTuple
from chartui.core.estimation.card import FREE
from chartui.core.estimation.discovery import Discovery
from chartui.core.estimation.learned.answers import Asked, Kept, KeptAnswer, Reading, in_words, read
from chartui.core.jsontext import Wire
from chartui.core.numbers import number_of
from chartui.core.spec.catalogue import KINDS, Kind, is_realtime_key
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import operation

if TYPE_CHECKING:
    from chartui.core.estimation.learned.rates import Manner

#: Seconds until the next try, by the number of failed tries. The last value applies to all further tries.
_WAITS: Final = (2.0, 4.0, 8.0, 15.0, 30.0)
#: Failures that may be temporary. The client has already tried each request three times.
_PASSING: Final = frozenset({ErrorKind.RATE_LIMITED, ErrorKind.UNREACHABLE, ErrorKind.TIMEOUT})
_AWAY: Final = frozenset({502, 503, 504})
#: How a service refuses a configuration: with an error of E 7, or with an answer that resembles such an error.
_REFUSING: Final = frozenset({ErrorKind.INVALID, ErrorKind.REFUSED, ErrorKind.NOT_FOUND, ErrorKind.TOO_LARGE})


class Answered(Protocol):
    """A response with its metadata.

    ``meta.attempts`` is the number of calls made. It is 0 for a cached response.
    """

    @property
    def body(self) -> Wire: ...

    @property
    def meta(self) -> Any: ...


class Caller(Protocol):
    """An object that can perform operations, such as :class:`chartui.core.service.Service`."""

    async def call(self, row: Operation, payload: Mapping[str, Wire], *, refresh: bool = False) -> Answered:
        """Perform the operation ``row``. Raises :class:`~chartui.core.spec.errors.ServiceError`."""
        ...


class Phase(StrEnum):
    MEASURING = "measuring"  # finding the rates
    TRYING = "trying"  # comparing random configurations
    WAITING = "waiting"  # the service is busy or away
    ANEW = "anew"  # the service's card has changed, so learning starts again


class Progress(NamedTuple):
    """The progress of learning.

    ``done`` is the number of responses that have arrived, and ``total`` is the number needed. ``subject`` describes the
    current request or, during a wait of ``seconds``, the reason for the wait. ``worst`` is the largest error so far in
    credits, or None before the first test.
    """

    phase: Phase
    done: int
    total: int
    subject: str = ""
    seconds: float = 0.0
    worst: Decimal | None = None


Told = Callable[[Progress], None]


def untold(progress: Progress) -> None:
    """Do nothing. This function is the default progress callback."""


class Refused(Exception):
    """Raised if the service rejects a configuration. The message is the service's own message."""


class Changed(Exception):
    """Raised if the service's rate card changes while its rates are being learned. The message names both versions."""


class Asker:
    """Sends requests to one service and stores the responses.

    A request that has been answered is not sent again. ``refresh`` bypasses caches. ``told`` is a function that is
    called before every request and every wait.
    """

    def __init__(self, service: Caller, kept: Kept, manner: Manner, told: Told, *, refresh: bool) -> None:
        self._service = service
        self._kept = kept
        self._manner = manner
        self._told = told
        self._refresh = refresh
        self._next = manner.ticks()
        self._first: Reading | None = None
        self.progress = Progress(Phase.MEASURING, 0, 0)
        #: The number of requests sent in this run, not counting answers read from the file.
        self.made = 0

    async def options(self) -> Wire:
        """Return the service's list of options, or None if the service refuses to send the list."""
        try:
            return await self._persistently(operation("options"), {})
        except Refused:
            return None

    async def estimate(self, asked: Asked) -> Reading:
        """Return the service's estimate for a configuration.

        Raises :class:`Refused` if the service rejects the configuration, :class:`Changed` if the service's rate card
        has changed, or :class:`ServiceError` if no more requests can be made.
        """
        answer = self._kept.find(asked)
        if answer is None:
            self._told(self.progress)
            answer = await self._asked(asked)
            self.made += 1
        if answer.refused is not None:
            raise Refused(answer.refused)
        reading = read(asked, answer.body)
        self._compare(reading)
        if self._kept.find(asked) is None:
            self._kept.keep(asked, answer)
        return reading

    async def _asked(self, asked: Asked) -> KeptAnswer:
        try:
            return KeptAnswer(await self._persistently(operation("get-estimate"), asked))
        except Refused as refusal:
            answer = KeptAnswer(refused=str(refusal))
            self._kept.keep(asked, answer)
            return answer

    def _compare(self, reading: Reading) -> None:
        first = self._first = self._first or reading
        if (first.version, first.date) != (reading.version, reading.date):
            raise Changed(f"the service's rate card was {first.card} and is now {reading.card}")

    async def _persistently(self, row: Operation, payload: Mapping[str, Wire]) -> Wire:
        """Return the body of an answer, with retries. Raises :class:`Refused` and :class:`ServiceError`."""
        manner, waited, tried = self._manner, 0.0, 0
        while True:
            wait = self._next - manner.ticks()
            if wait > 0:
                await manner.sleep(wait)
            self._next = manner.ticks() + 1 / manner.pace
            try:
                answer = await self._service.call(row, payload, refresh=self._refresh)
            except ServiceError as error:
                failure = error
            else:
                if not answer.meta.attempts:  # The answer came from the client's cache, so no request was sent.
                    self._next = manner.ticks()
                return answer.body
            if _is_refusal(failure):
                raise Refused(failure.message)
            pause = _wait(failure, tried)
            if pause is None or waited + pause > manner.patience:
                raise failure
            self._told(self.progress._replace(phase=Phase.WAITING, subject=failure.message, seconds=pause))
            await manner.sleep(pause)
            waited, tried = waited + pause, tried + 1


def _is_refusal(error: ServiceError) -> bool:
    # The client refuses redirects with the same kind of error, but a redirect concerns the address, not the request.
    return error.kind in _REFUSING and not (error.status is not None and 300 <= error.status < 400)


def _wait(error: ServiceError, tried: int) -> float | None:
    """Return the seconds until the next try, or None for a permanent failure."""
    if error.kind not in _PASSING and error.status not in _AWAY:
        return None
    usual = _WAITS[min(tried, len(_WAITS) - 1)]
    return usual if error.retry_after is None else max(error.retry_after, 1.0)


#: Exponents of ten for the numbers of tokens, and of characters converted to tokens. The numbers of seconds are a
#: thousandth of these. If a service refuses the amounts, the next exponent is used, and the rates have fewer decimals.
_SCALES: Final[tuple[tuple[int, ...], ...]] = ((6, 9, 7, 10, 8, 11), (6, 7), (5,), (4,), (3,))
_CHARS_PER_TOKEN: Final = 4
_VOICES: Final[tuple[Kind, ...]] = ("stt", "tts")


class Measured(NamedTuple):
    """The responses to a series of requests, the rejected options (each with the service's message), and notes."""

    readings: tuple[Reading, ...]
    refused: Mapping[tuple[Kind, str], str]
    notes: tuple[str, ...]

    def taken(self, kind: Kind) -> tuple[str, ...]:
        """Return the options of a kind that the service sent estimates for, in the order of the requests."""
        return tuple(dict.fromkeys(str(r.selections[kind]) for r in self.readings if kind in r.selections))


def wanted(discovery: Discovery, default: Reading) -> dict[Kind, tuple[str, ...]]:
    """Return the options to request estimates for: those that the service lists, plus the default.

    If the service lists no options of a kind, the options in the catalogue are used.
    """
    found: dict[Kind, tuple[str, ...]] = {}
    for kind in KINDS:
        choices = discovery.choices[kind]
        listed = [choice.key for choice in choices if choice.listed] or [choice.key for choice in choices]
        usual = default.selections.get(kind)
        found[kind] = tuple(dict.fromkeys([*listed, *([usual] if isinstance(usual, str) else [])]))
    return found


async def measure(asker: Asker, options: Mapping[Kind, Sequence[str]], default: Reading, *, more: int) -> Measured:
    return await _Measuring(asker, default, more).through(options)


class _Measuring:
    """Sends a series of requests one by one, and finds out which options the service refuses."""

    def __init__(self, asker: Asker, default: Reading, more: int) -> None:
        self._asker = asker
        self._more = more
        self._scale = _SCALES[0]
        self._proven = False
        self._readings = [default]
        self._answered: set[tuple[Kind, str]] = {(kind, str(default.selections.get(kind))) for kind in KINDS}
        self._refused: dict[tuple[Kind, str], str] = {}
        #: Free options that are refused with a text model. With a realtime model, they may be accepted.
        self._awkward: set[tuple[Kind, str]] = set()
        #: The last selections accepted with a text model.
        self._base: Asked = {}
        self._together: list[str] = []

    async def through(self, options: Mapping[Kind, Sequence[str]]) -> Measured:
        questions = [*_text_questions(options), *_live_questions(options)]
        for number, selections in enumerate(questions):
            subject = in_words({kind: selections[kind] for kind in KINDS}, {})
            self._asker.progress = Progress(Phase.MEASURING, number + 1, len(questions) + 1 + self._more, subject)
            await self._ask(number, self._without_refused(selections))
        self._asker.progress = self._asker.progress._replace(done=len(questions) + 1)
        notes = []
        if self._together:
            first, *others = self._together
            more = f", and {number_of(len(others), 'other combination')}" if others else ""
            notes.append(f"Options that are rejected together but accepted separately: {first}{more}.")
        if self._scale is not _SCALES[0]:
            notes.append(
                f"The service accepts no more than 10^{max(self._scale)} tokens, so its rates may have more "
                "decimal places than could be found."
            )
        return Measured(tuple(self._readings), self._refused, tuple(notes))

    def _without_refused(self, selections: Asked) -> dict[str, Wire]:
        """Return ``selections`` with refused options replaced by accepted ones."""
        avoided = self._refused.keys() if _is_live(selections) else self._refused.keys() | self._awkward
        kept = {name: value for name, value in selections.items() if (name, value) not in avoided}
        lost = selections.keys() - kept.keys() - {"llm"}
        return {**kept, **{name: self._base[name] for name in lost if name in self._base}}

    async def _ask(self, number: int, selections: Asked) -> None:
        try:
            await self._answer({**selections, **_amounts(number, self._scale)})
        except Refused:
            if not self._proven and await self._smaller():
                await self._ask(number, selections)
            else:
                await self._apart(number, selections)
            return
        self._proven = True
        if not _is_live(selections):
            self._base = selections

    async def _answer(self, asked: Asked) -> None:
        reading = await self._asker.estimate(asked)
        self._readings.append(reading)
        self._answered.update((kind, str(reading.selections[kind])) for kind in KINDS if kind in reading.selections)

    async def _smaller(self) -> bool:
        """Return whether the service refuses the amounts as too large.

        If it does, smaller amounts are used from then on.
        """
        for scale in _SCALES[_SCALES.index(self._scale) :]:
            largest = scale.index(max(scale))
            try:
                await self._answer(_amounts(largest, scale))
            except Refused:
                continue
            self._proven = True
            smaller, self._scale = scale is not self._scale, scale
            return smaller
        return False

    async def _apart(self, number: int, selections: Asked) -> None:
        """Request each new option by itself, with otherwise accepted options, to find out which of them is refused.

        Free options have no rate, so they are not requested but avoided from then on.
        """
        live = _is_live(selections)
        base = {kind: selections[kind] for kind in ("stt", "tts") if kind in selections} if live else self._base
        refused = False
        for kind in KINDS:
            key = str(selections.get(kind, ""))
            if not key or key in FREE[kind] or (kind, key) in self._answered:
                continue
            try:
                await self._answer({**base, kind: key, **_amounts(number, self._scale)})
            except Refused as refusal:
                refused = True
                self._refused[kind, key] = str(refusal)
        if not refused:
            self._together.append(in_words(selections, {}))
            free = ((kind, str(selections.get(kind, ""))) for kind in KINDS)
            self._awkward.update((kind, key) for kind, key in free if key in FREE[kind] and not live)


def _is_live(selections: Asked) -> bool:
    return is_realtime_key(str(selections.get("llm", "")))


def _text_questions(options: Mapping[Kind, Sequence[str]]) -> Iterator[dict[str, Wire]]:
    """Yield a request for each text model, and more if another kind has more options than there are models."""
    models = [key for key in options["llm"] if not is_realtime_key(key)]
    if not models:
        return
    for number in range(max(map(len, (models, *(options[kind] for kind in KINDS[1:]))))):
        animation = _turn(options["animation"], number // 4)
        voices: dict[str, Wire] = {kind: _turn(options[kind], number) for kind in _VOICES}
        yield {"llm": _turn(models, number), **_flags(number), **voices, "animation": animation}


def _live_questions(options: Mapping[Kind, Sequence[str]]) -> Iterator[dict[str, Wire]]:
    """Yield a request for each realtime model, with options that enable both speech input and speech output."""
    voices: dict[str, Wire] = {kind: _audible(options[kind], kind) for kind in _VOICES}
    for number, key in enumerate(key for key in options["llm"] if is_realtime_key(key)):
        yield {"llm": key, **_flags(number), **voices, "animation": _turn(options["animation"], number)}


def _audible(keys: Iterable[str], kind: Kind) -> str:
    """Return the option "included in a realtime model" if available, otherwise any option other than "none"."""
    included = [key for key in keys if key in FREE[kind] and is_realtime_key(key)]
    others = [key for key in keys if key not in FREE[kind]]
    return (included or others or list(keys))[0]


def _turn(keys: Sequence[str], number: int) -> str:
    return keys[number % len(keys)]


def _flags(number: int) -> dict[str, Wire]:
    return {"memory": number % 2 == 1, "knowledge": number // 2 % 2 == 1}


def _amounts(number: int, scale: Sequence[int]) -> dict[str, Wire]:
    """Return the quantities for a request.

    Each is a different power of ten from ``scale``, and the powers change with every request.
    """
    tokens, chars, heard, spoken = (10 ** scale[(number + shift) % len(scale)] for shift in range(4))
    return {
        "inputTokens": tokens,
        "outputChars": _CHARS_PER_TOKEN * chars,
        "sttSeconds": heard // 1000,
        "ttsSeconds": spoken // 1000,
    }
