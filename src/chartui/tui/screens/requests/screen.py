"""The requests screen: every call of the program as it happens, with details."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from chartui.core.backends.recorder import Call
from chartui.core.bookmark import ScreenPlace, text_in
from chartui.tui.bindings import bindings_for
from chartui.tui.clipboard import forms_of
from chartui.tui.loading import Stoppable
from chartui.tui.screens.requests.detail import CallDetail, copies
from chartui.tui.screens.requests.list import CallList
from chartui.tui.screens.requests.state import RequestsState
from chartui.tui.widgets.filter import ListFilter
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.list_screen import ListScreen
from chartui.tui.widgets.screen import Copyable


class RequestsScreen(ListScreen):
    """List and call side by side; in a narrow window one at a time. It sends no requests itself."""

    SCOPE = "requests"
    AUTO_FOCUS = "#list"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("requests")
    DEFAULT_CSS = """
    RequestsScreen #left { width: 3fr; }
    RequestsScreen #call { width: 2fr; }
    RequestsScreen.-narrow #left, RequestsScreen.-narrow #call { width: 1fr; }
    RequestsScreen.-narrow #call, RequestsScreen.-narrow.-detail #left { display: none; }
    RequestsScreen.-narrow.-detail #call { display: block; }
    /* The longest operation, outcome and note fit. */
    RequestsScreen.-wide #left { max-width: 94; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.state = RequestsState()
        self.calls = CallList()
        self.detail = CallDetail()
        self._listening: Sequence[Callable[[], None]] = ()
        self._due = False
        self._timer: Stoppable | None = None

    def compose_work(self) -> Iterable[Widget]:
        with Horizontal():
            yield self.calls
            yield self.detail

    def prepare(self) -> None:
        """Subscribe to calls."""
        recorder = self.workbench.session.recorder
        self._listening = [recorder.listen(self._heard), recorder.listen(self._heard, begun=True)]
        self.query_one("#filter", ListFilter).value = self.state.query
        self.set_class(bool(self.state.query), "-filtering")
        self.show(self.state)

    def place(self) -> ScreenPlace:
        """The filter's text, which is visible. A view of failures or changes would hide why the next list is empty."""
        return {"filter": self.state.query}

    def start_at(self, place: ScreenPlace) -> None:
        self.state = RequestsState(query=text_in(place, "filter"))

    async def on_unmount(self) -> None:
        for stop in self._listening:
            stop()
        self._stop_counting()

    # -- the calls ----------------------------------------------------------------------------------------------------

    async def read_data(self, *, refresh: bool = False) -> None:
        """Show the recorded calls, without a request."""
        del refresh
        self._take()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self._take()

    def _heard(self, _: Call) -> None:
        """Show new calls soon, several at a time, while the screen is visible."""
        if not self._due and self.workbench.scope == self.SCOPE:
            self._due = True
            self.call_later(self._take)

    def _take(self) -> None:
        self._due = False
        recorder, now = self.workbench.session.recorder, self.workbench.connection.ticks()
        under_way = [call._replace(seconds=now - begun) for call, begun in recorder.under_way]
        calls = tuple(reversed((*recorder.calls, *under_way)))
        if calls != self.state.calls:
            self.show(replace(self.state, calls=calls))
        self._stop_counting()
        if under_way and self.workbench.scope == self.SCOPE:
            self._timer = self.workbench.connection.later(1.0, self._take)

    def _stop_counting(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    # -- showing ------------------------------------------------------------------------------------------------------

    def show(self, state: RequestsState) -> None:
        self.state = state
        self.calls.show(state, follow=not self.detail.has_focus)
        self._show_detail_soon()

    def _show_filtered(self, state: RequestsState, *, narrowed: bool) -> None:
        """Show another selection; the list comes back if a call covers it, since the filter may hide that call."""
        self.state = state
        if self.has_class("-narrow") and self.has_class("-detail"):
            self.action_leave()
        self.calls.show_filtered(state, narrowed=narrowed)
        self._show_detail_soon()

    def _show_detail_soon(self) -> None:
        """Show the call under the cursor once the cursor rests; show its absence immediately."""
        if not self.state.matching:
            self.detail.show(None, note=self.state.emptiness(self.workbench))
        elif self.calls.table.current is not self.detail.call:
            self.calls.table.rest()

    @on(LineView.Rested, "#list")
    def _show_detail(self) -> None:
        if (call := self.calls.table.current) is not None:
            self.detail.show(call)

    # -- what the user does -------------------------------------------------------------------------------------------

    def copy_choices(self) -> Sequence[Copyable]:
        """The call under the cursor, and the list."""
        call = self.calls.table.current
        return [*copies(call, self.session), *forms_of(self.calls.table.sheet)] if call is not None else ()

    @on(LineView.Chosen, "#list")
    def _chosen(self) -> None:
        self.add_class("-detail")
        self._show_detail()
        self.detail.focus()

    def beside(self) -> Widget:
        return self.detail

    def accept_match(self) -> None:
        self.calls.accept_match()

    def search(self, query: str) -> None:
        if query != self.state.query:
            self._show_filtered(replace(self.state, query=query), narrowed=bool(query.strip()))

    def action_only_failures(self) -> None:
        only = not self.state.only_failures
        self._show_filtered(replace(self.state, only_failures=only), narrowed=only)

    def action_only_changes(self) -> None:
        """Switch between changes and all calls."""
        only = not self.state.only_changes
        self._show_filtered(replace(self.state, only_changes=only), narrowed=only)
