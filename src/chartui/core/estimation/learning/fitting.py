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

__all__ = ["DOUBLE", "SIX_PLACES", "TOLERANCE", "Fit", "Misfit", "compare"]

#: Credits that a configuration may be off, beyond what rounding to six places explains.
TOLERANCE: Final = Decimal("0.000001")
#: What rounding to six places may take or add.
SIX_PLACES: Final = Decimal("0.0000005")
#: The part of an amount that is lost where it is computed in doubles.
DOUBLE: Final = Decimal("1e-15")

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
    """One amount that is not what it should be: ``what`` it is for, in which ``configuration``, in words.

    ``source`` says where the amount ``computed`` comes from, as the beginning of what is said of it.
    """

    configuration: str
    what: str
    told: Decimal
    computed: Decimal
    source: str = "its other answers give"

    @property
    def error(self) -> Decimal:
        """By how many credits they differ."""
        return abs(self.told - self.computed)

    @property
    def sentence(self) -> str:
        """What does not fit."""
        return (
            f"{self.what}: the service says {canonical(self.told)}, "
            f"{self.source} {canonical(self.computed)} ({self.configuration})"
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
    checked = list(_lines(reading, computed, tolerance))
    checked += _totals(reading, answer["totals"]["credits"], tolerance)
    misfits: list[Misfit] = []
    for amount in checked:
        # A line that is off makes the total differ as well, which says nothing new.
        if amount.misfit.error > amount.allowed and not (misfits and amount.follows):
            misfits.append(amount.misfit._replace(configuration=words))
    worst = max(amount.misfit.error for amount in checked)
    return Fit(tuple(misfits), worst, words, _latency_problem(answer, reading.latency))


class _Amount(NamedTuple):
    """An amount beside what it should be, and by how much the two may differ.

    Where it ``follows``, it is off whenever one before it is.
    """

    misfit: Misfit
    allowed: Decimal
    follows: bool = False


def _lines(reading: Reading, computed: Mapping[str, Decimal], tolerance: Decimal) -> Iterator[_Amount]:
    nothing = Decimal(0)
    for key in dict.fromkeys((*reading.credits, *computed)):
        told = reading.credits.get(key, nothing)
        name = _NAMES.get(key, f"the line '{key}', which no rate card has")
        yield _Amount(Misfit("", name, told, computed.get(key, nothing)), tolerance + SIX_PLACES + abs(told) * DOUBLE)


def _totals(reading: Reading, total: Decimal, tolerance: Decimal) -> Iterator[_Amount]:
    amounts = reading.credits.values()
    allowed = tolerance + SIX_PLACES * (len(amounts) + 1) + sum(map(abs, amounts), Decimal(0)) * DOUBLE
    yield _Amount(Misfit("", "the total", reading.total, sum(amounts, Decimal(0)), "its lines add up to"), allowed)
    yield _Amount(Misfit("", "the total", reading.total, total), allowed, follows=True)


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
