"""An editor for texts of many lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import TextArea

from chartui.core.actions.backstory import word_count
from chartui.tui.numbers import number_of
from chartui.tui.widgets.border import write_on_border
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.text import Words


class Editor(Dialog[str]):
    """Edits ``text``; the result is the edited text.

    Closing keeps what was typed, since that sends nothing. ``changed`` is called with every new text, so that it can be
    kept while it is written; ``hint`` explains beside the keys what happens to it. With ``keys``, the names of template
    keys, tags and template keys are marked and completed.
    """

    DEFAULT_CSS = """
    Editor > Vertical { width: 100; height: 90%; border-title-color: $primary; }
    Editor TextArea {
        height: 1fr;
        border: none;
        padding: 0 1;
        background: $surface;
        scrollbar-size-vertical: 1;
        scrollbar-color: $meaning-border;
        scrollbar-background: $surface;
    }
    Editor TextArea:focus { border: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "undo", "Undo", priority=True),
        Binding("f4", "take_back", "Restore", priority=True),
        Binding("escape", "leave", "Done", priority=True),
    ]

    def __init__(
        self,
        title: str,
        text: str,
        *,
        changed: Callable[[str], None] | None = None,
        hint: str = "",
        keys: Collection[str] | None = None,
    ) -> None:
        super().__init__(title)
        self._text = text
        self._changed = changed
        self._hint = hint
        self._due = False
        if keys is None:
            self._area = TextArea(text, soft_wrap=True, tab_behavior="indent", show_line_numbers=False)
        else:
            from chartui.tui.widgets.speech_area import SpeechArea

            self._area = SpeechArea(text, keys)
        self._area.cursor_blink = False
        # The framework unifies line ends. That is not an edit: untouched text keeps its own.
        self._loaded = self._area.text

    def content(self) -> Iterable[Widget]:
        yield self._area
        if self._hint:
            yield Words(self._hint, role="quiet")

    def on_mount(self) -> None:
        self._area.move_cursor(self._area.document.end)
        self._count(self.text)

    @property
    def text(self) -> str:
        now = self._area.text
        return self._text if now == self._loaded else now

    def on_text_area_changed(self) -> None:
        """Report the text while it is written, once for all keys that came together."""
        if not self._due:
            self._due = True
            self.call_later(self._hand_on)

    def _hand_on(self) -> None:
        self._due = False
        text = self.text
        self._count(text)
        # Once the editor is closed its result counts, not what was typed before.
        if self._changed is not None and self.is_current:
            self._changed(text)

    def _count(self, text: str) -> None:
        size = f"{number_of(len(text), 'character')}, {number_of(word_count(text), 'word')}"
        write_on_border(self.panel, size)

    def action_leave(self) -> None:
        self.dismiss(self.text)

    def action_undo(self) -> None:
        self._area.undo()

    def action_take_back(self) -> None:
        """Restore the text from when the editor was opened; the editor's own undo brings the other back."""
        area = self._area
        area.replace(self._loaded, (0, 0), area.document.end)
