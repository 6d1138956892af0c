"""Fill a store with invented characters and one large narrative graph, for tests at scale.

The same arguments result in the same data, byte for byte, because IDs and times are derived from the seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import ceil
from random import Random
from typing import Any, Final
from uuid import UUID

from chartui.core.backends.local.settings import new_record
from chartui.core.backends.local.store import Account, Store
from chartui.core.backends.local.tables import StoredCharacter
from chartui.core.clock import timestamp
from chartui.core.jsontext import Wire, dumps
from chartui.core.spec.catalogue import model_codes
from chartui.core.spec.errors import ErrorKind, ServiceError

_EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
_FIRST_NAMES: Final = ("Ada", "Bela", "Carmen", "Edda", "Farid", "Ilse", "Jorge", "Łukasz", "Mei", "Zoë", "静", "سلمى")
_LAST_NAMES: Final = ("Abbott", "Becker", "Castillo", "Dahl", "Ferrari", "Haddad", "Ito", "Moreau", "Novak", "Okoye")
_TRAITS: Final = ("openness", "sensitivity", "extraversion", "agreeableness", "meticulousness")
_ROLES: Final = (
    "receptionist",
    "museum guide",
    "language tutor",
    "quest giver",
    "shop assistant",
    "travel adviser",
    "interview coach",
    "storyteller",
)
_LANGUAGES: Final = ("en-US", "en-GB", "es-ES", "de-DE", "fr-FR", "ja-JP", "ar-EG", "hi-IN")
_SENTENCES: Final = (
    "Greets visitors by name and remembers what they asked last time.",
    "Keeps answers short, then offers more detail.",
    "Never guesses: looks things up or admits not knowing.",
    "Speaks about the place like someone who has worked there for years.",
    "Asks for clarification when a request could mean two things.",
    "Knows the opening hours, the way to the station and the best bench in the park.",
    "Stays calm when a visitor is in a hurry, and gets to the point.",
    "Politely declines requests that are out of scope.",
)
_PLACES: Final = ("hall", "garden", "archive", "workshop", "pier", "library", "kitchen", "tower", "market", "cellar")
_EVENTS: Final = ("arrives", "asks for help", "agrees", "declines", "finds the key", "wants to go back", "stays silent")


def seed(
    store: Store, account: Account, *, characters: int, sections: int, seed: int, record_bytes: int = 3_000
) -> None:
    """Add ``characters`` characters to ``account``.

    The first character has a graph of ``sections`` sections. Each record takes about ``record_bytes`` bytes as JSON, or
    more if its required fields are larger. Everything is written in one transaction, so an interrupted run leaves
    nothing behind and can be repeated with the same seed. Raises :class:`ServiceError` of kind ``invalid`` if a number
    is out of range, or of kind ``conflict`` if the seed was already used for the account.
    """
    if min(characters, sections, record_bytes) < 0 or (sections and not characters):
        raise ServiceError(ErrorKind.INVALID, "Counts must be 0 or more, and sections need at least one character.")
    random = Random(f"{account.user_id}/{seed}")  # noqa: S311 - repeatability is the point
    graph = _Graph(random, _new_id(random), sections)
    with store.writing() as tables:
        if tables.characters.get(account.user_id, graph.character_id) is not None:
            message = f"The characters generated from seed {seed} already exist. Choose another seed."
            raise ServiceError(ErrorKind.CONFLICT, message, member="seed")
        for character in _characters(random, account.user_id, characters, graph, record_bytes):
            tables.characters.insert(character)
        for section in graph.sections():
            tables.narrative.sections.insert(section)
        for trigger in graph.triggers():
            tables.narrative.triggers.insert(trigger)


def _new_id(random: Random) -> str:
    return str(UUID(int=random.getrandbits(128), version=4))


def _characters(
    random: Random, user_id: str, count: int, graph: _Graph, record_bytes: int
) -> Iterator[StoredCharacter]:
    models = model_codes()
    fixed = None
    for number in range(count):
        model = random.choice(models)
        created = _EPOCH + timedelta(minutes=number * 7)
        record = new_record(
            character_id=graph.character_id if number == 0 else _new_id(random),
            user_id=user_id,
            name=f"{random.choice(_FIRST_NAMES)} {random.choice(_LAST_NAMES)}",
            moment=timestamp(created),
            given=_members(random, model.code),
        )
        record["last_interacted_with"] = timestamp(created + timedelta(minutes=random.randrange(100_000)))
        if number == 0 and graph.size:
            record["start_narrative_section_id"] = graph.section_ids[0]
            record["is_narrative_driven"] = True
        if fixed is None:
            fixed = len(dumps(record))
        record["personalised_prompt_config"]["PROMPT"] = _prose(random, record_bytes - fixed)
        level = random.choice((None, *model.reasoning.accepted)) if model.reasoning else None
        yield StoredCharacter(record, _prose(random, 600), level)


def _members(random: Random, model: str) -> dict[str, Any]:
    role, language = random.choice(_ROLES), random.choice(_LANGUAGES)
    return {
        "voice_type": f"{language}, voice {random.randrange(1, 9)}",
        "language_code": language,
        "language_codes": [language],
        "personalised_prompt_config": {
            "MODEL": model,
            "PROMPT": "",
            "VERBOSITY": random.randrange(1, 4),
            "TEMPERATURE": Decimal(random.randrange(0, 101)).scaleb(-2),
            "SPEAKER": "visitor",
            "MODERATION_ENABLED": random.random() < 0.9,
            "USE_COMBINED_PROMPT": True,
            "ALLOWED_MODERATION_FILTERS": ["harassment", "hate"],
            "USE_ACTION_OPTMIZED_PROMPT": False,
        },
        "character_traits": {
            "catch_phrases": ["One thing at a time."],
            "speaking_style": random.choice(_SENTENCES),
            "personality_traits": {trait: random.randrange(5) for trait in _TRAITS},
        },
        "memory_settings": {"enabled": random.random() < 0.4},
        "description": f"A {role}. {random.choice(_SENTENCES)}",
    }


def _prose(random: Random, length: int) -> str:
    if length <= 0:
        return ""
    begin = random.randrange(len(_SENTENCES))
    text = " ".join(_SENTENCES[begin:] + _SENTENCES[:begin])
    return ((text + " ") * (length // len(text) + 1))[:length]


class _Graph:
    """A graph in which every section can be reached from the first, with many decisions that go back."""

    def __init__(self, random: Random, character_id: str, size: int) -> None:
        self.character_id = character_id
        self.size = size
        self.section_ids = [_new_id(random) for _ in range(size)]
        self._trigger_ids = [_new_id(random) for _ in range(ceil(size / 50))]
        self._random = random

    def sections(self) -> Iterator[dict[str, Wire]]:
        """Yield the sections.

        Every section except the first is the target of one of the 40 before it, and half of them have a second
        decision.
        """
        ways: list[list[int]] = [[] for _ in range(self.size)]
        for number in range(1, self.size):
            ways[self._random.randrange(max(0, number - 40), number)].append(number)
        for number, onwards in enumerate(ways):
            if self._random.random() < 0.5:
                onwards.append(self._random.randrange(self.size))
            yield {
                "character_id": self.character_id,
                "section_id": self.section_ids[number],
                "section_name": f"{number + 1}. In the {self._random.choice(_PLACES)}",
                "objective": self._random.choice(_SENTENCES),
                "decisions": [self._decision(target) for target in onwards],
                "triggers": self._overrides() if number % 25 == 24 else [],
                "updated_character_data": None,
                "bt_constants": None,
                "behavior_tree_code": None,
                "node_position": [],
            }

    def _decision(self, target: int) -> dict[str, Wire]:
        return {"criteria": f"The visitor {self._random.choice(_EVENTS)}", "next_section_id": self.section_ids[target]}

    def _overrides(self) -> list[dict[str, Wire]]:
        return [
            {
                "trigger_id": self._random.choice(self._trigger_ids),
                "destination_section": self._random.choice(self.section_ids),
            }
        ]

    def triggers(self) -> Iterator[dict[str, Wire]]:
        for number, trigger_id in enumerate(self._trigger_ids):
            yield {
                "character_id": self.character_id,
                "trigger_id": trigger_id,
                "trigger_name": f"Event {number + 1}",
                "trigger_message": f"The visitor {self._random.choice(_EVENTS)}.",
                "destination_section": self._random.choice(self.section_ids),
                "node_position": [],
            }
