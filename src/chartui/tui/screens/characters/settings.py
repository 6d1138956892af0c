"""The settings of one character as a form: what is stored, what is staged, and what is known of either."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal, cast

from textual import events
from textual.message import Message

from chartui.core.actions.backstory import word_count
from chartui.core.characters.models import Model, Models
from chartui.core.characters.reasoning import AUTO, CLEAR, meaning
from chartui.core.jsontext import canonical
from chartui.core.plans.settings import BACKSTORY, MEMBERS, MODEL, REASONING, TEMPERATURE, Staged, as_text
from chartui.core.plans.wording import LABELS
from chartui.core.text import single_line
from chartui.keymap import Keymap
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import wrap
from chartui.tui.numbers import number_of
from chartui.tui.screens.characters.state import Shown
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.form import LABEL_WIDTH, FieldKind, FieldRow, FormView, Heading, Note, Row
from chartui.tui.widgets.line_list import Column

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["SettingsForm", "level_choices", "level_text", "rows_of"]

#: What one press of + or − adds to or takes from the temperature.
STEP: Final = Decimal("0.05")
_NAMES: Final = {MODEL: "Model", TEMPERATURE: "Temperature", REASONING: "Reasoning", BACKSTORY: "Backstory"}
_KINDS: Final = {
    MODEL: FieldKind.CHOICE,
    TEMPERATURE: FieldKind.NUMBER,
    REASONING: FieldKind.CHOICE,
    BACKSTORY: FieldKind.TEXT,
}
#: Lines of a backstory that are always shown below its field.
_PREVIEW: Final = 1

Role = Literal["label", "quiet", "staged", "warning", "danger"]


def level_text(level: str) -> str:
    """A reasoning setting in words that keep not set, ``auto`` and the level ``none`` apart (decision 23)."""
    return {CLEAR: "not set", AUTO: "auto"}.get(level, f"level {single_line(level)}")


def _in_words(shown: Shown, member: str, text: str) -> str:
    """A value as it stands in its field."""
    if member == MODEL:
        model = shown.models.with_present(text).get(text)
        return model.label if model else ""
    if member == REASONING:
        return level_text(text)
    if member == BACKSTORY:
        return f"{number_of(len(text), 'character')}, {number_of(word_count(text), 'word')}" if text else "empty"
    return text


# -- the rows ----------------------------------------------------------------------------------------------------------


def rows_of(shown: Shown, width: int, height: int, keymap: Keymap) -> list[Row]:
    """The form in a pane of so many cells: per member its field and what is to be said about it.

    ``keymap`` knows how keys are written.

    The beginning of the backstory, which comes last, takes the lines that the others leave.
    """
    room = max(20, width - LABEL_WIDTH - 3)
    rows: list[Row] = [Heading()]
    for member in MEMBERS:
        rows.append(_field(shown, member))
        for text, role in _notes(shown, member, keymap):
            rows += [Note(line, role) for line in wrap(text, room)]
        rows.append(Heading())
    end = list(_summary(shown, width, keymap))
    beginning = _beginning(shown.value(BACKSTORY) or "", room, max(_PREVIEW, height - len(rows) - len(end) - 1))
    return [*rows[:-1], *(Note(line) for line in beginning), Heading(), *end]


def _rows_to_come() -> Iterator[Row]:
    """The form while it is being read: the cursor moves in it already."""
    for member in MEMBERS:
        yield Heading()
        yield FieldRow(id=member, label=_NAMES[member], kind=_KINDS[member], text="", default="…", align="left")
        yield Note("reading the settings…" if member == MODEL else "", "quiet")


def _field(shown: Shown, member: str) -> FieldRow:
    value = shown.value(member)
    return FieldRow(
        id=member,
        label=_NAMES[member],
        kind=_KINDS[member],
        text="" if value is None else _in_words(shown, member, value),
        default="" if member == TEMPERATURE else "unknown",
        staged=member in shown.staged.changes,
        problem=shown.problems.get(member, ""),
        align="left",
    )


def _notes(shown: Shown, member: str, keymap: Keymap) -> Iterator[tuple[str, Role]]:
    """What stands below a field. Its first line is always there, so that nothing moves while one types."""
    conflict, problem = shown.conflicts.get(member), shown.problems.get(member)
    stored, key = shown.stored(member), keymap.label
    if conflict is not None:
        now, base = (_in_words(shown, member, as_text(member, value)) for value in (conflict.now, conflict.base))
        yield f"{GLYPHS.conflict} Changed elsewhere: {now} now, {base} before.", "danger"
        yield f"{key('keep-setting')} keeps yours, {key('restore-setting')} takes what is there now.", "label"
    elif problem:
        yield f"{GLYPHS.danger} {problem}", "danger"
    elif member in shown.staged.changes and stored is not None:
        yield f"was {_in_words(shown, member, stored)} · {_access(shown, member)}", "staged"
    elif member in shown.known_here and member not in shown.now:
        yield _access(shown, member), "quiet"
    else:
        yield f"{_about(shown, member, keymap)} · {_access(shown, member)}", "quiet"
    if member == REASONING and (value := shown.value(REASONING)) is not None:
        model = _model(shown)
        yield meaning(value, model.reasoning if model is not None and model.known else None), "label"
    if member == BACKSTORY:
        yield from ((f"{GLYPHS.warning} {sentence}", "warning") for sentence in shown.unnamed)
    if warning := shown.warnings.get(member):
        yield f"{GLYPHS.warning} {warning}", "warning"


def _beginning(text: str, room: int, most: int) -> list[str]:
    """The first lines of a text, at most so many."""
    lines = wrap(text[: 8 * most * room], room) if text else []
    if len(lines) > most:
        lines[most - 1] = f"{lines[most - 1][: room - 2]} {GLYPHS.ellipsis}"
    return lines[:most]


def _about(shown: Shown, member: str, keymap: Keymap) -> str:
    """What can stand in a field."""
    if member == TEMPERATURE:
        return "0 to 1"
    if member == BACKSTORY:
        outside = keymap.label("backstory-outside")
        return f"{keymap.sign('enter')} opens the editor{f', {outside} your own' if outside else ''}"
    model = _model(shown)
    if member == MODEL:
        return ", ".join((single_line(model.code), *model.marks)) if model is not None else "no model"
    return model.takes if model is not None and model.known else "which levels the model takes is not known"


def _model(shown: Shown) -> Model | None:
    """What is known of the model that will be there, whether or not a list has it."""
    code = shown.value(MODEL) or ""
    return shown.models.with_present(code).get(code)


def _access(shown: Shown, member: str) -> str:
    """How much of a value the service lets one see (decision 25)."""
    if member in shown.now:
        return "readable"
    written = shown.known_here.get(member)
    if written is None:
        return "write-only"
    return f"known here since {written.at[:16].replace('T', ' ')}, write-only"


def _summary(shown: Shown, width: int, keymap: Keymap) -> Iterator[Row]:
    changes, key = len(shown.staged.changes), keymap.label
    role: Role = "quiet"
    if changes:
        number = f"{changes} change{'' if changes == 1 else 's'}"
        ways = f"{key('save-settings')} saves, {key('restore-setting')} takes one back, {key('drop-settings')} all."
        where = "kept as a draft" if shown.kept else "on this screen only"
        members = ", ".join(LABELS[member] for member in MEMBERS if member in shown.staged.changes)
        sentence, role = f"{GLYPHS.staged} {number} not saved: {members}; {where}. {ways}", "staged"
    elif shown.locked:
        sentence, role = f"{GLYPHS.read_only} {shown.locked}", "warning"
    elif not shown.models.sure:
        sentence = "Models and levels are those of the catalogue: the service did not say which it has."
    else:
        sentence = f"Changes wait here until {key('save-settings')} saves them."
    yield from (Note(line, role, indented=False) for line in wrap(sentence, max(20, width - 2)))


class SettingsForm(FormView):
    """The four settings; what the user wants of them goes out as :class:`Edited`."""

    @dataclass
    class Edited(Message):
        """Something else is staged; ``field`` names what is being typed into."""

        staged: Staged
        field: str = ""

    @dataclass
    class ModelWanted(Message):
        """Another model is to be chosen."""

        shown: Shown

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._shown: Shown | None = None
        self._note = ""
        self._held = MODEL
        self._whose: str | None = None
        self._laid_out: object = None

    def show_settings(self, shown: Shown | None, *, whose: str | None, note: str = "") -> None:
        """Show the settings of a character, or say why there are none; without a ``note`` they are being read.

        ``whose`` is its id: of another character the cursor is on the first field.
        """
        if shown is None or self._shown is None or shown.character_id != self._shown.character_id:
            self.stop_typing()
        if whose != self._whose:
            # Not when its settings arrive: by then, keys have moved the cursor.
            self._whose, self._held = whose, MODEL
            self.put_cursor(MODEL)
        self._shown, self._note = shown, note
        self.awaiting = shown is None and not note
        self.locked = shown is None or bool(shown.locked)
        self._lay_out()

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002
        """Lay out again: the notes are wrapped, and the last of them takes what is left."""
        self._lay_out()

    def _lay_out(self) -> None:
        size = self.scrollable_content_region.size
        width, height = size
        # An edit is shown at once, and again once the screen has heard of it: mostly that is the same.
        if width <= 0 or self._laid_out == (self._shown, self._note, size):
            return
        self._laid_out = (self._shown, self._note, size)
        self._held = self.current.id if self.current is not None else self._held
        if self._shown is not None:
            self.show(rows_of(self._shown, width, height, cast("ChartuiApp", self.app).keymap))
        elif self.awaiting:
            self.show(list(_rows_to_come()))
        else:
            self.show([Heading(), *(Note(line, indented=False) for line in wrap(self._note, max(20, width - 2)))])
        if self.current is not None and self.current.id != self._held:
            self.put_cursor(self._held)

    @property
    def staged(self) -> Staged | None:
        """What is staged, with the last edit."""
        return self._shown.staged if self._shown is not None else None

    # -- what the user wants ------------------------------------------------------------------------------------------

    @property
    def _member(self) -> str | None:
        """The member under the cursor, where it may be changed."""
        return self.current.id if self.current is not None and not self.locked else None

    def _change(self, member: str, text: str, *, field: str = "") -> None:
        if self._shown is not None:
            self._stage(self._shown.staged.with_change(member, text), field=field)

    def _stage(self, staged: Staged, *, field: str = "") -> None:
        if self._shown is not None:
            # Shown at once: the next key may come before the screen has heard of this one.
            self.show_settings(replace(self._shown, staged=staged), whose=self._whose)
            self.post_message(self.Edited(staged, field))

    def on_form_view_typed(self, event: FormView.Typed) -> None:
        """Take a number over while it is typed."""
        event.stop()
        if self._shown is None:
            return
        if not event.text and event.field not in self._shown.now:
            # Nothing is stored, and nothing shall be.
            self._stage(self._shown.staged.without(event.field), field=event.field)
        else:
            self._change(event.field, event.text, field=event.field)

    def on_form_view_activated(self, event: FormView.Activated) -> None:
        """Open what changes the member."""
        event.stop()
        if self._shown is None or self.locked:
            return
        if event.field == MODEL:
            self.post_message(self.ModelWanted(self._shown))
        elif event.field == REASONING:
            self._choose_level(self._shown)
        else:
            self._edit_backstory(self._shown)

    def restore(self) -> None:
        """Drop the change of the member under the cursor; where it was changed elsewhere, that is what counts."""
        member, shown = self._member, self._shown
        if member is not None and shown is not None and member in shown.staged.changes:
            self.stop_typing()
            self._stage(shown.staged.without(member).on(shown.now))

    def keep_mine(self) -> None:
        """Keep the change of the member under the cursor, over what somebody else has written there."""
        if self._member is not None and self._shown is not None and self._member in self._shown.conflicts:
            self._stage(self._shown.staged.keeping(self._member, self._shown.now))

    def step(self, step: int) -> None:
        """A little more or less of the number under the cursor, or the next or previous choice."""
        member, shown = self._member, self._shown
        if member is None or shown is None or member == BACKSTORY:
            return
        value = shown.value(member)
        if member == TEMPERATURE:
            try:
                number = Decimal(value or "")
            except ArithmeticError:
                return
            self.stop_typing()
            self._change(member, canonical(min(max(number + step * STEP, Decimal(0)), Decimal(1))))
            return
        if member == MODEL:
            keys = [m.code for _, found in shown.models.with_present(value or "").grouped() for m in found]
        else:
            keys = [choice.key for choice in level_choices(shown)]
        here = keys.index(value) if value in keys else -step
        self._change(member, keys[max(0, min(here + step, len(keys) - 1))])

    def take_model(self, code: str) -> None:
        """Stage another model."""
        self._change(MODEL, code)

    def type_model(self) -> None:
        """Ask for the code of a model that no list has."""
        if self._shown is not None:
            self._type_model(self._shown)

    def _type_model(self, shown: Shown) -> None:
        from chartui.tui.widgets.editor import Editor

        def typed(text: str | None) -> None:
            if code := " ".join((text or "").split()):
                self._change(MODEL, code)

        editor = Editor("Code of another model", shown.value(MODEL) or "", hint="the code as the account knows it")
        self.app.push_screen(editor, typed)

    def _choose_level(self, shown: Shown) -> None:
        def chosen(level: str | None) -> None:
            if level is not None:
                self._change(REASONING, level)

        columns: list[Column[Choice]] = [
            Column("setting", lambda c: c.label, 16),
            Column("what it means", lambda c: c.detail, role="label"),
        ]
        choices, title = level_choices(shown), f"Reasoning of {shown.name}"
        chooser = Chooser(title, choices, shown.value(REASONING), columns=columns)
        self.app.push_screen(chooser, chosen)

    def _edit_backstory(self, shown: Shown) -> None:
        from chartui.tui.widgets.editor import Editor

        before = shown.value(BACKSTORY) or ""
        touched = False

        def edited(text: str | None) -> None:
            nonlocal touched
            touched = touched or text != before
            if text is not None and touched:  # one that cannot be read back is a change only when somebody made it
                self._change(BACKSTORY, text, field=BACKSTORY)

        readable = BACKSTORY in shown.now
        hint = "kept as a draft, not sent" if readable else "replaces what is there, which cannot be read"
        editor = Editor(f"Backstory of {shown.name}", before, changed=edited, hint=hint)
        self.app.push_screen(editor, edited)


# -- what can be chosen ------------------------------------------------------------------------------------------------


def level_choices(shown: Shown) -> list[Choice]:
    """What the model that will be there takes; where that is not known, what any model takes."""
    model = _model(shown)
    levels = model.reasoning if model is not None and model.known else None
    accepted = levels.accepted if levels is not None else _every_level(shown.models)
    settings = list(dict.fromkeys((CLEAR, *accepted)))
    present = shown.value(REASONING)
    if present is not None and present not in settings:
        settings.append(present)
    return [Choice(setting, level_text(setting), "", meaning(setting, levels)) for setting in settings]


def _every_level(models: Models) -> tuple[str, ...]:
    found = dict.fromkeys(level for model in models.all for level in model.reasoning.accepted if level != AUTO)
    return (*found, AUTO)
