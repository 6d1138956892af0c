"""The characters as a test knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual.style import Style

from chartui.tui.screens.characters.changes_since_visit import Visits
from chartui.tui.screens.characters.columns import columns
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.screens.characters.state import NONE_CHOSEN, Chosen, Tab
from chartui.tui.screens.characters.tabs.history import HistoryTab
from chartui.tui.screens.characters.tabs.settings import SettingsTab
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.json_view import JsonView
from chartui.tui.widgets.line_list import LineList
from chartui.tui.widgets.screen import NORMAL
from tests.tui.screens.reader import Reader

if TYPE_CHECKING:
    from textual.timer import Timer

    from chartui.core.characters.comparison import Comparison
    from chartui.core.characters.finder import Sorting
    from chartui.core.characters.models import Models
    from chartui.core.jsontext import Wire
    from chartui.core.plans.settings import Staged
    from chartui.core.session import Session
    from chartui.core.spec.models.summaries import CharacterSummary
    from chartui.core.spec.records import Records
    from chartui.tui.screens.characters.comparison import ComparisonPanel
    from chartui.tui.screens.characters.state import Shown
    from chartui.tui.widgets.fields_view import _Row as RecordRow
    from chartui.tui.widgets.json_view import _Line as JsonLine

__all__ = ["Characters", "list_widths"]

#: Cells of the border and the scroll bar of the list.
FRAME = 3


def list_widths(window: int, sorting: Sorting, chosen: Chosen = NONE_CHOSEN) -> dict[str, int]:
    """The columns of the list by their titles, in a window so many cells wide."""
    shown: LineList[CharacterSummary] = LineList(
        tuple(columns(sorting, chosen, is_staged=lambda _: False, is_gone=lambda _: False, cost=lambda _: "").values()),
        key=lambda s: s.character_id,
    )
    room = (window if window < NORMAL else window * 45 // 100) - FRAME
    found = shown._layout(room)
    assert 1 + sum(cells + 1 for _, cells in found) <= room
    return {column.title: cells for column, cells in found if column.title}


class Characters(Reader[CharactersScreen]):
    """The characters: list, record, settings."""

    @property
    def view(self) -> LineList[CharacterSummary]:
        """The list."""
        return self._screen.characters.view

    @property
    def summaries(self) -> Sequence[CharacterSummary]:
        """All characters, in sight or not."""
        return self._screen.characters.listing.summaries

    @property
    def names(self) -> list[str | None]:
        """The names in the list."""
        return [summary.character_name for summary in self._screen.characters.view.items]

    @property
    def current(self) -> CharacterSummary | None:
        """The character at the cursor; None where there is none."""
        return self._screen.characters.current

    @property
    def name(self) -> str | None:
        """Its name; None where there is none."""
        return self.current.character_name if self.current is not None else None

    @property
    def selected(self) -> Sequence[CharacterSummary]:
        """Those that are marked."""
        return self._screen.characters.listing.selection

    @property
    def query(self) -> str:
        """What the list is filtered by."""
        return self._screen.characters.listing.query

    @property
    def fuzzy(self) -> bool:
        """Whether it is filtered by letters."""
        return self._screen.characters.listing.fuzzy

    @property
    def loading(self) -> bool:
        """Whether the list is being read."""
        return self._screen.characters.listing.loading

    @property
    def records(self) -> Records:
        """The records that were read for the list."""
        return self._screen.characters.listing.records

    @property
    def described(self) -> bool:
        """Whether the records can be searched."""
        return self._screen.characters.listing.described

    # -- the character beside the list --------------------------------------------------------------------------------

    @property
    def shown_id(self) -> str | None:
        """The id of the character beside the list."""
        return self._screen.state.shown

    @property
    def record(self) -> Mapping[str, Wire]:
        """Its record; empty until it is there."""
        return self._screen.state.record

    @property
    def pane(self) -> Tab:
        """The pane in sight."""
        return self._screen.state.tab

    @property
    def tab(self) -> str:
        """The tab that the border marks as the present one; empty while none is in sight."""
        title = self._screen.detail._border_title
        if title is None or not self._screen.detail.display:
            return ""
        marked = (span for span in title.spans if isinstance(span.style, Style) and span.style.underline)
        return "".join(title.plain[span.start : span.end] for span in marked)

    @property
    def shows_detail(self) -> bool:
        """Whether the panes are in sight."""
        return self._screen.detail.display

    def fills_window(self) -> bool:
        """Whether the panes have a narrow window to themselves."""
        return self._screen.has_class("-detail")

    @property
    def in_detail(self) -> bool:
        """Whether the keys go to a pane."""
        return self._screen.detail.has_focus_within

    @property
    def is_finding(self) -> bool:
        """Whether a word of the record can be typed."""
        return self._screen.detail.find_box.display

    @property
    def record_view(self) -> FieldsView:
        """The pane of the record."""
        return self._screen.detail.record

    @property
    def raw_view(self) -> JsonView:
        """The pane of the record as it was read."""
        return self._screen.detail.raw

    @property
    def record_rows(self) -> Sequence[RecordRow]:
        """The lines of the record, also those that are scrolled away."""
        return self._screen.detail.record._rows

    @property
    def raw_rows(self) -> Sequence[JsonLine]:
        """The lines of the record as it was read, also those that are scrolled away."""
        return self._screen.detail.raw._rows

    @property
    def past_view(self) -> HistoryTab:
        """The pane of the history."""
        return self._screen.detail.past

    @property
    def form(self) -> SettingsTab:
        """The pane of the settings."""
        return self._screen.detail.settings

    def open_pane(self, name: str) -> None:
        """Turn to a pane."""
        self._screen.action_open_tab(name)

    @property
    def look_timer(self) -> Timer | None:
        """What waits until the character counts as seen."""
        return self._screen.reader.looking

    @property
    def sight(self) -> Visits:
        """What is known of the last visit."""
        return self._screen.visits

    # -- settings -----------------------------------------------------------------------------------------------------

    @property
    def settings(self) -> Shown:
        """The settings that are shown."""
        shown = self._screen.state.settings
        assert shown is not None
        return shown

    @property
    def are_settings_shown(self) -> bool:
        """Whether the settings have been read."""
        return self._screen.state.settings is not None

    @property
    def now(self) -> Mapping[str, Wire] | None:
        """The settings as they are stored; None until they are there."""
        reading = self._screen.state.reading
        return reading.now if reading is not None else None

    @property
    def staged(self) -> Mapping[str, Staged]:
        """What is to be saved, by character."""
        return self._screen.detail.settings.editor.staged

    @property
    def models(self) -> Models | None:
        """The models; None until they are known."""
        return self._screen.state.models

    def keep(self, staged: Staged) -> None:
        """Write a draft again, as the program does by itself."""
        self._screen.detail.settings.editor.keep(staged)

    async def kept(self) -> None:
        """Wait until every draft is on the disk."""
        await self._screen.detail.settings.settled()

    def refresh_bars(self) -> None:
        """Draw the bars again, as when the lock is another."""
        self._screen.refresh_bars()

    # -- two characters -----------------------------------------------------------------------------------------------

    @property
    def _panel(self) -> ComparisonPanel | None:
        return self._screen.comparison if "comparison" in vars(self._screen) else None

    @property
    def is_comparing(self) -> bool:
        """Whether two are compared, and the cursor is on what differs."""
        return self._panel is not None and self._panel.view.at_cursor is not None

    @property
    def comparison(self) -> Comparison | None:
        """What came of it."""
        return self._panel.comparison if self._panel is not None else None

    @property
    def other_profile(self) -> Session | None:
        """The other profile, while one is open."""
        return self._panel.other if self._panel is not None else None
