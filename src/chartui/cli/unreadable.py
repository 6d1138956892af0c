"""What a command says, beside its data, of the elements of an answer that could not be read (decision 69)."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Final

from chartui.cli.output import Output
from chartui.core.jsontext import dumps
from chartui.core.spec.operation import Effect
from chartui.core.unreadable import Missed, by_reason, sentence

if TYPE_CHECKING:
    from chartui.core.profiles import Profile
    from chartui.core.spec.elements import Unreadable

__all__ = ["Report"]

#: So many reasons have a line of their own.
_LINES: Final = 5


class Report:
    """Collects what the answers of one command held that could not be read; of calls made again, the last one's."""

    def __init__(self, profile: Profile, *, read_only: bool) -> None:
        self._profile = profile
        self._read_only = read_only
        self._missed: dict[str, Missed] = {}

    def note(self, missed: Missed) -> None:
        """Take an answer into account."""
        self._missed[f"{missed.operation.name} {dumps(missed.payload)}"] = missed

    def write(self, output: Output) -> None:
        """A warning for each reason, with the command that writes the first such element as it came."""
        lines = [
            f"{sentence(alike)}.{self._command(missed, alike)}"
            for missed in self._missed.values()
            for alike in by_reason(missed.unreadable)
        ]
        for line in lines[:_LINES]:
            output.warn(line)
        if len(lines) > _LINES:
            output.warn(f"… and {len(lines) - _LINES} more reasons.")

    def _command(self, missed: Missed, alike: Sequence[Unreadable]) -> str:
        # A turn is not sent, and billed, a second time to look at its answer.
        if missed.operation.effect is not Effect.READ:
            return ""
        from chartui.core.reproduce import as_command

        command = as_command(missed.operation, missed.payload, self._profile, read_only=self._read_only)
        pointer = _pointer(alike[0])
        at = f" --at {quote(pointer)}" if pointer else ""
        return f" See {'it' if len(alike) == 1 else 'the first'}: {command}{at}"


def _pointer(element: Unreadable) -> str:
    """Where to look: of a member that is missing, what it is missing from."""
    missing = element.kind == "member" and element.reason.endswith(": missing")
    return element.where.rpartition("/")[0] if missing else element.where
