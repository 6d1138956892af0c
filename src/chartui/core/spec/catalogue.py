"""The estimator's options and the model codes, in the specification's order (E 2.3 to 2.5, C 2.1).

The lists are data files, read at first use. Labels and names are chartui's own (decision 62). The files are JSON rather
than TOML because the standard library reads JSON thirty times faster, and the estimator's first screen waits for these
lists. For the same reason, records here are named tuples, which are declared five times faster than dataclasses.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from chartui.core.jsontext import Wire, loads

#: The selections whose values come from a list.
Kind = Literal["llm", "stt", "tts", "animation"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

INCLUDED_IN_REALTIME: Final = "included_in_realtime"
NO_STT: Final = "no_stt_input"
NO_TTS: Final = "no_tts"
NO_ANIMATION: Final = "no_animation"
OWN_ENDPOINT: Final = "byo_mdla_compatible_endpoint"
#: The maximum rate in credits, and the maximum number of its decimals (decision 2).
MAX_RATE: Final = 10**6
RATE_DECIMALS: Final = 9
#: The family of options missing from the catalogue (decision 62).
OTHER: Final = "Other"

_DATA: Final = Path(__file__).with_name("data")


class Option(NamedTuple):
    """A value of a selection.

    ``family`` is used to group options for display: a model family, a vendor, or a meaning.
    """

    key: str
    label: str
    family: str

    @property
    def realtime(self) -> bool:
        """Whether this is a live model (E 2.3)."""
        return is_realtime_key(self.key)


class ReasoningLevels(NamedTuple):
    """A model's reasoning levels (C 2.5), lowest first. ``default`` is the level that ``auto`` stands for, if known."""

    levels: tuple[str, ...]
    supports_auto: bool
    default: str | None

    @property
    def accepted(self) -> tuple[str, ...]:
        """All valid values, with ``auto`` last (decision 24)."""
        return (*self.levels, "auto") if self.supports_auto else self.levels


class ModelCode(NamedTuple):
    """A model for characters (C 2.1). If ``reasoning`` is None, no reasoning level is accepted (decision 21)."""

    code: str
    label: str
    group: str
    flagship: bool
    beta: bool
    reasoning: ReasoningLevels | None

    @property
    def live(self) -> bool:
        """Whether this model is in the realtime group.

        The group does not determine how the model is billed (decision 3).
        """
        return self.group == "Realtime / live"


def is_realtime_key(key: str) -> bool:
    """Return whether an **estimator** key stands for a live model: it contains ``realtime`` or ``live`` (decision 3).

    Do not use this for model codes, because two codes of live models map to keys that are billed as text.
    """
    return "realtime" in key or "live" in key


def is_billed_by_provider(key: str) -> bool:
    """Return whether an option is free here because its provider bills the user directly (decision 2)."""
    return key.startswith(("byo_", "external_"))


def read_data(name: str) -> Wire:
    return loads((_DATA / name).read_bytes())


@cache
def _options() -> dict[str, tuple[Option, ...]]:
    data = read_data("options.json")
    return {kind: tuple(Option(**entry) for entry in data[kind]) for kind in KINDS}


@cache
def _options_by_key(kind: Kind) -> dict[str, Option]:
    return {option.key: option for option in options(kind)}


def options(kind: Kind) -> tuple[Option, ...]:
    """Return every option of one selection, in the specification's order."""
    return _options()[kind]


def option(kind: Kind, key: str) -> Option | None:
    """Return one option, or None if it is not in the catalogue (decision 62)."""
    return _options_by_key(kind).get(key)


def family_of(kind: Kind, key: str) -> str:
    """Return the family or vendor of an option in the catalogue (default: :data:`OTHER`)."""
    known = option(kind, key)
    return known.family if known else OTHER


@cache
def _models() -> dict[str, ModelCode]:
    models = {}
    for entry in read_data("models.json")["models"]:
        levels = entry.pop("reasoning", None)
        if levels is not None:
            levels = ReasoningLevels(tuple(levels["levels"]), levels["supports_auto"], levels.get("default"))
        models[entry["code"]] = ModelCode(**entry, reasoning=levels)
    return models


def model_codes() -> tuple[ModelCode, ...]:
    """Return every model code, in the specification's order."""
    return tuple(_models().values())


def model_code(code: str) -> ModelCode | None:
    """Return one model, or None if it is unknown, because codes are an open set (decision 20)."""
    return _models().get(code)


#: Levels that have no option in the estimator, so that their cost is unknown (decision 21).
UNPRICED_LEVELS = frozenset({"xhigh", "max"})


class Counterpart(NamedTuple):
    """The estimator's keys for one model code.

    ``keys`` maps each reasoning level to its key; if the price does not depend on the level, None maps to the only key.
    It is empty if the model has no counterpart. ``assumed`` marks a match that is a guess (decision 3). ``candidates``
    are the possible meanings of a flagship alias, which are offered to the user and never chosen silently.
    """

    code: str
    keys: Mapping[str | None, str]
    reason: str
    assumed: bool = False
    candidates: tuple[str, ...] = ()


@cache
def _data() -> Wire:
    return read_data("model-map.json")


@cache
def _counterparts() -> dict[str, Counterpart]:
    found: dict[str, Counterpart] = {}
    for pair in _data()["pairs"]:
        code, level = pair["code"], pair.get("level")
        if code in found:
            found[code] = found[code]._replace(keys={**found[code].keys, level: pair["key"]})
        else:
            found[code] = Counterpart(code, {level: pair["key"]}, pair["reason"], pair.get("assumed", False))
    for entry in _data()["codes_without_key"]:
        found[entry["code"]] = Counterpart(entry["code"], {}, entry["reason"], candidates=tuple(entry["candidates"]))
    return found


@cache
def _codes() -> dict[str, tuple[tuple[str, str | None], ...]]:
    found: dict[str, tuple[tuple[str, str | None], ...]] = {}
    for entry in _counterparts().values():
        for level, key in entry.keys.items():
            found[key] = (*found.get(key, ()), (entry.code, level))
    return found


def counterpart(code: str) -> Counterpart | None:
    """Return the estimator's keys for ``code``, or None if the code is not in the catalogue."""
    return _counterparts().get(code)


def estimator_keys(code: str) -> Mapping[str | None, str]:
    """Return a mapping of reasoning levels to estimator keys.

    If the price does not depend on the level, None maps to the only key.
    """
    entry = counterpart(code)
    return entry.keys if entry else {}


def key_at_level(code: str, level: str | None) -> str | None:
    """Return the estimator key for ``code`` at an explicit reasoning level (None: for a model without levels).

    Returns None if the price is unknown because there is no counterpart or the level has no key. A level that is
    ``auto`` or not set is not explicit. In that case, the caller shows the price range of all :func:`estimator_keys`,
    or the price of the default level.
    """
    keys = estimator_keys(code)
    if level in UNPRICED_LEVELS:
        return None
    return keys.get(level) or keys.get(None)


def codes_for(key: str) -> tuple[tuple[str, str | None], ...]:
    """Return the model codes priced by ``key``, each with its reasoning level. The result may be empty."""
    return _codes().get(key, ())


@cache
def is_beta_key(key: str) -> bool:
    """Return whether the models priced by ``key`` are in beta (C 2.1).

    The result is False if no model code maps to the key.
    """
    return any(model.beta for code, _ in codes_for(key) if (model := model_code(code)) is not None)


def key_without_code(key: str) -> str | None:
    """Explain why no model code matches ``key``. Return None if a code matches or the key is not in the catalogue."""
    return next((entry["reason"] for entry in _data()["keys_without_code"] if entry["key"] == key), None)
