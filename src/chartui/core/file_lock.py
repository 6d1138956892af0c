"""The only way to change a file that several programs rewrite: locked, read again, replaced as a whole.

Two programs that each read a file, change their copy and write it back lose one of the two changes. So the lock is
taken before the file is read and released after it is replaced.

The lock is ``flock`` on a file of its own beside the file it stands for (``.profiles.toml.lock``): the file itself is
replaced by every change, so a lock on it would be a lock on a name that already belongs to another file. For the same
reason the lock file stays where it is. The system releases the lock whichever way a program ends.

Which programs still run is found out the same way: each holds a lock on a file of its own (:class:`Presence`).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import uniform
from time import monotonic, sleep
from typing import Final
from uuid import uuid4

from chartui.core.paths import private_folder, write_private

#: Seconds to wait for another program, which needs the lock for milliseconds.
_WAIT: Final = 10.0
#: Seconds between two tries, random so that programs that wait for each other do not keep step.
_PAUSE: Final = (0.001, 0.02)


@contextmanager
def locked(path: Path, *, wait: float = _WAIT) -> Iterator[Path]:
    """Keep other programs and threads from changing ``path`` (a file or a folder); yields the file to replace.

    That is the target of a symbolic link, so the link stays and programs using different links exclude each other. The
    folder is created if needed. Never nest two locks of one path: the inner one would wait in vain. Raises ``OSError``
    naming ``path``: ``TimeoutError`` if the lock was not free within ``wait`` seconds, others if no lock is possible,
    as in a read-only folder.
    """
    target = Path(os.path.realpath(path))
    lock = target.with_name(f".{target.name}.lock")
    try:
        private_folder(target.parent)
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise OSError(error.errno, f"its lock {lock.name}: {error.strerror}", str(path)) from None
    try:
        _take(descriptor, path, wait)
        yield target
    finally:
        os.close(descriptor)


def rewrite(path: Path, content: Callable[[], bytes | None], *, wait: float = _WAIT) -> None:
    """Replace ``path`` with ``content()``, which is called under the lock and must read the file again.

    None leaves the file unchanged. After a crash the file holds the old or the new content, whole, and only its owner
    can read it. Raises ``OSError`` as :func:`locked` does, and what ``content`` raises; nothing is written then.
    """
    with locked(path, wait=wait) as target:
        data = content()
        if data is not None:
            write_private(target, data)


def _take(descriptor: int, path: Path, wait: float) -> None:
    end = monotonic() + wait
    while True:
        try:
            if try_lock(descriptor):
                return
        except OSError as error:  # a file system without locks
            raise OSError(error.errno, f"it cannot be locked: {error.strerror}", str(path)) from None
        if monotonic() >= end:  # not the injected clock: the wait must also end in tours and tests
            raise TimeoutError(errno.ETIMEDOUT, f"another program has locked it for {wait:g} s", str(path))
        sleep(uniform(*_PAUSE))  # noqa: S311 - no secret


def try_lock(descriptor: int, *, alone: bool = True) -> bool:
    """Lock an open file until it is closed, exclusively (``alone``) or shared; False if another program holds it."""
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Presence:
    """The running programs marked in ``folder``, including this one once :meth:`own` was called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own: str | None = None
        self._descriptor = -1

    def own(self) -> str:
        """The name of this program; marks it as running for the others."""
        if self._own is None:
            self._sweep()
            name = uuid4().hex
            scratch = private_folder(self._folder) / f".{name}"
            descriptor = os.open(scratch, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                try_lock(descriptor)
                scratch.rename(
                    self._folder / name
                )  # locked before it gets its name, so it is not mistaken for a leftover
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
        if not name.isalnum():  # not a program's name: the reference is damaged
            return False
        try:
            descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            return not try_lock(descriptor, alone=False)  # shared, so concurrent checks do not block each other
        finally:
            os.close(descriptor)

    def _sweep(self) -> None:
        for path in self._folder.glob("[!.]*"):
            with suppress(FileNotFoundError):
                descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
                try:
                    if try_lock(descriptor):
                        path.unlink()
                finally:
                    os.close(descriptor)

    def close(self) -> None:
        """Mark this program as no longer active; safe to call twice."""
        name, self._own = self._own, None
        if name is not None:
            (self._folder / name).unlink(missing_ok=True)
            os.close(self._descriptor)
