"""The mood of each clause: a command, a question, a statement, a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from chartui.core.actions.clauses import Clause, Sentence
from chartui.core.actions.intent import Mood, in_the_past, is_politeness, mood_of, negated, words_of
from chartui.core.actions.language import CLAUSE_STARTS, word_set
from chartui.core.actions.verbs import Form

_BE: Final = word_set("is are was were")


def moods_of(clauses: Sequence[Clause], sentence: Sentence) -> list[tuple[Mood, bool]]:
    found: list[tuple[Mood, bool]] = []
    preface: list[str] = []
    past = in_the_past(sentence)
    for place, clause in enumerate(clauses):
        if clause.act is None:
            if clause.marker in ("if", "when") and not is_politeness(clause):
                found.append((Mood.CONDITION, False))
            else:
                found.append((Mood.COMMAND, False))
            preface += [word for group in clause.groups for word in words_of(group.items)]
            continue
        mood, is_negated = mood_of(clause, sentence, preface), negated(clause)
        before = clauses[place - 1] if place else None
        if before is not None and before.act is not None and _continues(clause, before):
            if found[-1][0] in (Mood.STATEMENT, Mood.OTHERS, Mood.ABOUT, Mood.QUESTION):
                mood = found[-1][0]
            elif mood is Mood.OPEN:
                mood = Mood.COMMAND
            is_negated = is_negated or (found[-1][1] and _shares_negation(clause))
        if past and mood is Mood.COMMAND and clause.act.form & (Form.PAST | Form.PARTICIPLE):
            mood = Mood.STATEMENT
        if not clause.lead and clause.act.form & (Form.ING | Form.PARTICIPLE) and _is_a_subject(clauses, place):
            mood = Mood.STATEMENT
        found.append((mood, is_negated))
    return _settled(clauses, found)


def _settled(clauses: Sequence[Clause], moods: list[tuple[Mood, bool]]) -> list[tuple[Mood, bool]]:
    """Return the intents, revised by their context.

    A participle is a command only next to another command. A condition applies to the later actions or, if there are
    none, to the previous one.
    """
    commanded = any(mood is Mood.COMMAND and clause.act for clause, (mood, _) in zip(clauses, moods, strict=True))
    for place, (mood, is_negated) in enumerate(moods):
        if mood is Mood.OPEN:
            moods[place] = (Mood.COMMAND if commanded else Mood.STATEMENT, is_negated)
        if mood is Mood.CONDITION:
            behind = [other for other in range(place + 1, len(moods)) if clauses[other].act]
            before = [other for other in range(place) if clauses[other].act]
            for other in behind or before[-1:]:
                moods[other] = (Mood.CONDITION, is_negated)
    return moods


def _continues(clause: Clause, before: Clause) -> bool:
    """Return whether a clause shares the subject of the previous one: "I opened it and rang the bell"."""
    if clause.marker or before.act is None or clause.act is None or not (clause.link or clause.comma):
        return False
    starts = any(word in CLAUSE_STARTS or word[0] == "<" for word in words_of(clause.lead))
    return not starts and clause.link != "but" and bool(clause.act.form & before.act.form)


def _shares_negation(clause: Clause) -> bool:
    if clause.link == "or":
        return True
    instead = any(word == "instead" for group in clause.groups for word in words_of(group.items))
    return clause.link == "and" and not clause.comma and not instead


def _is_a_subject(clauses: Sequence[Clause], place: int) -> bool:
    """Return whether the clause is only the subject of a sentence: "opening doors is fun", "opened doors are shut"."""
    if any(word in _BE for word in words_of(clauses[place].groups[0].items)):
        return True
    following = clauses[place + 1] if place + 1 < len(clauses) else None
    joined = following is not None and not (following.link or following.comma or following.marker)
    return following is not None and joined and not _BE.isdisjoint(words_of(following.lead[:1]))
