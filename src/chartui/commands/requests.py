"""The commands of the requests screen."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

# fmt: off
REQUESTS: Final = (
    Command("filter-requests", "slash", "filter", "requests", "Filter the requests",
            "Searches by operation, caller, status, error or ID.", footer="filter"),
    Command("open-request", "enter", "choose", "requests.list", "Open the request",
            "Shows the full request and the response.", footer="open"),
    Command("only-failures", "f", "only_failures", "requests", "Show failures only, or all",
            "Shows only calls that were refused or not answered.", footer="failures"),
    Command("only-changes", "t", "only_changes", "requests", "Show changes only, or all",
            "Shows only calls that change data or cost credits.", footer="changes"),
    Command("leave-request", "escape", "leave", "requests", "Back to the list",
            "Closes the request or the filter.", footer="back"),
)
# fmt: on
