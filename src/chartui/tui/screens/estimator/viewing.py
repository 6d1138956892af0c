"""The part of the estimator that shows views beside the inputs, one at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Size

from chartui.tui.screens.estimator.board import TALL, Board
from chartui.tui.screens.estimator.keeping import KeepingScreen
from chartui.tui.screens.estimator.result import ResultView
from chartui.tui.screens.estimator.state import ViewName
from chartui.tui.screens.estimator.study import Studies, Study
from chartui.tui.widgets.form import FormView
from chartui.tui.widgets.screen import NORMAL, Copyable

if TYPE_CHECKING:
    from chartui.tui.screens.estimator.study import Pinned

__all__ = ["ViewingScreen"]


class ViewingScreen(KeepingScreen):
    """Turns the views, draws them from one study of the state, and takes along what they show."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]  # noqa: RUF012 - declared so by the framework

    def __init__(self) -> None:
        super().__init__()
        self._studies = Studies()

    def lay_out(self, form: FormView, result: ResultView) -> Board:
        """The board with these two panels; views come when they are first shown."""
        size = self.app.size
        self.set_class(size.height >= TALL, "-tall")
        self.set_class(size.height < TALL, "-short")
        self._had_room = _has_room(size)
        self._board = Board(form, result, self.state.view_settings)
        return self._board

    @property
    def study(self) -> Study | None:
        """What the views are computed from just now; None while there are no rates."""
        return self._studies.of(self.state)

    @property
    def pinned_at_hand(self) -> Pinned | None:
        """What is pinned and under the cursor of the view that has the keys."""
        view = self._board.present
        return view.pinned_at_hand if view is not None and view.has_focus_within else None

    @property
    def view_settings(self) -> Mapping[ViewName, object]:
        """What the user has set in the views."""
        return self._board.settings if self.is_mounted else self.state.view_settings

    def show_views(self) -> None:
        """Draw the state in the estimate and in the views that are in sight."""
        keymap = self.workbench.keymap
        keys = " ".join(filter(None, (keymap.label("previous-view"), keymap.label("next-view"))))
        self._board.show(self.state, self.study, keys)

    async def turn_to(self, name: ViewName, *, follow: bool) -> None:
        """Show a view; the focus goes there with ``follow``."""
        await self._board.turn_to(name)
        self.state = replace(self.state, view=name)
        self.show_views()
        if follow:
            self._board.focus_present()

    async def action_view(self, name: str) -> None:
        """Show a view and go to it."""
        await self.turn_to(ViewName(name), follow=True)

    async def action_in_view(self, name: str, deed: str) -> None:
        """Do what a command of one view does, showing it first."""
        if self.state.view is not ViewName(name):
            await self.turn_to(ViewName(name), follow=True)
        getattr(self._board.view(ViewName(name)), f"action_{deed}")()

    async def action_turn_view(self, step: int) -> None:
        """Show the next or the previous view; the focus stays with the inputs when it is there."""
        await self.turn_to(self._board.neighbour(step), follow=self._board.holds_keys)

    def action_leave_view(self) -> None:
        """Cancel a read; else the focus back to the inputs, which come back where the view had the whole window."""
        if self.cancel_read():
            return
        self._board.zoom(False)
        self.show_views()
        self._board.focus_inputs()

    def action_zoom(self) -> None:
        """Give the view the whole window, or take it back."""
        self._board.zoom(not self._board.zoomed)
        self.show_views()
        self._board.focus_present()

    def on_resize(self, event: events.Resize) -> None:
        """What is in sight may be other panels now."""
        room = _has_room(event.size)
        if room is not self._had_room:  # and not at every event: a dumb terminal has two sizes, which alternate
            self._had_room = room
            self.call_after_refresh(self._rearrange)

    def _rearrange(self) -> None:
        self._board.fit_window()
        self.show_views()

    def copy_choices(self) -> Sequence[Copyable]:
        """What the present view shows, and the estimate."""
        from chartui.tui.screens.estimator.copies import copy_choices

        return copy_choices(self.state, self.session.profile, self._board.present)


def _has_room(size: Size) -> bool:
    """Whether a window shows the estimate, a view and the ranking at once."""
    return size.width >= NORMAL and size.height >= TALL
