"""Operations of the embedded store on characters and settings (C 4.1 to 4.3 and 4.15, decisions 17 to 29 and 57).

Some of these operations exist only in the embedded store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final

from chartui.core.backends.local.call import LocalCall, invalid
from chartui.core.backends.local.tables import Characters, StoredCharacter
from chartui.core.characters.reasoning import NotAccepted, after_model_change, after_request
from chartui.core.jsontext import Wire, dumps, shown_number
from chartui.core.spec.catalogue import ModelCode, ReasoningLevels, model_code, model_codes
from chartui.core.spec.records import SETTINGS

_DEFAULT_MODEL: Final = "mdlc-2.5-flash"

#: The value of the members about a blockchain, which the store does not use (decision 30).
_UNUSED: Final = "NOT_USED"


def new_record(
    *, character_id: str, user_id: str, name: str, moment: str, given: Mapping[str, Wire] | None = None
) -> dict[str, Wire]:
    """Return a complete record for a new character.

    A value in ``given`` replaces the whole default value of its field. Unknown fields are added to the record.
    ``moment`` becomes the time of creation and of the last conversation.
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
            "MODEL": _DEFAULT_MODEL,
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


SUCCESS: Final = "SUCCESS"
#: Members of a record that identify the character. Callers cannot set them.
_OWN: Final = ("character_id", "user_id", "start_narrative_section_id")


def of_account(read: Callable[[Characters, str], Wire]) -> Callable[[LocalCall], Wire]:
    """Return a handler that calls ``read``, a method of :class:`Characters`, to read all characters of an account."""
    return lambda call: {"characters": read(call.tables.characters, call.account.user_id)}


def get_settings(call: LocalCall) -> Wire:
    """Return the four settings of a character (decision 26)."""
    character = call.character()
    return {"character_id": character.character_id, **_settings(character)}


def _settings(character: StoredCharacter) -> dict[str, Wire]:
    config = _config(character.record)
    return {
        "model_group_name": config.get("MODEL"),
        "temperature": config.get("TEMPERATURE"),
        "reasoning_effort": character.reasoning_effort,
        "backstory": character.backstory,
    }


def _config(record: Mapping[str, Wire]) -> Mapping[str, Wire]:
    """Return the model and prompt settings of a record (decision 57), or nothing if the record has no such object."""
    config = record.get("personalised_prompt_config")
    return config if isinstance(config, Mapping) else {}


def update_character(call: LocalCall) -> Wire:
    """Apply the settings given in the payload.

    If the store rejects any of them, none are changed (C 4.1, decision 17).
    """
    changes = {name: call.payload[name] for name in SETTINGS if name in call.payload}
    if not changes:
        raise invalid("charID", f"Nothing to change. Give at least one of {', '.join(SETTINGS)}.")
    held = partial(call.tables.characters.held, call.account.user_id)
    if "temperature" in changes:
        number = changes["temperature"]
        # Through Decimal, since a large integer would overflow. A value that a character had is valid (decision 68).
        if not 0 <= number <= 1 and not held("temperature", float(Decimal(number))):
            raise invalid("temperature", f"'temperature' must be from 0 to 1, not {shown_number(number)}.")
    character = call.character()
    call.expect(_settings(character), "character")
    _apply(call, character, changes)
    call.tables.characters.save(character)
    return {"STATUS": SUCCESS}


def _apply(call: LocalCall, character: StoredCharacter, changes: Mapping[str, Any]) -> None:
    config = dict(_config(character.record))
    code = changes.get("model_group_name", config.get("MODEL"))
    if code != config.get("MODEL"):
        # A model that a character once had stays valid (decisions 20 and 68).
        if model_code(code) is None and not call.tables.characters.held(call.account.user_id, "model_group_name", code):
            valid = ", ".join(known.code for known in model_codes())
            raise invalid("model_group_name", f"Unknown model {code!r}. Valid models: {valid}.")
        config["MODEL"] = code
        character.reasoning_effort = after_model_change(character.reasoning_effort, _control(code))
    if "temperature" in changes:
        config["TEMPERATURE"] = changes["temperature"]
    if "reasoning_effort" in changes:
        character.reasoning_effort = _reasoning(call, changes["reasoning_effort"], code)
    if "backstory" in changes:
        character.backstory = changes["backstory"]
    if config != _config(character.record):
        character.record["personalised_prompt_config"] = config


def _control(code: Wire) -> ReasoningLevels | None:
    model = model_code(code) if isinstance(code, str) else None
    return model.reasoning if model else None


def _reasoning(call: LocalCall, requested: str, code: Wire) -> str | None:
    try:
        return after_request(requested, _control(code))
    except NotAccepted as refused:
        model = code if isinstance(code, str) else ""
        if call.tables.characters.held(call.account.user_id, "reasoning_effort", requested, model=model):
            return requested
        supported = ", ".join(refused.accepted) or "only empty text, which clears the setting"
        raise invalid(
            "reasoning_effort",
            f"Invalid reasoning_effort '{requested}' for model '{code}'. Supported values: {supported}.",
        ) from None


def list_models(call: LocalCall) -> Wire:
    """Return the catalogue of models, as a JSON string inside the response (C 4.2, decisions 18 and 19)."""
    if "charID" in call.payload:
        call.character()
    return {"STATUS": dumps([_entry(model) for model in model_codes()])}


def _entry(model: ModelCode) -> dict[str, Wire]:
    entry: dict[str, Wire] = {
        "model_group_name": model.code,
        "display_name": model.label,
        "is_active": True,
        "is_deprecated": False,
    }
    if model.reasoning is not None:
        levels: dict[str, Wire] = {
            "levels": list(model.reasoning.levels),
            "supports_auto": model.reasoning.supports_auto,
        }
        if model.reasoning.default is not None:
            levels["default"] = model.reasoning.default
        entry["reasoning"] = levels
    return entry


def setting(member: str, status: str = SUCCESS) -> Callable[[LocalCall], Wire]:
    """Return the handler that sets one member of a character's record."""

    def handle(call: LocalCall) -> Wire:
        character = call.character()
        call.expect(character.record, "character")
        character.record[member] = call.payload[member]
        call.tables.characters.save(character)
        return {"STATUS": status}

    return handle


def create_character(call: LocalCall) -> Wire:
    """Add a character. The fields given in ``record`` are stored unchanged."""
    given = dict(call.payload.get("record") or {})
    for name in _OWN:
        if given.get(name) is not None:
            raise invalid(f"record.{name}", f"'record.{name}' cannot be set because the store assigns it.")
    record = new_record(
        character_id=call.ids(),
        user_id=call.account.user_id,
        name=call.payload["character_name"],
        moment=call.now(),
        given=given,
    )
    call.tables.characters.insert(StoredCharacter(record, backstory=call.payload.get("backstory")))
    return {"character_id": record["character_id"]}


def delete_character(call: LocalCall) -> Wire:
    """Remove a character and its entire narrative graph."""
    character = call.character()
    call.expect({**character.record, **_settings(character)}, "character")
    call.tables.characters.delete(character.character_id)
    return {"STATUS": SUCCESS}
