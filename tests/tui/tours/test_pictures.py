"""Every tour comes to its end, and its pictures in the documents are those that it shows now.

After a change that is meant, ``script/regenerate tours`` takes them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from chartui.demos.tour_file import PICTURES, find_tour, shipped_tours
from chartui.tui.tour.record import Picture
from chartui.tui.tour.run import recorded


@cache
def pictures_of(folder: str) -> dict[str, Picture]:
    """What a tour shows now in the size of this folder, played once for all of its tests."""
    [tour] = (each for each in find_tour(folder.partition("/")[0]).in_each_size() if each.folder == folder)
    return {picture.name: picture for picture in recorded(tour)}


def every() -> Iterator[tuple[str, str]]:
    for name in shipped_tours():
        for tour in find_tour(name).in_each_size():
            for picture in tour.pictures:
                yield tour.folder, picture


@pytest.mark.parametrize(("folder", "name"), every())
def test_a_picture_is_what_the_program_shows(folder: str, name: str) -> None:
    picture = pictures_of(folder)[name]
    file = PICTURES / folder / name
    assert picture.text == file.with_suffix(".txt").read_text(encoding="utf-8")
    same = picture.svg == file.with_suffix(".svg").read_text(encoding="utf-8")
    assert same, "The text is the same, colors or styles differ: chartui demo --record, then look at the SVG."


def test_there_are_no_other_pictures() -> None:
    wanted = {PICTURES / folder / f"{name}{suffix}" for folder, name in every() for suffix in (".svg", ".txt")}
    films = set(PICTURES.glob("*.svg"))  # test_films.py looks at them
    assert {path for path in PICTURES.rglob("*") if path.is_file()} - films == wanted
    assert {path.stem for path in films} <= set(shipped_tours())


def test_there_are_tours_for_everybody() -> None:
    assert set(shipped_tours()) >= {
        "sixty-seconds",
        "estimator-to-pareto",  # developers
        "support-look-up",  # support staff
        "give-a-demo",  # people who show a character
        "broken-graph",
        "offline-to-push",
        "service-comes-back",
    }
    for name in shipped_tours():
        tour = find_tour(name)
        assert set(tour.sizes) <= {(80, 24), (120, 40)}
        assert tour.steps[0].caption
    for name in ("sixty-seconds", "estimator-to-pareto", "support-look-up", "give-a-demo"):
        assert set(find_tour(name).sizes) == {(80, 24), (120, 40)}


def test_they_are_the_same_in_other_surroundings(demo_elsewhere: Callable[..., None], tmp_path: Path) -> None:
    """Drawn as in a terminal; this command is what people run."""
    demo_elsewhere("service-comes-back", "--check")
    assert list(tmp_path.iterdir()) == [tmp_path / "home"]
