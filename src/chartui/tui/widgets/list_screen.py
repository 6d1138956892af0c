"""What the screens share that show a list: a filter one types, and what is under the cursor beside it."""

from __future__ import annotations

from textual import on
from textual.widget import Widget
from textual.widgets import Input

from chartui.tui.widgets.screen import WorkScreen

__all__ = ["ListScreen"]


class ListScreen(WorkScreen):
    """A ``#list`` below a ``#filter``, and what is under the cursor beside both; in a narrow window one at a time.

    The class ``-detail`` is set while one looks at what is beside the list, ``-filtering`` while the filter is in use.
    """

    DEFAULT_CSS = """
    ListScreen #filter { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    ListScreen.-filtering #filter { display: block; }
    ListScreen #list { height: 1fr; }
    """

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
        self.query_one("#list").focus()

    def action_filter(self) -> None:
        """Type to filter."""
        self.remove_class("-detail")
        self.add_class("-filtering")
        self.query_one("#filter").focus()

    def action_leave(self) -> None:
        """From what is beside the list to the list; in the list, out of the filter."""
        if self.beside().has_focus_within or self.has_class("-detail"):
            self.remove_class("-detail")
        elif self.has_class("-filtering"):
            self.query_one("#filter", Input).value = ""
            self.remove_class("-filtering")
        else:
            return
        self.query_one("#list").focus()
