"""The base of all screens: the two bars, its commands as keys, one first picture, and orderly loading of data."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, cast

from textual._compositor import LayoutUpdate
from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from chartui.core.service import Service
from chartui.core.session import Session
from chartui.core.spec.elements import Unreadable
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.unreadable import Missed
from chartui.tui.lines import Line, wrap
from chartui.tui.wait import Loading, Waiting
from chartui.tui.widgets.bars import Bar, FooterBar, TopBar, UnreadableBar
from chartui.tui.widgets.messages import MessageBar

if TYPE_CHECKING:
    from chartui.commands import Command
    from chartui.core.plans.reads import Reads
    from chartui.tui.app import ChartuiApp
    from chartui.tui.shell.palette import Group

#: Columns from which a list or a form has its detail beside it, and from which there are three columns. A narrower
#: window shows one pane at a time.
NORMAL: Final = 100
WIDE: Final = 160
#: Seconds that the first picture waits for the embedded store.
FIRST_WAIT: Final = 0.5
#: What is read after a plan, for the task that refreshes a screen behind it and for no other.
_READ_AFTER: ContextVar[Reads | None] = ContextVar("_READ_AFTER", default=None)


class Copyable(NamedTuple):
    """A text to copy or write: its name, and the ``suffix`` of a file that holds it.

    A text that takes time is given as a function, called in the background once it is chosen; it must not touch
    anything mutable.
    """

    title: str
    source: str | Callable[[], str]
    suffix: str = ".txt"

    @property
    def text(self) -> str:
        return self.source if isinstance(self.source, str) else self.source()


class WorkScreen(Screen[None]):
    """A screen of the workbench; ``SCOPE`` is its name in the table of commands."""

    SCOPE: ClassVar[str]
    AUTO_FOCUS: ClassVar[str | None] = None
    #: Groups of work that Escape cancels.
    READS: ClassVar[frozenset[str]] = frozenset({"read"})
    #: What :meth:`read_data` reads, in a word.
    DATA: ClassVar[str] = "data"
    #: The open profile that the screen was made for; it never works on another.
    session: Session
    #: The screen that this one was opened from; Esc leads back there.
    opener = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NORMAL, "-normal"), (WIDE, "-wide")]  # noqa: RUF012 - the framework's

    def __init__(self) -> None:
        super().__init__()
        self._opening = ExitStack()
        self._painted = False
        self._home: Widget | None = None
        self._stale = False
        self.missed: Mapping[str, Missed] = {}
        self._reads: dict[str, Loading] = {}

    def compose(self) -> ComposeResult:
        # Nothing is painted until the first data are there, and the layout for this width is chosen before anything is
        # laid out: without this the first picture goes to the terminal four times.
        self._opening.enter_context(self.app.batch_update())
        width = self.app.size.width
        self.add_class(next(name for least, name in reversed(self.HORIZONTAL_BREAKPOINTS) if width >= least))
        yield TopBar(self.SCOPE)
        yield from self.compose_work()
        yield UnreadableBar()
        yield MessageBar()
        yield FooterBar()

    def compose_work(self) -> Iterable[Widget]:
        """The widgets between the bars."""
        raise NotImplementedError

    async def on_mount(self) -> None:
        """Read the first data before anything is laid out; only an embedded store is waited for, and not for long."""
        self.prepare()
        there = asyncio.Event()

        async def read() -> None:
            await self.read_data()
            there.set()

        self.start(read, group="read", title=f"Loading {self.DATA}")
        if self.service.embedded:
            with suppress(TimeoutError):  # another program holds the store: the keys work all the same
                async with asyncio.timeout(FIRST_WAIT):
                    await there.wait()

    def prepare(self) -> None:
        """Find the widgets and show the current state; called once, when the widgets exist."""
        raise NotImplementedError

    def on_screen_resume(self) -> None:
        """Paint the first picture, once: behind the layout and the messages that the first data posted."""
        if not self._painted:
            self._painted = True
            self.call_later(self.call_later, self._paint_first)
        if self._stale:
            self._stale = False
            self.refresh_data()

    def _paint_first(self) -> None:
        """Paint the first picture: the whole of it, and with it what every widget has asked for by now.

        Left to themselves the widgets would be painted one by one, and the whole screen once more behind them.
        """
        if self._layout_required:
            self._layout_required = False
            self._refresh_layout()
        for widget in self.walk_children(Widget):
            widget._repaint_required = False
        self._repaint_required = False
        self._home = self.focused
        self._opening.close()
        self._compositor.update_widgets({self})
        self._compositor_refresh()

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read what the screen shows and post it to the screen; ``refresh`` goes past caches. Raises nothing."""
        raise NotImplementedError

    def refresh_data(self, after: Reads | None = None) -> None:
        """Refresh; a screen that was waiting for an earlier answer waits for this one instead.

        ``after`` is what was read after a plan: it is not read again.
        """
        title = "Refreshing" if self.filled else f"Loading {self.DATA}"
        self.start(partial(self._read_again, after), group="read", title=title)

    async def _read_again(self, after: Reads | None) -> None:
        _READ_AFTER.set(after)
        await self.read_data(refresh=True)
        if self.workbench.connection.state.trying:
            # There was nothing to read here, but the user wants to know whether the service answers.
            with suppress(ServiceError):
                await self.service.options(refresh=True)

    def refresh_bars(self) -> None:
        """Draw the lines at the top and the bottom again."""
        for bar in self.query(Bar):
            bar.refresh()

    def tick(self) -> None:
        """A second has passed while there is trouble: let the bars count."""
        for bar in self.query(Bar):
            bar.tick()

    def data_changed(self, after: Reads | None = None) -> None:
        """Something was changed: refresh now, as :meth:`refresh_data` does, or when the screen is next shown."""
        if self.workbench.work.present is self:
            self.refresh_data(after)
        else:
            self._stale = True

    def note_unreadable(self, missed: Missed) -> None:
        """Report what could not be read in the last answer of each operation that the screen asked for."""
        # By name: two answers that are asked for at once come in any order.
        self.missed = dict(sorted({**self.missed, missed.operation.name: missed}.items()))
        for bar in self.query(UnreadableBar):
            bar.show(self.unreadable)

    @property
    def unreadable(self) -> Sequence[Unreadable]:
        """The elements that the screen does not show, since they are unreadable."""
        return [element for missed in self.missed.values() for element in missed.unreadable]

    @property
    def locked(self) -> bool:
        return self.session.read_only

    def standing(self) -> str:
        """Standing conditions of the screen, in a few words for the last line; may be empty."""
        return ""

    def leaving(self) -> str:
        """A sentence on unsaved work, for the question before quitting; empty if there is none."""
        return ""

    def start(self, work: Callable[[], Coroutine[Any, Any, None]], *, group: str, title: str = "") -> None:
        """Do ``work`` in the background, canceling what was started before in the same ``group``.

        With a ``title`` the screen shows it as :meth:`loading_text` if it takes longer than a moment.
        """
        # The function and not what it returns: a coroutine that is given up before it began is never awaited, and that
        # is a warning on the screen.
        watched = partial(self._watched, work, group, title) if title else work
        # Described by its group: by default the framework writes out all arguments, ten thousand characters among them.
        _: Worker[None] = self.run_worker(watched, group=group, description=group, exclusive=True)

    async def _watched(self, work: Callable[[], Coroutine[Any, Any, None]], group: str, title: str) -> None:
        watch = self.workbench.connection
        loading = Loading(title, changed=self._loading_changed, later=watch.later, ticks=watch.ticks)
        self._reads[group] = loading
        try:
            await work()
        finally:
            loading.end()
            if self._reads.get(group) is loading:
                del self._reads[group]
                self.call_later(self.show_loading)  # behind the messages with what was read

    def _loading_changed(self) -> None:
        # The timer is the application's: a screen that is being removed has lost the parts that would show it.
        if self in self.workbench.work:
            self.refresh_bindings()
            self.show_loading()

    # -- what is under way --------------------------------------------------------------------------------------------

    @property
    def filled(self) -> bool:
        """Whether there is data from an earlier read."""
        return False

    def loading_text(self, *groups: str, width: int | None = None) -> str:
        """What is under way in these groups, in at most ``width`` cells; empty for nothing that takes its time."""
        ways = self.escape_cancels
        texts = (self._reads[group].text(width, escape_cancels=ways) for group in groups if group in self._reads)
        return next(filter(None, texts), "")

    @property
    def escape_cancels(self) -> bool:
        """Whether the next Esc cancels a read; elsewhere it first leaves what has the keys."""
        return True

    @property
    def escape_word(self) -> str:
        """The effect of the next Esc, for the footer; empty for nothing."""
        if not self.escape_cancels:
            return "back"
        if any(loading.shown for loading in self._reads.values()):
            return "cancel"
        return "" if self.focused is self._home and not self.opener else "back"

    def footer_word(self, found: Command) -> str:
        """What the footer calls a command that works here; empty to leave it out."""
        return found.footer

    async def show_part(self, scope: str) -> None:
        """Show the part with this scope, for a screen that makes its parts when they are first shown."""

    def show_loading(self) -> None:
        """Show :meth:`loading_text`: it is another text now."""

    def read_canceled(self, group: str) -> None:
        """Show that the user canceled what was under way in ``group``; where there is data, it is still shown."""
        if group == "read" and self.filled:
            message = (
                f"Canceled. Still showing the {self.DATA} read before. Press {self.workbench.refresh_key} to refresh."
            )
            self.workbench.tell(message, topic="refresh")

    def canceled(self, what: str = "") -> str:
        """The message in place of ``what`` (default: the screen's data) when reading it was canceled."""
        return f"Loading was canceled. Press {self.workbench.refresh_key} to load the {what or self.DATA}."

    def canceled_error(self, what: str = "") -> ServiceError:
        """The same as an error, for what shows one in place of its data."""
        return ServiceError(ErrorKind.TIMEOUT, self.canceled(what), sent="unclear")

    def cancel_read(self) -> bool:
        """Cancel the work shown in progress; returns whether there was any."""
        groups = [group for group, loading in self._reads.items() if loading.shown and group in self.READS]
        for group in groups:
            self.workers.cancel_group(self, group)
            self._reads.pop(group).end()
            self.read_canceled(group)
        if groups:
            self.workbench.connection.canceled()
            self.show_loading()
        return bool(groups)

    def step_back(self) -> None:
        """Cancel a read; else go back to the screen that this one was opened from."""
        if not self.cancel_read() and self.opener:
            self.workbench.action_show(self.opener)

    def under_way(self, group: str) -> bool:
        """Whether work started in ``group`` is still running."""
        return any(work.node is self and work.group == group and not work.is_finished for work in self.workers)

    async def read_ended(self) -> None:
        """Wait until what the screen is reading is there, or is not."""
        for work in self.workers:
            if work.node is self and work.group == "read" and not work.is_finished:
                with suppress(WorkerFailed, WorkerCancelled):
                    await work.wait()

    def palette_groups(self) -> Iterable[Group]:
        """What the palette finds of the data of this screen."""
        return ()

    def name_known(self, character_id: str) -> str:  # noqa: ARG002 - for screens that list characters
        """What a character is called, where this screen has read it; empty otherwise."""
        return ""

    @property
    def in_hand(self) -> str | None:
        """The id of the character that you work on here; the screen that you open next turns to it."""
        return None

    def receive(self, character_id: str) -> None:
        """Turn to the character that was in hand on another screen; called before this one is shown.

        A screen can look at the application's ``character`` instead when it is shown.
        """

    def belongings(self) -> object | None:
        """What to keep for the same screen of another profile, since it belongs to none; None for nothing."""
        return None

    def take_along(self, belongings: object) -> None:
        """Start with the :meth:`belongings` of the screen before; called before the screen is shown."""

    def copy_choices(self) -> Sequence[Copyable]:
        """The texts that can be copied or written to a file; each has its own title."""
        return ()

    @property
    def workbench(self) -> ChartuiApp:
        return cast("ChartuiApp", self.app)

    @property
    def service(self) -> Service:
        """The service of the open profile, asked in this screen's name; the dialog in front shows what it receives."""
        after, front = _READ_AFTER.get(), self.app.screen
        service = self.session.service if after is None else after.service
        service = service.asking_as(self.SCOPE).noting_unreadable(self.note_unreadable)
        return service.reporting_to(front.call()) if isinstance(front, Waiting) else service

    def watched_service(self, group: str = "read") -> Service:
        """The same for a call of what is under way in ``group``, which shows what it receives.

        What another screen is reading just now is not asked for again.
        """
        return self.watched(self.service.joining(), group)

    def watched(self, service: Service, group: str) -> Service:
        loading = self._reads.get(group)
        return service if loading is None else service.reporting_to(loading.elapsed.call())


#: The least window, in columns and lines.
LEAST: Final = Size(60, 20)


def too_small(size: Size) -> bool:
    """Whether a window of ``size`` is smaller than the minimum; an unknown size (0x0) is not."""
    return bool(size) and (size.width < LEAST.width or size.height < LEAST.height)


def notice(size: Size, quit_key: str) -> LayoutUpdate:
    """The picture of such a window; ``quit_key`` is the key that still works, as it is shown to people."""
    text = (
        f"chartui needs a window of {LEAST.width}x{LEAST.height}; this one is {size.width}x{size.height}. "
        "Enlarge it; nothing is lost."
    )
    if quit_key:
        text += f" {quit_key} quits."
    lines = wrap(text, max(1, size.width - 2))[: size.height]
    above = (size.height - len(lines)) // 2
    rows = [*[""] * above, *lines, *[""] * size.height][: size.height]
    return LayoutUpdate([[Line(size.width).gap().add(row).strip()] for row in rows], Region(0, 0, *size))
