"""Character records, stored as their original JSON text to save memory.

The values shown in lists are extracted when the text is read. A record is decoded only when it is viewed.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, overload

from chartui.core.json_scan import PIECE, JsonScan, Misplaced, Scanned, Steps
from chartui.core.jsontext import NotJson, Wire, canonical, dumps, loads, repeated
from chartui.core.spec.elements import WRAPPERS, Elements, Unreadable, called
from chartui.core.spec.models.summaries import CharacterSummary

#: The names of members that may hold the list of records in an answer (C 4.15), including wrappers used by some
#: services.
MEMBERS: Final = ("characters", *WRAPPERS)
_ID: Final = "character_id"
#: The settings that ``update-character`` changes, in display order (C 4.1).
SETTINGS: Final = ("model_group_name", "temperature", "reasoning_effort", "backstory")
_IN_CONFIG: Final = {"model_group_name": "MODEL", "temperature": "TEMPERATURE"}


# The text takes a fifth of the memory of the decoded values, and only a few of ten thousand records are ever viewed.
class Records(Sequence[Mapping[str, Wire]]):
    """A sequence of character records, in the service's order.

    Two sequences are equal if their records are equal. ``unreadable`` contains the elements that are not records
    (decision 69). To create an instance, use :class:`RecordReader`, :meth:`of` or :meth:`of_texts`.
    """

    def __init__(self, text: bytes, taken: _Taken) -> None:
        self._text = text
        self._places = taken.places
        self._amended = taken.amended
        self._summaries = taken.summaries
        self.unreadable = tuple(taken.unreadable)
        self._last: tuple[int, Mapping[str, Wire]] | None = None

    @classmethod
    def of(cls, values: Iterable[Wire]) -> Records:
        """Return the readable records among ``values``.

        If ``values`` is already an instance of :class:`Records`, it is returned unchanged.
        """
        return values if isinstance(values, Records) else cls._taking((None, value) for value in values)

    @classmethod
    def by_id(cls, values: Mapping[str, Wire]) -> Records:
        return cls._taking(values.items())

    @classmethod
    def _taking(cls, named: Iterable[tuple[str | None, Wire]]) -> Records:
        taken, texts, at = _Taken(), [], 0
        for name, value in named:
            text = dumps(value).encode()
            taken.take(Scanned(value, at, at + len(text), ""), name)
            texts.append(text)
            at += len(text)
        return cls(b"".join(texts), taken)

    @classmethod
    def none(cls) -> Records:
        return cls(b"", _Taken())

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> Records:
        """Return records for JSON strings. The caller ensures that every string contains an object with an ID."""
        taken, parts, at = _Taken(), [], 0
        for text in texts:
            part = text.encode()
            taken.places.extend((at, at + len(part)))
            parts.append(part)
            at += len(part)
        return cls(b"".join(parts), taken)

    def __len__(self) -> int:
        return len(self._places) // 2

    @overload
    def __getitem__(self, place: int) -> Mapping[str, Wire]: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Mapping[str, Wire], ...]: ...

    def __getitem__(self, place: int | slice) -> Mapping[str, Wire] | tuple[Mapping[str, Wire], ...]:
        if isinstance(place, slice):
            return tuple(self._decoded(one) for one in range(len(self))[place])
        place = range(len(self))[place]
        # The last decoded record is kept, because several parts of a screen need the record under the cursor.
        last = self._last
        if last is None or last[0] != place:
            self._last = last = place, self._decoded(place)
        return last[1]

    def __iter__(self) -> Iterator[Mapping[str, Wire]]:
        return map(self._decoded, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Sequence) and not isinstance(other, str | bytes):
            return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _raw(self, place: int) -> bytes:
        return self._text[self._places[2 * place] : self._places[2 * place + 1]]

    def _decoded(self, place: int) -> Mapping[str, Wire]:
        record: Any = loads(self._raw(place))
        if place in self._amended:
            record = _as_object(record)
            record = {**record, _ID: self._amended[place]}
        return record  # type: ignore[no-any-return]

    def json_texts(self) -> Iterator[str]:
        """Yield the JSON text of each record. It is the original text, except where the ID had to be corrected."""
        for place in range(len(self)):
            yield dumps(self._decoded(place)) if place in self._amended else self._raw(place).decode()

    def at(self, places: Iterable[int]) -> Records:
        """Return the records at the given positions, in that order."""
        taken = _Taken()
        for number, place in enumerate(places):
            taken.places.extend(self._places[2 * place : 2 * place + 2])
            if place in self._amended:
                taken.amended[number] = self._amended[place]
        return Records(self._text, taken)

    def find(self, character_id: str) -> Mapping[str, Wire] | None:
        """Return the first record with this ID, or None if there is none."""
        place = self._by_id.get(character_id)
        return None if place is None else self[place]

    def element(self, step: str) -> Wire:
        """Return the element identified by the last step of a JSON pointer, even if the element is unreadable.

        Raises ``LookupError`` if there is no such element.
        """
        odd = {one.where.rpartition("/")[2]: one.raw for one in self.unreadable}
        if step in odd:
            return odd[step]
        if not (step.isascii() and step.isdigit()):
            found = self.find(step)
            if found is None:
                raise KeyError(step)
            return found
        return self[int(step) - sum(1 for one in odd if one.isdigit() and int(one) < int(step))]

    def repeated(self, character_id: str) -> tuple[str, ...]:
        """Return the members that occur more than once in a character's record (decision 73)."""
        place = self._by_id.get(character_id)
        return () if place is None else repeated(self._raw(place).decode())

    @cached_property
    def summaries(self) -> Elements[CharacterSummary]:
        """The values from each record that are shown in lists (decision 57)."""
        taken = self._summaries
        return Elements(taken if len(taken) == len(self) else map(_summary_of, self), self.unreadable)

    @cached_property
    def _by_id(self) -> Mapping[str, int]:
        # The order is reversed, so that the first of several records with the same ID is used.
        places = range(len(self) - 1, -1, -1)
        return {self.summaries[place].character_id: place for place in places}


class _Taken:
    """The position and the summary of each record, collected while a list is read.

    If a record gives its ID in another form, ``amended`` maps the position of the record to its ID.
    """

    def __init__(self, where: str = "/characters") -> None:
        self._where = where
        self.places = array("Q")
        self.summaries: list[CharacterSummary] = []
        self.amended: dict[int, str] = {}
        self.unreadable: list[Unreadable] = []
        self._count = 0

    def take(self, element: Scanned, named: str | None = None) -> None:
        """Take the next element. ``named`` is its ID if it is in a map of records."""
        where, self._count = f"{self._where}/{self._count if named is None else named}", self._count + 1
        record = _as_object(element.value)
        reason = element.reason
        if not reason and not isinstance(record, dict):
            reason = f"expected an object, got {_kind(element.value)}"
        if not reason:
            identity = _id(named if record.get(_ID) is None else record[_ID])
            if not identity:
                given = record.get(_ID)
                reason = f"{_ID}: expected text, got {_kind(given)}" if _ID in record else f"{_ID}: missing"
            else:
                if identity != record.get(_ID) or record is not element.value:
                    record = {**record, _ID: identity}
                    self.amended[len(self.summaries)] = identity
                self.summaries.append(_summary_of(record))
                self.places.extend((element.start, element.end))
                return
        self.unreadable.append(Unreadable(kind="record", where=where, reason=reason, raw=element.value))


class RecordReader:
    """Parses the response to the list operation as it arrives."""

    def __init__(self) -> None:
        self._scan = JsonScan()
        self._reading: Steps[Wire | _Members | _Taken] = _answer(self._scan)
        self._found: Wire | _Members | _Taken = None
        self._failure: NotJson | Misplaced | None = None
        self._go_on()

    def feed(self, piece: bytes) -> None:
        """Parse the next bytes of the response. All bytes after an error are ignored."""
        if self._failure is None:
            self._scan.feed(piece)
            self._go_on()

    def end(self, body: bytes) -> Wire:
        """Return the parsed response.

        ``body`` is the complete response. Raises :class:`NotJson` if it is not JSON. If there are records, the result
        is either an instance of :class:`Records` or a mapping whose ``characters`` member is an instance of
        :class:`Records`. The service may send the records inside one of the :data:`WRAPPERS`, as a map of records by
        ID, as a single record, or as JSON text (decision 69). A response without records is returned unchanged.
        """
        if self._failure is None:
            self._scan.end()
            self._go_on()
        if self._failure is not None:
            raise self._failure if isinstance(self._failure, NotJson) else self._failure.within(body)
        found = self._found
        if isinstance(found, _Taken):
            return Records(body, found)
        if isinstance(found, _Members):
            members = {name: Records(body, one) if isinstance(one, _Taken) else one for name, one in found.items()}
            return members if records_in(members) is not None else _elsewhere(members)
        if isinstance(found, str):
            try:
                return read_records(found.encode())
            except NotJson:
                pass
        return found

    def _go_on(self) -> None:
        try:
            next(self._reading)
        except StopIteration as end:
            self._found = end.value
        except (NotJson, Misplaced) as error:
            self._failure = error


def read_records(body: bytes) -> Wire:
    """Parse the complete response to the list operation. Raises :class:`NotJson` if the response is not JSON."""
    reader = RecordReader()
    for at in range(0, len(body), PIECE):
        reader.feed(body[at : at + PIECE])
    return reader.end(body)


def records_in(answer: Wire) -> Records | None:
    """Return the records in a response parsed by :class:`RecordReader`, or None if it contains none."""
    found = answer.get("characters") if isinstance(answer, dict) else answer
    return found if isinstance(found, Records) else None


class _Members(dict[str, "Wire | _Taken"]):
    """The members of an answer. Lists of records among them are :class:`_Taken`."""


def _answer(scan: JsonScan) -> Steps[Wire | _Members | _Taken]:
    found: Wire | _Members | _Taken
    if (yield from scan.take("[")):
        found = yield from _array(scan, "")
    elif (yield from scan.take("{")):
        found = yield from _members(scan)
    else:
        found = _usable((yield from scan.value()))
    yield from scan.finish()
    return found


def _array(scan: JsonScan, where: str = "/characters") -> Steps[_Taken]:
    """Return the elements of an array whose opening bracket was consumed. ``where`` is its JSON pointer."""
    taken = _Taken(where)
    if not (yield from scan.take("]")):
        while True:
            taken.take((yield from scan.value()))
            if (yield from scan.expect(",", "]")) == "]":
                break
    return taken


def _members(scan: JsonScan) -> Steps[_Members]:
    """Return the members of an object whose opening brace was consumed.

    Lists of records inside the object are not decoded.
    """
    members = _Members()
    if (yield from scan.take("}")):
        return members
    while True:
        if (yield from scan.peek()) != '"':
            yield from scan.expect('"')
        name = str(_usable((yield from scan.value())))
        yield from scan.expect(":")
        if name in MEMBERS and (yield from scan.take("[")):
            taken = yield from _array(scan)
            before = members.get("characters")
            # Of duplicate members, the last is used (decision 73). A wrapper never replaces records that were found
            # before.
            if name == "characters" or not isinstance(before, _Taken) or not before.places:
                members["characters"] = taken
        else:
            members[name] = _usable((yield from scan.value()))
        if (yield from scan.expect(",", "}")) == "}":
            return members


def _usable(scanned: Scanned) -> Wire:
    if scanned.reason:
        raise NotJson(scanned.reason)
    return scanned.value


def _elsewhere(members: dict[str, Wire]) -> dict[str, Wire]:
    """Return ``members`` with the records, if one of the members holds them in another form."""
    for name in MEMBERS:
        found = _as_object(members.get(name))
        if isinstance(found, dict) and _ID not in found:
            inner = next((one for one in MEMBERS if one in found), None)
            found = found if inner is None else _as_object(found[inner])
        if isinstance(found, dict) and _ID not in found:
            return {**members, "characters": Records.by_id(found)}
        if isinstance(found, dict | list):
            return {**members, "characters": Records.of([found] if isinstance(found, dict) else found)}
    return members


def _as_object(value: Wire) -> Wire:
    """Return ``value``, decoded again if it is text that contains a JSON object or list."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return loads(value)
        except NotJson:
            pass
    return value


def _id(value: Wire) -> str | None:
    if isinstance(value, bool):
        return None
    return str(value) if isinstance(value, str | int) else canonical(value) if isinstance(value, Decimal) else None


def _kind(value: Wire) -> str:
    return "empty text" if value == "" else called(value)


def _summary_of(record: Mapping[str, Wire]) -> CharacterSummary:
    """Return the list columns of a record. Values of an unexpected type are omitted."""
    config, memory = record.get("personalised_prompt_config"), record.get("memory_settings")
    return CharacterSummary(
        character_id=record[_ID],
        character_name=_text(record.get("character_name")),
        model=_text(config.get("MODEL")) if isinstance(config, Mapping) else None,
        language_code=_text(record.get("language_code")),
        is_narrative_driven=_flag(record.get("is_narrative_driven")),
        memory_enabled=_flag(memory.get("enabled")) if isinstance(memory, Mapping) else None,
        timestamp=_text(record.get("timestamp")),
        last_interacted_with=_text(record.get("last_interacted_with")),
    )


def settings_in(record: Mapping[str, Wire]) -> dict[str, Wire]:
    """Return the settings in a record (decisions 25 and 57). They have the same names as in ``update-character``."""
    config = record.get("personalised_prompt_config")
    if not isinstance(config, Mapping):  # A record may contain anything, so the member may have any type.
        return {}
    return {ours: config[theirs] for ours, theirs in _IN_CONFIG.items() if theirs in config}


def actions_in(record: Mapping[str, Wire]) -> tuple[str, ...]:
    """Return the initial actions of a character's scene from its record. Empty and non-text values are skipped."""
    words = record.get("character_actions")
    return action_words(words) if isinstance(words, (list, tuple)) else ()


def action_words(words: Iterable[Wire]) -> tuple[str, ...]:
    return tuple(word for word in words if isinstance(word, str) and word.strip())


def _text(value: Wire) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: Wire) -> bool | None:
    return value if isinstance(value, bool) else None
