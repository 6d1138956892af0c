"""Every option of the estimator and every model code, in the specification's order (E 2.3 to 2.5, C 2.1).

The lists are data files read when they are first asked for. Labels and names are our own (decision 62). JSON, not
TOML: the standard library reads it thirty times faster, and the estimator's first screen waits for these lists. For
the same reason records here are named tuples, which are declared in a fifth of a dataclass's time.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from chartui.core.jsontext import Wire, loads

__all__ = [
    "EXTERNAL_TTS",
    "INCLUDED_IN_REALTIME",
    "KINDS",
    "NO_ANIMATION",
    "NO_STT",
    "NO_TTS",
    "OTHER",
    "OWN_ENDPOINT",
    "Kind",
    "ModelCode",
    "Option",
    "ReasoningLevels",
    "family_of",
    "is_billed_by_provider",
    "is_realtime_key",
    "model_code",
    "model_codes",
    "option",
    "options",
    "read_data",
]

#: The selections that choose one of a list.
Kind = Literal["llm", "stt", "tts", "animation"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

INCLUDED_IN_REALTIME: Final = "included_in_realtime"
NO_STT: Final = "no_stt_input"
NO_TTS: Final = "no_tts"
NO_ANIMATION: Final = "no_animation"
OWN_ENDPOINT: Final = "byo_mdla_compatible_endpoint"
EXTERNAL_TTS: Final = "external_tts_via_api_key"
#: The family of an option that the catalogue does not know (decision 62).
OTHER: Final = "Other"

_DATA: Final = Path(__file__).with_name("data")


class Option(NamedTuple):
    """One value of a selection. ``family`` groups options for a person: a model family, a vendor, or what it means."""

    key: str
    label: str
    family: str

    @property
    def realtime(self) -> bool:
        """True for a live model (E 2.3)."""
        return is_realtime_key(self.key)


class ReasoningLevels(NamedTuple):
    """The levels a model accepts, least first; whether ``auto`` is one more; what it comes to, if known (C 2.5)."""

    levels: tuple[str, ...]
    supports_auto: bool
    default: str | None

    @property
    def accepted(self) -> tuple[str, ...]:
        """Every value that can be set, ``auto`` last (decision 24)."""
        return (*self.levels, "auto") if self.supports_auto else self.levels


class ModelCode(NamedTuple):
    """A model that a character can use (C 2.1); without ``reasoning`` it takes no reasoning level (decision 21)."""

    code: str
    label: str
    group: str
    flagship: bool
    beta: bool
    reasoning: ReasoningLevels | None

    @property
    def live(self) -> bool:
        """True for the realtime group; says nothing about how the estimator bills it (decision 3)."""
        return self.group == "Realtime / live"


def is_realtime_key(key: str) -> bool:
    """Tell whether an **estimator** key names a live model: it contains ``realtime`` or ``live`` (decision 3).

    Never ask this of a model code: two live codes map to keys that are billed as text.
    """
    return "realtime" in key or "live" in key


def is_billed_by_provider(key: str) -> bool:
    """Tell whether the service charges nothing for an option because its provider bills the user (decision 2)."""
    return key.startswith(("byo_", "external_"))


def read_data(name: str) -> Wire:
    """The content of a packaged data file of this folder."""
    return loads((_DATA / name).read_bytes())


@cache
def _options() -> dict[str, tuple[Option, ...]]:
    data = read_data("options.json")
    return {kind: tuple(Option(**entry) for entry in data[kind]) for kind in KINDS}


@cache
def _options_by_key(kind: Kind) -> dict[str, Option]:
    return {option.key: option for option in options(kind)}


def options(kind: Kind) -> tuple[Option, ...]:
    """Every option of one selection, in the specification's order."""
    return _options()[kind]


def option(kind: Kind, key: str) -> Option | None:
    """One option, or None for a key that the catalogue does not have (decision 62)."""
    return _options_by_key(kind).get(key)


def family_of(kind: Kind, key: str) -> str:
    """The family or vendor of an option as the catalogue has it, else :data:`OTHER`."""
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
    """Every model code, in the specification's order."""
    return tuple(_models().values())


def model_code(code: str) -> ModelCode | None:
    """One model, or None: codes are an open set (decision 20)."""
    return _models().get(code)
