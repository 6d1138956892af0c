"""Summaries of characters. They are available before the full records have been decoded."""

from __future__ import annotations

from collections.abc import Sequence

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire
from chartui.core.spec.shape import Record, answer


class CharacterSummary(NamedTuple):
    """The values in one row of the list of characters. A value is None if the record does not contain it."""

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
    """The response to the local operation ``summarize-characters``."""

    characters: Sequence[CharacterSummary]


class CharacterDescription(NamedTuple):
    """The traits and the backstory of a character.

    ``words`` contains the traits that are text, case-folded and one per line. ``scores`` contains the numeric traits by
    name.
    """

    character_id: str
    words: str = ""
    scores: Wire = None
    backstory: str = ""


@answer()
class DescriptionList(Record):
    """The response to the local operation ``describe-characters``."""

    characters: Sequence[CharacterDescription]


class CharacterMeasure(NamedTuple):
    """The values that determine what a character costs, including how long its texts are.

    Lengths are counted in Unicode code points. ``objective`` is the length of the longest objective in the
    narrative graph, and ``actions`` is the total length of the actions in the character's initial scene. A value is
    None if it is missing from the record or cannot be read. ``level_from`` is the source of the reasoning level, or
    None if the level is unknown. A level that is known to be unset has a source too.
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
    actions: int = 0
    level_from: str | None = "record"


@answer()
class MeasureList(Record):
    """The response to the local operation ``measure-characters``."""

    characters: Sequence[CharacterMeasure]
