"""What the list of characters says about itself: its order, its age, and why it is empty."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from chartui.core.characters.finder import Column as By
from chartui.core.clock import age_text
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import NO_MATCHES, guide, no_exact_matches, retry, where_to_create
from chartui.tui.screens.characters.state import Listing
from chartui.tui.widgets.screen import WorkScreen

#: The ages in seconds at which the age of a list is updated; then every day. Each update is sent to the terminal.
_AGES: Final = (300.0, 900.0, 3600.0, 21_600.0)
_DAY: Final = 86_400.0
#: In place of the tabs of a character.
NOBODY: Final = "No character selected. Details of the selected character appear here."
#: Names of sort columns whose titles are too short.
_WORDS: Final = {By.GONE: "unlisted model", By.USED: "last use", By.CREATED: "creation"}


def border_notes(listing: Listing, length: str, age: float, *, note: str, scenario: str) -> Iterable[str]:
    """The notes on the border: ``note`` and the length of the list, else its order and age, and its selection.

    A scenario that the costs are for replaces the age. Before the first list is read, only a filter needs a length.
    """
    if listing.read_at is None:
        return [length] if listing.query else []
    if note:
        return [note, length]
    late = f"{GLYPHS.danger} refresh failed" if listing.error else ""
    basis = f"scenario {single_line(scenario, limit=30)}" if scenario else _age_note(age)
    return [_order_note(listing), late, basis, listing.standing, length]


def _order_note(listing: Listing) -> str:
    """The order in words; empty for the order of the service."""
    if listing.fuzzy:
        return "fuzzy, best first" if listing.narrowed else "fuzzy"
    column, descending = listing.sorting
    if column is None:
        return "reversed" if descending else ""
    return f"by {_WORDS.get(column, column.value)}{', descending' if descending else ''}"


def _age_note(age: float) -> str:
    """The age of the list, in seconds, in words."""
    passed = [least for least in _AGES if least <= age]
    return f"loaded over {age_text(max(*passed, age - age % _DAY))}" if passed else "loaded just now"


def next_age_note(age: float) -> float:
    """Seconds until the words for the age change."""
    return next((least - age for least in _AGES if least > age), _DAY - age % _DAY)


def none_selected(listing: Listing) -> str:
    """Why no character is under the cursor; empty if there is none to select."""
    return "No character matches the filter. Esc clears it." if listing.summaries else ""


def empty_note(work: WorkScreen, listing: Listing, *, width: int, awaits_texts: bool) -> str:
    """What an empty list says in ``width`` cells: what it waits for, what failed, or how to fill it."""
    app = work.workbench
    if listing.loading and (loading := work.loading_text("read", width=width)):
        return loading
    if listing.error is not None:
        return guide(app, f"{GLYPHS.danger} {listing.error.message}", retry(listing.error))
    if listing.loading:
        return ""
    if listing.canceled:
        return listing.canceled
    if listing.summaries:
        no_matches = NO_MATCHES if listing.fuzzy else no_exact_matches(app)
        return "Loading texts…" if awaits_texts else no_matches
    keys = where_to_create(app, "Press {create-character} to create a character.")
    return guide(app, "No characters yet.", keys, action="creating a character")
