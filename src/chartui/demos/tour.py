"""What a tour is: where it begins, and its steps of keys, captions, what is to be seen then, and pictures.

A tour is data. It is played in a terminal for somebody who looks on, recorded without one, and compared with the
pictures that were recorded before; :mod:`chartui.demos.tour_file` reads and writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

#: The profiles that a tour can begin on: the demo data, and a service in this process that holds the same characters.
STAGED: Final = ("demo", "staging")

#: Seconds that a step stays in sight: so many whatever it says, and so many for every character of its caption.
_SEEN, _READ = 1.2, 0.055
#: Seconds for a step that says nothing.
_SILENT = 0.6


class Service(StrEnum):
    """How the service of a tour behaves."""

    HERE = "here"  # answers
    AWAY = "away"  # nobody takes a connection
    SILENT = "silent"  # takes requests and keeps every answer back, until it is here again
    FAILING = "failing"  # answers every request with a failure of its own


class Press(NamedTuple):
    """A key, in the framework's words."""

    key: str


class Perform(NamedTuple):
    """A command by its id: the key that it has on the screen in front."""

    command: str


class Text(NamedTuple):
    """Text, typed key by key or ``pasted`` whole."""

    text: str
    pasted: bool = False


Action = Press | Perform | Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is done, and what is to be seen then.

    ``wait`` lets so many seconds of the tour's time go by, ``latency`` is how many each answer of the service takes
    from now on. ``expect`` must be on the screen in the end, ``gone`` must not. ``picture`` names what is recorded.
    ``pause`` is in seconds, None leaves it to the length of the caption.
    """

    actions: tuple[Action, ...] = ()
    caption: str = ""
    service: Service | None = None
    latency: float | None = None
    wait: float = 0
    expect: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    picture: str = ""
    pause: float | None = None

    @property
    def seen_for(self) -> float:
        """Seconds that it stays in sight at the usual speed."""
        if self.pause is not None:
            return self.pause
        return _SEEN + _READ * len(self.caption) if self.caption else _SILENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """A tour called ``name``.

    ``size`` is the window it was made for, in columns and lines; ``speed`` how many times faster than usual it is
    played; ``characters`` how many made-up characters there are beside the demo data.
    """

    name: str
    title: str = ""
    about: str = ""
    size: tuple[int, int] = (80, 24)
    speed: float = 1.0
    profile: str = "demo"
    screen: str = "estimator"
    theme: str | None = None
    read_only: bool = False
    characters: int = 0
    steps: tuple[Step, ...] = ()

    @property
    def pictures(self) -> tuple[str, ...]:
        return tuple(step.picture for step in self.steps if step.picture)
