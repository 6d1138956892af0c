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


_READ: Final[Mapping[str, Any]] = {"effect": Effect.READ, "retry": Retry.ALWAYS}
_SET: Final[Mapping[str, Any]] = {"effect": Effect.WRITE, "retry": Retry.ALWAYS}
_MAKE: Final[Mapping[str, Any]] = {"effect": Effect.WRITE, "retry": Retry.IF_NOT_SENT}
_TURN: Final[Mapping[str, Any]] = {"effect": Effect.ACT, "retry": Retry.IF_NOT_SENT}


def _model(name: str) -> Ref:
    """Return the model called ``module.Model``, or an array of such models if ``[]`` follows."""
    module, _, model = name.partition(".")
    return Ref(module, model.removesuffix("[]"), many=model.endswith("[]"))


def _row(
    name: str,
    summary: str,
    source: str,
    effect: Mapping[str, Any],
    request: str,
    response: str = "characters.Status",
    **columns: Any,
) -> Operation:
    models = (_model(request), _model(response))
    columns |= {"request": models[0], "response": models[1], **effect}
    return Operation(name=name, summary=summary, source=source, **columns)


def _estimation(
    name: str, summary: str, source: str, *models: str, path: str = "estimate", **columns: Any
) -> Operation:
    columns = {"tier": None, "answer_cap": 256 * KIB, "errors": _ESTIMATION, **columns}
    return _row(name, summary, source, _READ, *models, path=f"{ESTIMATION_PREFIX}/{path}", **columns)


def _narrative(
    name: str, summary: str, source: str, effect: Mapping[str, Any], request: str, *response: str, **columns: Any
) -> Operation:
    columns = {"path": f"/character/narrative/{name}", "tier": Tier.FREE, "errors": _NARRATIVE, **columns}
    models = (f"narrative_requests.{request}", *(f"narrative.{model}" for model in response))
    return _row(name, summary, source, effect, *models, **columns)


def _local(name: str, summary: str, decision: int, effect: Mapping[str, Any], *models: str) -> Operation:
    encoding = Encoding.JSON if models[0].startswith("local.") else Encoding.NONE
    columns: dict[str, Any] = {"path": None, "tier": None, "errors": _LOCAL, "encoding": encoding}
    return _row(name, summary, f"decision {decision}", effect, *models, **columns)


_ALL: Final = "characters.ListRequest"
_ROWS: Final = (
    _estimation(
        "get-estimate",
        "Credits for one interaction described by query parameters",
        "E 4.1",
        "estimation_requests.EstimateForm",
        "estimation.Estimate",
        method="GET",
        encoding=Encoding.QUERY,
        codecs=_ESTIMATE_CODECS,
    ),
    _estimation(
        "estimate",
        "Credits for one interaction",
        "E 4.2",
        "estimation_requests.EstimateRequest",
        "estimation.Estimate",
        body_optional=True,
    ),
    _estimation(
        "options",
        "Options with their rates, the defaults, and the subscriptions",
        "E 4.3",
        _ALL,
        "estimation.Options",
        path="options",
        method="GET",
        encoding=Encoding.NONE,
        answer_cap=None,
    ),
    _row(
        "update-character",
        "Change model, temperature, reasoning level or backstory",
        "C 4.1",
        _SET,
        "characters.UpdateRequest",
        path="/character/update",
        tier=Tier.PROFESSIONAL,
        errors=_SETTINGS,
    ),
    _row(
        "list-models",
        "The supported models and their reasoning levels",
        "C 4.2",
        _READ,
        "characters.ModelsRequest",
        "characters.ModelEntry[]",
        path="/character/getSupportedModel",
        decode=_model_entries,
        wire=Ref("characters", "ModelsAnswer"),
        tier=Tier.PROFESSIONAL,
        answer_cap=None,
        body_optional=True,
        errors=_TIERED,
    ),
    _row(
        "toggle-narrative",
        "Switch the narrative graph on or off",
        "C 4.3",
        _SET,
        "characters.ToggleRequest",
        path="/character/toggle-is-narrative-driven",
        tier=Tier.FREE,
        errors=_NARRATIVE,
    ),
    _narrative("create-section", "Add a section", "C 4.4", _MAKE, "CreateSection", "SectionCreated"),
    _narrative(
        "edit-section", "Change a section's name, objective or decisions", "C 4.5", _SET, "EditSection", "SectionEdited"
    ),
    _narrative("get-section", "One section", "C 4.6", _READ, "SectionRequest", "Section"),
    _narrative(
        "list-sections", "All sections of a character", "C 4.7", _READ, "CharacterRequest", "Section[]", answer_cap=None
    ),
    _narrative("delete-section", "Remove a section", "C 4.8", _MAKE, "SectionRequest"),
    _narrative("create-trigger", "Add a trigger", "C 4.9", _MAKE, "CreateTrigger", "Trigger"),
    _narrative("update-trigger", "Change a trigger's name, message or target", "C 4.10", _SET, "UpdateTrigger"),
    _narrative("delete-trigger", "Remove a trigger", "C 4.11", _MAKE, "TriggerRequest"),
    _narrative("get-trigger", "One trigger", "C 4.12", _READ, "TriggerRequest", "Trigger"),
    _narrative(
        "list-triggers",
        "All triggers of a character",
        "C 4.13",
        _READ,
        "CharacterRequest",
        "Trigger[]",
        answer_cap=None,
    ),
    _row(
        "get-response",
        "Send a turn to a character and get its reply and actions",
        "C 4.14",
        _TURN,
        "actions.ActionRequest",
        "actions.ActionReply",
        path="/character/getResponse",
        encoding=Encoding.FORM,
        codecs=_FORM_CODECS,
        tier=Tier.PROFESSIONAL,
        deprecated="2026-08-26",
        errors=_TIERED,
    ),
    _row(
        "list-characters",
        "Every character in the account",
        "C 4.15",
        _READ,
        _ALL,
        "characters.CharacterList",
        path="/character/list",
        encoding=Encoding.NONE,
        reader=_records,
        tier=Tier.FREE,
        answer_cap=None,
        errors=_LIST,
    ),
    _local("summarize-characters", "The data shown in the character list", 59, _READ, _ALL, "summaries.SummaryList"),
    _local(
        "describe-characters",
        "Personality traits and backstory of every character",
        59,
        _READ,
        _ALL,
        "summaries.DescriptionList",
    ),
    _local(
        "measure-characters",
        "Text lengths for every character, used to compute costs",
        59,
        _READ,
        _ALL,
        "summaries.MeasureList",
    ),
    _local("get-character", "One character's record", 26, _READ, "local.CharIdRequest", "characters.Character"),
    _local(
        "get-settings",
        "Model, temperature, reasoning level and backstory of one character",
        26,
        _READ,
        "local.CharIdRequest",
        "characters.CharacterSettings",
    ),
    _local("create-character", "Add a character", 26, _MAKE, "local.CreateCharacter", "local.CharacterCreated"),
    _local(
        "duplicate-character",
        "Copy a character and its narrative graph",
        26,
        _MAKE,
        "local.DuplicateCharacter",
        "local.CharacterCreated",
    ),
    _local("rename-character", "Rename a character", 26, _SET, "local.RenameCharacter"),
    _local("delete-character", "Remove a character and its narrative graph", 26, _MAKE, "local.CharIdRequest"),
    _local("set-start-section", "Set the start of the story", 26, _SET, "local.SetStartSection"),
    _local("set-override", "Override a trigger's target in a section", 59, _SET, "local.SetOverride"),
    _local(
        "snapshot-character", "All stored data about a character", 26, _READ, "local.CharIdRequest", "local.Snapshot"
    ),
    _local(
        "restore-character",
        "Restore a deleted character with its original IDs",
        26,
        _MAKE,
        "local.RestoreCharacter",
        "local.CharacterCreated",
    ),
    _local("restore-section", "Restore a deleted section with its original ID", 26, _MAKE, "local.RestoreSection"),
    _local("restore-trigger", "Restore a deleted trigger with its original ID", 26, _MAKE, "local.RestoreTrigger"),
    _local("list-accounts", "The accounts in the embedded store", 56, _READ, _ALL, "local.AccountList"),
)

#: Every row by its name, in the order of the documents.
OPERATIONS: Final[Mapping[str, Operation]] = MappingProxyType({row.name: row for row in _ROWS})


def operation(name: str) -> Operation:
    """Return the operation called ``name``. Raises ``KeyError`` if the name is unknown."""
    return OPERATIONS[name]
