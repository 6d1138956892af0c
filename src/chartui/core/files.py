"""Reading files: the program's own, and those named by the user. Every read has a limit.

A file that the program obeys can make it run a command (the source of an API key) or send an API key to an address. As
with ssh, it is accepted only if no one but its owner and root can write or replace it.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from chartui.core.paths import NOT_REGULAR, naming


class UnsafeFile(PermissionError):
    """A file that the program obeys can be changed by others; ``strerror`` says by whom, where, and which ``chmod``
    helps.
    """


def check_safe(path: Path) -> None:
    """Raise :class:`UnsafeFile` for a file that others can change or replace, ``OSError`` for one that is missing."""
    found = dangers(path)
    if found:
        raise UnsafeFile(0, "; ".join(found), str(path))


def dangers(path: Path) -> tuple[str, ...]:
    """The ways in which others can change or replace ``path``, a file or folder; each with its fix.

    Checks ``path``, every folder above it, and every folder above the target of a link. A folder with the sticky bit,
    such as ``/tmp``, keeps users from replacing each other's files. Raises ``OSError``.
    """
    seen: dict[Path, None] = {}
    for end in (Path(os.path.realpath(path)), Path(os.path.abspath(path))):
        seen |= dict.fromkeys((end, *end.parents))
    return tuple(danger for one in seen for danger in _dangers_of(one))


def _dangers_of(path: Path) -> Iterator[str]:
    found = path.stat()
    if found.st_uid not in (0, os.geteuid()):
        yield f"{path} belongs to another user (uid {found.st_uid}); replace it with a copy of your own"
        return
    if stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX:
        return
    group = bool(found.st_mode & stat.S_IWGRP) and not _is_private(found.st_gid)
    others = bool(found.st_mode & stat.S_IWOTH)
    if group or others:
        who = "others" if others else f"the members of its group (gid {found.st_gid})"
        letters = "go" if found.st_mode & stat.S_IWGRP and others else "o" if others else "g"
        yield f"{who} can write to {path}; run: chmod {letters}-w {shlex.quote(str(path))}"


def _is_private(gid: int) -> bool:
    """Whether a group has no members but this user and root, like the private groups of many systems."""
    import grp
    import pwd

    try:
        names = set(grp.getgrgid(gid).gr_mem)
    except KeyError:  # its members cannot be determined
        return False
    names |= {user.pw_name for user in pwd.getpwall() if user.pw_gid == gid}
    try:
        own = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return False
    return names <= {own, "root"}


#: Reads a file of limited size in bytes; raises ``OSError``.
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
    """Like :func:`read_own`, for a file that can make the program run a command or send an API key.

    Raises :class:`~chartui.core.files.UnsafeFile` if others can change it, and ``OSError``.
    """
    data = read_own(path, most)
    check_safe(path)
    return data


def read_named(path: Path, most: int) -> bytes:
    """A file that the user named, of at most ``most`` bytes; a pipe is waited for. Raises ``OSError``."""
    with naming(path), path.open("rb") as file:
        return _capped(file.read(most + 1), most)


def read_stdin(most: int) -> bytes:
    """Standard input to its end, at most ``most`` bytes; empty if there is none. Raises ``OSError``."""
    return _capped(sys.stdin.buffer.read(most + 1), most) if sys.stdin is not None else b""


def _capped(data: bytes, most: int) -> bytes:
    if len(data) <= most:
        return data
    size, unit = next(((size, unit) for size, unit in _UNITS if most % size == 0), (1, "bytes"))
    raise OSError(errno.EFBIG, f"it is larger than {most // size} {unit}")
