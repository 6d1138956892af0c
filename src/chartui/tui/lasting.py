"""Making what lasts, without looking through it for garbage again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collect_again", "lasting"]

_making = 0


@contextmanager
def lasting() -> Iterator[None]:
    """Collect no garbage while a large answer is read, and never look through what it has left behind.

    Each look at the records of ten thousand characters takes a tenth of a second in which no key is obeyed, and there
    are many while they are made. They hold no cycles, so they go when nobody has them any more.
    """
    global _making
    _making += 1
    gc.disable()
    try:
        yield
    finally:
        _making -= 1
        collect_again()


def collect_again() -> None:
    """Collect garbage from now on, but never among what is there; not yet where something large is being made."""
    if not _making:
        gc.freeze()
        gc.enable()
