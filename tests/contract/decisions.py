"""Which decisions are no matter of this contract, and why. The others have cases, by number, in the case modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operation import Effect, Tier
from chartui.core.spec.operations import OPERATIONS

__all__ = ["CANNOT_OCCUR", "ELSEWHERE", "LAST_DECISION"]

LAST_DECISION: Final = 74

#: Decision → where it is shown instead. All of them are about the client, a file or a pure function.
ELSEWHERE: Final[Mapping[int, str]] = {
    15: "how a price that nobody knows is shown",
    25: "how the screen marks what cannot be read back",
    28: "how a client reads the errors of other services; the fault tests",
    48: "how a client reads an action sequence; the tests of the reader",
    61: "a search over all configurations; a pure function",
    62: "how a client unites option keys with its catalogue; a pure function",
    63: "the cost of a character; a pure function",
    64: "a character as a file",
    65: "near-duplicates and template keys; the tests of the lint",
    66: "which encodings a client asks for, and when the server compresses; the tests of both",
    67: "the time limits of a client; the fault tests",
    69: "how a client reads odd elements; tests/core/remote/test_odd_elements.py and the fault tests",
    70: "how a client shows a turn; the fault tests",
    72: "the tables of sentences in tests/core/actions",
    74: "how serve slows wrong keys; tests/core/server/test_wrong_keys.py",
}


def _cannot_occur() -> dict[tuple[str, ErrorKind], str]:
    reasons: dict[tuple[str, ErrorKind], str] = {}
    for row in OPERATIONS.values():
        if row.path is None:
            continue
        if row.tier is Tier.FREE:
            reasons[row.name, ErrorKind.TIER] = "no tier is lower than free"
        if row.effect is Effect.READ or row.name in ("create-section", "get-response"):
            reasons[row.name, ErrorKind.CONFLICT] = "there is nothing that it could clash with"
        if row.name in ("estimate", "get-estimate", "options", "list-characters"):
            reasons[row.name, ErrorKind.NOT_FOUND] = "it addresses nothing that is stored"
    return reasons


#: What a row lists for the sake of its table and can nevertheless not happen in the embedded store, with the reason.
#: How such a refusal travels is tested all the same, in ``test_errors``.
CANNOT_OCCUR: Final[Mapping[tuple[str, ErrorKind], str]] = _cannot_occur()
