"""The work screens of the open profile: created when first shown, kept while it is open."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

from chartui.core.bookmark import Bookmark, ScreenPlace
from chartui.core.jsontext import Wire
from chartui.tui.widgets.screen import WorkScreen

if TYPE_CHECKING:
    from chartui.core.service import Service
    from chartui.core.spec.models.summaries import CharacterSummary
    from chartui.core.spec.records import Records
    from chartui.tui.app import ChartuiApp
    from chartui.tui.connection import Connection

#: The class of each screen, imported when the screen is first shown.
_CLASSES: Final[Mapping[str, str]] = {
    "estimator": "chartui.tui.screens.estimator.screen:EstimatorScreen",
    "characters": "chartui.tui.screens.characters.screen:CharactersScreen",
    "narrative": "chartui.tui.screens.narrative.screen:NarrativeScreen",
    "requests": "chartui.tui.screens.requests.screen:RequestsScreen",
    "actions": "chartui.tui.screens.actions.screen:ActionsScreen",
}


class WorkScreens:
    """The screens of ``app`` by name; the one called ``start`` is at the bottom of the stack."""

    def __init__(self, app: ChartuiApp, start: str, places: Mapping[str, ScreenPlace]) -> None:
        self._app = app
        self._places = places
        self._start = start
        self._made: dict[str, WorkScreen] = {}
        self._kept: dict[str, object] = {}
        self._generation = 0
        self._arrival: Awaitable[object] | None = None

    def __iter__(self) -> Iterator[WorkScreen]:
        return iter(tuple(self._made.values()))

    def __getitem__(self, name: str) -> WorkScreen:
        """The screen called ``name``, created when first requested and kept from then on."""
        if name not in self._made:
            module, _, class_name = _CLASSES[name].partition(":")
            screen_class: type[WorkScreen] = getattr(import_module(module), class_name)
            self._made[name] = screen = screen_class()
            screen.session = self._app.session
            if self._app.own is not None:
                self._app.own.bind(screen)
            screen.start_at(self._places.get(name, {}))
            if name in self._kept:
                screen.take_along(self._kept.pop(name))
            # The framework keeps installed screens under unique names.
            self._app.install_screen(self._made[name], f"{name}-{self._generation}")
        return self._made[name]

    @property
    def start(self) -> WorkScreen:
        return self[self._start]

    @property
    def present(self) -> WorkScreen | None:
        """The topmost work screen, which a dialog may cover; None if there is none."""
        return next((s for s in reversed(self._app.screen_stack) if isinstance(s, WorkScreen)), None)

    @property
    def bookmark(self) -> Bookmark:
        """The bookmark: the current place of every opened screen, and the kept place of the others."""
        app, present = self._app, self.present
        in_hand = (present.in_hand if present is not None else None) or (None if app.names_character else app.character)
        places = {**self._places, **{name: screen.place() for name, screen in self._made.items()}}
        return Bookmark(screen=app.scope, character=in_hand, places=places)

    @property
    def orders(self) -> Mapping[str, Wire]:
        """The column that each table is sorted by and whether it descends, by the table's id."""
        return self._places.get("tables", {})

    def keep_order(self, table: str, order: Wire) -> None:
        self._places = {**self._places, "tables": {**self.orders, table: order}}

    def name_known(self, character_id: str) -> str:
        """A character's name, if a screen has read it; else empty."""
        return next(filter(None, (screen.name_known(character_id) for screen in self)), "")

    async def settled(self) -> None:
        """Wait until the staged changes of all screens are saved as drafts."""
        for screen in self:
            await screen.settled()

    @property
    def records_just_read(self) -> Records | None:
        """The records of all characters, if a screen has just read them from a service."""
        return next((found for screen in self if (found := screen.records_just_read) is not None), None)

    async def summaries(self, service: Service) -> Sequence[CharacterSummary]:
        """The list of characters: the one just read, or one read from ``service``. Raises :class:`ServiceError`."""
        records = self.records_just_read
        return await service.summaries() if records is None else records.summaries

    def show(self, name: str, *, leads_back: bool = False) -> None:
        """Show a screen; each keeps its state while it is away. The one in sight returns to its list, form or tree.

        With ``leads_back`` Esc returns from there. The start screen stays at the bottom of the stack, any other is on
        top of it.
        """
        app, screen, before = self._app, self[name], self.present
        if app.screen is screen:
            screen.return_to_start()
            return
        screen.enter(before.SCOPE if leads_back and before is not None else "")
        if name == self._start:
            self._arrival = app.pop_screen()
        elif len(app.screen_stack) > 1:
            self._arrival = app.switch_screen(screen)
        else:
            self._arrival = app.push_screen(screen)

    async def arrived(self) -> None:
        """Wait until the screen shown last exists, and shows what it has read by then."""
        if self._arrival is not None:
            await self._arrival
        handled = asyncio.Event()
        self._app.screen.call_later(handled.set)
        await handled.wait()

    # -- all of them --------------------------------------------------------------------------------------------------

    def read_again(self) -> None:
        """Refresh the current screen, even behind a dialog."""
        if self.present is not None:
            self.present.refresh_data()

    def refresh_bars(self) -> None:
        for screen in self:
            screen.refresh_bars()

    def tick(self) -> None:
        if self.present is not None:
            self.present.tick()

    def after_change(self, before: Connection) -> None:
        """Show the state of the connection; repeat missed reads once it is back."""
        self.refresh_bars()
        state = self._app.connection.state
        if before.trouble is not None and state.trouble is None:
            if self._app.session.replaced.is_set():
                from chartui.tui.shell.history import report_replaced_store

                self._app.run_worker(report_replaced_store(self._app), group="store", exclusive=True)
            for screen in self:
                if screen.SCOPE in state.late or not before.trying:
                    screen.data_changed()

    async def remake(self, start: str, places: Mapping[str, ScreenPlace]) -> None:
        """Start again on ``start`` at these ``places``: screens, dialogs and their workers are gone afterwards."""
        app, gone = self._app, self._made
        self._kept |= {name: kept for name, screen in gone.items() if (kept := screen.belongings()) is not None}
        self._made, self._start, self._places = {}, start, places
        self._generation += 1
        while len(app.screen_stack) > 1:
            await app.pop_screen()
        bottom = app.screen
        # The framework takes one off whatever leaves the stack, and gives none to the screen that it began with.
        if not bottom._result_callbacks:
            bottom._push_result_callback(bottom, None)
        await app.switch_screen(self.start)
        for screen in gone.values():
            app.uninstall_screen(screen)
            if screen is not bottom or screen.is_attached:
                await screen.remove()
