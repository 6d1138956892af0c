"""Creating long-lived objects without repeated garbage-collection scans."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

#: Objects made at a time that are excluded from later scans. A story of 300 sections has fewer.
_MANY: Final = 10_000
_making = 0


@contextmanager
def lasting() -> Iterator[None]:
    """Pause garbage collection while something large is created.

    Its objects are not garbage, but would be scanned often while their number grows: with ten thousand sections each
    scan takes a tenth of a second in which no key is handled. Once made, a large number of objects is never scanned:
    they contain no cycles, so each is freed when it is no longer used.
    """
    global _making
    _making += 1
    gc.disable()
    try:
        yield
    finally:
        _making -= 1
        if not _making:
            # This also excludes the present widgets. It is not done after small things, which are made all the time,
            # so that few removed widgets stay in memory.
            if gc.get_count()[0] > _MANY:
                gc.freeze()
            gc.enable()


def collect_again() -> None:
    """Collect garbage from now on, but skip the objects created at startup: they stay.

    Do nothing if garbage is being collected already: skipped objects that become garbage in a cycle are never freed.
    """
    if gc.isenabled():
        return
    gc.freeze()
    if not _making:
        gc.enable()
