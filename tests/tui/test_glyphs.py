"""Every sign has one meaning."""

from __future__ import annotations

from collections import defaultdict

from chartui.tui.glyphs import Glyphs
from chartui.tui.plain import SIGNS

#: Names of one meaning: switched on, opens below, nothing special about it, more to come.
ALIKE = {
    "■": {"on", "memory"},
    "▾": {"more", "open"},
    "·": {"waiting", "note", "readable"},
    "…": {"busy", "ellipsis"},
}


def _signs() -> dict[str, str]:
    return {name: sign for name, sign in vars(Glyphs).items() if not name.startswith("_")}


def test_no_sign_has_two_meanings() -> None:
    meanings: dict[str, set[str]] = defaultdict(set)
    for name, sign in _signs().items():
        meanings[sign].add(name)
    assert {sign: names for sign, names in meanings.items() if len(names) > 1} == ALIKE


def test_every_sign_has_a_twin_in_ascii() -> None:
    assert [name for name, sign in _signs().items() if not sign.isascii() and sign not in SIGNS] == []


def test_signs_of_states_stay_apart_in_ascii() -> None:
    states = ("danger", "warning", "missing", "conflict", "gone", "done", "staged", "local", "remote", "read_only")
    assert len({SIGNS[_signs()[name]] for name in states}) == len(states)
