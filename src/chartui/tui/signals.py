"""What the system and the shell ask of the program: to leave in order, or to stop for a while."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial

__all__ = ["heed", "stop_the_group"]


def heed(leave: Callable[[signal.Signals], None]) -> None:
    """Call ``leave`` with each signal that asks the program to end, on the running loop of the main thread."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        loop.add_signal_handler(number, partial(leave, number))


def stop_the_group(*, first: Callable[[], None]) -> bool:
    """Do ``first``, and stop until the shell continues the program; False, with nothing done, where no shell could."""
    # In the group of the session's first process there is no shell that could continue a stopped program.
    if sys.platform == "win32" or os.getpgrp() == os.getsid(0):
        return False
    first()
    # The whole group: a script that started the program stops with it, or the shell would wait for the script.
    os.killpg(os.getpgrp(), signal.SIGTSTP)
    return True
