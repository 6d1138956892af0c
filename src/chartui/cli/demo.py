"""``chartui demo``: the options of tours, and the list of them. The entry point does what needs the terminal UI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chartui.cli.errors import Exit, UsageError
from chartui.cli.output import Output, members
from chartui.cli.parser import Arguments, Parser

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.demos.tour import Tour


def configure_demo(parser: Parser) -> None:
    parser.add_argument("tour", nargs="?", metavar="TOUR", help="a tour to play, by its name or as a .toml file")
    group = parser.add_argument_group("tours")
    one = group.add_mutually_exclusive_group()
    add = one.add_argument
    add("--list", dest="handler", action="store_const", const=list_tours, help="what tours there are")
    add("--play", action="store_true", help="play the tour, which is done without this word as well")
    add(
        "--record",
        dest="record_to",
        type=Path,
        metavar="DIR",
        help="write its pictures, or those of all tours, without a terminal",
    )
    add(
        "--check",
        dest="check_in",
        nargs="?",
        type=Path,
        const=Path(),
        metavar="DIR",
        help="compare them with those that are there",
    )
    add("--write", dest="write_as", metavar="NAME", help="use the program, and make a tour of one's own of the keys")
    group.add_argument("--speed", type=float, metavar="FACTOR", help="play it so many times faster")


def list_tours(arguments: Arguments, output: Output) -> int:
    from chartui.demos.tour_file import BadTour, read_tour, tour_files

    tours: list[Tour] = []
    for path in tour_files().values():
        try:
            tours.append(read_tour(path))
        except BadTour as error:
            output.note(str(error))
    if output.as_json:
        output.json([_as_json(tour) for tour in tours])
    else:
        rows = [(tour.name, f"{tour.size[0]}x{tour.size[1]}", tour.title) for tour in tours]
        output.table(rows, header=("TOUR", "WINDOW", "WHAT IT SHOWS"))
    del arguments
    return Exit.DONE


def _as_json(tour: Tour) -> Wire:
    return members(tour, "name", "title", "about", "size", "pictures")


def check_words(arguments: Arguments) -> None:
    """Raise :class:`UsageError` for words that do not go together: argparse sees each for itself."""
    touring = arguments.tour or arguments.write_as or arguments.record_to is not None or arguments.check_in is not None
    if not touring:
        if arguments.play or arguments.speed is not None:
            raise UsageError("--play and --speed need a tour ('chartui demo --list' lists them)")
        return
    for option in ("profile", "screen", "character"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"a tour says itself where it begins, so it takes no --{option}")
    if arguments.write_as and arguments.tour:
        raise UsageError("--write begins on the demo data, and not with a tour")
    from chartui.core.paths import shipped_themes

    themes = [path.stem for path in shipped_themes()]
    if arguments.theme not in (None, *themes):
        raise UsageError(
            f"a tour has the themes of the program only, and none is '{arguments.theme}': {', '.join(themes)}"
        )
    if arguments.speed is not None and not 0.1 <= arguments.speed <= 100:
        raise UsageError(f"--speed must be from 0.1 to 100, not {arguments.speed:g}")


def tours_to_record(arguments: Arguments) -> tuple[Tour, ...]:
    from chartui.demos.tour_file import shipped_tours

    return tuple(map(_found, [arguments.tour] if arguments.tour else shipped_tours()))


def folder_to_check(arguments: Arguments) -> Path:
    from chartui.demos.tour_file import PICTURES

    named = arguments.check_in if arguments.check_in != Path() else None
    folder = named or PICTURES
    if not folder.is_dir():
        where = f"there is no folder {folder}" if named else "there are no pictures beside the installed program"
        raise UsageError(f"{where}; --check takes the folder that --record wrote to")
    return folder


def tour_to_play(arguments: Arguments) -> Tour:
    from dataclasses import replace

    tour = _found(arguments.tour or "")
    return tour if arguments.speed is None else replace(tour, speed=tour.speed * arguments.speed)


def tour_to_write(arguments: Arguments) -> Path:
    from chartui.demos.tour_file import is_name, own_folder, tour_files

    name = arguments.write_as or ""
    if not is_name(name):
        raise UsageError(f"'{name}' is no name for a tour: small letters, digits and single dashes")
    if name in tour_files():
        raise UsageError(f"there is a tour '{name}' already ({tour_files()[name]})")
    return own_folder() / f"{name}.toml"


def _found(name: str) -> Tour:
    from chartui.demos.tour_file import BadTour, find_tour

    try:
        return find_tour(name)
    except BadTour as error:
        raise UsageError.of(error) from None
