"""A plot of What-if in words and numbers: rows of cells, some of which the cursor stops at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeAlias

from textual.strip import Strip

from chartui.core.estimation.conversation import BreakEven, ConversationCost
from chartui.core.estimation.prices import remarks_on
from chartui.core.estimation.whatif import Crossing, Share, Straight
from chartui.tui.glyphs import GLYPHS, MARKERS
from chartui.tui.lines import Align, Line, wrap_numbers
from chartui.tui.numbers import credits_difference, credits_text, signed_text
from chartui.tui.widgets.laid_out import Stops

if TYPE_CHECKING:
    from chartui.tui.screens.estimator.study import Study

#: The name of the current configuration beside the pins.
NOW: Final = "current"
#: Instead of the difference of the line that the others are compared with.
BASELINE: Final = "baseline"
#: A note about costs billed by a provider.
WITHOUT: Final = "Credits exclude charges from your provider."
#: The palette's style of each line; its marker has the same index.
ROLES: Final = ("accent", "credits", "latency", "staged", "local", "remote", "value", "label")
#: Fewest cells for a marker and a name.
NAME: Final = 12

Subject: TypeAlias = Straight | Crossing | Share | ConversationCost | BreakEven
#: A text, its palette style, its width (None: as needed) and its alignment.
Cell: TypeAlias = tuple[str, str, int | None, Align]
Row: TypeAlias = tuple[tuple[Cell, ...], Subject | None]


class Facts(Stops[tuple[Cell, ...], Subject]):
    """Shows the rows for its width; the cursor stops at configurations, break-even points and shares."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._write: Callable[[int], Iterable[Row]] | None = None

    def show(self, write: Callable[[int], Iterable[Row]]) -> None:
        """Draw the rows that ``write`` returns for a width."""
        self._write = write
        self.lay_out()

    @property
    def current(self) -> Subject | None:
        """The subject of the selected row; None without the focus."""
        return self.at_cursor if self.has_focus else None

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.lay_out()
        self.post_message(self.Moved(self, self.cursor))

    def draw_row(self, index: int, width: int) -> Strip:
        """A row; only those in sight are drawn, since a dozen configurations have dozens of break-even points."""
        line, palette = Line(width).gap(), self.palette
        for text, role, cells, align in self._rows[index][0]:
            line.add(text, getattr(palette, role), width=cells, align=align)
        return line.strip()

    def lay_out(self) -> None:
        """Lay out the rows; the cursor stays on its subject."""
        width, held = self.room, _key(self.current)
        if self._write is None or width <= 0:
            return
        self.put([*self._write(width)])
        if self.has_focus:
            same = (i for i, (_, subject) in enumerate(self._rows) if held is not None and _key(subject) == held)
            self.move_to(next(same, self.cursor if self.can_stop_at(self.cursor) else 0))


def _key(subject: Subject | None) -> tuple[object, ...] | None:
    """The subject of a row, whatever its figures are."""
    if isinstance(subject, (Straight, ConversationCost)):
        return (subject.name,)
    if isinstance(subject, (Crossing, BreakEven)):
        return subject.first, subject.second
    return None if subject is None else ("", subject.quantity, "")


# -- rows -------------------------------------------------------------------------------------------------------------


def cell(text: str, role: str, width: int | None = None, align: Align = "left") -> Cell:
    return text, role, width, align


def text_rows(text: str, width: int, subject: Subject | None = None, *, role: str = "value") -> Iterator[Row]:
    """A sentence, wrapped; the cursor stops at its first line."""
    for number, part in enumerate(wrap_numbers(text, max(10, width - 2))):
        yield (cell(part, role),), subject if number == 0 else None


def room_for(texts: Sequence[str]) -> int:
    """The cells of a column and the space before it; none for an empty column."""
    return max((len(text) + 1 for text in texts if text), default=0)


def configuration_rows(
    priced: Sequence[tuple[Straight | ConversationCost, Decimal]],
    unpriced: Sequence[str],
    base: str,
    width: int,
    study: Study,
) -> Iterator[Row]:
    """Every configuration with its credits, their price, and the difference from the one called ``base``."""
    of_base = next((amount for one, amount in priced if one.name == base), None)
    amounts = [credits_text(amount) for _, amount in priced]
    apart = [
        "" if of_base is None else BASELINE if one.name == base else signed_text(credits_difference(amount, of_base))
        for one, amount in priced
    ]
    money = [study.price.text(amount) for _, amount in priced] if study.price is not None else []
    room, more = room_for(amounts), room_for(apart)
    more = more if width - room - more >= NAME else 0
    paid = room_for(money) if width - room - more - room_for(money) >= NAME else 0
    own = study.rates.card.own
    for number, (one, _) in enumerate(priced):
        sign, role = (MARKERS[number], ROLES[number]) if number < len(MARKERS) else (" ", "value")
        name = f"{one.name} {GLYPHS.elsewhere}" if _billed_elsewhere(one, own) else one.name
        cells = [cell(sign, role, 2), cell(name, "value", max(1, width - 4 - room - paid - more))]
        cells.append(cell(amounts[number], "credits", room, "right"))
        if paid:
            cells.append(cell(money[number], "credits", paid, "right"))
        if more:
            cells.append(cell(apart[number], "label", more, "right"))
        yield tuple(cells), one
    for name in unpriced:
        known = cell(name, "value", max(1, width - 12))
        yield (cell(GLYPHS.unknown, "warning", 2), known, cell(" unknown", "warning")), None
    if any(_billed_elsewhere(one, own) for one, _ in priced):
        yield from text_rows(f"{GLYPHS.elsewhere} {WITHOUT}", width)


def _billed_elsewhere(one: Straight | ConversationCost, own: frozenset[str]) -> bool:
    return any(remark.unpriced for remark in remarks_on(one.configuration, own))
