"""Saved filters of the list: chosen, saved and deleted. They are local, so the lock does not apply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from chartui.core.saved_filters import (
    MOST_OF_A_NAME,
    SavedFilters,
    change_filters,
    check_name,
    filters_path,
    load_filters,
)
from chartui.core.tables import BadTable
from chartui.core.text import single_line
from chartui.tui.guides import kept_for
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.questions import Confirm, Hint, ask_name

if TYPE_CHECKING:
    from chartui.core.session import Session
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.screen import CharactersScreen

#: The key of the choice that saves the current filter; no saved filter has this name.
_SAVE = ""


class FilterChooser(Chooser[Choice]):
    """The saved filters, and the ``current`` filter to save unless it is empty."""

    def __init__(self, title: str, entries: Mapping[str, str], current: str = "") -> None:
        self._offered = f"+ save “{single_line(current, limit=40)}”…" if current else ""
        choices = [Choice(name, single_line(name), detail=single_line(text)) for name, text in entries.items()]
        super().__init__(title, choices)

    def offered(self, query: str) -> Sequence[Choice]:
        return () if query or not self._offered else (Choice(_SAVE, self._offered),)


def saved_filters(session: Session) -> SavedFilters:
    """The saved filters of the open profile."""
    return load_filters(filters_path(session.profile.name, session.folder))


async def run(screen: CharactersScreen, command: str) -> None:
    """Open, save or delete a filter."""
    app, current = screen.workbench, screen.characters.listing.query.strip()
    saved = saved_filters(screen.session)
    for problem in saved.problems:
        app.tell(problem, title="Saved filters", severity="warning", topic="filters")
    if command == "save":
        await _save(screen, current, saved.entries)
        return
    title = "Saved filters" if command == "open" else "Delete a saved filter"
    offered = current if command == "open" and current not in saved.entries.values() else ""
    if not (saved.entries or offered):
        app.tell("No saved filters yet. Filter the list, then save the filter.")
        return
    name = await app.push_screen_wait(FilterChooser(title, saved.entries, offered))
    if name == _SAVE:
        await _save(screen, current, saved.entries)
    elif name is not None and command == "open":
        screen.use_filter(saved.entries[name])
    elif name is not None:
        await _delete(screen, name)


async def _save(screen: CharactersScreen, current: str, taken: Mapping[str, str]) -> None:
    app = screen.workbench
    if not current:
        app.tell("No filter to save. Filter the list first.")
        return
    what = f"Enter a name for the filter. {kept_for(app.session)}"
    name = await ask_name(app, "Save filter", what, _hint, single_line(current, limit=MOST_OF_A_NAME), taken)
    if name is not None and _changed(screen, lambda entries: {**entries, name: current}):
        app.tell("Filter saved.", title=name)


async def _delete(screen: CharactersScreen, name: str) -> None:
    message = f"Delete the saved filter “{single_line(name)}”? The list will not change."
    if await screen.workbench.push_screen_wait(Confirm("Delete filter", message, "Delete")):
        _changed(screen, lambda entries: {other: text for other, text in entries.items() if other != name})


def _changed(screen: CharactersScreen, change: Callable[[Mapping[str, str]], Mapping[str, str]]) -> bool:
    session = screen.session
    try:
        change_filters(filters_path(session.profile.name, session.folder), change)
    except OSError as error:
        reason = f"{error.filename} cannot be used ({error.strerror})."
    except ValueError as error:
        reason = str(error)
    else:
        return True
    screen.workbench.tell(reason, title="Saved filters not changed", severity="error")
    return False


def _hint(name: str) -> Hint:
    try:
        check_name(name)
    except BadTable as error:
        return Hint(str(error), refuses=True)
    return Hint()


async def use_saved(app: ChartuiApp, text: str) -> None:
    """Filter the list by ``text``, from any screen."""
    await app.go_to("characters")
    cast("CharactersScreen", app.work["characters"]).use_filter(text)
