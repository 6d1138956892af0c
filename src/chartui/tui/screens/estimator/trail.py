"""The configurations of this session, the latest first, each with its cost and what was changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final

from textual import on
from textual.app import ComposeResult

from chartui.core.estimation.card import QUANTITIES
from chartui.core.estimation.prices import Pricing, Quantities
from chartui.core.estimation.summary import changes_in_words, inputs_in_words
from chartui.core.jsontext import Wire
from chartui.core.numbers import number_of
from chartui.core.sheet import Column, Kind, Sheet
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.state import ViewName
from chartui.tui.screens.estimator.study import Pinned, Study, Visited
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.phrases import Phrase, Phrases
from chartui.tui.widgets.sheet_view import SheetView

_COLUMNS: Final = (
    Column("number", title="#", kind=Kind.COUNT, priority=4),
    Column("credits", title="credits", kind=Kind.CREDITS),
    Column("difference", signed=True, title="± before", kind=Kind.DIFFERENCE, priority=2),
    Column("latency_max_ms", title="ms", kind=Kind.LATENCY, priority=1),
    Column("time", title="UTC", kind=Kind.TEXT, priority=3),
    Column("change", title="Change", kind=Kind.TEXT, least=12, best=60),
    Column("inputs"),
)
_START: Final = "first in this session"


def _inputs(made: Pinned) -> dict[str, Wire]:
    """The inputs of a configuration by member (E 2.1 and 2.2)."""
    return {**made.configuration._asdict(), **dict(zip(QUANTITIES, made.quantities, strict=True))}


class TrailView(View):
    """The trail as a table, and the full change of the selected row below it."""

    NAME = ViewName.TRAIL
    FOCUS = "trail"
    DEFAULT_CSS = "TrailView #trail-about { height: 2; }"

    def __init__(self, settings: object | None = None) -> None:
        super().__init__(settings)
        self._table = SheetView(id=self.FOCUS)
        self._about = Phrases(id="trail-about")
        self._study: Study | None = None
        self._visits: dict[str, Visited] = {}
        self._pricings: dict[Quantities, Pricing] = {}
        self._rows: dict[Visited, tuple[Wire, ...]] = {}

    def compose(self) -> ComposeResult:
        yield self._table
        yield self._about

    def show(self, study: Study) -> None:
        """Draw the trail; the cursor stays on its row with the focus, and otherwise follows the current one."""
        if self._study is None or study.rates is not self._study.rates:
            self._pricings, self._rows = {}, {}
            self.show_banner(study)
        self._study = study
        held, numbered = self._visits.get(self._table.current_key or ""), list(enumerate(study.trail, 1))
        self._visits = {str(number): visit for number, visit in reversed(numbered)}
        keep = held if self._table.has_focus and held in study.trail else self._present
        self._table.show(self._sheet(), keep=next((key for key, visit in self._visits.items() if visit is keep), None))
        self._tell()

    @property
    def _present(self) -> Visited | None:
        """The entry of the current inputs."""
        here = self._study and Pinned("", self._study.configuration, self._study.quantities)
        return next((visit for visit in self._visits.values() if visit.made == here), None)

    def _sheet(self, notes: Iterable[str] = ()) -> Sheet:
        present = self._present
        return Sheet(
            "Trail",
            _COLUMNS,
            tuple(self._row(int(key), visit) for key, visit in self._visits.items()),
            tuple(notes),
            keys=tuple(self._visits),
            marks=tuple(GLYPHS.chosen if visit is present else "" for visit in self._visits.values()),
        )

    def _row(self, number: int, visit: Visited) -> tuple[Wire, ...]:
        """The row of an entry; the same object as before if nothing in it differs."""
        if visit not in self._rows or self._rows[visit][0] != number:
            inputs, amount = _inputs(visit.made), self._credits(visit.made)
            before = None if visit.before is None else self._credits(visit.before)
            known = {} if visit.before is None else _inputs(visit.before)
            changed = {member: value for member, value in inputs.items() if known.get(member) != value}
            span = self._pricing(visit.made).latency(visit.made.configuration)
            self._rows[visit] = (
                number,
                amount,
                None if amount is None or before is None else amount - before,
                None if span is None else span[1],
                f"{visit.at:%H:%M}",
                inputs_in_words(changed) if known else _START,
                inputs_in_words(inputs),
            )
        return self._rows[visit]

    def _pricing(self, made: Pinned) -> Pricing:
        if made.quantities not in self._pricings and self._study is not None:
            self._pricings[made.quantities] = Pricing(self._study.rates.card, made.quantities)
        return self._pricings[made.quantities]

    def _credits(self, made: Pinned) -> Decimal | None:
        return self._pricing(made).credits(made.configuration)

    # -- the cursor ---------------------------------------------------------------------------------------------------

    @property
    def _current(self) -> Visited | None:
        return self._visits.get(self._table.current_key or "")

    @property
    def pinned_at_hand(self) -> Pinned | None:
        visit = self._current
        return None if visit is None else visit.made

    def _tell(self) -> None:
        visit, before = self._current, self._current and self._current.before
        if visit is None:
            self._about.show(())
            return
        said = inputs_in_words(_inputs(visit.made))
        if before is not None:
            said = changes_in_words(_inputs(before), _inputs(visit.made))
        phrases = [Phrase("current", "accent")] if visit is self._present else []
        self._about.show([*phrases, *(Phrase(each, "label") for each in said.split(", "))])
        study = self._study
        marked = study if study is not None and study.rates.mark else None
        self.said = self.banner(marked) if marked is not None else number_of(len(self._visits), "configuration")

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._tell()

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        visit = self._current
        if visit is not None and self._study is not None:
            self.post_message(self.Returned(visit.place))

    def sheets(self) -> Sequence[Sheet]:
        """The visible rows in the order of the screen."""
        banner = self._study.rates.banner if self._study else ""
        return (self._table.as_drawn(self._sheet((banner,) if banner else ())),)
