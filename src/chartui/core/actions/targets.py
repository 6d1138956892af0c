"""Find the targets of an action. These are the declared names that a group of words refers to (decisions 47 and 72)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from chartui.core.actions.clauses import Group, Item, is_content
from chartui.core.actions.language import (
    ALL,
    CLOSING,
    DETERMINERS,
    IDLE,
    MOTION,
    NEGATIONS,
    NUMBERS,
    OPENING,
    ORDINALS,
    PARTS,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    RELEASING,
    TAKING,
    TRANSFERS,
    Word,
    tokens,
    word_set,
)
from chartui.core.actions.names import Name, core_of, number_of
from chartui.core.actions.verbs import bases
from chartui.core.classes import NamedTuple

#: Maximum repetitions of an action in one turn.
MOST: Final = 10
_ADVERBS: Final = {"twice": 2, "thrice": 3}
_DOZEN: Final = 12
_LONGEST: Final = 60


def counted(groups: Sequence[Group]) -> tuple[list[Group], list[int]]:
    """Remove the number words from groups of words.

    Return the groups without number words, and the number of objects that each group asks for (default: 1).
    """
    found = [_counted(group.items) for group in groups]
    return (
        [Group(group.link, group.comma, items) for group, (items, _) in zip(groups, found, strict=True)],
        [times for _, times in found],
    )


def _count_of(word: str) -> int | None:
    """Return the value of a number word, truncated if very long, or None if the word is not a number."""
    digits = NUMBERS.get(word, word)
    return int(digits[:_LONGEST]) if digits.isdecimal() else None


def _counted(items: list[Item]) -> tuple[list[Item], int]:
    for place, item in enumerate(items):
        if not isinstance(item, Word):
            continue
        if item.text in _ADVERBS:
            return [*items[:place], *items[place + 1 :]], _ADVERBS[item.text]
        number = _DOZEN if item.text == "dozen" else _count_of(item.text)
        end = place + 2 if items[place + 1 : place + 2] == [Word("more")] else place + 1
        if number is not None and items[end : end + 1] in ([Word("times")], [Word("time")]):
            return [*items[:place], *items[end + 1 :]], number
    return items, 1


#: Words that ask for any of several objects.
_ANY: Final = frozenset({"a", "an", "any", "either", "one", "some"})
_BARE: Final = frozenset({"this", "that", "these", "those"})
_SEVERAL: Final = frozenset({"them", "these", "those", "both", "all"})
#: Maximum number of mentioned objects that "both" and "them" can refer to.
_KEPT: Final = 8
_LIST: Final = "all "
_TOOLS: Final = word_set("with using on onto in into inside under behind beside near from off")
_DEFINITE: Final = word_set("the that this my your his her its")
_NO_TOOLS: Final = word_set("hand hands finger fingers care way left right middle end beginning background")
_WHERE: Final = PREPOSITIONS - {"of", "with", "for", "about", "from"}
#: Kinds of antecedents besides "object" and "person", by what was done with the object.
_HELD, _OPENED, _PLACE = "held", "opened", "place"


class Found(NamedTuple):
    """The meaning of a group of words.

    It consists of declared ``names``, a ``missing`` name, or an ``unclear`` word, such as a pronoun that refers to
    nothing. ``times`` is the requested number of objects. ``excluded`` means that the names are ruled out ("not the
    key"). ``only`` means that no other names are wanted. ``first`` means that these names come before all others.
    ``every`` means that "everything" was requested. ``fewer`` is the phrase that asked for more objects than exist.
    ``besides`` is a missing name that is mentioned together with these names. If the first of several candidates was
    chosen as a guess, ``guessed`` lists the candidates.
    """

    names: tuple[str, ...] = ()
    missing: str = ""
    unclear: str = ""
    excluded: bool = False
    only: bool = False
    every: bool = False
    fewer: str = ""
    besides: str = ""
    times: int = 1
    first: bool = False
    guessed: tuple[str, tuple[str, ...]] | None = None


class Targets:
    def __init__(self, mentioned: Mapping[str, str], objects: Sequence[str], people: Sequence[str]) -> None:
        self._objects = objects
        self._people = tuple(people)
        # Names mentioned earlier may no longer be declared.
        known = {*objects, *people}
        self._recent: list[str] = []
        # The verb of the planned action determines what "it" refers to, and the new state of an object.
        self._acting: frozenset[str] = frozenset()
        self.mentioned = {kind: name for kind, name in mentioned.items() if name in known}

    # -- memory -------------------------------------------------------------------------------------------------------

    def remember(self, kind: str, names: Sequence[str]) -> None:
        """Remember names so that later pronouns can refer to them."""
        if not names:
            return
        before = self.mentioned.get(kind, "")
        self.mentioned[kind] = names[-1]
        if kind == "object":
            self._handle(names[-1], before)
            if len(names) == 1 and not MOTION.isdisjoint(self._acting):
                return  # "pick up both keys, go to the door and put them down"
            self._recent = [*(name for name in self._recent if name not in names), *names][-_KEPT:]
            self.mentioned = {key: name for key, name in self.mentioned.items() if not key.startswith(_LIST)}
            if len(names) > 1:
                self.mentioned |= {f"{_LIST}{number}": name for number, name in enumerate(names, 1)}

    def _handle(self, name: str, before: str) -> None:
        if not MOTION.isdisjoint(self._acting) and before and _PLACE not in self.mentioned:
            self.mentioned.setdefault(_HELD, before)
        if not RELEASING.isdisjoint(self._acting) and self.mentioned.get(_HELD) == name:
            del self.mentioned[_HELD]
        for kind, verbs in ((_HELD, TAKING), (_OPENED, OPENING), (_PLACE, MOTION)):
            if not verbs.isdisjoint(self._acting):
                self.mentioned[kind] = name
        if MOTION.isdisjoint(self._acting):
            self.mentioned.pop(_PLACE, None)

    def remember_together(self, every: Sequence[Found]) -> None:
        """Remember the objects of one action.

        For example, after "the key and the lamp", "them" refers to both objects.
        """
        names = [name for found in every for name in found.names if name in self._objects]
        if len(every) > 1 and len(names) > 1:
            self.remember("object", names)

    def remember_people(self, items: Iterable[Item]) -> None:
        for item in items:
            if isinstance(item, Name) and item.kind == "person":
                self.remember("person", item.names[:1])

    def overhear(self, group: Group) -> None:
        """Remember the names in a phrase that contains no action, so that later pronouns can refer to them."""
        self._acting = frozenset()
        for place, item in enumerate(group.items):
            if isinstance(item, Name) and not _is_part_of_more(group.items, place):
                words = _words_before(group.items, place)
                found = self._choose(item, words)
                self.remember(item.kind, found.names)
                # "who is waiting by the door" gives a place and does not act on the door.
                if item.kind == "object" and found.names and _before(group.items, place - len(words)) in _WHERE:
                    self.mentioned[_PLACE] = found.names[-1]

    def _recalled(self, pronoun: str) -> tuple[str, ...]:
        several = tuple(name for key, name in self.mentioned.items() if key.startswith(_LIST))
        if pronoun in _SEVERAL and several:
            return several
        last = self.mentioned.get("object", "")
        if pronoun not in _SEVERAL and self.mentioned.get(_PLACE) == last:
            for kind, verbs in ((_HELD, RELEASING), (_OPENED, CLOSING)):
                if kind in self.mentioned and not verbs.isdisjoint(self._acting) and pronoun not in ("him", "her"):
                    name = self.mentioned[kind]
                    self.remember("object", (name,))
                    return (name,)
        if pronoun in _SEVERAL and len(self._recent) > 1 and core_of(last)[-1:] and not core_of(last)[-1].endswith("s"):
            return tuple(self._recent[-2:])
        kinds = ("object", "person") if pronoun in ("them", *_BARE) else (PRONOUNS.get(pronoun, "object"),)
        return next(((self.mentioned[kind],) for kind in kinds if kind in self.mentioned), ())

    # -- finding ------------------------------------------------------------------------------------------------------

    def find(self, group: Group, action: str) -> Found | None:
        """Return the name that a group of words refers to, or None if the group refers to nothing.

        "The chest with the key" refers to the chest, even if no chest is declared. "The big red door" refers to the
        door. In a phrase about giving, "Anna the key" refers to the key.
        """
        items = group.items
        self._acting = _verb(action)
        words: list[str] = []
        person: tuple[int, Found] | None = None
        receiver = ""
        for place, item in enumerate(items):
            if isinstance(item, Word) and item.text in QUESTION_WORDS:
                behind = enumerate(items[place:], place)
                named = next((n for n, one in behind if isinstance(one, Name) and one.kind == "object"), None)
                return None if named is None else self.find(Group(items=items[named:]), action)
            if isinstance(item, Word) and item.text == "everything":
                self.remember("object", self._objects)
                return Found(tuple(self._objects), every=True)
            if isinstance(item, Word) and item.text in ("nothing", "nobody"):
                return Found(excluded=True)
            if isinstance(item, Word) and item.text in ("everyone", "everybody"):
                person = person or (place, Found(self._people) if self._people else Found(unclear=item.text))
                continue
            if isinstance(item, Name) and (item.kind == "object" or _is_part_of_more(items, place)):
                return self._checked(items, place, action, self._object(items, place, item), receiver)
            if isinstance(item, Name):
                person = person or (place, self._choose(item, ()))
            elif (stands_for := self._pronoun(item, items, place)) is not None:
                if item.text not in ("him", "her"):
                    excluded = not NEGATIONS.isdisjoint(_words_before(items, place))
                    return self._checked(items, place, action, stands_for._replace(excluded=excluded), receiver)
                person = person or (place, stands_for)
            elif item.text in PREPOSITIONS:
                if item.text == "of" and not (PARTS | ORDINALS.keys()).isdisjoint(words[-1:]):
                    words = []
                if (words or person or _before(items, place) in ("me", "us")) and (item.text != "of" or words):
                    break  # "follow me to the door" has no named object
            elif item.text in DETERMINERS:
                receiver = " ".join(words) or receiver  # "give the captain the key"
                words = [] if person is None else words
            elif is_content(item):
                ordinal = _before(items, place) if _before(items, place) in ORDINALS else ""
                words.append(f"{ordinal} {item.text}".strip())
        if person is not None:
            excluded = not NEGATIONS.isdisjoint(_words_before(items, person[0]))
            found = person[1]._replace(excluded=excluded)
            self.remember("person", found.names)
            return found
        lasts = bool(words) and (words[0] in ("second", "seconds", *NUMBERS) or words[0].isdecimal())
        if lasts and not IDLE.isdisjoint(_verb(action)):
            return None  # "wait a second"
        return Found(missing=" ".join(words)) if words else None

    def _object(self, items: Sequence[Item], place: int, name: Name) -> Found:
        if _is_part_of_more(items, place):
            return Found(missing=f"{name.said} {_text(items[place + 1])}")
        words = _words_before(items, place)
        found = self._choose(name, words)
        if not NEGATIONS.isdisjoint(words):
            return found._replace(excluded=True)
        self.remember("object", found.names)
        return found

    def _checked(self, items: Sequence[Item], place: int, action: str, found: Found, receiver: str) -> Found:
        """Return ``found``, with the recipient marked as missing if an object should be given to someone undeclared."""
        found = found._replace(besides=_besides(items[place + 1 :]))
        if TRANSFERS.isdisjoint(_verb(action)):
            return found
        behind = items[place + 1 :]
        start = next((n for n, item in enumerate(behind) if isinstance(item, Word) and item.text == "to"), len(behind))
        whom: list[str] = []
        for item in behind[start + 1 :]:
            if isinstance(item, Name) or item.text in PREPOSITIONS or item.text in PRONOUNS:
                break
            if is_content(item):
                whom.append(item.text)
        else:
            receiver = " ".join(whom) or receiver
        return Found(missing=receiver) if receiver else found

    def _pronoun(self, item: Word, items: Sequence[Item], place: int) -> Found | None:
        """Return the antecedent of a word, or None if it is not a pronoun."""
        following = items[place + 1] if place + 1 < len(items) else None
        ends = following is None or (isinstance(following, Word) and not is_content(following))
        ends = ends and following != Word("of")
        if item.text.isdecimal() and ends:
            return self._similar(("number",), item)
        if item.text in ("one", "ones") or (item.text in ("other", *ORDINALS) and ends):
            return self._similar(_words_before(items, place), item)
        is_bare = item.text in (*_BARE, "both") and ends and _text(following) not in DETERMINERS
        if item.text == "her" and (isinstance(following, Name) or (following is not None and is_content(following))):
            return None
        if item.text not in PRONOUNS and not is_bare:
            return None
        names = self._recalled(item.text)
        return Found(names) if names else Found(unclear=item.text)

    def _similar(self, words: Sequence[str], item: Word) -> Found | None:
        """Resolve "the other one" to an object similar to the one mentioned last."""
        last = self.mentioned.get("object")
        if last is None or not words:
            return None
        head = core_of(last)[-1:]
        named = any(word in core_of(name) for name in self._objects for word in filter(_describes, words))
        names = tuple(
            name for name in self._objects if (core_of(name)[-1:] == head if named else core_of(name) == core_of(last))
        )
        said = " ".join(head if named else core_of(last))
        numbers = (int(item.text),) if item.text.isdecimal() else ()
        found = self._choose(Name("object", names, said, item.text == "ones", numbers), (*words, item.text))
        self.remember("object", found.names)
        return found

    # -- one of several -----------------------------------------------------------------------------------------------

    def _choose(self, name: Name, words: Sequence[str]) -> Found:
        """Return the candidates that match a name's numbers and the words before it."""
        names, last = _described(name.names, words), self.mentioned.get(name.kind)
        if not names:
            return Found(missing=" ".join((*filter(_describes, words), name.said)))
        ordinal = next((word for word in reversed(words) if word in ORDINALS), "")
        if name.numbers or ordinal:
            numbers = name.numbers or (ORDINALS[ordinal],)
            found = tuple(named for number in numbers if (named := _with_number(names, number)) is not None)
            said = f"{ordinal} {name.said}".strip()
            return Found(found) if len(found) == len(numbers) else Found(missing=said)
        counts = [(count, word) for word in words if (count := _count_of(word)) is not None] if name.plural else []
        fewer = f"{counts[0][1]} {name.said}" if counts and counts[0][0] > len(names) else ""
        if len(names) == 1:
            return Found(names, fewer=fewer)
        if "other" in words or "another" in words:
            others = tuple(one for one in names if one != last) if last in names else names[1:]
            return Found(others if name.plural else others[:1])
        if "last" in words or "final" in words:
            return Found(names[-1:])
        if "either" in words or list(words[:2]) == ["one", "of"]:
            return Found(names[:1], guessed=(name.said, names))
        if not _ANY.isdisjoint(words):
            return Found(names[:1])
        if name.plural or not ALL.isdisjoint(words):
            return Found(names[: counts[0][0]] if counts else names, every="all" in words, fewer=fewer)
        if last in names and last is not None:
            return Found((last,))
        return Found(names[:1], guessed=(name.said, names))


def _besides(items: Sequence[Item]) -> str:
    """Return the undeclared tool or place of an action: "with the match", "on the table"."""
    for place, item in enumerate(items[:-1]):
        if _text(item) not in _TOOLS or _text(items[place + 1]) not in _DEFINITE:
            continue
        words: list[str] = []
        for other in items[place + 2 :]:
            if isinstance(other, Name):
                return "" if _described(other.names, words) else " ".join((*words, other.said))
            if not is_content(other):
                break
            words.append(other.text)
        return " ".join(words) if words and words[-1] not in _NO_TOOLS else ""
    return ""


def _describes(word: str) -> bool:
    return word not in ORDINALS and word not in NUMBERS and is_content(Word(word))


def _described(names: tuple[str, ...], words: Sequence[str]) -> tuple[str, ...]:
    """Return the names that contain a describing word ("the blue one"), or an empty tuple if none does."""
    said = set(filter(_describes, words))
    if len(names) < 2 or not said:
        return names
    found = tuple(name for name in names if said & set(core_of(name)))
    alike = len({core_of(name) for name in names}) == 1
    return found or (names if alike else ())


def _verb(action: str) -> frozenset[str]:
    return next((bases(word) for word in tokens(action) if word[0].isalnum()), frozenset())


def _with_number(names: Sequence[str], number: int) -> str | None:
    """Return the name with a number or, if no name has one, the name at that position."""
    numbers = [number_of(name) for name in names]
    if number in numbers:
        return names[numbers.index(number)]
    return names[number - 1] if not any(numbers) and 0 < number <= len(names) else None


def _words_before(items: Sequence[Item], place: int) -> tuple[str, ...]:
    """Return the words directly before a position, as far back as the last name or preposition other than "of"."""
    found: list[str] = []
    for item in reversed(items[:place]):
        if isinstance(item, Name) or (item.text in PREPOSITIONS and item.text != "of"):
            break
        found.append(item.text)
    return tuple(reversed(found))


def _is_part_of_more(items: Sequence[Item], place: int) -> bool:
    """Return whether a name is only part of a longer one: "the door handle" is not "the door"."""
    more = items[place + 1] if place + 1 < len(items) else None
    if more is None or not is_content(more) or (isinstance(more, Word) and more.capital):
        return False
    following = items[place + 2] if place + 2 < len(items) else None
    return following is None or (isinstance(following, Word) and following.text in PREPOSITIONS)


def _before(items: Sequence[Item], place: int) -> str:
    return _text(items[place - 1]) if place else ""


def _text(item: Item | None) -> str:
    return item.text if isinstance(item, Word) else ""
