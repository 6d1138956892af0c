"""Choosing the columns of the list of characters; the list behind shows each change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from chartui.core.characters.finder import Column as By
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import number_of
from chartui.tui.screens.characters.columns import LEAST, MOST, TITLES, WIDTHS
from chartui.tui.screens.characters.state import NONE_CHOSEN, Chosen
from chartui.tui.widgets.border import write_on_border
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_list import Column, LineList
from chartui.tui.widgets.line_view import LineView


class ColumnsDialog(Dialog[bool]):
    """The result is whether to keep the columns.

    ``show`` shows a choice in the list behind, and returns the columns there with the cells that each one lacks. A
    first choice starts with the columns that the list shows.
    """

    DEFAULT_CSS = """
    ColumnsDialog { align: right bottom; background: $background 0%; }
    ColumnsDialog > Vertical { width: 34; }
    ColumnsDialog LineList { height: auto; background: $surface; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Keep"),
        Binding("space", "switch", "Show or hide"),
        Binding("less_than_sign", "shift(-1)", "Up"),
        Binding("greater_than_sign", "shift(1)", "Down"),
        Binding("plus,equals_sign,right", "widen(1)", "Wider"),
        Binding("minus,left", "widen(-1)", "Narrower"),
        Binding("asterisk", "show_all", "All"),
        Binding("R", "reset", "Automatic"),
        Binding("escape", "dismiss(False)", "Cancel"),
    ]

    def __init__(self, chosen: Chosen, show: Callable[[Chosen], Mapping[By, int]]) -> None:
        super().__init__()
        self._show_in_list = show
        self._lacking: Mapping[By, int] = {}
        self._widths = dict(chosen)
        self._shown = {by for by, _ in chosen}
        rest = [by for by in TITLES if by not in self._widths]
        self._order = [*self._widths, *rest]
        self._automatic = not chosen
        self._list: LineList[By] = LineList(
            (
                Column("Column", TITLES.__getitem__),
                Column("Width", self._width_of, 19, "right", role=lambda b: "warning" if self._lacks(b) else "label"),
            ),
            key=lambda by: by.value,
            marked=lambda by: by in self._shown,
        )

    def compose(self) -> ComposeResult:
        with Vertical() as panel:
            panel.border_title = Content("Columns")
            yield self._list

    def on_mount(self) -> None:
        self._list.focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def _lacks(self, by: By) -> int:
        return self._lacking.get(by, 0) if by in self._shown else 0

    def _width_of(self, by: By) -> str:
        """The width of a column, or why it is not shown."""
        if lacks := self._lacks(by):
            return f"too wide by {number_of(lacks, 'cell')}"
        if self._lacking.get(by) == 0 and by not in self._shown:
            return "shown as the sort column"
        return str(self._widths.get(by) or "automatic")

    def _show(self) -> None:
        """Show the choice here and in the list."""
        chosen = tuple((by, self._widths.get(by, 0)) for by in self._order if by in self._shown)
        self._lacking = self._show_in_list(NONE_CHOSEN if self._automatic else chosen)
        if self._automatic:
            self._shown = {by for by, lacks in self._lacking.items() if not lacks}
        note = "automatic (fits the window)" if self._automatic else f"{len(self._shown)} {GLYPHS.done}"
        write_on_border(self.query_one(Vertical), note)
        self._list.show(tuple(self._order))

    def _choose(self) -> None:
        self._automatic = False
        self._show()

    def action_switch(self) -> None:
        """Show or hide a column; the name always shows."""
        by = self._list.current
        if by is not None and by is not By.NAME:
            self._shown ^= {by}
            self._choose()

    def action_shift(self, step: int) -> None:
        """Move a column to the left or the right in the list."""
        at = self._list.cursor
        if 0 <= (to := at + step) < len(self._order):
            self._order.insert(to, self._order.pop(at))
            self._choose()

    def action_widen(self, step: int) -> None:
        """Make a column wider or narrower; below its minimum, the width is automatic again."""
        if (by := self._list.current) is None:
            return
        width = (self._widths.get(by) or WIDTHS.get(by, len(TITLES[by]))) + step
        self._widths[by] = min(width, MOST) if width >= LEAST else 0
        self._shown |= {by}
        self._choose()

    def action_show_all(self) -> None:
        """Choose every column."""
        self._shown = set(TITLES)
        self._choose()

    def action_reset(self) -> None:
        """Choose the columns that suit the window."""
        self._widths, self._order, self._automatic = {}, list(TITLES), True
        self._show()

    @on(LineView.Chosen)
    def _keep(self) -> None:
        self.dismiss(True)
