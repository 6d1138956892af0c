"""Time and identifiers, injected where needed so that tests and demos repeat exactly."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from random import Random
from typing import NamedTuple

#: Returns the current time, with its zone.
Clock = Callable[[], datetime]
#: Returns a new identifier at every call.
Ids = Callable[[], str]
#: Returns seconds on a clock that never jumps; for durations and deadlines.
Monotonic = Callable[[], float]


class Source(NamedTuple):
    """The default source of time and identifiers: the machine, or a tour."""

    clock: Clock = lambda: datetime.now(UTC)
    ids: Ids = lambda: str(uuid.uuid4())
    ticks: Monotonic = time.monotonic


_source = Source()


@contextmanager
def taken_from(source: Source) -> Iterator[None]:
    """Let the three functions below use ``source`` during the block, so a whole program repeats exactly."""
    global _source
    before, _source = _source, source
    try:
        yield
    finally:
        _source = before


def monotonic() -> float:
    """Seconds on the machine's monotonic clock."""
    return _source.ticks()


def system_clock() -> datetime:
    """The machine's clock, in UTC."""
    return _source.clock()


def random_ids() -> str:
    """A random identifier in the form the service uses (a UUID in lower case)."""
    return _source.ids()


def seeded_ids(seed: int | str) -> Ids:
    """Identifiers that look random but are the same for the same seed."""
    random = Random(seed)  # noqa: S311 - repeatability is the point, nothing secret is made here
    return lambda: str(uuid.UUID(int=random.getrandbits(128), version=4))


def timestamp(moment: datetime) -> str:
    """A creation time as the service writes it: ISO 8601 in UTC, without a zone, to the second (C 2.2)."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def age_text(seconds: float) -> str:
    """An age in words, so coarse that the text seldom changes."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return "less than a minute ago"
