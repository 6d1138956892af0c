"""What is in the store before each case: small, and with every feature of the specification once."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from chartui.core.jsontext import Wire


def _id(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


NOW: Final = datetime(2026, 9, 1, 12, 30, 15, tzinfo=UTC)
CREATED: Final = "2026-09-01T12:30:15"

#: Characters of the professional account. The first has a narrative graph, the second none, the third a bit of one.
KEEPER: Final = _id(1)
GUIDE: Final = _id(2)
SCRIBE: Final = _id(3)
#: One of the free and one of the enterprise account.
PUPIL: Final = _id(4)
FOREIGN: Final = _id(5)

GATE: Final = _id(11)
HALL: Final = _id(12)
END: Final = _id(13)
#: A section that was deleted while another led to it.
GONE: Final = _id(14)
SCRIBE_SECTION: Final = _id(15)
FOREIGN_SECTION: Final = _id(16)
PUPIL_SECTION: Final = _id(17)

ALARM: Final = _id(21)
BELL: Final = _id(22)
SCRIBE_TRIGGER: Final = _id(23)
FOREIGN_TRIGGER: Final = _id(24)

NOWHERE: Final = _id(99)

SPOKEN: Final = "<speak>Who goes there, {Visitor}?</speak>"
GATE_DECISIONS: Final[list[Wire]] = [
    {"criteria": "says the word", "next_section_id": HALL, "priority": 2},
    {"criteria": "*", "next_section_id": GATE},
]
HALL_DECISIONS: Final[list[Wire]] = [{"criteria": "leaves", "next_section_id": GONE}]

#: Members that no document knows, nulls and empty arrays, amounts and texts that must come back as they are.
KEEPER_RECORD: Final[dict[str, Wire]] = {
    "language_code": "en-GB",
    "language_codes": ["en-GB", "ar"],
    "voice_type": "A voice of 2031",
    "voice_pitch": Decimal("0.1"),
    "character_actions": [],
    "guard_rails": {"type1": "on"},
    "metadata_filter": {"future": {"deep": [None, 1, Decimal("0.30000000000000000004")]}},
    "memory_settings": {"enabled": True},
    "embodiment": None,
    "description": "[/] [@click=app.quit]x[/] \x1b]0;title\x07 \u202edesrever\u202c \x00 لام",
    "personalised_prompt_config": {
        "MODEL": "mdla-5.4",
        "TEMPERATURE": Decimal("0.7"),
        "USE_COMBINED_PROMPT": "true",
        "MODERATION_ENABLED": None,
        "NEW_IN_2031": [1],
    },
    "speaking_style": {"description": "calm", "sample_dialogues": "Aye."},
    "character_traits": {"speaking_style": "terse", "catch_phrases": []},
    "an_unknown_member": {"kept": None},
}
BACKSTORY: Final = "Keeps the light.\nHas a lamp and a bell."
