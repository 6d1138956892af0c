"""The estimator's options and the model codes, in the order of the specification (E 2.3 to 2.5, C 2.1).

The lists are read from data files when they are first needed. Labels and names are defined by chartui, not by the
service (decision 62).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, Literal, get_args

from chartui.core.classes import NamedTuple
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

# The estimator's first screen waits for these lists. They are therefore JSON files, which are read thirty times faster
# than TOML, and named tuples, which are declared five times faster than dataclasses.
_DATA: Final = Path(__file__).with_name("data")


class Option(NamedTuple):
    """One of the options that can be selected.

    ``family`` groups options for display. It is a model family, a vendor, or a category.
    """

    key: str
    label: str
    family: str

    @property
    def realtime(self) -> bool:
        """Whether this option is a live model (E 2.3)."""
        return is_realtime_key(self.key)


class ReasoningLevels(NamedTuple):
    """The reasoning levels of a model (C 2.5), lowest first.

    ``default`` is the level that ``auto`` stands for, or None if this level is unknown.
    """

    levels: tuple[str, ...]
    supports_auto: bool
    default: str | None

    @property
    def accepted(self) -> tuple[str, ...]:
        """All values that the model accepts as a reasoning level, with ``auto`` last (decision 24)."""
        return (*self.levels, "auto") if self.supports_auto else self.levels


class ModelCode(NamedTuple):
    """A model for characters (C 2.1). If ``reasoning`` is None, the model accepts no reasoning level (decision 21)."""

    code: str
    label: str
    group: str
    flagship: bool
    beta: bool
    reasoning: ReasoningLevels | None

    @property
    def live(self) -> bool:
        """Whether this model belongs to the group of realtime models.

        The group does not determine how the model is billed (decision 3).
        """
        return self.group == "Realtime / live"


def is_realtime_key(key: str) -> bool:
    """Return whether an **estimator** key stands for a live model (decision 3).

    Such a key contains ``realtime`` or ``live``. Do not use this function for model codes, because two live models have
    estimator keys that are billed as text.
    """
    return "realtime" in key or "live" in key


def is_billed_by_provider(key: str) -> bool:
    """Return whether an option costs no credits because its provider bills the user directly (decision 2)."""
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
    """Return all options of one kind, in the order of the specification."""
    return _options()[kind]


def option(kind: Kind, key: str) -> Option | None:
    """Return the option with this key, or None if it is not in the catalogue (decision 62)."""
    return _options_by_key(kind).get(key)


def family_of(kind: Kind, key: str) -> str:
    """Return the family or vendor of an option, or :data:`OTHER` if the option is not in the catalogue."""
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
    """Return all models, in the order of the specification."""
    return tuple(_models().values())


def model_code(code: str) -> ModelCode | None:
    """Return the model with this code, or None if the code is unknown (decision 20)."""
    return _models().get(code)


#: Levels that have no option in the estimator, so that their cost is unknown (decision 21).
UNPRICED_LEVELS = frozenset({"xhigh", "max"})


class Counterpart(NamedTuple):
    """The estimator's keys for one model code.

    ``keys`` maps reasoning levels to estimator keys. If the price does not depend on the level, None maps to the only
    key. If the estimator has no key for the model, ``keys`` is empty. ``assumed`` is true if the keys are a guess
    (decision 3). If the model code is an alias for a flagship model, ``candidates`` contains the models that it may
    stand for. The user chooses one of them.
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
    """Return the estimator's keys for a model code, or None if the code is not in the catalogue."""
    return _counterparts().get(code)


def estimator_keys(code: str) -> Mapping[str | None, str]:
    """Return a mapping from the reasoning levels of a model to its estimator keys.

    If the price does not depend on the level, None maps to the only key. The mapping is empty if no key is known.
    """
    entry = counterpart(code)
    return entry.keys if entry else {}


def key_at_level(code: str, level: str | None) -> str | None:
    """Return the estimator key for a model code at an explicit reasoning level, or None if its price is unknown.

    For a model without levels, ``level`` is None. Do not call this function for a level that is ``auto`` or not set.
    For such a level, show the price range of all :func:`estimator_keys`, or the price of the default level.
    """
    keys = estimator_keys(code)
    if level in UNPRICED_LEVELS:
        return None
    return keys.get(level) or keys.get(None)


def codes_for(key: str) -> tuple[tuple[str, str | None], ...]:
    """Return the model codes that have this estimator key, each with its reasoning level. The result may be empty."""
    return _codes().get(key, ())


@cache
def is_beta_key(key: str) -> bool:
    """Return whether an estimator key stands for models in beta (C 2.1)."""
    return any(model.beta for code, _ in codes_for(key) if (model := model_code(code)) is not None)


def key_without_code(key: str) -> str | None:
    """Return the reason why an estimator key has no model code.

    The result is None if the key has a model code or is not in the catalogue.
    """
    return next((entry["reason"] for entry in _data()["keys_without_code"] if entry["key"] == key), None)
