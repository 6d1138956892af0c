"""A list to choose one thing from, with a box that filters it while one types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter_box import FilterBox
from chartui.tui.widgets.line_list import Column, LineList
from chartui.tui.widgets.line_view import LineView

__all__ = ["Choice", "Chooser", "matches"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose: ``key`` is what is chosen, the rest is what one reads.

    ``detail`` is a sentence, shown where there is room; ``note`` a word or two on the right.
    """

    key: str
    label: str
    note: str = ""
    detail: str = ""


def matches(query: str, text: str) -> bool:
    """Whether every word of ``query`` occurs in ``text``, whatever the case."""
    folded = text.casefold()
    return all(word in folded for word in query.casefold().split())


class Chooser(Dialog[str | None]):
    """Type to filter, arrows to move, Enter to choose, Escape to leave everything as it was."""

    DEFAULT_CSS = """
    Chooser > Vertical { width: 72; height: 80%; }
    Chooser.-detailed > Vertical { width: 120; }
    Chooser Input { padding: 0 1; background: $panel; margin: 0 1 1 1; }
    Chooser LineList { height: 1fr; padding: 0 1; background: $surface; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", show=False),
        Binding("down", "list('move', 1)", show=False, priority=True),
        Binding("up", "list('move', -1)", show=False, priority=True),
        Binding("pagedown", "list('page', 1)", show=False, priority=True),
        Binding("pageup", "list('page', -1)", show=False, priority=True),
    ]

    def __init__(self, title: str, choices: Sequence[Choice], current: str | None = None) -> None:
        self._detailed = any(choice.detail for choice in choices)
        super().__init__(classes="-detailed" if self._detailed else None)
        self._title = title
        self._choices = tuple(choices)
        self._current = current

    def compose(self) -> ComposeResult:
        """The box and the list."""
        with Vertical() as panel:
            panel.border_title = Content(single_line(self._title))
            yield FilterBox("type to filter")
            yield LineList[Choice](
                self._columns(),
                key=lambda c: c.key,
                header=False,
                empty="Nothing matches. Escape leaves it as it was.",
            )

    def _columns(self) -> list[Column[Choice]]:
        mark: Column[Choice] = Column("", lambda c: GLYPHS.chosen if c.key == self._current else "", 1, role="accent")
        label: Column[Choice] = Column("", lambda c: c.label)
        if not self._detailed:
            return [mark, label, Column("", lambda c: c.note, 24, align="right", role="label", rank=1)]
        detail: Column[Choice] = Column("", lambda c: c.detail, 58, role="label", rank=7)
        return [mark, label, detail, Column("", lambda c: c.note, 10, align="right", role="key")]

    def on_mount(self) -> None:
        """Start on the present choice."""
        self._filter("")
        self.query_one(Input).focus()

    def _filter(self, query: str) -> None:
        found = [c for c in self._choices if matches(query, f"{c.key} {c.label} {c.note} {c.detail}")]
        found.sort(key=lambda c: not matches(query, c.label))  # what is called so comes before what is described so
        shown = self.query_one(LineList)
        shown.show(found, keep=self._current if not query else (found[0].key if found else None))
        panel = self.query_one(Vertical)
        panel.border_subtitle = Content(f"{len(found)} of {len(self._choices)}")

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        """Keep the choice in sight."""
        self.query_one(LineList).scroll_to_row(self.query_one(LineList).cursor)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._filter(event.value)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        current = self.query_one(LineList).current
        if current is not None:
            self.dismiss(current.key)

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        self._submitted()

    def action_list(self, what: str, step: int) -> None:
        """Move the list's cursor while the box has the focus."""
        shown = self.query_one(LineList)
        (shown.action_move if what == "move" else shown.action_page)(step)
