"""The application: the open profile, the current screen, the theme, and quitting."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, cast

from rich.console import RenderableType
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App, ScreenStackError
from textual.binding import BindingType
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.driver import Driver
from textual.events import Event, Key, MouseDown, MouseEvent, Resize
from textual.notifications import Notification, Notify
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import MountError
from textual.worker import Worker, get_current_worker

from chartui.commands import SCREENS, DataEffect, command, locked_effects
from chartui.core.bookmark import Bookmark
from chartui.core.config import RELOCK_MINUTES, Config, config_path
from chartui.core.lock import refusal
from chartui.core.names import shortened
from chartui.core.naming import is_whole_id
from chartui.core.numbers import number_of
from chartui.core.paths import from_home
from chartui.core.session import Session
from chartui.core.spec.errors import ServiceError
from chartui.core.tables import file_problems
from chartui.core.text import display_text
from chartui.keymap import make_keymap, own_problems
from chartui.tui.ahead import import_ahead
from chartui.tui.bindings import bindings_for
from chartui.tui.connection import LOST, Watch
from chartui.tui.garbage import collect_again
from chartui.tui.shell.bookmarks import Bookmarks
from chartui.tui.shell.lock import Relock
from chartui.tui.shell.open_profile import Opening, quit_note, quit_program, say_how_to_quit
from chartui.tui.shell.screens import WorkScreens
from chartui.tui.shell.typed_answers import TypedAnswers
from chartui.tui.terminal import Terminal, driver_for, filters_for, heed, stop_the_group
from chartui.tui.theme import PANELS, VARIABLES, Looks
from chartui.tui.typeahead import TypeAhead, Typed, names_of
from chartui.tui.widgets.messages import MessageBar, Notice
from chartui.tui.widgets.screen import notice, too_small
from chartui.tui.window import NOTHING, Window

if TYPE_CHECKING:
    from chartui.tui.live import LiveRefresh
    from chartui.tui.output.output import Output
    from chartui.tui.shell.own_commands import OwnCommands
    from chartui.tui.speech import Speech
    from chartui.tui.widgets.dialog import Result

Severity = Literal["information", "warning", "error"]

#: Screens that pass the current character on to each other.
_ABOUT_A_CHARACTER: Final = ("characters", "narrative", "actions")
#: Minimum seconds between two checks for expired messages.
_SOONEST: Final = 0.01
#: Errors raised by code that builds or looks up widgets while they are being removed.
_TAKEN_APART: Final = (NoMatches, NoScreen, MountError, ScreenStackError)


class ChartuiApp(App[int]):
    """The workbench around an open profile. It starts on ``screen_name``, with ``character`` if that is given.

    ``bookmark`` says where each screen starts, and with which character if none is given.
    """

    TITLE = "chartui"
    #: The id of the character that you work on, over all screens; a name only as long as ``names_character``.
    character: str | None
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("app")
    CSS = PANELS

    def __init__(
        self,
        session: Session,
        *,
        screen_name: str = "estimator",
        character: str | None = None,
        bookmark: Bookmark | None = None,
        opening: Opening | None = None,
        config: Config | None = None,
        terminal: Terminal | None = None,
    ) -> None:
        terminal = terminal or Terminal()
        #: Says what the screen shows, in plain mode; the framework chooses the driver by it.
        self.speech: Speech | None = None
        if terminal.plain and sys.platform != "win32":
            from chartui.tui.speech import Speech

            self.speech = Speech(self, ascii=terminal.ascii)
        # The framework would turn all colors into greys, which are still colors, and hide the variable from child
        # processes.
        no_color = os.environ.pop("NO_COLOR", None)
        super().__init__()
        if no_color is not None:
            os.environ["NO_COLOR"] = no_color
        self.config = config or Config()
        self.keymap = make_keymap(self.config.keys)._replace(words=terminal.ascii or terminal.plain)
        if self.keymap.given:
            self.set_keymap(self.keymap.for_framework)
        self.own: OwnCommands | None = None
        if self.config.commands:
            from chartui.tui.shell.own_commands import OwnCommands

            self.own = OwnCommands(self, self.config.commands, self.keymap)
        wrong = (
            *self.keymap.problems,
            *own_problems(self.config.commands, self.keymap),
            *(_rules_unknown(self.config) if self.config.lint_off else ()),
        )
        for problem in (*self.config.problems, *file_problems(config_path(), wrong)):
            self.call_later(self.tell, problem, title="Settings", severity="warning")
        self.opening = opening or Opening()
        self.opening.app = self
        self.session = session
        bookmark = bookmark or Bookmark()
        self.return_to(bookmark.character)
        if character is not None:
            self.character, self.returning = character, False
        #: Whether ``character`` may be a name, which the first list of characters resolves.
        self.names_character = character is not None and not is_whole_id(character)
        #: The keys of what was last chosen in the palette, once it was opened.
        self.recent: Sequence[str] | None = None
        self.crash: BaseException | None = None
        self._aside = False
        self._disable_notifications = True  # the framework's own, which cover the screen
        self._next_look: Timer | None = None
        #: How long a message stays.
        self.message_seconds = self.NOTIFICATION_TIMEOUT
        self.answers = TypedAnswers()
        self.work = WorkScreens(self, screen_name, bookmark.places)
        self.bookmarks = Bookmarks(self)
        self.connection = Watch(
            retry=self.work.read_again, changed=self.work.after_change, ticked=self.work.tick, later=self.set_timer
        )
        self.connection.begin(session.recorder)
        self._filters += filters_for(terminal)
        minutes = self.config.relock_minutes
        self.relock = Relock(self, RELOCK_MINUTES if minutes is None else minutes, later=self.set_timer)
        self.live: LiveRefresh | None = None
        self.typeahead = TypeAhead(self, super().on_event, self.keymap.binds)
        use = self.config.terminal if terminal.windowed else NOTHING
        self.window = Window(self, use, ascii=terminal.ascii)
        #: Whether to send only what has changed; ``output`` does that, if there is a terminal.
        self.differences = terminal.differences and self.config.terminal.differences
        self.output: Output | None = None
        self.looks = Looks(self, terminal)
        self.looks.apply()
        self.stylesheet.set_variables(self.get_css_variables())

    def refresh_css(self, animate: bool = True) -> None:
        # The theme is chosen before the style sheets are parsed, so the framework's refresh at the start is not needed.
        if any(self._screen_stacks.values()):
            super().refresh_css(animate)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our theme variables with values for the framework's default theme, which is active before any of ours."""
        return dict(VARIABLES)

    async def on_event(self, event: Event) -> None:
        """Handle keys one at a time, in the order they were pressed."""
        if isinstance(event, Resize) and event.size == self._size:
            # The framework ignores it, but another terminal may have been attached.
            self.redraw()
        if isinstance(event, (Typed, MouseEvent)) and too_small(self.size):
            if isinstance(event, Key) and event.key in self.keymap.keys(command("quit")):
                await self.action_quit()
            return
        if isinstance(event, (Typed, MouseDown)):
            self.connection.unasked = False
            self.relock.touch()
            if self.live is not None:
                self.live.touch()
            self.bookmarks.touch()
        if isinstance(event, Typed) and not event.is_forwarded:
            await self.typeahead.take(event)
        else:
            await super().on_event(event)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if self.speech is not None:
            self.speech.look_soon()
            return
        # Drawn over any screen or dialog, which keeps its state until there is room again.
        if renderable is not None and too_small(self.size):
            renderable = cast("RenderableType", notice(self.size, quit_note(self)))
        if self.output is None or not isinstance(renderable, LayoutUpdate | ChopsUpdate):
            super()._display(screen, renderable)
            if self.output is not None and renderable is not None:
                self.output.lose()
            return
        if self._running and not self._closed and not self._batch_count:
            self.output.draw(renderable, self.size, self._caret)
        self.post_display_hook()

    @property
    def _caret(self) -> tuple[int, int] | None:
        """The position of the caret in the focused field, which input methods need."""
        at = getattr(self.focused, "cursor_screen_offset", None)
        return None if at is None else self.screen.outer_size.clamp_offset(at)

    def post_display_hook(self) -> None:
        self.window.entitle()

    def on_ready(self) -> None:
        """Resume garbage collection, but skip the objects created at startup: they stay."""
        collect_again()
        import_ahead(self)
        self.looks.watch()
        self.relock.touch()
        self.go_live()
        if self.session.files.has_journal:
            from chartui.tui.shell.history import report_unsettled

            self.start(report_unsettled)

    def go_live(self) -> None:
        """Refresh at the interval of the open profile."""
        if self.live is not None:
            self.live.stop()
            self.live = None
        if self.session.profile.refresh:
            from chartui.tui.live import LiveRefresh

            self.live = LiveRefresh(self)

    # -- screens ------------------------------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[Any]:
        """Start on a real screen, to avoid painting twice."""
        if self.opening.welcome:
            from chartui.tui.screens.welcome.screen import Welcome

            return Welcome()
        return self.work.start

    def action_show(self, name: str) -> None:
        """Show another screen with the current character, if it shows characters. Hidden screens keep their state."""
        present = self.work.present
        in_hand = present.in_hand if present is not None and name in _ABOUT_A_CHARACTER else None
        if in_hand is not None:
            self.character = in_hand
            self.work[name].receive(in_hand)
        self.work.show(name, leads_back=name == "narrative")

    def return_to(self, character: str | None) -> None:
        """Start with the last character; ``returning`` stays set until :func:`found_character` is called."""
        self.character = character
        self.returning = character is not None

    async def go_to(self, name: str) -> None:
        """Show another screen, and wait until its widgets exist and what it has read by then is shown."""
        if self.work.present is not None and name != self.work.present.SCOPE:
            self.action_show(name)
            await self.work.arrived()

    async def action_command(self, command_id: str) -> None:
        """Run a command on the node that performs it, perhaps on another screen or tab. For the palette and clicks."""
        from chartui.tui.shell.command import run_command

        await run_command(self, command_id)

    def action_call(self, name: str) -> None:
        """Call a function of the ``tui`` package, such as ``shell.profiles.choose_profile``, imported when needed."""
        module, _, function = name.rpartition(".")
        work = getattr(import_module(f"chartui.tui.{module}"), function)
        if iscoroutinefunction(work):
            self.start(work)
        else:
            work(self)

    def action_run_own(self, command_id: str) -> None:
        if self.own is not None:
            self.start(partial(self.own.run, command_id))

    def start(self, work: Callable[[ChartuiApp], Coroutine[Any, Any, object]]) -> None:
        """Do ``work`` in the background, independent of the current screen."""
        _: Worker[object] = self.run_worker(partial(work, self), group="shell", description="shell", exclusive=True)

    def copy(self, text: str, what: str = "") -> None:
        """Copy a text to the clipboard or a file, and report where it went. ``what`` is a title."""
        from chartui.tui.clipboard import hand_over

        self.keep_copied(text)
        hand_over(self, text, what)

    def keep_copied(self, text: str) -> None:
        """Make the framework's paste key insert this text."""
        self._clipboard = text

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """The screen as SVG without external resources."""
        from chartui.tui.svg import self_contained

        return self_contained(super().export_screenshot(title=title, simplify=simplify))

    def copy_to_clipboard(self, text: str) -> None:
        """Called by the framework when selected text is copied; handled like any other copy."""
        self.copy(text, "Selection")

    def action_refresh_data(self) -> None:
        self.connection.asking()
        self.work.read_again()

    @property
    def locked(self) -> frozenset[DataEffect]:
        return locked_effects(read_only=self.session.read_only, allow_act=self.session.profile.allow_act)

    def refusal(self, action: str, effect: DataEffect = DataEffect.WRITE) -> str:
        """The sentence for a lock that disables ``action``; empty if none does."""
        by = self.session.locked_by
        return refusal(by, action, self.keymap.name("lock")) if by is not None and effect in self.locked else ""

    def refuse_typed_ahead(self, *, secret: bool = False) -> bool:
        """Drop the queued keys, typed before their target was visible, and report them; returns whether any were."""
        if refused := self.typeahead.refuse():
            keys = number_of(len(refused), "key") if secret else names_of(refused, self.keymap)
            self.tell(f"Keys pressed too early were ignored: {keys}", severity="warning", topic="keys")
        return bool(refused)

    def refuses(self, action: str, effect: DataEffect = DataEffect.WRITE) -> bool:
        """Whether the lock disables ``action``; if so, says so."""
        if sentence := self.refusal(action, effect):
            self.tell(sentence, severity="warning", topic="lock")
        return bool(sentence)

    @property
    def scope(self) -> str:
        return self.work.present.SCOPE if self.work.present else SCREENS[0].id.removeprefix("show-")

    # -- words --------------------------------------------------------------------------------------------------------

    def tell(
        self, message: str, *, title: str = "", severity: Severity = "information", topic: str | None = None
    ) -> None:
        """Show a message; the text is never read as markup.

        It replaces an equal message and the one with the same ``topic``. The topic of information defaults to its
        title, so the last one without a title stays; warnings and errors have none, since two with the same title may
        differ.
        """
        if topic is None and severity == "information":
            topic = title or severity
        message, title = display_text(from_home(message), multiline=True), display_text(title)
        identity = topic or f"{severity} {title} {message}"
        self.post_message(Notify(Notice(message, title, severity, self.message_seconds, identity=identity)))

    def on_notify(self, event: Notify) -> None:
        """Remove the message that the new one replaces."""
        self._unnotify(event.notification, refresh=False)

    def _refresh_notifications(self) -> None:
        """Show the messages above every footer, and again when the first of them expires."""
        if self._next_look is not None:
            self._next_look.stop()
            self._next_look = None
        if messages := list(self._notifications):
            soonest = min(message.time_left for message in messages)
            self._next_look = self.set_timer(max(_SOONEST, soonest), self._refresh_notifications)
        for screen in self.screen_stack:
            for bar in screen.query(MessageBar):
                bar.show(messages)

    @property
    def has_messages(self) -> bool:
        return bool(len(self._notifications))

    def dismiss_messages(self) -> None:
        """Remove the messages on the screen; hidden ones take their place."""
        self._dismiss([notice for bar in self.screen.query(MessageBar) for notice in bar.told])

    def dismiss_information(self) -> None:
        """Remove information before a dialog opens; warnings and errors stay until they expire."""
        self._dismiss([notice for notice in self._notifications if notice.severity == "information"])

    def _dismiss(self, notices: Iterable[Notification]) -> None:
        for each in notices:
            self._unnotify(each, refresh=False)
        self._refresh_notifications()

    def tell_failure(self, error: ServiceError, *, kept: str = "") -> None:
        """Report why an operation failed and what was kept, unless the top line already shows it."""
        if self.connection.unasked and error.kind in LOST:
            return
        self.tell(f"{shortened(error.message)} {kept}".strip(), title="Failed", severity="error")

    # -- the end ------------------------------------------------------------------------------------------------------

    async def push_screen_wait(self, screen: Screen[Result], *, mode: str | None = None) -> Result:  # type: ignore[override]
        """Wait for the result of a screen, and keep it as long as it can be lost: quitting asks then."""
        worker = get_current_worker()
        self.answers.asking(worker, screen)
        result = await super().push_screen_wait(screen, mode=mode)
        self.answers.answered(worker, screen, result)
        return result

    async def action_quit(self) -> None:
        """Quit; ask first, and only once, if changes are staged or text is typed into a dialog."""
        quit_program(self)

    def action_help_quit(self) -> None:
        """Say how to quit after Ctrl+C was pressed with nothing selected to copy."""
        say_how_to_quit(self)

    def action_repaint(self) -> None:
        """Draw the whole screen again, including lines that have not changed; in plain mode, read it all."""
        if self.speech is not None:
            self.speech.read_all()
        else:
            self.redraw()

    def redraw(self) -> None:
        """Draw the whole screen again, since what the terminal shows is unknown."""
        if self.output is not None:
            self.output.repaint()
        elif self.is_running:
            self.refresh()

    def action_suspend(self) -> None:
        able = self._driver is not None and self._driver.can_suspend
        if not (able and stop_the_group(first=self._suspend_signal)):
            self.tell("Cannot suspend because chartui was not started from a shell.", severity="warning")

    def on_load(self) -> None:
        """Quit cleanly on a signal, even before the terminal is set up, and restore the terminal."""
        heed(self._stop)

    def _stop(self, number: signal.Signals) -> None:
        # While the terminal is ours, Ctrl+C is a key. In an external editor it is sent to both programs, but meant for
        # the editor.
        if number is not signal.SIGINT or not self._aside:
            self.exit(return_code=128 + number)

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """Hand the terminal to another program."""
        self._aside = True
        try:
            with super().suspend():
                yield
        finally:
            self._aside = False

    def get_driver_class(self) -> type[Driver]:
        """The terminal driver, which also notices when the terminal is gone."""
        return driver_for(super().get_driver_class(), plain=self.speech is not None)

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """End the program; save where you are first, while the screens still exist."""
        if not self._exit:
            self.bookmarks.stop()
        super().exit(result, return_code, message)

    def hang_up(self) -> None:
        """Quit as if the terminal had sent a hangup signal, unless the program is already quitting."""
        if not self._exit:
            self.exit(return_code=128 + signal.SIGHUP)

    async def on_unmount(self) -> None:
        self.connection.end()
        self.opening.give_up()
        await self.bookmarks.settled()
        await self.session.aclose()
        self.opening.close()

    def _handle_exception(self, error: Exception) -> None:
        # A screen still being built at exit may find widgets missing, which is not an error.
        if not (self._exit and isinstance(sys.exc_info()[1], _TAKEN_APART)):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # The framework would print a traceback with local variables, which could include an API key. The entry point
        # reports all crashes. Report the first error: the others follow from it.
        self.crash = self.crash or sys.exc_info()[1]
        self._close_messages_no_wait()


def _rules_unknown(config: Config) -> Iterator[str]:
    from chartui.core.narrative.lint import switched_off

    return (f"lint.off: {problem}" for problem in switched_off(config.lint_off)[1])
