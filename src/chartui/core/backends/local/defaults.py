"""The record of a new character: every member of C 2.2, with values a person would begin with."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from chartui.core.jsontext import Wire

__all__ = ["DEFAULT_MODEL", "new_record"]

DEFAULT_MODEL: Final = "mdlc-2.5-flash"

#: Stands in the members that are about a block chain, which are unused here (decision 30).
_UNUSED: Final = "NOT_USED"


def new_record(
    *, character_id: str, user_id: str, name: str, moment: str, given: Mapping[str, Wire] | None = None
) -> dict[str, Wire]:
    """A complete record; members of ``given`` replace the standard ones whole, and unknown ones are added.

    ``moment`` is the time of creation and, there being none yet, of the last conversation.
    """
    record: dict[str, Wire] = {
        "character_name": name,
        "collection_name": "default",
        "user_id": user_id,
        "character_id": character_id,
        "model_type": "portrait",
        "state_names": [],
        "state_links": [],
        "listing": "private",
        "voice_type": "warm-1",
        "voice_pitch": 0,
        "blockchain": _UNUSED,
        "contract_address": _UNUSED,
        "mint_address": _UNUSED,
        "owner_address": _UNUSED,
        "timestamp": moment,
        "character_actions": [],
        "character_emotions": ["neutral", "happy", "sad", "surprised", "angry"],
        "model_details": {
            "modelType": "portrait",
            "modelLink": "",
            "modelPlaceholder": "",
            "DETAILED_AVATAR": {
                "avatar_id": "",
                "avatar_image": "",
                "avatar_image_square": "",
                "experience_id": "",
                "bg_image": "",
            },
        },
        "language_code": "en-US",
        "language_codes": ["en-US"],
        "guard_rails": {"type1": ""},
        "metadata_filter": {},
        "personalised_prompt_config": {
            "MODEL": DEFAULT_MODEL,
            "PROMPT": "",
            "VERBOSITY": 2,
            "TEMPERATURE": Decimal("0.7"),
            "SPEAKER": "",
            "MODERATION_ENABLED": True,
            "USE_COMBINED_PROMPT": False,
            "ALLOWED_MODERATION_FILTERS": [],
            "USE_ACTION_OPTMIZED_PROMPT": False,
        },
        "boosted_words": {"words": []},
        "guardrail_meta": {"limitResponseLevel": 1, "blockedWords": []},
        "start_narrative_section_id": None,
        "is_narrative_driven": False,
        "character_traits": {
            "catch_phrases": [],
            "speaking_style": "",
            "personality_traits": {
                "openness": 3,
                "sensitivity": 3,
                "extraversion": 3,
                "agreeableness": 3,
                "meticulousness": 3,
            },
        },
        "memory_settings": {"enabled": False},
        "last_interacted_with": moment,
        "pronunciation_metadata": {"pronunciations": []},
        "description": "",
        "speaking_style": {"description": "", "sample_dialogues": ""},
        "embodiment": None,
        "embodiment_data": {"looks_description": "", "clothes_description": ""},
    }
    return {**record, **(given or {}), "character_name": name, "character_id": character_id, "user_id": user_id}
