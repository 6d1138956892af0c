"""The pane of a section or trigger: a line for everything that can be read of it and changed, and a box to write in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input
from textual.widgets.input import Selection

from chartui.core.fields import Group
from chartui.tui.bindings import sign_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.text import Words

__all__ = ["EntryLine", "SectionView"]


class SectionView(FieldsView):
    """The lines, of which those that say something are stops."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._about: object = None

    def show_groups(self, groups: Sequence[Group], *, note: str, about: object) -> None:
        """Show these groups; about the same thing as before, the cursor stays on its line."""
        path = self.path if about == self._about else None
        self._about = about
        self.show(groups, note=note, same=path is not None)
        if path is not None:
            self.go_to(path)
        elif not self.can_stop_at(self.cursor):
            self.move_to(self.cursor)

    def can_stop_at(self, index: int) -> bool:
        """Lines of entries; a note can be read from any of its lines."""
        return super().can_stop_at(index) and (self._rows[index].entry is not None or not self._groups)

    @property
    def path(self) -> str | None:
        """What the line with the cursor is about, as it is called on the wire; None where there is none."""
        return self.entry.path if self.entry is not None else None

    def go_to(self, path: str) -> None:
        """Put the cursor on the first line about something, unless it is on one of its lines."""
        if self.path == path:
            return
        found = (i for i, row in enumerate(self._rows) if row.entry is not None and row.entry.path == path)
        first = next(found, None)
        if first is not None:
            self.move_to(first)
        elif not self.can_stop_at(self.cursor):
            self.move_to(self.cursor, step=-1)


class EntryLine(Vertical):
    """One line to write in, at the foot of the panes while something is asked. Enter takes it, Escape leaves it."""

    DEFAULT_CSS = """
    EntryLine { display: none; dock: bottom; height: 2; }
    EntryLine.-asking { display: block; }
    EntryLine Words { height: 1; background: $panel; }
    EntryLine FilterBox { padding: 0 1; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    class Left(Message):
        """Nothing is asked any more."""

    def __init__(self) -> None:
        super().__init__(id="entry")
        self._question = Words("", role="label")
        self._box = FilterBox("")
        self._then: Callable[[str], object] | None = None
        self._refusal: Callable[[str], str] = str

    def compose(self) -> ComposeResult:
        """What is asked, and the line."""
        yield self._question
        yield self._box

    @property
    def asking(self) -> bool:
        """Whether something is asked."""
        return self._then is not None

    def ask(self, question: str, text: str, then: Callable[[str], object], refusal: Callable[[str], str]) -> None:
        """Ask for a line that begins as ``text`` and is given to ``then``; ``refusal`` says why one is not taken."""
        self._then, self._refusal = then, refusal
        self._question.show(f"{question}  ({sign_of(self, 'enter')} takes it, esc leaves it)", role="label")
        self._box.value = text
        self._box.selection = Selection(0, len(text))
        self.add_class("-asking")
        self._box.focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text, then = event.value.strip(), self._then
        if refusal := self._refusal(text):
            self._question.show(f"{GLYPHS.danger} {refusal}", role="danger")
        elif then is not None:
            self.action_leave()
            then(text)

    def action_leave(self) -> None:
        """Ask no more."""
        self._then = None
        self.remove_class("-asking")
        self.post_message(self.Left())
