"""Playing a tour from inside: it runs as another process in this terminal, and the program waits behind it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from textual.app import SuspendNotSupported

from chartui.core.paths import shipped_themes
from chartui.demos.tour_file import BadTour, read_tour, tour_files
from chartui.tui.external_editor import run_in_front, stepped_aside
from chartui.tui.widgets.chooser import Choice, Chooser

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: The tour in which the viewer presses the keys.
TUTOR: Final = "learn"
_PROGRAM: Final = (sys.executable, "-P", "-c", "import sys; from chartui.main import main; sys.exit(main())")


async def choose_tour(app: ChartuiApp) -> None:
    """Let the user choose a tour, and play it. Awaited in a worker."""
    choices = []
    for name, path in tour_files().items():
        try:
            tour = read_tour(path)
        except BadTour as error:
            app.tell(str(error), severity="warning")
            continue
        choices.append(Choice(name, tour.title, tour.windows, tour.about, names=(name,)))
    choices.sort(key=lambda choice: choice.key != TUTOR)
    chosen = await app.push_screen_wait(Chooser("Play a tour", choices))
    if chosen is not None:
        await play(app, chosen)


async def play(app: ChartuiApp, name: str = TUTOR) -> None:
    """Play the tour called ``name`` (default: the tutorial) with the current theme. Awaited in a worker."""
    if app.speech is not None:
        app.tell("Tours consist of pictures, so they cannot be played in plain mode.", severity="warning")
        return
    worn = app.looks.worn
    theme = ("--theme", worn) if worn in {path.stem for path in shipped_themes()} else ()
    try:
        with stepped_aside(app):
            status = await run_in_front((*_PROGRAM, "demo", name, *theme), no_color=app.no_color)
    except SuspendNotSupported:
        app.tell("This terminal can't play tours.", severity="warning")
        return
    if status:
        reason = status.strerror if isinstance(status, OSError) else f"exit status {status}"
        app.tell(f"The tour “{name}” could not be played: {reason}.", severity="warning")
