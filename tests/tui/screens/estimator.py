"""The estimator as a test knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual.style import Style

from chartui.tui.screens.estimator.compare import CompareTable
from chartui.tui.screens.estimator.explore import ExploreView
from chartui.tui.screens.estimator.rank import RankView
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.widgets.plot import PlotView
from tests.tui.screens.reader import Reader

if TYPE_CHECKING:
    from chartui.core.estimation.exploration import Found
    from chartui.core.estimation.rank import Ranked
    from chartui.tui.plots import Plot
    from chartui.tui.screens.estimator.compare import TableRow
    from chartui.tui.screens.estimator.state import EstimatorState
    from chartui.tui.screens.estimator.study import Study

__all__ = ["Estimator"]


RANKED = ("credits", "difference", "latency_max_ms")


class RankRow(NamedTuple):
    """A row of the ranking: its option, and what it says."""

    entry: Ranked
    amount: str
    difference: str
    latency: str


class Estimator(Reader[EstimatorScreen]):
    """The estimator: its inputs, its estimate, its views."""

    @property
    def now(self) -> EstimatorState:
        """All that it shows, as one value: inputs, estimate, what is pinned."""
        return self._screen.state

    @property
    def tab(self) -> str:
        """The tab that the border of a panel in sight shows as the present one."""
        contents = [panel._border_title for panel in self._screen.query(".panel") if panel.display]
        return "".join(
            str(content)[span.start : span.end]
            for content in contents
            if content is not None
            for span in content.spans
            if isinstance(span.style, Style) and span.style.underline
        )

    def show(self, state: EstimatorState) -> None:
        """Show this instead, as if it had been typed or answered."""
        self._screen.show(state)

    @property
    def study(self) -> Study:
        """What the views work with."""
        study = self._screen.study
        assert study is not None
        return study

    def begin_with(self, chosen: Mapping[str, str | bool], typed: Mapping[str, str]) -> None:
        """Start from other inputs."""
        state = self._screen.state.with_inputs(chosen, typed)
        self._screen.show(state)
        self._screen.call_later(self._screen._change, state)

    @property
    def ranked(self) -> RankView:
        """The ranking."""
        return self._screen.query_one(RankView)

    @property
    def ranking(self) -> Sequence[RankRow]:
        """The rows of the ranking, also those that are scrolled away."""
        table, entries = self.ranked.table, {entry.key: entry for entry in self.ranked._entries}
        places = [next(n for n, c in enumerate(table.sheet.columns) if c.name == name) for name in RANKED]
        return [
            RankRow(entries[key], *(texts[place] for place in places))
            for key, texts in zip(table.sheet.keys, table.texts, strict=True)
        ]

    @property
    def compared(self) -> Sequence[TableRow]:
        """The rows of the comparison, also those that are scrolled away."""
        return self._screen.query_one(CompareTable)._rows

    @property
    def compared_in_sight(self) -> Sequence[int]:
        """The columns of the comparison that there is room for."""
        return self._screen.query_one(CompareTable)._shown

    @property
    def found(self) -> Found | None:
        """What keeps the constraints."""
        return self._screen.query_one(ExploreView)._found

    @property
    def plot(self) -> Plot | None:
        """What is plotted."""
        return self._screen.query_one(PlotView)._plot
