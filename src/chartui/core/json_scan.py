"""Parse a large JSON document value by value as it arrives.

Once decoded, a thirty-megabyte document takes up ten times as much memory, and decoding it all at once would block the
program. Each piece is therefore decoded as soon as it arrives.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Generator
from typing import Final, TypeAlias, TypeVar

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import NotJson, Wire, scan

#: Number of bytes decoded in one piece. It is doubled each time a value continues beyond the piece.
PIECE: Final = 256 * 1024
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_BOM: Final = codecs.BOM_UTF8

Found = TypeVar("Found")
#: A part of the scan. It yields when it needs more of the document, and returns its result.
Steps: TypeAlias = Generator[None, None, Found]


class Scanned(NamedTuple):
    """A value in a JSON document, with the start and end of its text, in bytes.

    If the value cannot be decoded, ``reason`` says why, and ``value`` is the undecoded text. Otherwise, ``reason`` is
    empty.
    """

    value: Wire
    start: int
    end: int
    reason: str


class Misplaced(Exception):
    """Raised if the document is not valid JSON. ``place`` is the position of the first invalid byte."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place

    def within(self, document: bytes) -> NotJson:
        """Return the error with its line and column in the whole document."""
        line = document.count(b"\n", 0, self.place) + 1
        column = 1 + len(document[document.rfind(b"\n", 0, self.place) + 1 : self.place].decode())
        return NotJson(f"{str(self).lower()} at line {line} column {column}")


class JsonScan:
    """Scans a UTF-8 JSON document that arrives in pieces.

    The methods that read parts of the document are generators (:data:`Steps`). They raise :class:`Misplaced` or
    :class:`NotJson`.
    """

    def __init__(self) -> None:
        self._fed = bytearray()  # bytes not decoded yet
        self._ended = False
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._begun = False
        self._text, self._ascii = "", True
        self._at = 0  # in the text
        self._byte = 0  # the same place in the document

    def feed(self, piece: bytes) -> None:
        self._fed += piece

    def end(self) -> None:
        self._ended = True

    def peek(self) -> Steps[str]:
        """Return the next character that is not white space, or an empty string at the end of the document."""
        while True:
            match = _SPACE.match(self._text, self._at)
            end = match.end() if match is not None else self._at
            self._byte += end - self._at
            self._at = end
            if end < len(self._text):
                return self._text[end]
            if not (yield from self._more(PIECE)):
                return ""

    def take(self, expected: str) -> Steps[bool]:
        """Consume the next character if it is ``expected``. Returns whether it was consumed."""
        if (yield from self.peek()) != expected:
            return False
        self._at += 1
        self._byte += 1
        return True

    def value(self) -> Steps[Scanned]:
        yield from self.peek()
        size = PIECE
        while True:
            try:
                value, end, reason = scan(self._text, self._at)
            except json.JSONDecodeError as error:
                if (yield from self._more(size)):
                    size *= 2
                    continue
                raise Misplaced(error.msg, self._byte + self._size(self._at, error.pos)) from None
            if end < len(self._text) or not (yield from self._more(size)):  # a number may continue in the next piece
                break
        start = self._byte
        self._byte += self._size(self._at, end)
        self._at = end
        return Scanned(value, start, self._byte, reason)

    def expect(self, *expected: str) -> Steps[str]:
        """Consume the next character, which must be one of ``expected``, and return it."""
        for one in expected:
            if (yield from self.take(one)):
                return one
        wanted = " or ".join(f"'{one}'" for one in expected)
        raise Misplaced(f"Expecting {wanted}", self._byte)

    def finish(self) -> Steps[None]:
        if (yield from self.peek()):
            raise Misplaced("Extra data", self._byte)

    def _more(self, size: int) -> Steps[bool]:
        """Decode another piece. Return False at the end of the document."""
        while len(self._fed) < size and not self._ended:
            yield
        if not self._fed:
            return False
        piece = bytes(self._fed[:size])
        del self._fed[:size]
        if not self._begun:
            self._begun = True
            if piece.startswith(_BOM):
                piece, self._byte = piece[len(_BOM) :], len(_BOM)
        try:
            more = self._decoder.decode(piece, self._ended and not self._fed)
        except UnicodeDecodeError:
            raise NotJson("not UTF-8") from None
        self._text, self._at = self._text[self._at :] + more, 0
        self._ascii = self._text.isascii()
        return True

    def _size(self, start: int, end: int) -> int:
        return end - start if self._ascii else len(self._text[start:end].encode())
