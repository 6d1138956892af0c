"""English grammar for the local planner. Splits text into words and interprets function words (decision 72)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from chartui.core.classes import NamedTuple

#: Combining vowel signs and accents, which belong to the word of the letter before them.
_SIGNS: Final = (
    "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
    "\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0f84\u102b-\u103e\u200c\u200d"
)
_LETTERS: Final = rf"[^\W_](?:[^\W_]|[{_SIGNS}])*"
# A word with its apostrophes, or one punctuation mark. Hyphens and underscores separate words.
_TOKEN: Final = re.compile(rf"{_LETTERS}(?:'{_LETTERS})*|\n|[^\w\s-]")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Punctuation marks that end a sentence, in any script.
SENTENCE_ENDS: Final = word_set(". ! ? ; : … 。 ！ ？ ； ؟ ؛ । —") | {"\n"}
#: Marks and words that may continue the same action ("take the key and the lamp").
SOFT_BREAKS: Final[Mapping[str, str]] = {
    **dict.fromkeys((",", "、", "，", "،"), ","),
    **dict.fromkeys(("and", "plus", "&"), "and"),
    **dict.fromkeys(("or", "nor"), "or"),
    "but": "but",
}
#: Phrases that start a clause, with its relation to other clauses. Longer phrases are matched first.
MARKERS: Final[Mapping[tuple[str, ...], str]] = {
    tuple(phrase.split()): marker
    for marker, phrases in {
        "and": "as well as|along with|together with",
        "then": "then|afterwards|afterward|after that|after which|after this|next|finally|lastly|followed by",
        "earlier": "before that|before this|beforehand",
        "first": "but first",
        "before": "before|prior to",
        "after": "after|once|as soon as|having|upon|now that",
        "when": "when|whenever",
        "while": "while|whilst",
        "until": "until|till",
        "if": "if|unless|in case|provided|assuming",
        "because": "because|since|although|though|so that",
        "without": "without|instead of|rather than|except|except for|anything but|apart from|other than|excluding",
    }.items()
    for phrase in phrases.split("|")
}
NEGATIONS: Final = word_set(
    "not never no neither dont doesnt wont nobody nothing avoid avoids avoiding refrain refrains stop stops skip "
    "forget refuse refuses hesitate fail fails forbidden forbid forbids prohibit prohibited hardly"
)
DETERMINERS: Final = word_set(
    "the a an my your his her its our their this that these those some any another every each either no"
)
POSSESSIVES: Final = word_set("my our your their")
PREPOSITIONS: Final = word_set(
    "to at in into inside onto on off of from with by near behind beside between over under through towards toward for "
    "about around across along against before after until up down out above below upon"
)
#: The second word of many verbs, which may stand after the object ("pick it up").
PARTICLES: Final = word_set("up down on off in out away over back open shut together around aside apart")
#: Verbs whose meaning changes with these particles ("turn off").
ALTERED: Final = word_set("turn switch take put get hold go come")
ALTERING: Final = word_set("on off")
#: Particles that a verb with an object may omit ("hand me the key").
SPARED: Final = word_set("up down over out away back")
#: Accepted alternatives to a preposition.
ALSO_SAID: Final[Mapping[str, frozenset[str]]] = {
    "to": word_set("to toward towards"),
    "toward": word_set("to toward towards"),
    "towards": word_set("to toward towards"),
    "at": word_set("at to toward towards"),
    "in": word_set("in into inside"),
    "into": word_set("in into inside"),
    "on": word_set("on onto"),
    "onto": word_set("on onto"),
}
#: Words that the planner ignores, since they neither name nor request anything.
FILLERS: Final = word_set(
    "please kindly could can would will shall may might must should ought need needs has have had do does did "
    "done be is are am was were been being i you he she we they me us myself yourself himself herself want wants "
    "like love let now here there again also too just so well ok okay hello hi hey yes no not thanks thank as "
    "that what else it's fast high low hard soon once twice thrice moment moments minute minutes seconds hour "
    "perhaps maybe aloud loud alone nearby later outside upstairs downstairs upright together forward forwards "
    "backwards straight away back first last only then instead right immediately today tomorrow yesterday tonight "
    "times time bit little while both all one ones carefully very quite rather much more loudly start begin try "
    "continue proceed keep go come ahead make sure feel free remember mind wonder wondering think believe hope "
    "everything anything something everyone everybody another either good great nice kind morning evening afternoon "
    "sorry alright up use using if when never whatever nothing nobody forget nevermind interesting hm hmm um oh ah"
)
#: Pronouns for the object or the person mentioned last.
PRONOUNS: Final[Mapping[str, str]] = {"it": "object", "him": "person", "her": "person", "them": "all"}
FIRST_PERSON: Final = word_set("i we")
#: Subjects and auxiliary verbs that start a new clause.
CLAUSE_STARTS: Final = word_set(
    "i we you he she they it who could can would will should must may do does did not never"
)
QUESTION_WORDS: Final = word_set("what who whom whose which where why how whether")
#: Verbs that start a question if a subject follows ("did you").
INVERTED: Final = word_set("do does did have has had is are am was were")
MODALS: Final = word_set("could can would will shall may might must should ought")
#: Words that turn a question or a condition into a request.
REQUESTS: Final = word_set(
    "mind able willing possible chance wonder wondering nice good great glad grateful appreciate kind lovely happy "
    "love rather best better helpful wonderful like want wish"
)
#: Words of polite phrases. A condition that consists only of these words is polite ("if you don't mind").
POLITE: Final = REQUESTS | word_set(
    "you i we not do to please can could would may might need be have get has are is it's it a an the of so all right "
    "ok okay ready done busy moment time minute finished finish that this there necessary needed required"
)
#: Verbs that assign the following action to another character ("ask Tom to open it").
DELEGATES: Final = word_set(
    "ask asks tell tells order orders invite invites persuade remind watch see let make help have hear get"
)
#: Verbs after which an action is only pretended.
FEIGNING: Final = word_set("pretend imagine suppose fake mime threaten dream fantasize fantasise")
#: Words that make "it is … to do" a request. With any other word, it is a description.
URGING: Final = word_set(
    "time necessary important essential vital required urgent advisable wise safe fine ok okay alright allowed sensible"
)
#: Verbs that attribute speech.
SPEECH: Final = word_set("said says asked asks replied replies shouted shouts called whispered cried")
#: Verbs that ask for an explanation if a question word follows.
TELLING: Final = word_set("tell show explain say")
#: Words of other languages. The words "die" and "den" only count if the text contains no English word.
FOREIGN: Final = word_set(
    "der die das den dem und ein eine le la les un une et du el los las una y il lo gli di che och det att het een "
    "en de os um uma i w na z nie não ja ist est es"
)
#: Words that mark a statement about the past, not a command.
PAST_TIMES: Final = word_set("yesterday ago previously formerly earlier already")
PAST_PERIODS: Final = word_set("night week month year time monday tuesday wednesday thursday friday saturday sunday")
#: Verbs that need a recipient.
TRANSFERS: Final = word_set("give hand pass bring show offer lend sell send throw deliver return explain tell")
#: Verbs that do not act on an object named after them.
IDLE: Final = word_set("wait stay sleep rest jump wave dance kneel bow smile nod laugh")
#: Verbs that usually have no object.
INTRANSITIVE: Final = IDLE | word_set("stop sit stand walk run go come move turn lie leave")
#: Verbs of motion. Before "to", the first declared one replaces an undeclared one.
MOTION: Final = word_set("go walk come run head move step hurry rush travel float fly")
#: Verbs for something held or open: "it" means that object, not the place visited since.
RELEASING: Final = word_set(
    "put drop lay place lower release give hand pass bring return throw show offer lend deliver drink eat"
)
TAKING: Final = word_set("pick take grab get lift fetch collect raise hold carry catch")
CLOSING: Final = word_set("close shut lock")
OPENING: Final = word_set("open unlock")
ORDINALS: Final[Mapping[str, int]] = {
    word: number
    for number, words in enumerate(
        (
            "first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th",
            "sixth 6th", "seventh 7th", "eighth 8th", "ninth 9th", "tenth 10th",
        ),
        1,
    )
    for word in words.split()
}  # fmt: skip
_COUNTED: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBERS: Final[Mapping[str, str]] = {word: str(number) for number, word in enumerate(_COUNTED, 1)}
NUMBER_SIGNS: Final = word_set("number no nr # №")
#: Words before "of" that name a part of a thing or a manner.
PARTS: Final = word_set("hold top side front middle edge end back bottom rest")
#: Words that ask for all similar objects.
ALL: Final = word_set("both all every each")

#: English words that also exist in other languages.
_SHARED: Final = word_set("in an am so me on to as no i was will at he us up hat den die over her")
_LATIN: Final = 0x24F
_SMALL: Final = (FILLERS | DETERMINERS | PREPOSITIONS | PRONOUNS.keys() | QUESTION_WORDS | NEGATIONS) - _SHARED
_TITLES: Final = word_set("mr mrs ms dr st prof")
_WHOLE: Final[Mapping[str, tuple[str, ...]]] = {
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "can't": ("can", "not"),
    "shan't": ("shall", "not"),
    "let's": ("let", "us"),
    "dont": ("do", "not"),
}
_TAILS: Final[Mapping[str, str]] = {
    "n't": "not", "'ll": "will", "'d": "would", "'ve": "have", "'re": "are", "'m": "am",
}  # fmt: skip
_WITH_IS: Final = word_set("it he she that there what who where here how when")


class Word(NamedTuple):
    """A lowercase word or a punctuation mark.

    ``capital`` is true if the original word began with a capital letter but was not written entirely in capitals.
    """

    text: str
    capital: bool = False


def tokens(text: str) -> list[str]:
    """Return the words and punctuation marks of ``text``, with all words in lowercase.

    ``MoveTo`` and ``move_to`` both count as two words.
    """
    return _TOKEN.findall(_HUMP.sub(" ", text.replace("’", "'")).casefold())


def unfold(words: list[str]) -> list[str]:
    """Expand contractions, for example ``don't`` to ``do not``.

    The full stop after a title such as ``mr.`` is removed.
    """
    if not any("'" in word or word in _WHOLE or word in _TITLES for word in words):
        return words
    return [word.text for word in _unfolded(Word(word) for word in words)]


def spoken(text: str) -> list[Word]:
    cased = [part for word in _TOKEN.findall(text.replace("’", "'")) for part in _split_once(word)]
    return _unfolded(Word(word.casefold(), word[0].isupper() and not word[1:].isupper()) for word in cased)


def is_foreign(words: Sequence[str]) -> bool:
    """Return whether the given words are in a language other than English.

    This is the case if they use another script, or if they include letters or short words of another language but no
    short English words.
    """
    letters = [letter for word in words for letter in word if letter.isalpha()]
    if 2 * sum(ord(letter) > _LATIN for letter in letters) > len(letters):
        return True
    if len(words) < 2 or not _SMALL.isdisjoint(words):
        return False
    return not FOREIGN.isdisjoint(words) or any(not letter.isascii() for letter in letters)


def _split_once(word: str) -> list[str]:
    """Split ``MoveTo`` into two words. Other mixed-case words are unchanged."""
    parts = _HUMP.split(word)
    return parts if len(parts) == 2 and all(len(part) > 1 and part[1:].islower() for part in parts) else [word]


def _unfolded(words: Iterable[Word]) -> list[Word]:
    found: list[Word] = []
    given = list(words)
    for place, word in enumerate(given):
        if word.text == "." and found and found[-1].text in _TITLES:
            continue
        if word.text == "." and found and found[-1].text in ("no", "nr") and _is_number(given[place + 1 : place + 2]):
            continue  # "No. 2"
        if parts := _WHOLE.get(word.text):
            found += (Word(part) for part in parts)
            continue
        stem, tail = word.text, ""
        for end in _TAILS:
            if word.text.endswith(end) and len(word.text) > len(end):
                stem, tail = word.text[: -len(end)], _TAILS[end]
        if word.text.endswith("'s") and word.text[:-2] in _WITH_IS:
            stem, tail = word.text[:-2], "is"
        found.append(Word(stem, word.capital))
        if tail:
            found.append(Word(tail))
    return found


def _is_number(words: list[Word]) -> bool:
    return bool(words) and words[0].text.isdecimal()


def is_manner(word: str) -> bool:
    """Return whether a word is an adverb of manner, such as "quickly"."""
    return len(word) > 4 and word.endswith(("ly", "wise", "wards"))
