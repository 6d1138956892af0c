"""What is staged of a story as JSON, for a draft: it outlives the program, and goes on from what it began with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chartui.core.jsontext import Wire
from chartui.core.narrative.rebasing import Edits, Turned
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build

__all__ = ["Sending", "StoryDraft", "draft_from_wire", "draft_to_wire"]

_FORMAT: Final = "chartui-story-draft"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """A plan by which the edits were sent, and which of its steps, counted from 0, makes which new id.

    What it has made has another id since: who finds the draft again looks into the journal for it
    (:func:`chartui.core.plans.story.what_became`).
    """

    plan: str
    makes: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDraft:
    """What is staged of the story of one character, whose ``name`` is for people.

    ``sent`` are the plans by which it was sent that may not be through, the oldest first: the later one was made to do
    what the earlier one had left, and may not have been begun.
    """

    character_id: str
    name: str
    edits: Edits
    sent: tuple[Sending, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing is staged."""
        return not self.edits


def draft_to_wire(draft: StoryDraft) -> dict[str, Wire]:
    """The draft as JSON."""
    edits = draft.edits
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "character_id": draft.character_id,
        "name": draft.name,
        "sections": {key: _turned_to_wire(both) for key, both in edits.sections.items()},
        "triggers": {key: _turned_to_wire(both) for key, both in edits.triggers.items()},
        "start": edits.start and list(edits.start),
        "enabled": edits.enabled and list(edits.enabled),
        "sent": [{"plan": one.plan, "makes": {str(n): made for n, made in one.makes.items()}} for one in draft.sent],
    }


def _turned_to_wire(both: Turned[Any]) -> Wire:
    return [None if record is None else record.raw for record in both]


def draft_from_wire(document: Wire) -> StoryDraft | None:
    """What :func:`draft_to_wire` wrote; None for anything else."""
    try:
        table: Any = document
        if table["format"] != _FORMAT or table["version"] != _VERSION:
            return None
        return StoryDraft(
            character_id=str(table["character_id"]),
            name=str(table["name"]),
            edits=Edits(
                sections={key: _records(Section, both) for key, both in table["sections"].items()},
                triggers={key: _records(Trigger, both) for key, both in table["triggers"].items()},
                start=_values(table["start"]),
                enabled=_values(table["enabled"]),
            ),
            sent=tuple(
                Sending(plan=str(one["plan"]), makes={int(n): str(made) for n, made in one["makes"].items()})
                for one in table["sent"]
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError, ServiceError):
        return None


def _records(model: type[Any], both: Any) -> Turned[Any]:
    before, after = (None if raw is None else build(model, raw) for raw in both)
    return Turned(before, after)


def _values(both: Any) -> Turned[Any] | None:
    if both is None:
        return None
    before, after = both
    return Turned(before, after)
