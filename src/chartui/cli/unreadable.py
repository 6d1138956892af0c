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
        reasons = [(missed, alike) for missed in self._missed.values() for alike in by_reason(missed.unreadable)]
        for missed, alike in reasons[:_LINES]:
            output.warn(f"{sentence(alike)}.{self._command(missed, alike)}")
        if rest := reasons[_LINES:]:
            more = f"{len(rest)} more reason{'' if len(rest) == 1 else 's'}"
            output.warn(f"… and {more}.{self._command(rest[0][0], ())}")

    def _command(self, missed: Missed, alike: Sequence[Unreadable]) -> str:
        """The command that writes the first of these elements, or without any the whole answer."""
        # A turn is not sent, and billed, a second time to look at its answer.
        if missed.operation.effect is not Effect.READ:
            return ""
        from chartui.core.reproduce import as_command

        command = as_command(missed.operation, missed.payload, self._profile, read_only=self._read_only)
        if not alike:
            return f" See the whole answer: {command}"
        pointer = _pointer(alike[0])
        at = f" --at {quote(pointer)}" if pointer else ""
        return f" See {'it' if len(alike) == 1 else 'the first'}: {command}{at}"


def _pointer(element: Unreadable) -> str:
    """Where to look: of a member that is missing, what it is missing from."""
    missing = element.kind == "member" and element.reason.endswith(": missing")
    return element.where.rpartition("/")[0] if missing else element.where
