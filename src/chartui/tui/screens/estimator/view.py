"""What every view beside the estimate is, and which there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from chartui.core.estimation.rates import Standing
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.estimator.state import ViewName

if TYPE_CHECKING:
    from chartui.core.profiles import Profile
    from chartui.core.sheet import Sheet
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.estimator.study import Pinned, Study

__all__ = ["VIEWS", "View"]

#: The class of each view, imported when it is first shown; in the order of the tabs.
VIEWS: Final[Mapping[ViewName, str]] = {
    ViewName.COMPARE: "chartui.tui.screens.estimator.compare:CompareView",
    ViewName.RANK: "chartui.tui.screens.estimator.rank:RankView",
    ViewName.EXPLORE: "chartui.tui.screens.estimator.explore:ExploreView",
    ViewName.WHAT_IF: "chartui.tui.screens.estimator.whatif:WhatIfView",
    ViewName.PLANS: "chartui.tui.screens.estimator.plans:PlansView",
}


class View(Vertical):
    """A panel that draws a study.

    What the user sets in a view (an order, a limit) is its ``settings``, one immutable object, which goes along to
    another profile; what it shows comes with every :meth:`show`, and it asks nobody.
    """

    DEFAULT_CSS = """
    View { width: 1fr; height: 1fr; }
    """

    NAME: ClassVar[ViewName]
    #: The id of the widget in it that takes the keys.
    FOCUS: ClassVar[str]

    @dataclass
    class Picked(Message):
        """Somebody wants these selections in the form; quantities too, as typed, where they are given."""

        chosen: Mapping[str, str | bool]
        typed: Mapping[str, str] | None = None

    @dataclass
    class Dropped(Message):
        """Somebody wants the configuration of this name to be pinned no longer."""

        name: str

    @dataclass
    class HeldAgainst(Message):
        """Somebody wants everything to be held against the pinned configuration of this name."""

        name: str

    def __init__(self, settings: object | None = None) -> None:
        super().__init__(id=f"view-{self.NAME.value}", classes="panel view")
        self.settings = settings

    def show(self, study: Study) -> None:
        """Draw a study; called at every change of the inputs while the view is in sight, so it has to be quick."""
        raise NotImplementedError

    def show_banner(self, study: Study) -> None:
        """Say on the border what the figures are worth, when they are not the store's own."""
        self.border_subtitle = Content(self.banner(study))

    def banner(self, study: Study) -> str:
        """What the figures are worth, in as few words as a border has room for; empty for the store's own."""
        rates = study.rates
        if rates.standing is not Standing.REFERENCE:
            return single_line(rates.banner.rstrip("."), limit=40)
        key = cast("ChartuiApp", self.app).keymap.label("learn-rates")
        return f"{GLYPHS.warning} reference rates" + (f" · {key} learns its own" if key else "")

    @property
    def pinned_at_hand(self) -> Pinned | None:
        """What is pinned and under the cursor, in a view that shows it."""
        return None

    def sheets(self) -> Sequence[Sheet]:
        """What is shown, as tables to copy and to write to a file."""
        return ()

    def command(self, profile: Profile) -> str:  # noqa: ARG002 - for views that have one
        """The command line that says the same; empty where there is none."""
        return ""
