"""Whether a card says what a service says: configuration by configuration, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from chartui.core.estimation.card import QUANTITIES, RateCard
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.learning.reading import Reading, Stretch, in_words
from chartui.core.jsontext import canonical
from chartui.core.spec.catalogue import KINDS

__all__ = ["SIX_PLACES", "TOLERANCE", "Fit", "Misfit", "compare"]

#: Credits that a configuration may be off, beyond what rounding to six places explains.
TOLERANCE: Final = Decimal("0.000001")
#: What rounding to six places may take or add.
SIX_PLACES: Final = Decimal("0.0000005")
#: The part of an amount that is lost where it is computed in doubles.
_DOUBLE: Final = Decimal("1e-15")

_NAMES: Final[Mapping[str, str]] = {
    "ai_response": "the response",
    "prompt": "the prompt",
    "memory": "memory",
    "knowledge": "the knowledge bank",
    "voice_input": "voice input",
    "voice_output": "voice output",
    "animation": "animation",
    "platform": "the platform",
}


class Misfit(NamedTuple):
    """One amount that is not what the card gives: ``what`` it is for, in which ``configuration``, in words."""

    configuration: str
    what: str
    told: Decimal
    computed: Decimal

    @property
    def error(self) -> Decimal:
        """By how many credits they differ."""
        return abs(self.told - self.computed)

    @property
    def sentence(self) -> str:
        """What does not fit."""
        return (
            f"{self.what}: the service says {canonical(self.told)}, "
            f"its other answers add up to {canonical(self.computed)} ({self.configuration})"
        )


class Fit(NamedTuple):
    """How well a card says what one answer says: the amounts that are off, and the largest error of all, in credits.

    ``latency_problem`` says why the latency is not what the rule gives (decision 7); empty where it is, or where the
    card knows none.
    """

    misfits: tuple[Misfit, ...]
    worst: Decimal
    configuration: str
    latency_problem: str = ""


def compare(card: RateCard, reading: Reading, tolerance: Decimal) -> Fit | None:
    """``reading`` beside what ``card`` gives; None where the card lacks one of the options, which says nothing."""
    if any(reading.selections.get(kind) not in card.options[kind] for kind in KINDS):
        return None
    given = {name: reading.assumptions[name] for name in QUANTITIES if name in reading.assumptions}
    answer = Estimator(card).estimate({"selections": reading.selections, "assumptions": given})
    computed = {line["key"]: line["credits"] for line in answer["lines"]}
    words = in_words(answer["selections"], answer["assumptions"])
    misfits, worst = [], Decimal(0)
    for what, told, should, allowed in _amounts(reading, computed, answer["totals"]["credits"], tolerance):
        misfit = Misfit(words, what, told, should)
        worst = max(worst, misfit.error)
        if misfit.error > allowed:
            misfits.append(misfit)
    return Fit(tuple(misfits), worst, words, _latency_problem(answer, reading.latency))


def _amounts(
    reading: Reading, computed: Mapping[str, Decimal], total: Decimal, tolerance: Decimal
) -> Iterator[tuple[str, Decimal, Decimal, Decimal]]:
    """Every amount: what it is for, as told, as computed, and by how much the two may differ."""
    nothing = Decimal(0)
    for key in dict.fromkeys((*reading.credits, *computed)):
        told = reading.credits.get(key, nothing)
        name = _NAMES.get(key, f"the line '{key}', which no rate card has")
        yield name, told, computed.get(key, nothing), tolerance + SIX_PLACES + abs(told) * _DOUBLE
    lines = sum(reading.credits.values(), nothing)
    several = tolerance + SIX_PLACES * (len(reading.credits) + 1)
    several += sum(map(abs, reading.credits.values()), nothing) * _DOUBLE
    yield "the total, of which the lines are only a part", reading.total, lines, several
    yield "the total", reading.total, total, several


def _latency_problem(answer: Mapping[str, Any], told: Stretch | None) -> str:
    rule = answer["latency_ms"]
    if rule is None or (rule["min"], rule["max"]) == told:
        return ""
    if told is None:
        return "the service tells no latency of the whole"
    where = in_words(answer["selections"], {})
    return f"the service says {_span(told)} where its lines come to {_span((rule['min'], rule['max']))} ({where})"


def _span(span: Stretch | tuple[int, int]) -> str:
    return f"{canonical(Decimal(span[0]))}–{canonical(Decimal(span[1]))} ms"
