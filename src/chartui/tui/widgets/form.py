"""A form drawn line by line: labels on the left, values on the right, one row per input.

The screen sets the values with :meth:`FormView.show`; the user's input goes out as messages. The form keeps only the
cursor and the number being typed, since keys can come faster than the screen answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Literal, cast

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.text import cell_width
from chartui.core.typed_numbers import number_in
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Align, Line
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.messages import withdraw

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Cells of a form's labels, with the gap after them. A longer label widens the column to at most ``_WIDEST_LABEL``.
LABEL_WIDTH, _WIDEST_LABEL = 14, 20
#: Maximum length of a number; no real quantity is longer.
MAX_TYPED = 24
_SELECTED = Style(reverse=True)
#: Characters that begin a number. A sign alone is a step, unless a digit follows.
_BEGINS = frozenset("0123456789.,")
#: Further characters in written numbers and ranges; while a number is typed, none of them is a key of the screen.
_GOES_ON = _BEGINS | frozenset(" eE-\u2013")
_SIGNS = frozenset("+-")
#: Characters of keys that change the number itself, by a step.
_KEYS = frozenset("+-= ")
#: The topic of the message on a refused key, which goes when typing goes on or ends.
_REFUSED = "refused key"


class FieldKind(StrEnum):
    CHOICE = "choice"
    SWITCH = "switch"
    NUMBER = "number"
    TEXT = "text"  # several lines: only the beginning is shown; opens in an editor


@dataclass(slots=True)
class _Typing:
    """A number being typed: its text, its caret, and the previous number for Esc."""

    text: str
    caret: int
    before: str


class Heading(NamedTuple):
    """The name of the group below; an empty text is an empty row."""

    text: str = ""


class Note(NamedTuple):
    """A line about the input above it or, not ``indented``, about the form. ``role`` names the palette's style."""

    text: str
    role: Literal["label", "quiet", "staged", "warning", "danger"] = "label"
    indented: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """One input as it is drawn.

    ``text`` is the value, for a number as typed. ``default`` is shown if it is empty. ``changed`` marks a value that
    differs from the default, ``staged`` one that differs from the service's. ``problem`` says why it is invalid.
    ``align`` puts a number in a column, instead of where other values begin. ``units`` may be typed after a number,
    and ``exponents`` in it.
    """

    id: str
    label: str
    kind: FieldKind
    text: str
    unit: str = ""
    default: str = ""
    on: bool = False
    changed: bool = False
    staged: bool = False
    problem: str = ""
    align: Align = "right"
    units: str = ""
    exponents: bool = True


Row = FieldRow | Heading | Note


class FormView(LineView):
    """The inputs of a screen; ``locked`` disables changes. While a number is typed, no letter is a command."""

    KIND = "form"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "leave_forward", show=False),
        Binding("space", "choose", show=False),
        Binding("enter", "end_typing", "Done", tooltip="Stops editing the number."),
        Binding("enter", "choose", show=False),
        Binding("escape", "cancel_typing", "Cancel", tooltip="Restores the previous number."),
        Binding("backspace", "erase(-1, 0)", show=False),
        Binding("delete", "erase(0, 1)", show=False),
        Binding("ctrl+u", f"erase({-MAX_TYPED}, 0)", show=False),
        Binding("left", "move_caret(-1)", show=False),
        Binding("right", "move_caret(1)", show=False),
    ]

    @dataclass
    class Typed(Message):
        field: str
        text: str
        before: str

    @dataclass
    class Activated(Message):
        """An input was chosen, even if locked: open its list, or flip it."""

        field: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: Sequence[Row] = ()
        self._label_width = LABEL_WIDTH
        self._typed: _Typing | None = None
        #: The values before each of the last minus signs.
        self._minuses: list[str] = []
        self.locked = False

    def show(self, rows: Sequence[Row]) -> None:
        """Draw these inputs; the cursor and a number being typed are kept."""
        held, typing, took = self.current, self._typing, self._takes_number
        before, self._rows = self._rows, rows
        labels, self._label_width = self._label_width, _label_width(rows)
        moved = held is not None and (self.current is None or self.current.id != held.id)
        if moved or len(rows) != len(before) or labels != self._label_width:
            self.rows_changed()
            self.move_to(self.cursor)
            if held is not None:
                self.put_cursor(held.id)
                self._typing = typing if self.current is not None and self.current.id == held.id else None
        else:
            self.refresh_changed(before, rows)
        if took != self._takes_number:
            self.refresh_bindings()

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def can_stop_at(self, index: int) -> bool:
        return 0 <= index < len(self._rows) and isinstance(self._rows[index], FieldRow)

    @property
    def current(self) -> FieldRow | None:
        return self._field(self.cursor)

    def _field(self, index: int) -> FieldRow | None:
        row = self._rows[index] if index < len(self._rows) else None
        return row if isinstance(row, FieldRow) else None

    def put_cursor(self, field: str) -> None:
        for index, row in enumerate(self._rows):
            if isinstance(row, FieldRow) and row.id == field:
                self.cursor = index

    def watch_cursor(self, old: int, new: int) -> None:
        self._typing, self._minuses = None, []
        super().watch_cursor(old, new)
        if self._is_number(old) is not self._is_number(new):
            self.refresh_bindings()

    @property
    def typing(self) -> bool:
        return self._typing is not None

    @property
    def _typing(self) -> _Typing | None:
        return self._typed

    @_typing.setter
    def _typing(self, typing: _Typing | None) -> None:
        before, self._typed = self._typed, typing
        if (before is None) is not (typing is None):
            self.refresh_bindings()  # other keys work while a number is typed

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("end_typing", "cancel_typing", "move_caret"):
            return self.typing
        return self._takes_number if action == "erase" else super().check_action(action, parameters)

    def stop_typing(self) -> None:
        """Stop typing: the row shows the screen's value again."""
        if self._typing is not None:
            withdraw(self.app, _REFUSED)
        self._typing = None
        self.refresh_row(self.cursor)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def draw_row(self, index: int, width: int) -> Strip:
        row = self._rows[index]
        line = Line(width)
        if isinstance(row, Heading):
            return line.gap().add(row.text, self.palette.quiet).strip()
        if isinstance(row, Note):
            indent = self._label_width + 1 if row.indented else 1
            return line.gap(indent).add(row.text, getattr(self.palette, row.role)).strip()
        here = index == self.cursor
        line.add(GLYPHS.cursor if here and self.has_focus else " ", self.palette.accent)
        mark = f"{GLYPHS.staged} " if row.staged else " "
        label_style = self.palette.value if here else self.palette.label
        line.add(row.label, label_style, width=self._label_width - len(mark)).add(mark, self.palette.staged)
        match row.kind:
            case FieldKind.CHOICE | FieldKind.TEXT:
                self._draw_choice(line, row)
            case FieldKind.SWITCH:
                self._draw_switch(line, row)
            case FieldKind.NUMBER:
                self._draw_number(line, row, focused=here and self.has_focus)
        return line.strip()

    @property
    def row_identity(self) -> object:
        return self.current.id if self.current is not None else None

    def said_row(self, index: int) -> Iterable[str]:
        """An input with its value, unit and state; the notes about it follow."""
        row = self._rows[index]
        if not isinstance(row, FieldRow):
            return [row.text]
        typed = self._typing if index == self.cursor else None
        text = typed.text if typed else row.text or row.default
        value = " ".join(filter(None, (text or "empty", "" if row.problem else row.unit)))
        if row.kind is FieldKind.SWITCH:
            value = row.text or ("on" if row.on else "off")
        said = f"{row.label}: {value}" if row.label else value
        return [said, *(["Staged"] if row.staged else []), *([row.problem] if row.problem else [])]

    def said_current(self) -> Iterator[str]:
        """The input under the cursor, after the heading of its group, and the notes about it."""
        first, last = self.cursor, self.cursor + 1
        while first and isinstance(self._rows[first - 1], Heading):
            first -= 1
        while last < len(self._rows) and isinstance(self._rows[last], Note):
            last += 1
        for index in range(first, min(last, len(self._rows))):
            yield from self.said_row(index)

    def _value_style(self, row: FieldRow) -> Style:
        if row.problem:
            return self.palette.danger
        if row.staged:
            return self.palette.staged
        return self.palette.title if row.changed else self.palette.value

    def _draw_choice(self, line: Line, row: FieldRow) -> None:
        style = self._value_style(row) if row.text else self.palette.label
        line.add(row.text or row.default, style, width=line.left - 3).gap()
        more = GLYPHS.text if row.kind is FieldKind.TEXT else GLYPHS.more
        line.add(GLYPHS.danger if row.problem else more, self.palette.danger if row.problem else None)

    def _draw_switch(self, line: Line, row: FieldRow) -> None:
        sign, style = (GLYPHS.on, self.palette.accent) if row.on else (GLYPHS.off, self.palette.label)
        line.add(sign, style).gap().add(row.text, self._value_style(row))

    def _draw_number(self, line: Line, row: FieldRow, *, focused: bool) -> None:
        typing = self._typing if focused else None
        shown = typing.text if typing else _grouped(row.text or row.default)
        # A number too long for its column uses the unit's cells; its caret needs a cell too.
        column, most = max(6, line.left - 13) if row.align == "right" else 0, max(6, line.left - 3)
        cells = min(most, max(column, len(shown) + (1 if typing else 0)))
        style = self._value_style(row) if row.text or focused else self.palette.label
        if typing:
            self._draw_typing(line, typing, cells, style)
        else:
            line.gap(max(0, cells - len(shown))).add(shown[-cells:], style + _SELECTED if focused else style)
        if row.problem:
            line.add(f" {GLYPHS.danger}", self.palette.danger)
        else:
            line.add(f" {row.unit}", self.palette.label)

    def _draw_typing(self, line: Line, typing: _Typing, cells: int, style: Style) -> None:
        """The number with its caret; only the end of a long one."""
        cut = max(0, len(typing.text) - (cells - 1))
        text, caret = typing.text[cut:], max(0, typing.caret - cut)
        line.gap(max(0, cells - len(text) - 1)).add(text[:caret], style)
        line.add(text[caret : caret + 1] or " ", style + _SELECTED)
        line.add(text[caret + 1 :] + (" " if caret < len(text) else ""), style)

    # -- typing a number ----------------------------------------------------------------------------------------------

    def _type(self, row: FieldRow, text: str, caret: int) -> None:
        withdraw(self.app, _REFUSED)
        typing, text = self._typing, text[:MAX_TYPED]
        before = typing.before if typing else row.text
        self._typing = _Typing(text, min(caret, len(text)), before)
        self.post_message(self.Typed(row.id, text, before))
        self.refresh_row(self.cursor)

    def _edit(self, row: FieldRow, event: events.Key) -> bool:
        """Take a key as text; returns whether it is one. Without a caret the whole number is selected."""
        typing, minuses = self._typing, self._minuses
        text, caret = (typing.text, typing.caret) if typing else ("", 0)
        self._minuses = [*minuses, row.text] if event.character == "-" and not text else []
        if len(minuses) == 1 and not text and event.character is not None and event.character in _BEGINS:
            # A single minus was the number's sign; several are steps.
            self._typing = _Typing("", 0, minuses[0])
            self._type(row, f"-{event.character}", 2)
        elif event.character is not None and self._is_text(event.character):
            self._type(row, text[:caret] + event.character + text[caret:], caret + 1)
        else:
            return False
        return True

    def action_erase(self, before: int, behind: int) -> None:
        """Erase characters at the caret, or the whole number if it is not being typed."""
        text, caret = (self._typing.text, self._typing.caret) if self._typing else ("", 0)
        start = max(0, caret + before)
        if row := self.current:
            self._type(row, text[:start] + text[caret + behind :], start)

    def action_move_caret(self, step: int) -> None:
        if self._typing and (row := self.current):
            self._type(row, self._typing.text, max(0, self._typing.caret + step))

    def action_cancel_typing(self) -> None:
        if self._typing and (row := self.current):
            self.post_message(self.Typed(row.id, self._typing.before, self._typing.before))
            self.stop_typing()

    def action_end_typing(self) -> None:
        self.stop_typing()

    def check_consume_key(self, key: str, character: str | None) -> bool:  # noqa: ARG002
        # Asked for every key with a command, most of which are no text.
        return character is not None and (self._is_text(character) or self._refuses(character)) and self._takes_number

    def _refuses(self, character: str) -> bool:
        """Whether a character has no meaning in the number being typed, so a slip there runs no command."""
        return self.typing and character.isprintable() and character not in _KEYS

    def _is_text(self, character: str) -> bool:
        """Whether a character begins a number or continues the one being typed."""
        typing = self._typing
        before = typing.text[: typing.caret] if typing else ""
        if not before:
            return character in _BEGINS
        row = self.current
        if character in "eE" and row is not None and not row.exponents:
            return False
        if character in _GOES_ON or (character in _SIGNS and before[-1] in "eE"):
            return True
        return row is not None and character in row.units

    @property
    def _takes_number(self) -> bool:
        return self._is_number(self.cursor)

    def _is_number(self, index: int) -> bool:
        row = self._field(index)
        return row is not None and row.kind is FieldKind.NUMBER and not self.locked

    def on_key(self, event: events.Key) -> None:
        row = self.current
        if row is None or not self._takes_number:
            return
        if not self._edit(row, event):
            if event.character is None or not self._refuses(event.character):
                return
            text = f"“{event.character}” is not part of a number. Enter keeps the number, Esc cancels."
            cast("ChartuiApp", self.app).tell(text, topic=_REFUSED)
        event.stop()
        event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        row = self.current
        text = event.text[:200]
        number = " ".join(text.split()) if row is not None and row.units else number_in(text)
        if row is not None and self._takes_number and number:
            event.stop()
            self._type(row, number, len(number))

    # -- keys ---------------------------------------------------------------------------------------------------------

    def action_choose(self) -> None:
        """Flip, open, or put the caret at the end of a number."""
        row = self.current
        if row is None:
            return
        if row.kind is not FieldKind.NUMBER or self.locked:  # the screen says why it is locked
            self.post_message(self.Activated(row.id))
        elif self._typing is None:
            self._typing = _Typing(row.text, len(row.text), row.text)
        self.refresh_row(self.cursor)

    def action_leave_forward(self) -> None:
        """Tab leaves the form; the arrows move inside it."""
        self.screen.focus_next()


def _label_width(rows: Sequence[Row]) -> int:
    """Cells of the labels, with a gap after the longest one."""
    longest = max((cell_width(row.label) for row in rows if isinstance(row, FieldRow)), default=0)
    return min(max(LABEL_WIDTH, longest + 1), _WIDEST_LABEL)


def _grouped(text: str) -> str:
    """A typed number with grouped thousands; other text unchanged."""
    whole, point, rest = text.partition(".")
    if not whole.isascii() or not whole.isdigit():
        return text
    head = len(whole) % 3
    groups = ([whole[:head]] if head else []) + [whole[i : i + 3] for i in range(head, len(whole), 3)]
    return " ".join(groups) + point + rest
