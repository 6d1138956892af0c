"""What every screen has: the two bars, its commands as keys, and an orderly way to talk to the service."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget

from chartui.core.service import Service
from chartui.tui.widgets.bars import FooterBar, TopBar

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["WorkScreen"]


class WorkScreen(Screen[None]):
    """A screen of the workbench; ``SCOPE`` is its name in the table of commands."""

    SCOPE: ClassVar[str]
    AUTO_FOCUS: ClassVar[str | None] = None
    #: Windows narrower than the second number show one pane at a time.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]

    def compose(self) -> ComposeResult:
        """The bars around the screen's own widgets."""
        yield TopBar(self.SCOPE)
        yield from self.compose_work()
        yield FooterBar(self.SCOPE)

    def compose_work(self) -> Iterable[Widget]:
        """The widgets between the bars."""
        raise NotImplementedError

    @property
    def workbench(self) -> ChartuiApp:
        """The application, with its own type."""
        return cast("ChartuiApp", self.app)

    @property
    def service(self) -> Service:
        """The service of the open profile, asked in this screen's name."""
        return self.workbench.session.service.asking_as(self.SCOPE)

    def refresh_bars(self) -> None:
        """Draw the bars again."""
        self.query_one(TopBar).refresh()
        self.query_one(FooterBar).refresh()
