"""Validate requests from outside the program with pydantic.

Import this module only where such requests arrive (the server, untyped calls, files), because the import takes a third
of the startup time of the terminal UI. Responses are read by :mod:`chartui.core.spec.tolerance`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from chartui.core.jsontext import NotJson, Wire, dumps
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import BadText, Operation, Ref, decode_all
from chartui.core.spec.shape import wire_names


@cache
def adapter(ref: Ref) -> TypeAdapter[Any]:
    return TypeAdapter(ref.load())


def check_request(operation: Operation, payload: Wire) -> dict[str, Wire]:
    """Return ``payload`` in wire form if it is valid for the operation. Fields given as text are decoded.

    Raises :class:`ServiceError` (kind ``invalid``) with a message that names the first missing, unknown or mistyped
    field (decisions 9 and 53).
    """
    if not isinstance(payload, Mapping):
        raise ServiceError(ErrorKind.INVALID, "The request must be an object.")
    try:
        decoded = decode_all(operation.codecs, payload)
        adapter(operation.request).validate_json(dumps(decoded))
    except (BadText, NotJson) as error:
        raise ServiceError(ErrorKind.INVALID, f"{error}.", member=str(error).partition(":")[0]) from None
    except ValidationError as error:
        raise _invalid(operation.request.load(), error) from None
    return decoded


_MISSING = frozenset({"missing", "missing_argument", "missing_keyword_only_argument"})
_UNKNOWN = frozenset({"extra_forbidden", "unexpected_keyword_argument"})
_WANTED = {
    "string_type": "must be text",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "dataclass_type": "must be an object",
    "dict_type": "must be an object",
    "mapping_type": "must be an object",
    "list_type": "must be an array",
    "tuple_type": "must be an array",
    "is_instance_of": "must be an array",
}


def _path(loc: Sequence[int | str]) -> str:
    """Return the location, such as ``updated_data.decisions[0].criteria``. Names of union branches are omitted."""
    path = ""
    for part in loc:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.lstrip(".")


def _invalid(request: type, error: ValidationError) -> ServiceError:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    # An unknown name is most likely a typo, which also explains a missing member.
    first = next((p for p in problems if p["type"] in _UNKNOWN), problems[0])
    where = _path(first["loc"])
    if first["type"] in _UNKNOWN:
        known = ", ".join(_members(request, first["loc"][:-1])) or "none"
        return ServiceError(ErrorKind.INVALID, f"Unknown field '{where}'. Valid fields: {known}.", member=where)
    if first["type"] in _MISSING:
        return ServiceError(ErrorKind.INVALID, f"'{where}' is required.", member=where)
    if first["type"] == "json_invalid":
        return ServiceError(ErrorKind.INVALID, "The request contains text that cannot be stored.")
    wanted = _WANTED.get(first["type"], f"is not valid: {first['msg'].lower()}")
    return ServiceError(ErrorKind.INVALID, f"'{where}' {wanted}.", member=where)


def _members(model: Any, path: Sequence[int | str]) -> list[str]:
    """Return the member names of the model at ``path`` below ``model``."""
    for part in path:
        if isinstance(part, int):
            continue
        hints = get_type_hints(model)
        attribute = next((a for a, member in wire_names(model).items() if member == part), None)
        if attribute is None:
            return []
        model = _inner(hints[attribute])
    return list(wire_names(model).values()) if hasattr(model, "__dataclass_fields__") else []


def _inner(kind: Any) -> Any:
    """Return the dataclass inside ``kind``: the item type of an array, or the dataclass of a union."""
    if get_origin(kind) is None:
        return kind
    for option in get_args(kind):
        found = _inner(option)
        if hasattr(found, "__dataclass_fields__"):
            return found
    return kind
