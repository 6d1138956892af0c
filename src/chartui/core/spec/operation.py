"""The properties of an operation, which are the columns of the table in :mod:`chartui.core.spec.operations`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import import_module
from types import GenericAlias, MappingProxyType
from typing import Any, Final, Protocol

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.spec.errors import ErrorKind, ErrorShape

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?")


class Codec(StrEnum):
    """The encoding of a field's value as text."""

    TEXT = "text"
    NUMBER = "number"  # the grammar of JSON
    BOOLEAN = "boolean"  # exactly true or false
    FLAG = "flag"  # true or false in any case
    WORDS = "words"  # comma-separated
    JSON = "json"  # JSON text


class BadText(ValueError):
    """Raised if text is not valid for a field, or if a value cannot be encoded as text."""


def encode(codec: Codec, value: Wire) -> str:
    """Encode ``value`` as text.

    A list of words is joined with commas. Raises :class:`BadText` if one of these words contains a comma.
    """
    if isinstance(value, str):
        return value
    if codec is Codec.WORDS:
        words = [str(word) for word in value]
        for word in words:
            if "," in word:
                raise BadText(f"the word {word!r} contains a comma, which separates words")
        return ",".join(words)
    return dumps(value)


def decode(codec: Codec, text: str) -> Wire:
    """Decode ``text``. Raises :class:`BadText` if the text is not valid."""
    match codec:
        case Codec.TEXT:
            return text
        case Codec.NUMBER:
            if not _NUMBER.fullmatch(text):
                raise BadText("a number is required")
            try:
                return loads(text)
            except NotJson as error:
                raise BadText(f"a number is required ({error})") from None
        case Codec.BOOLEAN | Codec.FLAG:
            word = text.lower() if codec is Codec.FLAG else text
            if word not in ("true", "false"):
                raise BadText("true or false is required")
            return word == "true"
        case Codec.WORDS:
            return [word.strip() for word in text.split(",") if word.strip()]
        case Codec.JSON:
            try:
                return loads(text)
            except NotJson as error:
                raise BadText(f"JSON text is required ({error})") from None


def encode_all(codecs: Mapping[str, Codec], payload: Mapping[str, Wire]) -> dict[str, str]:
    """Return every field of ``payload`` as text. Null fields are omitted (decision 9)."""
    return {name: encode(codecs.get(name, Codec.TEXT), value) for name, value in payload.items() if value is not None}


def decode_all(codecs: Mapping[str, Codec], payload: Mapping[str, Wire]) -> dict[str, Wire]:
    """Return ``payload`` with its text fields decoded.

    Raises :class:`BadText` if a field is invalid. The message names the first invalid field.
    """
    decoded: dict[str, Wire] = {}
    for name, value in payload.items():
        codec = codecs.get(name, Codec.TEXT)
        try:
            decoded[name] = decode(codec, value) if isinstance(value, str) else value
        except BadText as error:
            raise BadText(f"{name}: {error}") from None
    return decoded


#: Bytes.
KIB: Final = 1024
MIB: Final = 1024 * KIB


class Effect(StrEnum):
    """The effect of an operation on the account's data."""

    READ = "read"
    WRITE = "write"
    ACT = "act"  # costs credits and may change time stamps, but no settings


class Retry(StrEnum):
    """When a failed request may be sent again."""

    ALWAYS = "always"
    IF_NOT_SENT = "if not sent"  # only if it certainly did not reach the service


class Encoding(StrEnum):
    """The part of the request that contains the payload."""

    NONE = "none"
    QUERY = "query"
    JSON = "json"
    FORM = "form"


class Tier(StrEnum):
    """The subscription tiers, lowest first."""

    FREE = "free"
    PROFESSIONAL = "professional"
    ENTERPRISE = "enterprise"

    @property
    def rank(self) -> int:
        return list(Tier).index(self)


#: Status and wire format of every refusal.
Errors = Mapping[ErrorKind, tuple[int, ErrorShape]]


def _as_is(body: Wire) -> Wire:
    return body


class Ref(NamedTuple):
    """A reference to a declared model, which is imported when first needed.

    ``many`` is true for an array of such models.
    """

    # Importing all models would take a third of the startup time.
    module: str
    name: str
    many: bool = False

    @property
    def loaded(self) -> bool:
        """Whether the model has already been imported. If so, :meth:`load` returns immediately."""
        return f"chartui.core.spec.models.{self.module}" in sys.modules

    def load(self) -> Any:
        model = getattr(import_module(f"chartui.core.spec.models.{self.module}"), self.name)
        return GenericAlias(tuple, (model, ...)) if self.many else model


class Reader(Protocol):
    """Parses a response as it arrives."""

    def feed(self, piece: bytes) -> None:
        """Parse the next bytes of the response."""
        ...

    def end(self, body: bytes) -> Wire:
        """Return the parsed response.

        ``body`` is the complete response. Raises :class:`~chartui.core.jsontext.NotJson` if it is not JSON.
        """
        ...


class Operation(NamedTuple):
    """An operation, as described by one row of the table of operations.

    ``path`` is relative to the service's base URL, or None for an operation that only an embedded store has. ``codecs``
    are the text encodings of fields. ``reader`` creates a reader that parses the response as it arrives. If ``reader``
    is None, the complete response is parsed as JSON. ``decode`` converts the response to the form described by
    ``response``. If the embedded service sends a body that differs from ``response``, ``wire`` describes that body.
    ``tier`` is the lowest tier that may call the operation, or None if no API key is needed. ``answer_cap`` is the size
    limit of a response in bytes. It is None for large responses, which are limited by the profile and may be compressed
    (decisions 66 and 67). ``errors`` contains the status and the wire format of each error. ``source`` is the section
    of the specification.
    """

    name: str
    summary: str
    source: str
    path: str | None
    request: Ref
    effect: Effect
    retry: Retry
    tier: Tier | None
    method: str = "POST"
    encoding: Encoding = Encoding.JSON
    codecs: Mapping[str, Codec] = MappingProxyType({})
    reader: Callable[[], Reader] | None = None
    decode: Callable[[Wire], Wire] = _as_is
    response: Ref = Ref("characters", "Status")
    wire: Ref | None = None
    answer_cap: int | None = MIB
    body_optional: bool = False
    deprecated: str | None = None
    errors: Errors = MappingProxyType({})

    @property
    def large(self) -> bool:
        return self.answer_cap is None

    @property
    def cacheable(self) -> bool:
        """Whether responses may be cached and revalidated with an ETag (decision 12)."""
        return self.method == "GET"

    def error(self, kind: ErrorKind) -> tuple[int, ErrorShape]:
        return self.errors.get(kind) or self.errors[ErrorKind.INTERNAL]
