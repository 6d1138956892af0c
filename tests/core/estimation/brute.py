"""Every configuration asked for one by one, and picked from by comparing all with all: what a search has to equal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import product
from typing import NamedTuple

from hypothesis import strategies as st

from chartui.core.estimation.card import FREE, QUANTITIES, CardOption, RateCard, rates_of
from chartui.core.estimation.constraints import FEATURES, Constraints, Need
from chartui.core.estimation.estimator import Estimator
from chartui.core.estimation.prices import Configuration, Quantities, has_speech_in, has_speech_out, remarks_on
from chartui.core.spec.catalogue import Kind, is_beta_key, option, options

#: Credits and milliseconds at the most of a configuration.
Figures = tuple[Decimal, int | None]


class Fact(NamedTuple):
    """A configuration with its figures, and what can be asked about it: a truth for each of :data:`FEATURES`."""

    configuration: Configuration
    credits: Decimal
    latency: int | None
    there: tuple[bool, ...]
    family: str
    hearing: str | None
    speaking: str | None


class Best(NamedTuple):
    """How many fit, and the front: figures, how many have them, and the first of these."""

    number: int
    front: list[tuple[Decimal, int | None, int, Configuration]]


def every_configuration(keys: Mapping[Kind, Iterable[str]]) -> Iterator[Configuration]:
    flags = (False, True)
    kinds = keys["llm"], flags, flags, keys["stt"], keys["tts"], keys["animation"]
    return (Configuration(*chosen) for chosen in product(*kinds))


def fact(configuration: Configuration, figures: Figures) -> Fact:
    remarks = remarks_on(configuration)
    there = {
        "memory": configuration.memory,
        "knowledge": configuration.knowledge,
        "speech_in": has_speech_in(configuration),
        "speech_out": has_speech_out(configuration),
        "animation": configuration.animation != "no_animation",
        "realtime": configuration.realtime,
        "billed_elsewhere": any(remark.unpriced for remark in remarks),
        "unusual_inputs": any(remark.unusual for remark in remarks),
        "beta": is_beta_key(configuration.llm),
    }
    return Fact(
        configuration,
        *figures,
        tuple(there[name] for name in FEATURES),
        group("llm", configuration.llm),
        None if configuration.stt in FREE["stt"] else group("stt", configuration.stt),
        None if configuration.tts in FREE["tts"] else group("tts", configuration.tts),
    )


def group(kind: Kind, key: str) -> str:
    known = option(kind, key)
    return known.family if known else "Other"


def estimated(card: RateCard, quantities: Quantities) -> Callable[[Configuration], Figures]:
    estimator, assumptions = Estimator(card), dict(zip(QUANTITIES, quantities, strict=True))

    def ask(configuration: Configuration) -> Figures:
        body = estimator.estimate({"selections": configuration._asdict(), "assumptions": assumptions})
        latency = body["latency_ms"]
        return body["totals"]["credits"], latency and latency["max"]

    return ask


def fitting(facts: Iterable[Fact], constraints: Constraints) -> list[Fact]:
    wanted = [
        (i, need is Need.MUST)
        for i, name in enumerate(FEATURES)
        if (need := getattr(constraints, name)) is not Need.ANY
    ]
    families = constraints.families
    hearing, speaking = ({None, *of} for of in (constraints.speech_in_vendors, constraints.speech_out_vendors))
    month = constraints.max_monthly_credits if constraints.interactions is not None else None
    most, slowest = constraints.max_credits, constraints.max_latency
    return [
        fact
        for fact in facts
        if all(fact.there[i] is there for i, there in wanted)
        and (not families or fact.family in families)
        and (len(hearing) == 1 or fact.hearing in hearing)
        and (len(speaking) == 1 or fact.speaking in speaking)
        and (month is None or fact.credits * (constraints.interactions or 0) <= month)
        and (most is None or fact.credits <= most)
        and (slowest is None or (fact.latency is not None and fact.latency <= slowest))
    ]


def unpriced(fact: Fact, constraints: Constraints) -> bool:
    """Whether a search leaves it out, since nobody knows what a provider bills for it."""
    return constraints.billed_elsewhere is Need.ANY and fact.there[FEATURES.index("billed_elsewhere")]


def best(facts: Iterable[Fact], constraints: Constraints) -> Best:
    """What a search has to find; where latencies are unknown only credits count."""
    fit = [found for found in fitting(facts, constraints) if not unpriced(found, constraints)]
    points: dict[tuple[Decimal, int | None], list[Configuration]] = {}
    for found in fit:
        points.setdefault((found.credits, found.latency), []).append(found.configuration)
    cheapest_first = sorted(points, key=lambda point: point[0])
    front = [
        (*point, len(points[point]), points[point][0])
        for point in cheapest_first
        if not any(beats(other, point) for other in cheapest_first)
    ]
    return Best(len(fit), front)


def beats(one: tuple[Decimal, int | None], other: tuple[Decimal, int | None]) -> bool:
    return one != other and one[0] <= other[0] and (one[1] or 0) <= (other[1] or 0)


# -- what to ask ------------------------------------------------------------------------------------------------------


def constraints(facts: list[Fact]) -> st.SearchStrategy[Constraints]:
    """Constraints of every sort, with limits on, just below and just above figures that there are."""
    some = st.sampled_from(facts)
    timed = facts[0].latency is not None
    nudges = st.sampled_from([Decimal(0), Decimal("0.0000004"), Decimal("-0.000001"), Decimal(1)])
    prices = st.builds(lambda found, more: found.credits + more, some, nudges)
    latencies = st.builds(lambda found, more: (found.latency or 0) + more, some, st.sampled_from([0, -1, 1, 50]))
    groups = st.sampled_from(sorted({found.family for found in facts}))
    vendors = [
        st.sampled_from(sorted({name for found in facts if (name := getattr(found, of))} or {"Nobody"}))
        for of in ("hearing", "speaking")
    ]
    # Of few features: what asks for everything finds nothing.
    needs = st.dictionaries(st.sampled_from(FEATURES), st.sampled_from([Need.MUST, Need.MUST_NOT]), max_size=3)
    return st.builds(
        lambda features, **others: Constraints(**features, **others),
        needs,
        families=st.just(frozenset[str]()) | st.frozensets(groups, max_size=4),
        speech_in_vendors=st.just(frozenset[str]()) | st.frozensets(vendors[0], max_size=4),
        speech_out_vendors=st.just(frozenset[str]()) | st.frozensets(vendors[1], max_size=4),
        max_credits=st.none() | prices,
        max_monthly_credits=st.none() | prices.map(lambda price: abs(price) * 7),
        interactions=st.sampled_from([None, Decimal(7), Decimal(30)]),
        max_latency=st.none() | latencies if timed else st.none(),
    )


_POOL: dict[Kind, tuple[str, ...]] = {
    "llm": (
        "mdla_realtime_mini",
        "mdlc_2_5_flash_live",
        "mdlb_haiku_4_5",
        "mdla_4o",
        "byo_mdla_compatible_endpoint",
        "byo_live_endpoint",
        "somebody_new",
    ),
    "stt": ("stt_v2_vendora_real_time", "vendorc_stt_streaming", "new_ears"),
    "tts": ("tts_1", "vendore_3", "external_tts_via_api_key", "external_new", "new_voice"),
    "animation": ("service_neurosync", "another_face"),
}
#: Few different ones, so that many sums are equal.
_RATES = st.sampled_from([Decimal(0), Decimal("0.5"), Decimal(1), Decimal("1.5"), Decimal("0.000000001"), Decimal(7)])
_LATENCIES = st.none() | st.sampled_from([(0, 0), (0, 100), (100, 100), (50, 150), (100, 200)])
quantities = st.builds(
    Quantities, *[st.sampled_from([0, 1, 500, 1000, Decimal("0.5"), Decimal("33.3333"), 10**12]) for _ in range(4)]
)


@st.composite
def cards(draw: st.DrawFn, *, timed: bool | None = None) -> RateCard:
    """Small cards with options that the catalogue has and others, with equal rates, none, and equal latencies."""
    knows_latencies = draw(st.booleans()) if timed is None else timed
    tables = {kind: draw(_options(kind, timed=knows_latencies)) for kind in _POOL}
    first: dict[str, str | bool] = {kind: next(iter(table)) for kind, table in tables.items()}
    flat = {name: CardOption(name, name, {"flat": draw(_RATES)}, None) for name in ("memory", "knowledge", "platform")}
    return RateCard(
        version=1,
        effective_date="2026-10-01",
        selections={**first, "memory": False, "knowledge": False},
        assumptions=dict.fromkeys(QUANTITIES, 1),
        components=flat,
        options=tables,
        subscriptions=(),
        timed=knows_latencies,
    )


@st.composite
def _options(draw: st.DrawFn, kind: Kind, *, timed: bool) -> dict[str, CardOption]:
    pool = _POOL[kind]
    paid = draw(st.sets(st.sampled_from(pool), min_size=kind == "llm", max_size=3))
    known = [entry.key for entry in options(kind) if entry.key in paid or entry.key in FREE[kind]]
    others = [key for key in pool if key in paid and key not in known]
    return {key: draw(_option(kind, key, timed=timed)) for key in (*known, *others)}


@st.composite
def _option(draw: st.DrawFn, kind: Kind, key: str, *, timed: bool) -> CardOption:
    rates = {name: draw(_RATES) for name in rates_of(kind, key)}
    latency = draw(_LATENCIES) if timed and key not in FREE[kind] else None
    return CardOption(key, key.replace("_", " "), rates, latency)
