"""The characters screen: a list with a filter, and the selected character in tabs beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from chartui.commands import Command, commands_at
from chartui.core.bookmark import ScreenPlace, tab_in, text_in
from chartui.tui.bindings import bindings_for
from chartui.tui.screens.characters.changes_since_visit import Visits
from chartui.tui.screens.characters.detail import Detail
from chartui.tui.screens.characters.list import CharacterList
from chartui.tui.screens.characters.list_notes import NOBODY, none_selected
from chartui.tui.screens.characters.reader import CharacterReader
from chartui.tui.screens.characters.state import CharactersState, Tab
from chartui.tui.screens.characters.tabs.cost import CostTab
from chartui.tui.screens.characters.tabs.settings import SettingsTab
from chartui.tui.widgets.border import room_on_border, write_on_border
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.list_screen import ListScreen
from chartui.tui.widgets.screen import JUST, Copyable

if TYPE_CHECKING:
    from chartui.core.spec.records import Records
    from chartui.tui.screens.characters.comparison import ComparisonPanel
    from chartui.tui.shell.palette import Group

#: Commands that need characters; those that create one explain themselves what is missing.
_ABOUT_CHARACTERS: Final = frozenset(row.action.partition("(")[0] for row in commands_at("characters")) - {
    "leave",
    "keep_house",
}


class CharactersScreen(ListScreen):
    """List and tabs side by side; in a narrow window one at a time, in a wide one with the history as third column."""

    SCOPE = "characters"
    AUTO_FOCUS = "#list"
    DATA = "characters"
    LIVE = True
    READS = frozenset({"read", "record", "cost", "comparison"})
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("characters")
    DEFAULT_CSS = """
    CharactersScreen #left { width: 45%; max-width: 110; }
    CharactersScreen.-wide #left { width: 35%; min-width: 60; max-width: 90; }
    CharactersScreen.-narrow #left, CharactersScreen.-narrow #detail { width: 1fr; }
    CharactersScreen.-narrow #detail, CharactersScreen.-narrow.-detail #left { display: none; }
    CharactersScreen.-narrow.-detail #detail { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.state = CharactersState()
        self.characters = CharacterList()
        self._matches = True
        self._start: ScreenPlace = {}

    # -- the parts ----------------------------------------------------------------------------------------------------

    @cached_property
    def visits(self) -> Visits:
        tell = partial(self.workbench.tell, title="Last visit unknown", severity="warning")
        return Visits(self.session, self.workbench.opening.clock, tell)

    @cached_property
    def reader(self) -> CharacterReader:
        return CharacterReader(self, self.visits)

    @cached_property
    def detail(self) -> Detail:
        return Detail(self.session, self.visits)

    @cached_property
    def comparison(self) -> ComparisonPanel:
        from chartui.tui.screens.characters.comparison import ComparisonPanel

        return ComparisonPanel(self)

    def compose_work(self) -> Iterable[Widget]:
        with Horizontal(id="work"):
            yield self.characters
            yield self.detail

    def beside(self) -> Widget:
        return self.detail

    # -- the list -----------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        self.detail.turn_to(self.state.tab)
        self.set_class(bool(text_in(self._start, "filter")), "-filtering")
        self.characters.start_at(self._start)
        self.start(self.detail.settings.read_drafts, group="drafts")

    async def read_data(self, *, refresh: bool = False) -> None:
        """Read the list; the cursor stays on its character."""
        if refresh:
            self.reader.forget()
            self.detail.cost.forget()
            if self.has_class("-comparing"):
                self.comparison.read_again()
        self.characters.begin_reading()
        self.post_message(await self.characters.read(self.watched_service()))

    @on(CharacterList.Listed)
    def _listed(self, message: CharacterList.Listed) -> None:
        self.characters.take(message)
        if message.error is None:
            if self.has_class("-filtering"):
                self.characters.prepare()
            in_tab, self._start = self._start.get("in_tab"), {}
            if in_tab:
                self.action_open_tab(self.state.tab)
            self.read_record()

    @on(CharacterList.Changed)
    def _list_changed(self, message: CharacterList.Changed) -> None:
        self.refresh_bindings()
        if not message.matches:
            self.state = replace(self.state, shown=None, reading=None, note=NOBODY)
            self.show()
        elif not self._matches:  # the cursor has not moved, but is on a character again
            self.characters.view.rest()
        self._matches = message.matches

    @property
    def filled(self) -> bool:
        return self.characters.filled

    @property
    def age(self) -> float | None:
        """That of the list, even if details were read since."""
        return None if super().age is None else self.characters.age

    def palette_groups(self) -> Iterable[Group]:
        from chartui.tui.screens.characters.palette_groups import characters_group

        finder = self.characters.listing.finder
        return [characters_group(self.workbench, finder)] if finder.summaries else []

    @property
    def records_just_read(self) -> Records | None:
        """Those of the list, unless it is being read or has to be, since something has changed."""
        listing, service = self.characters.listing, self.session.service
        outdated = self._stale or listing.loading or listing.error is not None or listing.read_at is None
        return None if service.embedded or outdated or self.characters.age > JUST else listing.records

    def name_known(self, character_id: str) -> str:
        return self.characters.name_of(character_id)

    def footer_word(self, found: Command) -> str:
        """Offer what fits the state: the first character, changing the selected ones, applying staged changes."""
        match found.id:
            case "create-character":
                return "new" * (self.characters.listing.known_empty and self.session.service.embedded)
            case "filter-characters" if self.detail.has_focus_within:
                return "find"
            case "bulk-change" | "sort-characters":
                selected = self.characters.listing.selected and self.characters.has_focus_within
                shown = bool(selected) is (found.id == "bulk-change")
            case "open-filter":
                shown = self.characters.box.has_focus
            case "undo":
                return self.detail.past.undo_word
            case _:
                shown = self.detail.settings.offers(found.id, self.in_hand)
        return super().footer_word(found) if shown else ""

    def standing(self) -> str:
        return self.characters.listing.standing

    def search(self, query: str) -> None:
        self.characters.search(query)

    def accept_match(self) -> None:
        self.characters.accept_match()

    def receive(self, character_id: str) -> None:
        """Move the cursor to the character, if it is listed."""
        listed = any(summary.character_id == character_id for summary in self.characters.listing.summaries)
        if listed and character_id != self.in_hand:
            self.go_to(character_id)

    def place(self) -> ScreenPlace:
        in_tab = self.has_class("-detail") or self.detail.has_focus_within or bool(self._start.get("in_tab"))
        return {"tab": self.state.tab.value, "in_tab": in_tab, **self.characters.place()}

    def start_at(self, place: ScreenPlace) -> None:
        self._start = place
        self.state = replace(self.state, tab=tab_in(place, self.state.tab))

    def go_to(self, character_id: str) -> None:
        """Move the cursor to a character; clears a filter that would hide it."""
        self.remove_class("-filtering")
        self.characters.go_to(character_id)

    # -- the character under the cursor -------------------------------------------------------------------------------

    @property
    def in_hand(self) -> str | None:
        """The id of the character selected in the list or open beside it; None without one."""
        return self.characters.current_id

    @property
    def none_selected(self) -> str:
        return "" if self.in_hand else none_selected(self.characters.listing)

    @property
    def chosen_characters(self) -> Sequence[str]:
        return [summary.character_id for summary in self.characters.listing.selection] or super().chosen_characters

    @property
    def _in_sight(self) -> bool:
        # Checks the classes, since the style follows them only at the next refresh.
        return not self.has_class("-narrow") or self.has_class("-detail")

    def on_resize(self) -> None:
        """Read the record now shown."""
        if self.state.shown != self.characters.current_id:
            self.read_record()

    @on(LineView.Rested, "#list")
    def read_record(self) -> None:
        """Read the character under the cursor if it is in sight; the keys act on it in any case."""
        if self._in_sight:
            self.read_then()
        else:
            self.show()

    def read_then(self, do: Callable[[], None] | None = None) -> None:
        """Read the character under the cursor and then ``do`` something, if it is still there."""
        if (character_id := self.characters.current_id) is not None:
            models = do is not None or self.state.tab in (Tab.SETTINGS, Tab.COST)
            self.reader.start(character_id, self.characters.listing.records.find(character_id), models=models, do=do)

    @on(CharacterReader.Read)
    def _record_read(self, message: CharacterReader.Read) -> None:
        if message.character_id != self.characters.current_id:
            return
        repeated = self.characters.listing.records.repeated(message.character_id)
        self.state = self.state.with_reading(message, repeated)
        self.reader.look_at(message, lambda: self.characters.current if self._in_sight else None)
        self.characters.judge(self.state.models)
        if message.reading is not None:
            self.detail.settings.editor.rebase(message.character_id, message.reading.now)
        self.show()
        self.detail.read(self.state.tab)
        self.reader.finish(message)

    def show(self) -> None:
        """Show the character under the cursor, or why it cannot be shown."""
        editor, state = self.detail.settings.editor, replace(self.state, current=self.characters.current)
        self.state = state.with_settings(
            editor.staged.get(state.shown or ""),
            locked=self.workbench.refusal("editing settings"),
            unsaved=editor.failing,
        )
        self.characters.mark_staged(frozenset(editor.staged) | state.stories.keys())
        self.detail.show_state(self.state)
        self._show_note()
        self.refresh_bindings()

    def refresh_bars(self) -> None:
        """Adapt to a changed lock."""
        super().refresh_bars()
        self.show()

    @on(SettingsTab.Edited)
    def _edited(self, message: SettingsTab.Edited) -> None:
        self.show()
        if message.character_id == self.state.shown and self.state.tab is not Tab.SETTINGS:
            self.detail.read(self.state.tab)

    @on(SettingsTab.Known)
    def _known(self, message: SettingsTab.Known) -> None:
        self.state = self.state.knowing(message.shown)
        self.show()

    @on(SettingsTab.SceneRead)
    def _scene_read(self, message: SettingsTab.SceneRead) -> None:
        self.state = replace(self.state, declared={**self.state.declared, message.character_id: message.declared})
        self.show()

    @on(SettingsTab.StoriesRead)
    def _stories_read(self, message: SettingsTab.StoriesRead) -> None:
        self.state = replace(self.state, stories=message.stories)
        self.show()

    def on_screen_resume(self) -> None:
        """Adapt to changed inputs of the estimator, and to changes staged for stories."""
        self.start(self.detail.settings.read_stories, group="stories")
        self.characters.read_costs()
        if self.state.tab is Tab.COST:
            self.detail.read(Tab.COST)

    # -- work under way -----------------------------------------------------------------------------------------------

    def show_loading(self) -> None:
        self.characters.show_loading()
        self._show_note()
        if self.has_class("-comparing"):
            self.comparison.show_loading()

    @on(CostTab.Costed)
    def _show_note(self) -> None:
        """Show the work under way on the border of the detail, the scenario of the visible cost, or a staged story."""
        groups = ["record", "cost"]
        if self.has_class("-narrow"):  # the list, which would show it, is hidden
            groups.append("comparison")
        loading = self.loading_text(*groups, width=room_on_border(self.detail))
        write_on_border(self.detail, loading or self.detail.cost.scenario_note or self.state.story_note)

    def read_canceled(self, group: str) -> None:
        """Show that reading was canceled."""
        super().read_canceled(group)
        if group == "read":
            self.characters.give_up(self.canceled())
        elif group == "record" and self.characters.current_id is not None:
            self.post_message(CharacterReader.Read(self.characters.current_id, error=self.canceled_error("record")))
        elif group == "cost":
            self.detail.cost.give_up(self.canceled_error("cost"))
        elif group == "comparison":
            self.workbench.tell("Canceled. The characters were not compared.", topic="comparison")

    @property
    def escape_cancels(self) -> bool:
        """Not during a comparison, which Escape closes."""
        return not self._compares and super().escape_cancels

    @property
    def escape_clears(self) -> bool:
        return not self._compares and super().escape_clears

    @property
    def _compares(self) -> bool:
        """Whether a comparison is shown, or its second character is being chosen."""
        return self.has_class("-comparing") or bool(self.characters.note)

    def leaving(self) -> str:
        return self.detail.settings.leaving()

    async def settled(self) -> None:
        await self.detail.settings.settled()

    async def on_unmount(self) -> None:
        if "comparison" in vars(self):
            await self.comparison.close_other()

    # -- commands: the list and the tabs ------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Search the focused tab, or filter the list."""
        if not self.detail.find():
            self.use_filter(self.characters.box.value)

    def action_saved_filter(self, command: str) -> None:
        from chartui.tui.screens.characters.saved_filters import run

        self.start(partial(run, self, command), group="filters")

    def use_filter(self, text: str) -> None:
        """Filter the list by ``text``; typing replaces it."""
        self._close_comparison()
        super().action_filter()
        self.characters.box.value = text
        self.characters.prepare()

    def action_fuzzy_filter(self) -> None:
        """Switch between fuzzy and exact filtering; opens the filter."""
        self.remove_class("-detail")
        if not self.has_class("-filtering"):
            self.open_filter()
        self.characters.turn_fuzzy()

    @on(LineView.Chosen, "#list")
    def _chosen(self) -> None:
        self.accept_match()
        self.action_open_tab(self.state.tab)

    def action_turn_tab(self, step: int) -> None:
        """Show the next or previous tab, or the current one if none is in sight; the focus stays in a list beside."""
        tab = Tab(self.detail.neighbour(step if self._in_sight else 0))
        if self.has_class("-narrow") or self.detail.has_focus_within:
            self.action_open_tab(tab)
        else:
            self._turn_to(tab)
            self.read_record()

    def action_open_tab(self, name: str) -> None:
        """Go to a tab of the character under the cursor; a comparison gives way."""
        tab = Tab(name)
        self._close_comparison()
        if self.characters.current is not None:
            self._turn_to(tab)
            self.add_class("-detail")
            self.detail.part(tab).focus()
            self.read_record()

    def _turn_to(self, tab: Tab) -> None:
        self.state = replace(self.state, tab=tab)
        self.detail.turn_to(tab)
        self.show()

    def action_leave(self) -> None:
        """Close the comparison or the search, or cancel choosing the second character; else return to the list."""
        if self.has_class("-comparing"):
            self._close_comparison()
            self.characters.view.focus()
        elif self.characters.note and self.characters.view.has_focus:
            self.comparison.first = None
            self.characters.show_note("")
        elif not self.detail.leave_find():
            super().action_leave()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a command applies now; “Back” needs something to leave or to cancel."""
        if self.characters.listing.unfilled and action in _ABOUT_CHARACTERS:
            return False
        if (action, *parameters) == ("keep_house", "delete") and not self.characters.has_focus_within:
            return False  # In a record, d would be a slip.
        if action == "turn_tab" and self.has_class("-comparing"):
            return False  # The tabs are hidden.
        if action in ("filter", "fuzzy_filter") and self.detail.has_focus_within:
            return action == "filter" and self.detail.searchable is not None
        return bool(self.escape_word) if action == "leave" else super().check_action(action, parameters)

    def action_show_card(self) -> None:
        """Show the support card of the character under the cursor; reads its record first if needed."""
        self.show()
        if self.state.is_read:
            self.detail.record.show_card()
        else:
            self.read_then(self.detail.record.show_card)

    def copy_choices(self) -> Sequence[Copyable]:
        """The visible comparison, or the character under the cursor and its data."""
        if self.has_class("-comparing"):
            return self.comparison.copies()
        self.show()
        return [*self.detail.copies(self.state), *(self.characters.copies() if self.state.current is not None else ())]

    # -- commands: settings -------------------------------------------------------------------------------------------

    def action_settings(self, command: str, *given: int) -> None:
        """Perform a command on the current settings; reads them first if needed."""
        settings = self.detail.settings
        if settings.refuses(command, self.in_hand):
            return
        self.show()
        do = partial(getattr(settings, command), *given)
        if self.state.settings is not None:
            do()
        else:
            self.action_open_tab(Tab.SETTINGS)
            self.read_then(do)

    # -- commands: cost, comparison, changes --------------------------------------------------------------------------

    def action_cost(self, command: str) -> None:
        self.show()
        self.detail.cost.do(command)

    def action_compare(self) -> None:
        """Choose the first character, then the second; after that switch between all fields and differences."""
        self.comparison.press(self.characters.current)
        self.characters.show_note(self.comparison.waiting(self.characters.note_width))
        self.refresh_bindings()

    def action_compare_profiles(self) -> None:
        if self.characters.current is not None:
            self.comparison.compare_profiles(self.characters.current)

    def _close_comparison(self) -> None:
        if self.has_class("-comparing"):
            self.remove_class("-comparing")
            self.comparison.close()

    def return_to_start(self) -> None:
        self._close_comparison()
        super().return_to_start()

    def action_bulk_change(self) -> None:
        from chartui.tui.screens.characters.changes import change_many

        self.start(partial(change_many, self, self.characters.listing.selection, self.state.models), group="plan")

    def action_keep_house(self, command: str) -> None:
        from chartui.tui.screens.characters.changes import StoreChanges

        changes = StoreChanges(self, self.characters.current, self.characters.listing.summaries, self.go_to)
        self.start(partial(changes.run, command), group="plan")
