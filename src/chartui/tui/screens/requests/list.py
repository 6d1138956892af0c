"""The list of calls, newest first, with its filter."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content

from chartui.core.backends.base import Cache
from chartui.core.backends.recorder import Call
from chartui.core.jsontext import Wire
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.spec.operation import Effect
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.screens.requests.state import RequestsState, outcome, outcome_role, took
from chartui.tui.widgets.border import write_on_border
from chartui.tui.widgets.filter import FilterCursor, ListFilter
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.sheet_view import Role, SheetView

_COLUMNS: Final = (
    Column("time", title="UTC", kind=Kind.TEXT, priority=2),
    Column("sign", kind=Kind.MARK, priority=1, written=False),
    Column("effect"),
    Column("operation", title="Operation", kind=Kind.TEXT, least=20),
    Column("outcome", title="Outcome", kind=Kind.TEXT, least=14),
    Column("latency", "ms", title="ms", kind=Kind.LATENCY),
    Column("size", "bytes", title="Bytes", kind=Kind.COUNT, priority=4),
    Column("note", title="Note", kind=Kind.TEXT, priority=3),
    Column("asked_by", title="Caller", kind=Kind.TEXT, least=11, priority=5),
)
_SIGNS: Final = {Effect.READ: "", Effect.WRITE: GLYPHS.staged, Effect.ACT: GLYPHS.act}
_ROLES: Final[dict[str, Role]] = {
    "sign": "staged",
    "Operation": "value",
    "Outcome": lambda cell, _: outcome_role(str(cell)),
}
#: Stands for the newest call at any time: a cursor on it follows new calls.
_NEWEST: Final = ""


class CallTable(SheetView):
    """The calls, one per row. The filter searches more than a row shows."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for("requests.list")

    def __init__(self) -> None:
        super().__init__(roles=_ROLES, offers_filter=False, id="list")
        self._rows: dict[str, tuple[Call, tuple[Wire, ...]]] = {}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a call, there is nothing to open."""
        return bool(self._rows) if action == "choose" else super().check_action(action, parameters)

    def show_calls(self, calls: Sequence[Call], *, keep: str | None) -> None:
        """List these calls. A recorded call never changes, so its row is made once."""
        before, self._rows = self._rows, {}
        for call in calls:
            known = before.get(key := str(call.number))
            self._rows[key] = known if known is not None and known[0] is call else (call, _row(call))
        rows = tuple(row for _, row in self._rows.values())
        self.show(Sheet("Requests", _COLUMNS, rows, keys=tuple(self._rows)), keep=keep)
        if bool(before) is not bool(rows):
            self.refresh_bindings()

    @property
    def current(self) -> Call | None:
        return self._rows[key][0] if (key := self.current_key) is not None else None

    @property
    def newer(self) -> int:
        """The number of calls newer than the one under the cursor."""
        return list(self._rows).index(key) if (key := self.current_key) is not None else 0


class CallList(Vertical):
    """The panel with the filter and the calls; the border shows their number and kind."""

    def __init__(self) -> None:
        super().__init__(id="left", classes="panel")
        self.border_title = Content("Requests")
        self.table = CallTable()
        self._state = RequestsState()
        self._filter_cursor: FilterCursor[str] = FilterCursor()

    def compose(self) -> ComposeResult:
        yield ListFilter("filter: operation, caller, status, error, ID", id="filter")
        yield self.table

    def show(self, state: RequestsState, *, follow: bool) -> None:
        """Show a state. A cursor on the newest call may ``follow`` new calls; on another it stays."""
        table, before = self.table, self.table.cursor
        below = before - table.scroll_offset.y
        follow = follow and before == 0 and table.order is None
        self._show(state, keep=_first(state.matching) if follow else None)
        if table.cursor != before:
            table.scroll_to(y=table.cursor - below, animate=False)

    def show_filtered(self, state: RequestsState, *, narrowed: bool) -> None:
        """Show a state after a filter change: the cursor on the first match, or back in place without the filter."""
        key, first = self.table.current_key, _first(state.matching)
        if key == _first(state.calls) and key != self._filter_cursor.match:
            key = _NEWEST
        self._filter_cursor = self._filter_cursor.turned(key, first, narrowed=narrowed)
        self._show(state, keep=self._filter_cursor.wanted or first)

    def accept_match(self) -> None:
        """Treat the call under the cursor as chosen: clearing the filter keeps the cursor on it."""
        self._filter_cursor = self._filter_cursor.accepted(self.table.current_key)

    def _show(self, state: RequestsState, *, keep: str | None) -> None:
        self._state = state
        self.table.show_empty(state.emptiness(self.app))
        self.table.show_calls(state.matching, keep=keep)
        self._show_notes()

    @on(LineView.Rested)
    def _show_notes(self) -> None:
        """Show on the border the number of calls, their kind, and the number newer than the selected one."""
        state, shown, newer = self._state, len(self._state.matching), self.table.newer
        parts = [f"{count(shown)} of {count(len(state.calls))}" if shown != len(state.calls) else count(shown)]
        parts += ["failures"] if state.only_failures else []
        parts += ["changes"] if state.only_changes else []
        parts += [f"{count(newer)} newer"] if newer else []
        write_on_border(self, " · ".join(parts))


def _first(calls: Sequence[Call]) -> str | None:
    return str(calls[0].number) if calls else None


def _row(call: Call) -> tuple[Wire, ...]:
    """The cells of a call. For one under way, only the note shows the time so far."""
    effect, milliseconds = call.operation.effect, call.seconds * 1000
    latency = Decimal(f"{milliseconds:.{1 if milliseconds < 10 else 0}f}")
    return (
        call.at[11:19],
        _SIGNS[effect],
        effect.value,
        call.operation.name,
        outcome(call),
        None if call.under_way else latency,
        (call.meta.bytes or None) if call.meta is not None else None,
        _note(call),
        call.context.origin,
    )


def _note(call: Call) -> str:
    """A word on anything unusual about a call."""
    cache = call.meta.cache if call.meta is not None else Cache.NONE
    if call.under_way:
        return took(call)
    if call.folded > 1:
        return f"×{count(call.folded)}"
    if (call.attempts or 1) > 1:
        return f"{call.attempts} tries"
    return {Cache.NONE: "", Cache.HIT: "cached", Cache.REVALIDATED: "unchanged"}[cache]
