"""``chartui demo``: the options and the list of tours. The entry point runs the parts that need the terminal UI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from chartui.cli.errors import UsageError
from chartui.cli.output import Output, members
from chartui.cli.parser import Arguments, Parser
from chartui.core.naming import unknown

if TYPE_CHECKING:
    from chartui.demos.tour import Tour


def configure_demo(parser: Parser) -> None:
    parser.option("tour", "TOUR", "name or .toml file of the tour to play (default: none)", nargs="?")
    group = parser.add_argument_group("tours")
    one = group.add_mutually_exclusive_group()
    one.add_argument("--list", dest="handler", action="store_const", const=list_tours, help="list the tours")
    one.flag("--play", "play the tour (the default)")
    one.option(
        "--record",
        "DIR",
        "write screenshots of the tour, or of all tours, to this folder; works without a terminal",
        dest="record_to",
    )
    one.option(
        "--check",
        "DIR",
        "folder of screenshots to compare with (default: pictures next to a .tour.toml file, "
        "otherwise docs/pictures in a checkout)",
        dest="check_in",
        nargs="?",
        const=Path(),
    )
    for name, what in (("--cast", "an asciicast"), ("--svg", "an animated SVG")):
        one.option(name, "FILE", f"write the whole tour to this file as {what}; works without a terminal")
    group.flag("--force", "let --cast and --svg overwrite an existing file")
    one.option("--write", "NAME", "name of a new tour, recorded from the keys you press", dest="write_as")
    group.option("--speed", "FACTOR", "playback speed, from 0.1 to 100 (default: 1)", type=float)


def list_tours(_arguments: Arguments, output: Output) -> None:
    from chartui.demos.tour_file import BadTour, read_tour, tour_files

    tours: list[Tour] = []
    for path in tour_files().values():
        try:
            tours.append(read_tour(path))
        except BadTour as error:
            output.note(str(error))
    if output.as_json:
        output.json([members(tour, "name", "title", "about", "sizes", "pictures") for tour in tours])
    else:
        rows = [(tour.name, tour.windows, tour.title) for tour in tours]
        output.table(rows, header=("TOUR", "WINDOW", "TITLE"))


def check_words(arguments: Arguments) -> None:
    """Raise :class:`UsageError` for options that cannot be combined; argparse checks each one alone."""
    touring = arguments.tour or arguments.write_as or arguments.record_to is not None or arguments.check_in is not None
    filmed = arguments.cast is not None or arguments.svg is not None
    if not touring:
        if filmed:
            raise UsageError("--cast and --svg need a tour ('chartui demo --list' lists all tours)")
        if arguments.play or arguments.speed is not None:
            raise UsageError("--play and --speed need a tour ('chartui demo --list' lists all tours)")
        return
    for option in ("profile", "screen", "character", "section", "tab"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"--{option} cannot be used with a tour, because a tour has its own starting point")
    if arguments.plain:
        raise UsageError("--plain cannot be used with a tour, because a tour consists of screenshots")
    if arguments.write_as and arguments.tour:
        raise UsageError("--write starts from the demo data and cannot be combined with a tour")
    from chartui.core.paths import shipped_themes

    themes = [path.stem for path in shipped_themes()]
    if arguments.theme is not None and arguments.theme not in themes:
        raise UsageError(f"{unknown('theme', arguments.theme, themes)} Tours use only built-in themes")
    if arguments.speed is not None and not 0.1 <= arguments.speed <= 100:
        raise UsageError(f"--speed must be from 0.1 to 100, not {arguments.speed:g}")


def tours_to_record(arguments: Arguments) -> tuple[Tour, ...]:
    from chartui.demos.tour_file import shipped_tours

    tours = map(_found, [arguments.tour] if arguments.tour else shipped_tours())
    return tuple(each for tour in tours for each in tour.in_each_size())


def folder_to_check(arguments: Arguments, tours: tuple[Tour, ...]) -> Path:
    from chartui.demos.tour_file import BESIDE, PICTURES, is_test

    named = arguments.check_in if arguments.check_in != Path() else None
    if named is None and tours[0].file is not None and is_test(tours[0].file):
        named = tours[0].file.parent / BESIDE
    folder = named or PICTURES
    if not folder.is_dir():
        where = f"folder {folder} does not exist" if named else "the installed program includes no screenshots"
        raise UsageError(f"{where}; --check takes a folder written by --record")
    return folder


def tour_to_play(arguments: Arguments) -> Tour:
    tour = _found(arguments.tour or "")
    return tour if arguments.speed is None else replace(tour, speed=tour.speed * arguments.speed)


def tour_to_write(arguments: Arguments) -> Path:
    from chartui.core.paths import own_tours
    from chartui.demos.tour_file import is_name, tour_files

    name = arguments.write_as or ""
    if not is_name(name):
        raise UsageError(f"'{name}' is not a tour name: use lower-case letters, digits and single dashes")
    if name in tour_files():
        raise UsageError(f"tour '{name}' already exists ({tour_files()[name]})")
    return own_tours() / f"{name}.toml"


def _found(name: str) -> Tour:
    from chartui.demos.tour_file import find_tour

    with bad_tours():
        return find_tour(name)


@contextmanager
def bad_tours() -> Iterator[None]:
    from chartui.demos.tour_file import BadTour

    try:
        yield
    except BadTour as error:
        raise UsageError.of(error) from None
