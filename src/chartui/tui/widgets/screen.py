"""The base of all screens: the bars, its commands as keys, a single first picture, and reading data."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from textual._compositor import LayoutUpdate
from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.widget import Widget
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from chartui.core.bookmark import ScreenPlace
from chartui.core.classes import NamedTuple
from chartui.core.naming import Item
from chartui.core.service import Service
from chartui.core.session import Session
from chartui.core.spec.elements import Unreadable
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.unreadable import Missed
from chartui.tui.lines import Line, wrap
from chartui.tui.loading import Loading
from chartui.tui.typeahead import KeepsKeys
from chartui.tui.widgets.bars import Bar, FooterBar, TopBar, UnreadableBar
from chartui.tui.widgets.messages import MessageBar
from chartui.tui.widgets.painting import PaintedScreen

if TYPE_CHECKING:
    from chartui.commands import Command
    from chartui.core.plans.reads import Reads
    from chartui.core.spec.records import Records
    from chartui.tui.app import ChartuiApp
    from chartui.tui.shell.palette import Group

#: The widths in columns from which a detail is beside its list or form, and from which there are three columns. A
#: narrower window shows one pane at a time.
NORMAL: Final = 100
WIDE: Final = 160
#: Seconds that the first picture waits for the embedded store.
FIRST_WAIT: Final = 0.5
#: Seconds for which other screens may use a list instead of reading it again.
JUST: Final = 120.0
#: The reads after a plan, for the task that refreshes a screen behind it only.
_READ_AFTER: ContextVar[Reads | None] = ContextVar("_READ_AFTER", default=None)


class Copyable(NamedTuple):
    """A text to copy or write: its title, and the ``suffix`` and the ``name`` of its file (default: from the title).

    ``folder`` is proposed for the file; empty for the working directory. ``other_suffix`` is the message that refuses
    any other suffix; empty if all are allowed.

    A text that takes time is given as a function, called in the background once it is chosen; it must not touch
    anything mutable. A text that has to be read first is given as a coroutine function.
    """

    title: str
    source: str | Callable[[], str] | Callable[[], Awaitable[str]]
    suffix: str = ".txt"
    name: str = ""
    folder: str = ""
    other_suffix: str = ""

    @property
    def text(self) -> str:
        """The text, unless it has to be read first."""
        return self.source if isinstance(self.source, str) else cast("str", self.source())

    async def made(self) -> str:
        made: Any = self.source if isinstance(self.source, str) else await asyncio.to_thread(self.source)
        return cast("str", made if isinstance(made, str) else await made)


class WorkScreen(PaintedScreen[None]):
    """A screen of the workbench; ``SCOPE`` is its name in the table of commands."""

    SCOPE: ClassVar[str]
    AUTO_FOCUS: ClassVar[str | None] = None
    #: Groups of work that Escape cancels.
    READS: ClassVar[frozenset[str]] = frozenset({"read"})
    #: What :meth:`read_data` reads, in a word.
    DATA: ClassVar[str] = "data"
    #: Whether :mod:`chartui.tui.live` may refresh it.
    LIVE: ClassVar[bool] = False
    #: The open profile that the screen was made for; it never works on another.
    session: Session
    #: The screen that this one was opened from; Esc leads back there.
    opener = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NORMAL, "-normal"), (WIDE, "-wide")]  # noqa: RUF012 - the framework's

    def __init__(self) -> None:
        super().__init__()
        self._stale = False
        self.missed: Mapping[str, Missed] = {}
        self._reads: dict[str, Loading] = {}

    def compose(self) -> ComposeResult:
        # Choose the layout for this width before laying anything out.
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
        """Read the first data before the layout; wait for an embedded store only, and only briefly."""
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
        """Refresh what has changed meanwhile."""
        if self._stale:
            self._stale = False
            self.refresh_data()

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read the screen's data and post it to the screen; ``refresh`` ignores caches. Raises nothing."""
        raise NotImplementedError

    def load_data(self) -> None:
        """Read the data of another character, which may use what other screens have just read."""
        self.start(self.read_data, group="read", title=f"Loading {self.DATA}")

    def refresh_data(self, after: Reads | None = None) -> None:
        """Refresh; the result replaces that of an earlier read in progress.

        ``after`` holds the reads made after a plan, which are not repeated.
        """
        title = "Refreshing" if self.filled else f"Loading {self.DATA}"
        self.start(partial(self._read_again, after), group="read", title=title)

    async def _read_again(self, after: Reads | None) -> None:
        _READ_AFTER.set(after)
        await self.read_data(refresh=True)
        if self.workbench.connection.state.trying:
            # This screen has nothing to read, but the user wants to know whether the service answers.
            with suppress(ServiceError):
                await self.service.options(refresh=True)

    def refresh_bars(self) -> None:
        for bar in self.query(Bar):
            bar.update()

    def tick(self) -> None:
        """Called every second while there is trouble, to update the bars."""
        for bar in self.query(Bar):
            bar.tick()

    def data_changed(self, after: Reads | None = None) -> None:
        """Refresh after a change as :meth:`refresh_data` does: now, or when the screen is next shown."""
        if self.workbench.work.present is self:
            self.refresh_data(after)
        else:
            self._stale = True

    def note_unreadable(self, missed: Missed) -> None:
        """Report the unreadable elements in the latest answer of each operation that the screen called."""
        # Sorted, since concurrent answers arrive in any order.
        self.missed = dict(sorted({**self.missed, missed.operation.name: missed}.items()))
        for bar in self.query(UnreadableBar):
            bar.show(self.unreadable)

    @property
    def unreadable(self) -> Sequence[Unreadable]:
        return [element for missed in self.missed.values() for element in missed.unreadable]

    @property
    def locked(self) -> bool:
        return self.session.read_only

    def standing(self) -> str:
        """Standing conditions of the screen for the footer, in a few words; may be empty."""
        return ""

    def leaving(self) -> str:
        """Sentences on staged changes and what happens to them when the profile is left; empty without any."""
        return ""

    async def settled(self) -> None:
        """Wait until the staged changes are saved as drafts."""

    async def on_unmount(self) -> None:
        await self.settled()

    def start(self, work: Callable[[], Coroutine[Any, Any, None]], *, group: str, title: str = "") -> None:
        """Run ``work`` in the background, canceling earlier work in the same ``group``.

        With a ``title``, the screen shows it as :meth:`loading_text` if it takes longer than a moment.
        """
        # A function, not its coroutine: one that is canceled before it began would cause a warning on the screen.
        watched = partial(self._watched, work, group, title) if title else work
        # By default the framework's description lists all arguments, such as ten thousand characters.
        _: Worker[None] = self.run_worker(watched, group=group, description=group, exclusive=True)

    async def _watched(self, work: Callable[[], Coroutine[Any, Any, None]], group: str, title: str) -> None:
        watch = self.workbench.connection
        loading = Loading(title, changed=self._loading_changed, later=watch.later, ticks=watch.ticks)
        self._reads[group] = loading
        try:
            with self.workbench.window.timed(title):
                await work()
        finally:
            shown = loading.shown  # then the footer offered to cancel it
            loading.end()
            if self._reads.get(group) is loading:
                del self._reads[group]
                # After the messages with the data.
                self.call_later(self._loading_changed if shown else self.show_loading)

    def _loading_changed(self) -> None:
        # The timer belongs to the application, so the screen may be gone.
        if self in self.workbench.work:
            self.refresh_bindings()
            self.show_loading()

    @property
    def reads(self) -> Iterable[Loading]:
        """The reads in progress."""
        return self._reads.values()

    # -- what is under way --------------------------------------------------------------------------------------------

    @property
    def filled(self) -> bool:
        """Whether there is data from an earlier read."""
        return False

    @property
    def age(self) -> float | None:
        """Seconds since the visible data was read; None while it is fresh or missing."""
        watch = self.workbench.connection
        return watch.state.age(self.SCOPE, watch.ticks()) if self.filled else None

    def loading_text(self, *groups: str, width: int | None = None) -> str:
        """The work in progress in these groups, in at most ``width`` cells; empty if it is fast."""
        ways = self.escape_cancels
        texts = (self._reads[group].text(width, escape_cancels=ways) for group in groups if group in self._reads)
        return next(filter(None, texts), "")

    @property
    def escape_cancels(self) -> bool:
        """Whether the next Esc cancels a read instead of leaving the focused part."""
        return True

    @property
    def escape_clears(self) -> bool:
        """Whether the next Esc clears the filter of the screen's list."""
        return False

    @property
    def escape_word(self) -> str:
        """The footer's word for the next Esc; empty if it does nothing."""
        if self.escape_clears:
            return "clear filter"
        if not self.escape_cancels:
            return "back"
        if any(loading.shown for loading in self._reads.values()):
            return "cancel"
        if self.leads_back or (self.focused is not None and f"#{self.focused.id}" != self.AUTO_FOCUS):
            return "back"
        return "dismiss" if self.workbench.has_messages else ""

    def return_to_start(self) -> None:
        """Move the focus to the list, the form or the tree that the screen opens with."""
        if self.AUTO_FOCUS is not None:
            self.query_one(self.AUTO_FOCUS).focus()
            self.refresh_bindings()

    @property
    def leads_back(self) -> bool:
        """Whether Esc goes back to where the user came from."""
        return bool(self.opener)

    def footer_word(self, found: Command) -> str:
        """The footer's word for a command that works here; empty to leave it out. Copying is named in tables only."""
        return "" if found.id == "copy" and getattr(self.focused, "KIND", "") != "table" else found.footer

    async def show_part(self, scope: str) -> None:
        """Show the part with this scope, for a screen that creates its parts when first shown."""

    def show_loading(self) -> None:
        """Show the current :meth:`loading_text`."""

    def read_canceled(self, group: str) -> None:
        """Show that the user canceled the work in ``group``; earlier data stays visible."""
        if group == "read" and self.filled:
            message = (
                f"Canceled. Still showing the {self.DATA} loaded earlier. "
                f"Press {self.workbench.keymap.name('refresh')} to refresh."
            )
            self.workbench.tell(message, topic="refresh")

    def canceled(self, what: str = "") -> str:
        """The message in place of ``what`` (default: the screen's data) when reading it was canceled."""
        return f"Loading was canceled. Press {self.workbench.keymap.name('refresh')} to load the {what or self.DATA}."

    def canceled_error(self, what: str = "") -> ServiceError:
        """The same as an error."""
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

    def enter(self, opener: str) -> None:
        """Called before another screen gives way to this one; Esc returns to the screen ``opener``, if any."""
        self.opener = opener

    def step_back(self) -> None:
        """Cancel a read; otherwise return to the screen that opened this one, or else dismiss the messages."""
        if self.cancel_read():
            return
        if self.opener:
            self.workbench.action_show(self.opener)
        else:
            self.workbench.dismiss_messages()

    def under_way(self, group: str) -> bool:
        """Whether work started in ``group`` is still running."""
        return any(work.node is self and work.group == group and not work.is_finished for work in self.workers)

    async def read_ended(self) -> None:
        """Wait until the screen's reads have ended."""
        for work in self.workers:
            if work.node is self and work.group == "read" and not work.is_finished:
                with suppress(WorkerFailed, WorkerCancelled):
                    await work.wait()

    def palette_groups(self) -> Iterable[Group]:
        """The palette's entries for the data of this screen."""
        return ()

    def name_known(self, character_id: str) -> str:  # noqa: ARG002 - for screens that list characters
        """The name of a character if this screen has read it; otherwise empty."""
        return ""

    @property
    def records_just_read(self) -> Records | None:
        """The records of all characters, if this screen has read them from a service less than :data:`JUST` ago."""
        return None

    @property
    def in_hand(self) -> str | None:
        """The id of the current character, which the next screen shows too."""
        return None

    def receive(self, character_id: str) -> None:
        """Turn to the character in hand on another screen; called before this screen is shown.

        A screen can use the application's ``character`` instead when it is shown.
        """

    @property
    def chosen_characters(self) -> Sequence[str]:
        """The ids of the selected characters, by default of the current one."""
        return () if self.in_hand is None else (self.in_hand,)

    @property
    def section(self) -> Item | None:
        """The section of a story under the cursor."""
        return None

    def place(self) -> ScreenPlace:
        """What brings this screen back as it is. Other values than ``tab`` and ``section`` are the screen's own."""
        return {}

    def start_at(self, place: ScreenPlace) -> None:
        """Start at a :meth:`place`, ignoring invalid values; called before the screen is shown."""

    def belongings(self) -> object | None:
        """Data that belongs to no profile and is kept when another profile is opened, or None."""
        return None

    def take_along(self, belongings: object) -> None:
        """Start with the :meth:`belongings` of the earlier screen; called before this one is shown."""

    @property
    def none_selected(self) -> str:
        """Why no item of the screen's list is selected, for a command that needs one; empty otherwise."""
        return ""

    def copy_choices(self) -> Sequence[Copyable]:
        """The texts that can be copied or written to a file; each has its own title."""
        return ()

    @property
    def workbench(self) -> ChartuiApp:
        return cast("ChartuiApp", self.app)

    @property
    def service(self) -> Service:
        """The open profile's service, called in this screen's name; a dialog in front shows the received amount."""
        after, front = _READ_AFTER.get(), self.app.screen
        service = self.session.service if after is None else after.service
        service = service.asking_as(self.SCOPE).noting_unreadable(self.note_unreadable)
        return service.reporting_to(front.call()) if isinstance(front, KeepsKeys) else service

    def watched_service(self, group: str = "read") -> Service:
        """The service for a call in ``group``, which shows the received amount.

        An identical call in progress on another screen is shared.
        """
        return self.watched(self.service.joining(), group)

    def watched(self, service: Service, group: str) -> Service:
        loading = self._reads.get(group)
        return service if loading is None else service.reporting_to(loading.elapsed.call())


#: The smallest usable window, in columns and lines.
LEAST: Final = Size(60, 20)


def too_small(size: Size) -> bool:
    """Whether a window of ``size`` is smaller than the minimum; an unknown size (0x0) is not."""
    return bool(size) and (size.width < LEAST.width or size.height < LEAST.height)


def notice(size: Size, quit_note: str) -> LayoutUpdate:
    """The message that fills such a window; ``quit_note`` is a sentence on the key that still works, or empty."""
    text = (
        f"chartui needs a window of {LEAST.width}x{LEAST.height}; this one is {size.width}x{size.height}. "
        f"Enlarge the window. Nothing is lost. {quit_note}"
    )
    lines = wrap(text, max(1, size.width - 2))[: size.height]
    above = (size.height - len(lines)) // 2
    rows = [*[""] * above, *lines, *[""] * size.height][: size.height]
    return LayoutUpdate([[Line(size.width).gap().add(row).strip()] for row in rows], Region(0, 0, *size))
