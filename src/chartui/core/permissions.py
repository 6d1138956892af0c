"""Who may change a file that this program obeys.

Such a file can make it run a command (the source of an API key) or send a key to an address. As with the files of
ssh, it counts only if nobody but its owner and root can write it, or put another in its place.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

__all__ = ["UnsafeFile", "check_safe", "dangers"]


class UnsafeFile(PermissionError):
    """Others can change a file that is obeyed; ``strerror`` says who, where, and which ``chmod`` helps."""


def check_safe(path: Path) -> None:
    """Raise :class:`UnsafeFile` for a file that others can change or replace, ``OSError`` for one that is missing."""
    found = dangers(path)
    if found:
        raise UnsafeFile(0, "; ".join(found), str(path))


def dangers(path: Path) -> tuple[str, ...]:
    """The ways in which others can change ``path``, a file or folder, or put another in its place; each with its cure.

    Looked at are ``path``, every folder above it, and every folder above the file that a link leads to. A folder with
    the sticky bit, such as ``/tmp``, lets nobody replace files of another user. Raises ``OSError``.
    """
    seen: dict[Path, None] = {}
    for end in (Path(os.path.realpath(path)), Path(os.path.abspath(path))):
        seen |= dict.fromkeys((end, *end.parents))
    return tuple(danger for one in seen for danger in _dangers_of(one))


def _dangers_of(path: Path) -> Iterator[str]:
    found = path.stat()
    if found.st_uid not in (0, os.geteuid()):
        yield f"{path} belongs to another user (uid {found.st_uid}); put a copy of your own in its place"
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
    """Whether a group has no member but this user and root, as the group of their own that many systems give users."""
    import grp
    import pwd

    try:
        names = set(grp.getgrgid(gid).gr_mem)
    except KeyError:  # who belongs to it cannot be found out
        return False
    names |= {user.pw_name for user in pwd.getpwall() if user.pw_gid == gid}
    try:
        own = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return False
    return names <= {own, "root"}
