"""Determine which clauses are commands or prohibitions, and the order in which they apply (decision 72)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from chartui.core.actions.clauses import Clause, Item, Sentence
from chartui.core.actions.language import (
    CLAUSE_STARTS,
    DELEGATES,
    FEIGNING,
    FIRST_PERSON,
    INVERTED,
    MODALS,
    NEGATIONS,
    PAST_PERIODS,
    PAST_TIMES,
    POLITE,
    POSSESSIVES,
    QUESTION_WORDS,
    REQUESTS,
    TELLING,
    URGING,
    Word,
    is_manner,
    word_set,
)
from chartui.core.actions.names import Name
from chartui.core.actions.verbs import Form, bases

_SUBJECTS: Final = word_set("i we you he she they it")
_HAVE: Final = word_set("have has had")
_WAS: Final = word_set("was were been")
_BE: Final = word_set("is are was were am be been being get gets")
_IS: Final = word_set("is are was were")
_GETTING: Final = word_set("want need like get have see love wish")


#: Words for a future action of someone else: "Tom is going to open it".
_INTENDS: Final = word_set("will shall is going to")
_TIMES: Final = frozenset({"before", "after", "when", "while"})


class Mood(Enum):
    COMMAND = "command"
    STATEMENT = "statement"
    QUESTION = "question"
    CONDITION = "condition"
    #: The command is for another character.
    OTHERS = "others"
    #: A character in the scene acts.
    ABOUT = "about"
    #: A participle that is a command only if a command follows ("Taking the key, she opens the door").
    OPEN = "open"


def words_of(items: Sequence[Item]) -> list[str]:
    """Return the words of ``items``.

    Each declared name is replaced by its kind, such as ``<object>``.
    """
    return [f"<{item.kind}>" if isinstance(item, Name) else item.text for item in items]


def question(sentence: Sentence) -> bool:
    """Return whether a sentence asks for an answer instead of an action."""
    words = [
        word for word in sentence.words if word[0].isalnum() and word not in ("please", "and", "so", "well", "hey")
    ]
    if not words:
        return False
    first, second = words[0], "".join(words[1:2])
    if first in ("why", "how", "what") and (
        second == "about" or words[1:4] == ["do", "not", "you"] or (first == "why" and second == "not")
    ):
        return False
    if first == "when":
        return second in INVERTED or second in MODALS or sentence.asks
    if first in QUESTION_WORDS:
        return True
    if _asks_to_be_told(sentence, words):
        return True
    if first in INVERTED and second not in ("not", "you") and sentence.asks:
        return REQUESTS.isdisjoint(words)
    if first in INVERTED and second == "you":
        return not (words[2:3] == ["dare"] or not REQUESTS.isdisjoint(words) or words[2:3] == ["think"])
    if first in MODALS and second != "you" and "be" in words and sentence.asks and REQUESTS.isdisjoint(sentence.words):
        return "please" not in sentence.words  # "can it be opened?"
    asked = [first, second] == ["shall", "we"] or words[2:4] == ["ask", "you"]
    return first in MODALS and second in FIRST_PERSON and not asked


def _asks_to_be_told(sentence: Sentence, words: Sequence[str]) -> bool:
    """Return whether a sentence asks for an explanation ("could you tell me where the key is"), not for an action."""
    acts = {base for clause in sentence.clauses if clause.act for base in bases(clause.act.said.split()[0])}
    return acts.isdisjoint(TELLING) and any(
        word in TELLING and words[place + 1] in ("me", "us") and words[place + 2] in (*QUESTION_WORDS, "if")
        for place, word in enumerate(words[:-2])
    )


def is_politeness(clause: Clause) -> bool:
    """Return whether a condition is only a polite phrase, such as "if you don't mind"."""
    # "when you have it" can be fulfilled; "if you have it" is a condition.
    marks = "" if clause.marker == "when" else "<"
    words = [word for word in words_of(clause.groups[0].items) if word[0].isalnum() or word[0] in (*marks,)]
    return POLITE.issuperset(words) and not {"he", "she"} & set(words)


def is_passive(clause: Clause) -> bool:
    """Return whether a clause is passive and names the target before the action, as in "the door should be opened"."""
    if clause.act is None or not clause.act.form & Form.PARTICIPLE:
        return False
    lead = _plain(clause)
    named = any(word in ("<object>", "<person>", "it", "them") for word in lead)
    depends = clause.marker in _TIMES | {"if"} and not _BE.isdisjoint(lead)
    if "be" in lead or depends:
        return named or any(isinstance(item, Name) for group in clause.before for item in group.items)
    return bool(lead) and lead[-1] == "<object>" and not _GETTING.isdisjoint(lead[:-1])


def _plain(clause: Clause) -> list[str]:
    return [
        word for word in words_of(clause.lead) if not is_manner(word) and word not in ("not", "never", "also", "now")
    ]


def mood_of(clause: Clause, sentence: Sentence, preface: Sequence[str]) -> Mood:
    """Return the intent of a clause that contains an action.

    ``preface`` contains the words of the sentence that precede the clause and belong to no action.
    """
    lead, form = _plain(clause), clause.form
    if clause.marker in ("relative", "until", "because"):
        return Mood.STATEMENT
    if clause.marker == "if":
        wished = not REQUESTS.isdisjoint(preface) or not MODALS.isdisjoint(lead)
        return Mood.COMMAND if wished and ("you" in lead or is_passive(clause)) else Mood.CONDITION
    if clause.marker in _TIMES and is_passive(clause):
        return Mood.COMMAND
    if clause.marker == "when" and "you" not in lead and (lead or form != Form.ING) and "<" in "".join(lead[:1] or "<"):
        return Mood.CONDITION
    if form == Form.ING and not {"thanks", "thank"}.isdisjoint(lead):
        return Mood.STATEMENT
    if any(not FEIGNING.isdisjoint(bases(word)) for word in lead):
        return Mood.OTHERS
    wished = "whether" in lead and "you" in lead and not REQUESTS.isdisjoint(lead)
    suggested = wished or "about" in lead[1:2] or lead[:1] == ["why"]
    if not QUESTION_WORDS.isdisjoint(lead) and not suggested:
        return Mood.QUESTION
    if is_passive(clause):
        return Mood.COMMAND if not _WAS & set(lead) else Mood.STATEMENT
    subject = next((word for word in reversed(lead) if word in _SUBJECTS or word[0] == "<"), "")
    if clause.marker in ("before", "after", "when", "while", "without"):
        return Mood.STATEMENT if subject in FIRST_PERSON else Mood.COMMAND
    if ("me" in lead and "let" in lead) or subject in FIRST_PERSON:
        together = subject == "we" and not {"should", "must", "need", "ought", "shall"}.isdisjoint(lead)
        return Mood.COMMAND if together else Mood.STATEMENT
    if subject == "you":
        return _of_you(lead, form)
    if not subject:
        return _of_nobody(lead, form)
    return _of_others(clause, sentence, lead, form, subject)


def _of_you(lead: Sequence[str], form: Form) -> Mood:
    if lead[-1] in _HAVE and form & Form.PARTICIPLE:
        return Mood.STATEMENT
    if lead[-1] in _BE and form & (Form.ING | Form.PARTICIPLE):
        return Mood.STATEMENT
    wished = not (REQUESTS | MODALS).isdisjoint(lead)
    return Mood.STATEMENT if form == Form.PAST or (form == Form.PAST | Form.PARTICIPLE and not wished) else Mood.COMMAND


def _of_nobody(lead: Sequence[str], form: Form) -> Mood:
    if lead and lead[-1] in _BE | _HAVE and form & Form.PARTICIPLE:
        return Mood.STATEMENT
    if not POSSESSIVES.isdisjoint(lead) and form & Form.PAST:
        return Mood.STATEMENT
    if form == Form.ING and not lead:
        return Mood.OPEN
    return Mood.COMMAND


def _of_others(clause: Clause, sentence: Sentence, lead: Sequence[str], form: Form, subject: str) -> Mood:
    reported = not FIRST_PERSON.isdisjoint(lead) and REQUESTS.isdisjoint(lead)
    if reported or "that" in lead[1:]:
        return Mood.STATEMENT  # "I heard that Tom opened it"
    delegated = next((place for place, word in enumerate(lead) if not DELEGATES.isdisjoint(bases(word))), None)
    if delegated is not None and ("<person>" in lead[delegated + 1 :] or not delegated):
        return Mood.OTHERS
    if _judges(lead):
        return Mood.STATEMENT
    if subject == "<person>" and lead[-1] == subject and form and not form & (Form.BASE | Form.ING):
        return Mood.ABOUT
    if lead[0] == "<person>" and lead[1:2] in (["will"], ["shall"], ["is"]) and _INTENDS.issuperset(lead[1:]):
        return Mood.ABOUT
    if lead[-2:] == ["used", "to"]:
        return Mood.STATEMENT
    if lead[-1] in _HAVE | _WAS and form & (Form.PARTICIPLE | Form.ING):
        return Mood.STATEMENT
    if subject == "<person>" and lead[-1] in _BE and form & Form.ING:
        return Mood.STATEMENT
    if subject in ("<object>", "it") and not is_passive(clause) and lead[-1] in ("<object>", "it", *_BE):
        return Mood.STATEMENT if form != Form.BASE or sentence.asks else Mood.COMMAND
    return Mood.COMMAND


def _judges(lead: Sequence[str]) -> bool:
    """Return whether the words before an action judge it ("it would be bad to open it") instead of requesting it."""
    return (
        "it" in lead
        and lead[-1] == "to"
        and not _BE.isdisjoint(lead)
        and (REQUESTS | URGING | {"your"}).isdisjoint(lead)
        and lead[-2] not in _BE
    )


def in_the_past(sentence: Sentence) -> bool:
    words = sentence.words
    periods = (words[place + 1] for place, word in enumerate(words[:-1]) if word == "last")
    return not PAST_TIMES.isdisjoint(words) or any(word in PAST_PERIODS for word in periods)


def negated(clause: Clause) -> bool:
    """Return whether the words before an action forbid the action.

    Two negations cancel out, as in "don't forget to".
    """
    words = words_of(clause.lead)
    count = sum(word in NEGATIONS for word in words)
    for place, word in enumerate(words):
        if word == "not" and words[place + 1 : place + 2] in (["you"], ["only"]) and words[place - 1] != "do":
            count -= 1  # "won't you open it?"
    if words[:1] == ["why"]:
        count -= words.count("not")
    return (count + (clause.marker == "without")) % 2 == 1


# -- the intended order -----------------------------------------------------------------------------------------------


def in_order(clauses: Sequence[Clause]) -> list[int]:
    """Return the indexes of a sentence's clauses, in the order in which their actions should be performed.

    The index -1 stands for the previous sentence. The actions of the clauses listed before -1 should be performed
    before the actions of the previous sentence.
    """
    order = [-1]
    place = 0
    while place < len(clauses):
        clause = clauses[place]
        if clause.marker in _TIMES and clause.act is not None:
            place = _add_dependent(clauses, place, order)
            continue
        if clause.marker == "earlier":
            order.insert(len(order) - 1, place)
        elif place and _comes_first(clause):
            order.insert(1, place)
        elif not place and any(_is_first(group.items, ends=True) for group in clause.groups):
            order.insert(0, place)  # "… . But heat it first."
        else:
            order.append(place)
        place += 1
    return order


def _add_dependent(clauses: Sequence[Clause], place: int, order: list[int]) -> int:
    """Add a dependent clause, and the clauses joined to it, to ``order``. Returns the position after them."""
    clause = clauses[place]
    end = place + 1
    while end < len(clauses) and _goes_on(clauses[end], clause):
        end += 1
    dependent = list(range(place, end))
    last = end
    while last < len(clauses) and clauses[last].marker not in _TIMES | {"earlier"}:
        last += 1
    follows = end < len(clauses) and clauses[end].marker != "then" and last > end
    apart = clause.comma or clause.link != "" or not any(one.act for one in clauses[:place])
    if follows and apart:
        main = list(range(end, last))
        order += main + dependent if clause.marker == "before" else dependent + main
        return last
    if clause.marker in ("after", "when"):
        at = len(order) - 1
        while at > 1 and (clause.link or clause.comma) and clauses[order[at]].marker in _TIMES:
            at -= 1  # "ring before opening, but after closing": both are about the ringing
        while at > 1 and clauses[order[at]].link == "and" and not clauses[order[at]].comma:
            at -= 1
        order[at:at] = dependent
    else:
        order += dependent
    return end


def _goes_on(clause: Clause, first: Clause) -> bool:
    """Return whether a clause continues a dependent clause: "before you ring the bell and open the door"."""
    if clause.marker or clause.comma or clause.act is None or first.act is None:
        return False
    if clause.lead[:1] == [Word("to")]:
        return True
    return clause.link in ("and", "or") and bool(clause.act.form & first.act.form)


def _comes_first(clause: Clause) -> bool:
    return clause.marker == "first" or _is_first(clause.lead, ends=False) or any(
        _is_first(group.items, ends=True) for group in clause.groups
    )  # fmt: skip


def _is_first(items: Sequence[Item], *, ends: bool) -> bool:
    """Return whether "first" gives the order of the actions, and not an object ("the first key")."""
    return any(
        isinstance(item, Word) and item.text == "first" and (not ends or place == len(items) - 1)
        for place, item in enumerate(items)
    )


# -- moods -------------------------------------------------------------------------------------------------------------


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
    """Return the intents in context: a lone participle is not a command, a condition applies to what follows."""
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
    if any(word in _IS for word in words_of(clauses[place].groups[0].items)):
        return True
    following = clauses[place + 1] if place + 1 < len(clauses) else None
    joined = following is not None and not (following.link or following.comma or following.marker)
    return following is not None and joined and not _IS.isdisjoint(words_of(following.lead[:1]))
