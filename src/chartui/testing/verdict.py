"""The verdict on a tour: how its pictures differ from the stored ones, and what a report shows of that."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from chartui.core.classes import NamedTuple, dataclass
from chartui.demos.tour_file import BESIDE

if TYPE_CHECKING:
    from chartui.demos.tour import Tour
    from chartui.tui.tour.record import Picture

#: The folder of the pictures, next to the file that takes them.
PICTURES: Final = BESIDE


class Drawn(NamedTuple):
    """A picture as SVG and as text."""

    svg: str
    text: str


class Pair(NamedTuple):
    """A picture as it is stored and as the program draws it now; None if there is none."""

    name: str
    expected: Drawn | None
    actual: Drawn | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of a tour: why it failed, what was on the screen then, and which pictures differ or were updated.

    ``kept`` says that the pictures were to be updated, but the tour failed.
    """

    tour: str
    problems: tuple[str, ...] = ()
    screen: str = ""
    pairs: tuple[Pair, ...] = ()
    updated: bool = False
    kept: bool = False

    def __str__(self) -> str:
        lines = [*self.problems]
        if self.screen:
            lines += ["", self.screen]
        elif lines:
            lines.append("--chartui-report FILE shows the pictures; --chartui-update replaces them.")
        return "\n".join(lines)


#: The verdicts of a test so far.
VERDICTS: Final = pytest.StashKey[list[Verdict]]()


def note(item: pytest.Item, verdict: Verdict, *, pytrace: bool = False) -> None:
    """Keep a verdict for the report, and fail the test if the tour failed; ``pytrace`` shows the line of the test."""
    __tracebackhide__ = True
    item.stash.setdefault(VERDICTS, []).append(verdict)
    if verdict.problems:
        pytest.fail(str(verdict), pytrace=pytrace)


def judge(
    tour: Tour,
    pictures: Iterable[Picture],
    folder: Path,
    *,
    update: bool,
    failures: tuple[str, ...] = (),
    screen: str = "",
) -> Verdict:
    """Compare the pictures of ``tour`` with those below ``folder``, or replace them. Raises ``OSError``.

    ``failures`` are steps that failed, with the ``screen`` at the first. They keep all pictures from being replaced.
    """
    from chartui.tui.tour.record import differences, write_pictures

    pictures = tuple(pictures)
    problems = (*failures, *differences(tour, pictures, folder))
    if not problems:
        return Verdict(tour=tour.folder)
    pairs = tuple(_pairs(tour, pictures, folder / tour.folder))
    if failures or not update:
        kept = update and bool(tour.pictures)
        return Verdict(tour=tour.folder, problems=problems, screen=screen, pairs=pairs, kept=kept)
    write_pictures(tour, pictures, folder)
    return Verdict(tour=tour.folder, pairs=pairs, updated=True)


def _pairs(tour: Tour, pictures: tuple[Picture, ...], place: Path) -> Iterable[Pair]:
    now = {picture.name: Drawn(picture.svg, picture.text) for picture in pictures}
    left_over = [path.stem for path in sorted(place.glob("*.svg")) if path.stem not in tour.pictures]
    for name in (*now, *left_over):
        before = _stored(place / name)
        if before != now.get(name):
            yield Pair(name, before, now.get(name))


def _stored(path: Path) -> Drawn | None:
    with suppress(OSError, UnicodeDecodeError):
        # Bytes, since a screen's lines must not be changed by reading them.
        svg, text = (path.with_suffix(suffix).read_bytes().decode() for suffix in (".svg", ".txt"))
        return Drawn(svg, text)
    return None
