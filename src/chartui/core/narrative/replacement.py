"""Replace a string throughout a story, in all names, objectives, messages and criteria."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import category

from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import IMMEDIATE
from chartui.core.narrative.story import Story
from chartui.core.narrative.texts import TextKind, TextRow, texts_of, with_texts
from chartui.core.numbers import number_of
from chartui.core.text import single_line

#: Characters that join two letters into one word: apostrophes, underscores, soft hyphens and zero-width joiners.
_JOINERS: Final = frozenset("'’＇_\u00ad\u200c\u200d")
#: Most words named in a remark.
_NAMED: Final = 3


class BadReplacement(ValueError):
    """Raised if a replacement would leave a name or criteria unusable."""


class Replacement(NamedTuple):
    """The changed story, and the old and new version of each changed text.

    ``occurrences`` is the number of occurrences that were replaced.
    """

    story: Story
    changes: Sequence[tuple[TextRow, str]]
    occurrences: int

    @property
    def counted(self) -> str:
        """A summary of the replacement, such as ``3 occurrences in 2 texts``."""
        return f"{number_of(self.occurrences, 'occurrence')} in {number_of(len(self.changes), 'text')}"


class Occurrences(NamedTuple):
    """How many occurrences of a string are ``whole`` words, and how many are ``inside`` longer words. ``words``
    contains the distinct longer words, in reading order.
    """

    whole: int
    inside: int
    words: Sequence[str]

    @property
    def named(self) -> str:
        """The first few longer words that contain the string, such as ``“o’clock”, “locker”, …``."""
        named = [f"“{single_line(word, limit=24)}”" for word in self.words[:_NAMED]]
        return ", ".join([*named, "…"] if len(self.words) > _NAMED else named)

    @property
    def counted_inside(self) -> str:
        """A phrase that counts the occurrences inside longer words, such as ``2 occurrences inside longer words``."""
        return (
            f"{number_of(self.inside, 'occurrence')} inside {'a longer word' if self.inside == 1 else 'longer words'}"
        )


def occurrences_of(story: Story, old: str, *, ignore_case: bool = False) -> Occurrences:
    """Count the occurrences of ``old``, which must not be empty, in the texts that can be read.

    An occurrence is inside a longer word if the word continues before or after it with a letter, a digit or a combining
    mark. An apostrophe does not end a word, as in “o’clock”. The letter case must match unless ``ignore_case`` is set.
    """
    whole, inside = 0, 0
    words: dict[str, None] = {}
    pattern = _pattern(old, ignore_case=ignore_case)
    for row in _readable(story):
        for match in pattern.finditer(row.text):
            if _is_inside(match):
                inside += 1
                words[_word_around(match)] = None
            else:
                whole += 1
    return Occurrences(whole, inside, tuple(words))


def replaced_in(
    text: str, old: str, new: str, *, ignore_case: bool = False, whole_words: bool = False
) -> tuple[str, int]:
    """Replace ``old``, which must not be empty, in one text. Return the new text and the number of replacements."""
    number = 0

    def replacing(match: re.Match[str]) -> str:
        nonlocal number
        if whole_words and _is_inside(match):
            return match[0]
        number += 1
        return new

    return _pattern(old, ignore_case=ignore_case).sub(replacing, text), number


def replaced(story: Story, old: str, new: str, *, ignore_case: bool = False, whole_words: bool = False) -> Replacement:
    """Replace every occurrence of ``old``, which must not be empty.

    The letter case must match unless ``ignore_case`` is set. If ``whole_words`` is set, occurrences inside longer words
    stay unchanged. Catch-all decisions and items that currently cannot be read stay unchanged. Raises
    :class:`BadReplacement` if a name or criteria would be empty, criteria would become a catch-all, or two triggers
    would have the same name (C 2.4).
    """
    changes: list[tuple[TextRow, str]] = []
    occurrences = 0
    for row in _readable(story):
        text, number = replaced_in(row.text, old, new, ignore_case=ignore_case, whole_words=whole_words)
        if text != row.text:
            _check(row, text)
            changes.append((row, text))
            occurrences += number
    changed = with_texts(story, changes)
    _check_trigger_names(changed, [row.owner for row, _ in changes if row.kind is TextKind.TRIGGER_NAME])
    return Replacement(changed, changes, occurrences)


def texts_with(story: Story, text: str) -> int:
    """Return the number of texts that contain ``text``."""
    return sum(text in row.text for row in texts_of(story))


def _readable(story: Story) -> Iterator[TextRow]:
    return (row for row in texts_of(story) if row.owner not in story.unread)


def _pattern(old: str, *, ignore_case: bool) -> re.Pattern[str]:
    return re.compile(re.escape(old), re.IGNORECASE if ignore_case else 0)


def _is_inside(match: re.Match[str]) -> bool:
    return _is_joined(match.string, match.start()) or _is_joined(match.string, match.end())


def _word_around(match: re.Match[str]) -> str:
    """The match, continued to both sides to the ends of the word."""
    text, start, end = match.string, match.start(), match.end()
    while _is_joined(text, start):
        start -= 1
    while _is_joined(text, end):
        end += 1
    return text[start:end]


def _is_joined(text: str, at: int) -> bool:
    """Whether the characters before and after position ``at`` belong to the same word."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before in _JOINERS:
        before = text[at - 2] if at > 1 else ""
    elif after in _JOINERS:
        after = text[at + 1] if at + 1 < len(text) else ""
    return _is_of_word(before) and _is_of_word(after)


def _is_of_word(character: str) -> bool:
    # Vowel signs and accents that are characters of their own are combining marks, not letters.
    return bool(character) and (character.isalnum() or category(character).startswith("M"))


def _check(row: TextRow, text: str) -> None:
    named = row.kind in (TextKind.SECTION_NAME, TextKind.TRIGGER_NAME)
    if not text.strip() and (named or row.kind is TextKind.CRITERIA):
        raise BadReplacement(f"The {row.kind} “{single_line(row.text, limit=60)}” would be empty.")
    if row.kind is TextKind.CRITERIA and text.strip() == IMMEDIATE:
        raise BadReplacement(f"The criteria “{single_line(row.text, limit=60)}” would become a catch-all.")


def _check_trigger_names(story: Story, renamed: Sequence[str]) -> None:
    names = [trigger.trigger_name for trigger in story.triggers.values()]
    for key in renamed:
        name = story.triggers[key].trigger_name or ""
        if names.count(name) > 1:
            raise BadReplacement(f"Two triggers would have the name “{single_line(name, limit=60)}”.")
