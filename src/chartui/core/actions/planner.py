"""The local planner: what a character would do on a command, by rules alone (decisions 44, 47 and 60).

It uses the declared actions, objects and characters and invents nothing: what is asked for and not declared is said to
be missing, in a reply that names the planner. The same text over the same declarations gives the same plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from chartui.core.actions.language import (
    DETERMINERS,
    FILLERS,
    HARD_BREAKS,
    NEGATIONS,
    PREPOSITIONS,
    PRONOUNS,
    SOFT_BREAKS,
    Lexicon,
    allows,
    is_manner,
    tokens,
)

__all__ = ["Plan", "Step", "plan"]

_LINE_BREAK: Final = re.compile(r"\s*[\r\n]\s*")


class Step(NamedTuple):
    """One action and what it is done with, as declared; some actions need nothing."""

    action: str
    target: str | None = None

    def __str__(self) -> str:
        """The step as a line of an action sequence."""
        line = self.action if self.target is None else f"{self.action} {self.target}"
        return _LINE_BREAK.sub(" ", line)


class Plan(NamedTuple):
    """``steps`` in the order asked for; ``mentioned`` is what pronouns stand for from now on, by kind."""

    steps: tuple[Step, ...]
    reply: str
    mentioned: Mapping[str, str]


class _Target(NamedTuple):
    """Something a text names: an ``object`` or a ``person`` as declared, or a ``pronoun``; ``said`` is how."""

    kind: str
    name: str
    said: str


#: A run of words between two breaks, with the declared names already found in it.
_Group = list["str | _Target"]


class _Clause:
    """An action, or None, and the groups of words that follow it."""

    def __init__(self, action: str | None = None, *, negated: bool = False) -> None:
        self.action = action
        self.negated = negated
        self.groups: list[_Group] = [[]]


def plan(
    text: str,
    actions: Sequence[str],
    objects: Sequence[str],
    people: Sequence[str],
    *,
    mentioned: Mapping[str, str] | None = None,
) -> Plan:
    """Plan what ``text`` asks for; ``mentioned`` is that of the conversation's last plan."""
    resolver = _Resolver(mentioned or {}, {*objects, *people})
    for clause in _clauses(tokens(text), Lexicon(actions, objects, people)):
        resolver.add(clause)
    return Plan(tuple(resolver.steps), _reply(resolver, bool(actions)), resolver.mentioned)


def _clauses(words: Sequence[str], lexicon: Lexicon) -> list[_Clause]:
    clauses = [_Clause()]
    negated = False
    consumed: set[int] = set()
    place = 0
    while place < len(words):
        word, here = words[place], place
        found = lexicon.match(words, place, after_determiner=place > 0 and words[place - 1] in DETERMINERS)
        length = found[1] if found else 1
        if length == 1 and (split := lexicon.split_action(words, place)):
            found = (split[0], 1)
            consumed.add(split[1])
        place += length
        if here in consumed:
            continue
        if found and found[0].kind == "action":
            if clauses[-1].action is None:
                # Words before an action, up to the last break, lead to it: "could you", "I would love you to".
                clauses[-1].groups.pop()
            clauses.append(_Clause(found[0].name, negated=negated))
            negated = False
        elif found:
            clauses[-1].groups[-1].append(_Target(*found[0], said=" ".join(words[here:place])))
        elif word in HARD_BREAKS:
            clauses.append(_Clause())
            negated = False
        elif word in SOFT_BREAKS:
            clauses[-1].groups.append([])
            # "Do not open or close it" forbids both.
            negated = word == "or" and clauses[-1].negated
        elif word in NEGATIONS:
            negated = True
        elif word in PRONOUNS and not _begins_a_name(words, place):
            clauses[-1].groups[-1].append(_Target("pronoun", word, word))
        else:
            clauses[-1].groups[-1].append(word)
    return clauses


def _begins_a_name(words: Sequence[str], following: int) -> bool:
    """Tell "her key" from "follow her": only the former is followed by a word that could be a name."""
    if words[following - 1] != "her" or following >= len(words):
        return False
    word = words[following]
    return word[0].isalnum() and not (word in PREPOSITIONS or word in HARD_BREAKS or word in SOFT_BREAKS)


class _Resolver:
    """Turns clauses into steps, in order, and remembers why some became none."""

    def __init__(self, mentioned: Mapping[str, str], declared: Iterable[str]) -> None:
        # What was spoken of earlier may not be there any more.
        known = set(declared)
        self.mentioned = {kind: name for kind, name in mentioned.items() if name in known}
        self.steps: list[Step] = []
        self.left_out: list[Step] = []
        self.refused: list[Step] = []
        self.missing: list[str] = []
        self.unclear: list[str] = []
        self.unknown: list[str] = []

    def add(self, clause: _Clause) -> None:
        """Resolve one clause."""
        if clause.action is None:
            for group in clause.groups:
                self._add_idle(group)
            return
        acted = False
        for group in clause.groups:
            acted = self._add_group(clause, clause.action, group, first=not acted) or acted
        if not acted:
            self._take(clause, Step(clause.action))

    def _add_idle(self, group: _Group) -> None:
        """Words without an action: remember what they name, and report what may have been meant as an action."""
        for item in group:
            if isinstance(item, _Target) and item.kind != "pronoun":
                self.mentioned[item.kind] = item.name
        words = [item for item in group if isinstance(item, str)]
        if any(_is_content(word) for word in words):
            self.unknown.append(" ".join(item.said if isinstance(item, _Target) else item for item in group))

    def _add_group(self, clause: _Clause, action: str, group: _Group, *, first: bool) -> bool:
        """Resolve what a clause's action is done with; True when the group named something, there or not."""
        for item in group:
            if isinstance(item, _Target) and item.kind == "person":
                self.mentioned["person"] = item.name  # "give the key to Mira" speaks of both
        found = _first_named(group)
        if isinstance(found, _Target):
            name = self._name_of(found)
            if name is not None:
                self._take(clause, Step(action, name))
            return True
        if found is None:
            return False
        # After "and", only an article tells a thing that is not there from an action that is not declared.
        if first or any(item in DETERMINERS for item in group if isinstance(item, str)):
            self.missing.append(found)
        else:
            self.unknown.append(found)
        return True

    def _name_of(self, target: _Target) -> str | None:
        if target.kind != "pronoun":
            self.mentioned[target.kind] = target.name
            return target.name
        name = self.mentioned.get(PRONOUNS[target.name])
        if name is None and target.name == "them":
            name = self.mentioned.get("object")
        if name is None:
            self.unclear.append(target.name)
        return name

    def _take(self, clause: _Clause, step: Step) -> None:
        if clause.negated:
            self.left_out.append(step)
        elif step.target is not None and not allows(step.target, step.action):
            self.refused.append(step)
        else:
            self.steps.append(step)


def _first_named(group: _Group) -> _Target | str | None:
    """What a group is about: a target, the words of something that is not declared, or None.

    In "the chest with the key" it is the chest, declared or not; in "the big red door" the door; in "Anna the key",
    said of giving, the key.
    """
    words: list[str] = []
    person: _Target | None = None
    for item in group:
        if isinstance(item, _Target):
            if item.kind == "object" or item.name == "it":
                return item
            person = person or item
        elif item in PREPOSITIONS:
            if words or person:
                break
        elif item in DETERMINERS:
            words = [] if person is None else words
        elif _is_content(item):
            words.append(item)
    return person or " ".join(words) or None


def _is_content(word: str) -> bool:
    return word[0].isalnum() and not (
        word in FILLERS or word in DETERMINERS or word in PREPOSITIONS or word in PRONOUNS or is_manner(word)
    )


def _reply(resolved: _Resolver, any_actions: bool) -> str:
    said = []
    if resolved.steps:
        said.append(", then ".join(map(str, resolved.steps)) + ".")
    if resolved.left_out:
        said.append(f"Left out, as asked: {', '.join(map(str, resolved.left_out))}.")
    said += [f"“{step.target}” does not allow {step.action}." for step in resolved.refused]
    said += [f"There is no “{name}” here." for name in dict.fromkeys(resolved.missing)]
    said += [f"It is not clear what “{word}” stands for." for word in dict.fromkeys(resolved.unclear)]
    if any_actions:
        said += [f"No declared action fits “{words}”." for words in dict.fromkeys(resolved.unknown)]
    else:
        said = ["No actions were asked for."]
    return f"Local planner: {' '.join(said) or 'nothing in that asks for one of the declared actions.'}"
