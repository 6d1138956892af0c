"""The help for the current screen: commands with their keys, and visible signs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from chartui.commands import DataEffect
from chartui.commands.synonyms import SYNONYMS
from chartui.core.classes import NamedTuple
from chartui.core.fuzzy import spans
from chartui.core.lock import Lock
from chartui.keymap import Keymap
from chartui.tui.bindings import Active, along, reachable, sign_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import NO_MATCHES
from chartui.tui.lines import Line, fit, wrap
from chartui.tui.shell.jump import part_name
from chartui.tui.shell.legend import Sign, in_sight
from chartui.tui.widgets.chooser import Choice, Ranking
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp
    from chartui.tui.widgets.screen import WorkScreen

#: Cells before a title, and of a title beside its explanation.
_INDENT: Final = 14
_TITLE: Final = 34
#: From this many cells on, the longest explanation fits beside its title.
WIDE: Final = 108

#: Keys common to lists, trees and forms. Not commands, since they only move the cursor.
_MOVES = (
    (("up", "down", "", "j", "k"), "One row up or down"),
    (("pageup", "pagedown"), "One page up or down"),
    (("home", "end", "", "g", "G"), "The first or last row"),
    (("tab",), "The next panel on the screen"),
)


_PARTS: Final = "In the panels on this screen"
_DIALOG: Final = "In this dialog"
_SCREEN: Final = "On this screen"
_MOVING: Final = "Moving"
_EVERYWHERE: Final = "Everywhere"
_SIGNS: Final = "Visible symbols"


def show_help(app: ChartuiApp) -> None:
    """Show the keys that work at the focus, and run the chosen one."""
    found = [each._replace(keys=()) if _is_idle(app.screen, each) else each for each in reachable(along(app.screen))]
    signs = in_sight(app.screen)

    def chosen(wanted: Active | None) -> None:
        if wanted is not None and wanted.command.scope:
            app.call_later(app.action_command, wanted.command.id)
        elif wanted is not None:
            app.call_later(app.run_action, wanted.action, default_namespace=wanted.node)

    app.push_screen(Help(found, signs, keymap=app.keymap, locked=app.locked, lock=app.session.lock), chosen)


def _is_idle(screen: Screen[Any], found: Active) -> bool:
    """Whether Enter does something else at the focus, so the footer does not name the command either."""
    if found.keys != ("enter",) or not found.command.footer or screen.is_modal:
        return False
    return not cast("WorkScreen", screen).footer_word(found.command)


class _Entry(NamedTuple):
    """A line of the help: a heading, an empty line, a command, a key that moves the cursor, or a sign."""

    keys: str = ""
    title: str = ""
    note: str = ""
    found: Active | None = None


def _heading(node: DOMNode) -> str:
    """The group of a node on the focus path: the part with its title, the screen, or everything."""
    if node.is_modal:
        return _DIALOG
    if isinstance(node, App):
        return _EVERYWHERE
    name = part_name(node, otherwise="") if isinstance(node, Widget) and not isinstance(node, Screen) else _SCREEN
    return name if name == _SCREEN else f"In “{name}”" if name else _PARTS


def _groups(
    found: Sequence[Active], signs: Sequence[Sign], *, keymap: Keymap, locked: Collection[DataEffect], lock: Lock
) -> dict[str, list[_Entry]]:
    """The entries by their headings, from the focused part outward."""
    groups: dict[str, list[_Entry]] = {}
    for each in found:
        note = f"{GLYPHS.read_only} {lock.cause}" if each.command.effect in locked else each.command.help
        keys = " ".join(map(keymap.sign, each.keys)) or "–"
        groups.setdefault(_heading(each.node), []).append(_Entry(keys, each.command.title, note, each))
    everywhere = groups.pop(_EVERYWHERE, [])
    groups[_MOVING] = [_Entry(" ".join(map(keymap.sign, keys)), text) for keys, text in _MOVES]
    if any(not each.keys for each in found):
        everywhere.append(
            _Entry("–", "Command without a shortcut", f"Press {keymap.name('palette')} and type the command's name.")
        )
    groups |= {_EVERYWHERE: everywhere, _SIGNS: [_Entry(*sign[:3]) for sign in signs]}
    return groups


class _Keys(LineView):
    """Every key with its effect; the explanation is beside it if there is room, else below."""

    def __init__(self, groups: Mapping[str, Sequence[_Entry]]) -> None:
        super().__init__()
        self._groups = groups
        self._all = [entry for entries in groups.values() for entry in entries]
        self._words: Sequence[str] = ()
        self._entries: list[_Entry] = []
        self.narrow("")

    @cached_property
    def _ranking(self) -> Ranking[Choice]:
        return Ranking(
            Choice(str(place), entry.title, entry.keys, entry.note, SYNONYMS.get(entry.found.command.id, ()))
            if entry.found is not None
            else Choice(str(place), entry.title, entry.keys, entry.note)
            for place, entry in enumerate(self._all)
        )

    def narrow(self, query: str) -> None:
        """Keep the entries that match every word; the cursor goes to the best one."""
        self._words = query.split()
        kept = [self._all[int(choice.key)] for choice in self._ranking.found(query)] if self._words else self._all
        self._entries = []
        for heading, entries in self._groups.items():
            if rows := [entry for entry in entries if entry in kept]:
                self._entries += [_Entry()] * bool(self._entries) + [_Entry(title=heading), *rows]
        self.empty = "" if self._entries else NO_MATCHES
        self._lay_out()
        if self._words and kept:
            best = kept[0].keys, kept[0].title
            self.move_to(next(place for place, row in enumerate(self._rows) if (row.keys, row.title) == best))

    @property
    def current(self) -> Active | None:
        """The command under the cursor."""
        return self._rows[self.cursor].found if self.cursor < len(self._rows) else None

    def width_changed(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        self._rows = self._entries
        if 0 < self._width < WIDE:
            self._rows = [
                row
                for entry in self._entries
                for row in (
                    entry._replace(note=""),
                    *(_Entry(note=text) for text in wrap(entry.note, self._width - _INDENT - 1) if text),
                )
            ]
        self.rows_changed()

    @property
    def row_count(self) -> int:
        return len(self._rows) or len(self.empty_lines())

    def can_stop_at(self, index: int) -> bool:
        return 0 <= index < len(self._rows) and bool(self._rows[index].keys)

    def scroll_to_row(self, index: int) -> None:
        """Scroll to a row and the explanation below it."""
        below = takewhile(lambda row: row.note and not row.keys, self._rows[index + 1 :])
        super().scroll_to_row(index + len(list(below)))
        super().scroll_to_row(index)

    def action_bottom(self) -> None:
        """Show the signs from the first one; from there, go to the last one."""
        signs = next((place for place, row in enumerate(self._rows) if row.title == _SIGNS and not row.keys), None)
        if signs is None or self.cursor > signs:
            super().action_bottom()
        else:
            self.move_to(signs)
            self.scroll_to(y=signs, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll a page and move the cursor with it: the cursor alone would show nothing new."""
        height = max(1, self.size.height - 1)
        self.scroll_relative(y=step * height, animate=False)
        self.move_to(self.cursor + step * height)

    def said_row(self, index: int) -> Iterable[str]:
        """All keys of a command, its title and its explanation; of a sign, its name and meaning."""
        if not self._rows:
            return super().said_row(index)
        entry = self._rows[index]
        keys = "" if entry in self._groups[_SIGNS] else entry.keys.replace(",", "comma")
        return [", ".join(filter(None, (keys, entry.title, entry.note)))]

    def draw_row(self, index: int, width: int) -> Strip:
        if not self._rows:
            return self.draw_empty(index, width)
        keys, title, note, _ = self._rows[index]
        if title and not keys:
            return Line(width).gap().add(title, self.palette.accent).strip()
        line = Line(width).gap(2).add(keys, self.palette.key, width=_INDENT - 3).gap()
        if title:
            shown = fit(title, min(_TITLE, line.left)) if note else title
            line.add_marked(shown, spans(self._words, shown), self.palette.value, self.palette.match).gap()
        return line.add(note, self.palette.label).strip()


class Help(Dialog[Active | None]):
    """The help for the keys and signs of a screen; its result is the command to run."""

    DEFAULT_CSS = """
    Help > Vertical { width: 110; max-height: 90%; }
    Help FilterBox { display: none; padding: 0 1; background: $panel; margin: 0 1 1 1; }
    Help.-filtering FilterBox { display: block; }
    Help _Keys { height: auto; max-height: 100%; background: $surface; }
    Help.-filtering _Keys { height: 1fr; }
    Help.-filtering > Vertical { height: 90%; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Run"),
        Binding("slash", "filter", "Filter"),
        Binding("escape", "end_filter", "Clear filter"),
        Binding("escape,q,question_mark", "dismiss(None)", "Close"),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
    ]

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
        self._keys = _Keys(_groups(found, signs, keymap=keymap, locked=locked, lock=lock))

    def compose(self) -> ComposeResult:
        with Vertical() as panel:
            panel.border_title = Content("Keys and symbols")
            panel.border_subtitle = Content(f"{sign_of(self, 'end')} goes to the symbols")
            yield FilterBox("type to filter")
            yield self._keys

    def on_mount(self) -> None:
        self._keys.rows_changed()
        self._keys.move_to(0)
        self.set_focus(self._keys)

    def action_move(self, step: int) -> None:
        self._keys.action_move(step)

    def action_filter(self) -> None:
        self.add_class("-filtering")
        self.query_one(FilterBox).focus()

    def action_end_filter(self) -> None:
        self.remove_class("-filtering")
        self.query_one(FilterBox).value = ""
        self._keys.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action != "end_filter" or self.has_class("-filtering")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._keys.narrow(event.value)

    @on(Input.Submitted)
    @on(LineView.Chosen)
    def _chosen(self) -> None:
        """Run the command under the cursor; the other lines only inform."""
        if self._keys.current is not None:
            self.dismiss(self._keys.current)
