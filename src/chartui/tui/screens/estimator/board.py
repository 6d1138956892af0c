"""The layout of the estimator: the inputs, and the estimate and views as tabs.

A narrow or low window shows either the estimate or a view. A high one shows the estimate above the view, and always the
ranking below the inputs; a wide one shows inputs, estimate and view side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.events import Resize
from textual.message import Message
from textual.widget import Widget

from chartui.core.classes import dataclass
from chartui.core.estimation.rates import RateSource
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.estimator.kept import settings_of
from chartui.tui.screens.estimator.quantities import MOST_STEPS, Proposal
from chartui.tui.screens.estimator.result import ResultView, Sized
from chartui.tui.screens.estimator.state import VIEW_TITLES, EstimatorState, ViewName
from chartui.tui.widgets.border import entitle, room_on_border, write_on_border
from chartui.tui.widgets.form import FormView
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.tabs import TabName, tab_names

if TYPE_CHECKING:
    from chartui.core.profiles import Profile
    from chartui.core.sheet import Sheet
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.estimator.study import Pinned, Study
    from chartui.tui.widgets.form import FormView
    from chartui.tui.widgets.sheet_view import SheetView

#: From this many rows, the estimate is above the view, and the ranking below the inputs.
TALL: Final = 34
#: The class of each view, in the order of the tabs; imported when first shown.
VIEWS: Final[Mapping[ViewName, str]] = {
    ViewName.COMPARE: "chartui.tui.screens.estimator.compare:CompareView",
    ViewName.RANK: "chartui.tui.screens.estimator.rank:RankView",
    ViewName.EXPLORE: "chartui.tui.screens.estimator.explore:ExploreView",
    ViewName.WHAT_IF: "chartui.tui.screens.estimator.whatif:WhatIfView",
    ViewName.SUBSCRIPTIONS: "chartui.tui.screens.estimator.subscriptions:SubscriptionsView",
    ViewName.TRAIL: "chartui.tui.screens.estimator.trail:TrailView",
}
_NAMES: Final = (ViewName.ESTIMATE, *VIEWS)
_TABS: Final = tuple(TabName(name.value, VIEW_TITLES[name], f"view-{name.value}") for name in _NAMES)


class View(Vertical):
    """A panel that draws a study.

    The user's choices in a view (an order, a limit) are its ``settings``, an immutable object that is kept when you
    change the profile. Its data comes with every :meth:`show`; a view makes no requests.
    """

    DEFAULT_CSS = "View { width: 1fr; height: 1fr; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "load", "Load", tooltip="Copies the selected row to the inputs."),
    ]

    NAME: ClassVar[ViewName]
    #: The settings at first.
    USUAL: ClassVar[object] = None
    #: The id of the widget that takes the focus.
    FOCUS: ClassVar[str]
    #: What the form of a view edits.
    EDITED: ClassVar[str] = ""

    @dataclass
    class Picked(Message):
        """Load these selections into the form, and the quantities as typed and the proposed input tokens, if given."""

        chosen: Mapping[str, str | bool | None]
        typed: Mapping[str, str] | None = None
        proposal: Proposal | None = None

    @dataclass
    class Returned(Message):
        """Restore the inputs at a place of the trail."""

        place: int

    @dataclass
    class Dropped(Message):
        """Unpin the configuration of this name."""

        name: str

    @dataclass
    class BaselineChosen(Message):
        """The pinned configuration of this name becomes the baseline."""

        name: str

    def __init__(self, settings: object | None = None) -> None:
        super().__init__(id=f"view-{self.NAME.value}", classes="panel view")
        self.settings = settings
        #: The title on the border while the tabs are elsewhere, and the note below.
        self.title = VIEW_TITLES[self.NAME]
        self.said = ""
        self.tabs: Content | None = None
        self._earlier: tuple[object, ...] = ()
        self._later: tuple[object, ...] = ()
        self._typing = ""

    def edit(self, settings: object, *, typing: str = "") -> None:
        """Take settings edited in the view's form, as a step to undo. All typing in one field is one step."""
        if settings == self.settings:
            return
        if not typing or typing != self._typing:
            self._earlier = (*self._earlier, self.settings)[-MOST_STEPS:]
        self.settings, self._later, self._typing = settings, (), typing

    def turn_edits(self, step: int) -> bool:
        """Undo (-1) or redo (1) an edit of the view's form. Returns False if there is none."""
        here, there = (self._earlier, self._later) if step < 0 else (self._later, self._earlier)
        if not here:
            return False
        here, there = here[:-1], (*there, self.settings)
        self.settings = (self._earlier if step < 0 else self._later)[-1]
        self._earlier, self._later = (here, there) if step < 0 else (there, here)
        self._typing = ""
        return True

    @property
    def edited(self) -> bool:
        """Whether the view's form has been edited."""
        return bool(self._earlier)

    def action_load(self) -> None:
        self.query_one(f"#{self.FOCUS}", LineView).action_choose()

    def action_change(self) -> None:
        """Change the current field of a view with a form."""
        self.query_one(FormView).action_choose()

    def on_resize(self, _event: Resize) -> None:
        self.post_message(Sized())

    def show(self, study: Study) -> None:
        raise NotImplementedError

    def show_banner(self, study: Study) -> None:
        """Name the source of the figures on the border, unless it is the store."""
        self.said = self.banner(study)
        self.write_border()

    def write_border(self) -> None:
        """Show the tabs or the title on the border, and a note."""
        self.set_class(self.tabs is not None, "-tabbed")
        entitle(self, self.tabs or self.title)
        write_on_border(self, self.note)

    @property
    def note(self) -> str:
        """The note on the border."""
        return self.said

    def banner(self, study: Study) -> str:
        """The source of the figures, as short as possible; empty for a store, whose figures are exact."""
        rates = study.rates
        if not rates.mark:
            return single_line(rates.banner.rstrip(".").replace(", ", f" {GLYPHS.note} "), limit=60)
        key = cast("ChartuiApp", self.app).keymap.label("learn-rates")
        said = "rates have drifted" if rates.source is RateSource.LEARNED else "reference rates"
        return f"{GLYPHS.warning} {said}" + (f" · {key} learn rates" if key else "")

    @property
    def pinned_at_hand(self) -> Pinned | None:
        """The configuration under the cursor, to pin or to save, if the view has one."""
        return None

    def sheets(self) -> Sequence[Sheet]:
        """The visible tables, to copy and to write to a file."""
        return ()

    def command(self, profile: Profile) -> str:  # noqa: ARG002 - for views that have one
        """The equivalent command line; empty without one."""
        return ""


class Board(Container):
    """The panels. Views are created when first shown, and draw only while visible."""

    #: The rules use the classes of the surrounding screen.
    SCOPED_CSS = False
    DEFAULT_CSS = """
    Board { layout: grid; grid-size: 2 1; grid-columns: 46 1fr; grid-rows: 1fr; }
    Board > .view { display: none; }
    Board.-viewing > #result { display: none; }
    Board.-viewing > .view.-present { display: block; }
    .-narrow > Board { grid-columns: 36 1fr; }
    .-narrow #trail-about { height: 4; }
    Board.-ranked { grid-size: 2 2; grid-rows: 16 1fr; }
    Board.-ranked > #view-rank { display: block; }
    Board.-ranked > #result { display: block; row-span: 2; }
    Board.-ranked.-viewing > #result { row-span: 1; }
    Board.-three { grid-size: 3 1; grid-rows: 1fr; grid-columns: 48 42 1fr; }
    Board.-three > #result { display: block; row-span: 1; column-span: 2; max-width: 120; }
    Board.-three.-viewing > #result { column-span: 1; }
    Board.-three.-ranked { grid-size: 3 2; grid-rows: 16 1fr; }
    Board.-three.-ranked > #result, Board.-three.-ranked > .view { row-span: 2; }
    Board.-three.-ranked > #view-rank { row-span: 1; }
    EstimatorScreen > Board.-zoomed { grid-size: 1 1; grid-columns: 1fr; grid-rows: 1fr; }
    Board.-zoomed > #inputs { display: none; }
    """

    def __init__(self, form: FormView, result: ResultView, settings: Mapping[ViewName, object]) -> None:
        super().__init__(id="board")
        self._begun_with = settings
        self._form = form
        self._result = result
        self._views: dict[ViewName, View] = {}
        #: The last data of each view: answers of the service do not change it.
        self._given: dict[ViewName, Study] = {}
        self._present = ViewName.ESTIMATE
        self._zoomed_narrow = False

    def compose(self) -> ComposeResult:
        """The initial panels; the ranking only if visible."""
        self._fit()
        yield self._form
        yield self._result
        if self._ranked:
            yield self.view(ViewName.RANK)

    @property
    def _ranked(self) -> bool:
        """Whether the ranking is below the inputs."""
        return self.app.size.height >= TALL and not self.screen.has_class("-narrow") and not self.zoomed

    @property
    def present(self) -> View | None:
        return self._views.get(self._present)

    @property
    def table(self) -> SheetView | None:
        views = (self.present, self._views.get(ViewName.RANK))
        found = (view.query("SheetView").results() for view in views if view is not None and self._in_sight(view))
        return cast("SheetView | None", next(chain.from_iterable(found), None))

    def show(self, state: EstimatorState, study: Study | None) -> None:
        self._result.show(state, study)
        self._name_tabs()
        for view in self._views.values():
            if study is not None and self._in_sight(view) and self._given.get(view.NAME) != study:
                self._given[view.NAME] = study
                view.show(study)

    def _name_tabs(self) -> None:
        """Name the tabs on the border of the current panel, and title the others."""
        here = self.present or self._result
        tabbed = self._result if here.id == "view-rank" and self._ranked else here
        if not tabbed.size:  # hidden until it is laid out, which it reports
            return
        tabs = tab_names(_TABS, self._present.value, room_on_border(tabbed))
        entitle(self._result, tabs if tabbed is self._result else "Estimate")
        for view in self._views.values():
            view.tabs = tabs if view is tabbed else None
            view.write_border()

    def on_sized(self) -> None:
        self._name_tabs()

    def _in_sight(self, view: View) -> bool:
        ranked = view.NAME is ViewName.RANK and self._ranked
        return view.is_mounted and (ranked or self._present is view.NAME)

    def view(self, name: ViewName) -> View:
        """A view, created when first needed."""
        if name not in self._views:
            module, _, class_name = VIEWS[name].partition(":")
            view_class: type[View] = getattr(import_module(module), class_name)
            self._views[name] = view_class(settings_of(view_class.USUAL, self._begun_with.get(name)))
        return self._views[name]

    @property
    def settings(self) -> Mapping[ViewName, object]:
        """The user's settings in the views; for a view not shown yet, its initial ones."""
        return {**self._begun_with, **{name: view.settings for name, view in self._views.items()}}

    async def turn_to(self, name: ViewName) -> None:
        """Switch to a view; the next :meth:`show` draws it."""
        if name is not ViewName.ESTIMATE and name not in self._views:
            await self.mount(self.view(name))
        self._present = name
        for other, view in self._views.items():
            view.set_class(other is name, "-present")
        await self.fit_window()

    async def fit_window(self) -> None:
        """Fit the layout to the window; a tab enlarged in a narrow window is restored in a wider one."""
        if self._zoomed_narrow and not self.screen.has_class("-narrow"):
            self._zoomed_narrow = False
            self.remove_class("-zoomed")
        if self._ranked and ViewName.RANK not in self._views:
            await self.mount(self.view(ViewName.RANK))
        self._fit()
        self._name_tabs()

    def _fit(self) -> None:
        """Lay out the panels; the ranking takes no room from the estimate if it has its own place."""
        ranked = self._ranked
        three = self.screen.has_class("-wide") and not self.zoomed
        self.set_class(ranked, "-ranked")
        self.set_class(three, "-three")
        beside = self._present is ViewName.RANK and ranked
        self.set_class(self._present is not ViewName.ESTIMATE and not beside, "-viewing")
        ranking = self._views.get(ViewName.RANK)
        if ranking is not None and ranking.is_attached:
            # The grid fills its cells in order: below the inputs is the third of two columns, the last of three.
            last = self.children[-1]
            if three and ranking is not last:
                self.move_child(ranking, after=last)
            elif not three and self.children[2] is not ranking:
                self.move_child(ranking, before=2)
        width = self.app.size.width
        if three:  # the inputs 46 to 60 wide, the estimate 42 to 56, the rest for the view
            self.styles.grid_columns = f"{min(60, max(46, width * 3 // 10))} {min(56, max(42, width // 4))} 1fr"
        elif ranked:  # the view gets 74 before inputs and ranking get more than 46
            self.styles.grid_columns = f"{min(60, max(46, width - 74))} 1fr"
        else:
            self.styles.clear_rule("grid_columns")

    def neighbour(self, step: int) -> ViewName:
        """The tab ``step`` tabs away from the current one, wrapping around."""
        return _NAMES[(_NAMES.index(self._present) + step) % len(_NAMES)]

    @property
    def focused(self) -> View | None:
        return next((view for view in self._views.values() if view.has_focus_within), None)

    @property
    def holds_keys(self) -> bool:
        """Whether the estimate or a view has the focus, and not the inputs."""
        return self._result.has_focus or self.focused is not None

    async def zoom(self, zoomed: bool) -> None:
        self.set_class(zoomed, "-zoomed")
        self._zoomed_narrow = zoomed and self.screen.has_class("-narrow")
        await self.fit_window()

    @property
    def zoomed(self) -> bool:
        return self.has_class("-zoomed")

    def focus_inputs(self) -> None:
        self._focus(self._form)

    def focus_present(self) -> None:
        view = self.present
        target: Widget = self._result if view is None else view.query_one(f"#{view.FOCUS}")
        self._focus(target)

    def _focus(self, target: Widget) -> None:
        """Focus a panel: immediately, so that it gets the next key, or after the next layout if still hidden."""
        if target.focusable:
            target.focus()
        else:
            self.call_after_refresh(target.focus)
