"""Check whether a backstory mentions the action words, objects and characters that a scene declares.

The backstory strongly influences which actions are taken, so it should mention every declared name (C 4.14). Missing
names are reported, but the backstory can still be saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final

from chartui.core.actions.language import tokens
from chartui.core.actions.names import bare_words
from chartui.core.actions.verbs import bases
from chartui.core.classes import NamedTuple
from chartui.core.text import single_line

#: Maximum number of names listed in a sentence; the others are counted.
_LISTED: Final = 5
#: The first letter of the Hebrew block. In this script and all later ones, words may be joined or have prefixes.
_WRITTEN_TOGETHER: Final = 0x0590
_NOUNS: Final[Mapping[str, str]] = {"actions": "action", "objects": "object", "characters": "character"}


class Declared(NamedTuple):
    """The names of the actions, objects and characters that a scene declares."""

    actions: Sequence[str] = ()
    objects: Sequence[str] = ()
    characters: Sequence[str] = ()


#: The declarations of an empty or unknown scene.
NOTHING: Final = Declared()


class Unnamed(NamedTuple):
    """The declared names of one kind that are missing from a backstory, in declaration order."""

    kind: str
    names: tuple[str, ...]


def word_count(text: str) -> int:
    return len(text.split())


def unnamed(text: str, declared: Declared) -> tuple[Unnamed, ...]:
    """Return the declared names that ``text`` does not mention, grouped by kind.

    Kinds without missing names are omitted. A name counts as mentioned if its words appear in sequence as whole words,
    ignoring case and hyphens. The text may omit the remark in a name, such as ``(cannot be opened)`` in ``Door (cannot
    be opened)``. The verb of an action word may have any form. For example, ``Pick Up`` matches "picked up". In scripts
    other than Latin, Greek and Cyrillic, where words may be joined or have prefixes, any occurrence of the name is
    enough.
    """
    said = _said(text)
    found = (
        Unnamed("actions", _missing(declared.actions, said, bent=True)),
        Unnamed("objects", _missing(declared.objects, said, bent=False)),
        Unnamed("characters", _missing(declared.characters, said, bent=False)),
    )
    return tuple(one for one in found if one.names)


def sentences(text: str, declared: Declared) -> tuple[str, ...]:
    return tuple(map(_sentence, unnamed(text, declared)))


def _sentence(missing: Unnamed) -> str:
    names = [f"“{single_line(name, limit=30)}”" for name in missing.names[:_LISTED]]
    more = len(missing.names) - len(names)
    listed = f"{', '.join(names)} and {more} more" if more else ", ".join(names)
    noun = f"{_NOUNS[missing.kind]}{'' if len(missing.names) == 1 else 's'}"
    return f"The backstory does not mention the {noun} {listed}."


def _missing(names: Iterable[str], said: _Said, *, bent: bool) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if not said.holds(_spoken(name), bent=bent)))


class _Said:
    def __init__(self, text: str) -> None:
        words = [word for word in tokens(text) if word[0].isalnum()]
        self._text = f" {' '.join(words)} "
        self._words = frozenset(words)

    @cached_property
    def _by_base(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = {}
        for word in self._words:
            for base in bases(word):
                found.setdefault(base, set()).add(word)
        return found

    def holds(self, words: Sequence[str], *, bent: bool) -> bool:
        """Return whether the text contains these words in sequence. A name without words always counts as contained."""
        if not words:
            return True
        if any(ord(letter) >= _WRITTEN_TOGETHER for word in words for letter in word):
            return " ".join(words) in self._text
        first, rest = words[0], "".join(f" {word}" for word in words[1:])
        # Only the first word of a verb is inflected: "pick up", "picks up".
        starts = {word for base in bases(first) for word in self._by_base.get(base, ())} if bent else {first}
        return any(f" {start}{rest} " in self._text for start in starts)


#: A screen checks the same text several times while it is edited.
_said = lru_cache(2)(_Said)


def _spoken(name: str) -> list[str]:
    """Return the words that a text would use for the name, without its article and remark."""
    return [word for word in bare_words(name) if word[0].isalnum()]
