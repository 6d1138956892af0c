"""Compare a rate card with the responses of its service, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import count
from random import Random
from typing import Any, Final, TypeVar

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import SIX_PLACES
from chartui.core.estimation.card import FREE, QUANTITIES, RateCard
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.learned.answers import Reading, Stretch, in_words
from chartui.core.jsontext import Wire, canonical
from chartui.core.spec.catalogue import KINDS, Kind, is_realtime_key

#: Tolerated error in credits, beyond rounding to six places.
TOLERANCE: Final = Decimal("0.000001")
#: The relative error of an amount computed in doubles.
DOUBLE: Final = Decimal("1e-15")

_NAMES: Final[Mapping[str, str]] = {
    "ai_response": "the response",
    "prompt": "the prompt",
    "memory": "memory",
    "knowledge": "the knowledge bank",
    "voice_input": "speech input",
    "voice_output": "speech output",
    "animation": "animation",
    "platform": "the platform",
}


class Misfit(NamedTuple):
    """A computed amount that differs from the service's amount.

    ``what`` and ``configuration`` describe the amount in words, and ``source`` says where the ``computed`` amount comes
    from. ``line`` is the key of a line of the estimate, or empty for the total.
    """

    configuration: str
    what: str
    told: Decimal
    computed: Decimal
    source: str = "its other responses give"
    line: str = ""

    @property
    def error(self) -> Decimal:
        return abs(self.told - self.computed)

    @property
    def sentence(self) -> str:
        return (
            f"{self.what}: the service says {canonical(self.told)}, but "
            f"{self.source} {canonical(self.computed)} ({self.configuration})"
        )


class Fit(NamedTuple):
    """The result of comparing a card with one response.

    It contains the amounts that differ and the largest error in credits. ``total`` and ``latency`` are computed from
    the card, in credits and milliseconds. ``latency_problem`` says how the service's latency differs from ``latency``
    (decision 7). ``latency_problem`` is empty if the two latencies agree or if the card has no latencies.
    """

    misfits: tuple[Misfit, ...]
    worst: Decimal
    configuration: str
    latency_problem: str = ""
    total: Decimal = Decimal(0)
    latency: Stretch | None = None


def compare(card: RateCard, reading: Reading, tolerance: Decimal) -> Fit | None:
    """Compare a response with a rate card.

    ``reading`` is the response. Returns None if an option used in the response is not on the card.
    """
    if any(reading.selections.get(kind) not in card.options[kind] for kind in KINDS):
        return None
    given = {name: reading.assumptions[name] for name in QUANTITIES if name in reading.assumptions}
    answer = Estimator(card).estimate({"selections": reading.selections, "assumptions": given})
    computed = {line["key"]: line["credits"] for line in answer["lines"]}
    words = in_words(answer["selections"], answer["assumptions"])
    checked = list(_amounts(reading, computed, answer["totals"]["credits"], tolerance))
    misfits: list[Misfit] = []
    for amount in checked:
        # If a line is wrong, so is the total, which is then not reported.
        if amount.misfit.error > amount.allowed and not (misfits and amount.follows):
            misfits.append(amount.misfit._replace(configuration=words))
    worst = max(amount.misfit.error for amount in checked)
    span = answer["latency_ms"]
    return Fit(
        misfits=tuple(misfits),
        worst=worst,
        configuration=words,
        latency_problem=_latency_problem(answer, reading.latency),
        total=answer["totals"]["credits"],
        latency=None if span is None else (Decimal(span["min"]), Decimal(span["max"])),
    )


class _Amount(NamedTuple):
    """An amount, its expected value, and the allowed difference.

    ``follows`` marks an amount that is always wrong if an earlier amount is.
    """

    misfit: Misfit
    allowed: Decimal
    follows: bool = False


def _amounts(
    reading: Reading, computed: Mapping[str, Decimal], total: Decimal, tolerance: Decimal
) -> Iterator[_Amount]:
    nothing = Decimal(0)
    for key in dict.fromkeys((*reading.credits, *computed)):
        told = reading.credits.get(key, nothing)
        name = _NAMES.get(key, f"the '{key}' line, which rate cards do not include")
        misfit = Misfit("", name, told, computed.get(key, nothing), line=key)
        yield _Amount(misfit, tolerance + SIX_PLACES + abs(told) * DOUBLE)
    amounts = reading.credits.values()
    allowed = tolerance + SIX_PLACES * (len(amounts) + 1) + sum(map(abs, amounts), nothing) * DOUBLE
    yield _Amount(Misfit("", "the total", reading.total, sum(amounts, nothing), "its lines add up to"), allowed)
    yield _Amount(Misfit("", "the total", reading.total, total), allowed, follows=True)


def _latency_problem(answer: Mapping[str, Any], told: Stretch | None) -> str:
    rule = answer["latency_ms"]
    if rule is None or (rule["min"], rule["max"]) == told:
        return ""
    if told is None:
        return "the service reports no overall latency"
    where = in_words(answer["selections"], {})
    sum_of_lines = span_in_words((rule["min"], rule["max"]))
    return f"the service says {span_in_words(told)}, but its lines add up to {sum_of_lines} ({where})"


def span_in_words(span: Stretch | tuple[int, int]) -> str:
    return f"{canonical(Decimal(span[0]))}–{canonical(Decimal(span[1]))} ms"


#: The number of configurations used to test a card before it is written.
HOLD_OUTS: Final = 20
#: One in this many configurations has a realtime model, if the card has any. There are only a few such models, so a
#: random choice would rarely include one.
_LIVE_EVERY: Final = 5
#: The largest typical value of each quantity (E 2.2).
_USUAL: Final = (20_000, 2_000, 60, 60)

T = TypeVar("T")
_Choice = Callable[[Random, int], int | Decimal]


def _usual(random: Random, most: int) -> int | Decimal:
    return random.randint(1, most)


def _fraction(random: Random, most: int) -> int | Decimal:
    return Decimal(random.randrange(1, most * 1000)) / 1000


def _nothing(random: Random, most: int) -> int | Decimal:  # noqa: ARG001 - same signature for all
    return 0


def _large(random: Random, most: int) -> int | Decimal:
    return random.randint(most * 1_000, most * 100_000)


def _any(random: Random, most: int) -> int | Decimal:
    return random.choice((_usual, _fraction, _nothing, _large))(random, most)


#: The ways of choosing quantities, which are used in turn. Most quantities are typical, and some are odd.
_TURNS: Final[Sequence[_Choice]] = (_usual, _fraction, _any, _usual, _nothing, _large, _usual, _fraction, _usual, _any)


def configurations(options: Mapping[Kind, Sequence[str]], random: Random) -> Iterator[dict[str, Wire]]:
    """Yield an endless sequence of complete configurations. The state of ``random`` determines the sequence.

    No model repeats before all models have been used. The flags for memory and knowledge occur in all combinations, and
    quantities may be typical, fractional, zero or large.
    """
    live = _shuffled([key for key in options["llm"] if is_realtime_key(key)], random)
    text = _shuffled([key for key in options["llm"] if not is_realtime_key(key)], random)
    flags = _shuffled([(memory, knowledge) for memory in (False, True) for knowledge in (False, True)], random)
    turns = _shuffled(list(_TURNS), random)
    for number in count():
        models = live if number % _LIVE_EVERY == 0 else text
        memory, knowledge = next(flags)
        turn = next(turns)
        if turn is _nothing:  # the smallest possible amounts, to reveal a minimum charge
            memory = knowledge = False
        model = next(models, None) or next(text, None) or next(live)
        # Selecting another voice shows whether a realtime model's own voice is billed anyway.
        billed = number % (2 * _LIVE_EVERY) == 0
        yield {
            "llm": model,
            "memory": memory,
            "knowledge": knowledge,
            **{kind: random.choice(_billed(kind, options[kind]) if billed else options[kind]) for kind in KINDS[1:]},
            **{name: turn(random, most) for name, most in zip(QUANTITIES, _USUAL, strict=True)},
        }


def _billed(kind: Kind, keys: Sequence[str]) -> Sequence[str]:
    return [key for key in keys if key not in FREE[kind]] or keys


def _shuffled(items: list[T], random: Random) -> Iterator[T]:
    while items:
        random.shuffle(items)
        yield from items
