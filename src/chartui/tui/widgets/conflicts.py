"""Conflicts: the original, the stored and the user's value of each, resolved before anything is sent."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import ClassVar, Final, Generic, TypeVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.widget import Widget

from chartui.core.classes import NamedTuple
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count
from chartui.tui.widgets.border import write_on_border
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.text import Piece, PieceRow, PieceRows, difference_rows, told

_LABEL_WIDTH: Final = 13

K = TypeVar("K", bound=Hashable)


class Clash(NamedTuple):
    """A conflict, in words: the original (``was``), the stored value (``now``), and the user's (``mine``)."""

    label: str
    was: str
    now: str
    mine: str


class Conflicts(Dialog[Mapping[K, bool] | None], Generic[K]):
    """Asks which version of each conflicting item to keep.

    ``what`` names one item. The result maps each item's key to whether the user's change is kept; None changes nothing.
    Nothing is preselected, and every item must be decided.
    """

    DEFAULT_CSS = """
    Conflicts > Vertical { width: 100; height: auto; border: round $warning; border-title-color: $warning; }
    Conflicts _Members { height: auto; max-height: 100%; background: $surface; margin: 1 0 1 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "decide(True)", "Keep mine"),
        Binding("t", "decide(False)", "Use theirs"),
        Binding("enter", "enter", "Continue"),
        Binding("tab", "next_member(1)", "Next"),
        Binding("shift+tab", "next_member(-1)", "Previous", show=False),
        Binding("escape", "dismiss(None)", "Cancel"),
    ]
    UNFORESEEN = True

    def __init__(self, name: str, met: Mapping[K, Clash], *, what: str) -> None:
        super().__init__(f"Conflict · {name}")
        self._members = _Members(met, what)

    def content(self) -> Iterable[Widget]:
        yield self._members

    def on_mount(self) -> None:
        self._say_left()

    def _say_left(self) -> None:
        left = len(self._members.undecided)
        write_on_border(self.panel, f"{left} undecided" if left else "all decided")

    def action_decide(self, mine: bool) -> None:
        self._members.decide(mine)
        self._say_left()

    def action_next_member(self, step: int) -> None:
        self._members.go_on(step)

    def on_line_view_chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        if self._members.undecided:
            self._members.go_to_undecided()
        else:
            self.dismiss(self._members.decided)


class _Members(PieceRows[K], Generic[K]):
    """The conflicting items, each with its original, stored and own value."""

    def __init__(self, met: Mapping[K, Clash], what: str) -> None:
        super().__init__()
        self._met = met
        self._what = what
        self.decided: dict[K, bool] = {}

    @property
    def undecided(self) -> list[K]:
        return [member for member in self._met if member not in self.decided]

    def decide(self, mine: bool) -> None:
        member = self.at_cursor
        if member is None:
            return
        self.decided[member] = mine
        self.lay_out()
        self.go_to_undecided()

    def go_to_undecided(self) -> None:
        members = list(self._met)
        here = members.index(self.at_cursor) if self.at_cursor is not None else 0
        for member in (*members[here:], *members[:here]):
            if member not in self.decided:
                self._go_to(member)
                return

    def go_on(self, step: int) -> None:
        members = list(self._met)
        here = members.index(self.at_cursor) if self.at_cursor is not None else -step
        self._go_to(members[(here + step) % len(members)])

    def _go_to(self, member: K) -> None:
        self.move_to(next(i for i, (_, of) in enumerate(self._rows) if of == member))

    def lay_out(self) -> None:
        width = max(24, self._width - 3)
        number = len(self._met)
        which = f"1 {self._what} was" if number == 1 else f"{count(number)} {self._what}s were"
        question = "Nothing has been sent. Which version do you want to keep?"
        sentence = f"{which} changed by someone else since you started. {question}"
        rows: list[tuple[PieceRow, K | None]] = [(row, None) for row in told(sentence, width, "label")]
        for member, clash in self._met.items():
            rows.append(((), None))
            rows += [(row, member) for row in self._about(member, clash, width)]
        self.put(rows)

    def _about(self, member: K, clash: Clash, width: int) -> Iterator[PieceRow]:
        decided = self.decided.get(member)
        verdict = {None: "? undecided", True: f"{GLYPHS.done} yours", False: f"{GLYPHS.done} theirs"}[decided]
        label = single_line(clash.label, limit=max(8, width - cell_len(verdict) - 2))
        gap = " " * max(1, width - cell_len(label) - cell_len(verdict))
        yield (Piece(label, "title"), Piece(gap, "label"), Piece(verdict, "warning" if decided is None else "accent"))
        _, was, now, mine = clash
        room = width - _LABEL_WIDTH - 2
        if all("\n" not in text and cell_len(text) <= room for text in (was, now, mine)):
            yield _line("original", Piece(_words(was), "label"))
            yield _line("theirs", Piece(_words(now), "warning" if decided is not True else "quiet"))
            yield _line("yours", Piece(_words(mine), "staged" if decided is not False else "quiet"))
        else:
            yield (Piece("  theirs, compared with the original", "label"),)
            yield from difference_rows(was, now, width - 2)
            yield (Piece("  yours, compared with theirs", "label"),)
            yield from difference_rows(now, mine, width - 2)


def _line(label: str, value: Piece) -> PieceRow:
    return (Piece(f"  {label:<{_LABEL_WIDTH}}", "label"), value)


def _words(text: str) -> str:
    return text or "empty"
