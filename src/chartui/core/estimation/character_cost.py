"""Determine the cost of a character: a known price, a range of prices, or unknown (decision 63).

A character's record contains the code of a model, whereas the estimator has prices for options. This module finds the
option for the code and says how the option was found. If several options are possible, all of them are priced, and a
note says what the price depends on.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from chartui.core.estimation.pins import Pins
from chartui.core.jsontext import Wire, canonical
from chartui.core.numbers import count, credits_text
from chartui.core.spec.catalogue import (
    OWN_ENDPOINT,
    UNPRICED_LEVELS,
    Counterpart,
    Kind,
    ReasoningLevels,
    codes_for,
    counterpart,
    key_at_level,
    key_without_code,
    option,
)
from chartui.core.spec.models.estimation import Estimate
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.sheet import Sheet

#: The members of a configuration, in the order of E 2.1.
MEMBERS: Final = ("llm", "memory", "knowledge", "stt", "tts", "animation")
_AUTO: Final = "auto"


class Source(StrEnum):
    GIVEN = "given"  # given by the user; overrides the record
    RECORD = "record"
    STAGED = "staged"
    KNOWN_HERE = "known here"  # the value cannot be read, so the last value written from this machine is used
    TABLE = "pinned"
    FORM = "current form"
    PRESET = "preset"
    DEFAULT = "default"  # the service's default


class Facts(NamedTuple):
    """The known facts about a character that determine its price.

    ``level`` is the reasoning level, or None if none is set. ``level_from`` is None if the level is unknown. ``levels``
    contains the model's levels and the meaning of ``auto``, or is None if the model is unknown. ``sure`` is False if
    the levels are known only from the built-in catalogue. ``memory`` and ``voice`` are None if the record lacks them.
    """

    code: str | None
    code_from: Source = Source.RECORD
    level: str | None = None
    level_from: Source | None = Source.RECORD
    levels: ReasoningLevels | None = None
    sure: bool = True
    memory: bool | None = None
    voice: str | None = None


class Inputs(NamedTuple):
    """Values to use when estimating the cost of a character, keyed by member.

    ``given`` overrides the character's record. ``chosen`` provides values that the record lacks, and ``chosen_from`` is
    the source of these values. ``defaults`` contains the known defaults of the service.
    """

    chosen: Mapping[str, str | bool] = {}
    chosen_from: Source = Source.FORM
    given: Mapping[str, str | bool] = {}
    defaults: Mapping[str, str | bool] = {}


class Part(NamedTuple):
    """A member of a configuration: its possible values, their source, and an explanation in sentences.

    The value None stands for a default that the service does not report. A member without values is unknown.
    ``assumed`` is true if the values are assumptions.
    """

    member: str
    values: tuple[str | bool | None, ...]
    source: Source
    why: str
    assumed: bool = False


class CharacterMap(NamedTuple):
    """The possible configurations of a character.

    ``unknown`` says why the price is unknown, and is empty if the price is known. If several models are possible or the
    match is unconfirmed, ``decides`` says what the price depends on; otherwise, it is empty. ``candidates`` lists the
    options of the estimator that the model code may stand for. You can pin any of these options.
    """

    facts: Facts
    parts: tuple[Part, ...]
    unknown: str = ""
    decides: str = ""
    candidates: tuple[str, ...] = ()

    def part(self, member: str) -> Part:
        return self.parts[MEMBERS.index(member)]

    @property
    def configurations(self) -> tuple[Mapping[str, str | bool], ...]:
        """The possible configurations, keyed by member. Missing members take the service's defaults."""
        if self.unknown:
            return ()
        said = [p for p in self.parts if p.member != "llm" and p.source is not Source.DEFAULT]
        fixed = {p.member: p.values[0] for p in said if p.values[0] is not None}
        return tuple({"llm": key, **fixed} for key in self.part("llm").values if key is not None)


def map_character(facts: Facts, inputs: Inputs, pins: Pins) -> CharacterMap:
    """Map a character to its possible configurations.

    ``inputs`` provides values that the character's record lacks. Pinned prices are used.
    """
    model = _model(facts, inputs, pins)
    others = {
        "memory": _memory(facts, inputs),
        "tts": _voice(facts, inputs, pins),
        **{member: _of_inputs(member, inputs, _NEVER_SAID) for member in ("knowledge", "stt", "animation")},
    }
    parts = tuple(model.part if member == "llm" else others[member] for member in MEMBERS)
    return CharacterMap(facts, parts, model.unknown, model.decides, model.candidates)


# -- the model ---------------------------------------------------------------------------------------------------------


class _Model(NamedTuple):
    part: Part
    unknown: str = ""
    decides: str = ""
    candidates: tuple[str, ...] = ()


def _model(facts: Facts, inputs: Inputs, pins: Pins) -> _Model:
    if "llm" in inputs.given:
        return _Model(Part("llm", (inputs.given["llm"],), Source.GIVEN, "Your value overrides the character's model."))
    code = facts.code
    if not code:
        return _nothing(facts, "The record names no model.")
    entry = counterpart(code)
    if facts.level_from is not None and facts.level in UNPRICED_LEVELS:
        return _nothing(facts, f"The estimator has no option for the reasoning level {_quoted(facts.level)}.")
    if entry is not None and entry.keys:
        return _by_map(facts, entry)
    if code in pins.models:
        return _pinned(facts, pins.models[code], entry)
    if entry is None:
        own = f"It may be a custom model of the account, priced as {OWN_ENDPOINT}."
        return _nothing(facts, f"{_quoted(code)} is not in the catalogue. {own}", (OWN_ENDPOINT,))
    if not entry.candidates:
        return _nothing(facts, entry.reason)
    why = f"{entry.reason}{_unread(facts)}"
    part = Part("llm", entry.candidates, _source(facts, by_level=False), why, assumed=True)
    return _Model(part, decides=f"which model {_quoted(code)} stands for", candidates=entry.candidates)


def _nothing(facts: Facts, why: str, candidates: tuple[str, ...] = ()) -> _Model:
    return _Model(Part("llm", (), _source(facts, by_level=False), why), unknown=why, candidates=candidates)


def _quoted(value: str | None) -> str:
    """Return a value of a record, quoted for a sentence. Long values are cut."""
    return f"“{single_line(value or '', limit=40)}”"


def _source(facts: Facts, *, by_level: bool) -> Source:
    found = (facts.code_from, facts.level_from if by_level else None)
    return next((s for s in (Source.STAGED, Source.KNOWN_HERE) if s in found), Source.RECORD)


def _by_map(facts: Facts, entry: Counterpart) -> _Model:
    single = entry.keys.get(None)
    if single is not None:
        unread = _unread(facts)
        leveled = facts.levels is not None and facts.levels.levels
        why = entry.reason + (unread or (" The price is the same at every reasoning level." if leveled else ""))
        assumed = entry.assumed or bool(unread)
        return _Model(Part("llm", (single,), _source(facts, by_level=False), why, assumed=assumed))
    if facts.level_from is None:
        return _over_levels(facts, entry, "the reasoning level, which this service does not report")
    if facts.level is None:
        return _over_levels(facts, entry, "the reasoning level, which is not set")
    if facts.level != _AUTO:
        return _at_level(facts, entry, facts.level, f"The level is {single_line(facts.level, limit=40)}.")
    default = facts.levels.default if facts.levels is not None else None
    if default is None:
        return _over_levels(facts, entry, "the level that auto resolves to")
    by_whom = "" if facts.sure else ", according to the built-in catalogue"
    said = f"The level is auto, and the default of this model is {default}{by_whom}."
    return _at_level(facts, entry, default, said)


def _unread(facts: Facts) -> str:
    """Return a remark about an unreadable level if some levels of the model have no price, or an empty string."""
    unpriced = [level for level in facts.levels.levels if level in UNPRICED_LEVELS] if facts.levels is not None else []
    if facts.level_from is not None or not unpriced:
        return ""
    return f" The level cannot be read. At {' or '.join(unpriced)}, the price would be unknown."


def _over_levels(facts: Facts, entry: Counterpart, decides: str) -> _Model:
    keys = tuple(entry.keys.values())
    return _Model(Part("llm", keys, _source(facts, by_level=True), entry.reason, assumed=True), decides=decides)


def _at_level(facts: Facts, entry: Counterpart, level: str, said: str) -> _Model:
    key = key_at_level(entry.code, level)
    if key is None:
        return _nothing(
            facts, f"The estimator has no option for “{entry.code}” at the reasoning level {_quoted(level)}."
        )
    assumed = entry.assumed or facts.level == _AUTO
    return _Model(Part("llm", (key,), _source(facts, by_level=True), f"{entry.reason} {said}", assumed=assumed))


def _pinned(facts: Facts, key: str, entry: Counterpart | None) -> _Model:
    doubt = _unread(facts)
    level = facts.level if facts.level_from is not None else None
    of_key = key.rpartition("_")[2]
    if level not in (None, _AUTO, of_key) and of_key in _LEVELS:
        doubt = (
            f" That option is for level {of_key}, but the character's level is {single_line(level or '', limit=40)}."
        )
    part = Part(
        "llm", (key,), Source.TABLE, f"You pinned the price of {_quoted(facts.code)}.{doubt}", assumed=bool(doubt)
    )
    return _Model(part, candidates=entry.candidates if entry is not None else (OWN_ENDPOINT,))


#: Level suffixes of the estimator's keys.
_LEVELS: Final = frozenset({"none", "minimal", "low", "medium", "high"})

# -- the rest ----------------------------------------------------------------------------------------------------------

_NEVER_SAID: Final = "A character's record does not say this."


def _of_inputs(member: str, inputs: Inputs, why: str, *, assumed: bool = False) -> Part:
    if member in inputs.given:
        return Part(member, (inputs.given[member],), Source.GIVEN, "Your value overrides the record.")
    if member in inputs.chosen:
        return Part(member, (inputs.chosen[member],), inputs.chosen_from, why, assumed=assumed)
    return Part(member, (inputs.defaults.get(member),), Source.DEFAULT, why, assumed=assumed)


def _memory(facts: Facts, inputs: Inputs) -> Part:
    if facts.memory is None or "memory" in inputs.given:
        return _of_inputs("memory", inputs, "The record does not say whether memory is on.", assumed=True)
    return Part("memory", (facts.memory,), Source.RECORD, f"Memory is {'on' if facts.memory else 'off'} in the record.")


def _voice(facts: Facts, inputs: Inputs, pins: Pins) -> Part:
    if "tts" in inputs.given or not facts.voice:
        return _of_inputs("tts", inputs, "The record names no voice.", assumed=True)
    if facts.voice in pins.voices:
        return Part(
            "tts", (pins.voices[facts.voice],), Source.TABLE, f"You pinned the price of {_quoted(facts.voice)}."
        )
    return _of_inputs("tts", inputs, f"No price is pinned for {_quoted(facts.voice)}.", assumed=True)


# -- what it costs -----------------------------------------------------------------------------------------------------


class Priced(NamedTuple):
    """The price of a configuration: the service's estimate, or the problem if there is no estimate with a total."""

    llm: str | None
    estimate: Estimate | None
    problem: str = ""


class Span(NamedTuple):
    min: Decimal
    max: Decimal


class CostStage(NamedTuple):
    """A component of the price, with its range over all estimates of a character. Unknown milliseconds are omitted.

    The credits are 0 for estimates that lack the component.
    """

    label: str
    credits: Span
    latency: Span | None


class CharacterCost(NamedTuple):
    """The cost of a character.

    ``priced`` contains the price of each possible configuration, in the order of ``mapped``. ``inputs`` describes the
    quantities of the interaction.
    """

    mapped: CharacterMap
    priced: tuple[Priced, ...] = ()
    inputs: str = "with default inputs"

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        return tuple(one.estimate for one in self.priced if one.estimate is not None)

    @property
    def doubt(self) -> str:
        """A sentence about an implausible estimate. Empty if all estimates are plausible."""
        return next((one.doubt for one in self.estimates if one.doubt), "")

    @property
    def exact(self) -> Estimate | None:
        return self.estimates[0] if self.estimates and not self.mapped.decides else None

    @property
    def unknown(self) -> str:
        """A sentence that says why the price is unknown. Empty if the price is known."""
        if self.estimates:
            return ""
        return self.mapped.unknown or next((one.problem for one in self.priced), "No price was requested.")

    @property
    def unpriced(self) -> tuple[Priced, ...]:
        """The possible configurations without a price. Empty if no configuration has a price."""
        return tuple(one for one in self.priced if one.estimate is None) if self.estimates else ()

    @property
    def cheapest(self) -> Estimate | None:
        return min(self.estimates, key=attrgetter("known_credits"), default=None)

    @property
    def dearest(self) -> Estimate | None:
        return max(self.estimates, key=attrgetter("known_credits"), default=None)

    @property
    def credits(self) -> Span | None:
        """The lowest and highest known prices in credits per interaction, or None if no price is known."""
        low, high = self.cheapest, self.dearest
        return Span(low.known_credits, high.known_credits) if low is not None and high is not None else None

    @property
    def stages(self) -> tuple[CostStage, ...]:
        """The components of the price, in the order in which the estimates list them."""
        estimates = [{line.key: line for line in estimate.lines} for estimate in self.estimates]
        stages = []
        for key in dict.fromkeys(key for lines in estimates for key in lines):
            found = [lines[key] for lines in estimates if key in lines]
            amounts = [line.credits for line in found] + [Decimal(0)] * (len(found) < len(estimates))
            known = [line.latency for line in found if line.latency is not None]
            latency = Span(min(one.min for one in known), max(one.max for one in known)) if known else None
            stages.append(CostStage(found[0].label or key, Span(min(amounts), max(amounts)), latency))
        return tuple(stages)

    @property
    def latency(self) -> Span | None:
        """The minimum and maximum latency in milliseconds, or None if any estimate lacks a latency."""
        ranges = [estimate.latency_ms for estimate in self.estimates]
        known = [latency for latency in ranges if latency is not None]
        if not known or len(known) < len(ranges):
            return None
        return Span(min(latency.min for latency in known), max(latency.max for latency in known))


def cost_as_wire(cost: CharacterCost) -> dict[str, Wire]:
    """Return the configuration, the estimates and the price range of a character as JSON data.

    A ``value`` is null if it is unknown or if several values are possible.
    """
    credits_, latency = cost.credits, cost.latency
    ranging = credits_ is not None and cost.exact is None
    return {
        "mapping": [
            {
                "member": part.member,
                "value": value_of(cost, part) if len(part.values) == 1 else None,
                "candidates": list(part.values) if len(part.values) > 1 else [],
                "source": part.source.value,
                "assumed": part.assumed,
                "reason": part.why,
            }
            for part in cost.mapped.parts
        ],
        "estimates": [estimate.raw for estimate in cost.estimates],
        "range": {
            "credits": credits_._asdict() if credits_ is not None else None,
            "latency_ms": latency._asdict() if latency is not None else None,
            "depends_on": cost.mapped.decides,
            "unpriced": [{"llm": one.llm, "reason": one.problem} for one in cost.unpriced],
        }
        if ranging
        else None,
        "unknown_reason": cost.unknown or None,
    }


def cost_sheet(cost: CharacterCost, title: str) -> Sheet:
    """Return the configuration of a character as a table of values, sources and reasons. The notes state the price."""
    from chartui.core.sheet import Column, Sheet

    rows = [(p.member, value_of(cost, p), p.source.value, p.assumed, p.why) for p in cost.mapped.parts]
    columns = tuple(map(Column, ("member", "value", "source", "assumed", "reason")))
    return Sheet(title, columns, tuple(rows), (price_text(cost),))


def value_of(cost: CharacterCost, part: Part) -> Wire:
    """Return the value of a member. An unknown default is taken from the service's estimate (decision 8)."""
    if len(part.values) != 1:
        return list(part.values) or None
    [value] = part.values
    echoed = cost.estimates[0].selections if value is None and cost.estimates else None
    return getattr(echoed, part.member) if echoed is not None else value


def value_words(cost: CharacterCost, part: Part) -> str:
    """Return the value of a member of the configuration in words."""
    value = value_of(cost, part)
    if isinstance(value, list):
        return f"one of {len(value)}"
    if value is None:
        return "the service's default" if part.values else "unknown"
    if isinstance(value, bool):
        return "on" if value else "off"
    found = option(cast("Kind", part.member), str(value))
    return found.label if found is not None else str(value)


def basis_text(*costs: CharacterCost) -> str:
    """Return sentences about the origin of the inputs and about assumed values. Empty if no price is known."""
    said, inputs = [], next((cost.inputs for cost in costs if cost.estimates), "")
    for cost in costs:
        for part in cost.mapped.parts:
            if part.assumed and part.member in _NOUNS and cost.estimates:
                source = "" if value_of(cost, part) is None else f" ({part.source.value})"
                said.append(f"{_NOUNS[part.member]} {value_words(cost, part)}{source}")
    assumed = f"Assumed: {', '.join(dict.fromkeys(said))}." if said else ""
    return f"{inputs.capitalize()}. {assumed}".strip() if inputs else assumed


_NOUNS: Final = {"memory": "memory", "tts": "speech output"}


def price_text(cost: CharacterCost) -> str:
    """Return a sentence that states the cost of a character with all decimal places."""
    span = cost.credits
    if span is None:
        return f"Unknown: {cost.unknown}"
    if cost.exact is not None:
        return f"{canonical(span.min)} credits per interaction {cost.inputs}."
    low, high = canonical(span.min), canonical(span.max)
    return f"{low} to {high} credits per interaction {cost.inputs}, depending on {cost.mapped.decides}."


def price_in_short(cost: CharacterCost) -> str:
    """Return the price, latency and inputs of an interaction in at most 60 cells, or why the price is unknown."""
    span, latency = cost.credits, cost.latency
    if span is None:
        return f"Unknown: {cost.unknown}"
    amount = "–".join(dict.fromkeys(map(credits_text, (span.min, span.max))))
    times = f", {count(latency.min)}–{count(latency.max)} ms" if latency is not None else ""
    return f"{amount} credits{times}, {cost.inputs.removeprefix('with ').removeprefix('the ')}"


# -- the other way -----------------------------------------------------------------------------------------------------


class Applicable(NamedTuple):
    """The settings that correspond to an option of the estimator: a model code and, if relevant, a reasoning level.

    ``assumed`` is true if these settings are a guess.
    """

    code: str
    level: str | None
    reason: str
    assumed: bool = False


def applicable_as(key: str, pins: Pins) -> tuple[tuple[Applicable, ...], str]:
    """Return the settings that make a character use the estimator's model ``key``, or the reason why there are none.

    Model codes that the user has pinned to ``key`` come last.
    """
    found = [
        Applicable(code, level, entry.reason, entry.assumed)
        for code, level in codes_for(key)
        if (entry := counterpart(code)) is not None
    ]
    found += [Applicable(c, None, "From your pinned prices.") for c, pinned in pins.models.items() if pinned == key]
    why = "" if found else key_without_code(key) or f"The catalogue has no option “{key}” and no model code for it."
    return tuple(found), why
