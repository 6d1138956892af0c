"""Whether a learned card still says what its service charges: asked with a handful of calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import Final, NamedTuple

from chartui.core.estimation.card import FREE, RateCard
from chartui.core.estimation.learning.asking import Asker, Caller, Changed, Phase, Progress, Refused, Told, untold
from chartui.core.estimation.learning.fitting import compare
from chartui.core.estimation.learning.holding import configurations
from chartui.core.estimation.learning.kept import Kept
from chartui.core.estimation.learning.learn import Manner
from chartui.core.estimation.learning.reading import Asked, Reading, in_words
from chartui.core.estimation.learning.solving import version_told
from chartui.core.jsontext import Wire, canonical
from chartui.core.spec.catalogue import INCLUDED_IN_REALTIME, KINDS, Kind, is_realtime_key

__all__ = ["TRIED", "Drift", "check"]

#: How many configurations chosen at random are asked for, beside the defaults.
TRIED: Final = 4


class Drift(NamedTuple):
    """What differs between a card and its service, each in a sentence; from how many calls; and the largest error of
    their amounts, in credits.
    """

    differences: tuple[str, ...]
    calls: int
    worst_error: Decimal


async def check(service: Caller, card: RateCard, *, manner: Manner | None = None, told: Told = untold) -> Drift:
    """Ask for the defaults and for configurations chosen at random, past every cache, and compare.

    A card that was not exact when it was learned may be as far off as it was then. Raises :class:`ServiceError` when
    the service cannot be asked.
    """
    manner = manner or Manner()
    tolerance = max(manner.tolerance, card.origin.worst_error if card.origin else Decimal(0))
    asker = Asker(
        service,
        Kept(),
        pace=manner.pace,
        patience=manner.patience,
        sleep=manner.sleep,
        ticks=manner.ticks,
        told=told,
        refresh=True,
    )
    questions: list[Asked] = [{}, *(_plain(c) for c in islice(configurations(_priced(card), manner.seeds), TRIED))]
    differences: list[str] = []
    worst = Decimal(0)
    for number, asked in enumerate(questions):
        asker.progress = Progress(Phase.TRYING, number, len(questions), in_words(asked, {}) or "the defaults")
        try:
            reading = await asker.estimate(asked)
        except Refused as refusal:
            differences.append(f"It does not take {in_words(asked, asked) or 'its own defaults'}: {refusal}")
            continue
        except Changed as change:
            differences.append(f"It changed just now: {change}.")
            break
        if not asked:
            differences += _heads(card, reading)
        fit = compare(card, reading, tolerance)
        if fit is None:
            differences.append(f"It answers with an option that the card lacks: {in_words(reading.selections, {})}.")
            continue
        worst = max(worst, fit.worst)
        differences += [
            f"{_opened(m.what)}: {canonical(m.told)}, by the card {canonical(m.computed)} ({m.configuration})."
            for m in fit.misfits
        ]
        if fit.latency_problem:
            differences.append(f"The latency: {fit.latency_problem}.")
    return Drift(tuple(differences), asker.made, worst)


def _priced(card: RateCard) -> dict[Kind, list[str]]:
    """What is worth asking for: an option that is free by definition cannot drift."""
    found = {kind: [key for key in card.options[kind] if key not in FREE[kind]] for kind in KINDS}
    return {kind: keys or list(card.options[kind]) for kind, keys in found.items()}


def _plain(asked: dict[str, Wire]) -> dict[str, Wire]:
    """A live model with the voices that belong to it: not every service takes others."""
    voices = {"stt": INCLUDED_IN_REALTIME, "tts": INCLUDED_IN_REALTIME}
    return {**asked, **voices} if is_realtime_key(asked["llm"]) else asked


def _heads(card: RateCard, reading: Reading) -> Iterator[str]:
    """How the version, the date and the defaults differ, where the service tells them."""
    (version, effective), _ = version_told(reading, date.fromisoformat(card.effective_date))
    if reading.version is not None and version != card.version:
        yield f"Its rate card is version {canonical(reading.version)}, the learned one version {card.version}."
    if effective != card.effective_date:
        yield f"Its rate card is effective {effective}, the learned one {card.effective_date}."
    for name, usual in (*_pairs(card.selections, reading.selections), *_pairs(card.assumptions, reading.assumptions)):
        yield f"Its default of {name} is {_said(usual[1])}, on the card {_said(usual[0])}."


def _pairs(ours: Mapping[str, Wire], theirs: Mapping[str, Wire]) -> Iterator[tuple[str, tuple[Wire, Wire]]]:
    return ((name, (ours[name], value)) for name, value in theirs.items() if ours[name] != value)


def _opened(text: str) -> str:
    return text[0].upper() + text[1:]


def _said(value: Wire) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else canonical(Decimal(value))
