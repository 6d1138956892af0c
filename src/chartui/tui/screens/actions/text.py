"""Where one writes what is said: a few lines that wrap, sent with Enter."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.widgets import TextArea

from chartui.core.text import display_text

__all__ = ["SayBox"]


class SayBox(TextArea):
    """A text of some lines. Enter goes on to the screen, which sends; line breaks come with what is pasted."""

    DEFAULT_CSS = """
    SayBox { padding: 0 1; background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; }
    SayBox .text-area--cursor-line { background: $background; }
    SayBox .text-area--placeholder { color: $meaning-quiet; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False)
        # A caret that blinks writes to the terminal without end.
        self.cursor_blink = False

    def get_line(self, line_index: int) -> Text:
        """A line as it is shown: a mark of one cell stands for what a terminal would obey, so that columns hold."""
        line = self.document.get_line(line_index)
        return Text("".join(map(_shown, line)), end="", no_wrap=True)

    def on_key(self, event: events.Key) -> None:
        """Enter is no text: it goes on to the screen."""
        if event.key == "enter":
            event.prevent_default()


def _shown(character: str) -> str:
    shown = display_text(character)
    return shown if len(shown) == 1 else "�"
