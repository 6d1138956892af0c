"""The requests: every call of the program as it happens, and each of them in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar, Final

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget

from chartui.core.backends.recorder import Call, Excerpt
from chartui.core.reproduce import as_command, as_curl, as_json
from chartui.core.spec.errors import ServiceError
from chartui.tui.bindings import bindings_for
from chartui.tui.clipboard import forms_of
from chartui.tui.numbers import count
from chartui.tui.screens.requests.call_view import CallView
from chartui.tui.screens.requests.state import RequestsState, calls_sheet, key_of, outcome_role
from chartui.tui.wait import Stoppable
from chartui.tui.widgets.border import write_on_border
from chartui.tui.widgets.filter import ListFilter
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.list_screen import ListScreen
from chartui.tui.widgets.screen import Copyable
from chartui.tui.widgets.sheet_view import Role, SheetView

_ROLES: Final[dict[str, Role]] = {
    "sign": "staged",
    "Operation": "value",
    "Outcome": lambda cell, _: outcome_role(str(cell)),
}
#: Stands for the newest call, whichever that is: a cursor on it follows new calls.
_NEWEST: Final = ""


class RequestList(SheetView):
    """The calls; the screen's filter knows more of a call than its row shows."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for("requests.list")

    def __init__(self) -> None:
        super().__init__(roles=_ROLES, offers_filter=False, id="list")


class RequestsScreen(ListScreen):
    """List and call side by side; in a narrow window one at a time. It asks the service nothing itself."""

    SCOPE = "requests"
    AUTO_FOCUS = "#list"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("requests")
    DEFAULT_CSS = """
    RequestsScreen #left { width: 1fr; }
    RequestsScreen #call { display: none; width: 1fr; }
    RequestsScreen.-normal #left, RequestsScreen.-wide #left { width: 3fr; }
    RequestsScreen.-normal #call, RequestsScreen.-wide #call { display: block; width: 2fr; }
    RequestsScreen.-narrow.-detail #left { display: none; }
    RequestsScreen.-narrow.-detail #call { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.state = RequestsState()
        self._listening: Sequence[Callable[[], None]] = ()
        self._due = False
        self._timer: Stoppable | None = None

    def compose_work(self) -> Iterable[Widget]:
        with Horizontal():
            left = Vertical(id="left", classes="panel")
            left.border_title = Content("Requests")
            with left:
                yield ListFilter("filter: operation, who asked, status, error, id", id="filter")
                yield RequestList()
            call = CallView(id="call")
            call.add_class("panel")
            call.border_title = Content("Request")
            yield call

    def prepare(self) -> None:
        """Find the widgets once, and hear of every call from now on."""
        self._list = self.query_one(RequestList)
        self._call = self.query_one(CallView)
        recorder = self.workbench.session.recorder
        self._listening = [recorder.listen(self._heard), recorder.listen(self._heard, begun=True)]
        self._show(self.state)

    def on_unmount(self) -> None:
        for stop in self._listening:
            stop()
        self._stop_counting()

    # -- the calls ----------------------------------------------------------------------------------------------------

    async def read_data(self, *, refresh: bool = False) -> None:
        """Show the calls there are; the service is not asked."""
        del refresh
        self._take()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self._take()

    def _heard(self, _: Call) -> None:
        """Show the new call soon, together with those that come at the same time; nothing while nobody looks."""
        if not self._due and self.workbench.scope == self.SCOPE:
            self._due = True
            self.call_later(self._take)

    def _take(self) -> None:
        self._due = False
        recorder, now = self.workbench.session.recorder, self.workbench.connection.ticks()
        under_way = [replace(call, seconds=now - begun) for call, begun in recorder.under_way]
        calls = tuple(reversed((*recorder.calls, *under_way)))
        if calls != self.state.calls:
            self._show(replace(self.state, calls=calls))
        self._stop_counting()
        if under_way and self.workbench.scope == self.SCOPE:
            self._timer = self.workbench.connection.later(1.0, self._take)

    def _stop_counting(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    # -- showing ------------------------------------------------------------------------------------------------------

    def _show(self, state: RequestsState) -> None:
        """Show a state. A cursor on the newest call follows new calls; on any other call it stays on that call."""
        self.state = state
        shown, before = self._list, self._list.cursor
        below = before - shown.scroll_offset.y
        matching = state.matching()
        follows = before == 0 and shown.order is None and not self._call.has_focus
        self._show_calls(matching, keep=key_of(matching[0]) if follows and matching else None)
        if shown.cursor != before:
            shown.scroll_to(y=shown.cursor - below, animate=False)

    def _show_filtered(self, state: RequestsState, *, narrowed: bool) -> None:
        """Show the list after a filter changed, the cursor on the first match; without that filter where it was."""
        key, matching = self._list.current_key, state.matching()
        if key == next(map(key_of, self.state.calls), None) and key != self.filter_cursor.match:
            key = _NEWEST
        first = next(map(key_of, matching), None)
        self.filter_cursor = self.filter_cursor.turned(key, first, narrowed=narrowed)
        self.state = state
        self._show_calls(matching, keep=self.filter_cursor.wanted or first)

    def _show_calls(self, matching: Sequence[Call], *, keep: str | None) -> None:
        """List these calls, the cursor on the one with the number ``keep``, or on the call it is on."""
        nothing = self._emptiness(self.state)
        self._list.show_empty(nothing)
        self._list.show(calls_sheet(matching), keep=keep)
        self._say_how_many()
        if self.current is not self._call.call:
            self._list.rest()
        if not matching:
            self._call.show(None, note=nothing)
            self._call.border_title, self._call.border_subtitle = Content("Request"), Content("")

    def _say_how_many(self) -> None:
        """Below the list: how many there are, which of them, and how many are newer than the one with the cursor."""
        state, here = self.state, self._list.current_key
        keys = [key_of(call) for call in state.matching()]
        of = f" of {count(len(state.calls))}" if len(keys) != len(state.calls) else ""
        newer = keys.index(here) if here in keys else 0
        parts = [f"{count(len(keys))}{of}"]
        parts += ["failures"] if state.only_failures else []
        parts += ["changes"] if state.only_changes else []
        parts += [f"{count(newer)} newer"] if newer else []
        write_on_border(self.query_one("#left"), " · ".join(parts))

    def _emptiness(self, state: RequestsState) -> str:
        if not state.calls:
            return "No call yet. Every call appears here as it is made."
        if state.query.strip():
            return "No request matches. Escape clears the filter."
        if state.only_failures and state.only_changes:
            return "No failed change so far. f and w show all again."
        return (
            "No failure so far. f shows all again." if state.only_failures else "No change so far. w shows all again."
        )

    @property
    def current(self) -> Call | None:
        """The call under the cursor."""
        key = self._list.current_key
        return next((call for call in self.state.calls if key_of(call) == key), None)

    def _show_call(self) -> None:
        call = self.current
        if call is None:
            return
        self._call.show(call)
        self._call.border_title = Content(f"Request {count(call.number)}")
        self._call.border_subtitle = Content("y copies")

    # -- what the user does -------------------------------------------------------------------------------------------

    def copy_choices(self) -> Sequence[Copyable]:
        """The call under the cursor, as command lines and in parts, and the list. A call kept in part is no command."""
        call = self.current
        if call is None:
            return ()
        session, choices = self.workbench.session, list[Copyable]()
        if call.payload.whole:
            with suppress(ServiceError):  # what could not be sent is no request
                curl = as_curl(call.operation, call.payload.value, session.profile)
                choices += [Copyable("As curl, the key as a variable", curl, ".sh")] if curl is not None else []
            command = as_command(call.operation, call.payload.value, session.profile, read_only=session.read_only)
            choices.append(Copyable("As a command of chartui", command, ".sh"))
        choices.append(_part("What was sent", call.payload))
        if call.body is not None:
            choices.append(_part("What was received", call.body))
        if call.error is not None:
            choices.append(Copyable("The error", call.error.message))
        return [*choices, *forms_of(self._list.sheet)]

    @on(LineView.Rested, "#list")
    def _rested(self) -> None:
        self._show_call()
        self._say_how_many()

    @on(LineView.Chosen, "#list")
    def _chosen(self) -> None:
        self.add_class("-detail")
        self._show_call()
        self._call.focus()

    def beside(self) -> Widget:
        return self._call

    def search(self, query: str) -> None:
        if query != self.state.query:
            self._show_filtered(replace(self.state, query=query), narrowed=bool(query.strip()))

    def action_only_failures(self) -> None:
        only = not self.state.only_failures
        self._show_filtered(replace(self.state, only_failures=only), narrowed=only)

    def action_only_changes(self) -> None:
        """Show only what does more than read, or all again."""
        only = not self.state.only_changes
        self._show_filtered(replace(self.state, only_changes=only), narrowed=only)


def _part(title: str, excerpt: Excerpt) -> Copyable:
    return Copyable(title if excerpt.whole else f"{title}, in part", as_json(excerpt.value), ".json")
