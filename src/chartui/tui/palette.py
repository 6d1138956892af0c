"""The command palette: the table of commands, searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from chartui.tui.commands import Command, DataEffect, commands_for, key_label

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["CommandProvider"]


class CommandProvider(Provider):
    """Commands of the present screen and of the program; what is locked says so."""

    @property
    def _workbench(self) -> ChartuiApp:
        return cast("ChartuiApp", self.app)

    def _commands(self) -> tuple[Command, ...]:
        return (*commands_for(self._workbench.scope), *commands_for("app"))

    def _help(self, command: Command) -> str:
        keys = " ".join(key_label(key) for key in command.keys)
        if self._workbench.session.read_only and command.effect is DataEffect.WRITE:
            return f"[{keys}]  locked: this profile is read-only"
        return f"{keys} · {command.help}"

    async def discover(self) -> Hits:
        """Everything, before anything is typed."""
        for command in self._commands():
            yield DiscoveryHit(
                Content(command.title), self._runner(command), text=command.title, help=self._help(command)
            )

    async def search(self, query: str) -> Hits:
        """What fits the query."""
        matcher = self.matcher(query)
        for command in self._commands():
            score = matcher.match(command.title)
            if score > 0:
                yield Hit(
                    score,
                    matcher.highlight(command.title),
                    self._runner(command),
                    text=command.title,
                    help=self._help(command),
                )

    def _runner(self, command: Command):  # type: ignore[no-untyped-def]
        async def run() -> None:
            await self._workbench.action_command(command.id)

        return run
