"""Creating long-lived objects without scanning them for garbage again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_making = 0


@contextmanager
def lasting() -> Iterator[None]:
    """Collect no garbage while something large is created.

    Its objects are not garbage yet, and they would be scanned often while their number grows: with ten thousand
    sections each scan takes a tenth of a second in which no key is handled. Afterwards they are rarely scanned.
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
    """Collect garbage from now on, but skip what the start has created: it stays.

    Call it once: skipped objects that become garbage in a cycle are never freed.
    """
    gc.freeze()
    if not _making:
        gc.enable()
