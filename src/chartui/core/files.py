"""Reading files: the program's own, and those that its user names. Nothing is read without a limit."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from chartui.core.paths import NOT_REGULAR, naming

__all__ = ["Reading", "read_named", "read_obeyed", "read_own", "read_stdin"]

#: Reads a file of at most so many bytes; raises ``OSError``.
Reading = Callable[[Path, int], bytes]

_UNITS: Final = ((1024 * 1024, "MiB"), (1024, "KiB"))


def read_own(path: Path, most: int) -> bytes:
    """A file of the program's own, of at most ``most`` bytes.

    Raises ``OSError``, also for what is not a regular file: a pipe would keep the program waiting, a device has no end.
    """
    with naming(path):
        # Without O_NONBLOCK opening a pipe would wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, NOT_REGULAR)
            with open(descriptor, "rb", closefd=False) as file:
                return _capped(file.read(most + 1), most)
        finally:
            os.close(descriptor)


def read_obeyed(path: Path, most: int) -> bytes:
    """As :func:`read_own`, for a file that can make the program run a command or send a key.

    Raises :class:`~chartui.core.permissions.UnsafeFile` for one that others can change, and ``OSError``.
    """
    from chartui.core.permissions import check_safe

    data = read_own(path, most)
    check_safe(path)
    return data


def read_named(path: Path, most: int) -> bytes:
    """A file that the user named, of at most ``most`` bytes; a pipe is waited for. Raises ``OSError``."""
    with naming(path), path.open("rb") as file:
        return _capped(file.read(most + 1), most)


def read_stdin(most: int) -> bytes:
    """Standard input to its end, at most ``most`` bytes; empty where there is none. Raises ``OSError``."""
    return _capped(sys.stdin.buffer.read(most + 1), most) if sys.stdin is not None else b""


def _capped(data: bytes, most: int) -> bytes:
    if len(data) <= most:
        return data
    size, unit = next(((size, unit) for size, unit in _UNITS if most % size == 0), (1, "bytes"))
    raise OSError(errno.EFBIG, f"it is larger than {most // size} {unit}")
