"""The one way to change a file that several programs rewrite: locked, read again, replaced as a whole.

Two programs that each read a file, change their copy and write it back lose one of the two changes. So the lock is
taken before the file is read and released after it is replaced.

The lock is ``flock`` on a file of its own beside the file it stands for (``.profiles.toml.lock``): the file itself is
replaced by every change, so a lock on it would be a lock on a name that already belongs to another file. For the same
reason the lock file stays where it is. The system releases the lock whichever way a program ends.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import uniform
from time import monotonic, sleep
from typing import Final

from chartui.core.paths import private_folder, write_private

__all__ = ["WAIT", "locked", "rewrite"]

#: Seconds to wait for another program, which needs the lock for milliseconds.
WAIT: Final = 10.0
#: Seconds between two tries, random so that programs that wait for each other do not keep step.
_PAUSE: Final = (0.001, 0.02)


@contextmanager
def locked(path: Path, *, wait: float = WAIT) -> Iterator[Path]:
    """Keep other programs, and other threads, from changing ``path`` (a file or a folder); gives the file to replace.

    That is the file a symbolic link leads to, so the link stays and programs that come by different links exclude each
    other. The folder is created if needed. Never nest two locks of one path: the inner one would wait in vain. Raises
    ``OSError`` naming ``path``: ``TimeoutError`` if the lock was not free within ``wait`` seconds, others if there can
    be no lock, such as in a folder that is read-only.
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


def rewrite(path: Path, content: Callable[[], bytes | None], *, wait: float = WAIT) -> None:
    """Replace ``path`` by ``content()``, which is called under the lock and has to read the file again.

    None leaves the file as it is. After a crash the file holds the old or the new content, whole, and only its owner
    can read it. Raises ``OSError`` as :func:`locked` does, and what ``content`` raises; nothing is written then.
    """
    with locked(path, wait=wait) as target:
        data = content()
        if data is not None:
            write_private(target, data)


def _take(descriptor: int, path: Path, wait: float) -> None:
    import fcntl

    end = monotonic() + wait
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pass
        except OSError as error:  # a file system without locks
            raise OSError(error.errno, f"it cannot be locked: {error.strerror}", str(path)) from None
        else:
            return
        if monotonic() >= end:  # not the injected clock: the wait ends for a tour and a test as well
            raise TimeoutError(errno.ETIMEDOUT, f"another program has had it locked for {wait:g} s", str(path))
        sleep(uniform(*_PAUSE))  # noqa: S311 - no secret
