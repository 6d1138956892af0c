"""Every failure is on the page about troubleshooting: ``UPDATE_GOLDEN=1`` writes its table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chartui.cli.errors import failure_of
from chartui.core.spec.errors import ErrorKind, ServiceError

from .pages import DOCS, kept, made_parts, table, with_parts

PAGE = DOCS / "troubleshooting.md"

#: What happened, and what to do.
_ADVICE: Final[Mapping[ErrorKind, tuple[str, str]]] = {
    ErrorKind.NO_KEY: ("No API key was found.", "[Check the source of the API key](#the-api-key)."),
    ErrorKind.BAD_KEY: ("The service rejects the API key.", "[Use another API key](#the-api-key)."),
    ErrorKind.TIER: (
        "The subscription does not include the operation.",
        "[See which tier the operation needs](operations.md).",
    ),
    ErrorKind.INVALID: ("The request has an invalid value.", "Change the member that the message names."),
    ErrorKind.NOT_FOUND: ("The requested item does not exist.", "Check the ID. The item may have been deleted."),
    ErrorKind.CONFLICT: (
        "The item was changed by someone else, or the name is taken.",
        "Nothing was written. Check the current value, then decide.",
    ),
    ErrorKind.TOO_LARGE: ("The request is too large for the service.", "Send less data in one request."),
    ErrorKind.INTERNAL: ("The service failed.", "Try again later. The requests screen shows the service's answer."),
    ErrorKind.RATE_LIMITED: ("The service received too many requests.", "Wait for the time stated in the message."),
    ErrorKind.REFUSED: ("The service refused the request for another reason.", "See the message."),
    ErrorKind.UNREACHABLE: (
        "The service cannot be reached.",
        "[Check the address and the network](#a-service-does-not-answer).",
    ),
    ErrorKind.TIMEOUT: (
        "The answer did not arrive in time.",
        "Try again later, or raise the time limit in the profile.",
    ),
    ErrorKind.UNEXPECTED: ("The response is not as specified.", "Check that `base_url` is the address of the service."),
    ErrorKind.READ_ONLY: ("A read-only lock is set.", "[Unlock the profile](#changes-are-refused) to make the change."),
    ErrorKind.UNCONFIRMED: ("The change was not confirmed.", "[Confirm the change in advance](#changes-are-refused)."),
    ErrorKind.NOT_AVAILABLE: (
        "The profile does not support this operation.",
        "Use [an embedded store](operations.md).",
    ),
    ErrorKind.UNSAFE: ("The request would be unsafe.", "The message says what to change."),
    ErrorKind.BUSY: ("Another program is using the store.", "Try again in a moment."),
    ErrorKind.BROKEN: ("The store cannot be used.", "[Check the store](#a-store-is-broken-or-busy)."),
}


def failures() -> str:
    """A row for each kind of failure, in the order of the exit statuses."""
    rows = []
    for kind in sorted(ErrorKind, key=lambda kind: failure_of(ServiceError(kind, "")).exit):
        failure, (happened, remedy) = failure_of(ServiceError(kind, "", sent="no")), _ADVICE[kind]
        rows.append((f"`{failure.code}`", str(int(failure.exit)), happened, remedy, "yes" if failure.retryable else ""))
    return table(("code", "status", "what happened", "what to do", "retry"), rows)


def test_every_failure_is_in_the_table() -> None:
    made = with_parts(PAGE.read_text(encoding="utf-8"), lambda words: failures() if words == "failures" else None)
    assert kept(PAGE, made) == made
    assert "failures" in made_parts(made)
