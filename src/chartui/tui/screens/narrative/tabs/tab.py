"""The base of the tabs beside the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from chartui.tui.guides import empty_graph, no_characters, story_not_loaded
from chartui.tui.screens.narrative.state import Desk, NarrativeState
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable


class StoryTab(Vertical):
    """A tab around its focusable view; ``legend`` is shown on the lower border while the tab is visible."""

    DEFAULT_CSS = "StoryTab > LineView { height: 1fr; }"

    class Said(Message):
        """The legend has changed."""

    def __init__(self, desk: Desk, view: LineView, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._desk = desk
        self._view = view
        self.legend = ""

    def compose(self) -> ComposeResult:
        yield self._view

    def focus(self, scroll_visible: bool = True) -> Self:
        self._view.focus(scroll_visible)
        return self

    def show(self, state: NarrativeState) -> None:
        """Show the story and its selected node; called while the tab is visible."""
        raise NotImplementedError

    def emptiness(self, purpose: str) -> str:
        """Why there is no story, or the keys that fill an empty one and the tab's ``purpose``."""
        story, error = self._desk.state.story, self._desk.state.error
        if story is None and error is not None:
            return story_not_loaded(self._desk.workbench, error)
        if self._desk.state.unfilled:
            return f"{no_characters(self._desk.workbench)} {purpose}"
        if story is None or story.sections or story.triggers:
            return purpose
        return f"{empty_graph(self._desk.workbench)} {purpose}"

    def say(self, legend: str) -> None:
        self.legend = legend
        self.post_message(self.Said())

    def copy_choices(self) -> Sequence[Copyable]:
        return ()

    def begin_filter(self) -> bool:
        """Open the filter of the tab; returns False without one."""
        return False

    def go_back(self) -> bool:
        """Leave what covers the view; returns False if nothing does."""
        return False
