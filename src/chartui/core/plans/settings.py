"""The staged settings of one character, and the plan that applies them.

Four settings can be changed: model, temperature, reasoning level and backstory (C 4.1). Only changed settings are sent,
and only if their stored values are the same as when editing began. A service returns only some of the settings
(decision 25), so the values read when editing began are kept with the changes. This module has no side effects.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from chartui.core.characters.models import Model, Models
from chartui.core.characters.reasoning import CLEAR, after_model_change, consequence
from chartui.core.classes import dataclass
from chartui.core.clock import Ids
from chartui.core.jsontext import Wire, canonical, dumps, same
from chartui.core.plans.plan import Change, Plan, changing
from chartui.core.plans.wording import LABELS, member_changes, stored
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.core.typed_numbers import typed_number

MODEL: Final = "model_group_name"
TEMPERATURE: Final = "temperature"
REASONING: Final = "reasoning_effort"
BACKSTORY: Final = "backstory"
#: The members that update-character changes, in display order.
MEMBERS: Final = (MODEL, TEMPERATURE, REASONING, BACKSTORY)
_VERSION: Final = 1
#: The name under which drafts of staged settings are saved.
SETTINGS_PART: Final = "settings"


class BadDraft(ValueError):
    """Raised if a saved draft cannot be read. The message is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """The staged settings of one character.

    ``base`` contains the values that the service returned when editing began. A setting that is missing from ``base``
    cannot be read. ``changes`` contains the new values as strings. A temperature is stored as typed, and an unset
    reasoning level is an empty string (decision 23).
    """

    character_id: str
    name: str
    base: Mapping[str, Wire]
    changes: Mapping[str, str]

    def with_change(self, member: str, text: str) -> Staged:
        """Return a copy with a new value for one setting.

        If the value equals the stored value, the change is removed.
        """
        if member in self.base and _means(member, text, self.base[member]):
            return self.without(member)
        return replace(self, changes={**self.changes, member: text})

    def without(self, *members: str) -> Staged:
        return replace(self, changes={m: text for m, text in self.changes.items() if m not in members})

    def on(self, now: Mapping[str, Wire]) -> Staged:
        """Return a copy that is based on ``now``, the current values.

        Changed settings keep their original base values, so that conflicts can be detected. Changes equal to the
        current values are dropped.
        """
        wanted = {m: text for m, text in self.changes.items() if m not in now or not _means(m, text, now[m])}
        base = {m: self.base[m] if m in wanted and m in self.base else value for m, value in now.items()}
        return replace(self, base=base, changes=wanted)

    def keeping(self, member: str, now: Mapping[str, Wire]) -> Staged:
        """Return a copy that resolves a conflict over one setting in favor of the staged change.

        The setting's current value becomes its base value.
        """
        if member not in self.changes or member not in now:
            return self
        return replace(self, base={**self.base, member: now[member]}).with_change(member, self.changes[member])

    def saved(self, *members: str) -> Mapping[str, Wire]:
        """Return the staged values of the given settings, as a service would return them."""
        sent = {member: _sent(member, self.changes[member]) for member in members if member in self.base}
        return stored("update-character", sent)

    def value(self, member: str) -> str:
        """Return the staged value of a setting or, if the setting is unchanged, its stored value.

        The result is an empty string if the value is unknown or not set.
        """
        return self.changes.get(member, as_text(member, self.base.get(member)))


@dataclass(frozen=True, slots=True)
class Conflict:
    """A setting that you and someone else have both changed, with its original, current and staged values."""

    member: str
    base: Wire
    now: Wire
    mine: str


def as_text(member: str, value: Wire) -> str:
    if value is None:
        return ""
    return canonical(value) if isinstance(value, Decimal) and member == TEMPERATURE else str(value)


def _means(member: str, text: str, value: Wire) -> bool:
    """Return whether a string represents the stored value. Unfinished text never does."""
    if member == TEMPERATURE:
        number = _number(text)
        return number is not None and value is not None and same(number, value)
    return text == as_text(member, value)


def _number(text: str) -> Decimal | None:
    try:
        return typed_number(text)
    except ValueError:
        return None


def conflicts(staged: Staged, now: Mapping[str, Wire]) -> Mapping[str, Conflict]:
    """Return the conflicts, keyed by the name of the setting.

    There is a conflict if you changed a setting and someone else has set it to a different value since editing began.
    """
    return {
        member: Conflict(member, staged.base[member], now[member], text)
        for member, text in staged.changes.items()
        if member in staged.base
        and member in now
        and not same(staged.base[member], now[member])
        and not _means(member, text, now[member])
    }


def settled(staged: Staged, now: Mapping[str, Wire], mine: Collection[str]) -> Staged:
    """Return the staged changes with every conflict resolved.

    Settings listed in ``mine`` keep their staged values. All other settings with a conflict take their current values.
    """
    for member in conflicts(staged, now):
        staged = staged.keeping(member, now) if member in mine else staged.without(member)
    return staged.on(now)


# -- problems and warnings ---------------------------------------------------------------------------------------------


def problems(staged: Staged, models: Models) -> Mapping[str, str]:
    """Return the problems that prevent the settings from being applied, keyed by setting.

    Only values that every service would reject are reported.
    """
    found: dict[str, str] = {}
    temperature = staged.changes.get(TEMPERATURE)
    if temperature is not None:
        found |= _not_a_temperature(temperature)
    if models.sure and (refusal := _refusal(staged, models)):
        found[REASONING] = refusal
    if staged.changes.get(MODEL) == "":
        found[MODEL] = "A character needs a model."
    return found


def _not_a_temperature(given: Wire) -> Mapping[str, str]:
    text = given if isinstance(given, str) else dumps(given)
    try:
        number = typed_number(text)
        if number <= 1 and not number.is_signed():
            return {}
    except ValueError as error:
        if "," in text:
            return {TEMPERATURE: f"{error}."}
    shown = single_line(text, limit=20) or "empty"
    return {TEMPERATURE: f"The temperature must be a number from 0 to 1, not {shown}."}


def _refusal(staged: Staged, models: Models) -> str:
    """Return why the resulting model does not support the chosen level, or an empty string if it does or may support
    it.
    """
    level, model = staged.changes.get(REASONING, CLEAR), models.get(staged.value(MODEL))
    if level == CLEAR or model is None or level in model.reasoning.accepted:
        return ""
    accepted = ", ".join(model.reasoning.accepted)
    code, level = (single_line(text, limit=40) for text in (model.code, level))
    return f"{code} does not support “{level}”; it supports {accepted or 'no reasoning levels'}."


def warnings(
    staged: Staged, models: Models, *, known_here: Mapping[str, Wire] | None = None, unnamed: Sequence[str] = ()
) -> Mapping[str, str]:
    """Return warnings, keyed by setting.

    A warning does not prevent the settings from being applied. ``known_here`` contains the last values written from
    this machine to settings that cannot be read. ``unnamed`` contains sentences about scene entries, such as actions,
    that the new backstory does not mention.
    """
    found: dict[str, str] = {}
    code = staged.changes.get(MODEL)
    model = models.get(staged.value(MODEL))
    if code is not None and model is None:
        who = "the service does not list it" if models.sure else "it is not in the catalogue"
        found[MODEL] = f"Unknown model {single_line(code, limit=40)}: {who}."
    elif code is not None and model is not None:
        following = REASONING not in staged.changes  # a level chosen with the model is checked against it (decision 22)
        level = _consequence(staged, model, known_here or {}) if following else ""
        found[MODEL] = " ".join(filter(None, (model.doubt, level)))
    if code is not None and not _returns(staged, models):
        earlier = single_line(str(staged.base[MODEL]), limit=40)
        lost = f"The service may refuse to undo this change, because it might not accept {earlier} again."
        found[MODEL] = " ".join(filter(None, (found.get(MODEL), lost)))
    if staged.changes.get(REASONING, CLEAR) != CLEAR and model is None:
        found[REASONING] = "The model may not support this reasoning level."
    elif not models.sure and (refusal := _refusal(staged, models)):
        found[REASONING] = f"According to the catalogue, {refusal}"
    if BACKSTORY in staged.changes:
        found[BACKSTORY] = " ".join(unnamed)
    return {member: sentence for member, sentence in found.items() if sentence}


def _returns(staged: Staged, models: Models) -> bool:
    """Return whether the service certainly accepts the earlier model again, so that the change can be undone (decision
    68).
    """
    earlier = staged.base.get(MODEL)
    return models.restores or earlier is None or models.get(earlier) is not None


def _consequence(staged: Staged, model: Model, known_here: Mapping[str, Wire]) -> str:
    """Return the effect of another model on the reasoning level.

    If the level cannot be read, this is the effect on the last level written.
    """
    seen: Any = staged.base.get(REASONING)
    if REASONING not in staged.base and REASONING in known_here:
        written: Any = known_here[REASONING]
        if sentence := consequence(model.code, model.reasoning, None if written == CLEAR else written):
            return f"{sentence} The level is the last one written from this machine."
    return consequence(model.code, model.reasoning, seen, known=REASONING in staged.base)


# -- the plan ----------------------------------------------------------------------------------------------------------


def plan(
    staged: Staged,
    models: Models,
    *,
    new_id: Ids,
    known_here: Mapping[str, Wire] | None = None,
    unnamed: Sequence[str] = (),
) -> Plan:
    """Build the plan that applies the staged changes in one request (decision 17).

    Only changed settings are sent. The request is refused if someone else has changed one of these settings since
    editing began. The model and the reasoning level depend on each other, so a change to one of them is also refused if
    someone else has changed the other. ``known_here`` and ``unnamed`` are described in :func:`warnings`. Call this only
    if there are no :func:`problems`.
    """
    notes = warnings(staged, models, known_here=known_here, unnamed=unnamed)
    wanted = {member: _sent(member, staged.changes[member]) for member in MEMBERS if member in staged.changes}
    written = known_here or {}
    wording: dict[str, tuple[Change, ...]] = {
        member: (
            replace(
                change,
                before=change.before if change.known else written.get(member),
                after=None if change.after == CLEAR and member == REASONING else change.after,
                note=notes.get(member, ""),
                # A character created by the same plan was never read. Undoing its creation removes it.
                undoable=(change.known or not staged.base) and (member != MODEL or _returns(staged, models)),
            ),
        )
        for member, value in wanted.items()
        for change in member_changes(member, value, staged.base, str)
    }
    if MODEL in wording:
        wording[MODEL] += carried_along(staged, models)
    step = changing(
        "update-character",
        {"charID": staged.character_id},
        wanted,
        staged.base,
        subject=staged.name,
        wording=wording,
        watching=(MODEL, REASONING) if {MODEL, REASONING} & wanted.keys() else (),
    )
    steps = () if step is None else (step,)
    return Plan(id=new_id(), title=f"Apply settings to {staged.name}", steps=steps)


def carried_along(staged: Staged, models: Models) -> tuple[Change, ...]:
    """Return the change of the reasoning level that a new model causes (decision 22), provided that the level can be
    read.
    """
    model, before = models.get(staged.changes.get(MODEL)), staged.base.get(REASONING)
    if model is None or REASONING in staged.changes or not isinstance(before, str):
        return ()
    after = after_model_change(before, model.reasoning)
    return () if after == before else (Change(label=LABELS[REASONING], before=before, after=after),)


def _sent(member: str, text: str) -> Wire:
    return _number(text) if member == TEMPERATURE else text


def refused_member(error: ServiceError, staged: Staged) -> str | None:
    """Return the name of the setting that the service rejected, or None if the name is unknown.

    If the name is known, the changes to the other settings can be sent on their own (decision 17).
    """
    if error.member in staged.changes:
        return error.member
    # Over HTTP, only the error message contains the member, under its wire name.
    named = [member for member in staged.changes if member in error.message]
    return named[0] if len(named) == 1 else None


# -- drafts ------------------------------------------------------------------------------------------------------------


def staged_to_wire(staged: Staged) -> dict[str, Wire]:
    """Return the staged changes as JSON, to be saved as a draft."""
    return {
        "format": "chartui-settings-draft",
        "version": _VERSION,
        "character_id": staged.character_id,
        "name": staged.name,
        "base": dict(staged.base),
        "changes": dict(staged.changes),
    }


def staged_from_wire(document: Wire) -> Staged:
    """Read staged changes from a document written by :func:`staged_to_wire`.

    Raises :class:`BadDraft` if the document is unreadable.
    """
    try:
        table: Any = document
        if table["format"] != "chartui-settings-draft" or table["version"] != _VERSION:
            raise BadDraft("This is not a settings draft, or it was written by another version of chartui.")
        changes = {member: str(table["changes"][member]) for member in MEMBERS if member in table["changes"]}
        base = {member: table["base"][member] for member in MEMBERS if member in table["base"]}
        return Staged(character_id=table["character_id"], name=table["name"], base=base, changes=changes)
    except (KeyError, TypeError) as error:
        raise BadDraft(f"The draft is damaged: {error}.") from None
