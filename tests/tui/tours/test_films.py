"""Tours as films: asciicasts and animated SVGs show what the tour shows, in the same bytes wherever they are made."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from chartui.demos.stage import staged
from chartui.demos.tour import Press, Step, Text, Tour
from chartui.demos.tour_file import PICTURES, find_tour, read_tour, shipped_tours
from chartui.tui.svg import is_shape
from chartui.tui.tour.animation import animation
from chartui.tui.tour.app import RestingLoop
from chartui.tui.tour.film import Film, cast, film
from tests.emulator import Emulator, Kind
from tests.long import sampled

#: What a film can meet: typing, a service that takes its time, is away and comes back, and a command without a key.
TOUR = """\
format = "chartui-tour"
version = 1
title = "A bit of everything"
profile = "staging"
screen = "characters"

[[steps]]
caption = "A filter."
latency = 0.8
keys = ["filter-characters", { text = "elena m" }, "enter"]
expect = ["1 of 12"]

[[steps]]
caption = "A service that is away, and a caption that is long enough for two lines below the screen of the program."
service = "away"
keys = ["refresh", "down*3"]
wait = 2.5
expect = ["unreachable"]

[[steps]]
service = "here"
wait = 4
keys = ["escape"]
gone = ["unreachable"]
picture = "back"
expect = ["Elena Marsh"]
"""
#: The tour that the documents open with, and what it may take there, in bytes.
SHOWN, LARGEST = "sixty-seconds", 300_000


def filmed(tour: Tour) -> Film:
    with staged(tour, alone=True) as stage, asyncio.Runner(loop_factory=RestingLoop) as runner:
        return runner.run(film(tour, stage))


@pytest.fixture(scope="module")
def shown() -> Film:
    return filmed(find_tour(SHOWN))


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Film:
    path = tmp_path_factory.mktemp("tours") / "varied.toml"
    path.write_text(TOUR, encoding="utf-8")
    return filmed(read_tour(path))


@pytest.fixture(params=["shown", "varied"])
def any_film(request: pytest.FixtureRequest) -> Film:
    made: Film = request.getfixturevalue(request.param)
    return made


def rows_of(made: Film, shot: int) -> list[str]:
    return [row.text for row in made.shots[shot].rows]


def typing(**head: object) -> Film:
    """A name typed into the filter of the characters."""
    step = Step(caption="Typed.", actions=(Press("slash"), Text("elena"), Press("enter")), expect=("1 of 12",))
    return filmed(Tour(name="typing", screen="characters", steps=(step,), **head))  # type: ignore[arg-type]


# -- rhythm -----------------------------------------------------------------------------------------------------------


def test_keys_and_captions_are_in_sight() -> None:
    made = typing()
    below = [[row.strip() for row in rows_of(made, shot)[24:]] for shot in range(len(made.shots))]
    assert below[0][-1] == ""
    assert below[1] == ["▌ Typed.", "", "1/1"]
    assert (
        [re.sub(r"\s+", " ", last) for _, _, last in below[2:]]
        == [
            "/ 1/1",  # before it takes effect
            "/ 1/1",
            *(f"/ {'elena'[:end]} 1/1" for end in range(1, 6)),
            "/ elena ⏎ 1/1",
            "/ elena ⏎ 1/1",
        ]
    )


def test_it_is_typed_as_people_type_and_a_long_caption_stays_longer() -> None:
    made = typing()
    assert [after.at - before.at for before, after in pairwise(made.shots[3:9])] == [110, 90, 130, 80, 70]
    assert made.chapters == ((made.shots[1].at, "Typed."),)
    last = made.length - made.shots[-1].at
    longer = filmed(Tour(name="a", steps=(Step(caption="Typed." * 10),)))
    assert longer.length - longer.shots[-1].at > last > 1000
    assert typing(speed=2.0).length == pytest.approx(made.length / 2, abs=20)


# -- an asciicast -----------------------------------------------------------------------------------------------------


def test_a_replayed_cast_shows_every_picture_of_the_film(any_film: Film) -> None:
    header, *events = map(json.loads, cast(any_film).decode().splitlines())
    columns, lines = any_film.size
    assert header == {"version": 2, "width": columns, "height": lines, "title": any_film.title}
    assert [time for time, *_ in events] == sorted(time for time, *_ in events)
    # A terminal that does not erase in color, and a window that is larger than the film.
    terminal = Emulator(columns + 5, lines + 2, Kind(erases=False))
    at = {round(1000 * time): text for time, kind, text in events if kind == "o"}
    for number, shot in enumerate(any_film.shots):
        terminal.feed(at.pop(shot.at, ""))
        assert [row[:columns].ljust(columns) for row in terminal.rows[:lines]] == [
            text.ljust(columns)[: len(row[:columns])]
            for text, row in zip(rows_of(any_film, number), terminal.rows, strict=False)
        ], number
    assert list(at) == [any_film.length]
    terminal.feed(at[any_film.length])
    assert {7, 25} <= terminal.modes
    assert [(time, text) for time, kind, text in events if kind == "m"] == [(t / 1000, c) for t, c in any_film.chapters]


def test_a_replayed_cast_ends_with_the_last_picture_of_the_tour() -> None:
    tour = find_tour("service-comes-back")
    columns, lines = tour.size
    terminal = Emulator(columns, lines + 3)
    for line in cast(filmed(tour)).decode().splitlines()[1:]:
        _, kind, text = json.loads(line)
        if kind == "o":
            terminal.feed(text)
    picture = (PICTURES / tour.name / f"{tour.pictures[-1]}.txt").read_text(encoding="utf-8")
    assert [row.rstrip() for row in terminal.rows[:lines]] == picture.splitlines()


# -- an animated SVG --------------------------------------------------------------------------------------------------


def words_at(svg: Xml.Element, time: float) -> dict[tuple[int, int], str]:
    """The pieces of text by row and column that can be seen after a share of the film, by its style sheet alone.

    A full block or a background hides what was drawn before it.
    """
    space = "{http://www.w3.org/2000/svg}"
    (style,) = svg.findall(f"{space}style")
    frames = {
        name: [(float(at), how) for at, how in re.findall(r"([\d.]+)%\{visibility:(\w+)\}", inside)]
        for name, inside in re.findall(r"@keyframes (\w+)\{((?:[\d.]+%\{\w+:\w+\})+)\}", style.text or "")
    }
    found: dict[tuple[int, int], str] = {}
    for group in svg.findall(f"{space}g/{space}g"):
        name, *hidden = group.attrib.get("class", "always").split()
        how = "hidden" if hidden else "visible"
        for at, change in frames.get(name, []):
            how = change if at <= 100 * time else how
        for row in group if how == "visible" else ():
            y = (int(row.attrib["transform"].split()[1].rstrip(")")) - 18) // 24
            for path in row.findall(f"{space}g/{space}path"):
                for x, width in re.findall(r"M(\d+) -18h(\d+)v24h", path.attrib["d"]):
                    for column in range(int(x) // 12, (int(x) + int(width)) // 12):
                        found.pop((y, column), None)
            for text in row.findall(f"{space}text"):
                place = (y, int(text.attrib["x"]) // 12)
                found[place] = found.get(place, "") + (text.text or "")  # a mark is drawn with the next sign
    return found


def test_an_animation_shows_every_picture_of_the_film(any_film: Film) -> None:
    made = any_film
    svg = Xml.fromstring(animation(made))
    ends = [*(shot.at for shot in made.shots[1:]), made.length]
    for number, (shot, end) in enumerate(zip(made.shots, ends, strict=True)):
        seen = sorted(words_at(svg, (shot.at + end) / 2 / made.length).items())
        for y, row in enumerate(rows_of(made, number)):
            signs = "".join(" " if is_shape(sign) else sign for sign in row)
            assert "".join(text for (line, _), text in seen if line == y) == "".join(signs.split()), (number, y)


def test_an_animation_needs_nothing_but_itself(any_film: Film) -> None:
    text = animation(any_film).decode()
    assert re.findall(r"=\"(https?://[^\"]*)", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|\bon\w+=|@import|@font-face|url\(|href", text)


def test_the_documents_open_with_the_tour_of_today(shown: Film) -> None:
    """``script/regenerate tours`` makes it again."""
    made = animation(shown)
    assert len(made) < LARGEST
    path = PICTURES / f"{SHOWN}.svg"
    assert path.read_bytes() == made
    for page, link in (
        (PICTURES.parents[1] / "README.md", "docs/pictures"),
        (PICTURES.parent / "showcase.md", "pictures"),
    ):
        first = re.search(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
        assert first
        assert first[1] == f"{link}/{path.name}"


@pytest.mark.parametrize("name", sampled(shipped_tours(), "offline-to-push"))
def test_no_tour_shows_the_folder_of_its_stage(name: str) -> None:
    """It has another name every time, so two films of the tour would differ."""
    text = cast(filmed(find_tour(name))).decode()
    assert "chartui-tour-" not in text


# -- anywhere ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--cast", "--svg"])
def test_it_is_the_same_in_other_surroundings(
    option: str, varied: Film, demo_elsewhere: Callable[..., None], tmp_path: Path
) -> None:
    tour = tmp_path / "varied.toml"
    tour.write_text(TOUR, encoding="utf-8")
    demo_elsewhere(str(tour), option, "film")
    made = cast(varied) if option == "--cast" else animation(varied)
    assert (tmp_path / "film").read_bytes() == made
