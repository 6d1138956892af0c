"""The configurations that a character may have (decision 63).

A character's record contains the code of a model, whereas the estimator has prices for options. This module finds the
option for a model code, and says how the option was found. If several options are possible, all of them are priced, and
a note says what the price depends on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.pins import Pins
from chartui.core.estimation.prompt import Prompt
from chartui.core.estimation.source import Source
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
from chartui.core.text import single_line

#: The members of a configuration, in the order of E 2.1.
MEMBERS: Final = ("llm", "memory", "knowledge", "stt", "tts", "animation")
_AUTO: Final = "auto"


class Facts(NamedTuple):
    """The known facts that determine a character's price.

    ``level`` is the reasoning level, or None if none is set. ``level_from`` says where the level comes from, or is None
    if the level is unknown. ``levels`` holds the model's levels and the meaning of ``auto``, or is None if the model is
    unknown. ``sure`` is False if the levels are known only from the built-in catalogue. ``memory`` and ``voice`` are
    None if they are missing from the record. ``prompt`` holds the lengths of the texts in the prompt, or is None if
    these texts were not read.
    """

    code: str | None
    code_from: Source = Source.RECORD
    level: str | None = None
    level_from: Source | None = Source.RECORD
    levels: ReasoningLevels | None = None
    sure: bool = True
    memory: bool | None = None
    voice: str | None = None
    prompt: Prompt | None = None


class Inputs(NamedTuple):
    """Values to use when estimating a character's cost, keyed by field.

    ``given`` contains values that override the character's record. ``chosen`` contains values for fields that are
    missing from the record, and ``chosen_from`` says where these values come from. ``defaults`` holds the service's
    defaults, as far as they are known.
    """

    chosen: Mapping[str, str | bool] = {}
    chosen_from: Source = Source.FORM
    given: Mapping[str, str | bool] = {}
    defaults: Mapping[str, str | bool] = {}


class Part(NamedTuple):
    """A field of the configuration, with its possible values, their source, and sentences that explain them.

    The value None stands for a default that the service does not report. A field without values is unknown. ``assumed``
    is true if the values are assumptions.
    """

    member: str
    values: tuple[str | bool | None, ...]
    source: Source
    why: str
    assumed: bool = False


class CharacterMap(NamedTuple):
    """The possible configurations of a character.

    ``unknown`` says why the price is unknown, and is empty if the price is known. If several models are possible, or if
    the only possible model is unconfirmed, ``decides`` says what the price depends on. Otherwise, ``decides`` is empty.
    ``candidates`` lists the estimator options that the model code may stand for. Users can pin any of these options.
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
        """The possible configurations, each keyed by field. For a missing field, the service's default is used."""
        if self.unknown:
            return ()
        said = [p for p in self.parts if p.member != "llm" and p.source is not Source.DEFAULT]
        fixed = {p.member: p.values[0] for p in said if p.values[0] is not None}
        return tuple({"llm": key, **fixed} for key in self.part("llm").values if key is not None)


def map_character(facts: Facts, inputs: Inputs, pins: Pins) -> CharacterMap:
    """Find the possible configurations of a character.

    Pinned prices are used. ``inputs`` provides values that are missing from the character's record.
    """
    model = _model(facts, inputs, pins)
    others = {
        "memory": _memory(facts, inputs),
        "tts": _voice(facts, inputs, pins),
        **{member: _of_inputs(member, inputs, _NEVER_SAID) for member in ("knowledge", "stt", "animation")},
    }
    parts = tuple(model.part if member == "llm" else others[member] for member in MEMBERS)
    return CharacterMap(facts, parts, model.unknown, model.decides, model.candidates)


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
        own = f"The code may belong to one of the account's custom models, priced as {OWN_ENDPOINT}."
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
        return _at_level(facts, entry, facts.level, f"The reasoning level is {single_line(facts.level, limit=40)}.")
    default = facts.levels.default if facts.levels is not None else None
    if default is None:
        return _over_levels(facts, entry, "the level that auto resolves to")
    by_whom = "" if facts.sure else ", according to the built-in catalogue"
    said = f"The reasoning level is auto, and the default of this model is {default}{by_whom}."
    return _at_level(facts, entry, default, said)


def _unread(facts: Facts) -> str:
    """Return a remark about an unreadable level if some levels of the model have no price, or an empty string."""
    unpriced = [level for level in facts.levels.levels if level in UNPRICED_LEVELS] if facts.levels is not None else []
    if facts.level_from is not None or not unpriced:
        return ""
    return f" The reasoning level cannot be read. At {' or '.join(unpriced)}, the price would be unknown."


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
        shown = single_line(level or "", limit=40)
        doubt = f" The pinned option is for level {of_key}, but the character's level is {shown}."
    part = Part(
        "llm", (key,), Source.TABLE, f"You pinned the price for {_quoted(facts.code)}.{doubt}", assumed=bool(doubt)
    )
    return _Model(part, candidates=entry.candidates if entry is not None else (OWN_ENDPOINT,))


#: Level suffixes of the estimator's keys.
_LEVELS: Final = frozenset({"none", "minimal", "low", "medium", "high"})

_NEVER_SAID: Final = "A character's record does not contain this value."


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
            "tts", (pins.voices[facts.voice],), Source.TABLE, f"You pinned the price for {_quoted(facts.voice)}."
        )
    return _of_inputs(
        "tts",
        inputs,
        f"It is unknown which option the voice {_quoted(facts.voice)} uses. The option shown is assumed.",
        assumed=True,
    )


class Applicable(NamedTuple):
    """The settings that match an estimator option: a model code and, if it matters, a reasoning level.

    ``assumed`` is true if the match is a guess.
    """

    code: str
    level: str | None
    reason: str
    assumed: bool = False


def applicable_as(key: str, pins: Pins) -> tuple[tuple[Applicable, ...], str]:
    """Return the settings that make a character use the estimator's model ``key``, or the reason why there are none.

    Model codes that the user pinned to ``key`` come last.
    """
    found = [
        Applicable(code, level, entry.reason, entry.assumed)
        for code, level in codes_for(key)
        if (entry := counterpart(code)) is not None
    ]
    found += [Applicable(c, None, "From your pinned prices.") for c, pinned in pins.models.items() if pinned == key]
    why = "" if found else key_without_code(key) or f"The catalogue has no “{key}” option and no model code for it."
    return tuple(found), why
