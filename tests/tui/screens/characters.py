"""The characters as a test knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chartui.tui.screens.characters.history_pane import PastView
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.screens.characters.seeing import Sight
from chartui.tui.screens.characters.settings import SettingsForm
from chartui.tui.screens.characters.state import Pane as CharactersPane
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.json_view import JsonView
from chartui.tui.widgets.line_list import LineList
from tests.tui.screens.reader import Reader

if TYPE_CHECKING:
    from textual.timer import Timer

    from chartui.core.characters.comparison import Comparison
    from chartui.core.characters.models import Models
    from chartui.core.jsontext import Wire
    from chartui.core.plans.settings import Staged
    from chartui.core.session import Session
    from chartui.core.spec.models.summaries import CharacterSummary
    from chartui.core.spec.records import Records
    from chartui.tui.screens.characters.state import Shown
    from chartui.tui.widgets.fields_view import _Row as RecordRow
    from chartui.tui.widgets.json_view import _Line as JsonLine

__all__ = ["Characters"]


class Characters(Reader[CharactersScreen]):
    """The characters: list, record, settings."""

    @property
    def view(self) -> LineList[CharacterSummary]:
        """The list."""
        return self._screen._list

    @property
    def summaries(self) -> Sequence[CharacterSummary]:
        """All characters, in sight or not."""
        return self._screen.state.summaries

    @property
    def names(self) -> list[str | None]:
        """The names in the list."""
        return [summary.character_name for summary in self._screen._list.items]

    @property
    def current(self) -> CharacterSummary | None:
        """The character at the cursor; None where there is none."""
        return self._screen.current

    @property
    def name(self) -> str | None:
        """Its name; None where there is none."""
        return self.current.character_name if self.current is not None else None

    @property
    def selected(self) -> Sequence[CharacterSummary]:
        """Those that are marked."""
        return self._screen.selected

    @property
    def query(self) -> str:
        """What the list is filtered by."""
        return self._screen.state.query

    @property
    def fuzzy(self) -> bool:
        """Whether it is filtered by letters."""
        return self._screen.state.fuzzy

    @property
    def loading(self) -> bool:
        """Whether the list is being read."""
        return self._screen.state.loading

    @property
    def records(self) -> Records:
        """The records that were read for the list."""
        return self._screen.state.records

    @property
    def described(self) -> bool:
        """Whether the records can be searched."""
        return self._screen.state.described

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
    def pane(self) -> CharactersPane:
        """The pane in sight."""
        return self._screen.state.pane

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
        return self._screen.detail.find.display

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
    def past_view(self) -> PastView:
        """The pane of the history."""
        return self._screen.detail.past

    @property
    def form(self) -> SettingsForm:
        """The pane of the settings."""
        return self._screen.detail.form

    def open_pane(self, name: str) -> None:
        """Turn to a pane."""
        self._screen.action_open_pane(name)

    @property
    def look_timer(self) -> Timer | None:
        """What waits until the character counts as seen."""
        return self._screen._looking

    @property
    def sight(self) -> Sight:
        """What is known of the last visit."""
        return self._screen.sight

    # -- settings -----------------------------------------------------------------------------------------------------

    @property
    def settings(self) -> Shown:
        """The settings that are shown."""
        shown = self._screen.shown
        assert shown is not None
        return shown

    @property
    def are_settings_shown(self) -> bool:
        """Whether the settings have been read."""
        return self._screen.shown is not None

    @property
    def now(self) -> Mapping[str, Wire] | None:
        """The settings as they are stored; None until they are there."""
        return self._screen.state.now

    @property
    def staged(self) -> Mapping[str, Staged]:
        """What is to be saved, by character."""
        return self._screen.state.staged

    @property
    def models(self) -> Models | None:
        """The models; None until they are known."""
        return self._screen.state.models

    def keep(self, staged: Staged) -> None:
        """Write a draft again, as the program does by itself."""
        self._screen._keeper.keep(staged)

    async def kept(self) -> None:
        """Wait until every draft is on the disk."""
        await self._screen._keeper.settled()

    def refresh_bars(self) -> None:
        """Draw the bars again, as when the lock is another."""
        self._screen.refresh_bars()

    # -- two characters -----------------------------------------------------------------------------------------------

    @property
    def is_comparing(self) -> bool:
        """Whether two are held against each other, and the cursor is on what differs."""
        panel = self._screen._panel
        return panel is not None and panel.view.at_cursor is not None

    @property
    def comparison(self) -> Comparison | None:
        """What came of it."""
        return self._screen._comparison

    @property
    def other_profile(self) -> Session | None:
        """The other profile, while one is open."""
        return self._screen._other
