"""What can be done on the requests."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["REQUESTS"]

REQUESTS: Final = (
    Command(
        id="filter-requests",
        keys=("slash",),
        action="filter",
        scope="requests",
        title="Filter the requests",
        help="Operation, who asked, status, error, id; every word.",
        footer="filter",
    ),
    Command(
        id="open-request",
        keys=("enter",),
        action="open_request",
        scope="requests",
        title="Open the request",
        help="What was asked and what was answered, in full.",
        footer="open",
    ),
    Command(
        id="only-failures",
        keys=("f",),
        action="only_failures",
        scope="requests",
        title="Only failures, or all again",
        help="What was refused, or never answered.",
        footer="failures",
    ),
    Command(
        id="only-changes",
        keys=("w",),
        action="only_changes",
        scope="requests",
        title="Only changes, or all again",
        help="What changes data or costs credits.",
        footer="changes",
    ),
    Command(
        id="leave-request",
        keys=("escape",),
        action="leave",
        scope="requests",
        title="Back to the list",
        help="Leaves the request or the filter.",
    ),
)
