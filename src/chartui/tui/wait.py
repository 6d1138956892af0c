"""Work in progress that owns the keyboard: a dialog shows it, and keys typed meanwhile wait for what follows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.backends.base import Progress
from chartui.core.classes import dataclass
from chartui.core.text import single_line
from chartui.tui.lines import Line, bar
from chartui.tui.loading import SHOWN_AFTER, Elapsed, Stoppable
from chartui.tui.numbers import number_of
from chartui.tui.theme import Palette
from chartui.tui.typeahead import KeepsKeys
from chartui.tui.widgets.dialog import Dialog

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp


@dataclass(slots=True)
class Work:
    """Work in progress. Escape calls ``give_up``; ``way_out`` says what that does, empty if nothing.

    With ``dialog_follows`` keys typed meanwhile are for a dialog, otherwise for the screen behind. ``share`` is drawn
    as a bar, ``detail`` beside the state. ``elapsed`` is the time of the current step, without that of dialogs in front
    of it, and knows what the calls receive.
    """

    title: str
    state: str
    give_up: Callable[[], object] = lambda: None
    way_out: str = ""
    dialog_follows: bool = True
    detail: str = ""
    share: float | None = None
    stopping: bool = False
    elapsed: Elapsed = field(init=False)
    changed: Callable[[], None] = lambda: None

    def show(self, state: str, detail: str = "", share: float | None = None) -> None:
        self.state, self.detail, self.share = state, detail, share
        self.changed()

    def stop(self) -> None:
        self.stopping = True
        self.changed()


class Waiting(Dialog[None], KeepsKeys, inherit_bindings=False):
    """Queues the keys while work is in progress, and shows the work if it takes a while.

    It stays below the dialogs that the work opens, so no key slips through between two of them. Queued keys go to the
    expected dialog; if none comes, or another one, they are refused, and that is shown.
    """

    DEFAULT_CSS = """
    Waiting { align: center middle; background: transparent; }
    Waiting > Vertical {
        display: none;
        width: 60;
        border: round $meaning-staged;
        border-title-color: $meaning-staged;
        padding: 1 1;
    }
    Waiting.-slow { background: $background 50%; }
    Waiting.-slow > Vertical { display: block; }
    Waiting > FooterBar { display: none; }
    Waiting.-slow > FooterBar { display: block; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "give_up", "Cancel")]
    TO_BE_READ = False

    def __init__(self) -> None:
        super().__init__()
        self._works: list[Work] = []
        self._dialog_follows = False
        self._timer: Stoppable | None = None
        self._meter = _Meter()

    def content(self) -> Iterable[Widget]:
        yield self._meter

    def on_mount(self) -> None:
        self._count_down()

    def enter(self, work: Work) -> None:
        """Show ``work``, in front of what is under way already."""
        self._going_with = None
        self._works.append(work)
        work.changed = self.changed
        self._dialog_follows = work.dialog_follows
        self.changed()

    def leave(self, work: Work) -> None:
        """This work has ended; with the last one the dialog closes."""
        self._works.remove(work)
        if self._works:
            self.changed()
            return
        if self in self.app.screen_stack:  # else the profile was changed, or the program is ending
            self.dismiss()
        self._hand_over(expected=not self._dialog_follows)

    def fail(self) -> None:
        """The target of the queued keys does not appear."""
        self._dialog_follows = True

    def changed(self) -> None:
        if self._works:
            self.panel.border_title = Content(single_line(self._works[-1].title, limit=50))
            self._meter.show(self._works[-1])
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action != "give_up" or (bool(self._works) and bool(self._works[-1].way_out))

    def keys_kept(self, number: int) -> None:
        self._meter.show_kept(number)

    def call(self) -> Progress:
        """The progress callback for the calls of the work in front."""
        return self._works[-1].elapsed.call() if self._works else lambda _: None

    def action_give_up(self) -> None:
        if self._works:
            self._works[-1].give_up()

    def on_screen_suspend(self) -> None:
        """A dialog has opened above: the queued keys belong to it, or to none."""
        self._stop_counting()
        if self in self.app.screen_stack and self.app.screen is not self:
            front = self.app.screen
            self._dialog_follows = False
            dialog = front if isinstance(front, Dialog) else None
            self._hand_over(expected=not (dialog and dialog.unforeseen), secret=bool(dialog and dialog.SECRET))

    def on_screen_resume(self) -> None:
        """In front again: it stays invisible until the work takes a while."""
        super().on_screen_resume()
        if self in self.app.screen_stack:
            for work in self._works:
                work.elapsed.restart()  # while the dialog was read, nothing was under way
            self._count_down()

    @property
    def is_slow(self) -> bool:
        """Whether the work takes long enough to be shown."""
        return self.has_class("-slow")

    def _count_down(self) -> None:
        self._stop_counting()
        if self.is_mounted:
            self._timer = self._later(SHOWN_AFTER, self._tick)

    def _later(self, seconds: float, do: Callable[[], None]) -> Stoppable:
        return self.workbench.connection.later(seconds, do)

    def _tick(self) -> None:
        """Show the work, and every second how long it has taken."""
        if self._timer is None:  # it was due when a dialog came over this one
            return
        if self.is_slow:
            self._meter.show_elapsed()
        else:
            self.add_class("-slow")
        seconds = self._works[-1].elapsed.seconds if self._works else 0.0
        self._timer = self._later(1 - seconds % 1, self._tick)

    def _stop_counting(self) -> None:
        self.remove_class("-slow")
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _hand_over(self, *, expected: bool, secret: bool = False) -> None:
        self._meter.show_kept(0)
        if not expected:
            self.workbench.refuse_typed_ahead(secret=secret)
        self.workbench.call_later(self.workbench.typeahead.resume)


class _Meter(Widget):
    """The state, a bar if the share is known, time and amount, the way out, and the number of queued keys."""

    DEFAULT_CSS = "_Meter { height: 4; background: $surface; }"

    def __init__(self) -> None:
        super().__init__()
        self._work: Work | None = None
        self._kept = 0

    def show(self, work: Work) -> None:
        self._work = work
        self.refresh()

    def show_elapsed(self) -> None:
        """Draw the line with the time and the amount alone."""
        self.refresh(Region(0, 2, self.size.width, 1))

    def show_kept(self, number: int) -> None:
        self._kept = number
        self.refresh()

    def render_line(self, y: int) -> Strip:
        palette, line, work = Palette.of(self.app.theme_variables), Line(self.size.width), self._work
        if work is None:
            return line.strip(self.rich_style)
        if y == 0:
            line.add(work.state, palette.title).gap(2).add(work.detail, palette.label)
        elif y == 1 and work.share is not None:
            line.add(bar(work.share, line.width), palette.staged)
        elif y == 2:
            line.add(work.elapsed.texts()[0], palette.label)
        elif y == 3:
            if work.stopping:
                line.add("Stopping after this step…", palette.warning)
            elif work.way_out:
                line.add("esc", palette.key).add(f" {work.way_out}", palette.label)
            if self._kept:
                kept = f"{number_of(self._kept, 'key')} waiting"
                line.push_right(len(kept)).add(kept, palette.quiet)
        return line.strip(self.rich_style)


@asynccontextmanager
async def waiting(app: ChartuiApp, work: Work | str, *, dialog_follows: bool = True) -> AsyncIterator[Work]:
    """Queue the keys while the body runs, and show ``work``, or a title, if that takes a while.

    Nested contexts share one dialog, which closes with the outermost. With a title, Escape cancels the task that runs
    the body, and reports that. The body may ask with other dialogs; it shows no other screen, since the dialog covers
    the current one.
    """
    task, canceled = asyncio.current_task(), False

    def cancel() -> None:
        nonlocal canceled
        if task is not None and not canceled:
            canceled = task.cancel()

    work = work if isinstance(work, Work) else Work(work, "Reading…", cancel, "cancels", dialog_follows)
    work.elapsed = Elapsed(app.connection.ticks)
    front = app.screen
    dialog = front if isinstance(front, Waiting) else Waiting()
    dialog.enter(work)
    try:
        if dialog is not front:
            await app.push_screen(dialog)
        yield work
    except asyncio.CancelledError:
        if canceled:
            app.tell("Canceled.", title=work.title)
        raise
    except Exception:  # whatever it was, it goes on its way: only the keys that wait are refused
        dialog.fail()
        raise
    finally:
        dialog.leave(work)
