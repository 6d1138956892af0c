"""Which estimator key prices which model code: a table, with the reason of every row (decisions section 5).

The two documents name the same models in two ways, and no rule leads from one to the other: a key is never matched by
its beginning, and a version is never read as a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from chartui.core.jsontext import Wire
from chartui.core.spec.catalogue import model_code, read_data

__all__ = [
    "UNPRICED_LEVELS",
    "Counterpart",
    "codes_for",
    "counterpart",
    "estimator_keys",
    "is_beta_key",
    "key_at_level",
    "key_without_code",
]

#: Levels that the estimator has no option for: what they cost is unknown (decision 21).
UNPRICED_LEVELS = frozenset({"xhigh", "max"})


class Counterpart(NamedTuple):
    """What the estimator has for one model code.

    ``keys`` maps a reasoning level to its key, or None to the one key of a model that is priced without regard to the
    level; it is empty when there is no counterpart. ``assumed`` marks a match that is a guess of ours (decision 3).
    ``candidates`` are what a flagship alias may stand for: offered to the user, never picked silently.
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
    """What the estimator has for ``code``, with the reason; None for a code that the catalogue does not know."""
    return _counterparts().get(code)


def estimator_keys(code: str) -> Mapping[str | None, str]:
    """Reasoning level → estimator key; under None the one key of a model without keys by level; empty without any."""
    entry = counterpart(code)
    return entry.keys if entry else {}


def key_at_level(code: str, level: str | None) -> str | None:
    """The key that prices ``code`` at an explicit reasoning level (None: the model takes none).

    None when the price is unknown: no counterpart, or a level without a key of its own. A level that is not set or
    ``auto`` is no explicit one: the caller shows the range over :func:`estimator_keys`, or the default's key.
    """
    keys = estimator_keys(code)
    if level in UNPRICED_LEVELS:
        return None
    return keys.get(level) or keys.get(None)


def codes_for(key: str) -> tuple[tuple[str, str | None], ...]:
    """The model codes that ``key`` prices, each with the reasoning level it stands for; empty without any."""
    return _codes().get(key, ())


def is_beta_key(key: str) -> bool:
    """Whether what ``key`` prices is known to be offered as a beta (C 2.1); False where no model code leads to it."""
    return any(model.beta for code, _ in codes_for(key) if (model := model_code(code)) is not None)


def key_without_code(key: str) -> str | None:
    """Why no model code leads to ``key``; None when one does, or when the catalogue does not know the key."""
    return next((entry["reason"] for entry in _data()["keys_without_code"] if entry["key"] == key), None)
