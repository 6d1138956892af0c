"""The commands that work here: listed with their keys, and found by name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip

from chartui.commands import Command, DataEffect, commands_for
from chartui.core.lock import Lock
from chartui.keymap import Keymap
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LineView

__all__ = ["Help", "palette"]

#: From this many cells on the explanation stands beside the key.
WIDE = 90

#: What lists, trees and forms have in common; no commands, since they do nothing but move.
_MOVES = (
    (("up", "down", "", "j", "k"), "A row up or down"),
    (("pageup", "pagedown"), "A page up or down"),
    (("home", "end"), "The first or the last row"),
    (("tab",), "The next part of the screen"),
)


class _Keys(LineView):
    """Every key with what it does; the explanation stands beside it where there is room, else below."""

    def __init__(self, scope: str, *, keymap: Keymap, locked: Collection[DataEffect], lock: Lock) -> None:
        super().__init__()
        self._keymap = keymap
        self._entries: list[tuple[str, str, str]] = []
        self._section("On this screen", commands_for(scope), locked=locked, lock=lock)
        moves = [(" ".join(map(keymap.sign, keys)), text, "") for keys, text in _MOVES]
        self._entries += [("", "", ""), ("", "Moving", ""), *moves, ("", "", "")]
        self._section("Everywhere", commands_for("app"), locked=locked, lock=lock)
        self._rows = self._entries

    def _section(self, title: str, commands: Sequence[Command], *, locked: Collection[DataEffect], lock: Lock) -> None:
        self._entries.append(("", title, ""))
        for command in commands:
            keys = self._keymap.labels(command) or "–"
            note = f"{GLYPHS.read_only} {lock.cause}" if command.effect in locked else command.help
            self._entries.append((keys, command.title, note))

    def width_changed(self) -> None:
        """Choose between beside and below."""
        if self._width >= WIDE:
            self._rows = self._entries
        else:
            self._rows = [
                row
                for keys, title, note in self._entries
                for row in ((keys, title, ""), *([("", "", note)] if note else []))
            ]
        self.rows_changed()

    @property
    def row_count(self) -> int:
        """Headings, keys and blanks."""
        return len(self._rows)

    def action_page(self, step: int) -> None:
        """Scroll a page and take the cursor along: in a text, a page that only moves the cursor shows nothing new."""
        height = max(1, self.size.height - 1)
        self.scroll_relative(y=step * height, animate=False)
        self.move_to(self.cursor + step * height)

    def draw_row(self, index: int, width: int) -> Strip:
        """A heading, a key with its title, or an explanation below one."""
        keys, title, note = self._rows[index]
        if title and not keys:
            return Line(width).gap().add(title, self.palette.accent).strip()
        line = Line(width).gap(2).add(keys, self.palette.key, width=11).gap()
        if title:
            line.add(title, self.palette.value, width=min(34, line.left) if note else None).gap()
        return line.add(note, self.palette.label).strip()


class Help(Dialog[None]):
    """What the keys do here. Any of escape, q and ? closes it."""

    DEFAULT_CSS = """
    Help > Vertical { width: 110; max-height: 90%; }
    Help _Keys { height: auto; max-height: 100%; background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "dismiss(None)", show=False)]

    def __init__(self, scope: str, *, keymap: Keymap, locked: Collection[DataEffect], lock: Lock) -> None:
        super().__init__()
        self._keys = _Keys(scope, keymap=keymap, locked=locked, lock=lock)

    def compose(self) -> ComposeResult:
        """The list."""
        with Vertical() as panel:
            panel.border_title = Content("Keys")
            panel.border_subtitle = Content("esc closes")
            yield self._keys

    def on_mount(self) -> None:
        """Keys go to the list."""
        self._keys.rows_changed()
        self._keys.focus()


def palette(scope: str, *, keymap: Keymap, locked: Collection[DataEffect], lock: Lock) -> Chooser[Choice]:
    """A chooser of commands, whose result is the id of one; what is locked names the lock."""
    choices = []
    for command in (*commands_for(scope), *commands_for("app")):
        refused = command.effect in locked
        detail = f"{GLYPHS.read_only} {lock.cause}" if refused else command.help
        choices.append(Choice(command.id, command.title, keymap.label(command), detail))
    return Chooser("Commands", choices)
