"""A text box for texts with ``<speak>`` tags and ``{Key}``s: it marks them, and completes them while you type."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar, Final

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import TextArea

from chartui.core.narrative.speech import KEY, TAG, keys_in, speech
from chartui.tui.theme import Palette

_OPEN: Final = "<speak>"
_CLOSE: Final = "</speak>"


class SpeechArea(TextArea):
    """``keys`` are names to complete, besides those in the text. The completion is shown behind the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "Complete", priority=True)]

    def __init__(self, text: str, keys: Collection[str]) -> None:
        super().__init__(
            text, soft_wrap=True, tab_behavior="indent", show_line_numbers=False, highlight_cursor_line=False
        )
        self._keys = tuple(keys)

    def get_line(self, line_index: int) -> Text:
        """The line with its tags and template keys marked."""
        line, palette = super().get_line(line_index), Palette.of(self.app.theme_variables)
        for pattern, style in ((TAG, palette.accent), (KEY, palette.warning)):
            for found in pattern.finditer(line.plain):
                line.stylize(style, *found.span())
        return line

    def update_suggestion(self) -> None:
        """Suggest the rest of a tag or a template key whose beginning is before the cursor."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        begun = max(line.rfind("{", 0, column), line.rfind("<", 0, column))
        typed, behind = line[max(begun, 0) : column], line[column:]
        begins = begun >= 0 and self.selection.is_empty
        fits = (one for one in self._completions() if one.startswith(typed)) if begins else iter(())
        rest = next(fits, typed)[len(typed) :]
        self.suggestion = "" if behind[:1].isalnum() or behind.startswith(rest) else rest

    def _completions(self) -> Iterator[str]:
        yield from (f"{{{key}}}" for key in (*self._keys, *keys_in([self.text])))
        inside = not speech(self.get_text_range((0, 0), self.cursor_location)).balanced
        yield _CLOSE if inside else _OPEN

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether there is something to complete; otherwise Tab indents."""
        return bool(self.suggestion) if action == "complete" else super().check_action(action, parameters)

    def watch_suggestion(self) -> None:
        self.refresh_bindings()

    def action_complete(self) -> None:
        self.insert(self.suggestion)
