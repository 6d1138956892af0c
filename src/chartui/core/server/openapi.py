"""Generate the OpenAPI document (3.1) of the server (decision 55)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from chartui import __version__
from chartui.core.server.bodies import FORM_TYPES
from chartui.core.server.http import shape_for
from chartui.core.spec.check import adapter
from chartui.core.spec.errors import ErrorKind, ErrorShape
from chartui.core.spec.operation import Codec, Encoding, Operation, Ref
from chartui.core.spec.operations import ESTIMATION_PREFIX, OPERATIONS

#: The number of seconds for which the response to a GET may be cached (decision 55).
MAX_AGE: Final = 60

Schema: TypeAlias = dict[str, Any]

_SCHEMAS: Final = "#/components/schemas/"
#: Reasons for refusing a request before it reaches an operation (decision 50).
_BEFORE_ROWS: Final[Mapping[int, str]] = {
    400: "The host is missing, or the request states its length twice.",
    403: "The request comes from a web page.",
    408: "The request took too long to arrive.",
    413: "The body is too large.",
    421: "The request is for another host.",
    431: "The request headers are too large.",
    503: "Too many connections.",
}
#: The reason for refusing further wrong API keys (decision 74).
_TOO_MANY_KEYS: Final = "Too many wrong API keys."
_REASONS: Final[Mapping[ErrorKind, str]] = {
    ErrorKind.NO_KEY: "No API key was given.",
    ErrorKind.BAD_KEY: "The API key is not valid.",
    ErrorKind.TIER: "The account's tier is too low.",
    ErrorKind.INVALID: "A field is missing, unknown or not valid.",
    ErrorKind.NOT_FOUND: "The requested item does not exist.",
    ErrorKind.CONFLICT: "The request conflicts with existing data.",
    ErrorKind.TOO_LARGE: _BEFORE_ROWS[413],
    ErrorKind.INTERNAL: "The server failed.",
}


def document(key_headers: Sequence[str]) -> Schema:
    """Build the OpenAPI document of a server.

    ``key_headers`` contains the names of the headers that can carry the API key.
    """
    models = _Models()
    paths: dict[str, Schema] = {}
    for row in OPERATIONS.values():
        if row.path is not None:
            paths.setdefault(row.path, {})[row.method.lower()] = _operation(row, models, key_headers)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "chartui",
            "version": __version__,
            "description": "Interaction cost estimates, characters, narrative graphs and actions, on this machine.",
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": models.reachable(paths),
            "securitySchemes": {
                _scheme(header): {"type": "apiKey", "in": "header", "name": header} for header in key_headers
            },
        },
    }


def _operation(row: Operation, models: _Models, key_headers: Sequence[str]) -> Schema:
    estimation = row.path is not None and row.path.startswith(ESTIMATION_PREFIX)
    described: Schema = {
        "operationId": row.name,
        "summary": row.summary,
        "tags": ["estimation" if estimation else "characters"],
        "security": [{_scheme(header): []} for header in key_headers] if row.tier is not None else [],
        "responses": {"200": _success(row, models), **_refusals(row)},
    }
    if row.deprecated is not None:
        described["deprecated"] = True
    if row.cacheable:
        described["responses"]["304"] = {
            "description": "The client's copy is still valid.",
            "headers": _cache_headers(),
        }
    if row.encoding is Encoding.QUERY:
        described["parameters"] = _parameters(row, models)
    elif row.encoding is not Encoding.NONE:
        described["requestBody"] = _body(row, models)
    return described


def _scheme(header: str) -> str:
    return f"key-{header.lower()}"


# -- requests ---------------------------------------------------------------------------------------------------------


def _parameters(row: Operation, models: _Models) -> list[Schema]:
    declared = models.definition(row.request)
    return [
        {
            "name": name,
            "in": "query",
            "required": name in declared.get("required", ()),
            "schema": _as_text(schema, row.codecs.get(name, Codec.TEXT)),
        }
        for name, schema in declared["properties"].items()
    ]


def _body(row: Operation, models: _Models) -> Schema:
    if row.encoding is Encoding.JSON:
        return {
            "required": not row.body_optional,
            "content": {"application/json": {"schema": models.schema(row.request)}},
        }
    return {"required": True, "content": {media_type: _form(row, models, media_type) for media_type in FORM_TYPES}}


def _form(row: Operation, models: _Models, media_type: str) -> Schema:
    """Return a form as its media type describes it.

    Only multipart parts have their own type and can be declared as JSON.
    """
    declared = models.definition(row.request)
    in_parts = media_type == "multipart/form-data"
    members: Schema = {}
    encoding: Schema = {}
    for name, schema in declared["properties"].items():
        codec = row.codecs.get(name, Codec.TEXT)
        if codec is Codec.JSON and in_parts:
            members[name] = schema
            encoding[name] = {"contentType": "application/json"}
        else:
            members[name] = _as_text(schema, codec)
    return {"schema": {**declared, "properties": members}, **({"encoding": encoding} if encoding else {})}


def _as_text(schema: Schema, codec: Codec) -> Schema:
    """Return the schema of a member sent as text. Null cannot be sent as text."""
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        schema = {**{name: value for name, value in schema.items() if name != "anyOf"}, **options[0]}
    match codec:
        case Codec.FLAG:
            return {"type": "string", "pattern": "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$"}
        case Codec.WORDS:
            return {"type": "string", "description": "Comma-separated words."}
        case Codec.JSON:
            return {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}
    return schema


# -- answers ----------------------------------------------------------------------------------------------------------


def _success(row: Operation, models: _Models) -> Schema:
    schema = models.schema(row.wire or row.response)
    described: Schema = {"description": "Done.", "content": {"application/json": {"schema": schema}}}
    if row.cacheable:
        described["headers"] = _cache_headers()
    if row.deprecated is not None:
        described["headers"] = {
            "Deprecation": {
                "description": f"The operation is deprecated for new integrations from {row.deprecated} (RFC 9745).",
                "required": True,
                "schema": {"type": "string", "pattern": "^@[0-9]+$"},
            }
        }
    return described


def _cache_headers() -> Schema:
    return {
        "ETag": {"required": True, "schema": {"type": "string", "pattern": '^"[0-9a-f]+"$'}},
        "Cache-Control": {"required": True, "schema": {"type": "string", "const": f"max-age={MAX_AGE}"}},
    }


def _refusals(row: Operation) -> dict[str, Schema]:
    """Return every error response of an operation: those in its row, and those sent before the operation is reached."""
    found: dict[int, dict[ErrorShape, list[str]]] = {}
    for kind, (status, shape) in row.errors.items():
        found.setdefault(status, {}).setdefault(shape, []).append(_REASONS[kind])
    before = _BEFORE_ROWS if row.tier is None else {**_BEFORE_ROWS, 429: _TOO_MANY_KEYS}
    for status, reason in before.items():
        # Connections are limited before the path is known.
        shape = ErrorShape.TEXT if status == 503 else shape_for(row.path or "")
        reasons = found.setdefault(status, {}).setdefault(shape, [])
        if reason not in reasons:
            reasons.append(reason)
    return {str(status): _refusal(status, found[status]) for status in sorted(found)}


def _refusal(status: int, shapes: Mapping[ErrorShape, Sequence[str]]) -> Schema:
    content: Schema = {}
    for shape in shapes:
        if shape is ErrorShape.TEXT:
            content["text/plain"] = {"schema": {"type": "string"}}
        else:
            known = content.setdefault("application/json", {"schema": {"anyOf": []}})
            known["schema"]["anyOf"].append({"$ref": _SCHEMAS + _error_name(shape)})
    reasons = [reason for listed in shapes.values() for reason in listed]
    described: Schema = {"description": " ".join(reasons) or HTTPStatus(status).phrase, "content": content}
    if status == 429:
        described["headers"] = {"Retry-After": {"required": True, "schema": {"type": "string", "pattern": "^[0-9]+$"}}}
    return described


def _error_name(shape: ErrorShape) -> str:
    return f"Refusal.{shape.value}"


def _error(shape: ErrorShape) -> Schema:
    return {
        "type": "object",
        "properties": {shape.value: {"type": "string"}},
        "required": [shape.value],
        "additionalProperties": False,
    }


# -- models -----------------------------------------------------------------------------------------------------------


class _Generator(GenerateJsonSchema):
    """Generates schemas of the wire form, without the raw mapping of an answer and without derived titles."""

    def field_is_present(self, field: Any) -> bool:
        return field.get("init", True) and super().field_is_present(field)

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base class's signature
        return False


class _Models:
    """The schemas of the declared models and of errors."""

    def __init__(self) -> None:
        refs = {ref for row in OPERATIONS.values() for ref in (row.request, row.wire or row.response)}
        inputs: list[tuple[Ref, JsonSchemaMode, TypeAdapter[Any]]] = [
            (ref, "validation", adapter(ref)) for ref in sorted(refs, key=repr)
        ]
        made, common = TypeAdapter.json_schemas(inputs, ref_template=_SCHEMAS + "{model}", schema_generator=_Generator)
        self._schemas: dict[Ref, Schema] = {ref: schema for (ref, _), schema in made.items()}
        self._definitions: dict[str, Schema] = {
            **_tidy(common["$defs"]),
            **{_error_name(shape): _error(shape) for shape in ErrorShape},
        }

    def schema(self, ref: Ref) -> Schema:
        return self._schemas[ref]

    def definition(self, ref: Ref) -> Schema:
        return self._definitions[ref.name]

    def reachable(self, schema: Any) -> dict[str, Schema]:
        found: dict[str, Schema] = {}
        waiting = _references(schema)
        while waiting:
            name = waiting.pop()
            found[name] = self._definitions[name]
            waiting |= _references(found[name]) - found.keys()
        return dict(sorted(found.items()))


def _references(schema: Any) -> set[str]:
    if isinstance(schema, Mapping):
        target = schema.get("$ref")
        here = {target.removeprefix(_SCHEMAS)} if isinstance(target, str) else set()
        return here.union(*map(_references, schema.values()))
    return set().union(*map(_references, schema)) if isinstance(schema, list) else set()


def _tidy(schema: Any) -> Any:
    """Return ``schema`` without meaningless defaults, and with open records documented in full, as they are sent."""
    if isinstance(schema, Mapping):
        if isinstance(schema.get("x-record"), str):
            return {"$ref": _SCHEMAS + schema["x-record"]}
        return {
            name: _tidy(value) for name, value in schema.items() if not (name == "default" and value in (None, [], ()))
        }
    return [_tidy(item) for item in schema] if isinstance(schema, list) else schema
