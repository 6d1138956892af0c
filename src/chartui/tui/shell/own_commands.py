"""Runs your own commands: programs described in ``config.toml``."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.binding import Binding

from chartui.commands import Command, DataEffect
from chartui.commands.command import APP
from chartui.core.classes import NamedTuple
from chartui.core.credentials import child_environment
from chartui.core.jsontext import Wire, dumps
from chartui.core.own_commands import OutputTo, OwnCommand, Unavailable
from chartui.core.profiles_file import ProfilesFileError, load_profiles
from chartui.core.text import display_text, single_line
from chartui.keymap import Keymap, key_of_own
from chartui.tui.wait import Work, waiting
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.screen import Copyable, WorkScreen
from chartui.tui.widgets.text import Piece, PieceRow, flow, told
from chartui.tui.widgets.told_list import ToldList

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Bytes of output that are kept; the rest is read and dropped.
MOST_OUTPUT: Final = 1 << 18
#: Characters of a line that are laid out together.
_PART: Final = 1000
#: Seconds from the signal to end until the signal that cannot be ignored.
_GRACE: Final = 1.0


class Finished(NamedTuple):
    """How a program ended: its status, its output, and whether that was cut."""

    status: int
    output: str
    cut: bool


class OwnCommands:
    """The commands as rows like those of the program, and what runs them."""

    def __init__(self, app: ChartuiApp, own: Sequence[OwnCommand], keymap: Keymap) -> None:
        self._app = app
        self._own = {each.id: each for each in own}
        self._rows = {each.id: _row(each, key_of_own(each, own, keymap)[0]) for each in own}

    def bind(self, screen: WorkScreen) -> None:
        """Give a new screen the commands in its scope."""
        for row in self._rows.values():
            if row.scope in (APP, screen.SCOPE):
                for key in row.bound(row.keys).split(","):
                    binding = Binding(key, row.action, row.title, show=False, id=row.id)
                    screen._bindings.key_to_bindings.setdefault(key, []).append(binding)

    @property
    def rows(self) -> Iterable[Command]:
        return self._rows.values()

    def row(self, command_id: str) -> Command:
        """A command as a row; its help says why it cannot run here."""
        try:
            self._own[command_id].words(self._values())
        except Unavailable as error:
            return self._rows[command_id]._replace(help=str(error))
        return self._rows[command_id]

    def _values(self) -> Mapping[str, str]:
        app, screen = self._app, self._app.work.present
        character = (screen.in_hand if screen is not None else None) or ""
        section = screen.section if screen is not None else None
        return {
            "character_id": character,
            "character_name": app.work.name_known(character),
            "section_id": section.id if section else "",
            "section_name": section.name if section else "",
            "profile": app.session.profile.name,
            "base_url": app.session.profile.base_url or "",
        }

    def _selection(self, screen: WorkScreen) -> Wire:
        section, profile = screen.section, self._app.session.profile
        return {
            "profile": profile.name,
            "base_url": profile.base_url,
            "screen": screen.SCOPE,
            "characters": [
                {"id": each, "name": self._app.work.name_known(each) or None} for each in screen.chosen_characters
            ],
            "section": {"id": section.id, "name": section.name} if section else None,
        }

    async def run(self, command_id: str, app: ChartuiApp) -> None:
        """Run a command, after a question if it changes something. To be awaited in a worker."""
        own, screen = self._own[command_id], app.work.present
        if screen is None or (own.changes and app.refuses(f"“{own.title}”")):
            return
        try:
            words = own.words(self._values())
        except Unavailable as error:
            app.tell(str(error), title=own.title, severity="warning")
            return
        data = dumps(self._selection(screen)).encode()
        if own.changes:
            message = f"This command may change data:\n\n{display_text(shlex.join(words))}"
            if not await app.push_screen_wait(Confirm(f"Run “{own.title}”?", message, "Run command")):
                return
        try:
            finished = await self._wait(own, words, data)
        except TimeoutError:
            app.tell(f"Stopped: time limit of {own.seconds:g} s exceeded.", title=own.title, severity="error")
        except OSError as error:
            program = single_line(words[0], limit=60)
            app.tell(f"“{program}” cannot be started: {error.strerror}.", title=own.title, severity="error")
        else:
            self._report(own, screen, finished)
        if own.changes:
            for each in app.work:
                each.data_changed()

    async def _wait(self, own: OwnCommand, words: Sequence[str], data: bytes) -> Finished:
        task = asyncio.current_task()
        cancel = task.cancel if task is not None else bool
        async with waiting(self._app, Work(own.title, "Running…", cancel, "stops the command")):
            async with asyncio.timeout(own.seconds):
                return await _finished(words, data, _environment(self._app), kept=own.output is not OutputTo.NONE)

    def _report(self, own: OwnCommand, screen: WorkScreen, finished: Finished) -> None:
        app, failed = self._app, finished.status != 0
        if failed or own.output is OutputTo.NONE or not finished.output:
            said = f"Exited with status {finished.status}." if failed else "Done."
            app.tell(said, title=own.title, severity="error" if failed else "information")
        if not finished.output:
            return
        output = Copyable(own.title, finished.output)
        if own.output is OutputTo.FILE:
            from chartui.tui.shell.files import offer_text

            offer_text(screen, output)
            return

        def answered(key: str | None) -> None:
            if key is not None:
                app.copy(finished.output, own.title)

        app.push_screen(ToldList(own.title, partial(_rows, finished), {"y": "Copy"}, leaving="Close"), answered)


def _row(own: OwnCommand, key: str) -> Command:
    """A command as a row: in the footer only with a key."""
    effect = DataEffect.WRITE if own.changes else DataEffect.NONE
    about = single_line(f"Runs {shlex.join(own.run)}", limit=58)
    title = single_line(own.title)
    return Command(own.id, key, f"app.run_own('{own.id}')", own.scope, title, about, footer=title, effect=effect)


def _rows(finished: Finished, width: int) -> Iterator[PieceRow]:
    for line in finished.output.rstrip("\n").split("\n"):
        for start in range(0, len(line) or 1, _PART):  # laying out a long line takes long
            piece = Piece(line[start : start + _PART], "value")
            yield from [(piece,)] if cell_len(piece.text) <= width else flow([piece], width)
    if finished.cut:
        yield from told(f"The output was truncated to {MOST_OUTPUT >> 10} KiB.", width, "warning")


def _environment(app: ChartuiApp) -> Mapping[str, str]:
    """The environment of the program, without the API key of any profile."""
    try:
        profiles = [*load_profiles().by_name.values(), app.session.profile]
    except ProfilesFileError:
        profiles = [app.session.profile]
    return child_environment(profile.key for profile in profiles)


async def _finished(words: Sequence[str], data: bytes, environment: Mapping[str, str], *, kept: bool) -> Finished:
    """Run a program to its end. If this is canceled, the program ends with all it has started. Raises ``OSError``."""
    to = PIPE if kept else DEVNULL
    process = await asyncio.create_subprocess_exec(
        *words, stdin=PIPE, stdout=to, stderr=STDOUT, env=environment, start_new_session=True
    )
    try:
        (output, cut), _, status = await asyncio.gather(_collected(process), _fed(process, data), process.wait())
    except asyncio.CancelledError:
        await _end(process)
        raise
    return Finished(status, display_text(output.decode(errors="replace"), multiline=True), cut)


async def _collected(process: Process) -> tuple[bytes, bool]:
    output, cut = bytearray(), False
    while process.stdout is not None and (came := await process.stdout.read(1 << 16)):
        room = MOST_OUTPUT - len(output)
        output += came[:room]
        cut = cut or len(came) > room
    return bytes(output), cut


async def _fed(process: Process, data: bytes) -> None:
    assert process.stdin is not None  # noqa: S101 - a pipe was asked for
    with suppress(BrokenPipeError, ConnectionResetError):  # a program need not read it
        process.stdin.write(data)
        await process.stdin.drain()
        process.stdin.close()


async def _end(process: Process) -> None:
    try:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        # Not asyncio.timeout: in a task that is being canceled, Python 3.11.2 reports its end as another cancellation.
        await asyncio.wait([asyncio.ensure_future(process.wait())], timeout=_GRACE)
    finally:
        with suppress(ProcessLookupError):  # also for what the program started
            os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
