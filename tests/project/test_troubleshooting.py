"""The page about what can go wrong knows every failure: ``UPDATE_GOLDEN=1`` writes its table anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chartui.cli.errors import failure_of
from chartui.core.spec.errors import ErrorKind, ServiceError

from .pages import DOCS, kept, made_parts, table, with_parts

PAGE = DOCS / "troubleshooting.md"

#: What happened, and what to do about it.
_ADVICE: Final[Mapping[ErrorKind, tuple[str, str]]] = {
    ErrorKind.NO_KEY: ("There is no key.", "[Look where it comes from](#the-key)."),
    ErrorKind.BAD_KEY: ("The service does not take the key.", "[Give another one](#the-key)."),
    ErrorKind.TIER: ("The subscription does not allow it.", "[See what it needs](operations.md)."),
    ErrorKind.INVALID: ("The request holds something that is not allowed.", "The message names the member; change it."),
    ErrorKind.NOT_FOUND: ("What it is about is not there.", "Read again: somebody may have deleted it."),
    ErrorKind.CONFLICT: (
        "Somebody else changed it, or the name is taken.",
        "Look at what is there now, then decide. Nothing was written.",
    ),
    ErrorKind.TOO_LARGE: ("The request is too large for the service.", "Send less at once."),
    ErrorKind.INTERNAL: ("The service failed.", "Try later; the request shows what it said."),
    ErrorKind.RATE_LIMITED: ("The service asks for a pause.", "Wait as long as the message says."),
    ErrorKind.REFUSED: ("The service refused for another reason.", "The message holds its words."),
    ErrorKind.UNREACHABLE: ("Nobody answers.", "[Check address and network](#a-service-does-not-answer)."),
    ErrorKind.TIMEOUT: ("The answer did not come in time.", "Try later, or give the profile more time."),
    ErrorKind.UNEXPECTED: ("The answer makes no sense.", "Check `base_url`: is that the service?"),
    ErrorKind.READ_ONLY: ("The read-only lock holds.", "[Lift it](#nothing-may-be-changed), if that is meant."),
    ErrorKind.UNCONFIRMED: ("Nobody agreed to the change.", "[Say so beforehand](#nothing-may-be-changed)."),
    ErrorKind.NOT_AVAILABLE: ("The profile cannot do that.", "It needs [an embedded store](operations.md)."),
    ErrorKind.UNSAFE: ("It would not be safe.", "The message says what to change."),
    ErrorKind.BUSY: ("Another program holds the store.", "Try again in a moment."),
    ErrorKind.BROKEN: ("The store cannot be used.", "[Check it](#a-store-is-broken-or-busy)."),
}


def failures() -> str:
    """A row for each kind of failure, in the order of the exit statuses."""
    rows = []
    for kind in sorted(ErrorKind, key=lambda kind: failure_of(ServiceError(kind, "")).exit):
        failure, (happened, remedy) = failure_of(ServiceError(kind, "", sent="no")), _ADVICE[kind]
        rows.append((f"`{failure.code}`", str(int(failure.exit)), happened, remedy, "yes" if failure.retryable else ""))
    return table(("code", "status", "what happened", "what to do", "again"), rows)


def test_every_failure_is_in_the_table() -> None:
    made = with_parts(PAGE.read_text(encoding="utf-8"), lambda words: failures() if words == "failures" else None)
    assert kept(PAGE, made) == made
    assert "failures" in made_parts(made)
