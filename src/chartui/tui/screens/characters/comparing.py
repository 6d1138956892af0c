"""The part of the characters screen that holds two of them against each other, or one on two profiles."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from textual import on
from textual.message import Message

from chartui.core.character import read_character
from chartui.core.plans.reads import Reads
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.characters.recalling import RecallingScreen
from chartui.tui.screens.characters.state import Pane
from chartui.tui.wait import waiting
from chartui.tui.widgets.border import room_on_border
from chartui.tui.widgets.screen import Copyable

if TYPE_CHECKING:
    from chartui.core.characters.comparison import Comparison, Side
    from chartui.core.service import Service
    from chartui.core.session import Session
    from chartui.tui.screens.characters.comparison import ComparisonPanel

__all__ = ["ComparingScreen"]


class _First(NamedTuple):
    """The character that another one is to be compared with."""

    character_id: str
    name: str


class ComparingScreen(RecallingScreen):
    """Remembers the first of two, reads both, and shows them in the place of list and panes until that is closed."""

    @dataclass
    class Held(Message):
        """Two characters were read."""

        comparison: Comparison

    def __init__(self) -> None:
        super().__init__()
        self._first: _First | None = None
        self._panel: ComparisonPanel | None = None
        self._comparison: Comparison | None = None
        self._everything = False
        self._again: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._other: Session | None = None

    # -- which two ----------------------------------------------------------------------------------------------------

    def list_notes(self) -> Sequence[str]:
        """Who waits for another one to be compared with; the rest can wait as long, and there is not room for all."""
        if self._first is None:
            return super().list_notes()
        again, gives_up = map(self.workbench.keymap.label, ("compare-characters", "leave-record"))
        name = single_line(self._first.name, limit=16)
        return [f"{GLYPHS.differs} {name}: {again} on another, {gives_up} gives up"]

    def _wait_with(self, first: _First | None) -> None:
        self._first = first
        self.show_state(self.state)

    def action_compare(self) -> None:
        """Take the character under the cursor for the first of two, or for the second; then show more, or less."""
        if self._comparison is not None:
            self._everything = not self._everything
            self._show_comparison()
            return
        current, first = self.current, self._first
        if current is None:
            return
        here = _First(current.character_id, current.character_name or current.character_id)
        if first is None:
            self._wait_with(here)
        elif first.character_id == here.character_id:
            self._wait_with(None)
            self.workbench.tell("Not compared: it is the same character.")
        else:
            self._wait_with(None)
            self._read_both(partial(self._two, first, here))

    def action_compare_profiles(self) -> None:
        """Choose a profile, and hold the character under the cursor against the one there."""
        if self.current is not None:
            self.start(partial(self._with_profile, self.current), group="comparison")

    def _read_both(self, how: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._again = how
        self.start(how, group="comparison", title="Loading both characters")

    # -- reading ------------------------------------------------------------------------------------------------------

    async def _two(self, first: _First, second: _First) -> None:
        try:
            # On a service each record is read with the whole list: once for both.
            service = Reads(self._asking(self.session)).service
            sides = [await self._side(self.session, service, *one) for one in (first, second)]
        except ServiceError as error:
            self.workbench.tell_failure(error)
            return
        await self._hold(*sides)

    def _asking(self, session: Session) -> Service:
        """The service of a profile, which shows what it receives."""
        service, loading = session.service.asking_as(self.SCOPE), self._reads.get("comparison")
        return service if loading is None else service.reporting_to(loading.elapsed.call())

    async def _side(self, session: Session, service: Service, character_id: str, name: str) -> Side | None:
        from chartui.core.characters.comparison import Side

        reading = await read_character(service, session.journal, session.profile.place, character_id)
        return None if reading is None else Side(name, reading.record, reading.settings)

    async def _hold(self, left: Side | None, right: Side | None) -> None:
        from chartui.core.characters.comparison import compare

        if left is None or right is None:
            self.workbench.tell("One of them is not there any more.", title="Not compared", severity="warning")
            return
        self.post_message(self.Held(compare(left, right)))

    async def _with_profile(self, current: CharacterSummary) -> None:
        """Ask for a profile, and read the character there: the one with the same id, else one that is chosen."""
        from chartui.tui.screens.characters.other_profile import choose_character, open_another

        here = _First(current.character_id, current.character_name or current.character_id)
        async with waiting(self.workbench, f"Compare {single_line(here.name, limit=30)}"):
            await self._close_other()
            self._other = await open_another(self.workbench)
            if self._other is None:
                return
            there = await choose_character(self.workbench, self._other, here.character_id, here.name)
        if there is None:
            await self._close_other()
        else:
            self._read_both(partial(self._on_two_profiles, here, self._other, there))

    async def _on_two_profiles(self, here: _First, other: Session, there: str) -> None:
        mine, theirs = self.session.profile.name, other.profile.name
        try:
            left = await self._side(
                self.session, self._asking(self.session), here.character_id, f"{here.name} on {mine}"
            )
            right = await self._side(other, self._asking(other), there, "")
        except ServiceError as error:
            self.workbench.tell_failure(error)
            return
        if right is not None:
            right = right._replace(name=f"{right.record.get('character_name') or there} on {theirs}")
        await self._hold(left, right)

    async def _close_other(self) -> None:
        other, self._other = self._other, None
        if other is not None:
            await other.aclose()

    async def on_unmount(self) -> None:
        """Let go of the other profile."""
        await self._close_other()

    def forget(self) -> None:
        """Read both again, when the screen is read again."""
        super().forget()
        if self._comparison is not None and self._again is not None:
            self._read_both(self._again)

    # -- showing ------------------------------------------------------------------------------------------------------

    @on(Held)
    async def _held(self, message: Held) -> None:
        from chartui.tui.screens.characters.comparison import ComparisonPanel

        if self._panel is None:
            self._panel = ComparisonPanel()
            await self.query_one("#work").mount(self._panel)
        self._everything = self._everything and self._comparison is not None
        self._comparison = message.comparison
        self.remove_class("-detail")
        self.add_class("-comparing")
        self._show_comparison()
        self._panel.view.focus()

    def _show_comparison(self) -> None:
        if self._panel is not None and self._comparison is not None:
            self._panel.show(self._comparison, everything=self._everything, key=self.workbench.keymap.label)

    @property
    def escape_cancels(self) -> bool:
        """Not while a comparison is shown: Escape closes it."""
        return self._comparison is None and super().escape_cancels

    def show_loading(self) -> None:
        """Show on the comparison's border that both are read again."""
        super().show_loading()
        if self._panel is not None and self._comparison is not None:
            self._panel.show_loading(self.loading_text("comparison", width=room_on_border(self._panel)))

    def read_canceled(self, group: str) -> None:
        """Say that there is nothing to compare."""
        super().read_canceled(group)
        if group == "comparison":
            self.workbench.tell("Canceled. The characters were not compared.", topic="comparison")

    def _close_comparison(self) -> None:
        self._comparison = self._again = None
        self.remove_class("-comparing")
        self.start(self._close_other, group="comparison")

    def action_leave(self) -> None:
        """Close the comparison, or give up waiting for the second; else back to the list."""
        if self._comparison is not None:
            self._close_comparison()
            self._list.focus()
        elif self._first is not None and self._list.has_focus:
            self._wait_with(None)
        else:
            super().action_leave()

    def open_pane(self, pane: Pane) -> None:
        """Go to a pane: the comparison gives way."""
        if self._comparison is not None:
            self._close_comparison()
        super().open_pane(pane)

    def action_filter(self) -> None:
        """Type to filter: the comparison gives way."""
        if self._comparison is not None:
            self._close_comparison()
        super().action_filter()

    def copy_choices(self) -> Sequence[Copyable]:
        """The comparison, while it is shown."""
        if self._comparison is not None and self._panel is not None:
            return self._panel.copies()
        return super().copy_choices()
