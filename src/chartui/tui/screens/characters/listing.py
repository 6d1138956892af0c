"""The list of characters: its columns, and what it says when it is empty."""

from __future__ import annotations

from collections.abc import Callable

from chartui.core.spec.models.characters import CharacterSummary
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.characters.state import CharactersState
from chartui.tui.widgets.line_list import Column

__all__ = ["columns", "emptiness"]


def columns(is_staged: Callable[[str], bool]) -> tuple[Column[CharacterSummary], ...]:
    """The columns; ``is_staged`` tells whether something of a character is not saved."""
    return (
        Column("Name", lambda s: s.character_name or "(no name)"),
        Column("Model", lambda s: s.model or "–", 22, role="label", rank=1),
        Column("Lang", lambda s: s.language_code or "–", 6, role="label"),
        Column(f"{GLYPHS.narrative} {GLYPHS.memory}", _marks, 3, role="latency"),
        Column("", lambda s: GLYPHS.staged if is_staged(s.character_id) else "", 1, role="staged"),
    )


def _marks(summary: CharacterSummary) -> str:
    narrative = GLYPHS.narrative if summary.is_narrative_driven else " "
    memory = GLYPHS.memory if summary.memory_enabled else " "
    return f"{narrative} {memory}"


def emptiness(state: CharactersState) -> str:
    """What the list says when there is nothing in it."""
    if state.error is not None:
        return f"{GLYPHS.danger} {state.error.message} F5 asks again."
    if state.loading:
        return "Reading the characters…"
    if state.summaries:
        return "No character matches. Escape clears the filter."
    return "This account has no characters yet."
