"""What the screens share that show a list: a filter one types, and what is under the cursor beside it."""

from __future__ import annotations

from textual import on
from textual.widget import Widget
from textual.widgets import Input

from chartui.tui.widgets.filter import FilterCursor
from chartui.tui.widgets.screen import WorkScreen


class ListScreen(WorkScreen):
    """A ``#list`` below a ``#filter``, and what is under the cursor beside both; in a narrow window one at a time.

    The class ``-detail`` is set while one looks at what is beside the list, ``-filtering`` while the filter is in use.
    """

    DEFAULT_CSS = """
    ListScreen #filter { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    ListScreen.-filtering #filter { display: block; }
    ListScreen #list { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.filter_cursor: FilterCursor[str] = FilterCursor()

    def beside(self) -> Widget:
        """What shows the thing under the cursor."""
        raise NotImplementedError

    def search(self, query: str) -> None:
        """List only what matches."""
        raise NotImplementedError

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        self.search(event.value)

    @on(Input.Submitted, "#filter")
    def _submitted(self) -> None:
        self.accept_match()
        self.query_one("#list").focus()

    def accept_match(self) -> None:
        """Count the record with the cursor as chosen: clearing the filter no longer leaves it."""
        self.filter_cursor = FilterCursor()

    def action_filter(self) -> None:
        self.remove_class("-detail")
        self.open_filter()

    def open_filter(self) -> None:
        """Show the filter, and let keys go there."""
        box = self.query_one("#filter")
        if not box.has_focus:
            self.accept_match()
        self.add_class("-filtering")
        box.focus()
        self.refresh_bindings()

    @property
    def escape_cancels(self) -> bool:
        """Whether neither the record nor the filter has the keys."""
        elsewhere = self.beside().has_focus_within or self.has_class("-detail") or self.has_class("-filtering")
        return not elsewhere

    def action_leave(self) -> None:
        """From what is beside the list to the list; in the list, out of the filter."""
        if self.beside().has_focus_within or self.has_class("-detail"):
            self.remove_class("-detail")
        elif self.has_class("-filtering"):
            box = self.query_one("#filter", Input)
            if not box.has_focus:
                self.accept_match()
            box.value = ""
            self.remove_class("-filtering")
        else:
            self.cancel_read()
            return
        self.query_one("#list").focus()
        self.refresh_bindings()
