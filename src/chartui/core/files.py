"""Read the program's own files, and files named by the user.

Every read has a size limit. Some files must be trustworthy, because they can make the program run a command (to fetch
an API key) or send an API key to an address. As with ssh, such a file is accepted only if the current user and root are
the only users who can change or replace it.
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
    """Raised if others can change a trusted file.

    ``strerror`` says who can change the file, through which path, and which ``chmod`` command prevents it.
    """


def check_safe(path: Path) -> None:
    """Raise :class:`UnsafeFile` if others can change or replace the file, or ``OSError`` if it is missing."""
    found = dangers(path)
    if found:
        raise UnsafeFile(0, "; ".join(found), str(path))


def dangers(path: Path) -> tuple[str, ...]:
    """Return phrases that say how other users can change or replace ``path``, a file or folder, and how to prevent it.

    ``path`` is checked, and so is every folder above it and above the target of a link. In a folder with the sticky
    bit, such as ``/tmp``, users cannot replace each other's files. Raises ``OSError`` if ``path`` or one of these
    folders cannot be examined.
    """
    seen: dict[Path, None] = {}
    for end in (Path(os.path.realpath(path)), Path(os.path.abspath(path))):
        seen |= dict.fromkeys((end, *end.parents))
    return tuple(danger for one in seen for danger in _dangers_of(one))


def _dangers_of(path: Path) -> Iterator[str]:
    found = path.stat()
    if found.st_uid not in (0, os.geteuid()):
        yield f"{path} belongs to another user (uid {found.st_uid}); replace it with a copy that you own"
        return
    if stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX:
        return
    group = bool(found.st_mode & stat.S_IWGRP) and not _is_private(found.st_gid)
    others = bool(found.st_mode & stat.S_IWOTH)
    if group or others:
        who = "others" if others else f"members of the group with gid {found.st_gid}"
        letters = "go" if found.st_mode & stat.S_IWGRP and others else "o" if others else "g"
        yield f"{who} can write to {path}; run: chmod {letters}-w {shlex.quote(str(path))}"


def _is_private(gid: int) -> bool:
    """Return whether a group has no members but this user and root, like the private groups of many systems."""
    import grp
    import pwd

    try:
        names = set(grp.getgrgid(gid).gr_mem)
    except KeyError:  # the members of the group cannot be determined
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
    """Read one of the program's own files, with a size limit of ``most`` bytes.

    Only a regular file is accepted, because reading a pipe could block and reading a device might never end. Raises
    ``OSError`` if the file cannot be read, is not a regular file, or is too large.
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
    """Read a trusted file, which can make the program run a command or send an API key.

    This function works like :func:`read_own`, but raises :class:`~chartui.core.files.UnsafeFile` if others can change
    the file.
    """
    data = read_own(path, most)
    check_safe(path)
    return data


def read_named(path: Path, most: int) -> bytes:
    """Read a file named by the user, with a size limit of ``most`` bytes.

    If the file is a pipe, wait for data. Raises ``OSError`` if the file cannot be read or is too large.
    """
    with naming(path), path.open("rb") as file:
        return _capped(file.read(most + 1), most)


def read_stdin(most: int) -> bytes:
    """Read all of standard input.

    The result is empty if there is no input. Raises ``OSError`` if the input is longer than ``most`` bytes.
    """
    return _capped(sys.stdin.buffer.read(most + 1), most) if sys.stdin is not None else b""


def _capped(data: bytes, most: int) -> bytes:
    if len(data) <= most:
        return data
    size, unit = next(((size, unit) for size, unit in _UNITS if most % size == 0), (1, "bytes"))
    raise OSError(errno.EFBIG, f"the file is larger than {most // size} {unit}")
