"""JSON values read one after another out of a large document, of which a piece at a time is decoded.

Text and values of thirty megabytes take ten times that room, and no other thread works while they are made at once.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Final, NamedTuple

from chartui.core.jsontext import NotJson, Wire, scan

__all__ = ["JsonScan", "Scanned"]

#: Bytes that are decoded at once; as many again, doubled each time, for a value that does not end in them.
PIECE: Final = 256 * 1024
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_BOM: Final = codecs.BOM_UTF8


class Scanned(NamedTuple):
    """A value, and where in the document its text begins and ends, in bytes.

    ``reason`` is why it cannot be kept, empty for most; then ``value`` is its text.
    """

    value: Wire
    start: int
    end: int
    reason: str


class JsonScan:
    """Reads through ``data``, a JSON document in UTF-8. Every method raises :class:`NotJson`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._decoded = len(_BOM) if data.startswith(_BOM) else 0
        self._text, self._ascii = "", True
        self._at = 0  # in the text
        self._byte = self._decoded  # the same place in the document

    def peek(self) -> str:
        """The next character that is not white space; empty at the end of the document."""
        while True:
            match = _SPACE.match(self._text, self._at)
            end = match.end() if match is not None else self._at
            self._byte += end - self._at
            self._at = end
            if end < len(self._text):
                return self._text[end]
            if not self._more(PIECE):
                return ""

    def take(self, expected: str) -> bool:
        """Whether the next character is ``expected``; then it is passed."""
        if self.peek() != expected:
            return False
        self._at += 1
        self._byte += 1
        return True

    def value(self) -> Scanned:
        """The next value."""
        self.peek()
        size = PIECE
        while True:
            try:
                value, end, reason = scan(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._more(size):
                    size *= 2
                    continue
                raise self._error(error.msg, self._size(self._at, error.pos)) from None
            if end < len(self._text) or not self._more(size):  # a number may go on after the piece
                break
        start = self._byte
        self._byte += self._size(self._at, end)
        self._at = end
        return Scanned(value, start, self._byte, reason)

    def expect(self, *expected: str) -> str:
        """Pass one of ``expected`` and return it."""
        for one in expected:
            if self.take(one):
                return one
        wanted = " or ".join(f"'{one}'" for one in expected)
        raise self._error(f"Expecting {wanted}", 0)

    def finish(self) -> None:
        """Make sure that nothing is left."""
        if self.peek():
            raise self._error("Extra data", 0)

    def _more(self, size: int) -> bool:
        """Decode another piece; False at the end of the document."""
        if self._decoded >= len(self._data):
            return False
        piece = self._data[self._decoded : self._decoded + size]
        self._decoded += len(piece)
        try:
            more = self._decoder.decode(piece, self._decoded >= len(self._data))
        except UnicodeDecodeError:
            raise NotJson("not UTF-8") from None
        self._text, self._at = self._text[self._at :] + more, 0
        self._ascii = self._text.isascii()
        return True

    def _size(self, start: int, end: int) -> int:
        """Bytes of a part of the text."""
        return end - start if self._ascii else len(self._text[start:end].encode())

    def _error(self, message: str, ahead: int) -> NotJson:
        place = self._byte + ahead
        line = self._data.count(b"\n", 0, place) + 1
        column = 1 + len(self._data[self._data.rfind(b"\n", 0, place) + 1 : place].decode())
        return NotJson(f"{message.lower()} at line {line} column {column}")
