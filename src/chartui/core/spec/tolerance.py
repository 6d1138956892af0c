"""Convert a service's response to the form declared by its operation (decisions 69, 70 and 73).

Some other forms are accepted too: numbers given as text, text given as numbers, JSON inside a string, a list inside an
object, a map instead of a list, and IDs instead of objects. Values are converted but never made up. Unreadable elements
and members are left out and returned separately. An error is raised only if nothing in the response is readable.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, partial
from typing import Annotated, Any, Final, get_args, get_origin

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import NotJson, Repeated, Wire, loads
from chartui.core.spec.elements import WRAPPERS, Decoded, Misfit, Unreadable, called, escaped
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import BadText, Codec, decode
from chartui.core.spec.shape import Lines, Odd, Open, declared

#: Returns a value in the declared form and notes its unreadable parts, each with its relative path. Raises Misfit if
#: nothing is readable.
_Read = Callable[[Wire, list[Unreadable]], Wire]


def read_answer(model: Any, body: Wire, repeated: Sequence[Repeated] = ()) -> Decoded:
    """Convert a response to the form declared by ``model``.

    ``repeated`` lists the objects in the response that have duplicate members. Raises :class:`ServiceError` (kind
    ``unexpected``) if no part of the response is readable.
    """
    notes: list[Unreadable] = list(_duplicates(body, repeated))
    try:
        return Decoded(_reader(model)(body, notes), tuple(notes))
    except Misfit as misfit:
        reason, read = misfit.reason, len(notes)
        for name in WRAPPERS if isinstance(body, Mapping) else ():
            if isinstance(body.get(name), Mapping):
                try:
                    return Decoded(_reader(model)(body[name], notes), tuple(_inside(f"/{name}", notes, read)))
                except Misfit:
                    del notes[read:]
    raise ServiceError(ErrorKind.UNEXPECTED, f"The response cannot be read ({reason}).")


def _duplicates(body: Wire, repeated: Sequence[Repeated]) -> Iterator[Unreadable]:
    values = {id(one.object): one.values for one in repeated}
    waiting = [(body, "")] if values else []
    while waiting:
        value, where = waiting.pop()
        if isinstance(value, Mapping):
            for name, given in values.get(id(value), {}).items():
                reason = f"{name}: given {len(given)} times, so the last value is used"
                yield Unreadable(kind="duplicate", where=f"{where}/{escaped(name)}", reason=reason, raw=list(given))
            waiting += [(inner, f"{where}/{escaped(name)}") for name, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(inner, f"{where}/{place}") for place, inner in enumerate(value)]


def _inside(step: str, notes: list[Unreadable], begin: int) -> list[Unreadable]:
    for place in range(begin, len(notes)):
        notes[place] = notes[place]._replace(where=f"{step}{notes[place].where}")
    return notes


# -- readers ----------------------------------------------------------------------------------------------------------


# Readers are built from the declarations, one per type. A reader returns its argument unchanged if it already conforms.
@cache
def _reader(kind: Hashable) -> _Read:
    if kind is Any or kind is object:
        return lambda value, _: value
    if kind in _SCALARS:
        return _SCALARS[kind]
    if isinstance(kind, type) and issubclass(kind, str):
        return _read_text
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:])
    if origin in (tuple, Sequence):
        model, marks = _plain(arguments[0])
        if getattr(model, "__odd__", _NOT_ODD).element:
            needed = origin is tuple or bool(marks)
            return partial(_read_elements, _reader(arguments[0]), model.__odd__, needed)
        return partial(_read_list, _reader(arguments[0]))
    if origin in (dict, Mapping):
        return partial(_read_map, _reader(arguments[1]))
    if arguments:  # a union
        return partial(_read_union, [_reader(one) for one in arguments if one is not type(None)])
    return _model_reader(kind)


_NOT_ODD: Final = Odd()


def _plain(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    return (get_args(kind)[0], get_args(kind)[1:]) if get_origin(kind) is Annotated else (kind, ())


def _annotated(kind: Any, marks: Sequence[Any]) -> _Read:
    for mark in marks:
        if isinstance(mark, Open):
            return partial(_read_open, mark.required)
        if isinstance(mark, Lines):
            return partial(_read_lines, mark.noun)
    return _reader(kind)


def _read_text(value: Wire, _: list[Unreadable]) -> Wire:
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    if type(value) is Decimal:
        return f"{value:f}"
    raise Misfit("text", called(value))


def _read_flag(value: Wire, _: list[Unreadable]) -> Wire:
    if type(value) is bool:
        return value
    if type(value) is str and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise Misfit("true or false", called(value))


def _read_number(value: Wire, _: list[Unreadable]) -> Wire:
    if type(value) is int or type(value) is Decimal:
        return value
    if type(value) is str:
        try:
            return decode(Codec.NUMBER, value)
        except BadText:
            pass
    raise Misfit("a number", called(value))


def _read_whole(value: Wire, notes: list[Unreadable]) -> Wire:
    if type(value) is int:
        return value
    number = _as_number(value, notes)
    if number is None or number != int(number):
        raise Misfit("a whole number", called(value))
    return int(number)


def _as_number(value: Wire, notes: list[Unreadable]) -> int | Decimal | None:
    try:
        found: int | Decimal = _read_number(value, notes)
    except Misfit:
        return None
    return found


_SCALARS: Final[Mapping[Any, _Read]] = {str: _read_text, bool: _read_flag, int: _read_whole, Decimal: _read_number}


def _read_union(readers: Sequence[_Read], value: Wire, notes: list[Unreadable]) -> Wire:
    """Try the types that match directly before those that need a conversion."""
    if value is None:
        return None
    begin, turned, misfits = len(notes), [], []
    for read in readers:
        try:
            found = read(value, notes)
        except Misfit as error:
            misfits.append(error)
            del notes[begin:]
            continue
        if found is value:
            return value
        turned.append((found, notes[begin:]))
        del notes[begin:]
    if not turned:
        inner = next((misfit for misfit in misfits if misfit.path), None)
        raise inner or Misfit(" or ".join(misfit.expected for misfit in misfits), called(value))
    notes += turned[0][1]
    return turned[0][0]


def _read_list(read: _Read, value: Wire, notes: list[Unreadable]) -> Wire:
    items = _decoded(value, list)
    if not isinstance(items, list):
        raise Misfit("a list", called(value))
    made = items
    for place, item in enumerate(items):
        try:
            found = read(item, notes)
        except Misfit as misfit:
            raise misfit.inside(f"[{place}]") from None
        if found is not item:
            made = list(items) if made is items else made
            made[place] = found
    return made


def _read_map(read: _Read, value: Wire, notes: list[Unreadable]) -> Wire:
    members = _decoded(value, dict)
    if not isinstance(members, dict):
        raise Misfit("an object", called(value))
    made = members
    for name, item in members.items():
        try:
            found = read(item, notes)
        except Misfit as misfit:
            raise misfit.inside(f".{name}") from None
        if found is not item:
            made = {**made, name: found}
    return made


def _read_lines(noun: str, value: Wire, notes: list[Unreadable]) -> Wire:
    if not isinstance(value, list):
        return _read_text(value, notes)
    lines = []
    for place, item in enumerate(value):
        try:
            lines.append(_read_text(item, notes))
        except Misfit as misfit:
            notes.append(Unreadable(kind=noun, where=f"/{place}", reason=misfit.reason, raw=item))
    return "\n".join(lines)


def _decoded(value: Wire, kind: type) -> Wire:
    """Decode JSON in text if it contains a value of this kind. Return any other value unchanged."""
    if isinstance(value, str) and value.lstrip()[:1] == ("[" if kind is list else "{"):
        try:
            return loads(value)
        except NotJson:
            pass
    return value


# -- lists of elements ------------------------------------------------------------------------------------------------


def _read_elements(read: _Read, odd: Odd, needed: bool, value: Wire, notes: list[Unreadable]) -> Wire:
    """Return a list without its unreadable elements. They are kept if the list is sent back as a whole."""
    step, found, names = _listed(read, odd, _decoded(_decoded(value, list), dict))
    if found is None:
        raise Misfit("a list", called(value))
    made: list[Wire] = []
    changed, unread = found is not value, 0
    for place, item in enumerate(found):
        begin = len(notes)
        try:
            element = read(_with_id(odd, item), notes)
        except Misfit as misfit:
            del notes[begin:]
            notes.append(Unreadable(kind=odd.element, where="", reason=misfit.reason, raw=item))
            unread += 1
            if odd.sent_back:
                made.append(item)
            changed = changed or not odd.sent_back
        else:
            made.append(element)
            changed = changed or element is not item
        if len(notes) > begin:
            _inside(f"{step}/{place if names is None else escaped(names[place])}", notes, begin)
    if needed and unread and unread == len(found):
        raise Misfit(f"a list of {odd.element}s", f"only unreadable ones (first error: {notes[-unread].reason})")
    return made if changed else value


def _with_id(odd: Odd, item: Wire) -> Wire:
    alone = odd.alone and type(item) is str and item and not isinstance(_decoded(item, dict), dict)
    return {odd.alone: item} if alone else item


def _listed(read: _Read, odd: Odd, value: Wire) -> tuple[str, list[Wire] | None, list[str] | None]:
    """Return the elements in ``value``, with the path to them and, for a map, their names."""
    if isinstance(value, list):
        return "", value, None
    if not isinstance(value, dict) or not value:
        return "", None, None
    if _fits(read, value):
        return "", [value], None
    known = {*WRAPPERS, f"{odd.element}s"}
    for name, inner in value.items():
        inner = _decoded(inner, list)
        if (name.lower() in known and isinstance(inner, list | dict)) or (
            isinstance(inner, list) and any(_fits(read, item) for item in inner)
        ):
            step, found, names = _listed(read, odd, inner)
            return f"/{escaped(name)}{step}", found, names
    if all(isinstance(inner, dict) for inner in value.values()):
        keyed = [{odd.alone: name, **inner} if odd.alone else inner for name, inner in value.items()]
        return "", keyed, list(value)
    return "", None, None


def _fits(read: _Read, value: Wire) -> bool:
    try:
        read(value, [])
    except Misfit:
        return False
    return True


# -- models -----------------------------------------------------------------------------------------------------------


def _read_open(required: Iterable[str], value: Wire, notes: list[Unreadable]) -> Wire:
    """Return a record of which only some members are checked."""
    made = _decoded(value, dict)
    if not isinstance(made, dict):
        raise Misfit("an object", called(value))
    for member in required:
        if member not in made:
            raise Misfit("there", "", f".{member}")
        try:
            found = _read_text(made[member], notes)
        except Misfit as misfit:
            raise misfit.inside(f".{member}") from None
        if not found:
            raise Misfit("text", "empty text", f".{member}")
        if found is not made[member]:
            made = {**made, member: found}
    return made


class _Member(NamedTuple):
    name: str
    read: _Read
    optional: bool


def _model_reader(model: Any) -> _Read:
    odd = model.__odd__
    members = [_Member(one.name, _reader(one.kind), one.optional or one.name in odd.either) for one in declared(model)]
    return partial(_read_model, members, odd)


def _read_model(members: Sequence[_Member], odd: Odd, value: Wire, notes: list[Unreadable]) -> Wire:
    given = value if type(value) is dict else _as_object(odd, value, notes)
    made = given
    misfits: dict[str, Misfit] = {}
    for name, read, optional in members:
        try:
            item = given[name]
        except KeyError:
            if optional:
                continue
            raise Misfit("there", "", f".{name}") from None
        if item is None and optional:
            continue
        before = len(notes)
        try:
            found = read(item, notes)
        except Misfit as misfit:
            misfits[name] = misfit = misfit.inside(f".{name}")
            if not optional or odd.sent_back:
                raise misfit from None
            del notes[before:]
            notes.append(Unreadable(kind="member", where=f"/{escaped(name)}", reason=misfit.reason, raw=item))
            continue
        if len(notes) > before:
            _inside(f"/{escaped(name)}", notes, before)
        if found is not item:
            made = {**made, name: found}
    return _with_either(odd, made, misfits, notes) if odd.either else made


def _as_object(odd: Odd, value: Wire, notes: list[Unreadable]) -> Wire:
    """Return an object for a value of another type: the object in a JSON text, or an object with the value as its
    ``alone`` member.

    If every value is accepted, it is returned unchanged.
    """
    found = _decoded(value, dict)
    if isinstance(found, dict):
        return found
    if odd.alone and not odd.element and found:
        return {odd.alone: found}
    misfit = Misfit("an object", called(value))
    if not odd.always:
        raise misfit
    notes.append(Unreadable(kind="reply", where="", reason=misfit.reason, raw=value))
    return {}


def _with_either(odd: Odd, made: Mapping[str, Wire], misfits: Mapping[str, Misfit], notes: list[Unreadable]) -> Wire:
    """Return the members if at least one of the ``either`` members was readable. Unreadable members are noted."""
    if all(made.get(name) in (None, []) or name in misfits for name in odd.either):
        raise next(iter(misfits.values()), Misfit("there", "", f".{' and '.join(odd.either)}"))
    for name in () if odd.empty else odd.either:
        if made.get(name) is not None:
            continue
        reason = Misfit("there", "", f".{name}").reason
        notes.append(Unreadable(kind="member", where=f"/{name}", reason=reason, raw=made.get(name)))
    return made
