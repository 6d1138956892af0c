"""Somebody at the keyboard: presses keys, waits for what they bring, and reads the screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import cached_property, partial
from itertools import chain, repeat
from typing import Any, TypeVar

from rich.console import RenderableType
from textual import events
from textual._compositor import Compositor
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Input

from chartui.commands import command
from chartui.core.config import Config
from chartui.core.session import Session
from chartui.demos.stage import Time
from chartui.tui.app import ChartuiApp
from chartui.tui.screens.actions.screen import ActionsScreen
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.screens.narrative.screen import NarrativeScreen
from chartui.tui.screens.requests.screen import RequestsScreen
from chartui.tui.shell.help import _Keys
from chartui.tui.shell.open_profile import Opening
from chartui.tui.terminal import Terminal
from chartui.tui.tour.app import RestingLoop, drawn_at_rest
from chartui.tui.tour.player import drawn, key_event, messages, screen_text, seen
from chartui.tui.widgets.chooser import Picker
from chartui.tui.widgets.line_list import LineList
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import WorkScreen
from chartui.tui.widgets.sheet_view import SheetView
from chartui.tui.widgets.tabs import TabPanel
from tests.tui.drawing import KnownRules
from tests.tui.screens import Actions, Characters, Estimator, Narrative, Requests
from tests.tui.sessions import Double, demo

__all__ = ["NARROW", "SMALL", "WIDE", "User", "Watched", "opened", "run_app", "screen_classes", "screen_text", "words"]

NARROW = (80, 24)
WIDE = (120, 40)
SMALL = (60, 20)

T = TypeVar("T")
S = TypeVar("S", bound=Screen[Any])
K = TypeVar("K", bound=WorkScreen)
#: Seconds until something that does not come is given up: many, since other work may hold the processors.
PATIENCE = 60.0
#: Seconds between two looks at what nobody reports: few at first, since most of it is there at once.
LOOKS = (0.001, 0.002, 0.004, 0.008, 0.016)


def run_app(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the loop that a user can wait for, as tests that are coroutines themselves are run."""
    with asyncio.Runner(loop_factory=RestingLoop) as runner:
        return runner.run(work)


def words(text: str) -> str:
    """A text without the frames and the places where it is broken into lines."""
    return " ".join(text.translate({ord(c): " " for c in "│╭╮╰╯─▌▁"}).split())


class Watched(ChartuiApp):
    """The program, and when it paints or breaks down."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.stylesheet = KnownRules(variables=self.stylesheet._variables)
        # On a machine that is busy with other tests a key takes its time, and the one behind it waits all the same.
        self.typeahead.patience = 2.0
        #: What was said in plain mode.
        self.heard: list[str] = []
        if self.speech is not None:
            self.speech.say = self.heard.extend

    def run(self, *arguments: Any, **options: Any) -> Any:
        """Run on the loop that a user can wait for; so snapshots are taken."""
        with asyncio.Runner(loop_factory=RestingLoop) as runner:
            return super().run(*arguments, loop=runner.get_loop(), **options)

    @cached_property
    def painted(self) -> asyncio.Event:
        """Set at every paint, and when there will be none any more; whoever waits for one clears it."""
        return asyncio.Event()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        self.painted.set()

    def _handle_exception(self, error: Exception) -> None:
        super()._handle_exception(error)
        self.painted.set()

    def assert_whole(self) -> None:
        """Nothing comes any more of a program that broke down: no test waits for it."""
        assert self._exception is None, repr(self._exception)


def screen_classes(parent: type[WorkScreen] = WorkScreen) -> Iterator[type[WorkScreen]]:
    """Every class of screens."""
    for child in parent.__subclasses__():
        yield child
        yield from screen_classes(child)


class User:
    """Drives one running app."""

    def __init__(self, app: Watched, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> str:
        """What is seen."""
        return screen_text(self.app)

    @property
    def top_line(self) -> str:
        """The line at the top."""
        return self.screen.splitlines()[0]

    @property
    def bottom_line(self) -> str:
        """The line at the bottom: the keys."""
        return self.screen.splitlines()[-1]

    @property
    def focus(self) -> str | None:
        """The id of the part that the keys go to."""
        return self.app.focused.id if self.app.focused else None

    @property
    def focused_tab(self) -> str | None:
        """The name of the tab that the keys go to; None beside the tabs."""
        for part in self.app.focused.ancestors_with_self if self.app.focused else ():
            if isinstance(part.parent, TabPanel):
                return next((name for name, tab in part.parent._parts.items() if tab is part), None)
            if part.id == "result" or isinstance(part, View):
                return str(part.NAME) if isinstance(part, View) else "estimate"
        return None

    @property
    def compositor(self) -> Compositor:
        """What lays out and paints the screen in front."""
        return self.app.screen._compositor

    @property
    def at_home(self) -> bool:
        """Whether the keys go to the part of the screen in which they begin."""
        return f"#{self.focus}" == self.app.screen.AUTO_FOCUS

    @property
    def listed_signs(self) -> list[tuple[str, str]]:
        """The signs that the help in front lists, with their names."""
        entries = self.app.screen.query_one(_Keys)._entries
        titles = [entry.title for entry in entries]
        return [(entry.keys, entry.title) for entry in entries[titles.index("Visible symbols") + 1 :]]

    @property
    def help_goes_on(self) -> bool:
        """Whether there is more of the help in front below."""
        return not self.app.screen.query_one(_Keys).is_vertical_scroll_end

    def pane(self, selector: str) -> str:
        """What is seen of one widget; nothing while the screen in front is being built."""
        return seen(self.app, self.app.screen.query_one(selector)) if self.app.screen.is_mounted else ""

    def line(self, text: str, selector: str = "Screen") -> str:
        """The one line of a widget that holds ``text``."""
        shown = self.screen if selector == "Screen" else self.pane(selector)
        found = [line for line in shown.splitlines() if text in line]
        assert len(found) == 1, f"{text!r} is in {found}\n{shown}"
        return found[0]

    async def press(self, *names: str) -> None:
        """Press keys as a slow line delivers them: all at once, and wait until they are obeyed."""
        for name in names:
            self.app.post_message(key_event(name))
        await self._obeyed()

    async def press_ahead(self, double: Double, operation: str, note: str, *names: str) -> None:
        """Press keys of which the first asks for an answer, shows ``note`` and waits; let it come after the last."""
        double.hold(operation)
        pressed = asyncio.ensure_future(self.press(*names))
        await self.until(lambda: double.waiting(operation) and note in self.screen, f"for {note!r}")
        await self.settle()
        double.let_all_go()
        await pressed

    async def write(self, text: str) -> None:
        """Press the keys of a text."""
        await self.press(*text)

    async def finds(self, command_id: str) -> None:
        """Find a command in the palette by its title, and run it, also while a number is typed."""
        await self.press("ctrl+p")
        await self.paste(command(command_id).title)
        await self.press("enter")

    async def paste(self, text: str) -> None:
        """Paste a text."""
        self.app.post_message(events.Paste(text))
        await self._obeyed()

    async def _obeyed(self) -> None:
        await drawn_at_rest(self.app, threads=False)
        async with self._patience("for the keys to be obeyed"):
            for pause in chain(LOOKS, repeat(LOOKS[-1])):
                if not self.app.typeahead.busy:
                    break
                self.app.assert_whole()
                await asyncio.sleep(pause)
        await drawn_at_rest(self.app, threads=False)

    @asynccontextmanager
    async def _patience(self, what: str) -> AsyncIterator[None]:
        """Give up what does not come, and show what is seen instead."""
        try:
            async with asyncio.timeout(PATIENCE):
                yield
        except TimeoutError:
            raise AssertionError(f"waited in vain {what}\n{self.screen}") from None

    def _shows(self, text: str) -> bool:
        return text in self.screen

    async def settle(self) -> None:
        """Wait until everything under way but timers and sockets has arrived, and the screen is drawn."""
        async with self._patience("for the program to be at rest"):
            await drawn_at_rest(self.app)

    async def rests(self) -> None:
        """Wait until every detail has followed its cursor."""
        views = [view for screen in self.app.screen_stack for view in screen.query(LineView)]
        await self.until(lambda: all(view._rest is None for view in views), "for the cursors to rest")
        await self.settle()

    async def until(self, holds: Callable[[], object], what: str = "") -> None:
        """Wait until something holds, while messages and workers go on."""
        if holds():
            return
        async with self._patience(what):
            for pause in chain(LOOKS, repeat(LOOKS[-1])):
                await asyncio.sleep(pause)
                if holds():
                    break
                self.app.assert_whole()
        await drawn_at_rest(self.app, threads=False)

    async def _until_seen(self, holds: Callable[[], object], what: str) -> None:
        """Wait until something holds that is seen: it is looked for whenever the screen was painted."""
        if holds():
            return
        async with self._patience(what):
            while True:
                self.app.assert_whole()
                self.app.painted.clear()
                await self.app.painted.wait()
                if holds():
                    break
        await drawn_at_rest(self.app, threads=False)

    async def sees(self, *texts: str) -> None:
        """Wait until every text is on the screen."""
        for text in texts:
            await self._until_seen(partial(self._shows, text), f"for {text!r}")

    async def uncovers(self, *texts: str) -> None:
        """Wait until every text is on the screen, dismissing the messages that take its room."""
        for text in texts:
            await self._until_seen(partial(self._shows_beneath, text), f"for {text!r}")

    def _shows_beneath(self, text: str) -> bool:
        if self._shows(text):
            return True
        if self.app._notifications:
            self.app.clear_notifications()
        return False

    async def misses(self, *texts: str) -> None:
        """Wait until no text is on the screen."""
        for text in texts:
            await self._until_seen(lambda: not self._shows(text), f"for {text!r} to go")  # noqa: B023 - awaited here

    async def is_told(self, *texts: str) -> None:
        """Wait until a message holds every text, however it is broken into lines."""
        for text in texts:
            await self._until_seen(partial(self._tells, text), f"to be told {text!r}")

    def _tells(self, text: str) -> bool:
        return any(text in message for message in messages(self.app))

    async def reads(self, selector: str, *texts: str) -> None:
        """Wait until a part of the screen holds every text, however it is broken into lines."""
        for text in texts:
            await self.until(lambda: text in words(self.pane(selector)), f"to read {text!r}")  # noqa: B023 - awaited

    async def resize(self, columns: int, lines: int) -> None:
        """Give the window another size."""
        await self.pilot.resize_terminal(columns, lines)
        await self.settle()

    # -- where you are ------------------------------------------------------------------------------------------------

    @property
    def top(self) -> Screen[Any]:
        """The screen or the dialog that has the keys."""
        return self.app.screen

    def is_at(self, *kinds: type[Screen[Any]]) -> bool:
        """Whether a screen or dialog of one of these kinds has the keys."""
        return isinstance(self.app.screen, kinds)

    async def at(self, kind: type[S]) -> S:
        """Wait for a screen or a dialog to have the keys."""
        await self.until(lambda: self.is_at(kind), f"for {kind.__name__}")
        screen: Screen[Any] = self.app.screen
        assert isinstance(screen, kind)
        return screen

    async def leaves(self, *kinds: type[Screen[Any]]) -> None:
        """Wait until no screen or dialog of these kinds has the keys."""
        await self.until(lambda: not self.is_at(*kinds), f"for {', '.join(kind.__name__ for kind in kinds)} to go")

    @property
    def at_work(self) -> bool:
        """Whether no dialog is open."""
        return self.app.screen is self.app.work.present

    async def back(self) -> None:
        """Wait until no dialog is open."""
        await self.until(lambda: self.at_work, "for the dialog to close")
        await self.settle()

    def _work(self, kind: type[K]) -> K:
        screen = self.app.work.present
        assert isinstance(screen, kind), screen
        return screen

    @property
    def estimator(self) -> Estimator:
        """The estimator, when it is in front; as the other screens, whatever dialog lies over it."""
        return Estimator(self._work(EstimatorScreen))

    @property
    def characters(self) -> Characters:
        """The characters, when they are in front."""
        return Characters(self._work(CharactersScreen))

    @property
    def narrative(self) -> Narrative:
        """The narrative graph, when it is in front."""
        return Narrative(self._work(NarrativeScreen))

    @property
    def actions(self) -> Actions:
        """The actions, when they are in front."""
        return Actions(self._work(ActionsScreen))

    @property
    def actions_behind(self) -> Actions:
        """The actions, whatever is in front."""
        screen = self.app.work["actions"]
        assert isinstance(screen, ActionsScreen)
        return Actions(screen)

    @property
    def requests(self) -> Requests:
        """The requests, when they are in front."""
        return Requests(self._work(RequestsScreen))

    @property
    def filter(self) -> Input:
        """The filter of the list in front."""
        return self.app.screen.query_one("#filter", Input)

    @property
    def table(self) -> SheetView:
        """The one table on the screen in front."""
        return self.app.screen.query_one(SheetView)

    @property
    def listed(self) -> LineList[Any]:
        """The list in front: of a screen, or of a dialog in which something is chosen."""
        return self.app.screen.query_one(LineList)

    @property
    def choices(self) -> Sequence[Any]:
        """All that can be chosen in the dialog in front, without headings and in sight or not."""
        dialog = self.app.screen
        assert isinstance(dialog, Picker), dialog
        return dialog._choices

    @property
    def work_state(self) -> object:
        """All that the screen in front shows, behind a dialog as well, as one value to compare."""
        return self._work(WorkScreen).state  # type: ignore[attr-defined]

    def forget_copies(self) -> None:
        """Empty the clipboard, so that the next copy is seen to come."""
        self.app._clipboard = ""

    @property
    def clipboard(self) -> str:
        """What was copied last."""
        return self.app.clipboard

    @property
    def toasts(self) -> list[str]:
        """The messages that have not gone yet, in sight or not."""
        return [notification.message for notification in self.app._notifications]

    def styles(self) -> list[Strip]:
        """The lines of the screen with their styles."""
        return drawn(self.app)

    def is_ready(self) -> bool:
        """Whether the screen in front has heard from the service."""
        match self.app.screen:
            case EstimatorScreen() as screen:
                # The options arrive with the first estimate, or after it: until then the border says what is read.
                return not screen.state.stale and not screen.under_way("read")
            case CharactersScreen() as screen:
                return not screen.characters.listing.loading
            case NarrativeScreen() | ActionsScreen() as screen:
                return not screen.state.loading
            case _:
                return True

    async def ready(self) -> None:
        """Wait until the screen in front has heard from the service."""
        await self.until(self.is_ready, "for the service")
        await self.settle()


@asynccontextmanager
async def opened(
    session: Session | None = None,
    *,
    screen: str = "estimator",
    character: str | None = None,
    size: tuple[int, int] = NARROW,
    ready: bool = True,
    opening: Opening | None = None,
    config: Config | None = None,
    terminal: Terminal | None = None,
    time: Time | None = None,
) -> AsyncIterator[User]:
    """The program in front of a user; ``ready`` waits for the first answer of the service.

    ``opening`` is how other profiles are opened from there, ``config`` the settings, ``terminal`` what can be shown.
    ``time`` is the time that its watch of the service and its loading screens live by.
    """
    app = Watched(
        session or demo(), screen_name=screen, character=character, opening=opening, config=config, terminal=terminal
    )
    if time is not None:
        app.connection.ticks, app.connection.later = time.ticks, time.later
    async with app.run_test(size=size) as pilot:
        user = User(app, pilot)
        try:
            if ready:
                await user.ready()
            yield user
        except AssertionError as error:
            if not error.args or user.screen not in str(error):
                error.add_note(user.screen)
            raise
        if not app._exit:  # a program ends by being told to, and knows then that its screens are taken apart
            app.exit()
