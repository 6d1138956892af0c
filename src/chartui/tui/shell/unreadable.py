"""The elements of an answer that could not be read, as they came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from chartui.core.reproduce import as_json
from chartui.core.spec.elements import Unreadable
from chartui.core.text import single_line
from chartui.core.unreadable import Missed, counted
from chartui.tui.widgets.dialog import Overview
from chartui.tui.widgets.json_view import JsonView
from chartui.tui.widgets.line_list import Column, LineList
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.text import Words

if TYPE_CHECKING:
    from chartui.tui.widgets.screen import WorkScreen


class _Element(NamedTuple):
    """One of them, the operation whose answer held it, and its number in the list."""

    number: int
    operation: str
    element: Unreadable


_COLUMNS: Final[tuple[Column[_Element], ...]] = (
    Column("Where", lambda e: single_line(e.element.where or "the whole answer"), 26, role="label", least=14),
    Column("Reason", lambda e: single_line(e.element.reason), least=20),
    Column("Answer to", lambda e: e.operation, 21, role="label", rank=5),
)


def show_unreadable(screen: WorkScreen) -> None:
    """Show what ``screen`` could not read; say so where it could read everything."""
    if screen.unreadable:
        screen.app.push_screen(UnreadableDialog(screen.missed))
    else:
        screen.workbench.tell("Everything on this screen could be read.")


class UnreadableDialog(Overview[None]):
    """A list of the elements; of the one with the cursor the whole reason, and its JSON."""

    DEFAULT_CSS = """
    UnreadableDialog LineList { height: auto; max-height: 40%; }
    UnreadableDialog Words { background: $surface; margin: 0 1; max-height: 5; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy"),
        Binding("tab", "app.focus_next", "JSON"),
        Binding("right,plus", "fold(1)", "Unfold"),
        Binding("left,minus", "fold(-1)", "Fold"),
        Binding("escape,q,V", "dismiss(None)", "Close"),
    ]

    def __init__(self, missed: Mapping[str, Missed]) -> None:
        super().__init__()
        found = [(name, element) for name, one in missed.items() for element in one.unreadable]
        self._found = [_Element(number, *each) for number, each in enumerate(found)]
        self._list = LineList[_Element](_COLUMNS, key=lambda e: str(e.number))
        self._reason = Words("")
        self._raw = JsonView(whole="the whole element")
        self._raw.add_class("detail")

    def compose(self) -> ComposeResult:
        with Vertical() as panel:
            panel.border_title = Content(single_line(f"Unreadable: {counted(e.element for e in self._found)}"))
            yield self._list
            yield self._reason
            yield self._raw

    def on_mount(self) -> None:
        self._list.show(self._found)
        self._show()
        (self._list if len(self._found) > 1 else self._raw).focus()

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        if event.view is self._list:
            self._show()

    def _show(self) -> None:
        present = self._list.current
        if present is not None:
            self._reason.show(_in_words(present), role="value")
            self._raw.show(present.element.raw)

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        if event.view is self._list:
            self._raw.focus()
        else:
            self._raw.action_choose()

    def action_fold(self, step: int) -> None:
        if step > 0:
            self._raw.unfold()
        else:
            self._raw.fold()

    def action_copy(self) -> None:
        present = self._list.current
        if present is not None:
            self.workbench.copy(as_json(present.element.raw), f"The {present.element.kind} as it came")


def _in_words(shown: _Element) -> str:
    element = shown.element
    place = f"{single_line(element.where)} of the" if element.where else "the whole"
    return f"{element.kind.capitalize()} at {place} answer to {shown.operation}\n{element.reason}"
