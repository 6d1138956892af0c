"""Filtering a list: the text box, and the position of the cursor."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from chartui.core.classes import dataclass
from chartui.core.recent import with_chosen


class FilterBox(Input):
    """One line of text. Its caret does not blink, which would write to the terminal endlessly."""

    def __init__(self, hint: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(placeholder=hint, id=id, select_on_focus=False, compact=True)
        self.cursor_blink = False


class ListFilter(FilterBox):
    """The filter of a list. When it gets the focus again, typing replaces its text."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Go to list")]

    def __init__(self, hint: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(hint, id=id)
        self.select_on_focus = True


class RecallingFilter(ListFilter):
    """A list filter that recalls the filters used before, like the history of a shell."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Go to list", priority=True),  # first in the footer
        Binding("up", "recall(1)", "Earlier filters"),
        Binding("down", "recall(-1)", "Later filters", show=False),
    ]
    #: The most characters of a filter that is remembered.
    MOST: ClassVar[int] = 200

    def __init__(self, hint: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(hint, id=id)
        #: The filters used before, the latest first.
        self.used: tuple[str, ...] = ()
        self._place = 0
        self._typed = ""
        self._recalled: str | None = None

    def remember(self) -> None:
        """Remember the present filter as used."""
        text = self.value.strip()
        if 0 < len(text) <= self.MOST:
            self.used, self._recalled = with_chosen(self.used, text), None

    def action_recall(self, step: int) -> None:
        """Show an earlier filter, or a later one; the latest is the one that was typed."""
        if self.value != self._recalled:
            self._place, self._typed = 0, self.value
        texts = (self._typed, *(text for text in self.used if text != self._typed.strip()))
        self._place = min(max(self._place + step, 0), len(texts) - 1)
        self._recalled = self.value = texts[self._place]
        self.action_end()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is an earlier or a later filter to recall."""
        return not (action == "recall" and not self.used) and super().check_action(action, parameters)


K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class FilterCursor(Generic[K]):
    """The row chosen before the filter (``origin``), and the row that the filter put the cursor on (``match``).

    Both are keys of records or None. A cursor that is no longer on the match was moved by the user, so its record
    counts as chosen.
    """

    origin: K | None = None
    match: K | None = None

    def turned(self, current: K | None, first: K | None, *, narrowed: bool) -> FilterCursor[K]:
        """The same after the filter changed. ``current`` has the cursor; ``first`` is the match if ``narrowed``."""
        return FilterCursor(self.origin if current == self.match else current, first if narrowed else None)

    def accepted(self, current: K | None) -> FilterCursor[K]:
        """The same after the user has chosen ``current``; without a match, the origin stays."""
        return self if current is None else FilterCursor()

    @property
    def wanted(self) -> K | None:
        return self.match or self.origin
