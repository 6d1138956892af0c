"""Plan a character's actions from a command, using rules only (decisions 44, 47, 60 and 72).

The local planner uses only the declared actions, objects and characters. If a request needs anything undeclared, the
reply says what is missing. Every reply says that it comes from the local planner. The same text and declarations always
result in the same plan.

Text is processed in stages. :mod:`~chartui.core.actions.clauses` finds the actions and the words around them,
:mod:`~chartui.core.actions.intent` decides which actions are commanded and in which order, and
:mod:`~chartui.core.actions.targets` finds their targets. :mod:`~chartui.core.actions.remarks` explains why part of a
request was not fulfilled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from chartui.core.actions.clauses import SUBORDINATE, Actions, Clause, Group, Item, Sentence, is_content, read
from chartui.core.actions.intent import Mood, in_order, is_passive, is_politeness, moods_of, question, words_of
from chartui.core.actions.language import (
    ALL,
    CLAUSE_STARTS,
    DETERMINERS,
    FIRST_PERSON,
    INTRANSITIVE,
    MOTION,
    ORDINALS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    REQUESTS,
    SPEECH,
    Word,
    is_foreign,
    word_set,
)
from chartui.core.actions.names import Name, Names, allows, may_be_taken
from chartui.core.actions.remarks import Remarks
from chartui.core.actions.targets import MOST, Found, Targets, counted
from chartui.core.actions.verbs import bases
from chartui.core.classes import NamedTuple

_LINE_BREAK: Final = re.compile(r"\s*[\r\n]\s*")
#: Pronouns for people other than the declared characters.
_SOMEBODY: Final = word_set("me us you myself yourself")
#: Verbs that may mean waiting for something that the planner cannot observe.
_WAITING: Final = word_set("wait stay pause")
_TIMES: Final = word_set("before after while")
_EVERYTHING: Final = ALL | {"everything"}


class Step(NamedTuple):
    """An action and its target, given by their declared names. Some actions need no target."""

    action: str
    target: str | None = None

    def __str__(self) -> str:
        line = self.action if self.target is None else f"{self.action} {self.target}"
        return _LINE_BREAK.sub(" ", line)


class Plan(NamedTuple):
    """A plan for one turn.

    It contains the ``steps`` in order, and the reply. ``mentioned`` lists the names that later pronouns can refer to.
    """

    steps: tuple[Step, ...]
    reply: str
    mentioned: Mapping[str, str]


def plan(
    text: str,
    actions: Sequence[str],
    objects: Sequence[str],
    people: Sequence[str],
    *,
    mentioned: Mapping[str, str] | None = None,
    character: str = "",
) -> Plan:
    """Plan the actions that ``text`` asks ``character`` to perform.

    ``mentioned`` contains the names mentioned earlier in the conversation, taken from the previous turn's plan.
    """
    planner = _Planner(Targets(mentioned or {}, objects, people), Remarks(actions, (*objects, *people)), character)
    sentences = list(read(text, Actions(actions), Names(objects, people)))
    for sentence in sentences:
        planner.add(sentence)
    steps = tuple(step for unit in planner.units for step in unit)
    planner.remarks.foreign = not steps and _is_foreign(sentences)
    return Plan(steps, planner.remarks.reply(steps), planner.targets.mentioned)


def _is_foreign(sentences: Sequence[Sentence]) -> bool:
    clauses = [clause for sentence in sentences for clause in sentence.clauses]
    items = [item for clause in clauses for group in clause.groups for item in (*clause.lead, *group.items)]
    words = [item.text for item in items if isinstance(item, Word) and item.text[0].isalnum()]
    return bool(words) and not any(clause.act for clause in clauses) and is_foreign(words)


class _Planner:
    """Turns sentences into steps. Each item of ``units`` holds the steps of a clause in the intended order."""

    def __init__(self, targets: Targets, remarks: Remarks, character: str) -> None:
        self._character = character
        self.targets = targets
        self.remarks = remarks
        self.units: list[list[Step]] = []

    def add(self, sentence: Sentence) -> None:
        clauses = list(_joined(sentence.clauses))
        if question(sentence):
            self.remarks.questions += 1
            for clause in clauses:
                self._overhear(clause)
            return
        moods = [
            (Mood.COMMAND, forbidden)
            if mood is Mood.ABOUT and self._character in _people(clause)
            else (mood, forbidden)
            for clause, (mood, forbidden) in zip(clauses, moods_of(clauses, sentence), strict=True)
        ]
        units = {place: list(self._steps(clauses, place, moods[place])) for place in range(len(clauses))}
        last = [self.units.pop()] if self.units else []
        for place in in_order(clauses):
            unit = units.get(place)
            self.units += last if unit is None else [unit] if unit else []

    def _overhear(self, clause: Clause) -> None:
        for group in (*clause.before, Group(items=clause.lead), *clause.groups):
            self.targets.overhear(group)

    def _steps(self, clauses: Sequence[Clause], place: int, mood: tuple[Mood, bool]) -> Iterator[Step]:
        clause, (kind, is_negated) = clauses[place], mood
        if clause.act is None or kind is not Mood.COMMAND:
            self._overhear(clause)
            self._remark_on(clause, kind)
            return
        if clause.link == "or" and not is_negated:
            self.remarks.add("alternatives", " ".join(_said_in(clause)))
            return
        for number, group in enumerate(clause.before, 1):
            following = clause.before[number] if number < len(clause.before) else Group(comma=clause.lead_comma)
            self._idle(group, followed=following)
            self.targets.overhear(group)
        self._remark_on_waiting(clause, clauses[place + 1 : place + 2])
        # A verb shared with the next clause shares its object.
        groups = _shared(clause, clauses[place + 1] if place + 1 < len(clauses) else None)
        if is_passive(clause) and not _gets_something(clause):
            groups = [*clause.before, Group(items=clause.lead), *groups[1:]]
        else:
            self.targets.overhear(Group(items=clause.lead))
        acted = False
        groups, times = counted(groups)
        leading = counted([Group(items=clause.lead)])[1][0]
        times[-1] = leading if leading > 1 else times[-1]  # "twice ring the bell"
        every = _put_first(clause, list(self._found(clause.act.action, groups, times)))
        self.targets.remember_together([found for found in every if not found.excluded])
        ruled_out = {name for found in every if found.excluded for name in found.names}
        # "ring the bell and the gong twice" is about both.
        each = 1 if times[-1] > 1 and set(times[:-1]) <= {1} else None
        unit: list[Step] = []
        for found in every:
            acted = True
            if not found.excluded:
                found = found._replace(names=tuple(name for name in found.names if name not in ruled_out))
            unit += self._often(self._taken(clause.act.action, found, is_negated), each or found.times)
        if not acted:
            unit += self._taken(clause.act.action, Found((None,)), is_negated)  # type: ignore[arg-type]
            if not is_negated:
                words = [word for word in words_of(clause.groups[0].items) if word not in PREPOSITIONS]
                for word in _SOMEBODY.intersection(words[:1]):
                    self.remarks.add("whom", word)
        yield from self._often(unit, times[-1] if each else 1)

    def _often(self, steps: Iterable[Step], times: int) -> list[Step]:
        """Repeat the steps as often as requested, up to the limit."""
        done = list(steps)
        if times > MOST and done:
            self.remarks.add("counts", f"{MOST} of {times}")
        return done * min(times, MOST)

    def _found(self, action: str, groups: Sequence[Group], times: Sequence[int]) -> Iterator[Found]:
        named = False
        for place, group in enumerate(groups):
            items = group.items
            if _is_ordinal_only(items) and place + 1 < len(groups):
                items = [*items, *(item for item in groups[place + 1].items if isinstance(item, Name))]
            if words_of(items) and words_of(items)[0] in SPEECH and place:
                continue  # ", said Tom"
            if named and _begins_with_verb(group):
                self._idle(group)
                continue
            if group.link == "but" and place and not _EVERYTHING.isdisjoint(words_of(groups[place - 1].items)):
                items = [Word("not"), *items]
            found = self.targets.find(Group(items=items), action)
            self.targets.remember_people(items)
            if found is None:
                continue
            if group.link == "or" and named:
                self.remarks.add("alternatives", " ".join(_said(items)))
                continue
            if found.missing and named and not _begins_with_determiner(items):
                self._idle(group)
                continue
            named = True
            yield found._replace(
                only="only" in words_of(items[:1]), first=place > 0 and _ends_first(items), times=times[place]
            )

    def _taken(self, action: str, found: Found, is_negated: bool) -> Iterator[Step]:
        if found.missing:
            self.remarks.add("missing", found.missing)
        if found.unclear:
            self.remarks.add("unclear", found.unclear)
        if found.besides and not is_negated:
            self.remarks.add("missing", found.besides)
        if found.fewer and not is_negated:
            self.remarks.fewer[found.fewer] = len(found.names)
        for name in found.names:
            step = Step(action, name)
            if (is_negated and not found.only) or found.excluded:
                self.remarks.left_out[step] = None
            elif name is not None and not (allows(name, action) and (not found.every or may_be_taken(name, action))):
                self.remarks.refused[name, action] = None
            else:
                yield step
        if found.guessed and not is_negated and not found.excluded:
            self.remarks.guessed[found.guessed[0]] = found.guessed[1]

    def _remark_on_waiting(self, clause: Clause, following: Sequence[Clause]) -> None:
        """Add the remark that the end of "wait for Tom to leave" cannot be observed."""
        items = clause.groups[0].items
        if clause.act is None or _WAITING.isdisjoint(bases(clause.act.said.split()[0])) or items[:1] != [Word("for")]:
            return
        said = _said(items[1:])
        if following and following[0].marker == "relative" and following[0].lead[:1] == [Word("to")]:
            said += _said_in(following[0])
        if "to" in said[1:-1]:
            self.remarks.add("unwatched", " ".join(said))

    # -- not a command ------------------------------------------------------------------------------------------------

    def _remark_on(self, clause: Clause, kind: Mood) -> None:
        if clause.marker == "until" or (clause.act is None and clause.marker in _TIMES and _says_something(clause)):
            if not is_politeness(clause):
                self.remarks.add("unwatched", " ".join(_said_in(clause)))
        elif kind is Mood.CONDITION and clause.marker in ("if", "when"):
            self.remarks.add("conditions", " ".join(_said_in(clause)))
        elif kind is Mood.ABOUT:
            for name in _people(clause)[-1:]:  # no action if a clause continues the previous one
                self.remarks.add("about", name)
        elif kind is Mood.OTHERS:
            self._idle(Group(items=clause.lead))
        elif kind is Mood.QUESTION:
            self.remarks.questions += 1
        elif kind is Mood.STATEMENT:
            self.remarks.statements += 1
        elif clause.act is None and clause.marker not in SUBORDINATE:
            groups = clause.groups
            for place, group in enumerate(groups):
                self._idle(group, followed=groups[place + 1] if place + 1 < len(groups) else None)

    def _idle(self, group: Group, followed: Group | None = None) -> None:
        if word := _unknown_verb(group, followed):
            self.remarks.add("unknown", word)


def _put_first(clause: Clause, every: list[Found]) -> list[Found]:
    """Return the targets in the requested order: "both lanterns, the second one first"."""
    first = [found for found in every if found.first]
    named = [name for found in first for name in found.names]
    others = [name for found in every if not found.first for name in found.names]
    if not first or not set(named) <= set(others):
        return every
    for group in clause.groups[1:]:
        if _ends_first(group.items):
            group.items = group.items[:-1]  # the remark does not concern this clause
    rest = [found._replace(names=tuple(n for n in found.names if n not in named)) for found in every if not found.first]
    return [*first, *rest]


def _ends_first(items: Sequence[Item]) -> bool:
    return words_of(items[-1:]) == ["first"] and len(items) > 1


def _gets_something(clause: Clause) -> bool:
    """Return whether the subject receives something ("Mira should be given the key")."""
    return "<object>" not in words_of(clause.lead) and "<object>" in words_of(clause.groups[0].items[:2])


def _joined(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Yield the clauses. A clause without a verb ("then to Tom") is joined to the previous action."""
    before: Clause | None = None
    for clause in clauses:
        follows = before is not None and before.act and clause.act is None and clause.marker == "then"
        if before is not None and follows and _only_names(clause.groups[0]):
            before.groups += clause.groups
            continue
        if before is not None and before.act and clause.marker == "then" and clause.act and not is_passive(clause):
            while clause.before and _only_names(clause.before[0]):
                before.groups.append(clause.before.pop(0))  # "take the key, then the lamp, and wait"
        if clause.marker == "if" and clause.act is None and before is not None and before.act and is_politeness(clause):
            before.groups += clause.groups[1:]  # "the key and, if you like, the lamp"
            continue
        if clause.marker == "without" and clause.act is None and before is not None and before.act:
            before.groups += [Group(items=[Word("not"), *group.items]) for group in clause.groups]
            continue
        before = clause
        yield clause


def _only_names(group: Group) -> bool:
    """Return whether a group contains no verb: "then back to Tom", unlike "then sing for Tom"."""
    words = words_of(group.items)
    named = any(word[0] == "<" or word in PRONOUNS or word.isdecimal() or word in ORDINALS for word in words)
    begins = bool(words) and (words[0] in PREPOSITIONS or words[0] in DETERMINERS)
    return (named or begins) and not _unknown_verb(group)


def _shared(clause: Clause, following: Clause | None) -> list[Group]:
    lacks = len(clause.groups) == 1 and not clause.groups[0].items
    if not lacks or following is None or following.act is None or following.link not in ("and", "or") or following.lead:
        return clause.groups
    if clause.act is None or following.comma or not INTRANSITIVE.isdisjoint(bases(clause.act.said.split()[0])):
        return clause.groups
    return following.groups


# -- words ------------------------------------------------------------------------------------------------------------


def _said(items: Sequence[Item]) -> list[str]:
    return [_as_name(item) if isinstance(item, Name) else item.text for item in items]


def _as_name(name: Name) -> str:
    return name.said.title() if name.kind == "person" else name.said


def _says_something(clause: Clause) -> bool:
    """Return whether a clause makes a statement: "after Tom leaves", unlike "after Tom" and "after that"."""
    items = clause.groups[0].items
    named = next((place for place, item in enumerate(items) if isinstance(item, Name)), len(items))
    return any(is_content(item) for item in items[named:])


def _people(clause: Clause) -> list[str]:
    return [item.names[0] for item in clause.lead if isinstance(item, Name) and item.kind == "person"]


def _said_in(clause: Clause) -> list[str]:
    acted = [clause.act.said] if clause.act else []
    return [*_said(clause.lead), *acted, *(word for group in clause.groups for word in _said(group.items))]


def _is_ordinal_only(items: Sequence[Item]) -> bool:
    words = words_of(items)
    return not ORDINALS.keys().isdisjoint(words) and all(word in ORDINALS or word in DETERMINERS for word in words)


def _begins_with_determiner(items: Sequence[Item]) -> bool:
    """Return whether a determiner comes first: "and a song", unlike "and sing a song"."""
    place = next((place for place, item in enumerate(items) if is_content(item)), len(items))
    return any(isinstance(item, Word) and item.text in DETERMINERS for item in items[:place])


def _begins_with_verb(group: Group) -> bool:
    """Return whether a verb comes first: "and polish the lamp", unlike "and the lamp" and "and brass lamps"."""
    word = _unknown_verb(group)
    if not word:
        return False
    words = words_of(group.items)
    place = words.index(word) + 1
    following = "".join(words[place : place + 1])
    if following == "<object>":
        return _said(group.items[place : place + 1])[0][-1].isdigit()  # "and polish lamp 2"
    return following in DETERMINERS or following in PRONOUNS or following in PREPOSITIONS or following == "<person>"


def _unknown_verb(group: Group, followed: Group | None = None) -> str:
    """Return the word that stands where a verb is expected in a group, or an empty string if there is none."""
    items = group.items
    if motion := _unknown_motion(items):
        return motion
    place = next((place for place, item in enumerate(items) if is_content(item)), None)
    if place is None or words_of(items)[place].isdecimal():
        return ""
    before = words_of(items[:place])
    subject = next((word for word in reversed(before) if word in CLAUSE_STARTS), "")
    if subject in FIRST_PERSON and REQUESTS.isdisjoint(before):
        return ""
    if words_of(items)[place] in SPEECH:
        return ""
    if before and (before[-1] in DETERMINERS or before[-1] in PREPOSITIONS - {"to"} or before[-1] in ORDINALS):
        return ""
    item = items[place]
    if isinstance(item, Name):
        return ""
    if item.capital:
        following = items[place + 1] if place + 1 < len(items) else None
        if following is not None and is_content(following) and isinstance(following, Word) and not following.capital:
            return following.text  # "Bran sings"
        alone = len(items) == 1
        if place or group.comma or (alone and followed is not None and followed.comma):
            return ""  # a form of address
    return item.text


def _unknown_motion(items: Sequence[Item]) -> str:
    """Return a verb of motion with a destination ("please go over to the door"), or an empty string ("go ahead")."""
    words = words_of(items)
    for place, item in enumerate(items):
        if isinstance(item, Name) or is_content(item) or words[place] in FIRST_PERSON:
            return ""
        if not MOTION.isdisjoint(bases(words[place])):
            behind = next((word for word in words[place + 1 :] if word not in PARTICLES), "")
            return words[place] if behind in ("to", "toward", "towards") else ""
    return ""
