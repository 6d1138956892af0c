"""The list of characters: its columns, what their marks mean, how it is filtered, and what it says when it is empty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.characters.finder import Column as By
from chartui.core.characters.finder import Sorting
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.screens.characters.state import CharactersState
from chartui.tui.theme import Palette
from chartui.tui.widgets.line_list import Column

__all__ = ["Legend", "Mode", "columns", "emptiness", "next_column", "sorting_text"]

#: What is sorted by in words, where the column's own name is too short for that.
_WORDS: Final = {By.GONE: "model gone", By.USED: "last use", By.CREATED: "creation"}


def columns(
    sorting: Sorting, *, is_staged: Callable[[str], bool], is_gone: Callable[[CharacterSummary], bool]
) -> tuple[Column[CharacterSummary], ...]:
    """The columns; the one that is sorted by is marked, and there however narrow the list is.

    ``is_staged`` tells whether something of a character is not saved, ``is_gone`` whether its model is in no list.
    """
    shown: dict[By, Column[CharacterSummary]] = {
        By.NAME: Column("Name", lambda s: s.character_name or "(no name)", least=24),
        By.MODEL: Column("Model", lambda s: s.model or "–", 19, role="label", rank=1, least=10),
        By.LANGUAGE: Column("Lang", lambda s: s.language_code or "–", 6, role="label", rank=1),
    }
    if sorting.column is By.ID:
        shown[By.ID] = Column("Id", lambda s: s.character_id, 13, role="label", least=9)
    else:
        shown[By.CREATED] = Column("Created", lambda s: _day(s.timestamp), 10, role="label", rank=5)
        shown[By.USED] = Column("Used", lambda s: _day(s.last_interacted_with), 10, role="label", rank=4)
    shown |= {
        By.NARRATIVE: _flag(GLYPHS.narrative, lambda s: bool(s.is_narrative_driven)),
        By.MEMORY: _flag(GLYPHS.memory, lambda s: bool(s.memory_enabled)),
        By.GONE: _flag(GLYPHS.gone, is_gone, "warning"),
    }
    if sorting.column is not None:
        shown[sorting.column] = _sorted(shown[sorting.column], sorting)
    unsaved = _flag(GLYPHS.staged, lambda s: is_staged(s.character_id), "staged")
    return (*shown.values(), replace(unsaved, title=""))


def _flag(glyph: str, holds: Callable[[CharacterSummary], bool], role: str = "latency") -> Column[CharacterSummary]:
    return Column(glyph, lambda s: glyph if holds(s) else "", 1, role=role)


def _sorted(column: Column[CharacterSummary], sorting: Sorting) -> Column[CharacterSummary]:
    arrow = GLYPHS.descending if sorting.descending else GLYPHS.ascending
    title = f"{column.title}{arrow}"
    return replace(
        column, title=title, width=column.width and max(column.width, len(title)), rank=0, title_role="accent"
    )


def _day(moment: str | None) -> str:
    """The date of a time, as it is given (decision 30)."""
    return moment[:10] if moment else "–"


def next_column(column: By | None) -> By | None:
    """What is sorted by next; behind the last column comes the order of the service."""
    every: tuple[By | None, ...] = (None, *By)
    return every[(every.index(column) + 1) % len(every)]


def sorting_text(sorting: Sorting) -> str:
    """The order in words; empty for that of the service."""
    if sorting.column is None:
        return "last one first" if sorting.descending else ""
    return f"by {_WORDS.get(sorting.column, sorting.column.value)}{', descending' if sorting.descending else ''}"


def emptiness(state: CharactersState, loading: str) -> str:
    """What the list says when there is nothing in it; ``loading`` is what to say when that takes its time."""
    if state.loading and loading:
        return loading
    if state.error is not None:
        return f"{GLYPHS.danger} {state.error.message} F5 asks again."
    if state.loading:
        return ""
    if state.canceled:
        return state.canceled
    if state.summaries:
        return "No character matches. Escape clears the filter."
    return "This account has no characters yet."


class Mode(Widget):
    """Before the box of the filter: whether words are looked for exactly; a click looks for them the other way."""

    DEFAULT_CSS = "Mode { width: 7; height: 1; background: $panel; display: none; }"

    def __init__(self) -> None:
        super().__init__(id="mode")
        self._fuzzy = False

    def show(self, *, fuzzy: bool) -> None:
        """Say the other way."""
        if fuzzy is not self._fuzzy:
            self._fuzzy = fuzzy
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        """The one line."""
        click = Style(meta={"@click": "app.command('fuzzy-filter')"})
        line = Line(self.size.width).gap()
        return line.add("fuzzy" if self._fuzzy else "exact", Palette.of(self.app.theme_variables).accent + click).strip(
            self.rich_style
        )


class Legend(Widget):
    """Below the list: what its marks mean, and by which list of models one is gone."""

    DEFAULT_CSS = "Legend { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self._sure = False

    def show(self, *, sure: bool) -> None:
        """Say whether it was the service that said which models there are."""
        if sure is not self._sure:
            self._sure = sure
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        """The one line."""
        palette, line = Palette.of(self.app.theme_variables), Line(self.size.width)
        marks = (
            (GLYPHS.narrative, "narrative", palette.latency),
            (GLYPHS.memory, "memory", palette.latency),
            (GLYPHS.gone, "gone" if self._sure else "unlisted", palette.warning),
            (GLYPHS.staged, "unsaved", palette.staged),
        )
        for glyph, word, style in marks:
            line.gap().add(glyph, style).gap().add(word, palette.quiet)
        return line.strip(self.rich_style)
