"""Which configuration a character amounts to, and what that costs: a known price, a range, or unknown (decision 63).

The record names a model code, the estimator prices keys: the map leads from one to the other, with its reason. Where it
does not lead to one key, nothing is picked: all keys that it may be are priced, and what decides between them is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from chartui.core.estimation.pins import Pins
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.jsontext import Wire, canonical
from chartui.core.spec.catalogue import (
    OWN_ENDPOINT,
    UNPRICED_LEVELS,
    Counterpart,
    ReasoningLevels,
    codes_for,
    counterpart,
    key_at_level,
    key_without_code,
)
from chartui.core.spec.models.estimation import Estimate, LatencyRange, Totals

if TYPE_CHECKING:
    from chartui.core.estimation.card import RateCard
    from chartui.core.sheet import Sheet
    from chartui.core.spec.models.estimation import Assumptions

#: The members of a configuration, in the order of E 2.1.
MEMBERS: Final = ("llm", "memory", "knowledge", "stt", "tts", "animation")
_AUTO: Final = "auto"


class Source(StrEnum):
    """Where a value comes from."""

    GIVEN = "given"  # said beside the question, which goes before what the record says
    RECORD = "record"
    STAGED = "staged"
    KNOWN_HERE = "known here"  # cannot be read back: the last value written from this machine
    TABLE = "your table"
    FORM = "present form"
    PRESET = "preset"
    DEFAULT = "default"  # the service's own, where nobody chose


class Facts(NamedTuple):
    """What is known of a character that its price depends on.

    ``level`` is None when none is set, and ``level_from`` None when nobody knows what is set. ``levels`` are those that
    the model takes, with what ``auto`` comes to; None where nothing is known of the model, and not ``sure`` where only
    our catalogue says it. ``memory`` and ``voice`` are None where the record does not say.
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
    """The configuration that one works with at the moment, for what no record says: by the members' names.

    ``given`` goes before the record, ``chosen`` after it, and ``chosen_from`` says where the latter comes from.
    ``defaults`` is what the service takes otherwise, as far as it told that.
    """

    chosen: Mapping[str, str | bool] = {}
    chosen_from: Source = Source.FORM
    given: Mapping[str, str | bool] = {}
    defaults: Mapping[str, str | bool] = {}


class Part(NamedTuple):
    """One member of the configuration: its value, or all that it may be; where from; and why, in sentences.

    The value None is the service's default, where the service does not tell it. Without any value the member is
    unknown. ``assumed`` marks what nobody has said.
    """

    member: str
    values: tuple[str | bool | None, ...]
    source: Source
    why: str
    assumed: bool = False


class CharacterMap(NamedTuple):
    """What a character amounts to.

    ``unknown`` says why there is no price; empty when there is one. ``decides`` says what the price depends on where
    the model may be several, or one that nobody has confirmed; empty where it is one. ``candidates`` are what the code
    may stand for, to be pinned.
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
        """Each configuration that it may be, by the members' names; what is left out takes the service's default."""
        if self.unknown:
            return ()
        said = [p for p in self.parts if p.member != "llm" and p.source is not Source.DEFAULT]
        fixed = {p.member: p.values[0] for p in said if p.values[0] is not None}
        return tuple({"llm": key, **fixed} for key in self.part("llm").values if key is not None)


def map_character(facts: Facts, inputs: Inputs, pins: Pins) -> CharacterMap:
    """What a character amounts to, with the user's table and, for what its record does not say, the present inputs."""
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
        return _Model(Part("llm", (inputs.given["llm"],), Source.GIVEN, "Given, whatever the character's model is."))
    code = facts.code
    if not code:
        return _nothing(facts, "The record names no model.")
    entry = counterpart(code)
    if facts.level_from is not None and facts.level in UNPRICED_LEVELS:
        return _nothing(facts, f"The estimator has no option for the reasoning level '{facts.level}'.")
    if entry is not None and entry.keys:
        return _by_map(facts, entry)
    if code in pins.models:
        return _pinned(facts, pins.models[code], entry)
    if entry is None:
        why = f"'{code}' is not in the catalogue. It may be a model of the account's own, priced as {OWN_ENDPOINT}."
        return _nothing(facts, why, (OWN_ENDPOINT,))
    if not entry.candidates:
        return _nothing(facts, entry.reason)
    why = f"{entry.reason}{_unread(facts)}"
    part = Part("llm", entry.candidates, _source(facts, by_level=False), why, assumed=True)
    return _Model(part, decides=f"which model '{code}' stands for", candidates=entry.candidates)


def _nothing(facts: Facts, why: str, candidates: tuple[str, ...] = ()) -> _Model:
    return _Model(Part("llm", (), _source(facts, by_level=False), why), unknown=why, candidates=candidates)


def _source(facts: Facts, *, by_level: bool) -> Source:
    found = (facts.code_from, facts.level_from if by_level else None)
    return next((s for s in (Source.STAGED, Source.KNOWN_HERE) if s in found), Source.RECORD)


def _by_map(facts: Facts, entry: Counterpart) -> _Model:
    single = entry.keys.get(None)
    if single is not None:
        unread = _unread(facts)
        leveled = facts.levels is not None and facts.levels.levels
        why = entry.reason + (unread or (" One price, whatever the reasoning level." if leveled else ""))
        assumed = entry.assumed or bool(unread)
        return _Model(Part("llm", (single,), _source(facts, by_level=False), why, assumed=assumed))
    if facts.level_from is None:
        return _over_levels(facts, entry, "the reasoning level, which this service does not tell")
    if facts.level is None:
        return _over_levels(facts, entry, "the reasoning level, which is not set")
    if facts.level != _AUTO:
        return _at_level(facts, entry, facts.level, f"The level is {facts.level}.")
    default = facts.levels.default if facts.levels is not None else None
    if default is None:
        return _over_levels(facts, entry, "what the reasoning level auto comes to")
    by_whom = "" if facts.sure else ", by our catalogue"
    said = f"The level is auto; {default} is what this model does by default{by_whom}."
    return _at_level(facts, entry, default, said)


def _unread(facts: Facts) -> str:
    """What has to be added where a level cannot be read, and some that the model takes have no price."""
    unpriced = [level for level in facts.levels.levels if level in UNPRICED_LEVELS] if facts.levels is not None else []
    if facts.level_from is not None or not unpriced:
        return ""
    return f" Which level is set cannot be read; {' or '.join(unpriced)} would have no price."


def _over_levels(facts: Facts, entry: Counterpart, decides: str) -> _Model:
    keys = tuple(entry.keys.values())
    return _Model(Part("llm", keys, _source(facts, by_level=True), entry.reason, assumed=True), decides=decides)


def _at_level(facts: Facts, entry: Counterpart, level: str, said: str) -> _Model:
    key = key_at_level(entry.code, level)
    if key is None:
        return _nothing(facts, f"The estimator has no option for '{entry.code}' at the reasoning level '{level}'.")
    assumed = entry.assumed or facts.level == _AUTO
    return _Model(Part("llm", (key,), _source(facts, by_level=True), f"{entry.reason} {said}", assumed=assumed))


def _pinned(facts: Facts, key: str, entry: Counterpart | None) -> _Model:
    doubt = _unread(facts)
    level = facts.level if facts.level_from is not None else None
    of_key = key.rpartition("_")[2]
    if level not in (None, _AUTO, of_key) and of_key in _LEVELS:
        doubt = f" It names the level {of_key}, and the character's is {level}."
    part = Part("llm", (key,), Source.TABLE, f"Your table says so of '{facts.code}'.{doubt}", assumed=bool(doubt))
    return _Model(part, candidates=entry.candidates if entry is not None else (OWN_ENDPOINT,))


#: The levels that the estimator's keys end in.
_LEVELS: Final = frozenset({"none", "minimal", "low", "medium", "high"})

# -- the rest ----------------------------------------------------------------------------------------------------------

_NEVER_SAID: Final = "No record says it."


def _of_inputs(member: str, inputs: Inputs, why: str, *, assumed: bool = False) -> Part:
    if member in inputs.given:
        return Part(member, (inputs.given[member],), Source.GIVEN, "Given, whatever the record says.")
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
        return Part("tts", (pins.voices[facts.voice],), Source.TABLE, f"Your table says so of '{facts.voice}'.")
    return _of_inputs("tts", inputs, f"Your table does not say what '{facts.voice}' is billed as.", assumed=True)


# -- what it costs -----------------------------------------------------------------------------------------------------


class Priced(NamedTuple):
    """What a configuration costs: the service's own estimate, which has a total, or why it gave none."""

    llm: str | None
    estimate: Estimate | None
    problem: str = ""


class Span(NamedTuple):
    """The least and the most of something."""

    min: Decimal
    max: Decimal


class CharacterCost(NamedTuple):
    """What a character costs: ``priced`` holds each configuration that it may be, in the map's order."""

    mapped: CharacterMap
    priced: tuple[Priced, ...] = ()

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        return tuple(one.estimate for one in self.priced if one.estimate is not None)

    @property
    def doubt(self) -> str:
        """What makes no sense in the estimates, in a sentence; empty for most."""
        return next((one.doubt for one in self.estimates if one.doubt), "")

    @property
    def exact(self) -> Estimate | None:
        return self.estimates[0] if self.estimates and not self.mapped.decides else None

    @property
    def unknown(self) -> str:
        """Why there is no price, in a sentence; empty when there is one."""
        if self.estimates:
            return ""
        return self.mapped.unknown or next((one.problem for one in self.priced), "Nobody was asked for the price.")

    @property
    def unpriced(self) -> tuple[Priced, ...]:
        """What else it may be, without a price."""
        return tuple(one for one in self.priced if one.estimate is None) if self.estimates else ()

    @property
    def cheapest(self) -> Estimate | None:
        return min(self.estimates, key=_credits, default=None)

    @property
    def dearest(self) -> Estimate | None:
        return max(self.estimates, key=_credits, default=None)

    @property
    def credits(self) -> Span | None:
        """Credits per interaction, from the cheapest to the dearest that is known; None without a price."""
        low, high = self.cheapest, self.dearest
        return Span(low.known_credits, high.known_credits) if low is not None and high is not None else None

    @property
    def latency(self) -> Span | None:
        """Milliseconds, from the least to the most of all; None where one of them gives none."""
        ranges = [estimate.latency_ms for estimate in self.estimates]
        known = [latency for latency in ranges if latency is not None]
        if not known or len(known) < len(ranges):
            return None
        return Span(min(latency.min for latency in known), max(latency.max for latency in known))


def _credits(estimate: Estimate) -> Decimal:
    return estimate.known_credits


def cost_as_wire(cost: CharacterCost) -> dict[str, Wire]:
    """Mapping, estimates and range as JSON: a member's ``value`` is null where it may be several or is not known."""
    credits_, latency = cost.credits, cost.latency
    ranging = credits_ is not None and cost.exact is None
    return {
        "mapping": [
            {
                "member": part.member,
                "value": value_of(cost, part) if len(part.values) == 1 else None,
                "candidates": list(part.values) if len(part.values) > 1 else [],
                "from": part.source.value,
                "assumed": part.assumed,
                "reason": part.why,
            }
            for part in cost.mapped.parts
        ],
        "estimates": [estimate.raw for estimate in cost.estimates],
        "range": {
            "credits": credits_._asdict() if credits_ is not None else None,
            "latency_ms": latency._asdict() if latency is not None else None,
            "decided_by": cost.mapped.decides,
            "unpriced": [{"llm": one.llm, "reason": one.problem} for one in cost.unpriced],
        }
        if ranging
        else None,
        "unknown": cost.unknown or None,
    }


def cost_sheet(cost: CharacterCost, title: str) -> Sheet:
    """The mapping as a table: member, value, where from, whether assumed, why; the price is in the notes."""
    from chartui.core.sheet import Column, Sheet

    rows = [(p.member, value_of(cost, p), p.source.value, p.assumed, p.why) for p in cost.mapped.parts]
    columns = tuple(map(Column, ("member", "value", "from", "assumed", "reason")))
    return Sheet(title, columns, tuple(rows), (price_text(cost),))


def value_of(cost: CharacterCost, part: Part) -> Wire:
    """The value of a part; of a default that only the service knows, what it said it took (decision 8)."""
    if len(part.values) != 1:
        return list(part.values) or None
    [value] = part.values
    echoed = cost.estimates[0].selections if value is None and cost.estimates else None
    return getattr(echoed, part.member) if echoed is not None else value


def price_text(cost: CharacterCost) -> str:
    """The price in a sentence, with all its decimals."""
    span = cost.credits
    if span is None:
        return f"Unknown: {cost.unknown}"
    if cost.exact is not None:
        return f"{canonical(span.min)} credits per interaction."
    return f"{canonical(span.min)} to {canonical(span.max)} credits per interaction, by {cost.mapped.decides}."


# -- the other way -----------------------------------------------------------------------------------------------------


class Applicable(NamedTuple):
    """What a character can be given so that it is priced as a key: a model code and, where it matters, a level.

    ``assumed`` says that the match of code and key is a guess of ours.
    """

    code: str
    level: str | None
    reason: str
    assumed: bool = False


def applicable_as(key: str, pins: Pins) -> tuple[tuple[Applicable, ...], str]:
    """As what the model of a configuration can be given to a character, and, where as nothing, why.

    Codes that the user pinned to the key come after those of the map.
    """
    found = [
        Applicable(code, level, entry.reason, entry.assumed)
        for code, level in codes_for(key)
        if (entry := counterpart(code)) is not None
    ]
    found += [Applicable(c, None, "Your table says so.") for c, pinned in pins.models.items() if pinned == key]
    why = "" if found else key_without_code(key) or f"The catalogue has no '{key}', and nobody knows a code for it."
    return tuple(found), why


def pricing_for(card: RateCard, assumptions: Assumptions) -> Pricing:
    """The shares of a card's options for these quantities; what is not given is the card's own."""
    default = Quantities.default(card)
    given = {name: value for name in Quantities._fields if (value := getattr(assumptions, name)) is not None}
    return Pricing(card, default._replace(**given))


def reckon(mapped: CharacterMap, pricing: Pricing) -> CharacterCost:
    """What each configuration that a character may be costs by these rates; an option that they lack has no price."""
    return CharacterCost(mapped, tuple(_priced(mapped, pricing)))


def _priced(mapped: CharacterMap, pricing: Pricing) -> Iterator[Priced]:
    default = Configuration.default(pricing.card)
    for configuration in mapped.configurations:
        whole = default._replace(**configuration)  # type: ignore[arg-type]
        amount, latency = pricing.credits(whole), pricing.latency(whole)
        if amount is None:
            yield Priced(whole.llm, None, f"The rates have no '{whole.llm}', or not what goes with it.")
            continue
        ends = None if latency is None else LatencyRange(min=Decimal(latency[0]), max=Decimal(latency[1]))
        yield Priced(whole.llm, Estimate(totals=Totals(credits=amount), lines=(), latency_ms=ends))
