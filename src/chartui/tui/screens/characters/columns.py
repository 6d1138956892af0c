"""The columns of the list of characters: those that suit the window, or those you chose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from chartui.core.characters.finder import Column as By
from chartui.core.characters.finder import Sorting
from chartui.core.jsontext import Wire
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.characters.state import NONE_CHOSEN, Chosen
from chartui.tui.widgets.line_list import Column

#: The titles of the columns, in the order of the wide set, which shows them all.
TITLES: Final[Mapping[By, str]] = MappingProxyType(
    {
        By.NAME: "Name",
        By.MODEL: "Model",
        By.GONE: "Gone",
        By.LANGUAGE: "Lang",
        By.CREATED: "Created",
        By.USED: "Used",
        By.NARRATIVE: "Graph",
        By.MEMORY: "Mem",
        By.COST: "Cost",
        By.ID: "ID",
    }
)
#: Widths in cells where there is room; the name takes the rest.
WIDTHS: Final[Mapping[By, int]] = MappingProxyType(
    {By.NAME: 24, By.MODEL: 19, By.LANGUAGE: 6, By.CREATED: 10, By.USED: 10, By.COST: 13, By.ID: 13}
)
#: The least width of the name where the columns are chosen, since they would not fit otherwise.
SHORT_NAME: Final = 10
#: The least and the largest width of a column, in cells.
LEAST: Final = 3
MOST: Final = 60


def columns(
    sorting: Sorting,
    chosen: Chosen = NONE_CHOSEN,
    *,
    is_staged: Callable[[str], bool],
    is_gone: Callable[[CharacterSummary], bool],
    cost: Callable[[str], str],
    cost_width: int = WIDTHS[By.COST],
) -> dict[By | None, Column[CharacterSummary]]:
    """The columns, the last one for the sign of staged changes; the sort column is marked.

    In a narrow list, the sort column stays, unless columns are chosen: then another one takes no room from them.

    ``is_staged`` says whether a character has staged changes, ``is_gone`` whether its model is unlisted. ``cost``
    returns the cost of an interaction as text, which takes ``cost_width`` cells at most.
    """
    known: dict[By | None, Column[CharacterSummary]] = {
        By.NAME: Column("Name", lambda s: s.character_name or "(no name)", least=WIDTHS[By.NAME]),
        By.MODEL: Column("Model", lambda s: s.model or "–", WIDTHS[By.MODEL], role="label", rank=1, least=12),
        By.GONE: _flag("Gone", GLYPHS.gone, is_gone, "warning"),
        By.LANGUAGE: Column("Lang", lambda s: s.language_code or "–", WIDTHS[By.LANGUAGE], role="label", rank=3),
        By.CREATED: Column("Created", lambda s: _day(s.timestamp), WIDTHS[By.CREATED], role="label", rank=6),
        By.USED: Column("Used", lambda s: _day(s.last_interacted_with), WIDTHS[By.USED], role="label", rank=4),
        By.NARRATIVE: _flag("Graph", GLYPHS.narrative, lambda s: bool(s.is_narrative_driven)),
        By.MEMORY: _flag("Mem", GLYPHS.memory, lambda s: bool(s.memory_enabled)),
        By.COST: Column("Cost", lambda s: cost(s.character_id), WIDTHS[By.COST], "right", role="credits", rank=5),
        By.ID: Column("ID", lambda s: s.character_id, WIDTHS[By.ID], role="quiet", least=9),
    }
    if chosen:
        # A column chosen later goes first where there is no room for all.
        shown: dict[By | None, Column[CharacterSummary]] = {
            by: replace(known[by], least=SHORT_NAME, good=WIDTHS[By.NAME])
            if by is By.NAME
            else replace(known[by], rank=1, least=cost_width if by is By.COST else known[by].least)
            for by, _ in chosen
        }
        shown |= {by: replace(shown[by], width=width, least=0) for by, width in chosen if width}
    else:
        # By id, it takes the place of the dates.
        left_out = (By.CREATED, By.USED) if sorting.column is By.ID else (By.ID,)
        shown = {by: column for by, column in known.items() if by not in left_out}
    if sorting.column is not None:
        column = shown.get(sorting.column, known[sorting.column])
        marked = _sorted(column, sorting)
        if chosen:
            marked = replace(marked, rank=min(column.rank, 1))
        shown[sorting.column] = marked
    return {**shown, None: _flag("", GLYPHS.staged, lambda s: is_staged(s.character_id), "staged", rank=0)}


def as_wire(chosen: Chosen) -> list[Wire]:
    """Chosen columns in JSON."""
    return [[by.value, width] for by, width in chosen]


def chosen_in(value: Wire) -> Chosen:
    """Chosen columns from JSON; none if they cannot be used."""
    found: dict[By, int] = {}
    for entry in value if isinstance(value, list) else ():
        match entry:
            case [str(name), int(width)] if name in tuple(By) and (width == 0 or LEAST <= width <= MOST):
                found[By(name)] = width
            case _:
                return NONE_CHOSEN
    return tuple(found.items()) if By.NAME in found else NONE_CHOSEN


def _flag(
    title: str, sign: str, holds: Callable[[CharacterSummary], bool], role: str = "latency", *, rank: int = 2
) -> Column[CharacterSummary]:
    return Column(title, lambda s: sign if holds(s) else "", max(1, len(title)), role=role, rank=rank)


def _sorted(column: Column[CharacterSummary], sorting: Sorting) -> Column[CharacterSummary]:
    arrow = GLYPHS.descending if sorting.descending else GLYPHS.ascending
    title = f"{column.title}{arrow}"
    return replace(
        column, title=title, width=column.width and max(column.width, len(title)), rank=0, title_role="accent"
    )


def _day(moment: str | None) -> str:
    """The date part of a timestamp, as the service sent it (decision 30)."""
    return moment[:10] if moment else "–"
