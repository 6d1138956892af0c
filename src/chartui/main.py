"""The entry point: decides between the command line and the terminal UI, and imports only what is needed."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

# Imported modules stay alive: scanning them for garbage takes a tenth of their import.
_collecting = gc.isenabled()
gc.disable()
try:
    from chartui.cli.errors import Exit, UsageError, failure_of, is_of_the_disk
    from chartui.cli.output import Output
    from chartui.cli.parser import Arguments, TextRequested, parse
    from chartui.core.spec.errors import ServiceError
except KeyboardInterrupt:  # Ctrl+C during the first milliseconds must not print a traceback
    raise SystemExit(128 + signal.SIGINT) from None
gc.freeze()
if _collecting:
    gc.enable()

#: The way out for a terminal that cannot show the terminal UI.
_INSTEAD = "use a command instead, such as 'chartui characters list' (see 'chartui --help')"


def main(words: Sequence[str] | None = None) -> int:
    """Run the program on the words of its command line; returns the exit status."""
    words = sys.argv[1:] if words is None else words
    output = Output(sys.stdout, sys.stderr, as_json="--json" in words)
    try:
        status = _run(words, output)
        output.flush()
        return status
    except BrokenPipeError:
        output.abandon()
        return Exit.CLOSED_PIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (UsageError, ServiceError) as error:
        failure = failure_of(error)
    except Exception as error:  # noqa: BLE001 - reported without showing variables
        if isinstance(error, PermissionError) or (isinstance(error, OSError) and is_of_the_disk(error)):
            failure = failure_of(error)
        else:
            from chartui.cli.errors import failure_after_crash

            failure = failure_after_crash(error)
    output.fail(failure)
    return failure.exit


def _run(words: Sequence[str], output: Output) -> int:
    if len(words) == 3 and words[0] == "complete":
        from chartui.cli.candidates import complete

        return complete(words[1], words[2], output)
    try:
        arguments = parse(words)
    except TextRequested as requested:
        output.text(requested.text.rstrip("\n"))
        return Exit.DONE
    output.profile = arguments.profile
    if arguments.handler is not None:
        return arguments.handler(arguments, output) or Exit.DONE
    if arguments.demo:
        from chartui.cli.demo import check_words

        check_words(arguments)
        if arguments.record_to is not None or arguments.check_in is not None:
            return _record_tours(arguments, output)
        film_to = arguments.svg or arguments.cast
        if film_to is not None:
            return _film_tour(arguments, film_to, output)
    return _open_terminal_ui(arguments, output)


def _record_tours(arguments: Arguments, output: Output) -> int:
    from chartui.cli.demo import bad_tours, folder_to_check, tours_to_record
    from chartui.tui.tour.run import check_pictures, record_pictures

    tours, theme = tours_to_record(arguments), arguments.theme
    with bad_tours():
        if arguments.record_to is not None:
            well = record_pictures(tours, arguments.record_to, theme=theme, say=output.text)
        else:
            well = check_pictures(tours, folder_to_check(arguments, tours), theme=theme, say=output.text)
    return Exit.DONE if well else Exit.NO


def _film_tour(arguments: Arguments, path: Path, output: Output) -> int:
    from chartui.cli.demo import tour_to_play
    from chartui.cli.files import writing_to
    from chartui.tui.tour.run import write_film

    tour = tour_to_play(arguments)
    with writing_to(path):
        well = write_film(
            tour,
            path,
            animated=arguments.svg is not None,
            replace=arguments.force,
            theme=arguments.theme,
            say=output.text,
        )
    return Exit.DONE if well else Exit.NO


def _open_terminal_ui(arguments: Arguments, output: Output) -> int:
    # Objects made at the start stay alive; scanning them for garbage takes a tenth of the start. The application
    # enables the collector again after its first frame.
    gc.disable()
    plain = _wants_plain(arguments)
    # The framework draws on standard error, even if that is a file. Plain text can go to any file.
    needed = {"standard input": sys.stdin, **({} if plain else {"standard error": sys.stderr})}
    if not all(stream is not None and stream.isatty() for stream in needed.values()):
        raise UsageError(f"the terminal UI needs a terminal on {' and '.join(needed)}; {_INSTEAD}", code="no_terminal")
    if os.environ.get("TERM") == "dumb" and not plain:
        raise UsageError(f"TERM=dumb: this terminal cannot show a full-screen program; {_INSTEAD}", code="no_terminal")
    # The framework reads these when it is imported: keys are answered sooner, and nothing is animated.
    os.environ.setdefault("TEXTUAL_FPS", "240")
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
    # Exported sizes would override the real size of the window, which can change.
    for variable in ("COLUMNS", "LINES"):
        os.environ.pop(variable, None)
    from chartui.tui.framework import import_framework

    import_framework()
    if arguments.tour is not None or arguments.write_as is not None:
        return _open_tour(arguments, output)
    from chartui.core.bookmark import View
    from chartui.core.naming import BadName
    from chartui.core.profiles import ProfileError
    from chartui.tui.run import run_tui

    try:
        return run_tui(
            profile=arguments.profile,
            read_only=arguments.read_only,
            theme=arguments.theme,
            view=View(
                screen=arguments.screen,
                tab=arguments.tab,
                character=arguments.character,
                section=arguments.section,
                finding=arguments.finding,
                filter=arguments.opened_filter,
                fuzzy=arguments.opened_fuzzy,
                sort=arguments.opened_sort,
                reverse=arguments.opened_reverse,
            ),
            fresh=arguments.fresh,
            demo=arguments.demo,
            ascii=arguments.ascii,
            plain=plain,
        )
    except (ProfileError, BadName) as error:
        raise UsageError.of(error) from None


def _wants_plain(arguments: Arguments) -> bool:
    if arguments.tour is not None or arguments.write_as is not None:
        return False
    if arguments.plain is not None:
        return arguments.plain
    from chartui.core.config import load_config, plain_and_source

    return plain_and_source(load_config())[0]


def _open_tour(arguments: Arguments, output: Output) -> int:
    from chartui.cli.demo import bad_tours, tour_to_play, tour_to_write
    from chartui.tui.tour.run import play_tour, write_tour

    if arguments.write_as is not None:
        path = tour_to_write(arguments)
        return write_tour(path, theme=arguments.theme, read_only=arguments.read_only, say=output.text)
    with bad_tours():
        return play_tour(tour_to_play(arguments), theme=arguments.theme, read_only=arguments.read_only)
