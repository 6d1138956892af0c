"""The little English that the local planner knows: words, names, and what a name allows (decisions 47 and 60)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

__all__ = [
    "DETERMINERS",
    "FILLERS",
    "HARD_BREAKS",
    "NEGATIONS",
    "PARTICLES",
    "PREPOSITIONS",
    "PRONOUNS",
    "SOFT_BREAKS",
    "Lexicon",
    "allows",
    "bare_words",
    "core_of",
    "is_manner",
    "number_of",
    "numbered",
    "tokens",
    "words_of",
]

# A word with its apostrophes, or one mark. Hyphens and underscores only part words.
_TOKEN: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*|\n|[^\w\s-]")
#: Where a name stops saying what something is, and begins to say something about it.
_SAID: Final = re.compile(
    r"\s*[(\[]|[\s,]+(?:(?:that|which|who|it|and|but|or|be)\s+)*(?:cannot|can't|can’t|can)\b", re.IGNORECASE
)
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Ends a step; what follows has an action of its own or none.
HARD_BREAKS: Final = _words("then afterwards afterward next finally . ; ! ? :") | {"\n"}
#: May go on with the same action ("take the key and the lamp").
SOFT_BREAKS: Final = _words("and or plus & ,")
NEGATIONS: Final = _words("not don't dont never without cannot can't")
DETERMINERS: Final = _words("the a an my your his her its our their this that these those some any another every each")
PREPOSITIONS: Final = _words(
    "to at in into inside on onto off of from with by near behind beside between over under through towards toward for "
    "about around across along against before after until up down out"
)
#: The second word of many verbs, which may stand after the object ("pick it up").
PARTICLES: Final = _words("up down on off in out away over back open shut")
#: Words that name nothing and ask for nothing.
FILLERS: Final = _words(
    "please could can would will you i we me us myself yourself want like need should must let lets let's do does now "
    "here there again also too just first second last so well ok okay hello hi hey yes no thanks thank is are be am "
    "was if as when while that's it's fast high low hard soon once twice together forward forwards backwards straight "
    "away back have has"
)
#: What each pronoun stands for: the object or the person spoken of last.
PRONOUNS: Final = {"it": "object", "him": "person", "her": "person", "them": "person"}

_ARTICLES: Final = frozenset({"the", "a", "an"})
_CANNOT: Final = frozenset({"cannot", "can't"})
_LINKS: Final = frozenset({"that", "which", "who", "it", "and", "but", "or", "be"})
#: Longer names are not looked for in a text: nobody says them, and looking would take long.
_LONGEST_NAME: Final = 16

_PARTICIPLES: Final = {
    "bend": "bent",
    "break": "broken",
    "bring": "brought",
    "build": "built",
    "burn": "burnt",
    "buy": "bought",
    "catch": "caught",
    "drink": "drunk",
    "drive": "driven",
    "eat": "eaten",
    "feed": "fed",
    "fight": "fought",
    "find": "found",
    "get": "got",
    "give": "given",
    "hide": "hidden",
    "hold": "held",
    "leave": "left",
    "light": "lit",
    "make": "made",
    "ride": "ridden",
    "see": "seen",
    "sell": "sold",
    "send": "sent",
    "shake": "shaken",
    "speak": "spoken",
    "spin": "spun",
    "steal": "stolen",
    "strike": "struck",
    "swing": "swung",
    "take": "taken",
    "tear": "torn",
    "throw": "thrown",
    "wear": "worn",
    "write": "written",
}


def tokens(text: str) -> list[str]:
    """The words of ``text`` in lower case, and its marks; ``MoveTo`` and ``move_to`` are two words each."""
    return _TOKEN.findall(_HUMP.sub(" ", text.replace("’", "'")).casefold())


def is_manner(word: str) -> bool:
    """Tell whether a word says how rather than what ("quickly")."""
    return len(word) > 4 and word.endswith("ly")


class Entry(NamedTuple):
    """What a run of words stands for: ``kind`` is ``action``, ``object`` or ``person``, ``name`` as declared."""

    kind: str
    name: str


class Lexicon:
    """The declared names by the words they are called with, longest first."""

    def __init__(self, actions: Iterable[str], objects: Iterable[str], people: Iterable[str]) -> None:
        self._entries: dict[tuple[str, ...], Entry] = {}
        self._longest: dict[str, int] = {}
        self._targets: dict[tuple[str, ...], Entry] = {}
        objects, people = list(objects), list(people)
        for name in actions:
            self._add(self._entries, tokens(name), Entry("action", name))
        # Whole names come before what is left of others: "Key 2" is never the short form of anything.
        for shorten in (_whole, bare_words, _without_number):
            for name in objects:
                self._add(self._targets, shorten(name), Entry("object", name))
        for shorten in (_whole, _first_word):
            for name in people:
                self._add(self._targets, shorten(name), Entry("person", name))

    def _add(self, table: dict[tuple[str, ...], Entry], words: Sequence[str], entry: Entry) -> None:
        for form in (tuple(words), tuple(word for word in words if word[0].isalnum())):
            if 0 < len(form) <= _LONGEST_NAME:
                table.setdefault(form, entry)
                self._longest[form[0]] = max(len(form), self._longest.get(form[0], 0))

    def match(self, text: Sequence[str], start: int, *, after_determiner: bool) -> tuple[Entry, int] | None:
        """The longest name that begins at ``start``, and its length in words.

        A word that is an action and a target is an action, unless an article or the like stands before it.
        """
        tables = (self._targets, self._entries) if after_determiner else (self._entries, self._targets)
        for length in range(self._longest.get(text[start], 0), 0, -1):
            words = tuple(text[start : start + length])
            for table in tables:
                if len(words) == length and words in table:
                    return table[words], length
        return None

    def split_action(self, text: Sequence[str], start: int, *, reach: int = 6) -> tuple[Entry, int] | None:
        """An action whose second word stands after its object ("pick it up"), and the place of that word."""
        for place in range(start + 2, min(start + 2 + reach, len(text))):
            word = text[place]
            if word in HARD_BREAKS or word in SOFT_BREAKS:
                return None
            entry = self._entries.get((text[start], word)) if word in PARTICLES else None
            if entry is not None:
                return entry, place
        return None


def words_of(name: str) -> list[str]:
    """The words of a name as it is written; ``MoveTo`` and ``move_to`` are two each, whatever else is a part of one."""
    return re.split(r"[\s_]+", _HUMP.sub(" ", name).strip(" _\t\r\n"))


def core_of(name: str) -> tuple[str, ...]:
    """What an object is, without its number and without what it says about itself: ``door`` of ``Door 2 (oak)``."""
    return tuple(_without_number(name))


def number_of(name: str) -> int | None:
    """The number that tells an object from similar ones: 2 of ``Door 2 (oak)``; None where there is none."""
    words = bare_words(name)
    return int(words[-1]) if len(words) > 1 and words[-1].isdecimal() and len(words[-1]) <= _LONGEST_NAME else None


def numbered(name: str, number: int) -> str:
    """The name with a number behind what the object is, instead of its own where it has one."""
    said = _SAID.search(name)
    end = said.start() if said and name[: said.start()].strip() else len(name)
    what = name[:end].rstrip()
    if number_of(name) is not None:
        what = what.rstrip("0123456789").rstrip()
    return f"{what} {number}{name[end:]}"


def _whole(name: str) -> list[str]:
    return _without_article(tokens(name))


def _without_article(words: list[str]) -> list[str]:
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


def bare_words(name: str) -> list[str]:
    """The name without what it says about itself: ``door`` of ``Door (cannot be opened)`` and ``Door (oak)``."""
    words = _whole(name)
    ends = [place for place, word in enumerate(words) if word in _CANNOT or word in ("can", "(", "[")]
    words = words[: ends[0]] if ends else words
    while words and (words[-1] in _LINKS or not words[-1][0].isalnum()):
        words = words[:-1]
    return words


def _without_number(name: str) -> list[str]:
    """``key`` of ``Key 2``: similar objects are numbered (C 4.14); the first that is declared is meant."""
    words = bare_words(name)
    return words[:-1] if len(words) > 1 and words[-1].isdigit() else words


def _first_word(name: str) -> list[str]:
    return tokens(name)[:1]


def allows(name: str, action: str) -> bool:
    """Tell whether the name of an object lets ``action`` be done with it.

    Understood are "cannot be opened or moved", "can't open", "can only be pushed" and the like; a name that says
    nothing about the action allows it. An action that ends in a preposition ("Go To") does nothing with the object.
    """
    verb = tokens(action)
    if not verb:
        return True
    for denied, only, said in _statements(name):
        named = any(_is_verb(verb, said, place) for place in range(len(said)))
        if denied and named:
            return False
        if only and not named and verb[-1] not in ("to", "at", "towards", "toward", "near"):
            return False
    return True


def _statements(name: str) -> list[tuple[bool, bool, list[str]]]:
    """What a name says: (cannot, can only, the words of what)."""
    found: list[tuple[bool, bool, list[str]]] = []
    words = tokens(name)
    for place, word in enumerate(words):
        following = words[place + 1 : place + 2]
        if word in _CANNOT or (word == "can" and following == ["not"]):
            found.append((True, False, []))
        elif word == "can":
            found.append((False, following == ["only"], []))
        elif found:
            found[-1][2].append(word)
    return found


def _is_verb(verb: Sequence[str], said: Sequence[str], place: int) -> bool:
    """Tell whether ``said[place]`` is the verb, plain or as a participle, and with its particle where it has one."""
    base, form = verb[0], said[place]
    forms = {base, f"{base}ed", f"{base}d", f"{base}{base[-1]}ed", _PARTICIPLES.get(base, base)}
    if base.endswith("y"):
        forms.add(f"{base[:-1]}ied")
    after = said[place + 1] if place + 1 < len(said) else ""
    return form in forms and (after not in PARTICLES or after in verb[1:])
