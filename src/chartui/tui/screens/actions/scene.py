"""The form of a turn: who is spoken to, how, and what and who is around."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from textual.strip import Strip

from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.painting import Line
from chartui.tui.screens.actions.state import ActionsState, Group, Item, Place, Talk
from chartui.tui.widgets.form import FieldKind, FieldRow, FormView, Heading

__all__ = ["NOUNS", "EntryRow", "SceneForm", "rows_of"]

#: What one entry of each list is called.
NOUNS: Final = {Group.ACTIONS: "an action", Group.OBJECTS: "an object", Group.CHARACTERS: "a character"}
_TITLES: Final = {Group.ACTIONS: "Actions", Group.OBJECTS: "Objects", Group.CHARACTERS: "Characters in the scene"}
#: A name takes at most this part of the line, so that something of its description is seen.
NAME_SHARE = 0.55
#: As much of an id as tells two apart.
SHORT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow(FieldRow):
    """An entry of a list, its description in ``unit``; ``new`` is the row that adds one.

    ``widest`` is how many cells the widest name of the list takes, so that descriptions stand below one another.
    """

    place: Place
    new: bool = False
    widest: int = 0


class SceneForm(FormView):
    """The form; entries of lists are drawn over its whole width."""

    def draw_row(self, index: int, width: int) -> Strip:
        """One row."""
        row = self._rows[index]
        if not isinstance(row, EntryRow):
            return super().draw_row(index, width)
        palette, here = self.palette, index == self.cursor
        line = Line(width).add(GLYPHS.cursor if here and self.has_focus else " ", palette.accent).gap()
        if row.new:
            return line.add(row.text, palette.value if here else palette.quiet).strip()
        room = width - 4
        name = min(row.widest, int(room * NAME_SHARE)) if row.unit else room
        line.add(row.text, palette.danger if row.problem else palette.value, width=name).gap(2)
        line.add(row.unit, palette.label, width=max(0, line.left - 2)).gap()
        return line.add(GLYPHS.danger if row.problem else " ", palette.danger).strip()

    @property
    def place(self) -> Place | None:
        """Where in the lists the cursor stands; None outside of them."""
        return self.current.place if isinstance(self.current, EntryRow) else None


def rows_of(state: ActionsState) -> list[FieldRow | Heading]:
    """The form's rows for a state."""
    talk = state.talk
    if talk is None:
        return []
    wrong, sentence = talk.problem() or ("", "")
    problems = {wrong: sentence}
    rows: list[FieldRow | Heading] = [
        FieldRow(
            id="character",
            label="Speak to",
            kind=FieldKind.CHOICE,
            text=single_line(state.name, limit=60),
            problem=problems.get("character", ""),
        ),
        FieldRow(
            id="multistep",
            label="Multistep",
            kind=FieldKind.SWITCH,
            text="words and actions" if talk.turn.multistep else "words only",
            on=talk.turn.multistep,
            problem=problems.get("multistep", ""),
        ),
        FieldRow(
            id="session",
            label="Session",
            kind=FieldKind.SWITCH,
            text=_session(talk),
            on=talk.goes_on,
            problem=problems.get("session", ""),
        ),
    ]
    for group in Group:
        rows += [Heading(), *_list(talk, group, problems)]
    return rows


def _session(talk: Talk) -> str:
    if talk.goes_on:
        return f"goes on with {single_line(talk.turn.session_id[:SHORT])}"
    return "new" if talk.last_session is None else "new, not the last one"


def _list(talk: Talk, group: Group, problems: dict[str, str]) -> list[FieldRow | Heading]:
    items = talk.items(group)
    rows: list[FieldRow | Heading] = [Heading(_TITLES[group])]
    widest = max((cell_len(single_line(item.name)) for item in items), default=0)
    rows += [_entry(Place(group, position), item, widest, problems) for position, item in enumerate(items)]
    end = Place(group, len(items))
    add = f"+ add {NOUNS[group]}"
    rows.append(EntryRow(id=end.id, label="", kind=FieldKind.CHOICE, text=add, place=end, new=True))
    return rows


def _entry(place: Place, item: Item, widest: int, problems: dict[str, str]) -> EntryRow:
    return EntryRow(
        id=place.id,
        label="",
        kind=FieldKind.CHOICE,
        text=single_line(item.name) or "(no name)",
        unit=single_line(item.detail),
        problem=problems.get(place.id, ""),
        place=place,
        widest=widest,
    )
