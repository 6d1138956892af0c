"""Looking over a turn before and after it is sent: the panes beside the scene, and what can be done from them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual import on

from chartui.core.actions.lint import fix_all, lint
from chartui.core.lint import Severity
from chartui.tui.screens.actions.answer import Answer
from chartui.tui.screens.actions.composing import ComposingScreen
from chartui.tui.screens.actions.form import to_be_sent
from chartui.tui.screens.actions.state import ActionsState, Pane, Place, Talk
from chartui.tui.severity import SIGNS
from chartui.tui.widgets.line_view import LineView

__all__ = ["LookingScreen"]


class LookingScreen(ComposingScreen):
    """The panes, one of which is shown; :class:`ActionsScreen` fills the one with the reply."""

    _answer: Answer

    # -- showing ------------------------------------------------------------------------------------------------------

    def _show_panes(self, state: ActionsState) -> None:
        """Everything but the reply, as far as it is in sight."""
        talk = state.talk
        self._answer.show_pane(state.pane)
        self._answer.show_tabs(state.pane, _marks(talk), self.workbench.keymap.label)
        match state.pane:
            case Pane.FORM:
                note = "" if talk else "Here stands what would be sent, field by field."
                self._answer.form.show(to_be_sent(talk) if talk else (), note=note, same=True)
            case Pane.CHECKS:
                self._answer.checks.show(talk, self.workbench.keymap.label("fix-finding"))
            case Pane.TURNS:
                self._answer.turns.show(talk)

    # -- moving -------------------------------------------------------------------------------------------------------

    def action_open_pane(self, name: str) -> None:
        """Read one of the panes."""
        self._open(Pane(name))

    def _open(self, pane: Pane) -> None:
        shown = None if pane is Pane.REPLY and self.state.pane is Pane.REPLY else self._shown
        self._show(replace(self._looking_at(shown), pane=pane))
        self._panes.go_to(self._panes.reply)

    def action_turn_pane(self, step: int) -> None:
        """The pane beside the present one."""
        panes = list(Pane)
        self._open(panes[(panes.index(self.state.pane) + step) % len(panes)])

    @property
    def _shown(self) -> int | None:
        return self.state.talk.shown if self.state.talk else None

    def _looking_at(self, number: int | None) -> ActionsState:
        """The state with a turn looked at, None for the last."""
        talk = self.state.talk
        return self.state if talk is None else self.state.with_talk(replace(talk, shown=number))

    # -- turns --------------------------------------------------------------------------------------------------------

    @on(LineView.Chosen, "TurnsView")
    def _turn_chosen(self, message: LineView.Chosen) -> None:
        message.stop()
        number = self._answer.turns.at_cursor
        talk = self.state.talk
        if number is not None and talk is not None:
            last = number == len(talk.exchanges)
            self._show(replace(self._looking_at(None if last else number), pane=Pane.REPLY))
            self._panes.go_to(self._panes.reply)

    def action_take_up(self) -> None:
        """Compose what was sent with a turn once more: the one with the cursor, else the one that is looked at."""
        talk = self.state.talk
        if talk is None:
            return
        if not talk.exchanges:
            self.workbench.tell("No turn was answered yet; there is none to take up again.")
            return
        here = self._answer.turns.at_cursor if self.state.pane is Pane.TURNS else talk.shown
        number = here or len(talk.exchanges)
        taken = talk.composing(talk.exchanges[number - 1].turn)
        if taken is talk:
            self.workbench.tell(f"What is composed is turn {number} already.")
            return
        self._change(taken, f"Compose turn {number} again")
        self._panes.go_to(self._scene)
        self.workbench.tell(f"Turn {number} is composed again. {self.undo_key} undoes it.")

    # -- what is found ------------------------------------------------------------------------------------------------

    @on(LineView.Chosen, "ChecksView")
    def _finding_chosen(self, message: LineView.Chosen) -> None:
        message.stop()
        finding = self._answer.checks.at_cursor
        place = Place.named(finding.place) if finding else None
        self._panes.go_to(self._scene)
        if place is not None:
            self._scene.put_cursor(place.id)

    def action_fix(self) -> None:
        """Put right what the finding with the cursor is about; in the scene, what was found in the entry."""
        talk = self.state.talk
        if talk is None:
            return
        if self.focused is self._answer.checks:
            here = [finding for finding in (self._answer.checks.at_cursor,) if finding is not None]
        else:
            place = self._scene.place
            here = [f for f in talk.findings if place is not None and Place.named(f.place) == place]
        fix = next((finding.fix for finding in here if finding.fix is not None), None)
        if fix is None:
            self.workbench.tell("There is no one way to put this right." if here else "Nothing was found in this.")
            return
        self._change(talk.put_right(fix.turn), "Fix a finding")

    def action_fix_all(self) -> None:
        """Put right everything that can be put right in one way."""
        talk = self.state.talk
        if talk is None:
            return
        fixed, done = fix_all(talk.turn, partial(lint, backstory=talk.backstory))
        if not done:
            self.workbench.tell("There is nothing that can be put right in one way.")
            return
        things = "1 finding" if len(done) == 1 else f"{len(done)} findings"
        self._change(talk.put_right(fixed), f"Fix {things}")
        self.workbench.tell(f"Fixed {things}. {self.undo_key} undoes it.")


def _marks(talk: Talk | None) -> dict[Pane, str]:
    """What waits in the panes."""
    if talk is None:
        return {}
    found = [finding.rule.severity for finding in talk.findings]
    graver = [severity for severity in (Severity.ERROR, Severity.WARNING) if severity in found]
    checks = {Pane.CHECKS: f"{SIGNS[graver[0]][0]} {found.count(graver[0])}"} if graver else {}
    return checks | ({Pane.TURNS: str(len(talk.exchanges))} if talk.exchanges else {})
