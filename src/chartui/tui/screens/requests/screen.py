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
from chartui.tui.numbers import count
from chartui.tui.screens.requests.call_view import CallView
from chartui.tui.screens.requests.state import (
    RequestsState,
    bytes_text,
    effect_mark,
    note,
    outcome,
    outcome_role,
    took,
    when,
)
from chartui.tui.wait import Stoppable
from chartui.tui.widgets.border import write_on_border
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.line_list import Column, LineList
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.list_screen import ListScreen
from chartui.tui.widgets.screen import Copyable

_COLUMNS: tuple[Column[Call], ...] = (
    Column("UTC", when, 8, role="label"),
    Column("", effect_mark, 1, role="staged"),
    Column("Operation", lambda c: c.operation.name),
    Column("Asked by", lambda c: c.context.origin, 11, role="label", rank=5),
    Column("Outcome", outcome, 14, role=outcome_role),
    Column("ms", took, 6, align="right", role="latency"),
    Column("Bytes", bytes_text, 7, align="right", rank=3),
    Column("", note, 7, role="label"),
)

#: Stands for the newest call, whichever that is: a cursor on it follows new calls.
_NEWEST: Final = ""


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
        """The panes."""
        with Horizontal():
            left = Vertical(id="left", classes="panel")
            left.border_title = Content("Requests")
            with left:
                yield FilterBox("filter: operation, who asked, status, error, id", id="filter")
                yield LineList[Call](_COLUMNS, key=_name, id="list")
            call = CallView(id="call")
            call.add_class("panel")
            call.border_title = Content("Request")
            yield call

    def prepare(self) -> None:
        """Find the widgets once, and hear of every call from now on."""
        self._list: LineList[Call] = self.query_one(LineList)
        self._call = self.query_one(CallView)
        recorder = self.workbench.session.recorder
        self._listening = [recorder.listen(self._heard), recorder.listen(self._heard, begun=True)]
        self._show(self.state)

    def on_unmount(self) -> None:
        """Hear of no more calls."""
        for stop in self._listening:
            stop()
        self._stop_counting()

    # -- the calls ----------------------------------------------------------------------------------------------------

    async def read_data(self, *, refresh: bool = False) -> None:
        """Show the calls there are; the service is not asked."""
        del refresh
        self._take()

    def on_screen_resume(self) -> None:
        """Show what happened meanwhile."""
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
        follows = before == 0 and not self._call.has_focus
        self._show_calls(matching, keep=_name(matching[0]) if follows and matching else None)
        if shown.cursor != before:
            shown.scroll_to(y=shown.cursor - below, animate=False)

    def _show_filtered(self, state: RequestsState, *, narrowed: bool) -> None:
        """Show the list after a filter changed, the cursor on the first match; without that filter where it was."""
        current, matching = self._list.current, state.matching()
        key = _name(current) if current is not None else None
        if current is next(iter(self.state.calls), None) and key != self.filter_cursor.match:
            key = _NEWEST
        first = next(map(_name, matching), None)
        self.filter_cursor = self.filter_cursor.turned(key, first, narrowed=narrowed)
        self.state = state
        self._show_calls(matching, keep=self.filter_cursor.wanted or first)

    def _show_calls(self, matching: Sequence[Call], *, keep: str | None) -> None:
        """List these calls, the cursor on the one with the number ``keep``, or on the call it is on."""
        state, shown = self.state, self._list
        shown.empty = self._emptiness(state)
        shown.show(matching, keep=keep)
        self._say_how_many()
        if shown.current is not self._call.call:
            shown.rest()
        if not matching:
            self._call.show(None, note="No request to show.")

    def _say_how_many(self) -> None:
        """Below the list: how many there are, which of them, and how many are newer than the one with the cursor."""
        state, listed = self.state, len(self._list.items)
        of = f" of {count(len(state.calls))}" if listed != len(state.calls) else ""
        parts = [f"{count(listed)}{of}"]
        parts += ["failures"] if state.only_failures else []
        parts += ["changes"] if state.only_changes else []
        parts += [f"{count(self._list.cursor)} newer"] if self._list.cursor else []
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

    def _show_call(self) -> None:
        call = self._list.current
        if call is None:
            return
        self._call.show(call)
        self._call.border_title = Content(f"Request {count(call.number)}")
        self._call.border_subtitle = Content("y copies")

    # -- what the user does -------------------------------------------------------------------------------------------

    def copy_choices(self) -> Sequence[Copyable]:
        """The call under the cursor, as command lines and in parts; what was kept in part is no command."""
        call = self._list.current
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
        return choices

    @on(LineView.Rested, "#list")
    def _rested(self) -> None:
        self._show_call()
        self._say_how_many()

    @on(LineView.Chosen, "#list")
    def _chosen(self) -> None:
        self.action_open_request()

    def beside(self) -> Widget:
        """The call."""
        return self._call

    def search(self, query: str) -> None:
        """List only the calls that match."""
        if query != self.state.query:
            self._show_filtered(replace(self.state, query=query), narrowed=bool(query.strip()))

    def action_only_failures(self) -> None:
        """Show failures only, or all again."""
        only = not self.state.only_failures
        self._show_filtered(replace(self.state, only_failures=only), narrowed=only)

    def action_only_changes(self) -> None:
        """Show only what does more than read, or all again."""
        only = not self.state.only_changes
        self._show_filtered(replace(self.state, only_changes=only), narrowed=only)

    def action_open_request(self) -> None:
        """Go to the call under the cursor."""
        if self._list.current is None:
            return
        self.add_class("-detail")
        self._show_call()
        self._call.focus()


def _name(call: Call) -> str:
    return str(call.number)


def _part(title: str, excerpt: Excerpt) -> Copyable:
    return Copyable(title if excerpt.whole else f"{title}, in part", as_json(excerpt.value), ".json")
