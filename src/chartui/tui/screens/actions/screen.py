"""The actions screen: you say something to a character, and it replies with words and actions (C 4.14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from chartui.commands import Command
from chartui.core.bookmark import ScreenPlace, tab_in
from chartui.tui.bindings import bindings_for
from chartui.tui.screens.actions.answer import Answer, TurnsView
from chartui.tui.screens.actions.composer import Composer
from chartui.tui.screens.actions.conversation import Conversation
from chartui.tui.screens.actions.editor import Edit, SceneEditor
from chartui.tui.screens.actions.notice import Notice
from chartui.tui.screens.actions.report import copies, note
from chartui.tui.screens.actions.state import ActionsState, Place, Tab, Talk
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable, WorkScreen


class ActionsScreen(WorkScreen):
    """Text and scene beside the reply tabs; a narrow window shows scene or reply below the text."""

    SCOPE = "actions"
    DATA = "characters"
    AUTO_FOCUS = "#scene"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("actions")
    DEFAULT_CSS = """
    ActionsScreen #panes { height: 1fr; }
    ActionsScreen #answer { width: 1fr; height: 1fr; max-width: 122; }
    ActionsScreen.-narrow #panes { layout: vertical; }
    ActionsScreen.-narrow #answer { display: none; }
    ActionsScreen.-narrow.-answer #answer { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.state = ActionsState()
        self._conversation = Conversation(self)
        self._waits = False
        self._in_tab = False

    def compose_work(self) -> Iterable[Widget]:
        warn = partial(self.workbench.tell, severity="warning")
        met = self._conversation.met_draft
        self.editor = SceneEditor(self.session.drafts, self.session.profile.place, met=met, failed=warn)
        self.composer = Composer(self.editor, self.edited, self.action_pick_character)
        self.answer = Answer()
        self.notice = Notice(id="notice")
        with Horizontal(id="panes"):
            yield self.composer
            yield self.answer
        yield self.notice

    def prepare(self) -> None:
        self.show(self.state)

    def place(self) -> ScreenPlace:
        in_tab = self._in_tab or self.answer.has_focus_within if self.is_mounted else self._in_tab
        return {"tab": self.state.tab.value, "in_tab": in_tab, "answer": self.state.at_answer}

    def start_at(self, place: ScreenPlace) -> None:
        self._in_tab = place.get("in_tab") is True
        at_answer = self._in_tab or place.get("answer") is True
        self.state = replace(self.state, tab=tab_in(place, self.state.tab), at_answer=at_answer)

    def forget(self) -> None:
        """The character of the last time is gone: start with another one when the screen is shown again."""
        self._stale = True
        self.show(replace(self.state, wanted=None, error=None, note=""))

    def arrive(self) -> None:
        """The first conversation is there: go to the tab that you were in."""
        if self._in_tab:
            self._in_tab = False
            self.action_open_pane(self.state.tab)

    async def settled(self) -> None:
        await self.editor.keeper.settled()

    # -- showing ------------------------------------------------------------------------------------------------------

    def show(self, state: ActionsState) -> None:
        self.state = state
        self.composer.show(state, self._conversation.terms)
        self.answer.show(state)
        self.show_loading()
        if self._waits is not (waits := self._conversation.under_way):
            self._waits = waits
            self.refresh_bindings()  # Esc does something else

    def change(self, talk: Talk) -> None:
        self.show(self.state.with_talk(talk))

    def edited(self, edit: Edit) -> None:
        self.change(edit.talk)
        if edit.place is not None:
            self.composer.scene.put_cursor(edit.place.id)
        if edit.told:
            undo = f" {self.workbench.keymap.label('undo-scene')} undoes this edit." if edit.undoes else ""
            self.workbench.tell(edit.told + undo, topic=edit.topic)

    def name_known(self, character_id: str) -> str:
        return dict(self.state.characters).get(character_id, "")

    @property
    def in_hand(self) -> str | None:
        """The id of the chosen character, if any."""
        return self.state.wanted

    def footer_word(self, found: Command) -> str:
        """Hide what does nothing here: sending outside the line and the form, undoing, and replaying outside Turns."""
        talk = self.state.talk
        fits = {
            "send-turn": self.enter_sends,
            "undo-scene": talk is not None and bool(self.editor.keeper.history(talk.turn.character_id).can_undo),
            "replay-turns": talk is not None and bool(talk.exchanges) and self.state.tab is Tab.TURNS,
        }
        return super().footer_word(found) if fits.get(found.id, True) else ""

    @property
    def enter_sends(self) -> bool:
        """Whether Enter sends, as in the text and the form; elsewhere it opens the row under the cursor."""
        return self.focused in (self.composer.say, self.answer.form)

    def on_descendant_focus(self) -> None:
        self.composer.say.show_terms(self._conversation.terms)

    @property
    def escape_word(self) -> str:
        return "cancel" if self._conversation.under_way else super().escape_word

    def show_loading(self) -> None:
        talk, scene, loading = self.state.talk, self.composer.scene, self.loading_text("read")
        nobody = talk is None and (not self.state.loading or bool(loading))
        if nobody and scene.has_focus:
            self.set_focus(None)  # otherwise the focus would move to the text when the scene is hidden
        elif self.has_class("-nobody") and not nobody and self.focused is None:
            scene.focus()
        self.set_class(nobody, "-nobody")
        self.set_class(nobody or self.state.at_answer, "-answer")
        said = note(self.workbench, self.state, locked=self._conversation.locked, loading=loading)
        self.answer.show_reply(self.state, said, self._conversation.answered_by, self._conversation.loading_text)

    def refresh_bars(self) -> None:
        super().refresh_bars()
        if self.is_mounted:
            self.show(self.state)  # the lock is shown here too

    def copy_choices(self) -> Sequence[Copyable]:
        """The texts of the conversation; first the one that the focused part shows."""
        shown = {Tab.FORM: "Turn as curl", Tab.TURNS: "Turns to replay"}.get(self.state.tab, "Reply")
        front = "Scene file" if self.composer.scene.has_focus else shown
        return sorted(copies(self.state.talk, self.session.profile), key=lambda text: text.title != front)

    # -- reading ------------------------------------------------------------------------------------------------------

    @property
    def filled(self) -> bool:
        return self.state.talk is not None

    async def read_data(self, *, refresh: bool = False) -> None:
        await self._conversation.meet(self.editor, None if refresh else self.workbench.work.records_just_read)

    def read_canceled(self, group: str) -> None:
        super().read_canceled(group)
        if group == "read":
            self.show(replace(self.state, loading=False, note="" if self.filled else self.canceled()))

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        wanted = self.workbench.character
        there = not self.state.loading and self in self.workbench.work  # not of the profile before
        if there and wanted is not None and wanted != self.state.wanted:
            self._conversation.speak_to(wanted)

    # -- moving -------------------------------------------------------------------------------------------------------

    def see(self, *, answer: bool, tab: Tab | None = None) -> None:
        """Show the reply or the scene; the focus moves there only from a part that disappears."""
        self.show(replace(self.state, at_answer=answer, tab=tab or self.state.tab))
        parts: tuple[Widget, Widget] = (self.composer.scene, self.answer.here)
        if self.has_class("-narrow") and self.focused is parts[not answer]:
            parts[answer].focus()

    def _go_to(self, part: Widget) -> None:
        if part in (self.composer.scene, self.answer.here):
            self.see(answer=part is self.answer.here)
        part.focus()

    def _step(self, step: int) -> Widget:
        """Focus a part of the screen, showing it first if needed."""
        parts = (self.composer.say, self.composer.scene, self.answer.here, self.notice)
        here = next((place for place, part in enumerate(parts) if part is self.focused), -1)
        there = parts[(here + step) % len(parts)]
        self._go_to(there)
        return there

    def focus_next(self, selector: str | type[Widget] = "*") -> Widget | None:  # noqa: ARG002 - the framework's
        return self._step(1)

    def focus_previous(self, selector: str | type[Widget] = "*") -> Widget | None:  # noqa: ARG002 - the framework's
        return self._step(-1)

    def action_other_pane(self) -> None:
        at_answer = self.focused is self.answer.here or (self.has_class("-narrow") and self.state.at_answer)
        self._go_to(self.composer.scene if at_answer else self.answer.here)

    def action_write(self) -> None:
        """Go to the text; the sample text is selected, so typing replaces it."""
        talk, say = self.state.talk, self.composer.say
        if talk is not None and talk.turn.text == talk.start.text and not say.has_focus:
            say.select_all()
        say.focus()

    def action_read_deprecation(self) -> None:
        self.notice.focus()

    def action_open_pane(self, name: str) -> None:
        self.see(answer=True, tab=Tab(name))
        self.answer.here.focus()

    def action_turn_pane(self, step: int) -> None:
        in_sight = self.state.at_answer or not self.has_class("-narrow")
        self.see(answer=True, tab=Tab(self.answer.neighbour(step if in_sight else 0)))

    @on(LineView.Chosen, "#turns")
    def _turn_chosen(self) -> None:
        if self.state.talk is not None:
            self.state = self.state.with_talk(self.state.talk.looking_at(self.answer.turns.at_cursor))
        self.action_open_pane(Tab.REPLY)

    @on(LineView.Chosen, "#form")
    def _form_chosen(self) -> None:
        self.action_send()

    @on(LineView.Chosen, "#checks")
    def _finding_chosen(self) -> None:
        self._go_to(self.composer.scene)
        place = Place.named(self.answer.checks.at_cursor.place) if self.answer.checks.at_cursor else None
        if place is not None:
            self.composer.scene.put_cursor(place.id)

    # -- editing ------------------------------------------------------------------------------------------------------

    def _edit(self, edit: Callable[[Talk], Edit]) -> None:
        if self.state.talk is not None:
            self.edited(edit(self.state.talk))

    def action_write_long(self) -> None:
        if self.state.talk is not None:
            self.start(self.composer.write_long, group="edit")
        else:
            self.composer.say.focus()  # it takes text for the character chosen later

    def action_write_outside(self) -> None:
        if self._conversation.addressed():
            self.start(self.composer.write_outside, group="edit")

    def action_add(self) -> None:
        if self._conversation.addressed():
            self._go_to(self.composer.scene)
            self.composer.add()

    def action_open_scene(self) -> None:
        if self._conversation.addressed():
            self.start(self.composer.open_scene, group="edit")

    def action_turn_edit(self, step: int) -> None:
        self._edit(partial(self.editor.turn_edit, step=step))

    def action_toggle_multistep(self) -> None:
        self._conversation.addressed()
        self._edit(self.editor.toggle_multistep)

    def action_new_session(self) -> None:
        self._conversation.addressed()
        self._edit(self.editor.toggle_session)

    @on(TurnsView.EditAgain)
    def _edit_again(self, message: TurnsView.EditAgain) -> None:
        before = self.state.talk
        self._edit(partial(self.editor.take_up, number=message.number))
        if self.state.talk is not before:
            self._go_to(self.composer.scene)

    def action_fix(self) -> None:
        place, at = self.composer.scene.place, self.answer.finding if self.focused is self.answer.checks else None
        self._edit(lambda talk: self.editor.fix(talk, talk.findings_at(place) if at is None else at))

    def action_fix_all(self) -> None:
        self._edit(self.editor.fix_all)

    # -- the conversation ---------------------------------------------------------------------------------------------

    def action_pick_character(self) -> None:
        self.start(self._conversation.pick, group="pick")

    def action_send(self) -> None:
        self._conversation.send()

    def action_replay(self) -> None:
        self._conversation.replay()

    def action_give_up(self) -> None:
        if self._conversation.give_up():
            return
        if self.focused in (None, self.composer.scene):
            self.step_back()
        elif not self.cancel_read():
            self._go_to(self.composer.scene)
