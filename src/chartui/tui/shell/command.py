"""Running a command by its id, wherever it belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from chartui.commands import command
from chartui.core.profiles import SCREEN_NAMES
from chartui.tui.bindings import active, in_part, performed
from chartui.tui.widgets.screen import WorkScreen
from chartui.tui.widgets.tabs import tab_of

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp


async def run_command(app: ChartuiApp, command_id: str) -> None:
    """Run a command on the node that performs it, showing its screen and its tab first."""
    screen = app.screen
    if app.own is not None and command_id.startswith("own-"):
        if isinstance(screen, WorkScreen) and (scope := app.own.row(command_id).scope) in SCREEN_NAMES:
            await app.go_to(scope)
        app.action_run_own(command_id)
        return
    found = next((each for each in active(screen) if each.command.id == command_id), None)
    works = found is not None
    row = found.command if found is not None else command(command_id)
    if not works and isinstance(screen, WorkScreen):
        if (name := row.scope.partition(".")[0]) in SCREEN_NAMES:
            await app.go_to(name)
        screen = app.screen
    if not works and isinstance(screen, WorkScreen):
        await screen.show_part(row.scope)
    found = found or performed(screen, command_id) or in_part(screen, command_id)
    if found is not None and isinstance(found.node, Widget):
        path = app.focused.ancestors_with_self if app.focused else ()
        if found.node not in (screen, *path):
            if (tab := tab_of(found.node)) is not None and (turn := performed(screen, tab)) is not None:
                await app.run_action(turn.action, default_namespace=turn.node)
            found.node.focus()
    if found is not None and not works and (turn := performed(screen, row.tab)) is not None:
        await app.run_action(turn.action, default_namespace=turn.node)
    if found is None or not await app.run_action(found.action, default_namespace=found.node):
        app.tell(f"“{row.title}” is not available on this screen.", topic="command")
