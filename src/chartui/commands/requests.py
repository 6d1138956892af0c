"""The commands of the requests screen."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

# fmt: off
REQUESTS: Final = (
    Command("filter-requests", "slash", "filter", "requests", "Filter the requests",
            "Operation, who asked, status, error, id; every word.", footer="filter"),
    Command("open-request", "enter", "choose", "requests.list", "Open the request",
            "What was asked and what was answered, in full.", footer="open"),
    Command("only-failures", "f", "only_failures", "requests", "Only failures, or all again",
            "What was refused, or never answered.", footer="failures"),
    Command("only-changes", "w", "only_changes", "requests", "Only changes, or all again",
            "What changes data or costs credits.", footer="changes"),
    Command("leave-request", "escape", "leave", "requests", "Back to the list",
            "Leaves the request or the filter.", footer="back"),
)
# fmt: on
