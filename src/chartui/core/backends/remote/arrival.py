"""Receive a response piece by piece.

The response is decompressed, and the progress is reported. Responses that are too large or arrive too slowly are
rejected (decisions 66 and 67).
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final

from chartui.core.backends.base import Progress, Received
from chartui.core.clock import Monotonic
from chartui.core.spec.operation import Reader

#: Supported content encodings. The second is an old name of the first (RFC 9110, 8.4.1.3).
ENCODINGS: Final = ("gzip", "x-gzip")
#: Seconds between two reports.
PACE: Final = 0.25
#: If fewer bytes than this arrive within the profile's ``read_timeout``, the service counts as silent.
TRICKLE: Final = 1024
#: A call is not repeated automatically if it fails after more bytes than this have arrived.
RESTARTED: Final = 1024 * 1024
#: The number of bytes decompressed in one piece. Decompressing a piece blocks everything else for about a millisecond.
PIECE: Final = 256 * 1024
#: The highest accepted compression ratio. Records that differ only in their IDs compress 100:1, and spaces 1000:1.
STEEPEST: Final = 200
#: The number of bytes that are decompressed regardless of the ratio.
HARMLESS: Final = 1024 * 1024


class Trickle(Exception):
    """Raised if a response arrives too slowly. ``size`` is the number of bytes received in ``seconds`` seconds."""

    def __init__(self, size: int, seconds: float) -> None:
        super().__init__()
        self.size = size
        self.seconds = seconds


class TooLarge(Exception):
    """Raised if a response is larger than the limit."""


class Damaged(Exception):
    """Raised if a response cannot be decompressed. The message gives the reason.

    ``cut`` is true if the response is incomplete.
    """

    def __init__(self, reason: str, *, cut: bool = False) -> None:
        super().__init__(reason)
        self.cut = cut


class Arrival:
    """Tracks the arrival of a response.

    If the request is retried, counting starts again from zero. ``patience`` is the profile's ``read_timeout`` in
    seconds. ``on_begin`` is called with True when the body of a response begins, and with False when the request is
    retried.
    """

    def __init__(
        self, *, patience: float, ticks: Monotonic, progress: Progress | None, on_begin: Callable[[bool], None]
    ) -> None:
        self.size = 0
        self.began = False
        self._patience = patience
        self._ticks = ticks
        self._progress = progress
        self._on_begin = on_begin
        self._called = ticks()
        self._total: int | None = None
        self._reported: float | None = None
        self._window = 0.0
        self._in_window = 0

    def expect(self) -> None:
        self.size = 0
        if self.began:
            self.began = False
            self._on_begin(False)

    def begin(self, total: int | None) -> None:
        """Prepare to receive the body of a successful response.

        ``total`` is the size of the body in bytes, or None if the service did not announce the size.
        """
        self.began, self._total, self._reported = True, total, None
        self._window, self._in_window = self._ticks(), 0
        self._on_begin(True)

    def add(self, size: int) -> None:
        """Add ``size`` bytes to the count. Raises :class:`Trickle` if the response arrives too slowly."""
        now = self._ticks()
        self.size += size
        self._in_window += size
        if now - self._window >= self._patience:
            if self._in_window < TRICKLE and self.size != self._total:
                raise Trickle(self._in_window, now - self._window)
            self._window, self._in_window = now, 0
        if self._reported is None or now - self._reported >= PACE:
            self._report(now)

    def end(self) -> None:
        self._report(self._ticks())

    def _report(self, now: float) -> None:
        self._reported = now
        if self._progress is not None:
            self._progress(Received(bytes=self.size, total=self._total, seconds=now - self._called))


async def collect(
    chunks: AsyncIterator[bytes],
    *,
    cap: int,
    packed: bool,
    arrival: Arrival | None = None,
    reader: Reader | None = None,
    cut: bool = False,
) -> bytes:
    """Return the whole body, decompressed if ``packed`` is set.

    ``arrival`` counts each chunk, and ``reader`` parses each chunk immediately. A body of more than ``cap`` bytes is
    truncated if ``cut`` is set; without ``cut``, such a body raises :class:`TooLarge`. Raises :class:`Damaged` if the
    body cannot be decompressed or expands to more than :data:`STEEPEST` times its size, and :class:`Trickle` if the
    body arrives too slowly.
    """
    unpacking = _Unpacking() if packed else None
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks:
        if arrival is not None:
            arrival.add(len(chunk))
        for part in (chunk,) if unpacking is None else unpacking.pieces(chunk):
            parts.append(part)
            size += len(part)
            if size > cap and cut:
                return b"".join(parts)[:cap]
            if size > cap:
                raise TooLarge
            if reader is not None:
                reader.feed(part)
            await asyncio.sleep(0)  # lets key presses and other calls be handled between two pieces
    if unpacking is not None:
        unpacking.check_end()
    # The body is copied only once: each copy of thirty megabytes blocks everything else for hundredths of a second.
    return b"".join(parts)


class _Unpacking:
    """A gzip stream, decompressed in pieces. It may have several members (RFC 1952, 2.2)."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._waiting = b""
        self._packed = 0
        self._unpacked = 0

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the content of ``chunk``, at most :data:`PIECE` bytes at a time. Raises :class:`Damaged`."""
        self._packed += len(chunk)
        self._waiting += chunk
        while piece := self._next_piece():
            yield piece

    def _next_piece(self) -> bytes:
        while True:
            if self._inflater.eof:
                if not self._waiting:
                    return b""
                self._inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
            try:
                piece = self._inflater.decompress(self._waiting, PIECE)
            except zlib.error:
                raise Damaged("the data is not valid gzip") from None
            self._waiting = self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail
            self._unpacked += len(piece)
            if self._unpacked > max(HARMLESS, STEEPEST * (self._packed - len(self._waiting))):
                raise Damaged(f"the data unpacks to more than {STEEPEST} times its size")
            if piece or not self._inflater.eof:
                return piece

    def check_end(self) -> None:
        """Raise :class:`Damaged` unless the stream is complete."""
        if self._packed and not self._inflater.eof:
            raise Damaged("the data is incomplete", cut=True)
