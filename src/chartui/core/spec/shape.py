"""Declare requests and responses as plain dataclasses.

Each declaration is used in three ways:

* :func:`build` turns a wire form (dicts and lists as read by :mod:`chartui.core.jsontext`) into a typed object. It
  performs few checks and imports nothing heavy, so the terminal UI can use it at startup.
* :mod:`chartui.core.spec.tolerance` converts the readable parts of a remote service's response to a wire form.
* :mod:`chartui.core.spec.check` validates external requests with pydantic.

Every response model keeps its original mapping, so no undeclared member is lost. The only exceptions are named tuples,
which are used for lists of ten thousand items.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, field, fields
from decimal import Decimal
from functools import cache, partial
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.jsontext import Wire
from chartui.core.spec.columns import REQUIRED, Column, Unlike, arrays, filled, members_of, nullable, plain
from chartui.core.spec.elements import Misfit, Unreadable, called
from chartui.core.spec.errors import ErrorKind, ServiceError

T = TypeVar("T")

#: Default of a member that may be omitted but must not be null.
ABSENT: Any = None


class _JsonNumber:
    """Marks a JSON number, which is finite and never a boolean or text.

    Its exact value is kept, as a :class:`~decimal.Decimal`.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.float_schema(strict=True, allow_inf_nan=False)


#: A JSON number, kept exactly.
Number = Annotated[Decimal, _JsonNumber()]


class Described:
    """Documents a constraint that the type of a member cannot express.

    The backend checks the constraint. ``keywords`` contains JSON Schema keywords, or is a function that returns them.
    """

    def __init__(self, keywords: Mapping[str, Any] | Callable[[], Mapping[str, Any]]) -> None:
        self.keywords = keywords

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Callable[[Any], dict[str, Any]]) -> Any:
        return {**handler(core_schema), **(self.keywords() if callable(self.keywords) else self.keywords)}


class Open:
    """Marks a record in which only the ``required`` members are checked (decision 30).

    All other members are accepted unchanged, so that one unexpected value does not make a whole list unreadable.
    """

    def __init__(self, *required: str) -> None:
        self.required = required

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        member = core_schema.typed_dict_field(core_schema.str_schema(strict=True, min_length=1))
        return core_schema.typed_dict_schema(
            dict.fromkeys(self.required, member),
            extra_behavior="allow",
            # The OpenAPI document has the full declaration here, since the embedded service sends every member.
            metadata={"pydantic_js_functions": [lambda *_: {"type": "object", "x-record": source.__name__}]},
        )


class Lines:
    """Marks multi-line text that a service may also send as a list.

    ``noun`` is the word for one line, used in messages.
    """

    def __init__(self, noun: str) -> None:
        self.noun = noun


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd:
    """The rules for reading a response that differs from its declaration (decisions 69 and 70).

    ``element`` is the word for one list item of this model, used in messages. Unreadable list items are skipped. If
    ``sent_back`` is set, the list is sent back as a whole, so unreadable items must keep their position. If a service
    sends a single value instead of an object, such as an ID in a list of IDs or a key in a map, the value is stored in
    the member named in ``alone``. At least one of the members listed in ``either`` must be readable. If ``empty`` is
    set, the members listed in ``either`` are strings. If one of them is null or missing, it is read as an empty string
    but sent back unchanged. If ``always`` is set, any value is accepted as a response.
    """

    element: str = ""
    sent_back: bool = False
    alone: str = ""
    either: tuple[str, ...] = ()
    empty: bool = False
    always: bool = False


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field, Field))
def _declare(extra: str, wire: Mapping[str, str], least: int = 0) -> Callable[[type[T]], type[T]]:
    def decorate(cls: type[T]) -> type[T]:
        declared: Any = cls
        declared.__wire__ = {**getattr(cls, "__wire__", {}), **wire}
        names = declared.__wire__
        declared.__pydantic_config__ = {
            "extra": extra,
            "strict": True,
            "hide_input_in_errors": True,
            "alias_generator": lambda name: names.get(name, name),
            "json_schema_extra": {"minProperties": least} if least else None,
        }
        return dataclass(frozen=True, slots=True, kw_only=True)(cls)

    return decorate


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field, Field))
def request(wire: Mapping[str, str] | None = None, *, least: int = 0) -> Callable[[type[T]], type[T]]:
    """Decorate a class to declare it as a request.

    Unknown members are rejected with an error that names them (decisions 9 and 53). ``wire`` maps attribute names to
    member names where the two differ. ``least`` is the minimum number of members, for the OpenAPI document.
    """
    return _declare("forbid", wire or {}, least)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field, Field))
def answer(wire: Mapping[str, str] | None = None, *, odd: Odd | None = None) -> Callable[[type[T]], type[T]]:
    """Decorate a subclass of :class:`Record` to declare it as a response or as part of a response.

    Unknown members are kept in ``raw``.
    """

    def decorate(cls: type[T]) -> type[T]:
        made: Any = _declare("ignore", wire or {})(cls)
        made.__odd__ = odd or Odd()
        if made.__odd__.either:
            made.__pydantic_config__["json_schema_extra"] = partial(_as_sent, made.__odd__.either)
        return made  # type: ignore[no-any-return]

    return decorate


def _as_sent(members: Sequence[str], schema: dict[str, Any]) -> None:
    """Declare optional members as always present in answers.

    An embedded store never omits them, although other services may.
    """
    properties = schema["properties"]
    for name in members:
        properties[name] = next(iter(properties[name].get("anyOf", ())), properties[name])
    schema["required"] = list(dict.fromkeys((*members, *schema.get("required", ()))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The base class of all response models.

    ``raw`` is the original mapping, and ``unreadable`` lists the parts of it that could not be read (decision 69).
    """

    __wire__: ClassVar[Mapping[str, str]] = {}
    __odd__: ClassVar[Odd] = Odd()

    raw: Mapping[str, Wire] = field(init=False, repr=False, compare=False, default_factory=dict)
    unreadable: tuple[Unreadable, ...] = field(init=False, repr=False, compare=False, default=())


def wire_names(model: type) -> dict[str, str]:
    """Return a mapping from the attribute names of ``model`` to member names."""
    renamed: Mapping[str, str] = getattr(model, "__wire__", {})
    return {f.name: renamed.get(f.name, f.name) for f in fields(model) if f.init}


def payload_of(model: Any) -> dict[str, Wire]:
    """Return the wire form of a model that contains no other models. Members that are None are omitted."""
    members = wire_names(type(model)).items()
    return {member: value for attribute, member in members if (value := getattr(model, attribute)) is not None}


def build(model: type[T], value: Wire) -> T:
    """Build an instance of ``model`` from its wire form.

    A missing or mistyped member gets its default value. The received value remains available in ``raw``. Raises
    :class:`ServiceError` (kind ``unexpected``), with the name of the member, if the member has no default value.
    """
    try:
        built: T = _reader(cast("Hashable", model))(value)
    except Misfit as misfit:
        where = misfit.path.lstrip(".") or "the response"
        raise ServiceError(
            ErrorKind.UNEXPECTED, f"The response is not as specified: {where} should be {misfit.expected}."
        ) from None
    return built


#: Converts a wire value into a typed one, or raises :class:`Misfit`.
_Read = Callable[[Wire], Any]


@cache
def _reader(kind: Hashable) -> _Read:
    """Return the reader of a type. It is cached because it is used for lists of ten thousand records."""
    if kind is Any or kind is object:
        return lambda value: value
    if kind in _SCALARS:
        return _SCALARS[kind]
    if kind is _Emptied:
        return lambda value: "" if value is None else _read_text(value)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _reader(arguments[0])
    if origin in (Union, types.UnionType):
        return _union_reader(arguments)
    if origin in (tuple, Sequence):
        return _array_reader(arguments[0])
    if origin in (dict, Mapping):
        return _object_reader(arguments[1])
    return _model_reader(kind)


def _read_text(value: Wire) -> str:
    if not isinstance(value, str):
        raise Misfit("text", called(value))
    return value


def _read_flag(value: Wire) -> bool:
    if not isinstance(value, bool):
        raise Misfit("true or false", called(value))
    return value


def _read_whole(value: Wire) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Misfit("a whole number", called(value))
    return value


def _read_number(value: Wire) -> Decimal:
    if isinstance(value, Decimal):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Misfit("a number", called(value))
    return Decimal(str(value))


_SCALARS: Final[Mapping[Any, _Read]] = {str: _read_text, bool: _read_flag, int: _read_whole, Decimal: _read_number}


def _union_reader(kinds: tuple[Any, ...]) -> _Read:
    readers = [_reader(kind) for kind in kinds if kind is not type(None)]
    nullable = type(None) in kinds
    only = readers[0] if len(readers) == 1 and nullable else None

    def read(value: Wire) -> Any:
        if value is None and nullable:
            return None
        if only is not None:
            return only(value)
        misfit = Misfit("something else", called(value))
        for reader in readers:
            try:
                return reader(value)
            except Misfit as error:
                misfit = error
        raise misfit

    return read


#: Lists with at least this number of items are read by columns.
_MANY: Final = 20


def _array_reader(kind: Any) -> _Read:
    reader = _reader(kind)

    def read(value: Wire) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise Misfit("a list", called(value))
        if len(value) >= _MANY:
            with suppress(Unlike):
                return tuple(_column(kind)(value))
        items: list[Any] = []
        try:
            for item in value:
                items.append(reader(item))
        except Misfit as misfit:
            raise misfit.inside(f"[{len(items)}]") from None
        return tuple(items)

    return read


@cache
def _column(kind: Hashable) -> Column:
    """Return the reader of many values of a type, which reads them as :func:`_reader` does or raises ``Unlike``."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any or kind is object:
        return lambda values: values
    if origin is Annotated:
        return _column(arguments[0])
    if kind in _UNCONVERTED or kind is _Emptied:
        return plain(str if kind is _Emptied else cast("type", kind))
    if origin in (Union, types.UnionType) and _UNCONVERTED.issuperset(arguments):
        return plain(*arguments)
    if origin in (Union, types.UnionType) and len(arguments) == 2 and type(None) in arguments:
        return nullable(_column(next(one for one in arguments if one is not type(None))))
    if origin in (tuple, Sequence):
        return arrays(_column(arguments[0]))
    if hasattr(kind, "_fields") or (isinstance(kind, type) and issubclass(kind, Record)):
        return _models_column(kind)
    reader = _reader(kind)

    def read(values: Sequence[Wire]) -> Sequence[Any]:
        try:
            return list(map(reader, values))
        except Misfit as misfit:
            raise Unlike from misfit

    return read


#: The types whose values need no conversion.
_UNCONVERTED: Final = frozenset({str, bool, int, type(None)})


def _models_column(model: Any) -> Column:
    members = declared(model)
    # A missing text may be wrong, depending on the other members, so it is left to the reader of single values.
    read = members_of(
        [(one.name, _column(one.kind), REQUIRED if one.kind is _Emptied else one.default) for one in members]
    )
    if hasattr(model, "_fields"):
        return lambda values: list(map(model._make, zip(*read(values), strict=True)))
    attributes = [one.attribute for one in members]

    def read_records(values: Sequence[Wire]) -> Sequence[Any]:
        columns = dict(zip(attributes, read(values), strict=True))
        return filled(model, {**columns, "raw": values, "unreadable": [()] * len(values)}, len(values))

    return read_records


def _object_reader(kind: Any) -> _Read:
    reader = _reader(kind)

    def read(value: Wire) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise Misfit("an object", called(value))
        members: dict[str, Any] = {}
        for name, item in value.items():
            try:
                members[name] = reader(item)
            except Misfit as misfit:
                raise misfit.inside(f".{name}") from None
        return members

    return read


class _Emptied(str):
    """The type of a text that is read as empty if a service sends null or omits it (see :class:`Odd`)."""

    __slots__ = ()


class Declared(NamedTuple):
    """A member of a model. ``default`` is :data:`REQUIRED` if the member is required."""

    attribute: str
    name: str
    kind: Any
    default: Any

    @property
    def optional(self) -> bool:
        return self.default is not REQUIRED


def declared(model: Any) -> list[Declared]:
    """Return the members of a model in the order in which they are declared."""
    hints = get_type_hints(model, include_extras=True)
    if hasattr(model, "_fields"):  # a row
        return [Declared(name, name, hints[name], model._field_defaults.get(name, REQUIRED)) for name in model._fields]
    names, odd = wire_names(model), getattr(model, "__odd__", Odd())
    emptied = odd.either if odd.empty else ()
    return [
        Declared(one.name, names[one.name], _Emptied, "")
        if one.name in emptied
        else Declared(one.name, names[one.name], hints[one.name], REQUIRED if one.default is MISSING else one.default)
        for one in fields(model)
        if one.init
    ]


def _model_reader(model: Any) -> _Read:
    members = [(*one[:2], _reader(one.kind), one.optional, _sent_back(one.kind)) for one in declared(model)]
    keeps_raw = issubclass(model, Record)
    odd = model.__odd__ if keeps_raw else Odd()
    needed = odd.either if odd.empty else ()

    def read(value: Wire) -> Any:
        # The concrete JSON class is checked first, since checking against the abstract one is slow.
        if type(value) is not dict and not isinstance(value, Mapping):
            raise Misfit("an object", called(value))
        if needed and all(value.get(member) is None for member in needed):
            raise Misfit("there", "", f".{' and '.join(needed)}")
        arguments: dict[str, Any] = dict.fromkeys(needed, "")
        unreadable: list[Unreadable] = []
        for attribute, member, reader, optional, element in members:
            try:
                arguments[attribute] = reader(value[member])
            except KeyError:
                if not optional:
                    raise Misfit("there", "", f".{member}") from None
            except Misfit as misfit:
                if not optional or odd.sent_back:
                    raise misfit.inside(f".{member}") from None
                if element is not None:
                    items, others = _readable(element, value[member], f"/{member}")
                    arguments[attribute] = items
                    unreadable += others
                else:
                    where, reason = f"/{member}", misfit.inside(f".{member}").reason
                    unreadable.append(Unreadable(kind="member", where=where, reason=reason, raw=value[member]))
        built = model(**arguments)
        if keeps_raw:
            object.__setattr__(built, "raw", value)
            if unreadable:
                object.__setattr__(built, "unreadable", tuple(unreadable))
        return built

    return read


def _sent_back(kind: Any) -> type[Record] | None:
    """Return the element model of a list that is sent back as a whole and therefore keeps unreadable elements."""
    found: list[Any] = [kind]
    while found:
        one = found.pop()
        if isinstance(one, type) and issubclass(one, Record) and one.__odd__.sent_back:
            return one
        found += get_args(one)
    return None


def _readable(model: type[Record], value: Wire, where: str) -> tuple[tuple[Any, ...] | None, list[Unreadable]]:
    """Return the readable elements of a list (None if none is readable) and the unreadable ones."""
    noun, reader = model.__odd__.element, _reader(cast("Hashable", model))
    if not isinstance(value, list | tuple):
        misfit = Misfit("a list", called(value), f".{where[1:]}")
        return None, [Unreadable(kind="member", where=where, reason=misfit.reason, raw=value)]
    items, odd = [], []
    for place, item in enumerate(value):
        try:
            items.append(reader(item))
        except Misfit as misfit:
            odd.append(Unreadable(kind=noun, where=f"{where}/{place}", reason=misfit.reason, raw=item))
    # If no element of a list is readable, its contents are unknown. The list is then not the same as an empty list.
    return tuple(items) if items else None, odd
