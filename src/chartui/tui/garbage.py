"""Creating long-lived objects without repeated garbage-collection scans."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_making = 0


@contextmanager
def lasting() -> Iterator[None]:
    """Pause garbage collection while something large is created.

    Its objects are not garbage, but would be scanned often while their number grows: with ten thousand sections each
    scan takes a tenth of a second in which no key is handled. Afterwards they are rarely scanned.
    """
    global _making
    _making += 1
    gc.disable()
    try:
        yield
    finally:
        _making -= 1
        if not _making:
            gc.enable()


def collect_again() -> None:
    """Collect garbage from now on, but skip the objects created at startup: they stay.

    Call it once: skipped objects that become garbage in a cycle are never freed.
    """
    gc.freeze()
    if not _making:
        gc.enable()
