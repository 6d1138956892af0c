"""Text drawn line by line: sentences, labelled facts, and lines of words with roles.

It is kept as words and roles, so a change of theme needs no new layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeVar

from rich.cells import cell_len
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.classes import NamedTuple
from chartui.core.text import display_text
from chartui.tui.lines import NO_BREAK, Line, bound_numbers, fit, wrap
from chartui.tui.theme import Palette
from chartui.tui.widgets.laid_out import Stops

if TYPE_CHECKING:
    from chartui.core.plans.review import PlanLine
    from chartui.core.plans.review import Role as PlanRole

Role = Literal["value", "label", "quiet", "title", "accent", "staged", "warning", "danger", "local", "credits"]


#: The roles of the words and signs of a plan.
_ROLES: Final[Mapping[PlanRole, Role]] = {
    "title": "title",
    "label": "label",
    "value": "value",
    "new": "staged",
    "gone": "danger",
    "warning": "warning",
    "quiet": "quiet",
}
_SIGNS: Final[Mapping[str, Role]] = {"▲": "warning", "−": "danger", "+": "staged"}


class Piece(NamedTuple):
    """Some words of a line, underlined where ``changed``."""

    text: str
    role: Role
    changed: bool = False


PieceRow = tuple[Piece, ...]


def put(line: Line, row: PieceRow, palette: Palette) -> Line:
    for text, role, changed in row:
        style: Style = getattr(palette, role)
        line.add(text, style + Style(underline=True) if changed else style)
    return line


def told(text: str, width: int, role: Role, glyph: str = "", indent: int = 0) -> Iterator[PieceRow]:
    """A sentence, wrapped; no line if empty."""
    if not text:
        return
    start = " " * indent + (f"{glyph} " if glyph else "")
    for number, line in enumerate(wrap(text, width - len(start))):
        yield (Piece(start if number == 0 else " " * len(start), role), Piece(line, role))


def difference_rows(before: str, after: str, width: int, same: str = "unchanged") -> Iterator[PieceRow]:
    """The lines that go, with ``−``, and those that come, with ``+``; lines that stay are counted."""
    from chartui.core.plans.review import difference_lines

    for line in difference_lines(before, after, same):
        yield from rows_of(line, width)


def rows_of(line: PlanLine, width: int) -> Iterator[PieceRow]:
    """A line of a plan, wrapped beside its label or sign."""
    lead = Piece(line.lead, _SIGNS.get(line.sign, "label" if line.label else "quiet"))
    words = [Piece(bound_numbers(word.text), _ROLES[word.role], word.changed) for word in line.words]
    for row in flow(words, width, indent=cell_len(lead.text), first=lead) if line.words else [()]:
        yield tuple(piece._replace(text=piece.text.replace(NO_BREAK, " ")) for piece in row)


def flow(pieces: Iterable[Piece], width: int, *, indent: int = 0, first: Piece | None = None) -> Iterator[PieceRow]:
    """Pieces in lines of at most ``width`` cells, broken after spaces where possible, else anywhere.

    ``first`` stands in front of the first line, in the indented room.
    """
    room = max(8, width - indent)
    begin, blank = first or Piece(" " * indent, "label"), Piece(" " * indent, "label")
    line: list[Piece] = []
    used = 0
    for text, role, changed in pieces:
        for number, part in enumerate(display_text(text, multiline=True).split("\n")):
            if number:
                yield (begin, *line)
                line, used, begin = [], 0, blank
            for word in _words(part, room):
                cells = cell_len(word)
                if used and used + cell_len(word.rstrip(" ")) > room:
                    yield (begin, *line)
                    line, used, begin = [], 0, blank
                if line and line[-1][1:] == (role, changed):
                    line[-1] = Piece(line[-1].text + word, role, changed)
                else:
                    line.append(Piece(word, role, changed))
                used += cells
    if line:
        yield (begin, *line)


def _words(text: str, width: int) -> Iterator[str]:
    """The words of a text, each with the spaces after it; a word wider than a line comes in pieces."""
    for piece in text.replace(" ", " \n").split("\n"):
        yield from wrap(piece, width) if cell_len(piece) > width else [piece]


T = TypeVar("T")


class PieceRows(Stops[PieceRow, T], Generic[T]):
    """Rows of pieces, some of which the cursor skips."""

    def put(self, rows: Sequence[tuple[PieceRow, T | None]]) -> None:
        super().put(rows)
        if not self.can_stop_at(self.cursor):
            self.move_to(self.cursor)

    def draw_row(self, index: int, width: int) -> Strip:
        return put(Line(width).gap(), self._rows[index][0], self.palette).strip()


class Wrapped(Widget):
    """As high as the rows that a subclass makes for its width."""

    DEFAULT_CSS = "Wrapped { height: auto; }"

    def rows(self, width: int) -> list[PieceRow]:
        raise NotImplementedError

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self.rows(width))

    def render_line(self, y: int) -> Strip:
        rows, line = self.rows(self.size.width), Line(self.size.width).gap()
        return put(line, rows[y] if y < len(rows) else (), Palette.of(self.app.theme_variables)).strip(self.rich_style)


class Words(Wrapped):
    """Text from any source, shown unchanged: never read as markup. ``role`` names the palette's style."""

    def __init__(self, text: str, *, role: Role = "value", id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._text = text
        self._role = role

    def show(self, text: str, *, role: Role) -> None:
        if (text, role) != (self._text, self._role):
            self._text, self._role = text, role
            self.refresh(layout=True)

    def rows(self, width: int) -> list[PieceRow]:
        return list(told(self._text, max(10, width - 2), self._role))


LABEL_WIDTH = 11


class Fact(NamedTuple):
    """A label and a sentence; ``role`` names the palette's style of the latter, ``sign`` stands before it."""

    label: str
    text: str
    role: Role = "value"
    sign: str = ""


class Facts(Wrapped):
    """Draws facts, long ones wrapped."""

    def __init__(self) -> None:
        super().__init__()
        self._facts: Sequence[Fact] = ()

    def show(self, facts: Sequence[Fact]) -> None:
        if facts != self._facts:
            self._facts = facts
            self.refresh(layout=True)

    def rows(self, width: int) -> list[PieceRow]:
        return [
            (Piece(fit("" if number else fact.label, LABEL_WIDTH + 1), "label"), *row)
            for fact in self._facts
            for number, row in enumerate(told(fact.text or " ", max(10, width - LABEL_WIDTH - 3), fact.role, fact.sign))
        ]
