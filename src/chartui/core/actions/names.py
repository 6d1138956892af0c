"""Split the names of objects and characters into parts, and find names in text (decisions 47, 60 and 72)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from chartui.core.actions.language import (
    ALSO_SAID,
    DETERMINERS,
    FILLERS,
    IDLE,
    NUMBER_SIGNS,
    NUMBERS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    RELEASING,
    SOFT_BREAKS,
    TAKING,
    Word,
    tokens,
    unfold,
    word_set,
)
from chartui.core.actions.verbs import Form, bases, form_of
from chartui.core.classes import NamedTuple

#: The beginning of a remark after the actual name.
_SAID: Final = re.compile(
    r"\s*[(\[]|[\s,]+(?:(?:that|which|who|it|and|but|or|be)\s+)*(?:cannot|can't|can’t|can\s+(?:not|only|be))\b",
    re.IGNORECASE,
)
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ARTICLES: Final = frozenset({"the", "a", "an"})
_LINKS: Final = frozenset({"that", "which", "who", "it", "and", "but", "or", "be"})
#: Words that cannot identify a character on their own.
_NO_NAMES: Final = DETERMINERS | FILLERS | PREPOSITIONS | PRONOUNS.keys() | word_set("mr mrs ms dr st of who")
_BEHIND_NUMBERS: Final = PREPOSITIONS | FILLERS | SOFT_BREAKS.keys()
#: Longer names are not searched for in a text, because such names are never spoken and the search would be slow.
_LONGEST_NAME: Final = 16
_PLURALS: Final = {
    "man": "men", "woman": "women", "child": "children", "foot": "feet", "tooth": "teeth", "mouse": "mice",
    "person": "people",
}  # fmt: skip


def split_humps(name: str) -> list[str]:
    """Split a name into words, keeping their case. ``MoveTo`` and ``move_to`` both have two words."""
    return re.split(r"[\s_]+", _HUMP.sub(" ", name).strip(" _\t\r\n"))


def core_of(name: str) -> tuple[str, ...]:
    """Return the kind of object that a name refers to, without its number and remark.

    For example, the kind of ``Door 2 (oak)`` is ``door``.
    """
    return tuple(_without_number(bare_words(name)))


def number_of(name: str) -> int | None:
    """Return the number that tells an object apart from similar ones.

    For example, the number in ``Door 2 (oak)`` is 2. The result is None if the name contains no number.
    """
    words = bare_words(name)
    return int(words[-1]) if len(words) > 1 and words[-1].isdecimal() and len(words[-1]) <= _LONGEST_NAME else None


def numbered(name: str, number: int) -> str:
    """Return a name with ``number`` inserted after the kind of object. An existing number is replaced."""
    said = _SAID.search(name)
    end = said.start() if said and name[: said.start()].strip() else len(name)
    what = name[:end].rstrip()
    if number_of(name) is not None:
        what = what.rstrip("0123456789").rstrip()
    return f"{what} {number}{name[end:]}"


def shortened(name: str) -> str:
    """Return a name without its remark but otherwise unchanged. For example, ``Door 2 (oak)`` becomes ``Door 2``."""
    said = _SAID.search(name)
    return name[: said.start()].strip() or name if said else name


def bare_words(name: str) -> list[str]:
    """Return the words of a name in lowercase, without its remark. For example, ``Door (oak)`` yields ``door``."""
    words = _without_article(tokens(name))
    words = words[: next((place for place in range(len(words)) if _begins_a_remark(words, place)), None)]
    while words and (words[-1] in _LINKS or not words[-1][0].isalnum()):
        words = words[:-1]
    return words


def _begins_a_remark(words: Sequence[str], place: int) -> bool:
    word = words[place]
    return word in ("(", "[", "cannot", "can't") or (
        word == "can" and words[place + 1 : place + 2] in (["not"], ["only"], ["be"])
    )


def _without_article(words: list[str]) -> list[str]:
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


def _without_number(words: list[str]) -> list[str]:
    """Return the words without a number: ``key`` for ``key 2``. Similar objects are numbered (C 4.14)."""
    return words[:-1] if len(words) > 1 and words[-1].isdigit() else words


class Name(NamedTuple):
    """A mention of an object or character in text.

    ``kind`` is ``object`` or ``person``. ``names`` lists the declared names that the mention can refer to. ``said``
    lists the words of the mention, and ``numbers`` lists its numbers. ``plural`` is true if the mention refers to
    several things.
    """

    kind: str
    names: tuple[str, ...]
    said: str
    plural: bool = False
    numbers: tuple[int, ...] = ()


class _Entry(NamedTuple):
    kind: str
    level: int
    names: list[str]


class Names:
    """The declared objects and characters, indexed by the words that may refer to them."""

    def __init__(self, objects: Iterable[str], people: Iterable[str]) -> None:
        self._single: dict[tuple[str, ...], _Entry] = {}
        self._plural: dict[tuple[str, ...], _Entry] = {}
        self._longest: dict[str, int] = {}
        for name in dict.fromkeys(objects):
            for level, key in _keys_of_object(name):
                self._add(self._single, key, "object", level, name)
                if level:
                    self._add(self._plural, (*key[:-1], _plural_of(key[-1])), "object", level, name)
        for name in dict.fromkeys(people):
            for level, key in _keys_of_person(name):
                self._add(self._single, key, "person", level, name)

    def _add(
        self, table: dict[tuple[str, ...], _Entry], key: tuple[str, ...], kind: str, level: int, name: str
    ) -> None:
        if not 0 < len(key) <= _LONGEST_NAME:
            return
        self._longest[key[0]] = max(len(key), self._longest.get(key[0], 0))
        there = table.get(key)
        # Full names take precedence, then names without a number, then the last words alone.
        if there is None or level < there.level:
            table[key] = _Entry(kind, level, [name])
        elif there.level == level and there.kind == kind and level and there.names[-1] != name:
            there.names.append(name)

    def match(self, text: Sequence[Word], start: int) -> tuple[Name, int] | None:
        """Return the longest name that begins at position ``start``, and the number of words in that name.

        Numbers at the end of the name count as words.
        """
        longest = min(self._longest.get(text[start].text, 0), len(text) - start)
        for length in range(longest, 0, -1):
            key = _key(word.text for word in text[start : start + length])
            single, plural = self._single.get(key), self._plural.get(key)
            found = single if single and (not plural or single.level == 0) else plural or single
            if found is None:
                continue
            numbers, end = _numbers(text, start + length)
            if single and single.level == 0:
                numbers, end = (), start + length
                if key[-1].isdigit() and (more := _more_numbers(text, end)):
                    core = self._single.get(key[:-1])
                    if core is not None:
                        numbers, end = (int(key[-1]), *more[0]), more[1]
                        found = core
            said = " ".join(word.text for word in text[start:end])
            return Name(found.kind, tuple(found.names), said, found is plural, numbers), end - start
        return None


def _key(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(NUMBERS.get(word, word) if place else word for place, word in enumerate(words))


def _keys_of_object(name: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    whole = unfold(_without_article(tokens(name)))
    yield 0, _key(whole)
    yield 0, _key(word for word in whole if word[0].isalnum())
    bare = [word for word in unfold(bare_words(name)) if word[0].isalnum()][:_LONGEST_NAME]
    yield 0, _key(bare)
    core = list(_key(bare))
    core = _without_number(core)
    if not core:
        return
    yield 1, tuple(core)
    inside = next((place for place, word in enumerate(core) if place and word in PREPOSITIONS), len(core))
    for head in (core[:inside], core):
        for place in range(len(head)):
            if head[-1] not in _NO_NAMES and head[place] not in _NO_NAMES:
                yield 2, tuple(head[place:])


def _keys_of_person(name: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    whole = unfold(tokens(name))
    yield 0, _key(whole)
    words = [word for word in whole if word[0].isalnum()][:_LONGEST_NAME]
    yield 0, tuple(words)
    if words[:1] == ["dr"]:
        yield 0, ("doctor", *words[1:])
        yield 2, ("doctor",)
    for place, word in enumerate(words):
        if word not in _NO_NAMES:
            yield 2, (word,)
            yield 2, tuple(words[place:])
            yield 2, tuple(words[: place + 1])


def _plural_of(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return f"{word[:-1]}ies"
    if word.endswith("fe"):
        return f"{word[:-2]}ves"
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"


def _number(text: Sequence[Word], place: int) -> tuple[int, int] | None:
    """Return the number at a position ("2", "two", "number two"), and the position after it."""
    if place < len(text) and text[place].text in NUMBER_SIGNS:
        place += 1
    if place < len(text):
        word = NUMBERS.get(text[place].text, text[place].text)
        following = text[place + 1].text if place + 1 < len(text) else ""
        if word.isdecimal() and len(word) <= _LONGEST_NAME and following not in ("times", "time", "more"):
            return int(word), place + 1
    return None


def _numbers(text: Sequence[Word], place: int) -> tuple[tuple[int, ...], int]:
    first = _number(text, place)
    if first is None:
        return (), place
    more = _more_numbers(text, first[1])
    return ((first[0], *more[0]), more[1]) if more else ((first[0],), first[1])


def _more_numbers(text: Sequence[Word], place: int) -> tuple[tuple[int, ...], int] | None:
    """Return the other numbers of "1, 2 and 3", but not numbers that count something else ("and two keys")."""
    found: list[int] = []
    while place < len(text) and text[place].text in SOFT_BREAKS:
        start = place + 1
        if start < len(text) and text[start].text in SOFT_BREAKS:
            start += 1
        following = _number(text, start)
        if following is None:
            break
        end = following[1]
        if end < len(text) and text[end].text[0].isalnum() and text[end].text not in _BEHIND_NUMBERS:
            break
        found.append(following[0])
        place = end
    return (tuple(found), place) if found else None


_CAN: Final = frozenset({"can", "may", "must", "should", "could"})
_NOT: Final = frozenset({"not", "never"})
#: Prepositions at the end of actions that do not act on the object ("Go To").
_TOWARDS: Final = frozenset({*ALSO_SAID, "near", "behind", "beside", "around"})


# -- restrictions in names ---------------------------------------------------------------------------------------------


class _Statement(NamedTuple):
    """The actions that a remark calls possible, impossible (``denied``), or the ``only`` possible ones."""

    denied: bool
    only: bool
    words: list[str]


def allows(name: str, action: str) -> bool:
    """Return whether the remark in an object's name allows ``action``.

    Actions that the remark does not mention are allowed. The verb in the remark may be in any form. Remarks such as
    "cannot be opened or moved", "can't open", "can only be pushed" and "may not be touched" are understood. If an
    action ends in a preposition, such as "Go To", only a remark with this preposition ("cannot be gone to") forbids it.
    """
    verb = tokens(action)
    if not verb:
        return True
    touches = not _is_towards(verb) and IDLE.isdisjoint(bases(verb[0]))
    for statement in _statements(unfold(tokens(name))):
        named = any(_names(statement.words, place, verb) for place in range(len(statement.words)))
        if statement.denied and named:
            return False
        if statement.only and not named and touches:
            return False
    return True


def may_be_taken(name: str, action: str) -> bool:
    """Return whether "pick up everything" includes this object. Immovable objects are excluded."""
    verb = tokens(action)
    if not verb or (TAKING | RELEASING).isdisjoint(bases(verb[0])):
        return True
    return all(allows(name, other) for other in ("Move", "Touch", "Take", "Pick Up"))


def _is_towards(verb: Sequence[str]) -> bool:
    return verb[-1] in _TOWARDS and verb[-1] not in PARTICLES


def _statements(words: Sequence[str]) -> list[_Statement]:
    found: list[_Statement] = []
    inside = False
    for place, word in enumerate(words):
        following = words[place + 1 : place + 2]
        inside = inside or word in "([" or word in _CAN
        if not inside:
            continue
        if word in _NOT and following != ["only"]:
            found.append(_Statement(True, False, []))
        elif word == "only" and following:
            found.append(_Statement(False, True, []))
        elif word in _CAN:
            found.append(_Statement(False, False, []))
        elif found:
            found[-1].words.append(word)
    return found


def _names(said: Sequence[str], place: int, verb: Sequence[str]) -> bool:
    """Return whether ``said[place]`` is the verb in its base form or as a participle, followed by its particle if it
    has one.
    """
    form = form_of(said[place], bases(verb[0]))
    if not form & (Form.PARTICIPLE if "be" in said else Form.PARTICIPLE | Form.BASE):
        return False
    after = said[place + 1] if place + 1 < len(said) else ""
    if _is_towards(verb):
        return len(verb) > 1 and after == verb[1]
    return after not in PARTICLES or after in verb[1:]
