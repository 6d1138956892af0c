"""What keys are called: by the framework, and by people."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

#: What the framework calls some characters otherwise than by their names in Unicode.
_CALLED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "solidus": "slash",
        "reverse_solidus": "backslash",
        "commercial_at": "at",
        "hyphen_minus": "minus",
        "plus_sign": "plus",
        "low_line": "underscore",
    }
)


def character_key(character: str) -> str:
    """The framework's name of the key that types ``character``; empty for one without a name."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return _CALLED.get(name, name)


#: The keys of all visible characters of ASCII, by the framework's names, and the characters.
CHARACTER_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {character_key(chr(code)): chr(code) for code in range(0x21, 0x7F)}
)

_LABELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **CHARACTER_KEYS,
        "enter": "⏎",
        "escape": "esc",
        "left": "←",
        "right": "→",
        "up": "↑",
        "down": "↓",
        "pagedown": "pgdn",
        "pageup": "pgup",
        "backspace": "⌫",
    }
)


def key_label(key: str, *, words: bool = False) -> str:
    """A key as it is written for people; with ``words`` no key is drawn, where a terminal has no signs for them."""
    return "+".join(
        part if words and not label.isascii() else label
        for part in key.split("+")
        for label in (_LABELS.get(part, part),)
    )
