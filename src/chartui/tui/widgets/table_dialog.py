"""A dialog with a table to choose a row from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget

from chartui.core.sheet import Sheet
from chartui.tui.numbers import count
from chartui.tui.widgets.dialog import Overview
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.sheet_view import Role, SheetView
from chartui.tui.widgets.text import Words


class TableDialog(Overview[tuple[str, str] | None]):
    """The result is an action and the key of the row under the cursor: ``open`` for Enter, None for leaving.

    ``table`` is the table's id. ``actions`` are the actions of further keys, each with its title; ``about`` has a
    sentence on a row, by its key.
    """

    DEFAULT_CSS = "TableDialog Words { height: 2; margin: 0 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]

    def __init__(
        self,
        sheet: Sheet,
        *,
        table: str,
        enter: str,
        keep: str | None = None,
        actions: Mapping[str, tuple[str, str]] | None = None,
        about: Mapping[str, str] | None = None,
        roles: Mapping[str, Role] | None = None,
    ) -> None:
        super().__init__(sheet.title, enter=enter)
        for key, (action, title) in (actions or {}).items():
            self._bindings.bind(key, f"answer('{action}')", title)
        self._sheet = sheet
        self._keep = keep
        self._about = about
        self._table = SheetView(roles=roles, id=table)
        self._words = Words("", role="label")

    def content(self) -> Iterable[Widget]:
        self.panel.border_subtitle = Content(count(len(self._sheet.rows)))
        # Lines besides the rows: border, headings, filter and sentence. With few rows, the screen below stays visible.
        self.panel.styles.max_height = 4 + len(self._sheet.rows) + (2 if self._about else 0)
        yield self._table
        if self._about:
            yield self._words

    def on_mount(self) -> None:
        self._table.show(self._sheet, keep=self._keep)

    @on(LineView.Moved)
    def _moved(self) -> None:
        self._words.show((self._about or {}).get(self._table.current_key or "", ""), role="label")

    @on(LineView.Chosen)
    def _chosen(self) -> None:
        self.action_answer("open")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a filter is typed, every key goes to it."""
        return not (action == "answer" and self._table.typing) and super().check_action(action, parameters)

    def action_answer(self, action: str) -> None:
        if (key := self._table.current_key) is not None:
            self.dismiss((action, key))
