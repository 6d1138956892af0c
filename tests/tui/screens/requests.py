"""The requests as a test knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.tui.screens.requests.screen import RequestsScreen
from chartui.tui.widgets.sheet_view import SheetView
from tests.tui.screens.reader import Reader

if TYPE_CHECKING:
    from chartui.core.backends.recorder import Call

__all__ = ["Requests"]


class Requests(Reader[RequestsScreen]):
    """The requests: the list of calls, and the one at the cursor."""

    @property
    def view(self) -> SheetView:
        """The list."""
        return self._screen.calls.table

    @property
    def names(self) -> list[str]:
        """The names of the operations in the list."""
        sheet = self.view.sheet
        place = [column.name for column in sheet.columns].index("operation")
        return [str(row[place]) for row in sheet.rows]

    @property
    def current(self) -> Call:
        """The call at the cursor."""
        call = self._screen.calls.table.current
        assert call is not None
        return call

    @property
    def shown(self) -> Call | None:
        """The call beside the list."""
        return self._screen.detail.call
