"""How a command ends: exit statuses, error messages, and crash reports."""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Final

from chartui import __version__
from chartui.core.classes import NamedTuple
from chartui.core.names import shortened
from chartui.core.spec.errors import ErrorKind, ServiceError


class Exit(IntEnum):
    """The exit statuses of the program; a signal ends it with 128 and the signal's number."""

    DONE = 0
    NO = 1  # differences, problems, or nothing found
    USAGE = 2  # usage, configuration, or refused before anything was sent
    REFUSED = 3  # refused by the service, or the service cannot be reached
    KEY = 4  # the API key or its tier
    STORE = 5  # the store is broken or busy, or the disk cannot be written
    CRASH = 70
    CLOSED_PIPE = 141  # 128 + SIGPIPE


class UsageError(Exception):
    """The command cannot run as given; nothing was sent. ``code`` names the error for programs.

    ``lines`` are the mistakes in a file, if the message is about them.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "usage",
        exit: Exit = Exit.USAGE,  # noqa: A002
        lines: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.exit = exit
        self.lines = tuple(lines)

    @classmethod
    def of(cls, error: ValueError, *, code: str = "configuration") -> UsageError:
        from chartui.core.tables import BadFile

        return cls(str(error), code=code, lines=error.lines if isinstance(error, BadFile) else ())


class Failure(NamedTuple):
    """The reason why a command failed: for people (``message``), for programs (``code``), and as an exit status.

    ``http_status`` is the service's, if it gave one. ``retryable`` means that the same command may succeed later and
    that the failed attempt certainly changed nothing. ``answer`` is the text of an unreadable answer; ``lines`` are the
    mistakes in a file, with its name and line numbers.
    """

    exit: Exit
    code: str
    message: str
    http_status: int | None = None
    retryable: bool = False
    answer: str = ""
    lines: tuple[str, ...] = ()


#: Every other kind is a refusal or failure of the service.
_EXITS: Final = {
    **dict.fromkeys((ErrorKind.NO_KEY, ErrorKind.BAD_KEY, ErrorKind.TIER), Exit.KEY),
    **dict.fromkeys((ErrorKind.READ_ONLY, ErrorKind.UNCONFIRMED), Exit.USAGE),
    **dict.fromkeys((ErrorKind.NOT_AVAILABLE, ErrorKind.UNSAFE), Exit.USAGE),
    **dict.fromkeys((ErrorKind.BUSY, ErrorKind.BROKEN), Exit.STORE),
}
_PASSING: Final = frozenset({ErrorKind.UNREACHABLE, ErrorKind.TIMEOUT, ErrorKind.RATE_LIMITED, ErrorKind.BUSY})


#: Failures of the disk, whichever file is used.
_OF_THE_DISK: Final = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EIO: "the disk reports an error",
}


def is_of_the_disk(error: OSError) -> bool:
    """Whether ``error`` comes from the disk and not from the file that was named."""
    return error.errno in _OF_THE_DISK


def failure_of(error: UsageError | ServiceError | OSError) -> Failure:
    if isinstance(error, OSError):
        reason = _OF_THE_DISK.get(error.errno or 0)
        what = error.filename or "a file"
        # A file is written beside the old one and renamed once it is complete.
        written = f"{what} cannot be written: {reason}. The file is unchanged."
        used = f"{what} cannot be used: {error.strerror}."
        return Failure(exit=Exit.STORE, code="disk", message=written if reason else used)
    if isinstance(error, UsageError):
        return Failure(exit=error.exit, code=error.code, message=str(error), lines=error.lines)
    return Failure(
        exit=_EXITS.get(error.kind, Exit.REFUSED),
        code=error.kind.value,
        message=shortened(error.message),
        http_status=error.status,
        retryable=error.kind in _PASSING and error.sent != "unclear",
        answer=error.answer,
    )


def failure_after_crash(error: BaseException) -> Failure:
    """Write a crash report and return the failure. Neither shows local variables, and therefore no API key."""
    try:
        place = f"report written to {_write_report(error)}"
    except OSError as failure:
        place = f"no report could be written ({failure.strerror})"
    return Failure(exit=Exit.CRASH, code="crash", message=f"internal error ({type(error).__name__}); {place}")


def _write_report(error: BaseException) -> Path:
    from chartui.core.clock import system_clock
    from chartui.core.credentials import without_keys
    from chartui.core.paths import data_dir, write_private

    moment = system_clock()
    lines = [f"chartui {__version__}, {moment.isoformat(timespec='seconds')}\n", *traceback.format_exception(error)]
    # A library may quote its input in a message.
    report = without_keys("".join(lines))
    path = data_dir() / "logs" / f"crash-{moment:%Y%m%dT%H%M%S}-{os.getpid()}.log"
    write_private(path, report.encode("utf-8", "backslashreplace"))
    return path
