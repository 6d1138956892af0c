"""Summaries for lists of characters, separate from the records so that a list can be shown before they are decoded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chartui.core.jsontext import Wire
from chartui.core.spec.shape import Record, answer


class CharacterSummary(NamedTuple):
    """The columns of a list of characters. A value is None if the record lacks it."""

    character_id: str
    character_name: str | None = None
    model: str | None = None
    language_code: str | None = None
    is_narrative_driven: bool | None = None
    memory_enabled: bool | None = None
    timestamp: str | None = None
    last_interacted_with: str | None = None


@answer()
class SummaryList(Record):
    """The answer to the local operation ``summarize-characters``."""

    characters: Sequence[CharacterSummary]


class CharacterDescription(NamedTuple):
    """The traits in a record (case-folded words, one line each, and numbers by name), and the backstory."""

    character_id: str
    words: str = ""
    scores: Wire = None
    backstory: str = ""


@answer()
class DescriptionList(Record):
    """The answer to the local operation ``describe-characters``."""

    characters: Sequence[CharacterDescription]


class CharacterMeasure(NamedTuple):
    """The values that the cost of a character depends on, and the lengths of its texts in characters.

    ``objective`` is the length of the longest objective of its narrative graph. A value is None if the record lacks it
    or if it cannot be read. ``level_from`` says where the reasoning level is known from, or is None if it is unknown,
    which differs from a level that is not set.
    """

    character_id: str
    model: str | None = None
    reasoning_effort: str | None = None
    memory_enabled: bool | None = None
    voice_type: str | None = None
    is_narrative_driven: bool | None = None
    backstory: int | None = None
    prompt: int | None = None
    objective: int | None = None
    level_from: str | None = "record"


@answer()
class MeasureList(Record):
    """The answer to the local operation ``measure-characters``."""

    characters: Sequence[CharacterMeasure]
