"""Replace a text throughout a story. The replacement affects names, objectives, messages and criteria."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from chartui.core.narrative.graph import IMMEDIATE
from chartui.core.narrative.story import Story
from chartui.core.narrative.texts import TextKind, TextRow, texts_of, with_texts
from chartui.core.numbers import number_of
from chartui.core.text import single_line


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
        """The numbers of occurrences and texts in words, such as ``3 occurrences in 2 texts``."""
        return f"{number_of(self.occurrences, 'occurrence')} in {number_of(len(self.changes), 'text')}"


def replaced(story: Story, old: str, new: str, *, ignore_case: bool = False) -> Replacement:
    """Replace every occurrence of ``old``, which must not be empty.

    The letter case must match unless ``ignore_case`` is set. Catch-all decisions and items that currently cannot be
    read stay unchanged. Raises :class:`BadReplacement` if a name or criteria would be empty, criteria would become a
    catch-all, or two triggers would have the same name (C 2.4).
    """
    pattern = re.compile(re.escape(old), re.IGNORECASE if ignore_case else 0)
    changes: list[tuple[TextRow, str]] = []
    occurrences = 0
    for row in texts_of(story):
        text, number = pattern.subn(lambda _: new, row.text)
        if text != row.text and row.owner not in story.unread:
            _check(row, text)
            changes.append((row, text))
            occurrences += number
    changed = with_texts(story, changes)
    _check_trigger_names(changed, [row.owner for row, _ in changes if row.kind is TextKind.TRIGGER_NAME])
    return Replacement(changed, changes, occurrences)


def texts_with(story: Story, text: str) -> int:
    """Return the number of texts that contain ``text``."""
    return sum(text in row.text for row in texts_of(story))


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
