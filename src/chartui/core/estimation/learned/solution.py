"""Compute a rate card from the responses to estimate requests.

Each rate is computed from the response that determines the rate most precisely. The latency of an option is computed
from the lines for this option in the responses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import SIX_PLACES
from chartui.core.estimation.card import (
    COMPONENTS,
    FREE,
    MAX_LATENCY,
    MAX_QUANTITY,
    QUANTITIES,
    TIERS,
    CardOption,
    RateCard,
    Subscription,
    load_card,
    rates_of,
)
from chartui.core.estimation.discovery import Discovery
from chartui.core.estimation.learned.answers import FLAGS, Reading, Stretch
from chartui.core.estimation.learned.fit import DOUBLE
from chartui.core.estimation.learned.questions import Measured
from chartui.core.jsontext import canonical
from chartui.core.numbers import number_of
from chartui.core.spec.catalogue import (
    KINDS,
    MAX_RATE,
    NO_STT,
    NO_TTS,
    RATE_DECIMALS,
    Kind,
    is_realtime_key,
    option,
    options,
)

_WIDE: Final = Context(prec=60, rounding=ROUND_HALF_EVEN)
_SMALLEST: Final = Decimal(1).scaleb(-RATE_DECIMALS)
_THOUSAND: Final = Decimal(1000)
_CHARS_PER_TOKEN: Final = Decimal(4)  # E 2.2

#: The place of a rate on a card: kind or ``components``, key, and name of the rate.
_Place = tuple[str, str, str]


class Solved(NamedTuple):
    """The result of computing a rate card.

    ``card`` is None if no card could be computed. ``problem`` says why there is no card, and ``latency_problem`` says
    why the card has no latencies.
    """

    card: RateCard | None
    problem: str
    latency_problem: str
    notes: tuple[str, ...]


def solve(measured: Measured, discovery: Discovery, *, today: date) -> Solved:
    """Compute a rate card from the responses, even if the card does not match all of them.

    ``today`` is used as the effective date if the service sends no date.
    """
    rates, problem, cut = _rates(measured.readings)
    latencies, latency_problem = _latencies(measured.readings)
    if problem:
        return Solved(None, problem, latency_problem, ())
    cut_note = _cut_note(cut)
    labels = {(kind, choice.key): choice.label for kind in KINDS for choice in discovery.choices[kind]}
    chosen: dict[Kind, dict[str, CardOption]] = {}
    for kind in KINDS:
        chosen[kind] = {}
        for key in _ordered(kind, measured.taken(kind)):
            names = rates_of(kind, key)
            if any((kind, key, name) not in rates for name in names):
                continue  # The voice was measured only with a realtime model, so its cost is unknown.
            known = option(kind, key)
            label = labels.get((kind, key)) or (known.label if known else key)
            if key in FREE[kind] and known:
                chosen[kind][key] = CardOption(key, known.label, {}, None)
                continue
            span = latencies.get((kind, key)) if not latency_problem else None
            chosen[kind][key] = CardOption(key, label, {name: rates[kind, key, name] for name in names}, span)
    for name, group in (("a model", "llm"), *((name, "components") for name in COMPONENTS)):
        if not (chosen["llm"] if group == "llm" else (group, name, "flat") in rates):
            return Solved(None, f"the service accepts no configuration with {name}", latency_problem, ())
    first = measured.readings[0]
    version, version_notes = version_told(first, today)
    selections, assumptions, default_notes = _defaults(first, discovery, chosen)
    subscriptions, subscription_notes = _subscriptions(discovery)
    told = {key: text for reading in measured.readings for key, text in reading.labels.items()}
    card = RateCard(
        version=version[0],
        effective_date=version[1],
        selections=selections,
        assumptions=assumptions,
        components={
            key: CardOption(key, told.get(key, label), {"flat": rates["components", key, "flat"]}, None)
            for key, label in COMPONENTS.items()
        },
        options=chosen,
        subscriptions=subscriptions,
        timed=not latency_problem,
    )
    return Solved(card, "", latency_problem, (*cut_note, *version_notes, *default_notes, *subscription_notes))


def without_latencies(card: RateCard) -> RateCard:
    untimed = {
        kind: {key: entry._replace(latency=None) for key, entry in found.items()}
        for kind, found in card.options.items()
    }
    return card._replace(options=untimed, timed=False)


def _ordered(kind: Kind, taken: Sequence[str]) -> Iterator[str]:
    """Yield the catalogue's options in order, including all free ones, then the others."""
    for entry in options(kind):
        if entry.key in taken or entry.key in FREE[kind]:
            yield entry.key
    yield from (key for key in taken if option(kind, key) is None)


class _Rates(NamedTuple):
    """The measured rates.

    ``problem`` says which rate is impossible, if any. ``cut`` holds the options whose rates were cut to the maximum
    number of decimals.
    """

    found: Mapping[_Place, Decimal]
    problem: str = ""
    cut: tuple[str, ...] = ()


def _rates(readings: Iterable[Reading]) -> _Rates:
    best: dict[_Place, tuple[Decimal, Decimal]] = {}
    for reading in readings:
        for place, line, factor in _places(reading):
            if factor and (place not in best or factor > best[place][0]):
                best[place] = (factor, reading.credits.get(line, Decimal(0)))
    found: dict[_Place, Decimal] = {}
    cut: dict[str, None] = {}
    for place, (factor, amount) in best.items():
        _, key, name = place
        rate = _WIDE.divide(amount, factor)
        if not 0 <= rate <= MAX_RATE:
            said = f"the '{name}' rate of {key} would be {canonical(rate)} credits, which is out of range"
            return _Rates({}, said)
        found[place] = Decimal(canonical(rate.quantize(_SMALLEST, context=_WIDE)))
        if abs(found[place] - rate) * factor > SIX_PLACES + amount * DOUBLE:
            cut[key] = None
    return _Rates(found, cut=tuple(cut))


def _cut_note(cut: Sequence[str]) -> list[str]:
    if not cut:
        return []
    others = f" and {number_of(len(cut) - 1, 'other option')}" if len(cut) > 1 else ""
    return [
        f"A rate card allows at most nine decimal places, which is too few for the price of {cut[0]}{others}. "
        "Either the rates have more decimal places, or something else is charged as well."
    ]


def _places(reading: Reading) -> Iterator[tuple[_Place, str, Decimal]]:
    """Yield each rate in an answer: its place, its line, and its factor."""
    for name in FLAGS:
        if reading.selections.get(name):
            yield ("components", name, "flat"), name, Decimal(1)
    yield ("components", "platform", "flat"), "platform", Decimal(1)
    tokens, chars, heard, spoken = (Decimal(reading.assumptions.get(name, 0)) for name in QUANTITIES)
    llm, stt, tts, animation = (str(reading.selections.get(kind, "")) for kind in KINDS)
    yield ("llm", llm, "prompt_per_1k"), "prompt", tokens / _THOUSAND
    if is_realtime_key(llm):
        if stt != NO_STT:
            yield ("llm", llm, "audio_in_per_second"), "voice_input", heard
        if tts != NO_TTS:
            yield ("llm", llm, "audio_out_per_second"), "voice_output", spoken
    else:
        yield ("llm", llm, "output_per_1k"), "ai_response", chars / _CHARS_PER_TOKEN / _THOUSAND
        yield ("stt", stt, "per_second"), "voice_input", heard
        yield ("tts", tts, "per_second"), "voice_output", spoken
    yield ("animation", animation, "per_second"), "animation", spoken


def _latencies(readings: Iterable[Reading]) -> tuple[dict[tuple[Kind, str], tuple[int, int]], str]:
    """Return every latency in the lines, and the reason why a rate card cannot store them (empty if it can)."""
    told: dict[tuple[Kind, str], set[Stretch | None]] = defaultdict(set)
    for reading in readings:
        llm, stt, tts, animation = (str(reading.selections.get(kind, "")) for kind in KINDS)
        told["llm", llm].add(_model_latency(reading.latencies))
        if not is_realtime_key(llm):
            told["stt", stt].add(reading.latencies.get("voice_input"))
            told["tts", tts].add(reading.latencies.get("voice_output"))
        told["animation", animation].add(reading.latencies.get("animation"))
    found: dict[tuple[Kind, str], tuple[int, int]] = {}
    for (kind, key), spans in told.items():
        if len(spans) > 1:
            return {}, f"the latency of {key} varies between responses"
        span = spans.pop()
        if span is None:
            continue
        if span[0] != int(span[0]) or span[1] != int(span[1]) or not 0 <= span[0] <= span[1] <= MAX_LATENCY:
            return {}, f"the latency of {key} is not a whole number of milliseconds"
        found[kind, key] = (int(span[0]), int(span[1]))
    return found, "" if found else "the service reports no latency"


def _model_latency(latencies: Mapping[str, Stretch]) -> Stretch | None:
    """Return a model's latency, which is on the line of its response or of its prompt, or is split between both."""
    spans = [latencies[key] for key in ("ai_response", "prompt") if key in latencies]
    return (sum((s[0] for s in spans), Decimal(0)), sum((s[1] for s in spans), Decimal(0))) if spans else None


def version_told(reading: Reading, today: date) -> tuple[tuple[int, str], list[str]]:
    """Return a rate card's version and effective date, and notes on how they differ from the service's own values.

    ``today`` is used if the service sends no valid date.
    """
    notes = []
    version, told = 0, reading.version
    if told is not None and told >= 0 and told == int(told):
        version = int(told)
    else:
        said = "gives no version" if told is None else f"gives {told:f} as its version, which is not a whole number"
        notes.append(f"The service {said}, so 0 was written.")
    try:
        effective = date.fromisoformat(reading.date or "")
    except ValueError:
        effective = today
        said = "gives no effective date" if not reading.date else f"gives '{reading.date}' as its effective date"
        notes.append(f"The service {said}, so today's date was written.")
    return (version, effective.isoformat()), notes


def _defaults(
    first: Reading, discovery: Discovery, chosen: Mapping[Kind, Mapping[str, CardOption]]
) -> tuple[dict[str, str | bool], dict[str, int | Decimal], list[str]]:
    """Return the defaults that the service echoed or listed. Others are taken from the reference card, with a note."""
    reference, instead = load_card(), []
    selections: dict[str, str | bool] = {}
    for name in reference.selections:
        told: Any = first.selections.get(name, discovery.selections.get(name))
        usable = isinstance(told, bool) if name in FLAGS else told in chosen.get(name, ())  # type: ignore[call-overload]
        if usable:
            selections[name] = told
            continue
        usual: Any = reference.selections[name]
        if name not in FLAGS and usual not in chosen[name]:  # type: ignore[index]
            usual = next(iter(chosen[name]))  # type: ignore[index]
        selections[name] = usual
        instead.append(f"{name} {str(usual).lower()}")
    assumptions: dict[str, int | Decimal] = {}
    for name in QUANTITIES:
        amount = first.assumptions.get(name, discovery.assumptions.get(name))
        if amount is None or not 0 <= amount <= MAX_QUANTITY:
            amount = reference.assumptions[name]
            instead.append(f"{name} {amount}")
        assumptions[name] = amount
    note = (
        "The service does not report all of its defaults. The rate card contains these values instead: "
        f"{', '.join(instead)}."
    )
    return selections, assumptions, [note] if instead else []


def _subscriptions(discovery: Discovery) -> tuple[tuple[Subscription, ...], list[str]]:
    subscriptions, left_out = [], []
    for offered in discovery.subscriptions:
        amounts = (offered.monthly_credits, offered.price)
        if offered.tier in TIERS and all(amount is not None and 0 <= amount <= MAX_QUANTITY for amount in amounts):
            subscriptions.append(Subscription(offered.key or offered.label, offered.label, *amounts, offered.tier))  # type: ignore[arg-type]
        else:
            left_out.append(offered.label)
    note = f"Subscriptions without credits, price or tier were left out: {', '.join(left_out)}."
    return tuple(subscriptions), [note] if left_out else []
