"""Which programs still run: asked before something is called left over.

Each program holds a lock on a file of its own. The system lets go of it whichever way the program ends, ``kill -9``
included, and gives it to nobody by mistake, as it does with process numbers. Every method raises ``OSError``.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from chartui.core.paths import private_folder

__all__ = ["Presence"]


class Presence:
    """The programs that keep their marks in ``folder``, and this one among them once :meth:`own` was asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own: str | None = None
        self._descriptor = -1

    def own(self) -> str:
        """The name of this program; from now on the others see that it runs."""
        if self._own is None:
            self._sweep()
            name = uuid4().hex
            scratch = private_folder(self._folder) / f".{name}"
            descriptor = os.open(scratch, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                _lock(descriptor, alone=True)
                scratch.rename(self._folder / name)  # locked before it has its name: nobody takes it for left over
            except BaseException:  # on any failure or interrupt: the lock and its file must not stay behind
                os.close(descriptor)
                scratch.unlink(missing_ok=True)
                raise
            self._own, self._descriptor = name, descriptor
        return self._own

    def alive(self, name: str) -> bool:
        """Whether the program called ``name`` still runs."""
        if name == self._own:
            return True
        if not name.isalnum():  # no program has such a name: what names it is damaged
            return False
        try:
            descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            return not _lock(descriptor, alone=False)  # shared: those who ask do not see each other
        finally:
            os.close(descriptor)

    def _sweep(self) -> None:
        """Remove what programs left that were killed."""
        for path in self._folder.glob("[!.]*"):
            with suppress(FileNotFoundError):
                descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
                try:
                    if _lock(descriptor, alone=True):
                        path.unlink()
                finally:
                    os.close(descriptor)

    def close(self) -> None:
        """Say that this program no longer works on anything; safe to call twice."""
        name, self._own = self._own, None
        if name is not None:
            (self._folder / name).unlink(missing_ok=True)
            os.close(self._descriptor)


def _lock(descriptor: int, *, alone: bool) -> bool:
    """Try to lock an open file; False when somebody else has it."""
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
