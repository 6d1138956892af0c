"""Verbs in any form: which bases a word can come from, and as what form of each (decision 72). Pure.

A word has a reading for each base that it can be made from by the rules of English or by the table of irregular verbs,
and always one as a base itself, so that verbs of other languages are matched as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Flag, auto
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from chartui.core.actions.irregular_verbs import IRREGULAR

__all__ = ["Form", "alike", "bases", "form_of", "readings", "same_verb"]

_VOWELS: Final = frozenset("aeiou")
_SOUNDED: Final = frozenset("aeiouy")
_THIRD: Final[Mapping[str, str]] = {"be": "is", "have": "has"}


class Form(Flag):
    """What form of a verb a word is; some are several, such as ``opened``."""

    BASE = auto()
    THIRD = auto()
    PAST = auto()
    PARTICIPLE = auto()
    ING = auto()


#: Which base a past or a participle that is not made by rule belongs to.
_FROM_IRREGULAR: Final[dict[str, list[str]]] = {}
for _base, _pairs in IRREGULAR.items():
    for _word in {*_pairs[0], *_pairs[1]}:
        _FROM_IRREGULAR.setdefault(_word, []).append(_base)


@lru_cache(4096)
def readings(word: str) -> Mapping[str, Form]:
    """The bases that a word in lower case can come from, each with the form that it then is."""
    found = {word: Form.BASE}
    for base in _candidates(word):
        if form := _as_form(word, base):
            found[base] = found.get(base, Form(0)) | form
    return MappingProxyType(found)


def bases(word: str) -> frozenset[str]:
    """The bases that a word can come from."""
    return frozenset(readings(word))


def same_verb(word: str, other: str) -> bool:
    """Tell whether two words can be forms of one verb, as ``rang`` and ``rings`` are."""
    return not readings(word).keys().isdisjoint(readings(other))


def alike(action: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Tell whether the words of two actions say the same in another form: ``picks up`` and ``picked up``."""
    return action[1:] == other[1:] and same_verb(action[0], other[0])


def form_of(word: str, of: frozenset[str]) -> Form:
    """What form a word is of the verbs with these bases."""
    found = Form(0)
    for base, form in readings(word).items():
        # "rings" could be a base of its own; where it is a form of another, that is meant.
        if base in of and (base != word or base in IRREGULAR):
            found |= form
    return found or (Form.BASE if word in of else found)


def _candidates(word: str) -> Iterator[str]:
    yield from _FROM_IRREGULAR.get(word, ())
    yield from (base for base, third in _THIRD.items() if third == word)
    for ending in ("s", "es", "ed", "d", "ing"):
        stem = word.removesuffix(ending)
        if len(stem) < 2 or stem == word or (ending == "ing" and stem.isascii() and not _SOUNDED & set(stem)):
            continue  # "thing" is of no verb
        yield stem
        if ending in ("ed", "ing"):
            yield f"{stem}e"
            if stem[-1] == stem[-2]:
                yield stem[:-1]
        if stem.endswith("i"):
            yield f"{stem[:-1]}y"
        if ending == "ing" and stem.endswith("y"):
            yield f"{stem[:-1]}ie"


def _as_form(word: str, base: str) -> Form:
    """What form of ``base`` a word is; nothing when it is none."""
    pasts, participles = IRREGULAR.get(base) or ((), ())
    regular = () if base in IRREGULAR else _with(base, "ed")
    found = Form.BASE if word == base else Form(0)
    if word == _THIRD.get(base, _third(base)):
        found |= Form.THIRD
    if word in pasts or word in regular:
        found |= Form.PAST
    if word in participles or word in regular:
        found |= Form.PARTICIPLE
    if word in _with(base, "ing"):
        found |= Form.ING
    return found


def _third(base: str) -> str:
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return f"{base[:-1]}ies"
    return f"{base}es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{base}s"


def _with(base: str, ending: str) -> tuple[str, ...]:
    """A base with ``ed`` or ``ing``; two where the last letter of a longer verb may be doubled, as in ``travel``."""
    if base.endswith("e"):
        if ending == "ed":
            return (f"{base}d",)
        if base.endswith("ie"):
            return (f"{base[:-2]}ying",)
        return (f"{base}ing",) if base.endswith(("ee", "oe", "ye")) or len(base) == 2 else (f"{base[:-1]}ing",)
    if ending == "ed" and base.endswith("y") and base[-2:-1] not in _VOWELS:
        return (f"{base[:-1]}ied",)
    plain, doubled = f"{base}{ending}", f"{base}{base[-1]}{ending}"
    if not _doubles(base):
        return (plain,)
    return (doubled,) if sum(map(_begins_vowels, base, f" {base}")) == 1 else (plain, doubled)


def _doubles(base: str) -> bool:
    """Tell whether a base ends in one consonant after one vowel, as ``drop`` does and ``heat`` does not."""
    if len(base) < 3 or base[-1] in _VOWELS or base[-1] in "wxy" or base[-2] not in _VOWELS:
        return False
    return base[-3] not in _VOWELS or (base[-3:-1] == "ui" and base[-4:-3] == "q")


def _begins_vowels(letter: str, before: str) -> bool:
    return letter in _VOWELS and before not in _VOWELS
