"""Making what lasts, without looking through it for garbage again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_making = 0


@contextmanager
def lasting() -> Iterator[None]:
    """Collect no garbage while something large is made.

    Its objects are no garbage yet, and there are many looks at them while their number grows: with ten thousand
    sections each takes a tenth of a second in which no key is answered. Afterwards they are looked at hardly ever.
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
    """Collect garbage from now on, but never among what the start has made: it stays.

    To be called once: what is left out this way and becomes garbage in a circle is never freed.
    """
    gc.freeze()
    if not _making:
        gc.enable()
