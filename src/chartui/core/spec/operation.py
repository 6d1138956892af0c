"""What the specification says of one operation: the columns of the table in :mod:`chartui.core.spec.operations`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from types import GenericAlias, MappingProxyType
from typing import Any, Final, Protocol

from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.spec.errors import ErrorKind, ErrorShape

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?")


class Codec(StrEnum):
    """The form of one member as text."""

    TEXT = "text"
    NUMBER = "number"  # JSON's own grammar
    BOOLEAN = "boolean"  # exactly true or false
    FLAG = "flag"  # true or false in any case
    WORDS = "words"  # comma-separated
    JSON = "json"  # JSON text


class BadText(ValueError):
    """The text is not of the form its member has."""


def encode(codec: Codec, value: Wire) -> str:
    """The text of ``value``; raises :class:`BadText` for a word that holds the separator."""
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
    """The member that ``text`` stands for."""
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
    """The text of every member of ``payload``; members that are null are left out (decision 9)."""
    return {name: encode(codecs.get(name, Codec.TEXT), value) for name, value in payload.items() if value is not None}


def decode_all(codecs: Mapping[str, Codec], payload: Mapping[str, Wire]) -> dict[str, Wire]:
    """Members given as text turned into what they stand for; raises :class:`BadText` naming the member."""
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
    """What an operation does to the account's data."""

    READ = "read"
    WRITE = "write"
    ACT = "act"  # costs credits and may move time stamps, but changes no setting


class Retry(StrEnum):
    """When a request may be sent again after a failure."""

    ALWAYS = "always"
    IF_NOT_SENT = "if not sent"  # only when it surely did not reach the service


class Encoding(StrEnum):
    """Where the payload travels."""

    NONE = "none"
    QUERY = "query"
    JSON = "json"
    FORM = "form"


class Tier(StrEnum):
    """Subscription tiers, from least to most."""

    FREE = "free"
    PROFESSIONAL = "professional"
    ENTERPRISE = "enterprise"

    @property
    def rank(self) -> int:
        return list(Tier).index(self)


#: Status and shape of every refusal.
Errors = Mapping[ErrorKind, tuple[int, ErrorShape]]


def _as_is(body: Wire) -> Wire:
    return body


@dataclass(frozen=True, slots=True)
class Ref:
    """A declared model by name, loaded when it is needed: three dozen dataclasses cost a third of a bare start.

    ``many`` stands for an array of them.
    """

    module: str
    name: str
    many: bool = False

    @property
    def loaded(self) -> bool:
        """Whether its module has been imported, so that :meth:`load` takes no time."""
        return f"chartui.core.spec.models.{self.module}" in sys.modules

    def load(self) -> Any:
        model = getattr(import_module(f"chartui.core.spec.models.{self.module}"), self.name)
        return GenericAlias(tuple, (model, ...)) if self.many else model


class Reader(Protocol):
    """Reads an answer while it arrives."""

    def feed(self, piece: bytes) -> None:
        """The next bytes of the answer."""
        ...

    def end(self, body: bytes) -> Wire:
        """What was read. ``body`` is all that was fed. Raises :class:`~chartui.core.jsontext.NotJson`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row.

    ``path`` is relative to the service's base URL, or None for what only the embedded store can do. ``codecs`` says how
    members travel as text. ``reader`` makes what reads an answer while it arrives (None: it is read once it is there,
    as any JSON); ``decode`` turns the answer into the form that ``response`` describes; ``wire`` describes the body as
    the embedded service sends it, where that is another form. ``tier`` is the lowest that may call (None: no key is
    needed). ``answer_cap`` is the largest answer read, in bytes; None marks a row whose answers can be large: the
    profile sets their limits, and they may come compressed (decisions 66 and 67). ``errors`` gives the status and the
    shape of each refusal; ``source`` is the section of the specification.
    """

    name: str
    summary: str
    source: str
    method: str = "POST"
    path: str | None
    encoding: Encoding = Encoding.JSON
    codecs: Mapping[str, Codec] = field(default_factory=lambda: MappingProxyType({}))
    reader: Callable[[], Reader] | None = None
    decode: Callable[[Wire], Wire] = _as_is
    request: Ref
    response: Ref = Ref("characters", "Status")
    wire: Ref | None = None
    effect: Effect
    retry: Retry
    tier: Tier | None
    answer_cap: int | None = MIB
    body_optional: bool = False
    deprecated: str | None = None
    errors: Errors = field(default_factory=lambda: MappingProxyType({}))

    @property
    def large(self) -> bool:
        return self.answer_cap is None

    @property
    def cacheable(self) -> bool:
        """True for answers that may be kept and asked about with an ETag (decision 12)."""
        return self.method == "GET"

    def error(self, kind: ErrorKind) -> tuple[int, ErrorShape]:
        return self.errors.get(kind) or self.errors[ErrorKind.INTERNAL]
