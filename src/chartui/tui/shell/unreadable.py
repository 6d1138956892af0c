"""The elements of an answer that could not be read, in their raw form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget

from chartui.core.reproduce import as_json
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.spec.elements import Unreadable
from chartui.core.text import single_line
from chartui.core.unreadable import Missed, counted
from chartui.tui.widgets.dialog import Overview
from chartui.tui.widgets.json_view import JsonView
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import WorkScreen
from chartui.tui.widgets.sheet_view import SheetView
from chartui.tui.widgets.text import Words

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp


_COLUMNS: Final = (
    Column("where", title="Where", kind=Kind.TEXT, least=14, best=26),
    Column("reason", title="Reason", kind=Kind.TEXT, least=20, best=40),
    Column("operation", title="Response to", kind=Kind.TEXT, priority=2),
)


def show_unreadable(app: ChartuiApp) -> None:
    """Show the elements that the screen in front could not read, or say that there are none."""
    screen = app.screen
    if isinstance(screen, WorkScreen) and screen.unreadable:
        app.push_screen(UnreadableDialog(screen.missed))
    elif isinstance(screen, WorkScreen):
        app.tell("This screen has no unreadable elements.")


class UnreadableDialog(Overview[None]):
    """A list of the elements, with the full reason and the JSON of the selected one."""

    DEFAULT_CSS = """
    UnreadableDialog SheetView { height: auto; max-height: 40%; }
    UnreadableDialog Words { margin: 0 1; max-height: 5; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy"),
        Binding("tab", "app.focus_next", "JSON"),
        Binding("right,plus", "fold(1)", "Unfold"),
        Binding("left,minus", "fold(-1)", "Fold"),
        Binding("escape,q,V", "dismiss(None)", "Close"),
    ]

    def __init__(self, missed: Mapping[str, Missed]) -> None:
        self._found = [(name, element) for name, one in missed.items() for element in one.unreadable]
        super().__init__(f"Unreadable: {counted(element for _, element in self._found)}")
        self._list = SheetView(roles={"Where": "label"}, id="unreadable")
        self._reason = Words("")
        self._raw = JsonView(whole="the whole element")
        self._raw.add_class("detail")

    def content(self) -> Iterable[Widget]:
        yield self._list
        yield self._reason
        yield self._raw

    def on_mount(self) -> None:
        rows = tuple((e.where or "the whole response", e.reason, operation) for operation, e in self._found)
        self._list.show(Sheet("Unreadable", _COLUMNS, rows, keys=tuple(map(str, range(len(rows))))))
        self._show()
        self.set_focus(self._list if len(self._found) > 1 else self._raw)

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        if event.view is self._list:
            self._show()

    @property
    def _present(self) -> tuple[str, Unreadable] | None:
        """The selected element, and the operation whose answer held it."""
        return self._found[int(key)] if (key := self._list.current_key) is not None else None

    def _show(self) -> None:
        if (present := self._present) is not None:
            self._reason.show(_in_words(*present), role="value")
            self._raw.show(present[1].raw)

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
        if (present := self._present) is not None:
            self.workbench.copy(as_json(present[1].raw), f"Raw {present[1].kind}")


def _in_words(operation: str, element: Unreadable) -> str:
    place = f"{single_line(element.where)} in the" if element.where else "the top level of the"
    return f"{element.kind.capitalize()} at {place} response to {operation}\n{element.reason}"
