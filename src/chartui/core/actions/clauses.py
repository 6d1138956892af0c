"""Split text into clauses. Find the action in each clause and the connections between clauses (decision 72).

Other modules interpret the clauses: :mod:`chartui.core.actions.intent` distinguishes commands from other clauses, and
the planner finds the target of each action.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Final

from chartui.core.actions.language import (
    ALSO_SAID,
    ALTERED,
    ALTERING,
    DETERMINERS,
    FILLERS,
    INTRANSITIVE,
    MARKERS,
    MOTION,
    ORDINALS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    SENTENCE_ENDS,
    SOFT_BREAKS,
    SPARED,
    Word,
    is_manner,
    spoken,
    tokens,
    unfold,
    word_set,
)
from chartui.core.actions.names import Name, Names
from chartui.core.actions.verbs import Form, bases, form_of, readings
from chartui.core.classes import NamedTuple, dataclass

Item = Word | Name
_RELATIVE: Final = frozenset({"that", "which", "who", "whom"})
#: Words followed by a noun rather than a verb, unless the verb ends in "ing".
_BEFORE_NOUNS: Final = PREPOSITIONS - {"to", "up", "down", "out", "off", "before", "after", "until"}
_MARKERS_OF_ONE: Final = frozenset(words[0] for words in MARKERS if len(words) == 1)
_LONGEST_MARKER: Final = max(map(len, MARKERS))
#: Maximum distance between a verb and its particle, in words.
_REACH: Final = 10


#: Markers of clauses that depend on another.
SUBORDINATE: Final = frozenset({"before", "after", "when", "while", "until", "if", "because", "without"})


class Act(NamedTuple):
    """A declared action found in the text.

    It consists of the action's declared name, the form of its verb, and the words used in the text.
    """

    action: str
    form: Form
    said: str


class _Break(NamedTuple):
    """A break: ``soft`` words such as "and" end a group, and a ``marker`` such as "before" ends a clause."""

    soft: str = ""
    marker: str = ""


@dataclass(slots=True)
class Group:
    """A group of words between two breaks. A break is a comma or a word such as "and" or "before".

    ``link`` is the word that joins this group of words to the previous one. ``comma`` is true if a comma precedes the
    group.
    """

    link: str = ""
    comma: bool = False
    items: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class Clause:
    """A clause and its parts.

    It contains an action (or None), the words before the action (``lead``), and the groups of words after it.
    ``before`` contains the groups of words that come before ``lead`` and belong to no action.
    """

    act: Act | None = None
    marker: str = ""
    link: str = ""
    comma: bool = False
    lead: list[Item] = field(default_factory=list)
    lead_comma: bool = False
    before: list[Group] = field(default_factory=list)
    groups: list[Group] = field(default_factory=lambda: [Group()])

    @property
    def form(self) -> Form:
        return self.act.form if self.act else Form(0)

    @property
    def is_empty(self) -> bool:
        return self.act is None and not any(group.items for group in self.groups)


class Sentence(NamedTuple):
    clauses: list[Clause]
    words: list[str]
    asks: bool


class _Action(NamedTuple):
    name: str
    bases: frozenset[str]
    rest: tuple[str, ...]


class Actions:
    def __init__(self, actions: Sequence[str]) -> None:
        self.names = tuple(actions)
        self._by_base: dict[str, list[_Action]] = {}
        for name in actions:
            words = [word for word in unfold(tokens(name)) if word[0].isalnum()]
            if not words:
                continue
            action = _Action(name, bases(words[0]), tuple(words[1:]))
            for base in action.bases:
                self._by_base.setdefault(base, []).append(action)
        self._motion = [
            action
            for found in self._by_base.values()
            for action in found
            if action.rest == ("to",) and not action.bases.isdisjoint(MOTION)
        ]
        self._motion.sort(key=lambda action: self.names.index(action.name))

    def match(self, text: Sequence[Word], start: int) -> tuple[Act, frozenset[int]] | None:
        """Return the longest action whose verb is at position ``start``, with the positions of all its words."""
        found: tuple[int, _Action, frozenset[int]] | None = None
        of = readings(text[start].text)
        near = {action.name: action for base in of for action in self._by_base.get(base, ())}
        if not near and not MOTION.isdisjoint(of) and (motion := self._moved(text, start)):
            return motion
        for action in near.values():
            places = _rest_of(action, text, start, alone=len(near) == 1)
            if places is not None and (found is None or len(action.rest) > found[0]):
                found = len(action.rest), action, frozenset({start, *places})
        if found is None:
            return None
        _, action, taken = found
        said = " ".join(text[place].text for place in sorted(taken))
        return Act(action.name, form_of(text[start].text, action.bases), said), taken

    def _moved(self, text: Sequence[Word], start: int) -> tuple[Act, frozenset[int]] | None:
        """Return the first declared verb of motion, which replaces an undeclared one: "go over to Tom" means "Move To
        Tom".
        """
        places = _rest_of(self._motion[0], text, start, alone=False) if self._motion else None
        if not places:
            return None
        following = text[places[-1] + 1].text if places[-1] + 1 < len(text) else ""
        if following in self._by_base:
            return None  # "go on to ring the bell"
        said = " ".join(text[place].text for place in (start, *places))
        form = form_of(text[start].text, bases(text[start].text) & MOTION)
        return Act(self._motion[0].name, form, said), frozenset({start, *places})


def _rest_of(action: _Action, text: Sequence[Word], start: int, *, alone: bool) -> Sequence[int] | None:
    """Return the positions of an action's other words after its verb, or None if they are missing."""
    rest = action.rest
    if not rest:
        return None if _is_altered(action, text, start) else ()
    behind = range(start + 1, min(start + 1 + len(rest), len(text)))
    if tuple(text[place].text for place in behind) == rest:
        return behind
    if len(rest) != 1:
        return None
    [small] = rest
    same = ALSO_SAID.get(small, {small}) if small in PREPOSITIONS else {small}
    for place in range(start + 1, min(start + 1 + _REACH, len(text))):
        word = text[place].text
        if word in SOFT_BREAKS or word in SENTENCE_ENDS:
            break
        if word in (same if small not in PARTICLES else {small}):
            return (place,)
        if small not in PARTICLES and (word in PRONOUNS or word in ("the", "a", "an", "this", "that")):
            break  # "move the table to the wall" does not move to the table
    following = text[start + 1].text if start + 1 < len(text) else "."
    spared = small in SPARED and alone and following[0].isalnum() and following not in PREPOSITIONS | SOFT_BREAKS.keys()
    if start + 1 == len(text):
        spared = small in SPARED and alone and not INTRANSITIVE.isdisjoint(action.bases)  # "please sit"
    return () if spared else None


def _is_altered(action: _Action, text: Sequence[Word], start: int) -> bool:
    """Distinguish "turn it off" from "turn it"."""
    if ALTERED.isdisjoint(action.bases):
        return False
    for place in range(start + 1, min(start + 1 + _REACH, len(text))):
        word = text[place].text
        following = text[place + 1].text if place + 1 < len(text) else "."
        if word in SOFT_BREAKS or word in _MARKERS_OF_ONE:
            return False
        if word in ALTERING and (place == start + 1 or not following[0].isalnum() or following in SOFT_BREAKS):
            return True
    return False


def read(text: str, actions: Actions, names: Names) -> Iterator[Sentence]:
    words = spoken(text)
    start = 0
    while start < len(words):
        end = start
        while end < len(words) and words[end].text not in SENTENCE_ENDS:
            named = names.match(words, end)
            end = min(end + (named[1] if named else 1), len(words))
        part = words[start:end]
        if part:
            asks = end < len(words) and words[end].text in "?？؟"
            yield Sentence(_clauses(_items(part, actions, names)), [word.text for word in part], asks)
        start = end + 1


def _items(words: Sequence[Word], actions: Actions, names: Names) -> Iterator[Item | Act | _Break]:
    taken: set[int] = set()
    place = 0
    previous: Act | None = None
    while place < len(words):
        here, length = place, 1
        item: Item | Act | _Break = words[place]
        if here in taken:
            place += 1
            continue
        marker = _marker(words, place)
        name = names.match(words, place)
        counts = name is None and _is_step(words, place - 1)
        act = None if _after_noun_word(words, place) and not counts else actions.match(words, place)
        if act is not None and act[0].form == Form.BASE and place and words[place - 1].text in _BEING:
            act = None  # "it is open"
        if act is not None and place and words[place - 1].text in _BEFORE_NOUNS and act[0].form != Form.ING:
            act = None
        follows = act is not None and previous is not None and bool(previous.form & act[0].form)
        if previous is not None and follows and INTRANSITIVE.isdisjoint(bases(previous.said.split()[0])):
            act = None  # "grab hold of it"
        previous = None
        if name is not None and (act is None or name[1] > _run(act[1], place)):
            item, length = name
        elif act is not None and (marker is None or _run(act[1], place) >= marker[1]):
            item = previous = act[0]
            taken |= act[1]
        elif marker is not None:
            joins = marker[0] == "and"
            item, length = _Break("and" if joins else "", "" if joins else marker[0]), marker[1]
        elif words[place].text in SOFT_BREAKS:
            item = _Break(soft=SOFT_BREAKS[words[place].text])
        yield item
        place += length


_BEING: Final = word_set("is are was were am be")


def _run(places: frozenset[int], start: int) -> int:
    return next(length for length in range(1, len(places) + 2) if start + length not in places)


def _marker(words: Sequence[Word], place: int) -> tuple[str, int] | None:
    for length in range(min(_LONGEST_MARKER, len(words) - place), 0, -1):
        marker = MARKERS.get(tuple(word.text for word in words[place : place + length]))
        if marker is not None:
            following = words[place + length].text if place + length < len(words) else ""
            if words[place].text == "next" and following == "to":
                return None
            return marker, length
    return None


def _after_noun_word(words: Sequence[Word], place: int) -> bool:
    """Return whether the previous word (an article, a number or a possessive) introduces a noun."""
    if not place:
        return False
    before = words[place - 1].text
    is_first = before in ("first", "that", "this", "no", "her")
    return (before in DETERMINERS or before in ORDINALS or before.endswith("'s")) and not is_first


def _is_step(words: Sequence[Word], place: int) -> bool:
    """Return whether an ordinal introduces a command: "first ring the bell, second open the log"."""
    begins = place == 0 or (place > 0 and words[place - 1].text in SOFT_BREAKS)
    return begins and words[place].text in ORDINALS


def _clauses(items: Iterator[Item | Act | _Break]) -> list[Clause]:
    clauses = [Clause()]
    for item in items:
        last = clauses[-1]
        if isinstance(item, _Break):
            _break(clauses, item)
        elif not isinstance(item, Act):
            last.groups[-1].items.append(item)
        elif last.act is None and last.marker in SUBORDINATE and last.groups[-1].comma and len(last.groups) > 1:
            group = last.groups.pop()
            clauses.append(Clause(item, comma=True, link=group.link, lead=group.items))
        elif last.act is None:
            lead = last.groups.pop()
            for group in [group for group in last.groups if _dangles(group)]:
                last.groups.remove(group)
                lead.items[:0] = group.items  # "do not, whatever happens, open it"
            last.lead, last.lead_comma = lead.items, lead.comma
            last.before, last.groups, last.act = last.groups, [Group()], item
        else:
            clauses.append(_next_clause(last, item))
    return [clause for clause in clauses if not clause.is_empty]


def _dangles(group: Group) -> bool:
    words = [item.text for item in group.items if isinstance(item, Word)]
    if len(words) < len(group.items) or not words:
        return False
    return words[-1] in ("not", "never") or (words[:1] == ["under"] and words[-1] in ("circumstances", "conditions"))


def _break(clauses: list[Clause], item: _Break) -> None:
    last = clauses[-1]
    group = last.groups[-1]
    if item.marker:
        link, comma = ("", False) if group.items else (group.link, group.comma)
        made = Clause(marker=item.marker, link=link, comma=comma)
        if last.is_empty:
            clauses[-1] = made
        else:
            clauses.append(made)
    elif group.items or len(last.groups) == 1:
        last.groups.append(Group("" if item.soft == "," else item.soft, comma=item.soft == ","))
    else:
        # A comma followed by "and" is one break.
        group.link = group.link if item.soft == "," else item.soft
        group.comma = group.comma or item.soft == ","


def _next_clause(last: Clause, act: Act) -> Clause:
    """Return a new clause that starts with the next action.

    A break between the two actions belongs to the new clause.
    """
    group = last.groups[-1]
    if len(last.groups) > 1:
        last.groups.pop()
        alone = last.groups[-1].items if not group.items and len(last.groups) > 1 else []
        if len(alone) == 1 and isinstance(alone[0], Word) and alone[0].text in ORDINALS:
            group = last.groups.pop()  # "second, open the log"
        return Clause(act, link=group.link, comma=group.comma, lead=group.items)
    names = [place for place, item in enumerate(group.items) if isinstance(item, Name)]
    cut = names[-1] + 1 if names else next(
        (place for place, item in enumerate(group.items) if isinstance(item, Word) and item.text in _LEADING),
        len(group.items),
    )  # fmt: skip
    for place in names:
        following = group.items[place + 1 : place + 2]
        if following and isinstance(following[0], Word) and following[0].text in _RELATIVE:
            cut = place + 1  # "the sword that he struck"
            break
    else:
        if len(names) > 1 and names[-1] == names[-2] + 1 and act.form not in (Form.BASE, Form.ING):
            cut = names[-1]  # "the sword Mira struck"
    lead, group.items = group.items[cut:], group.items[:cut]
    opens = bool(lead) and isinstance(lead[0], Word) and lead[0].text in _RELATIVE
    relative = opens or (bool(names) and bool(lead) and cut <= names[-1])
    waited_for = group.items[:1] == [Word("for")] and lead[:1] == [Word("to")]  # "wait for him to open it"
    return Clause(act, marker="relative" if relative or waited_for else "", lead=lead)


_LEADING: Final = word_set("to i you he she we they how that and please")


def is_content(item: Item) -> bool:
    """Return whether an item is a content word, such as a noun or verb, rather than a function word."""
    if not isinstance(item, Word):
        return False
    word = item.text
    return word[0].isalnum() and not (
        word in FILLERS
        or word in QUESTION_WORDS
        or word in DETERMINERS
        or word in PREPOSITIONS
        or word in PRONOUNS
        or is_manner(word)
    )
