"""The line that shows how much of a long answer has arrived: on a terminal only, rewritten in place, and erased."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from chartui.core.backends.base import Answer, Backend, Context, Received
    from chartui.core.jsontext import Wire
    from chartui.core.spec.operation import Operation

__all__ = ["Receiving"]

#: Calls that take less are not worth a line. Seconds.
PATIENCE: Final = 1.0
#: Bytes below which an answer would be 0.0 MB.
_WORTH: Final = 50_000


class Receiving:
    """A layer around ``backend`` that shows on ``terminal`` what arrives, until the call has ended."""

    def __init__(self, backend: Backend, terminal: TextIO) -> None:
        self._backend = backend
        self._terminal = terminal
        self._shown = 0

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform ``operation``; raises :class:`~chartui.core.spec.errors.ServiceError`."""
        try:
            return await self._backend.perform(operation, payload, replace(context, progress=self._show))
        finally:
            self._rewrite("")

    async def aclose(self) -> None:
        """Close the backend."""
        await self._backend.aclose()

    def _show(self, received: Received) -> None:
        if received.seconds < PATIENCE:
            return
        unicode = (self._terminal.encoding or "").lower().startswith("utf")
        of = "" if received.total is None else f" of {received.total / 1e6:.1f}"
        amount = f"{received.bytes / 1e6:.1f}{of} MB, {received.seconds:.0f} s"
        dots = "…" if unicode else "..."
        if max(received.bytes, received.total or 0) < _WORTH:
            self._rewrite(f"Waiting{dots} {received.seconds:.0f} s. Ctrl+C cancels.")
            return
        self._rewrite(f"Receiving{dots} {amount}. Ctrl+C cancels.")

    def _rewrite(self, line: str) -> None:
        if not line and not self._shown:
            return
        with suppress(OSError, ValueError):  # a terminal that is gone shows nothing
            width = os.get_terminal_size(self._terminal.fileno()).columns - 1
            line = line[:width]
            # Terminals show Ctrl+C as two characters behind the line.
            covered = line.ljust(min(width, self._shown + 2) if not line else self._shown)
            print(f"\r{covered}", end="" if line else "\r", file=self._terminal, flush=True)
        self._shown = len(line)
