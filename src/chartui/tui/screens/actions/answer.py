"""The tabs beside the scene: reply, form, checks and turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from chartui.core.actions.lint import Finding, in_words
from chartui.core.classes import dataclass
from chartui.core.lint import Severity
from chartui.core.text import single_line
from chartui.core.unreadable import sentence
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import guide
from chartui.tui.lines import Line, wrap
from chartui.tui.loading import under_way
from chartui.tui.numbers import number_of
from chartui.tui.screens.actions.report import no_turns, report, steps_in_words, to_be_sent
from chartui.tui.screens.actions.state import WAITING, ActionsState, Exchange, Repetition, Tab, Talk
from chartui.tui.severity import SIGNS
from chartui.tui.widgets.border import room_on_border, write_on_border
from chartui.tui.widgets.fields_view import FieldsView
from chartui.tui.widgets.laid_out import Painted
from chartui.tui.widgets.tabs import TabName, TabPanel

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

#: Cells before the sentence of a finding: the sign, and a space on either side.
_FINDING_INDENT = 3
#: Cells before the text of a turn: its number, and a space on either side.
_TURN_INDENT = 5
#: Characters of a session id that distinguish two sessions.
_SHORT = 8


class Answer(TabPanel):
    """The tabs, each with a view of the conversation."""

    TABS = (
        TabName(Tab.REPLY, "Reply", "show-reply"),
        TabName(Tab.FORM, "Form", "show-form"),
        TabName(Tab.CHECKS, "Checks", "show-checks"),
        TabName(Tab.TURNS, "Turns", "show-turns"),
    )

    def __init__(self) -> None:
        self.reply = FieldsView(id=Tab.REPLY)
        self.reply.announces = True
        self.form = FieldsView(id=Tab.FORM)
        self.checks = ChecksView(id=Tab.CHECKS)
        self.turns = TurnsView(id=Tab.TURNS)
        parts: tuple[Widget, ...] = (self.reply, self.form, self.checks, self.turns)
        super().__init__(dict(zip(Tab, parts, strict=True)), id="answer")
        self._shown: object = None

    @property
    def here(self) -> Widget:
        return self.part(self.present)

    def show(self, state: ActionsState) -> None:
        """Show the tab of a state, except what :meth:`show_reply` draws."""
        talk = state.talk
        if state.tab != self.present:
            self.turn_to(state.tab)
        self.show_marks(_marks(talk) if talk else {})
        match state.tab:
            case Tab.FORM:
                empty = "" if talk else "The request is shown here field by field once a character is loaded."
                self.form.show(to_be_sent(talk) if talk else (), note=empty, same=True)
            case Tab.CHECKS:
                self.checks.show(talk)
            case Tab.TURNS:
                self.turns.show(talk)

    def show_reply(self, state: ActionsState, note: str, answered_by: str, loading: Callable[[int], str]) -> None:
        """Show the reply if it changed, so that typing does not scroll it.

        The border shows the progress, which ``loading`` gives for a width, or else the last turn and the number of
        turns.
        """
        talk = state.talk
        write_on_border(self, loading(room_on_border(self)) or (_standing(talk, state.tab) if talk else ""))
        shown = (state.wanted, note, talk and (talk.exchanges, talk.waiting, talk.error, talk.shown))
        if shown != self._shown:
            self._shown = shown
            self.reply.show(report(talk, answers=answered_by) if talk else (), note=note)

    @property
    def finding(self) -> tuple[Finding, ...]:
        return () if self.checks.at_cursor is None else (self.checks.at_cursor,)


def _marks(talk: Talk) -> dict[str, str]:
    found = [finding.rule.severity for finding in talk.findings]
    worst = next((severity for severity in (Severity.ERROR, Severity.WARNING) if severity in found), None)
    marks = {Tab.CHECKS.value: f"{SIGNS[worst][0]} {found.count(worst)}"} if worst else {}
    return marks | ({Tab.TURNS.value: str(len(talk.exchanges))} if talk.exchanges else {})


def _standing(talk: Talk, tab: Tab) -> str:
    """The turn or replay under way, or the last turn in a tab other than its reply, and the number of turns."""
    if talk.waiting is not None:
        return under_way(WAITING)
    if talk.repetition.running:
        return under_way(f"Replaying turns: {len(talk.repetition.done)} of {talk.repetition.of}")
    last = ""
    if tab is not Tab.REPLY and talk.error is not None:
        last = f"{GLYPHS.danger} last turn not answered"
    elif tab is not Tab.REPLY and talk.exchanges:
        last = f"last sent “{single_line(talk.exchanges[-1].turn.text, limit=30)}”"
    turns = number_of(len(talk.exchanges), "turn") if len(talk.exchanges) > 1 else ""
    return " · ".join(filter(None, (last, turns)))


class ChecksView(Painted[Finding]):
    """The findings, errors first, each with its entry, its rule's reason and its fix."""

    _talk: Talk | None = None

    def show(self, talk: Talk | None) -> None:
        before, self._talk = self._talk, talk
        # Typing the line changes nothing here.
        if before is None or talk is None or before.looked_over != talk.looked_over:
            self.lay_out()

    def lay_out(self) -> None:
        """A sentence for each finding, with its reason below it."""
        width = self.room
        if width <= 0:
            return
        rows: list[tuple[Strip, Finding | None]] = []
        told: set[str] = set()
        for finding in self._talk.findings if self._talk else ():
            lines = self._finding(finding, width, why=finding.rule.id not in told)
            rows += [(line, finding if not number else None) for number, line in enumerate(lines)]
            told.add(finding.rule.id)
        note = self._note()
        if note:
            rows += [(Line(width).strip(), None)] if rows else []
            rows += [(Line(width).gap().add(line, self.palette.label).strip(), None) for line in wrap(note, width - 2)]
        self.put(rows)
        if not self.can_stop_at(self.cursor):
            self.move_to(self.cursor, step=-1)

    def _note(self) -> str:
        if self._talk is None:
            return "Problems in the scene and in your line are listed here once a character is loaded."
        if self._talk.backstory is None:
            unknown = "The backstory is unknown, so the scene was not compared with it."
            return unknown if self._talk.findings else f"No findings. {unknown}"
        keys = "Ready to send: {write-text} writes a line and {send-turn} sends it."
        return "" if self._talk.findings else guide(self.app, "No findings.", keys, action="sending turns")

    def _finding(self, finding: Finding, width: int, *, why: bool) -> Iterator[Strip]:
        assert self._talk is not None  # noqa: S101 - the finding belongs to it
        palette, room = self.palette, width - _FINDING_INDENT - 1
        sign, role = SIGNS[finding.rule.severity]
        said = in_words(self._talk.turn, finding)
        first, *more = wrap(said[:1].upper() + said[1:], room)
        yield Line(width).gap().add(sign, getattr(palette, role)).gap().add(first, palette.value).strip()
        for line in more:
            yield Line(width).gap(_FINDING_INDENT).add(line, palette.value).strip()
        for line in wrap(finding.rule.why, room) if why else ():  # once for each rule
            yield Line(width).gap(_FINDING_INDENT).add(line, palette.label).strip()
        if finding.fix is not None:
            key = cast("ChartuiApp", self.app).keymap.label("fix-finding")
            fix = Line(width).gap(_FINDING_INDENT).add(key, palette.key).gap()
            yield fix.add(finding.fix.words, palette.quiet).strip()


class TurnsView(Painted[int]):
    """Every answered turn, newest first: its text, its actions, and the actions of the last replay."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for("actions.turns")

    @dataclass
    class EditAgain(Message):
        """The user wants to edit the text and scene of a turn again."""

        number: int

    _exchanges: tuple[Exchange, ...] = ()
    _repetition = Repetition()

    def show(self, talk: Talk | None) -> None:
        """Show the turns of a conversation; the cursor stays on its turn."""
        here, before = self.at_cursor, len(self._exchanges)
        self._exchanges = talk.exchanges if talk else ()
        self._repetition = talk.repetition if talk else Repetition()
        self.lay_out()
        if here is not None and len(self._exchanges) != before:
            self.cursor = next((row for row, (_, turn) in enumerate(self._rows) if turn == here), self.cursor)

    def lay_out(self) -> None:
        """Each turn in a few rows, with a line between conversations."""
        width = self.room
        if width <= 0:
            return
        rows: list[tuple[Strip, int | None]] = []
        session = None
        for number, exchange in reversed(list(enumerate(self._exchanges, 1))):
            if exchange.reply.session_id != session:
                session = exchange.reply.session_id
                title = f"Conversation {single_line(session[:_SHORT])}" if session else "Without a session"
                rows += [(Line(width).strip(), None)] if rows else []
                rows.append((Line(width).gap().add(title, self.palette.accent).strip(), None))
            rows += [(row, None if n else number) for n, row in enumerate(self._turn(number, exchange, width))]
        if not rows:
            note = no_turns(
                self.app, "No turns yet. Answered turns appear here, where you can view, edit or replay them."
            )
            rows = [(Line(width).gap().add(line, self.palette.label).strip(), None) for line in wrap(note, width - 2)]
        self.put(rows)
        if not self.can_stop_at(self.cursor):
            self.move_to(self.cursor)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a turn, the screen handles the key."""
        return super().check_action(action, parameters) if action != "edit_again" else self.at_cursor is not None

    def action_edit_again(self) -> None:
        if self.at_cursor is not None:
            self.post_message(self.EditAgain(self.at_cursor))

    def _turn(self, number: int, exchange: Exchange, width: int) -> Iterator[Strip]:
        palette, room = self.palette, width - _TURN_INDENT - 1
        first = Line(width).add(str(number), palette.label, width=_TURN_INDENT - 2, align="right").gap(2)
        said, *more = wrap(single_line(exchange.turn.text, limit=room * 2), room)
        yield first.add(said, palette.value).strip()
        again = next((one for one in self._repetition.done if one.number == number), None)
        unread, warns = sentence(exchange.reply.unreadable), palette.warning
        told = [(f"{GLYPHS.warning} {unread}", warns)] if unread else []
        if again is not None:
            changes = [*again.changes, *(["the new actions could not be read"] if again.unread else [])]
            same = [] if changes else [(f"{GLYPHS.done} identical actions", palette.label)]
            told += [(f"{GLYPHS.warning} {change}", warns) for change in changes] + same
            told += [(f"{GLYPHS.warning} scene {change}", warns) for change in again.scene_changes]
        lines = [(line, palette.value) for line in more]
        for text, style in ((steps_in_words(exchange) or "no actions", palette.label), *told):
            lines += [(line, style) for line in wrap(single_line(text), room)]
        for line, style in lines:
            yield Line(width).gap(_TURN_INDENT).add(line, style).strip()
