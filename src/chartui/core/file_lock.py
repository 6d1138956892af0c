"""Change a file that several programs rewrite.

Lock the file, read it again, and replace it as a whole. If two programs each read a file, change their copy and write
it back, one of the changes is lost. The lock is therefore taken before the file is read, and released after it is
replaced.

The lock is a ``flock`` on a separate file next to the protected one (``.profiles.toml.lock``). Every change replaces
the protected file, so a lock on the file itself would soon apply to a deleted file. For the same reason, the lock file
is never removed. The operating system releases the lock even if a program crashes.

Locks also show which programs are running, because each program locks a file of its own (:class:`Presence`).
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

#: Seconds to wait for another program, which normally holds the lock for milliseconds only.
_WAIT: Final = 10.0
#: The range of the random time between two tries, in seconds. It is random so that waiting programs do not retry at the
#: same moments.
_PAUSE: Final = (0.001, 0.02)


@contextmanager
def locked(path: Path, *, wait: float = _WAIT) -> Iterator[Path]:
    """Keep other programs and threads from changing ``path``, a file or folder.

    Yields the path of the file to replace. If ``path`` is a symbolic link, its target is locked and yielded. The link
    is therefore kept, and programs that use different links exclude each other. The parent folder is created if needed.
    Never nest two locks on the same path, because the inner lock would wait until it times out.

    Raises an ``OSError`` that names ``path``: a ``TimeoutError`` if the lock could not be acquired within ``wait``
    seconds, or another error if locking is impossible, for example in a read-only folder.
    """
    target = Path(os.path.realpath(path))
    lock = target.with_name(f".{target.name}.lock")
    try:
        private_folder(target.parent)
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise OSError(error.errno, f"lock file {lock.name}: {error.strerror}", str(path)) from None
    try:
        _take(descriptor, path, wait)
        yield target
    finally:
        os.close(descriptor)


def rewrite(path: Path, content: Callable[[], bytes | None], *, wait: float = _WAIT) -> None:
    """Replace ``path`` with new content under a lock.

    ``content`` is a function that reads the file again and returns the new content. If ``content`` returns None, the
    file stays unchanged. After a crash, the file contains either the complete old or the complete new content. Only the
    file's owner can read it. Raises ``OSError`` if the file cannot be locked or written, and passes on any error
    that ``content`` raises. If an error is raised, the file stays unchanged.
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
        except OSError as error:  # the file system does not support locks
            raise OSError(error.errno, f"the file cannot be locked: {error.strerror}", str(path)) from None
        # The machine's clock is used instead of :mod:`chartui.core.clock`, because the wait must also end in tours and
        # tests.
        if monotonic() >= end:
            raise TimeoutError(errno.ETIMEDOUT, f"another program has kept the file locked for {wait:g} s", str(path))
        sleep(uniform(*_PAUSE))  # noqa: S311 - no secret


def try_lock(descriptor: int, *, alone: bool = True) -> bool:
    """Lock an open file until it is closed.

    The lock is exclusive if ``alone`` is true. Otherwise, it is shared with other readers. Returns False if another
    program holds a conflicting lock.
    """
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Presence:
    """Shows which programs are running. Each running program has a lock file in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own: str | None = None
        self._descriptor = -1

    def own(self) -> str:
        """Mark this program as running. Returns the name of its lock file."""
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
        """Return whether the program with the lock file ``name`` is still running."""
        if name == self._own:
            return True
        if not name.isalnum():  # not the name of a program's file, so the reference is damaged
            return False
        try:
            descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            # a shared lock, so that concurrent checks do not block each other
            return not try_lock(descriptor, alone=False)
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
        """Mark this program as no longer running. Calling this twice is safe."""
        name, self._own = self._own, None
        if name is not None:
            (self._folder / name).unlink(missing_ok=True)
            os.close(self._descriptor)
