"""How the estimator's panels lie: the inputs, the tabs, the estimate, and the views beside it.

A narrow or low window shows either the estimate or a view; a wide and high one the estimate above the view, and the
ranking, which has a place of its own below the inputs, always.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from chartui.tui.screens.estimator.board import VIEWS, View
from chartui.tui.screens.estimator.result import ResultView
from chartui.tui.screens.estimator.state import VIEW_TITLES, EstimatorState, ViewName
from chartui.tui.widgets.tab_line import Tab, TabLine

if TYPE_CHECKING:
    from chartui.tui.screens.estimator.study import Study
    from chartui.tui.widgets.form import FormView

__all__ = ["TALL", "Board"]

#: From this many rows on, wide windows show everything at once.
TALL: Final = 34


class Board(Container):
    """The panels. Views are made when they are first shown, and draw only while they are in sight."""

    #: Its rules begin with the classes of the screen around it.
    SCOPED_CSS = False
    DEFAULT_CSS = """
    Board { layout: grid; grid-size: 2 2; grid-columns: 36 1fr; grid-rows: 1 1fr; }
    Board > #inputs { row-span: 2; }
    Board > .view { display: none; }
    Board.-viewing > #result { display: none; }
    Board.-viewing > .view.-present { display: block; }
    EstimatorScreen.-normal > Board, EstimatorScreen.-wide > Board { grid-columns: 46 1fr; }
    EstimatorScreen.-normal.-tall > Board,
    EstimatorScreen.-wide.-tall > Board { grid-size: 2 3; grid-rows: 1 15 1fr; }
    EstimatorScreen.-normal.-tall > Board > #inputs,
    EstimatorScreen.-wide.-tall > Board > #inputs { padding: 1 0 0 0; }
    EstimatorScreen.-normal.-tall > Board > #result,
    EstimatorScreen.-wide.-tall > Board > #result { display: block; row-span: 2; }
    EstimatorScreen.-normal.-tall > Board.-viewing > #result,
    EstimatorScreen.-wide.-tall > Board.-viewing > #result { row-span: 1; }
    EstimatorScreen.-normal.-tall > Board > #view-rank,
    EstimatorScreen.-wide.-tall > Board > #view-rank { display: block; }
    Board.-zoomed,
    EstimatorScreen.-normal.-tall > Board.-zoomed,
    EstimatorScreen.-wide.-tall > Board.-zoomed { grid-size: 1 2; grid-columns: 1fr; grid-rows: 1 1fr; }
    Board.-zoomed > #inputs { display: none; }
    EstimatorScreen.-normal.-tall > Board.-zoomed > #result,
    EstimatorScreen.-wide.-tall > Board.-zoomed > #result { row-span: 1; }
    EstimatorScreen.-normal.-tall > Board.-zoomed.-viewing > #result,
    EstimatorScreen.-wide.-tall > Board.-zoomed.-viewing > #result { display: none; }
    EstimatorScreen.-normal.-tall > Board.-zoomed > #view-rank,
    EstimatorScreen.-wide.-tall > Board.-zoomed > #view-rank { display: none; }
    EstimatorScreen.-normal.-tall > Board.-zoomed > #view-rank.-present,
    EstimatorScreen.-wide.-tall > Board.-zoomed > #view-rank.-present { display: block; }
    """

    def __init__(self, form: FormView, result: ResultView, settings: Mapping[ViewName, object]) -> None:
        super().__init__(id="board")
        self._begun_with = settings
        self._form = form
        self._result = result
        self._tab_line = TabLine(id="tabs")
        self._views: dict[ViewName, View] = {}
        #: What each view was last given: the answer of the service changes nothing in them.
        self._given: dict[ViewName, Study] = {}
        self._present = ViewName.ESTIMATE

    def compose(self) -> ComposeResult:
        """What is there from the start; the ranking only where it is in sight."""
        yield self._form
        yield self._tab_line
        yield self._result
        if self.all_in_sight and ViewName.RANK in VIEWS:
            yield self.view(ViewName.RANK)

    @property
    def all_in_sight(self) -> bool:
        """Whether the window shows the estimate, a view and the ranking at once."""
        # Asked of the classes and not of the styles, which follow with the next picture.
        return not self.screen.has_class("-narrow") and self.screen.has_class("-tall") and not self.zoomed

    @property
    def present(self) -> View | None:
        """The view that is turned to; None for the estimate alone."""
        return self._views.get(self._present)

    def show(self, state: EstimatorState, study: Study | None, keys: str) -> None:
        """Draw a state; ``keys`` are those that turn the views."""
        self._result.show(state, study)
        tabs = tuple(Tab(n.value, VIEW_TITLES[n], f"view-{n.value}") for n in (ViewName.ESTIMATE, *VIEWS))
        self._tab_line.show(tabs, self._present.value, keys)
        for view in self._views.values():
            if study is not None and self._in_sight(view) and self._given.get(view.NAME) != study:
                self._given[view.NAME] = study
                view.show(study)

    def _in_sight(self, view: View) -> bool:
        ranked = view.NAME is ViewName.RANK and self.all_in_sight
        return view.is_mounted and (ranked or self._present is view.NAME)

    def view(self, name: ViewName) -> View:
        """A view, made when it is first asked for."""
        if name not in self._views:
            module, _, class_name = VIEWS[name].partition(":")
            view_class: type[View] = getattr(import_module(module), class_name)
            self._views[name] = view_class(self._begun_with.get(name))
        return self._views[name]

    @property
    def settings(self) -> Mapping[ViewName, object]:
        """What the user has set in the views, by view; of one that was not shown yet, what it would begin with."""
        return {**self._begun_with, **{name: view.settings for name, view in self._views.items()}}

    async def turn_to(self, name: ViewName) -> None:
        """Lay out one of the views; it is drawn with the next :meth:`show`."""
        if name is not ViewName.ESTIMATE and name not in self._views:
            # The ranking comes first of them, for its place.
            ranking = self._views.get(ViewName.RANK)
            behind = ranking if ranking is not None and name is not ViewName.RANK else self._result
            await self.mount(self.view(name), after=behind)
        self._present = name
        for other, view in self._views.items():
            view.set_class(other is name, "-present")
        self.fit_window()

    def fit_window(self) -> None:
        """Fit the layout to the window: the ranking takes no place from the estimate where all is in sight."""
        beside = self._present is ViewName.RANK and self.all_in_sight
        self.set_class(self._present is not ViewName.ESTIMATE and not beside, "-viewing")

    def neighbour(self, step: int) -> ViewName:
        """The name ``step`` tabs away from the present one, around the ends."""
        names = [ViewName.ESTIMATE, *VIEWS]
        return names[(names.index(self._present) + step) % len(names)]

    @property
    def holds_keys(self) -> bool:
        """Whether the keys go to the estimate or a view, and not to the inputs."""
        return self._result.has_focus or any(view.has_focus_within for view in self._views.values())

    def zoom(self, zoomed: bool) -> None:
        """Give what is present the whole window, or take it back."""
        self.set_class(zoomed, "-zoomed")
        self.fit_window()

    @property
    def zoomed(self) -> bool:
        """Whether what is present has the whole window."""
        return self.has_class("-zoomed")

    def focus_inputs(self) -> None:
        """Let the keys go to the inputs."""
        self._focus(self._form)

    def focus_present(self) -> None:
        """Let the keys go to what is present."""
        view = self.present
        target: Widget = self._result if view is None else view.query_one(f"#{view.FOCUS}")
        self._focus(target)

    def _focus(self, target: Widget) -> None:
        """Focus a panel: at once, so that the next key is its own, but for one that only the next layout shows."""
        if target.focusable:
            target.focus()
        else:
            self.call_after_refresh(target.focus)
