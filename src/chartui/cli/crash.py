"""When the program itself is at fault: a short message, and a report in a file of the user's own."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

from chartui.cli.errors import Exit, Failure

__all__ = ["failure_after_crash"]


def failure_after_crash(error: BaseException) -> Failure:
    """Write a report about ``error`` and say where it is.

    Neither the message nor the report shows local variables, and so no key.
    """
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
