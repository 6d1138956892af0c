"""A turn of a conversation, with a line to say and the available actions, objects and characters (C 4.14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire
from chartui.core.spec.models.actions import Person, Thing
from chartui.core.spec.operation import encode_all
from chartui.core.spec.operations import operation

#: Placeholder for a session that does not exist yet (decision 43).
NEW_SESSION: Final = "-1"
#: The part of a character that holds the draft of a turn.
SCENE_PART: Final = "action"
_MULTISTEP: Final = "multistep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The contents of one request to the string-based action endpoint.

    To continue a conversation, set ``session_id`` to the session of an earlier reply. If ``multistep`` is false, the
    reply contains no actions (decision 44).
    """

    character_id: str
    text: str = ""
    actions: tuple[str, ...] = ()
    objects: tuple[Thing, ...] = ()
    people: tuple[Person, ...] = ()
    multistep: bool = True
    session_id: str = NEW_SESSION
    voice: bool = False

    def anew(self, character_id: str | None = None) -> Turn:
        """Return this turn as the start of a new conversation, with another character if ``character_id`` is given."""
        return replace(self, session_id=NEW_SESSION, character_id=character_id or self.character_id)

    @property
    def targets(self) -> tuple[str, ...]:
        return (*(thing.name for thing in self.objects), *(person.name for person in self.people))

    @property
    def scene_length(self) -> int:
        """The total length of all text in the scene, in Unicode characters."""
        things = (text for thing in self.objects for text in (thing.name, thing.description))
        people = (text for person in self.people for text in (person.name, person.bio))
        return sum(map(len, (*self.actions, *things, *people)))

    def payload(self) -> dict[str, Wire]:
        return {
            "userText": self.text,
            "charID": self.character_id,
            "sessionID": self.session_id,
            "voiceResponse": self.voice,
            "actions": list(self.actions),
            "classification": _MULTISTEP if self.multistep else "False",
            "objects": [{"name": thing.name, "description": thing.description} for thing in self.objects],
            "characters": [{"name": person.name, "bio": person.bio} for person in self.people],
        }

    def form(self) -> dict[str, str]:
        """Return the form fields of the request as text, before encoding (decision 42)."""
        return encode_all(operation("get-response").codecs, self.payload())

    @classmethod
    def from_payload(cls, payload: Wire) -> Turn:
        """Build a turn from a payload that :meth:`payload` returned. Raises ``ValueError`` for any other input."""
        try:
            members: Any = payload
            if not isinstance(members["actions"], list):
                raise TypeError("actions is not a list")
            turn = cls(
                character_id=members["charID"],
                text=members["userText"],
                actions=tuple(members["actions"]),
                objects=tuple(Thing(**thing) for thing in members["objects"]),
                people=tuple(Person(**person) for person in members["characters"]),
                multistep=members["classification"] == _MULTISTEP,
                session_id=members["sessionID"],
                voice=members["voiceResponse"],
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"Not a turn: {error}.") from None
        texts = (turn.character_id, turn.text, turn.session_id, *turn.actions, *turn.targets)
        details = (*(thing.description for thing in turn.objects), *(person.bio for person in turn.people))
        if not all(isinstance(text, str) for text in (*texts, *details)):
            raise ValueError("Not a turn: one of the fields is not text.")
        return turn


def faults(actions: Sequence[str], objects: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the problems that prevent a turn from being sent.

    Each problem consists of a location, such as ``actions[1]``, and a sentence. ``objects`` are in wire form (decisions
    46 and 60).
    """
    for position, word in enumerate(actions):
        if "," in word or "\n" in word or "\r" in word:
            # A comma would separate action words, and a line break would separate steps.
            yield f"actions[{position}]", f"The action word {word!r} must not contain a comma or a line break."
    for position, thing in enumerate(objects):
        for member in ("name", "description"):
            if ";" in thing[member]:
                # The service uses the description to tell objects apart.
                where = f"objects[{position}].{member}"
                yield where, f"The object {thing['name']!r} has a ';' in '{where}'."


def _day(text: str) -> str:
    day = date.fromisoformat(text)
    return f"{day.day} {day:%B %Y}"


_DAY: Final = _day(operation("get-response").deprecated or "")
#: The operations recommended as successors.
_SUCCESSORS: Final = ("structured agentic actions", "the live connection API")
#: The full notice.
DEPRECATION: Final = (
    f"Plain-text actions are deprecated for new integrations from {_DAY}. New integrations should use "
    f"{' and '.join(_SUCCESSORS)}. Existing clients keep working during the transition."
)
#: One-line versions of the notice, longest first. The first that fits is shown.
DEPRECATION_LINES: Final = (
    DEPRECATION,
    f"Plain-text actions are deprecated for new integrations from {_DAY}; use {' or '.join(_SUCCESSORS)}.",
    f"Plain-text actions are deprecated for new integrations from {_DAY}.",
    "Plain-text actions are deprecated for new integrations.",
)
