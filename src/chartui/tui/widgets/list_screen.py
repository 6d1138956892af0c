"""The base of the list screens: a filter, and details of the selected item beside the list."""

from __future__ import annotations

from textual import on
from textual.widget import Widget
from textual.widgets import Input

from chartui.tui.widgets.screen import WorkScreen


class ListScreen(WorkScreen):
    """A ``#list`` below a ``#filter``, and details of the selected item beside both; in a narrow window one at a time.

    The class ``-detail`` is set while the details have the focus, ``-filtering`` while the filter is in use.
    """

    DEFAULT_CSS = """
    ListScreen #filter { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    ListScreen.-filtering #filter { display: block; }
    ListScreen #list { height: 1fr; }
    """

    def beside(self) -> Widget:
        """The widget that shows the selected item."""
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
        """Treat the selected row as chosen: clearing the filter keeps the cursor on it."""
        raise NotImplementedError

    def action_filter(self) -> None:
        self.remove_class("-detail")
        self.open_filter()

    def open_filter(self) -> None:
        """Show the filter and move the focus there."""
        box = self.query_one("#filter")
        if not box.has_focus:
            self.accept_match()
        self.add_class("-filtering")
        box.focus()
        self.refresh_bindings()

    def return_to_start(self) -> None:
        self.remove_class("-detail")
        super().return_to_start()

    @property
    def _in_details(self) -> bool:
        return self.beside().has_focus_within or self.has_class("-detail")

    @property
    def escape_cancels(self) -> bool:
        """Whether neither the details nor the filter have the focus."""
        return not (self._in_details or self.has_class("-filtering"))

    @property
    def escape_clears(self) -> bool:
        return self.has_class("-filtering") and not self._in_details

    def action_leave(self) -> None:
        """From the details to the list; in the list, out of the filter."""
        if self._in_details:
            self.remove_class("-detail")
        elif self.has_class("-filtering"):
            box = self.query_one("#filter", Input)
            if not box.has_focus:
                self.accept_match()
            box.value = ""
            self.remove_class("-filtering")
        else:
            self.step_back()
            return
        self.query_one("#list").focus()
        self.refresh_bindings()
