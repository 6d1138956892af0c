"""The settings of the character under the cursor: edited in a form, staged, undone, discarded and applied."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import takewhile
from typing import ClassVar, Final, cast

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from chartui.core.actions.backstory import Declared
from chartui.core.classes import dataclass
from chartui.core.drafts import STORY_PART
from chartui.core.jsontext import Wire, canonical
from chartui.core.plans.settings import BACKSTORY, MEMBERS, MODEL, REASONING, SETTINGS_PART, TEMPERATURE, Staged
from chartui.core.plans.wording import LABELS
from chartui.core.profiles import ProfileKind
from chartui.core.session import Session
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.drafts import TURNED, Keeper, TwoDrafts, ask_which_draft, leaving, named, tell_not_kept, turned
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import applying, guide, none_staged, nothing_to_turn
from chartui.tui.lines import wrap
from chartui.tui.numbers import number_of
from chartui.tui.screens.characters.editor import SettingsEditor, read_staged, what_is_staged, write_staged
from chartui.tui.screens.characters.state import CharactersState, Shown
from chartui.tui.screens.characters.tabs.settings_form import level_choices, rows_of, rows_to_come
from chartui.tui.wait import waiting
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.find import LineFinder
from chartui.tui.widgets.form import FormView, Heading, Note
from chartui.tui.widgets.line_list import Column
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.screen import WorkScreen

#: What a lock disables, by the method.
_DISABLED: Final = {
    "save": "applying staged changes",
    "drop": "discarding staged changes",
    "turn_edit": "undoing and redoing edits",
    "write_outside": "editing the backstory",
}
#: The step of + and − for the temperature.
_STEP: Final = Decimal("0.05")


class SettingsTab(FormView):
    """The four settings. Edits are staged in the ``editor`` immediately and posted as :class:`Edited`.

    ``drafts_read`` is set after the search for earlier drafts.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_for("characters.settings"),
        # The framework does not inherit the bindings of a key that a class binds again.
        Binding("enter", "end_typing", "Done", tooltip="Stops editing the number."),
        Binding("enter", "choose", "Change", tooltip="Changes the selected setting."),
    ]

    @dataclass
    class Edited(Message):
        """The staged changes of a character have changed."""

        character_id: str

    @dataclass
    class Known(Message):
        """The settings were refreshed or applied."""

        shown: Shown

    @dataclass
    class SceneRead(Message):
        """The declarations of a character's scene were read."""

        character_id: str
        declared: Declared

    @dataclass
    class StoriesRead(Message):
        """The numbers of changes staged for stories were read."""

        stories: Mapping[str, int]

    def __init__(self, session: Session) -> None:
        super().__init__(id="settings")
        place = session.profile.place
        self._keeper = Keeper(
            session.drafts,
            place,
            SETTINGS_PART,
            write=write_staged,
            read=read_staged,
            met=self._met,
            failed=self._not_kept,
        )
        self.editor = SettingsEditor(self._keeper)
        self.drafts_read = asyncio.Event()
        self._state = CharactersState()
        self._shown: Shown | None = None
        self._note = ""
        self._held = MODEL
        self._whose: str | None = None
        self._laid_out: object = None
        self.finder = LineFinder(self, self._text)

    @property
    def _work(self) -> WorkScreen:
        return cast("WorkScreen", self.screen)

    # -- showing ------------------------------------------------------------------------------------------------------

    def show_state(self, state: CharactersState) -> None:
        shown = state.settings
        if shown is None or self._shown is None or shown.character_id != self._shown.character_id:
            self.stop_typing()
        if state.current_id != self._whose:
            # Not when its settings arrive: keys may have moved the cursor by then.
            self._whose, self._held = state.current_id, MODEL
            self.put_cursor(MODEL)
        self._state, self._shown, self._note = state, shown, state.why_nothing
        self.awaiting = shown is None and not self._note
        self.locked = shown is None or bool(shown.locked)
        self._lay_out()

    @property
    def mark(self) -> str:
        changes = len(self._shown.changes) if self._shown is not None else 0
        return f"{GLYPHS.staged}{changes}" if changes else ""

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        """Lay out again: the notes are wrapped, and the last field takes the remaining lines."""
        self._lay_out()

    def _lay_out(self) -> None:
        size = self.scrollable_content_region.size
        width, height = size
        # An edit is drawn immediately, and again with the screen's update, usually unchanged.
        if width <= 0 or self._laid_out == (self._shown, self._note, size):
            return
        self._laid_out = (self._shown, self._note, size)
        self._held = self.current.id if self.current is not None else self._held
        if self._shown is not None:
            self.show(rows_of(self._shown, width, height, self._work.workbench.keymap))
        elif self.awaiting:
            self.show(list(rows_to_come()))
        else:
            self.show([Heading(), *(Note(line, indented=False) for line in wrap(self._note, max(20, width - 2)))])
        if self.current is not None and self.current.id != self._held:
            self.put_cursor(self._held)

    def _text(self, index: int) -> str:
        """The text of a setting: the whole one of the backstory, and the notes below it."""
        if (row := self._field(index)) is None:
            return ""
        whole = self._shown.value(row.id) if self._shown is not None else None
        notes = (note.text for note in takewhile(lambda one: isinstance(one, Note), self._rows[index + 1 :]))
        return "\n".join((row.label, row.text, row.unit, whole or "", *notes))

    @property
    def header_lines(self) -> int:
        return self.finder.header_lines

    def draw_header(self, line: int, width: int) -> Strip:  # noqa: ARG002
        return self.finder.draw_header(width)

    def go_to(self, member: str) -> None:
        """Move the cursor to a setting, now or once the form is laid out."""
        self._held = member
        self.put_cursor(member)

    def read(self) -> None:
        """Read the scene's declarations, which the backstory is checked for."""
        if self._state.shown is not None:
            self._work.start(partial(self._read_scene, self._state), group="scene")

    async def _read_scene(self, state: CharactersState) -> None:
        character_id = state.shown or ""
        declared = await _declared_for(self._work.session, character_id, state.record)
        if declared != state.declared.get(character_id):
            self.post_message(self.SceneRead(character_id, declared))

    # -- staging ------------------------------------------------------------------------------------------------------

    def _change(self, member: str, text: str, *, field: str = "") -> None:
        if self._shown is not None:
            self._stage(self._shown.staged.with_change(member, text), field=field)

    def _stage(self, staged: Staged, *, field: str = "") -> None:
        self.editor.stage(staged, field=field)
        self._show_staged(staged)

    def stage_over(self, staged: Staged) -> None:
        self.stop_typing()
        self._stage(staged)

    def _show_staged(self, staged: Staged) -> None:
        shown = self._shown
        if shown is not None and shown.character_id == staged.character_id:
            # Drawn immediately: the next key may come before the screen's update.
            self._shown = replace(shown, staged=staged.on(shown.now))
            self._lay_out()
        self.post_message(self.Edited(staged.character_id))

    def give(self, changes: Mapping[str, str], told: str) -> None:
        """Stage changes of the visible character; shows ``told`` if they make a difference."""
        if self._shown is None:
            return
        after = self._shown.staged
        for member, text in changes.items():
            after = after.with_change(member, text)
        if after == self._shown.staged:
            told = f"{single_line(self._shown.name, limit=40)} already has these settings (stored or staged)."
        else:
            self.stage_over(after)
        self._work.workbench.tell(told)

    def _changeable(self) -> tuple[str, Shown] | None:
        """The member under the cursor and the settings; None before they are read, or after a message under a lock."""
        shown = self._shown
        if shown is not None and shown.locked:
            self._work.workbench.tell(shown.locked, severity="warning")
            return None
        return None if shown is None or self.current is None else (self.current.id, shown)

    def on_form_view_typed(self, event: FormView.Typed) -> None:
        event.stop()
        if self._shown is None:
            return
        if not event.text and event.field not in self._shown.now:
            # nothing stored, nothing to store
            self._stage(self._shown.staged.without(event.field), field=event.field)
        else:
            self._change(event.field, event.text, field=event.field)

    def on_form_view_activated(self, event: FormView.Activated) -> None:
        event.stop()
        if (found := self._changeable()) is None:
            return
        edits = {MODEL: self._choose_model, REASONING: self._choose_level}
        edits.get(event.field, self._edit_backstory)(found[1])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Your value can only be kept in a conflict; under a lock, the key says so. While typing, r and m are text."""
        shown, row = self._shown, self.current
        mine = shown is not None and (bool(shown.locked) or (row is not None and row.id in shown.conflicts))
        possible = {"keep_mine": mine and not self.typing, "restore": not self.typing}
        return possible[action] if action in possible else super().check_action(action, parameters)

    def action_restore(self) -> None:
        """Revert the change of the selected member; in a conflict, the stored value wins."""
        if (found := self._changeable()) is not None and found[0] in found[1].staged.changes:
            member, shown = found
            self.stage_over(shown.staged.without(member).on(shown.now))

    def action_keep_mine(self) -> None:
        if (found := self._changeable()) is not None and found[0] in found[1].conflicts:
            member, shown = found
            self._stage(shown.staged.keeping(member, shown.now))

    def action_step(self, step: int) -> None:
        """Increase or decrease the number under the cursor, or pick the next or previous option."""
        if (found := self._changeable()) is None or found[0] == BACKSTORY:
            return
        member, shown = found
        value = shown.value(member)
        if member == TEMPERATURE:
            try:
                number = Decimal(value or "")
            except ArithmeticError:
                return
            self.stop_typing()
            self._change(member, canonical(min(max(number + step * _STEP, Decimal(0)), Decimal(1))))
            return
        if member == MODEL:
            keys = [m.code for _, found in shown.models.with_present(value or "").grouped() for m in found]
        else:
            keys = [choice.key for choice in level_choices(shown)]
        here = keys.index(value) if value in keys else -step
        self._change(member, keys[max(0, min(here + step, len(keys) - 1))])

    # -- dialogs ------------------------------------------------------------------------------------------------------

    def _choose_model(self, shown: Shown) -> None:
        self._work.start(partial(self._ask_model, shown, self._state.record), group="model")

    async def _ask_model(self, shown: Shown, record: Mapping[str, Wire]) -> None:
        from chartui.tui.screens.characters.model_chooser import OTHER_MODEL, model_chooser
        from chartui.tui.widgets.editor import Editor

        app = self._work.workbench
        async with waiting(app, f"Model of {single_line(shown.name, limit=30)}"):
            code = await app.push_screen_wait(await model_chooser(app, shown, record))
            if code == OTHER_MODEL:
                hint = "as used by the service"
                text = await app.push_screen_wait(Editor("Model code", shown.value(MODEL) or "", hint=hint))
                code = " ".join((text or "").split())
        if code:
            self._change(MODEL, code)

    def _choose_level(self, shown: Shown) -> None:
        def chosen(level: str | None) -> None:
            if level is not None:
                self._change(REASONING, level)

        columns: list[Column[Choice]] = [
            Column("setting", lambda c: c.label, 16),
            Column("meaning", lambda c: c.detail, role="label"),
        ]
        choices, title = level_choices(shown), f"Reasoning level of {shown.name}"
        self.app.push_screen(Chooser(title, choices, shown.value(REASONING), columns=columns), chosen)

    def _edit_backstory(self, shown: Shown) -> None:
        from chartui.tui.widgets.editor import Editor

        before = shown.value(BACKSTORY) or ""
        touched = False

        def edited(text: str | None) -> None:
            nonlocal touched
            touched = touched or text != before
            if text is not None and touched:  # a write-only one changes only if you typed
                self._change(BACKSTORY, text, field=BACKSTORY)

        readable = BACKSTORY in shown.now
        hint = "staged as you type; not applied yet" if readable else "replaces the stored text, which cannot be read"
        editor = Editor(f"Backstory of {shown.name}", before, changed=edited, hint=hint)
        self.app.push_screen(editor, edited)

    def write_outside(self) -> None:
        if self._shown is not None:
            self._work.start(partial(self._write_outside, self._shown), group="outside")

    async def _write_outside(self, shown: Shown) -> None:
        from chartui.tui.external_editor import edit_outside

        name = single_line(shown.name, limit=40)
        edited = await edit_outside(self._work.workbench, shown.value(BACKSTORY) or "", title=f"backstory of {name}")
        if edited.text is None:
            self._work.workbench.tell(edited.told, title=f"Backstory of {name}")
            return
        self.stage_over(self.editor.of(shown.character_id, shown.name, shown.now).with_change(BACKSTORY, edited.text))
        await self._work.run_action("open_tab('settings')")

    # -- undo, discard, apply -----------------------------------------------------------------------------------------

    def refuses(self, command: str, character_id: str | None) -> bool:
        """Whether a method cannot be used for a character now; if so, says why."""
        app = self._work.workbench
        if app.refuses(_DISABLED[command]):
            return True
        if none_selected := self._work.none_selected:
            app.tell(none_selected)
            return True
        if command in ("save", "drop") and character_id not in self.editor.staged:
            if changes := self._state.stories.get(character_id or ""):
                where = "Review or discard them in the graph: {show-narrative} opens it."
                app.tell(guide(app, f"The story has {number_of(changes, 'staged change')}.", where))
            else:
                app.tell(none_staged(app, "{edit-settings} edits the settings.", of="this character"))
            return True
        if late := command == "turn_edit" and self._work.under_way("save"):
            app.tell(applying("these settings"))
        return late

    def turn_edit(self, step: int) -> None:
        """Undo the last edit (-1) or redo it (1); edits that make no difference to the stored values are skipped."""
        shown, app = self._shown, self._work.workbench
        if shown is None:
            return
        title = self.editor.turn(shown.staged, shown.now, step)
        if title is None:
            app.tell(nothing_to_turn(app, step), topic=TURNED)
            return
        self.stop_typing()
        self._show_staged(self.editor.of(shown.character_id, shown.name, shown.now))
        app.tell(turned(title, step), topic=TURNED)

    def drop(self) -> None:
        if (shown := self._shown) is None or not shown.staged.changes:
            return  # the service has the same values by now
        members = ", ".join(LABELS[member] for member in shown.changes)

        def answered(agreed: bool | None) -> None:
            if agreed:
                self.stage_over(shown.staged.without(*MEMBERS))

        title = f"Discard changes to {single_line(shown.name, limit=30)}"
        it = "it" if len(shown.changes) == 1 else "them"
        back = f"{self._work.workbench.keymap.label('undo-setting')} restores {it}."
        self.app.push_screen(Confirm(title, f"Discards changes: {members}. {back}", "Discard"), answered)

    def save(self) -> None:
        from chartui.tui.screens.characters.save import Saving

        if self._shown is not None and self._shown.staged.changes:
            saving = Saving(self._work, self.editor, self._shown, self._state.record, self._known)
            self._work.start(saving.run, group="save")

    def _known(self, shown: Shown) -> None:
        if self._shown is not None and shown.staged != self._shown.staged:
            self.stop_typing()
        self.post_message(self.Known(shown))

    # -- drafts -------------------------------------------------------------------------------------------------------

    async def read_drafts(self) -> None:
        """Load the drafts of earlier sessions. Await it in a worker."""
        found: Mapping[str, Staged] = {}
        try:
            found = await self.editor.load()
        except ServiceError as error:
            self._not_kept(error)
        self.drafts_read.set()
        if found:
            self.post_message(self.Edited(self._whose or ""))
            who = named(staged.name for staged in found.values())
            held = f": {what_is_staged(next(iter(found.values())))}" if len(found) == 1 else ""
            message = f"Restored staged changes to {who}{held}. {GLYPHS.staged} marks characters with staged changes."
            self._work.workbench.tell(message, topic="drafts of settings")

    def offers(self, command_id: str, character_id: str | None) -> bool:
        """Whether the footer should name a command of the settings; other commands are not judged here."""
        if command_id in ("apply-settings", "discard-settings"):
            return character_id in self.editor.staged
        if command_id in ("revert-setting", "undo-setting"):
            return self.has_focus and character_id in self.editor.staged
        return not (self.has_focus if command_id == "edit-settings" else command_id == "choose Change" and self.locked)

    async def read_stories(self) -> None:
        """Count the changes staged for stories on the narrative screen. Await it in a worker."""
        session = self._work.session
        await self._work.workbench.work.settled()
        try:
            found = await session.drafts.all(session.profile.place, part=STORY_PART)
        except ServiceError:  # reported with the drafts of settings
            return
        stories: Mapping[str, int] = {}
        if found:
            from chartui.core.narrative.edits import staged_edits

            stories = staged_edits(draft.document for draft in found)
        if stories != self._state.stories:
            self.post_message(self.StoriesRead(stories))

    async def settled(self) -> None:
        await self._keeper.settled()

    def leaving(self) -> str:
        """The warning about staged changes when the program ends; empty without any."""
        return leaving(self._work.workbench, self._keeper, [one.name for one in self.editor.staged.values()])

    def _not_kept(self, error: ServiceError) -> None:
        tell_not_kept(self._work.workbench, error)
        self.post_message(self.Edited(self._whose or ""))

    def _met(self, mine: Staged, theirs: Staged | None) -> None:
        """Another program has changed the draft: ask which draft to keep."""
        character_id, keeper = mine.character_id, self._keeper
        if (theirs.changes if theirs is not None else {}) == mine.changes:
            keeper.seen(character_id)
            return
        nothing = mine.without(*MEMBERS)
        there = what_is_staged(theirs) if theirs is not None else None
        ask_which_draft(
            self._work.workbench,
            keeper,
            character_id,
            TwoDrafts(f"Another program is editing {mine.name}", what_is_staged(mine), there),
            keep=lambda: keeper.keep(self.editor.staged.get(character_id, nothing)),
            use=lambda theirs: self.stage_over(theirs or nothing),
        )


async def _declared_for(session: Session, character_id: str, record: Mapping[str, Wire]) -> Declared:
    """The declarations of a character's scene: the one composed here, or the one it starts with."""
    from chartui.core.actions.turn import SCENE_PART, Turn
    from chartui.tui.screens.actions.state import start_turn

    turn = None
    try:
        draft = await session.drafts.load(session.profile.place, character_id, SCENE_PART)
        turn = None if draft is None else Turn.from_payload(draft.document)
    except (ServiceError, ValueError):  # the actions screen reports the problem
        pass
    turn = turn or start_turn(character_id, record, demo=session.profile.kind is ProfileKind.DEMO)
    return Declared(
        turn.actions, tuple(thing.name for thing in turn.objects), tuple(person.name for person in turn.people)
    )
