"""The table of the Pareto front."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType

from chartui.core.classes import NamedTuple
from chartui.core.estimation.exploration import Point
from chartui.core.estimation.prices import Configuration
from chartui.core.money import with_money
from chartui.core.sheet import Column, Sheet, squeezed_apart
from chartui.core.sheet import Kind as SheetKind
from chartui.core.text import cut
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.sheet_view import SheetView

if TYPE_CHECKING:
    from chartui.core.money import Price

_FRONT: Final = (
    Column("credits", title="credits", kind=SheetKind.CREDITS),
    Column("ms", title="ms", kind=SheetKind.LATENCY, priority=1),
    Column("configurations", title="conf.", kind=SheetKind.COUNT, priority=4),
    Column("difference", title="± now", kind=SheetKind.DIFFERENCE, priority=2),
    Column("slower", title="± ms now", kind=SheetKind.DIFFERENCE, priority=3),
    Column("model", title="model", kind=SheetKind.TEXT, least=9, best=20),
    Column("speech_in", title="input", kind=SheetKind.TEXT, least=7, best=20),
    Column("speech_out", title="output", kind=SheetKind.TEXT, least=7, best=20),
    Column("others", title="with", kind=SheetKind.TEXT, least=8, best=20),
)
#: The columns of options that begin with what distinguishes them.
_SPEECH: Final = ("speech_in", "speech_out")
#: The priority of columns in which the points do not differ.
_SHARED: Final = 5


class Present(NamedTuple):
    """The limits shown with the front: maximum credits and milliseconds, None if unknown."""

    configuration: Configuration
    credits: Decimal | None
    latency: int | None


class FrontTable(SheetView):
    """The points from the cheapest to the fastest; ←/→ move as ↑/↓ do, since the plot goes the same way."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "move(1)", show=False),
        Binding("left", "move(-1)", show=False),
    ]

    def show_front(
        self,
        front: Sequence[Point],
        present: Present,
        names: Callable[[Configuration], Sequence[str]],
        options: Collection[str],
        note: str,
        price: Price | None,
    ) -> None:
        """Draw these points and a ``note`` below them.

        ``names`` are those of the model, its speech input and output, and the other features, shown where points differ
        in them, and ``options`` the labels of all options.
        """
        parts = tuple(zip(*(names(point.first) for point in front), strict=True)) or ((),) * 4
        rows, (models, speech_in, speech_out, others) = [], parts
        numbers, (model, *rest) = _FRONT[: -len(parts)], _FRONT[-len(parts) :]
        shared = [
            column if len(set(part)) > 1 else column._replace(priority=_SHARED)
            for column, part in zip(rest, parts[1:], strict=True)
        ]
        columns = (*numbers, model, *shared)
        if shared[-1].priority:
            columns = columns[:-1]
        texts = zip(models, _told_apart(speech_in, options), _told_apart(speech_out, options), others, strict=True)
        for point, named in zip(front, texts, strict=True):
            dearer = None if present.credits is None else point.credits - present.credits
            slower = None if point.latency is None or present.latency is None else point.latency - present.latency
            rows.append((point.credits, point.latency, point.count, dearer, slower, *named)[: len(columns)])
        marks = tuple(GLYPHS.chosen if point.first == present.configuration else "" for point in front)
        sheet = Sheet("", columns, tuple(rows), keys=tuple(map(str, range(len(rows)))), marks=marks)
        self.show(with_money(sheet, price), note=note)

    def shortened(self, column: int, text: str, width: int) -> str:
        """Keep the beginning of a speech option unless another one of its column begins alike."""
        if self.sheet.columns[column].name not in _SPEECH:
            return super().shortened(column, text, width)
        others = {texts[column] for texts in self.texts} - {text}
        if (short := cut(text, width)) not in {cut(other, width) for other in others}:
            return short
        return squeezed_apart([text, *others], [width] * (len(others) + 1))[0]

    @property
    def point(self) -> int | None:
        """The number of the point with the cursor, however the points are sorted."""
        return None if self.current_key is None else int(self.current_key)


def _told_apart(names: Sequence[str], options: Collection[str]) -> list[str]:
    """The names without their last words where these are also the last of ``options`` that begin alike.

    “Vendor B Streaming” is “Vendor B” if there is a “Vendor C Streaming”. All options count, so that a name is the same
    on every front.
    """

    def short(name: str) -> str:
        words = name.split()
        ends = [words[:1], words[-1:]]
        family = [other for option in options if [(other := option.split())[:1], other[-1:]] == ends]
        while len(family) > 1 and min(map(len, family)) > 1 and len({other[-1] for other in family}) == 1:
            family, words = [other[:-1] for other in family], words[:-1]
        shortened = " ".join(words)
        return name if shortened in options else shortened

    return [short(name) for name in names]
