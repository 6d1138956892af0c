"""The form of a turn: who is spoken to, how, and what and who is around."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from textual.strip import Strip

from chartui.core.lint import Severity
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.screens.actions.state import ActionsState, Group, Place, Talk
from chartui.tui.severity import SIGNS
from chartui.tui.widgets.form import FieldKind, FieldRow, FormView, Heading, Row

__all__ = ["NOUNS", "EntryRow", "SceneForm", "remark_on", "rows_of"]

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
    ``severity`` is that of what was found in it, None where nothing was.
    """

    place: Place
    severity: Severity | None = None
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
        # A cell is left for the sign at the end, and one before it.
        room = line.left - 2
        name = min(row.widest, int(room * NAME_SHARE)) if row.unit else room
        line.add(row.text, palette.danger if row.problem else palette.value, width=name)
        if row.unit:
            line.gap(2).add(row.unit, palette.label, width=line.left - 2)
        severity = Severity.ERROR if row.problem else row.severity
        if severity is not None:
            sign, role = SIGNS[severity]
            line.push_right(1).add(sign, getattr(palette, role))
        return line.strip()

    @property
    def place(self) -> Place | None:
        """Where in the lists the cursor stands; None outside of them."""
        return self.current.place if isinstance(self.current, EntryRow) else None


def rows_of(state: ActionsState) -> list[Row]:
    """The form's rows for a state."""
    talk = state.talk
    if talk is None:
        return []
    wrong, sentence = talk.problem() or ("", "")
    problems = {wrong: sentence}
    worst = _worst(talk)
    rows: list[Row] = [
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
        rows += [Heading(), *_list(talk, group, problems, worst)]
    return rows


def _session(talk: Talk) -> str:
    if talk.goes_on:
        return f"goes on with {single_line(talk.turn.session_id[:SHORT])}"
    return "new" if talk.last_session is None else "new, not the last one"


def _worst(talk: Talk) -> dict[str, Severity]:
    """The gravest of what was found, by the entry."""
    worst: dict[str, Severity] = {}
    for finding in talk.findings:
        place = Place.named(finding.place)
        if place is not None:
            worst.setdefault(place.id, finding.rule.severity)
    return worst


def remark_on(talk: Talk, place: Place | None) -> str:
    """What is to be said about the entry with the cursor; of all of them how much was found, where it is about none."""
    wrong, sentence = talk.problem() or ("", "")
    if place is not None and wrong == place.id:
        return f"{GLYPHS.danger} {sentence}"
    here = [finding for finding in talk.findings if place is not None and Place.named(finding.place) == place]
    if here:
        more = f" (+{len(here) - 1})" if len(here) > 1 else ""
        return f"{SIGNS[here[0].rule.severity][0]} {here[0].message}{more}"
    counts = Counter(finding.rule.severity for finding in talk.findings)
    return " ".join(f"{SIGNS[severity][0]} {counts[severity]}" for severity in Severity if counts[severity])


def _list(talk: Talk, group: Group, problems: Mapping[str, str], worst: Mapping[str, Severity]) -> list[Row]:
    items = talk.items(group)
    rows: list[Row] = [Heading(_TITLES[group])]
    widest = max((cell_len(single_line(item.name)) for item in items), default=0)
    for position, item in enumerate(items):
        place = Place(group, position)
        rows.append(
            EntryRow(
                id=place.id,
                label="",
                kind=FieldKind.CHOICE,
                text=single_line(item.name) or "(no name)",
                unit=single_line(item.detail),
                problem=problems.get(place.id, ""),
                severity=worst.get(place.id),
                place=place,
                widest=widest,
            )
        )
    end = Place(group, len(items))
    add = f"+ add {NOUNS[group]}"
    rows.append(EntryRow(id=end.id, label="", kind=FieldKind.CHOICE, text=add, place=end, new=True))
    return rows
