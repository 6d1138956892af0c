"""The estimator as a test knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chartui.tui.screens.estimator.compare import CompareTable
from chartui.tui.screens.estimator.explore import ExploreView
from chartui.tui.screens.estimator.rank import RankList
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.widgets.plot import PlotView
from tests.tui.screens.reader import Reader

if TYPE_CHECKING:
    from chartui.core.estimation.exploration import Found
    from chartui.tui.plots import Plot
    from chartui.tui.screens.estimator.compare import TableRow
    from chartui.tui.screens.estimator.rank import _Row as RankRow
    from chartui.tui.screens.estimator.state import EstimatorState
    from chartui.tui.screens.estimator.study import Study

__all__ = ["Estimator"]


class Estimator(Reader[EstimatorScreen]):
    """The estimator: its inputs, its estimate, its views."""

    @property
    def now(self) -> EstimatorState:
        """All that it shows, as one value: inputs, estimate, what is pinned."""
        return self._screen.state

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
        self._screen.begin_with(chosen, typed)

    @property
    def ranked(self) -> RankList:
        """The list of the ranking."""
        return self._screen.query_one(RankList)

    @property
    def ranking(self) -> Sequence[RankRow]:
        """The rows of the ranking, also those that are scrolled away."""
        return self.ranked._rows

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
