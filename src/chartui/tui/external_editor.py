"""Editing a text in the user's own editor: the program steps aside, then reads the result.

The text is in a file that only its owner can read, in a folder that only they can enter; both are deleted afterwards.
If the result cannot be used, the file is kept and the message says where.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from textual.app import App, SuspendNotSupported

from chartui.core.classes import NamedTuple
from chartui.core.credentials import child_environment
from chartui.core.paths import file_stem, write_private
from chartui.core.text import single_line

#: The variables that name an editor, the one for full-screen editors first.
_VARIABLES: Final = ("VISUAL", "EDITOR")
#: Bytes; no service accepts longer texts. A longer file is kept.
_MOST: Final = 4 << 20


class Edited(NamedTuple):
    """The outcome: the edited ``text``, or None if it cannot be used and ``told`` says why."""

    text: str | None
    told: str = ""


class _NotTaken(Exception):
    """The edited text is not used; the message is a sentence."""


def editor_command(environ: Mapping[str, str] = os.environ) -> Sequence[str]:
    """The command of the user's editor, without the file; empty if none is set.

    Raises ``ValueError`` for a variable with unclosed quotes.
    """
    for name in _VARIABLES:
        if command := shlex.split(environ.get(name, "")):
            return command
    return ()


async def edit_outside(app: App[int], text: str, *, title: str) -> Edited:
    """Let the user edit ``text`` in their own editor, which takes over the terminal. To be awaited in a worker.

    Line ends stay as they are in the file; if the text did not end with one, the one that editors add is dropped.
    ``title`` names the file.
    """
    try:
        command = editor_command()
    except ValueError as error:
        return Edited(None, f"Invalid $VISUAL or $EDITOR: {error}.")
    if not command:
        return Edited(None, "No editor is set. Set $VISUAL or $EDITOR.")
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return Edited(None, "The text contains an incomplete character, which a file cannot store.")
    try:
        folder = Path(tempfile.mkdtemp(prefix="chartui-"))
        path = folder / f"{file_stem(title, otherwise='text')}.txt"
        write_private(path, data)
    except OSError as error:
        return Edited(None, f"Can't create a file for the editor: {error.strerror}.")
    settled = data  # nothing worth keeping
    try:
        with stepped_aside(app):
            status = await run_in_front((*command, str(path)), no_color=app.no_color)
        if told := _ending(command[0], status):
            raise _NotTaken(told)
        found = _read(path)
        edited = _decoded(found, text)
        settled = found
        return Edited(edited) if edited != text else Edited(None, "Nothing was changed.")
    except SuspendNotSupported:
        return Edited(None, "This terminal can't run an external editor.")
    except _NotTaken as error:
        kept = f" Your text is in {path}." if _holds_other(path, settled) else ""
        return Edited(None, f"{error} The text was not changed.{kept}")
    finally:
        if not _holds_other(path, settled):
            shutil.rmtree(folder, ignore_errors=True)


def _holds_other(path: Path, settled: bytes) -> bool:
    """Whether a file holds text that is not stored anywhere else."""
    try:
        return path.stat().st_size != len(settled) or path.read_bytes() != settled
    except FileNotFoundError:
        return False
    except OSError:  # unknown, so keep it
        return True


def _ending(name: str, status: int | OSError) -> str:
    """The message for an editor that failed, or an empty text."""
    called = single_line(name, limit=40)
    if isinstance(status, OSError):
        return f"“{called}” cannot be started: {status.strerror}."
    if status < 0:
        return f"“{called}” was killed by signal {-status}."
    return f"“{called}” exited with status {status}." if status else ""


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
    except FileNotFoundError:
        raise _NotTaken("The file no longer exists.") from None
    except OSError as error:
        raise _NotTaken(f"The file cannot be read: {error.strerror}.") from None
    if len(data) > _MOST:
        raise _NotTaken(f"The file is too large (limit: {_MOST >> 20} MiB).")
    return data


def _decoded(data: bytes, before: str) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _NotTaken(f"The file is not valid UTF-8 (invalid byte at position {error.start}).") from None
    if not before.endswith("\n"):
        text = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
    return text


async def run_in_front(command: Sequence[str], *, no_color: bool) -> int | OSError:
    """Run a command in the foreground; its status, or why it could not be started."""
    environment = child_environment() | ({"NO_COLOR": "1"} if no_color else {})  # removed by the framework
    try:
        process = await asyncio.create_subprocess_exec(*command, env=environment)
    except OSError as error:
        return error
    try:
        return await process.wait()
    except asyncio.CancelledError:  # the program is ending, and needs the terminal back
        process.terminate()
        await process.wait()
        raise


@contextmanager
def stepped_aside(app: App[int]) -> Iterator[None]:
    """Hand the terminal to another program; raises :class:`SuspendNotSupported` if that is not possible.

    The framework takes the terminal back only if nothing was raised meanwhile.
    """
    raised: BaseException | None = None
    with app.suspend():
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - raised again below
            raised = error
    app.refresh(layout=True)
    if raised is not None:
        raise raised
