"""How a command ends: exit statuses, what is said about a failure, and the report of a crash."""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final

from chartui.core.names import shortened
from chartui.core.spec.errors import ErrorKind, ServiceError


class Exit(IntEnum):
    """The exit statuses of the program; a signal ends it with 128 and the signal's number."""

    DONE = 0
    NO = 1  # the question was answered, and the answer is no
    USAGE = 2  # usage, configuration, or refused before anything was sent
    REFUSED = 3  # refused by the service, or the service cannot be reached
    KEY = 4  # the key or its tier
    STORE = 5  # the store is broken or busy, or the disk takes nothing
    CRASH = 70
    CLOSED_PIPE = 141  # as if the signal of a closed pipe had ended the program


class UsageError(Exception):
    """The command cannot be carried out as given; nothing was sent. ``code`` is the machine's word for it.

    ``lines`` are the mistakes in a file, where the message is of those.
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
        """What stands for ``error``, which may be the mistakes in a file."""
        from chartui.core.tables import BadFile

        return cls(str(error), code=code, lines=error.lines if isinstance(error, BadFile) else ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a command failed: for a person, for a program (``code``), and as exit status.

    ``http_status`` is the service's, when it gave one. ``retryable`` says that the same command may succeed later and
    that the failed try surely changed nothing. ``answer`` is the text of an answer that could not be read; ``lines``
    are the mistakes in a file, with its name and their lines.
    """

    exit: Exit
    code: str
    message: str
    http_status: int | None = None
    retryable: bool = False
    answer: str = ""
    lines: tuple[str, ...] = ()


#: What is not here is a refusal or a failure of the service.
_EXITS: Final = {
    ErrorKind.NO_KEY: Exit.KEY,
    ErrorKind.BAD_KEY: Exit.KEY,
    ErrorKind.TIER: Exit.KEY,
    ErrorKind.READ_ONLY: Exit.USAGE,
    ErrorKind.UNCONFIRMED: Exit.USAGE,
    ErrorKind.NOT_AVAILABLE: Exit.USAGE,
    ErrorKind.UNSAFE: Exit.USAGE,
    ErrorKind.BUSY: Exit.STORE,
    ErrorKind.BROKEN: Exit.STORE,
}
_PASSING: Final = frozenset({ErrorKind.UNREACHABLE, ErrorKind.TIMEOUT, ErrorKind.RATE_LIMITED, ErrorKind.BUSY})


#: What a disk refuses, whatever the program asks of it.
_OF_THE_DISK: Final = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EIO: "the disk reports an error",
}


def is_of_the_disk(error: OSError) -> bool:
    """Whether ``error`` is the disk's and not that of the file that was asked for."""
    return error.errno in _OF_THE_DISK


def failure_of(error: UsageError | ServiceError | OSError) -> Failure:
    if isinstance(error, OSError):
        reason = _OF_THE_DISK.get(error.errno or 0)
        what = error.filename or "a file"
        # A file is written beside the old one, and takes its name when it is complete.
        written = f"{what} cannot be written: {reason}; the file is as it was."
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
    """Neither the message nor the report shows local variables, and so no key."""
    try:
        place = f"the report is in {_write_report(error)}"
    except OSError as failure:
        place = f"the report could not be written ({failure.strerror})"
    return Failure(
        exit=Exit.CRASH,
        code="crash",
        message=f"this is a fault of the program ({type(error).__name__}); {place}",
    )


def _write_report(error: BaseException) -> Path:
    from chartui import __version__
    from chartui.core.clock import system_clock
    from chartui.core.credentials import without_keys
    from chartui.core.paths import data_dir, write_private

    moment = system_clock()
    lines = [f"chartui {__version__}, {moment.isoformat(timespec='seconds')}\n", *traceback.format_exception(error)]
    # A library may put what it was given into its message.
    report = without_keys("".join(lines))
    path = data_dir() / "logs" / f"crash-{moment:%Y%m%dT%H%M%S}-{os.getpid()}.log"
    write_private(path, report.encode("utf-8", "backslashreplace"))
    return path
