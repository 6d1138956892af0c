"""The panel beside the tree: one tab, and in a wide window also the section, or the map beside the section."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Offset
from textual.message import Message
from textual.widgets import Input
from textual.widgets.input import Selection

from chartui.core.text import single_line
from chartui.tui.bindings import sign_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.narrative.state import Desk, NarrativeState, Tab
from chartui.tui.screens.narrative.tabs.lint import LintTab
from chartui.tui.screens.narrative.tabs.map import MapTab
from chartui.tui.screens.narrative.tabs.section import SectionTab
from chartui.tui.screens.narrative.tabs.stats import StatsTab
from chartui.tui.screens.narrative.tabs.tab import StoryTab
from chartui.tui.screens.narrative.tabs.walk import WalkTab
from chartui.tui.widgets.border import write_on_border
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable
from chartui.tui.widgets.tabs import TabName, TabPanel
from chartui.tui.widgets.text import Words


class _EntryBox(FilterBox):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Accept")]


class EntryLine(Vertical):
    """A one-line input below the cursor of a view, shown for a question. Enter accepts, Escape cancels."""

    DEFAULT_CSS = """
    EntryLine {
        display: none;
        overlay: screen;
        constrain: inside inflect;
        width: 64;
        max-width: 100%;
        height: auto;
        margin: 1 0;
        border: round $primary;
        background: $panel;
    }
    EntryLine.-asking { display: block; }
    EntryLine Words { background: $panel; }
    EntryLine FilterBox { padding: 0 1 !important; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Cancel"), Binding("escape", "back", "Back")]

    class Left(Message):
        """The question is closed."""

    def __init__(self) -> None:
        super().__init__(id="entry")
        self._question = Words("", role="label")
        self._box = _EntryBox("")
        self._then: Callable[[str], object] | None = None
        self._refusal: Callable[[str], str] = str
        self._back: Callable[[], object] | None = None
        self._suggested = ""

    def compose(self) -> ComposeResult:
        yield self._question
        yield self._box

    @property
    def asking(self) -> bool:
        return self._then is not None

    @property
    def typed(self) -> str:
        """The text in the box of an open question, unless it is only suggested."""
        return self._box.value.strip() if self.asking and self._box.value != self._suggested else ""

    def ask(
        self,
        question: str,
        text: str,
        then: Callable[[str], object],
        refusal: Callable[[str], str],
        *,
        beside: LineView | None,
        back: Callable[[], object] | None = None,
    ) -> None:
        """Ask for a line, initially ``text``, and pass it to ``then``; ``refusal`` says why a line is invalid.

        The question is shown near the cursor of ``beside``; without it, where the previous one was. Escape calls
        ``back``, if given, to return to the question before.
        """
        if beside is not None:
            row = beside.cursor - beside.scroll_offset.y + beside.header_lines
            self.absolute_offset = beside.region.offset + Offset(2, row)
        self._then, self._refusal, self._back, self._suggested = then, refusal, back, text
        esc = "cancels" if back is None else "goes back"
        self._question.show(f"{question} · {sign_of(self, 'enter')} accepts · esc {esc}", role="label")
        self._box.value = text
        self._box.selection = Selection(0, len(text))
        self.add_class("-asking")
        self._box.focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text, then = event.value.strip(), self._then
        if refusal := self._refusal(text):
            self._question.show(f"{GLYPHS.danger} {refusal}", role="danger")
        elif then is not None:
            self.action_leave()
            then(text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape goes back if there is a question before."""
        if action in ("leave", "back"):
            return (action == "back") is (self._back is not None)
        return super().check_action(action, parameters)

    def action_back(self) -> None:
        back = self._back
        self.action_leave()
        if back is not None:
            back()

    def action_leave(self) -> None:
        self._then = None
        self.remove_class("-asking")
        self.post_message(self.Left())


class StoryTabs(TabPanel):
    TABS = (
        TabName(Tab.SECTION, "Section", "show-section"),
        TabName(Tab.MAP, "Map", "show-map"),
        TabName(Tab.LINT, "Lint", "show-lint"),
        TabName(Tab.WALK, "Walk", "show-walk"),
        TabName(Tab.STATS, "Stats", "show-stats"),
    )

    def __init__(self, desk: Desk) -> None:
        self.section = SectionTab(desk)
        self.map = MapTab(desk)
        self.lint = LintTab(desk)
        self.walk = WalkTab(desk)
        self.stats = StatsTab(desk, self.walk)
        self.entry = EntryLine()
        self._tabs: dict[str, StoryTab] = {
            Tab.SECTION: self.section,
            Tab.MAP: self.map,
            Tab.LINT: self.lint,
            Tab.WALK: self.walk,
            Tab.STATS: self.stats,
        }
        super().__init__({**self._tabs}, common=[self.entry], id="tabs")

    def tab(self, tab: Tab) -> StoryTab:
        return self._tabs[tab]

    def shows(self, tab: Tab) -> bool:
        """Whether a tab is visible."""
        return tab == self.present or (tab is Tab.MAP and self.map.beside)

    def copy_choices(self, tab: Tab) -> Sequence[Copyable]:
        """The contents of the tab, and the item under the cursor of the tree; the focused one first."""
        item, shown = self.section.copy_choices(), self._tabs[tab].copy_choices() if tab is not Tab.SECTION else ()
        return [*shown, *item] if self.has_focus_within else [*item, *shown]

    def show(self, state: NarrativeState) -> None:
        """Show the story and its selected node in the current tab."""
        self.lint.keep_up(state)
        # Without the tree, nothing else names the character.
        lead = single_line(state.name, limit=60) if self.screen.has_class("-full") else ""
        self.show_marks({Tab.SECTION: self.section.mark, Tab.LINT: self.lint.mark}, lead)
        self.set_class(state.tab is Tab.SECTION, "-section")
        if state.tab is not Tab.SECTION:  # a wide window shows it beside the other tabs
            self.section.show(state)
        elif self.map.beside:
            self.map.show(state)
        self.tab(state.tab).show(state)
        self._show_legend()

    @on(StoryTab.Said)
    def _show_legend(self) -> None:
        write_on_border(self, self._tabs[self.present].legend)
