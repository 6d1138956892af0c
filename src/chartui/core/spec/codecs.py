"""How single members travel as text, in a query or a form (E 4.1, C 4.14; decisions 10, 42 to 46 and 54).

``encode`` makes text of a payload's member; text given instead of the member goes out as it is, so that a caller may
send exactly what it means to. ``decode`` makes the member of text that came in, and raises :class:`BadText`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from chartui.core.jsontext import NotJson, Wire, dumps, loads

__all__ = ["BadText", "Codec", "decode", "decode_all", "encode", "encode_all"]

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
                raise BadText(f"the word {word!r} holds a comma, which separates words")
        return ",".join(words)
    return dumps(value)


def decode(codec: Codec, text: str) -> Wire:
    """The member that ``text`` stands for."""
    match codec:
        case Codec.TEXT:
            return text
        case Codec.NUMBER:
            if not _NUMBER.fullmatch(text):
                raise BadText("a number is needed")
            try:
                return loads(text)
            except NotJson as error:
                raise BadText(f"a number is needed ({error})") from None
        case Codec.BOOLEAN | Codec.FLAG:
            word = text.lower() if codec is Codec.FLAG else text
            if word not in ("true", "false"):
                raise BadText("true or false is needed")
            return word == "true"
        case Codec.WORDS:
            return [word.strip() for word in text.split(",") if word.strip()]
        case Codec.JSON:
            try:
                return loads(text)
            except NotJson as error:
                raise BadText(f"JSON text is needed ({error})") from None


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
