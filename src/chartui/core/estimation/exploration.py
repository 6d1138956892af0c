"""Explore all configurations. Count those that meet the constraints, and find their Pareto front.

A configuration consists of two independent halves (decisions 3 and 7). The first half is the model and speech input.
With a realtime model, the first half also includes speech output, whose rates depend on the model. The second half is
everything else. Both the credits and the latency of a configuration are sums over its two halves, so a few hundred
halves are enough to search all configurations. A half that is worse than another one in both credits and latency is
never part of a configuration on the front. Most configurations are therefore only counted.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from functools import cache, lru_cache
from math import inf
from typing import TypeAlias

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.estimation.constraints import REMARKS, Constraints, Need, features, one_in_words, without_limits
from chartui.core.estimation.prices import (
    Configuration,
    ModelPart,
    OptionPart,
    Pricing,
    as_credits,
    has_speech_in,
    has_speech_out,
    remarks_on,
)
from chartui.core.numbers import count, number_of
from chartui.core.sheet import Column, Sheet
from chartui.core.spec.catalogue import (
    KINDS,
    NO_ANIMATION,
    NO_STT,
    NO_TTS,
    Kind,
    is_billed_by_provider,
    is_realtime_key,
    options,
)


@dataclass(frozen=True, slots=True)
class Point:
    """A point on the Pareto front.

    It consists of the credits per interaction and the maximum latency (None if unknown). ``count`` is the number of
    configurations with these values, and ``first`` is the first of these configurations in catalogue order (decision
    61).
    """

    credits: Decimal
    latency: int | None
    count: int
    first: Configuration


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search.

    ``count`` is the number of configurations that meet the constraints, out of ``space`` configurations. ``space`` is
    the number of configurations that the options on the card allow. ``front`` is the Pareto front, from the cheapest to
    the fastest point. For a card without latencies, it contains only the cheapest point. ``own`` contains the options
    with a price set by the user (:attr:`RateCard.own`). ``unpriced`` is the number of configurations that have an
    unknown price but meet all constraints other than the limits on cost and latency. Their price is unknown because the
    card lacks an option, or because a provider bills an option for which the user has set no price. Configurations
    billed by a provider are not searched unless the constraints require them.
    """

    count: int
    space: int
    unpriced: int
    timed: bool
    front: tuple[Point, ...]
    own: frozenset[str] = frozenset()

    @property
    def cheapest(self) -> Point | None:
        """The cheapest configuration, or None if no configuration was found.

        Among configurations that cost the same, the fastest is returned.
        """
        return self.front[0] if self.front else None

    @property
    def fastest(self) -> Point | None:
        """The fastest configuration, or None if no configuration was found or latencies are unknown.

        Among configurations that are equally fast, the cheapest is returned.
        """
        return self.front[-1] if self.front and self.timed else None


#: One half of a configuration, or a whole configuration: its millionths of a credit, its maximum milliseconds, the
#: positions of its options in catalogue order, and how many halves or configurations have these figures. The positions
#: are those of the first of them.
_Share: TypeAlias = tuple[int, int, tuple[int, ...], int]


class _Marks(NamedTuple):
    """The properties that constraints check for both halves together.

    For example, a face is unusual if the other half has no speech output.
    """

    unusual: bool = False
    billed: bool = False
    silent: bool = False
    face: bool = False


_Side: TypeAlias = Mapping[_Marks, Sequence[_Share]]


class _Tables(NamedTuple):
    """The prices of the available options, as in :class:`~chartui.core.estimation.prices.Pricing`."""

    models: Mapping[str, ModelPart]
    stt: Mapping[str, OptionPart]
    tts: Mapping[str, OptionPart]
    animation: Mapping[str, OptionPart]
    memory: int
    knowledge: int
    platform: int
    own: frozenset[str] = frozenset()


def explore(pricing: Pricing, constraints: Constraints) -> Found:
    """Search all configurations of the options on a card, for one set of quantities.

    Raises :class:`Unsupported` for a limit on latency or price that the card does not support.
    """
    card = pricing.card
    constraints.check(card)
    limit = constraints.max_micro(card)
    most_micro = inf if limit is None else limit
    most_latency = inf if constraints.max_latency is None else constraints.max_latency
    searched = constraints
    if constraints.billed_elsewhere is Need.ANY:  # what they cost is unknown, so they are not the cheapest
        searched = replace(constraints, billed_elsewhere=Need.MUST_NOT)
    count, fitting, points = 0, 0, list[_Share]()
    for realtime in (False, True):
        for first, second in _blocks(_tables(pricing), searched, realtime=realtime):
            count += _count(first, second, most_micro, most_latency)
            fitting += len(first) * len(second)
            points += _sums(_pruned(first), _pruned(second))
    front = [p for p in _pruned(points) if p[0] <= most_micro and p[1] <= most_latency]
    keys = [list(card.options[kind]) for kind in KINDS]
    return Found(
        count=count,
        space=4 * len(pricing.models) * len(pricing.stt) * len(pricing.tts) * len(pricing.animation),
        unpriced=_unpriced(keys, constraints, card.own, fitting),
        timed=card.timed,
        front=tuple(
            Point(as_credits(micro), latency if card.timed else None, count, _configuration(keys, positions))
            for micro, latency, positions, count in front
        ),
        own=card.own,
    )


def _tables(pricing: Pricing) -> _Tables:
    return _Tables(
        pricing.models,
        pricing.stt,
        pricing.tts,
        pricing.animation,
        pricing.memory,
        pricing.knowledge,
        pricing.platform,
        pricing.card.own,
    )


def _configuration(keys: Sequence[Sequence[str]], positions: Sequence[int]) -> Configuration:
    llm, memory, knowledge, stt, tts, animation = positions
    models, hearing, voices, faces = keys
    return Configuration(models[llm], bool(memory), bool(knowledge), hearing[stt], voices[tts], faces[animation])


# -- the two sides ----------------------------------------------------------------------------------------------------


def _blocks(
    tables: _Tables, constraints: Constraints, *, realtime: bool
) -> Iterator[tuple[Sequence[_Share], Sequence[_Share]]]:
    """Yield pairs of lists.

    Every half in the first list can be combined with every half in the second. Each valid combination occurs once.
    """
    if not constraints.realtime.allows(realtime):
        return
    chosen = _Chosen(tables, constraints)
    firsts, seconds = (chosen.live(), chosen.beside_live()) if realtime else (chosen.text(), chosen.beside_text())
    for marks, first in firsts.items():
        second = [share for other, shares in seconds.items() if _fit(constraints, marks, other) for share in shares]
        if second:
            yield first, second


def _fit(constraints: Constraints, first: _Marks, second: _Marks) -> bool:
    unusual = first.unusual or second.unusual or (first.silent and second.face)
    return constraints.unusual_inputs.allows(unusual) and constraints.billed_elsewhere.allows(
        first.billed or second.billed
    )


class _Traits(NamedTuple):
    """The features of options other than models, according to :mod:`~chartui.core.estimation.prices`."""

    hears: bool
    speaks: bool
    unusual: bool


@cache
def _traits(realtime: bool, stt: str = NO_STT, tts: str = NO_TTS, animation: str = NO_ANIMATION) -> _Traits:
    beside = Configuration("live" if realtime else "text", False, False, stt, tts, animation)
    return _Traits(has_speech_in(beside), has_speech_out(beside), any(remark.unusual for remark in remarks_on(beside)))


_Choice: TypeAlias = tuple[int, str, OptionPart]


class _Chosen:
    """The allowed options with their positions, combined into first and second halves, for text models and for realtime
    models.

    The halves are grouped by the marks that the constraints check.
    """

    def __init__(self, tables: _Tables, constraints: Constraints) -> None:
        self._asked = constraints
        self._own = tables.own
        self._platform = tables.platform
        self._models = [
            (i, key, model)
            for i, (key, model) in enumerate(tables.models.items())
            if constraints.allows_option("llm", key)
        ]
        self._stt = self._allowed("stt", tables.stt)
        self._tts = self._allowed("tts", tables.tts)
        self._faces = [
            choice
            for choice in self._allowed("animation", tables.animation)
            if constraints.animation.allows(choice[1] != NO_ANIMATION)
        ]
        self._flat = [
            (memory, knowledge, memory * tables.memory + knowledge * tables.knowledge)
            for memory in (0, 1)
            for knowledge in (0, 1)
            if constraints.memory.allows(bool(memory)) and constraints.knowledge.allows(bool(knowledge))
        ]

    def _allowed(self, kind: Kind, parts: Mapping[str, OptionPart]) -> list[_Choice]:
        return [(i, key, part) for i, (key, part) in enumerate(parts.items()) if self._asked.allows_option(kind, key)]

    def _billed(self, key: str) -> bool:
        return is_billed_by_provider(key) and key not in self._own

    def _marks(self, unusual: bool, billed: bool, *, silent: bool = False, face: bool = False) -> _Marks:
        """Return the marks that the constraints check.

        Other marks are dropped, because they would split groups without need.
        """
        billed = billed and self._asked.billed_elsewhere is not Need.ANY
        if self._asked.unusual_inputs is Need.ANY:
            return _Marks(billed=billed)
        return _Marks(unusual, billed, silent, face)

    def text(self) -> _Side:
        side = defaultdict[_Marks, list[_Share]](list)
        heard = [
            (i, part.micro, _most(part), [self._marks(traits.unusual, billed) for billed in (False, True)])
            for i, key, part in self._stt
            if self._asked.speech_in.allows((traits := _traits(False, key)).hears)
        ]
        for llm, key, model in self._models:
            if model.realtime:
                continue
            thinking, latency, billed = model.prompt + model.response, _most(model), self._billed(key)
            for stt, hearing, delay, marks in heard:
                side[marks[billed]].append((thinking + hearing, latency + delay, (llm, stt), 1))
        return side

    def beside_text(self) -> _Side:
        side = defaultdict[_Marks, list[_Share]](list)
        for tts, voice, spoken in self._tts:
            for animation, face, moved in self._faces:
                traits = _traits(False, NO_STT, voice, face)
                if not self._asked.speech_out.allows(traits.speaks):
                    continue
                micro, latency = self._platform + spoken.micro + moved.micro, max(_most(spoken), _most(moved))
                side[self._marks(traits.unusual, self._billed(voice))] += (
                    (micro + flat, latency, (memory, knowledge, tts, animation), 1)
                    for memory, knowledge, flat in self._flat
                )
        return side

    def live(self) -> _Side:
        """Return the first halves with realtime models.

        Their speech options only switch hearing and speaking on or off.
        """
        side = defaultdict[_Marks, list[_Share]](list)
        voiced = [
            (
                (stt, tts),
                ears != NO_STT,
                voice != NO_TTS,
                [self._marks(traits.unusual, billed, silent=not traits.speaks) for billed in (False, True)],
            )
            for stt, ears, _ in self._stt
            for tts, voice, _ in self._tts
            if self._asked.speech_in.allows((traits := _traits(True, ears, voice)).hears)
            and self._asked.speech_out.allows(traits.speaks)
        ]
        for llm, key, model in self._models:
            if not model.realtime:
                continue
            latency, billed = _most(model), self._billed(key)
            for positions, hears, speaks, marks in voiced:
                micro = model.prompt + hears * model.hearing + speaks * model.speaking
                side[marks[billed]].append((micro, latency, (llm, *positions), 1))
        return side

    def beside_live(self) -> _Side:
        side = defaultdict[_Marks, list[_Share]](list)
        for animation, face, moved in self._faces:
            side[self._marks(False, False, face=face != NO_ANIMATION)] += (
                (self._platform + moved.micro + flat, _most(moved), (memory, knowledge, animation), 1)
                for memory, knowledge, flat in self._flat
            )
        return side


def _most(part: OptionPart | ModelPart) -> int:
    return part.latency[1] if part.latency else 0


# -- counting and pruning ---------------------------------------------------------------------------------------------


def _count(first: Sequence[_Share], second: Sequence[_Share], most_micro: float, most_latency: float) -> int:
    """Return the number of combinations of two halves within both limits.

    The count of each half must be 1. The slower a first half is, the fewer second halves are fast enough for it. The
    first halves are therefore tried from the slowest to the fastest, and the second halves that become fast enough are
    added to a list sorted by credits, in which a binary search counts those that are cheap enough.
    """
    if most_micro == most_latency == inf:
        return len(first) * len(second)
    waiting = sorted(((share[1], share[0]) for share in second), reverse=True)
    micros, count = list[int](), 0
    for latency, micro in sorted(((share[1], share[0]) for share in first), reverse=True):
        while waiting and waiting[-1][0] <= most_latency - latency:
            insort(micros, waiting.pop()[1])
        count += bisect_right(micros, most_micro - micro)
    return count


def _pruned(shares: Iterable[_Share]) -> list[_Share]:
    """Return the halves or configurations that no other beats, from the cheapest to the fastest.

    Those with equal figures are merged.
    """
    kept: list[_Share] = []
    for share in sorted(shares):
        micro, latency, positions, count = kept[-1] if kept else (0, inf, (), 0)
        if share[1] < latency:
            kept.append(share)
        elif share[:2] == (micro, latency):
            kept[-1] = share[0], share[1], positions, count + share[3]
    return kept


def _sums(first: Sequence[_Share], second: Sequence[_Share]) -> Iterator[_Share]:
    """Yield every combination of two halves, with their positions merged in the order of E 2.1.

    The positions of both halves are independent, so the first configuration with the figures consists of the first
    halves with theirs.
    """
    for a_micro, a_latency, (llm, *heard), a_count in first:
        for b_micro, b_latency, (memory, knowledge, *others), b_count in second:
            positions = (llm, memory, knowledge, *heard, *others)
            yield a_micro + b_micro, a_latency + b_latency, positions, a_count * b_count


def _unpriced(keys: Sequence[Sequence[str]], constraints: Constraints, own: frozenset[str], fitting: int) -> int:
    """Return the number of configurations without a known price that meet all constraints other than limits."""
    united = tuple(
        tuple(dict.fromkeys((*(entry.key for entry in options(kind)), *given)))
        for kind, given in zip(KINDS, keys, strict=True)
    )
    priced = all(len(every) == len(given) for every, given in zip(united, keys, strict=True))
    if priced and constraints.billed_elsewhere is not Need.ANY:
        return 0
    return _fitting(united, without_limits(constraints), own) - fitting


@lru_cache(maxsize=16)
def _fitting(keys: tuple[tuple[str, ...], ...], constraints: Constraints, own: frozenset[str]) -> int:
    """Return the number of configurations of these options that meet the constraints.

    Limits and quantities are ignored.
    """
    models = {key: ModelPart(is_realtime_key(key), 0, 0, 0, 0, None) for key in keys[0]}
    stt, tts, animation = (dict.fromkeys(kind, OptionPart(0, None)) for kind in keys[1:])
    tables = _Tables(models, stt, tts, animation, 0, 0, 0, own)
    blocks = (block for realtime in (False, True) for block in _blocks(tables, constraints, realtime=realtime))
    return sum(len(first) * len(second) for first, second in blocks)


# -- for export -------------------------------------------------------------------------------------------------------


def front_sheet(found: Found, notes: Sequence[str] = (), *, most: int | None = None) -> Sheet:
    """Return the Pareto front as a table of at most ``most`` points, cheapest first.

    ``notes`` are placed before the table's own notes.
    """
    columns = (
        Column("credits"),
        Column("latency_ms", "ms"),
        *map(Column, ("configurations", *Configuration._fields, *REMARKS)),
    )
    rows = tuple(
        (point.credits, point.latency, point.count, *point.first, *(has[name] for name in REMARKS))
        for point in found.front[:most]
        for has in (features(point.first, found.own),)
    )
    told = [f"{count(found.count)} of {count(found.space)} configurations meet the constraints."]
    if found.unpriced:
        told.append(f"The price of {number_of(found.unpriced, 'more configuration')} is unknown.")
    return Sheet("Pareto front: credits and latency", columns, rows, (*notes, *told))


class Loosened(NamedTuple):
    """A constraint that was removed, and the result of a search without it.

    The constraint is given as a field and as a phrase.
    """

    member: str
    phrase: str
    found: Found


def loosened(pricing: Pricing, constraints: Constraints) -> tuple[Loosened, ...]:
    """Return every constraint that, if removed on its own, would let a search find configurations.

    Each constraint comes with the result of that search. The list is empty if several constraints would have to be
    removed together. Raises :class:`Unsupported` like :func:`explore`.
    """
    nothing = Constraints()
    found = []
    for field in fields(Constraints):
        value, default = getattr(constraints, field.name), getattr(nothing, field.name)
        if value != default and (phrases := one_in_words(constraints, field.name)):
            without = explore(pricing, replace(constraints, **{field.name: default}))
            if without.count:
                found.append(Loosened(field.name, phrases[0], without))
    return tuple(found)
