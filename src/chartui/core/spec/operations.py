"""The table of all operations in the specification.

The server, the remote client, the read-only lock and the contract tests are based on this table. Operations without a
path exist only in an embedded store.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from chartui.core.jsontext import NotJson, Wire, loads
from chartui.core.spec.errors import ErrorKind, ErrorShape
from chartui.core.spec.operation import KIB, Codec, Effect, Encoding, Errors, Operation, Reader, Ref, Retry, Tier

#: The header with the account's API key (C 4).
KEY_HEADER: Final = "SERVICE-API-KEY"
#: The path prefix of the estimation service (E 9).
ESTIMATION_PREFIX: Final = "/api/v1"
#: The default address for serving an embedded store on this machine.
PORT: Final = 8465


def _model_entries(body: Wire) -> Wire:
    """Return the models, found in any known wrapper (decision 19): an array, or a map from code to model."""
    found = body
    for _ in range(3):  # a wrapper, the JSON text in it, and another wrapper in that text
        if isinstance(found, str):
            try:
                found = loads(found)
            except NotJson:
                break
        elif isinstance(found, Mapping):
            found = next((found[name] for name in ("STATUS", "models", "status", "MODELS") if name in found), found)
    return found


def _records() -> Reader:
    from chartui.core.spec.records import RecordReader

    return RecordReader()


def _errors(
    shape: ErrorShape,
    *,
    no_key: tuple[int, ErrorShape] | None = None,
    bad_key: ErrorShape | None = None,
    internal: ErrorShape | None = None,
    not_found: int = 404,
) -> Errors:
    kinds: dict[ErrorKind, tuple[int, ErrorShape]] = {
        ErrorKind.INVALID: (400, shape),
        ErrorKind.NOT_FOUND: (not_found, shape),
        ErrorKind.CONFLICT: (409, shape),
        ErrorKind.TOO_LARGE: (413, shape),
        ErrorKind.INTERNAL: (500, internal or shape),
    }
    if no_key is not None:
        kinds[ErrorKind.NO_KEY] = no_key
        kinds[ErrorKind.BAD_KEY] = (401, bad_key or no_key[1])
        kinds[ErrorKind.TIER] = (403, shape)
    return MappingProxyType(kinds)


_ESTIMATION: Final = _errors(ErrorShape.LOWER)
_SETTINGS: Final = _errors(ErrorShape.UPPER, no_key=(401, ErrorShape.API), not_found=400)
_TIERED: Final = _errors(ErrorShape.UPPER, no_key=(401, ErrorShape.API))
_NARRATIVE: Final = _errors(ErrorShape.UPPER, no_key=(401, ErrorShape.UPPER))
_LIST: Final = _errors(
    ErrorShape.UPPER, no_key=(400, ErrorShape.TEXT), bad_key=ErrorShape.TEXT, internal=ErrorShape.TEXT
)
_LOCAL: Final = _errors(ErrorShape.UPPER)

_ESTIMATE_CODECS: Final = MappingProxyType(
    {
        "memory": Codec.BOOLEAN,
        "knowledge": Codec.BOOLEAN,
        "inputTokens": Codec.NUMBER,
        "outputChars": Codec.NUMBER,
        "sttSeconds": Codec.NUMBER,
        "ttsSeconds": Codec.NUMBER,
    }
)
_FORM_CODECS: Final = MappingProxyType(
    {"voiceResponse": Codec.FLAG, "actions": Codec.WORDS, "objects": Codec.JSON, "characters": Codec.JSON}
)


def _narrative(name: str, summary: str, source: str, **columns: Any) -> Operation:
    settings: dict[str, Any] = {
        "path": f"/character/narrative/{name}",
        "tier": Tier.FREE,
        "errors": _NARRATIVE,
        **columns,
    }
    return Operation(name=name, summary=summary, source=source, **settings)


def _local(name: str, summary: str, source: str, **columns: Any) -> Operation:
    settings: dict[str, Any] = {"path": None, "tier": None, "errors": _LOCAL, **columns}
    return Operation(name=name, summary=summary, source=source, **settings)


_READ: Final[Mapping[str, Any]] = {"effect": Effect.READ, "retry": Retry.ALWAYS}
_SET: Final[Mapping[str, Any]] = {"effect": Effect.WRITE, "retry": Retry.ALWAYS}
_MAKE: Final[Mapping[str, Any]] = {"effect": Effect.WRITE, "retry": Retry.IF_NOT_SENT}

_ROWS: Final = (
    Operation(
        name="get-estimate",
        summary="Credits for one interaction, given as query parameters",
        source="E 4.1",
        method="GET",
        path=f"{ESTIMATION_PREFIX}/estimate",
        encoding=Encoding.QUERY,
        codecs=_ESTIMATE_CODECS,
        request=Ref("estimation", "EstimateForm"),
        response=Ref("estimation", "Estimate"),
        tier=None,
        answer_cap=256 * KIB,
        errors=_ESTIMATION,
        **_READ,
    ),
    Operation(
        name="estimate",
        summary="Credits for one interaction",
        source="E 4.2",
        path=f"{ESTIMATION_PREFIX}/estimate",
        request=Ref("estimation", "EstimateRequest"),
        response=Ref("estimation", "Estimate"),
        tier=None,
        answer_cap=256 * KIB,
        body_optional=True,
        errors=_ESTIMATION,
        **_READ,
    ),
    Operation(
        name="options",
        summary="Options with their rates, the defaults, and the subscriptions",
        source="E 4.3",
        method="GET",
        path=f"{ESTIMATION_PREFIX}/options",
        encoding=Encoding.NONE,
        request=Ref("characters", "ListRequest"),
        response=Ref("estimation", "Options"),
        tier=None,
        answer_cap=None,
        errors=_ESTIMATION,
        **_READ,
    ),
    Operation(
        name="update-character",
        summary="Change model, temperature, reasoning level or backstory",
        source="C 4.1",
        path="/character/update",
        request=Ref("characters", "UpdateRequest"),
        tier=Tier.PROFESSIONAL,
        errors=_SETTINGS,
        **_SET,
    ),
    Operation(
        name="list-models",
        summary="The supported models and their reasoning levels",
        source="C 4.2",
        path="/character/getSupportedModel",
        decode=_model_entries,
        request=Ref("characters", "ModelsRequest"),
        response=Ref("characters", "ModelEntry", many=True),
        wire=Ref("characters", "ModelsAnswer"),
        tier=Tier.PROFESSIONAL,
        answer_cap=None,
        body_optional=True,
        errors=_TIERED,
        **_READ,
    ),
    Operation(
        name="toggle-narrative",
        summary="Switch the narrative graph on or off",
        source="C 4.3",
        path="/character/toggle-is-narrative-driven",
        request=Ref("characters", "ToggleRequest"),
        tier=Tier.FREE,
        errors=_NARRATIVE,
        **_SET,
    ),
    _narrative(
        "create-section",
        "Add a section",
        "C 4.4",
        request=Ref("narrative", "CreateSection"),
        response=Ref("narrative", "SectionCreated"),
        **_MAKE,
    ),
    _narrative(
        "edit-section",
        "Change a section's name, objective or decisions",
        "C 4.5",
        request=Ref("narrative", "EditSection"),
        response=Ref("narrative", "SectionEdited"),
        **_SET,
    ),
    _narrative(
        "get-section",
        "One section",
        "C 4.6",
        request=Ref("narrative", "SectionRequest"),
        response=Ref("narrative", "Section"),
        **_READ,
    ),
    _narrative(
        "list-sections",
        "All sections of a character",
        "C 4.7",
        request=Ref("narrative", "CharacterRequest"),
        response=Ref("narrative", "Section", many=True),
        answer_cap=None,
        **_READ,
    ),
    _narrative("delete-section", "Remove a section", "C 4.8", request=Ref("narrative", "SectionRequest"), **_MAKE),
    _narrative(
        "create-trigger",
        "Add a trigger",
        "C 4.9",
        request=Ref("narrative", "CreateTrigger"),
        response=Ref("narrative", "Trigger"),
        **_MAKE,
    ),
    _narrative(
        "update-trigger",
        "Change a trigger's name, message or target",
        "C 4.10",
        request=Ref("narrative", "UpdateTrigger"),
        **_SET,
    ),
    _narrative("delete-trigger", "Remove a trigger", "C 4.11", request=Ref("narrative", "TriggerRequest"), **_MAKE),
    _narrative(
        "get-trigger",
        "One trigger",
        "C 4.12",
        request=Ref("narrative", "TriggerRequest"),
        response=Ref("narrative", "Trigger"),
        **_READ,
    ),
    _narrative(
        "list-triggers",
        "All triggers of a character",
        "C 4.13",
        request=Ref("narrative", "CharacterRequest"),
        response=Ref("narrative", "Trigger", many=True),
        answer_cap=None,
        **_READ,
    ),
    Operation(
        name="get-response",
        summary="Send a turn to a character and get its reply and actions",
        source="C 4.14",
        path="/character/getResponse",
        encoding=Encoding.FORM,
        codecs=_FORM_CODECS,
        request=Ref("actions", "ActionRequest"),
        response=Ref("actions", "ActionReply"),
        effect=Effect.ACT,
        retry=Retry.IF_NOT_SENT,
        tier=Tier.PROFESSIONAL,
        deprecated="2026-08-26",
        errors=_TIERED,
    ),
    Operation(
        name="list-characters",
        summary="Every character in the account",
        source="C 4.15",
        path="/character/list",
        encoding=Encoding.NONE,
        reader=_records,
        request=Ref("characters", "ListRequest"),
        response=Ref("characters", "CharacterList"),
        tier=Tier.FREE,
        answer_cap=None,
        errors=_LIST,
        **_READ,
    ),
    _local(
        "summarize-characters",
        "The data shown in the character list",
        "decision 59",
        encoding=Encoding.NONE,
        request=Ref("characters", "ListRequest"),
        response=Ref("summaries", "SummaryList"),
        **_READ,
    ),
    _local(
        "describe-characters",
        "Personality traits and backstory of every character",
        "decision 59",
        encoding=Encoding.NONE,
        request=Ref("characters", "ListRequest"),
        response=Ref("summaries", "DescriptionList"),
        **_READ,
    ),
    _local(
        "measure-characters",
        "Text lengths for every character, used to compute costs",
        "decision 59",
        encoding=Encoding.NONE,
        request=Ref("characters", "ListRequest"),
        response=Ref("summaries", "MeasureList"),
        **_READ,
    ),
    _local(
        "get-character",
        "One character's record",
        "decision 26",
        request=Ref("local", "CharIdRequest"),
        response=Ref("characters", "Character"),
        **_READ,
    ),
    _local(
        "get-settings",
        "Model, temperature, reasoning level and backstory of one character",
        "decision 26",
        request=Ref("local", "CharIdRequest"),
        response=Ref("characters", "CharacterSettings"),
        **_READ,
    ),
    _local(
        "create-character",
        "Add a character",
        "decision 26",
        request=Ref("local", "CreateCharacter"),
        response=Ref("local", "CharacterCreated"),
        **_MAKE,
    ),
    _local(
        "duplicate-character",
        "Copy a character and its narrative graph",
        "decision 26",
        request=Ref("local", "DuplicateCharacter"),
        response=Ref("local", "CharacterCreated"),
        **_MAKE,
    ),
    _local("rename-character", "Rename a character", "decision 26", request=Ref("local", "RenameCharacter"), **_SET),
    _local(
        "delete-character",
        "Remove a character and its narrative graph",
        "decision 26",
        request=Ref("local", "CharIdRequest"),
        **_MAKE,
    ),
    _local(
        "set-start-section",
        "Set the start of the story",
        "decision 26",
        request=Ref("local", "SetStartSection"),
        **_SET,
    ),
    _local(
        "set-override",
        "Override a trigger's target in a section",
        "decision 59",
        request=Ref("local", "SetOverride"),
        **_SET,
    ),
    _local(
        "snapshot-character",
        "All stored data about a character",
        "decision 26",
        request=Ref("local", "CharIdRequest"),
        response=Ref("local", "Snapshot"),
        **_READ,
    ),
    _local(
        "restore-character",
        "Restore a deleted character with its original IDs",
        "decision 26",
        request=Ref("local", "RestoreCharacter"),
        response=Ref("local", "CharacterCreated"),
        **_MAKE,
    ),
    _local(
        "restore-section",
        "Restore a deleted section with its original ID",
        "decision 26",
        request=Ref("local", "RestoreSection"),
        **_MAKE,
    ),
    _local(
        "restore-trigger",
        "Restore a deleted trigger with its original ID",
        "decision 26",
        request=Ref("local", "RestoreTrigger"),
        **_MAKE,
    ),
    _local(
        "list-accounts",
        "The accounts in the embedded store",
        "decision 56",
        encoding=Encoding.NONE,
        request=Ref("characters", "ListRequest"),
        response=Ref("local", "AccountList"),
        **_READ,
    ),
)

#: Every row by its name, in the order of the documents.
OPERATIONS: Final[Mapping[str, Operation]] = MappingProxyType({row.name: row for row in _ROWS})


def operation(name: str) -> Operation:
    """Return the operation called ``name``. Raises ``KeyError`` if the name is unknown."""
    return OPERATIONS[name]
