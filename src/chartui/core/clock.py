"""Functions that return the time and new identifiers. They can be replaced to make tests and demos reproducible."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from random import Random

from chartui.core.classes import NamedTuple

#: Returns the current time, with its time zone.
Clock = Callable[[], datetime]
#: Returns a new identifier at every call.
Ids = Callable[[], str]
#: Returns seconds on a clock that never jumps; for durations and deadlines.
Monotonic = Callable[[], float]


class Source(NamedTuple):
    """The source of time and identifiers.

    Normally, the source is the machine itself. During a tour, it is a reproducible source.
    """

    clock: Clock = lambda: datetime.now(UTC)
    ids: Ids = lambda: str(uuid.uuid4())
    ticks: Monotonic = time.monotonic


_source = Source()


@contextmanager
def taken_from(source: Source) -> Iterator[None]:
    """Make the functions of this module use ``source`` inside a ``with`` block, so that a whole run is reproducible."""
    global _source
    before, _source = _source, source
    try:
        yield
    finally:
        _source = before


def monotonic() -> float:
    """Return the time of the machine's monotonic clock in seconds."""
    return _source.ticks()


def system_clock() -> datetime:
    """Return the current time in UTC, from the machine's clock."""
    return _source.clock()


def random_ids() -> str:
    """Return a random identifier in the service's format (a lowercase UUID)."""
    return _source.ids()


def seeded_ids(seed: int | str) -> Ids:
    """Return a function that generates identifiers.

    The identifiers look random, but the same seed always gives the same identifiers.
    """
    random = Random(seed)  # noqa: S311 - repeatability is the point, nothing secret is made here
    return lambda: str(uuid.UUID(int=random.getrandbits(128), version=4))


def timestamp(moment: datetime) -> str:
    """Return a creation time in the service's format, ISO 8601 in UTC to the second, without a time zone (C 2.2)."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def age_text(seconds: float) -> str:
    """Describe an age in words, rounded so that the text rarely changes."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return "less than a minute ago"
