"""The rows of the settings form: stored values, staged changes, and notes on both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from chartui.core.actions.backstory import word_count
from chartui.core.characters.models import Model, Models
from chartui.core.characters.reasoning import AUTO, CLEAR, meaning
from chartui.core.plans.settings import BACKSTORY, MEMBERS, MODEL, REASONING, TEMPERATURE, as_text
from chartui.core.plans.wording import LABELS
from chartui.core.text import single_line
from chartui.keymap import Keymap
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import wrap
from chartui.tui.numbers import number_of
from chartui.tui.screens.characters.state import Shown
from chartui.tui.widgets.chooser import Choice
from chartui.tui.widgets.form import LABEL_WIDTH, FieldKind, FieldRow, Heading, Note, Row

_NAMES: Final = {MODEL: "Model", TEMPERATURE: "Temperature", REASONING: "Reasoning", BACKSTORY: "Backstory"}
_KINDS: Final = {
    MODEL: FieldKind.CHOICE,
    TEMPERATURE: FieldKind.NUMBER,
    REASONING: FieldKind.CHOICE,
    BACKSTORY: FieldKind.TEXT,
}
#: Lines of a backstory that are always shown below its field.
_PREVIEW: Final = 1

_OTHERS: Final = f"{GLYPHS.no_call} Other fields cannot be edited."

Role = Literal["label", "quiet", "staged", "warning", "danger"]


def level_text(level: str) -> str:
    """A reasoning setting in words: not set, ``auto``, or a level, which may be ``none`` (decision 23)."""
    return {CLEAR: "not set", AUTO: "auto"}.get(level, f"level {single_line(level, limit=40)}")


def _in_words(shown: Shown, member: str, text: str) -> str:
    """The text of a value in its field."""
    if member == MODEL:
        model = shown.models.with_present(text).get(text)
        return single_line(model.label, limit=40) if model else ""
    if member == REASONING:
        return level_text(text)
    if member == BACKSTORY:
        return f"{number_of(len(text), 'character')}, {number_of(word_count(text), 'word')}" if text else "empty"
    return text


# -- the rows ----------------------------------------------------------------------------------------------------------


def rows_of(shown: Shown, width: int, height: int, keymap: Keymap) -> list[Row]:
    """The form in a pane of so many cells: per member its field and notes.

    ``keymap`` knows how shortcuts are written. The backstory comes last; its beginning takes the remaining lines.
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


def rows_to_come() -> Iterator[Row]:
    """The form while the settings are being read. The cursor can already move in it."""
    for member in MEMBERS:
        yield Heading()
        yield FieldRow(id=member, label=_NAMES[member], kind=_KINDS[member], text="", default="…", align="left")
        yield Note("Reading the settings…" if member == MODEL else "", "quiet")


def _field(shown: Shown, member: str) -> FieldRow:
    value = shown.value(member)
    return FieldRow(
        id=member,
        label=_NAMES[member],
        kind=_KINDS[member],
        text="" if value is None else _in_words(shown, member, value),
        default="" if member == TEMPERATURE else "unknown",
        staged=member in shown.changes,
        problem=shown.problems.get(member, ""),
        align="left",
        exponents=False,  # useless for a temperature, and e is the key that opens this form
    )


def _notes(shown: Shown, member: str, keymap: Keymap) -> Iterator[tuple[str, Role]]:
    """The notes below a field. The first line is always present, so nothing moves while you type."""
    conflict, problem = shown.conflicts.get(member), shown.problems.get(member)
    stored, key, access = shown.stored(member), keymap.label, _access(shown, member)
    if conflict is not None:
        now, base = (_in_words(shown, member, as_text(member, value)) for value in (conflict.now, conflict.base))
        yield f"{GLYPHS.conflict} Changed elsewhere from {base} to {now}.", "danger"
        yield f"{key('keep-setting')} keeps your value and {key('revert-setting')} uses the stored value.", "label"
    elif problem:
        yield f"{GLYPHS.danger} {problem}", "danger"
    elif member in shown.changes and stored is not None:
        yield " · ".join(filter(None, (f"was {_in_words(shown, member, stored)}", access))), "staged"
    elif member in shown.known_here and access:
        yield access, "quiet"
    else:
        yield " · ".join(filter(None, (_about(shown, member, keymap), access))), "quiet"
    if member == REASONING and (value := shown.value(REASONING)) is not None:
        model = _model(shown)
        yield meaning(value, model.reasoning if model is not None and model.known else None), "label"
    if member == BACKSTORY:
        yield from ((f"{GLYPHS.warning} {sentence}", "warning") for sentence in shown.unnamed)
    if warning := shown.warnings.get(member):
        yield f"{GLYPHS.warning} {warning}", "warning"


def _beginning(text: str, room: int, most: int) -> list[str]:
    """The first lines of a text, up to a limit."""
    lines = wrap(text[: 8 * most * room], room) if text else []
    if len(lines) > most:
        lines[most - 1] = f"{lines[most - 1][: room - 2]} {GLYPHS.ellipsis}"
    return lines[:most]


def _about(shown: Shown, member: str, keymap: Keymap) -> str:
    """The values that a field takes, or the keys that edit it; nothing for keys that a lock disables."""
    if member == TEMPERATURE:
        return "0 to 1"
    if member == BACKSTORY and shown.locked:
        return ""
    if member == BACKSTORY:
        outside = keymap.label("backstory-outside")
        return f"{keymap.sign('enter')} edits{f' here, {outside} in your editor' if outside else ' the text'}"
    model = _model(shown)
    if member == MODEL:
        return ", ".join((single_line(model.code, limit=40), *model.marks)) if model is not None else "no model"
    return model.takes if model is not None else "reasoning levels unknown"


def _model(shown: Shown) -> Model | None:
    """The character's model once the staged changes are applied, whether or not it is listed."""
    code = shown.value(MODEL) or ""
    return shown.models.with_present(code).get(code)


def _access(shown: Shown, member: str) -> str:
    """That the service does not return a value (decision 25); empty if it does."""
    if member in shown.now:
        return ""
    written = shown.known_here.get(member)
    if written is None:
        return "write-only"
    return f"write-only, last written from this machine {written.at[:16].replace('T', ' ')}"


def _summary(shown: Shown, width: int, keymap: Keymap) -> Iterator[Row]:
    changes, key = len(shown.changes), keymap.label
    role: Role = "quiet"
    if changes:
        number = number_of(changes, "change")
        apply, revert, discard = map(key, ("apply-settings", "revert-setting", "discard-settings"))
        members = ", ".join(LABELS[member] for member in shown.changes)
        if shown.locked:
            ways = shown.locked
        elif invalid := [LABELS[member] for member in MEMBERS if member in shown.problems]:
            them = "it" if len(invalid) == 1 else "them"
            ways = f"Invalid: {', '.join(invalid)}. Fix or revert {them} ({revert}) before you apply."
        elif changes == 1:
            ways = f"{apply} applies the change, {discard} discards it."
        else:
            ways = f"{apply} applies all changes, {revert} reverts one and {discard} discards all."
        lost = " (not saved as a draft)" if shown.unsaved else ""
        name = single_line(shown.name, limit=30)
        sentence = f"{GLYPHS.staged} {name} has {number} staged: {members}{lost}. {ways}"
        role = "danger" if shown.problems else "staged"
    elif shown.locked:
        sentence, role = f"{GLYPHS.read_only} {shown.locked}", "warning"
    elif not shown.models.sure:
        sentence = "Models and levels come from the catalogue because the service did not list its own."
    else:
        sentence = f"Changes are staged here until {key('apply-settings')} applies them.\n{_OTHERS}"
    yield from (Note(line, role, indented=False) for line in wrap(sentence, max(20, width - 2)))


# -- choices ----------------------------------------------------------------------------------------------------------


def level_choices(shown: Shown) -> list[Choice]:
    """The levels that the model accepts once the staged changes are applied; every level if unknown."""
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
