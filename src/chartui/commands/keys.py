"""The names of keys, in the framework and on the screen."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

#: Unicode names of characters that the framework names differently.
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
    """The framework's name of the key that types ``character``; empty if it has none."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return _CALLED.get(name, name)


#: The framework's name of each key for a visible ASCII character → the character.
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
    """The label of a key on the screen. With ``words``, ASCII words replace signs such as ⏎."""
    return "+".join(
        part if words and not label.isascii() else label
        for part in key.split("+")
        for label in (_LABELS.get(part, part),)
    )
