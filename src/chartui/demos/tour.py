"""A tour: its start, and its steps of keys, captions, expected texts, and pictures.

A tour is data. It is played in a terminal for an audience, recorded without one, and compared with earlier recordings;
:mod:`chartui.demos.tour_file` reads and writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import NamedTuple, dataclass

if TYPE_CHECKING:
    from chartui.core.profiles import Profile

#: The profiles that a tour can start with: the demo data, a store of your own, and a service in this process.
STAGED: Final = ("demo", "local", "staging")

#: Seconds a step is shown: a base, plus an amount for every character of its caption.
_SEEN, _READ = 1.2, 0.055
#: Seconds for a step without a caption.
_SILENT = 0.6


class Service(StrEnum):
    """How the service of a tour behaves."""

    HERE = "here"  # answers
    AWAY = "away"  # refuses connections
    SILENT = "silent"  # accepts requests but holds back all answers until it is back
    FAILING = "failing"  # answers every request with an internal error


class Press(NamedTuple):
    """A key to press, by the framework's name."""

    key: str


class Perform(NamedTuple):
    """A command to perform, by its id. The tour presses its key on the active screen."""

    command: str


class Text(NamedTuple):
    """Text, typed key by key or ``pasted`` whole."""

    text: str
    pasted: bool = False


Action = Press | Perform | Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: its actions, and the text the screen must show.

    ``wait`` moves the tour's clock by this many seconds; ``latency`` is the time each answer of the service takes from
    now on. At the end, ``expect`` must be on the screen and ``gone`` must not. ``picture`` names the recording.
    ``pause`` is in seconds; None derives it from the length of the caption.
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
        """Seconds on the screen at normal speed."""
        if self.pause is not None:
            return self.pause
        return _SEEN + _READ * len(self.caption) if self.caption else _SILENT


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnProfile:
    """A profile of a tour's own, whose service behaves like ``service`` at first and takes ``latency`` seconds.

    ``table`` is how the file of the tour describes it.
    """

    profile: Profile
    service: Service = Service.HERE
    latency: float = 0.0
    table: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """A tour called ``name``.

    ``size`` is its window, in columns and lines, and ``more_sizes`` are others that it fits; ``speed`` multiplies the
    normal speed; ``characters`` is the number of generated characters in addition to the others. In a ``tutor`` the
    viewer presses the keys: each step waits for what it expects. ``bundles`` (files and folders) and ``store`` replace
    the demo data; like a ``theme`` that is a file, they are relative to the folder of ``file``, the tour's own
    (default: the current folder).
    """

    name: str
    title: str = ""
    about: str = ""
    size: tuple[int, int] = (80, 24)
    more_sizes: tuple[tuple[int, int], ...] = ()
    speed: float = 1.0
    profile: str | OwnProfile = "demo"
    bundles: tuple[str, ...] = ()
    store: str = ""
    screen: str = "estimator"
    theme: str | None = None
    read_only: bool = False
    tutor: bool = False
    characters: int = 0
    steps: tuple[Step, ...] = ()
    file: Path | None = field(default=None, compare=False)

    def path(self, name: str) -> Path:
        """The absolute path of a file that the tour names."""
        folder = self.file.parent if self.file is not None else Path()
        return Path.cwd() / folder / Path(name).expanduser()

    @property
    def needs_files(self) -> bool:
        return bool(self.bundles or self.store or self.has_own_theme)

    @property
    def has_own_theme(self) -> bool:
        return self.theme is not None and self.theme.endswith(".toml")

    @property
    def theme_name(self) -> str | None:
        return Path(self.theme).stem if self.theme is not None and self.has_own_theme else self.theme

    @property
    def sizes(self) -> tuple[tuple[int, int], ...]:
        return (self.size, *self.more_sizes)

    @property
    def windows(self) -> str:
        return ", ".join(f"{columns}x{lines}" for columns, lines in self.sizes)

    def in_each_size(self) -> tuple[Tour, ...]:
        """The tour in its own size, and in all others."""
        return (self, *(replace(self, size=size) for size in self.more_sizes))

    @property
    def folder(self) -> str:
        """The folder of the pictures, below that of all tours. Sizes after the first have folders of their own."""
        columns, lines = self.size
        return f"{self.name}/{columns}x{lines}" if self.size in self.more_sizes else self.name

    @property
    def pictures(self) -> tuple[str, ...]:
        return tuple(step.picture for step in self.steps if step.picture)
