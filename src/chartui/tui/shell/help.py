"""The help for the current screen: commands with their keys, and visible signs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.strip import Strip

from chartui.commands import DataEffect
from chartui.core.lock import Lock
from chartui.keymap import Keymap
from chartui.tui.bindings import Active, sign_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, wrap
from chartui.tui.shell.legend import Sign
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LineView

#: Cells before a title, and of a title beside its explanation.
_INDENT: Final = 14
_TITLE: Final = 34
#: From this many cells on, the longest explanation fits beside its title.
WIDE: Final = 108

#: Keys common to lists, trees and forms. Not commands, since they only move the cursor.
_MOVES = (
    (("up", "down", "", "j", "k"), "A row up or down"),
    (("pageup", "pagedown"), "A page up or down"),
    (("home", "end", "", "g", "G"), "The first or the last row"),
    (("tab",), "The next part of the screen"),
)


_HERE: Final = "Where the focus is"
_DIALOG: Final = "In this dialog"
_SCREEN: Final = "On this screen"
_MOVING: Final = "Moving"
_EVERYWHERE: Final = "Everywhere"
_SIGNS: Final = "Signs in sight"


def _section(node: DOMNode) -> str:
    if node.is_modal:
        return _DIALOG
    return _EVERYWHERE if isinstance(node, App) else _SCREEN if isinstance(node, Screen) else _HERE


class _Keys(LineView):
    """Every key with its effect; the explanation is beside it if there is room, else below."""

    def __init__(
        self,
        found: Sequence[Active],
        signs: Sequence[Sign],
        *,
        keymap: Keymap,
        locked: Collection[DataEffect],
        lock: Lock,
    ) -> None:
        super().__init__()
        self._entries: list[tuple[str, str, str]] = []
        moves = [(" ".join(map(keymap.sign, keys)), text, "") for keys, text in _MOVES]
        entries: dict[str, list[tuple[str, str, str]]]
        entries = {_HERE: [], _DIALOG: [], _SCREEN: [], _MOVING: moves, _EVERYWHERE: []}
        for command, node, _, keys in found:
            note = f"{GLYPHS.read_only} {lock.cause}" if command.effect in locked else command.help
            entries[_section(node)].append((" ".join(map(keymap.sign, keys)) or "–", command.title, note))
        if any(not keys for *_, keys in found):
            entries[_EVERYWHERE].append(
                ("–", "A command without a key", f"Press {keymap.name('palette')} and type its name.")
            )
        for title, rows in entries.items():
            if rows:
                self._entries += [("", "", "")] * bool(self._entries) + [("", title, ""), *rows]
        if signs:
            self._entries += [("", "", ""), ("", _SIGNS, ""), *(sign[:3] for sign in signs)]
        self._rows = self._entries

    def width_changed(self) -> None:
        if self._width >= WIDE:
            self._rows = self._entries
        else:
            self._rows = [
                row
                for keys, title, note in self._entries
                for row in (
                    (keys, title, ""),
                    *(("", "", text) for text in wrap(note, self._width - _INDENT - 1) if text),
                )
            ]
        self.rows_changed()

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def action_page(self, step: int) -> None:
        """Scroll a page and move the cursor with it: the cursor alone would show nothing new."""
        height = max(1, self.size.height - 1)
        self.scroll_relative(y=step * height, animate=False)
        self.move_to(self.cursor + step * height)

    def draw_row(self, index: int, width: int) -> Strip:
        keys, title, note = self._rows[index]
        if title and not keys:
            return Line(width).gap().add(title, self.palette.accent).strip()
        line = Line(width).gap(2).add(keys, self.palette.key, width=_INDENT - 3).gap()
        if title:
            line.add(title, self.palette.value, width=min(_TITLE, line.left) if note else None).gap()
        return line.add(note, self.palette.label).strip()


class Help(Dialog[None]):
    """The help for the keys and signs of a screen. Escape, q or ? closes it."""

    DEFAULT_CSS = """
    Help > Vertical { width: 110; max-height: 90%; }
    Help _Keys { height: auto; max-height: 100%; background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "dismiss(None)", "Close")]

    def __init__(
        self,
        found: Sequence[Active],
        signs: Sequence[Sign] = (),
        *,
        keymap: Keymap,
        locked: Collection[DataEffect],
        lock: Lock,
    ) -> None:
        super().__init__()
        self._keys = _Keys(found, signs, keymap=keymap, locked=locked, lock=lock)

    def compose(self) -> ComposeResult:
        with Vertical() as panel:
            panel.border_title = Content("Keys and signs")
            panel.border_subtitle = Content(f"{sign_of(self, 'end')} shows the signs")
            yield self._keys

    def on_mount(self) -> None:
        self._keys.rows_changed()
        self._keys.focus()
