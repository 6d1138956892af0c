"""Two characters side by side, or one on two profiles: what differs, grouped as the record is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip

from chartui.core.characters.comparison import Compared, Comparison, Held, Verdict, comparison_sheet
from chartui.core.reproduce import as_json
from chartui.core.text import display_text, single_line
from chartui.tui.clipboard import forms_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line, fit
from chartui.tui.numbers import count, number_of
from chartui.tui.widgets.border import write_on_border
from chartui.tui.widgets.line_view import Stops
from chartui.tui.widgets.screen import Copyable
from chartui.tui.widgets.text import Piece, PieceRow, Role, difference_rows, put, told

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ComparisonPanel"]

_LABEL_WIDTH: Final = 18
_NARROW: Final = 90
_NARROW_LABEL: Final = 14
_SIGNS: Final = {Verdict.SAME: "=", Verdict.DIFFERENT: GLYPHS.differs, Verdict.APART: GLYPHS.note, Verdict.UNKNOWN: "?"}


class ComparisonPanel(Vertical):
    """The comparison in a panel; its border says how much differs, and which keys lead on."""

    def __init__(self) -> None:
        super().__init__(id="comparison", classes="panel")
        self.view = _View()
        self._comparison: Comparison | None = None
        self._note = ""

    def compose(self) -> ComposeResult:
        """The members."""
        yield self.view

    def show(self, comparison: Comparison, *, everything: bool, key: Callable[[str], str]) -> None:
        """Show what differs, or everything; ``key`` gives the key of a command, as it is written for people."""
        self._comparison = comparison
        left, right = (single_line(side.name, limit=40) for side in (comparison.left, comparison.right))
        self.border_title = Content(f"{left} and {right}")
        different, unknown = comparison.count(Verdict.DIFFERENT), comparison.count(Verdict.UNKNOWN)
        other = "the differences alone" if everything else "everything"
        parts = [
            number_of(different, "difference") if different else "no difference",
            *([f"{count(unknown)} not known"] if unknown else []),
            f"{key('compare-characters')} shows {other}",
            f"{key('leave-record')} closes",
        ]
        self._note = " · ".join(parts)
        self.show_loading("")
        self.view.show(comparison, everything=everything)

    def show_loading(self, text: str) -> None:
        """Show on the border that both are read again; an empty text ends that."""
        write_on_border(self, text or self._note)

    def copies(self) -> Sequence[Copyable]:
        """The values of the member under the cursor, and the comparison as a table."""
        comparison, member = self._comparison, self.view.at_cursor
        if comparison is None:
            return ()
        values = []
        if member is not None:
            sides = ((comparison.left.name, member.left), (comparison.right.name, member.right))
            values = [
                Copyable(f"{single_line(member.label, limit=30)} of {single_line(name, limit=40)}", _plain(held))
                for name, held in sides
                if held.there
            ]
        return [*values, *forms_of(comparison_sheet(comparison)), *_whole(comparison)]


def _whole(comparison: Comparison) -> Iterator[Copyable]:
    for form in forms_of(comparison_sheet(comparison, everything=True)):
        yield Copyable(f"Everything, {form.title}", form.text, form.suffix)


def _plain(held: Held) -> str:
    return held.value if isinstance(held.value, str) else as_json(held.value)


class _View(Stops[PieceRow, Compared]):
    """The members, a line each where both values fit beside each other, else by what differs in their texts."""

    DEFAULT_CSS = "_View { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self._comparison: Comparison | None = None
        self._everything = False

    def show(self, comparison: Comparison, *, everything: bool) -> None:
        """Show another comparison, or more or less of this one: the cursor stays on its member then."""
        again = comparison is self._comparison
        here = self.at_cursor.path if again and self.at_cursor is not None else None
        self._comparison, self._everything = comparison, everything
        self.lay_out()
        wanted = (i for i, (_, member) in enumerate(self._rows) if member is not None and here in (None, member.path))
        self.move_to(next(wanted, 0))
        if not again:
            self.scroll_to(y=0, animate=False)

    def lay_out(self) -> None:
        """The names, and the members below the titles of their groups."""
        comparison, width = self._comparison, max(40, self._width - 3)
        if comparison is None or self._width <= 0:
            return
        label = _LABEL_WIDTH if width >= _NARROW else _NARROW_LABEL
        column = (width - label - 4) // 2
        parts = comparison.shown(everything=self._everything)
        names = (fit(single_line(side.name, limit=60), column) for side in (comparison.left, comparison.right))
        heading = (Piece(" " * (label + 2), "label"), *(Piece(f"{name} ", "title") for name in names))
        rows: list[tuple[PieceRow, Compared | None]] = [(heading, None)]
        if not parts:
            sentence = "No difference: every member that both have is the same in both."
            rows += [((), None), *((row, None) for row in told(sentence, width, "label"))]
        for part in parts:
            rows += [((), None), ((Piece(single_line(part.title), "accent"),), None)]
            for member in part.members:
                rows += [(row, member) for row in _about(member, label, column, width)]
        self.put(rows)
        if not self.can_stop_at(self.cursor):
            self.move_to(self.cursor)

    def draw_row(self, index: int, width: int) -> Strip:
        """One line."""
        return put(Line(width).gap(), self._rows[index][0], self.palette).strip()


def _about(member: Compared, label_width: int, column: int, width: int) -> Iterator[PieceRow]:
    sign = _SIGNS[member.verdict]
    roles: dict[Verdict, Role] = {Verdict.DIFFERENT: "staged", Verdict.UNKNOWN: "warning"}
    role = roles.get(member.verdict, "quiet")
    label = (Piece(f"{sign} ", role), Piece(fit(single_line(member.label), label_width), "label"))
    held = (member.left, member.right)
    fitting = [_fits(one.text, column) for one in held]
    told_whole = all(fitting) or member.verdict is not Verdict.DIFFERENT
    # What differs is told by sizes where it is too long for its column, and whole below.
    texts = [
        display_text(one.text) if fits or (told_whole and "\n" not in one.text) else _size(one)
        for one, fits in zip(held, fitting, strict=True)
    ]
    cells = zip(texts, held, strict=True)
    yield (*label, *(Piece(f"{fit(text, column)} ", _role(one) if told_whole else "label") for text, one in cells))
    if not told_whole:
        left, right = (one.text if one.value or one.value == 0 else "" for one in held)
        for row in difference_rows(left, right, width - 2, "the same"):
            yield (Piece("  ", "label"), *row)


def _fits(text: str, column: int) -> bool:
    """Whether a value can be shown beside the other one."""
    return "\n" not in text and cell_len(display_text(text)) <= column


def _size(held: Held) -> str:
    return f"{count(len(held.text))} characters"


def _role(held: Held) -> Role:
    if not held.known:
        return "warning"
    return "value" if held.there and held.value not in (None, "") else "quiet"
