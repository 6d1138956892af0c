"""Plans, which are lists of operations to review before anything is sent.

Each operation has a reason. Plans are used to apply staged changes, to change many characters, to undo, to fix problems
and to push. A plan is plain data that can be stored in the journal. :mod:`chartui.core.plans.executor` runs plans and
resumes them after an interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire, same
from chartui.core.plans.wording import NESTED, member_changes, stored

if TYPE_CHECKING:
    from chartui.core.estimation.character_cost import CharacterCost

#: Marks a placeholder for a member of an earlier step's answer: ``{"$step": 0, "member": "section_id"}``.
_STEP: Final = "$step"
_VERSION: Final = 1
DELETION: Final = "delete-character"
#: Operations that change, remove or restore one whole character.
_OF_A_CHARACTER: Final = frozenset({"update-character", DELETION, "restore-character"})


class BadPlan(ValueError):
    """Raised if a stored plan cannot be read. The message is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change to one field, as shown in a review.

    ``before`` and ``after`` are the field's values in wire form. ``known`` is False if the service does not return the
    current value (decision 25). In this case, conflicts cannot be detected, and ``before`` is the last value written
    from this machine, if any. ``note`` describes other consequences of the change. ``undoable`` is False if the change
    cannot be undone, or if the service may refuse to undo it. ``sign`` marks a change to a list: ``+`` for an added
    element (``after``), ``−`` for a removed element (``before``), and ``↕`` for an element moved from position
    ``before`` to ``after``.
    """

    label: str
    before: Wire
    after: Wire
    known: bool = True
    note: str = ""
    undoable: bool = True
    sign: str = ""

    @property
    def final(self) -> str:
        """A sentence saying why the change cannot be undone, or an empty string if undo may be possible."""
        if self.known or self.undoable:
            return ""
        return "This change cannot be undone, because the service does not report the earlier value."


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEffect:
    """An indirect effect of a step, such as the new cost of an interaction.

    ``before`` and ``after`` are ranges, each with a minimum and a maximum, and ``unit`` is their unit. If an amount is
    known exactly, its minimum and maximum are equal. An unknown amount is None, and ``note`` gives the reason.
    """

    label: str
    unit: str
    before: tuple[Decimal, Decimal] | None
    after: tuple[Decimal, Decimal] | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One operation of a plan.

    ``payload`` is in wire form and may contain placeholders for the responses to earlier steps (:func:`result_of`).
    ``expected`` contains stored values as last read. If any of them has changed since, the step is refused as a
    conflict. ``subject`` is the name of the character, and ``reason`` says why the step is needed. Both may contain
    text from outside the program, so sanitize them before display.
    """

    operation: str
    payload: Mapping[str, Wire]
    expected: Mapping[str, Wire] | None = None
    subject: str = ""
    reason: str = ""
    changes: tuple[Change, ...] = ()
    effects: tuple[CostEffect, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A list of steps, in order, with remarks for the review.

    If ``independent`` is set, a refused step does not stop the others. ``undoes`` identifies the change that this plan
    undoes, by a plan's ID or by ``#`` and the number of a journal entry. ``effects`` contains the total effects of all
    steps. ``notes`` are remarks to read before applying the plan, for example about skipped characters. ``new_errors``
    has a sentence for each error that the plan causes in the story, and ``fixed_errors`` is the number of errors that
    the plan fixes.
    """

    id: str
    title: str
    steps: tuple[Step, ...]
    independent: bool = False
    undoes: str | None = None
    effects: tuple[CostEffect, ...] = ()
    notes: tuple[str, ...] = ()
    new_errors: tuple[str, ...] = ()
    fixed_errors: int = 0

    @property
    def bulk(self) -> bool:
        """Whether the plan changes several characters.

        If so, you confirm the plan by typing the number of characters.
        """
        return len(self.steps) > 1 and all(step.operation in _OF_A_CHARACTER for step in self.steps)

    @property
    def at_stake(self) -> bool:
        """Whether the plan must be reviewed before it can be confirmed.

        This is the case if the plan contains notes, causes errors, deletes something, or makes changes that cannot be
        checked or undone.
        """
        changes = [change for step in self.steps for change in step.changes]
        return (
            bool(self.notes or self.new_errors)
            or any(step.operation.startswith("delete-") for step in self.steps)
            or any(change.note or not change.known or not change.undoable for change in changes)
        )


def result_of(step: int, member: str) -> Mapping[str, Wire]:
    """Return a placeholder for a value in the response to an earlier step.

    ``member`` is the name of the value. Steps are numbered from 0.
    """
    return {_STEP: step, "member": member}


def resolved(value: Wire, answers: Mapping[int, Wire]) -> Wire:
    """Return ``value`` with its placeholders replaced by values from the responses to earlier steps.

    ``answers`` maps step numbers to response bodies. Raises :class:`BadPlan` if a response, or a field in it, is
    missing.
    """
    if isinstance(value, Mapping):
        if value.keys() != {_STEP, "member"}:
            return {name: resolved(inner, answers) for name, inner in value.items()}
        step, member = value[_STEP], value["member"]
        answer = answers.get(step) if isinstance(step, int) else None
        if not isinstance(answer, Mapping) or member not in answer:
            number = step + 1 if isinstance(step, int) else step
            raise BadPlan(f"The step needs the {member} created by step {number}, but that value is unknown.")
        found: Wire = answer[member]
        return found
    if isinstance(value, list | tuple):
        return [resolved(inner, answers) for inner in value]
    return value


def to_wire(plan: Plan) -> dict[str, Wire]:
    """Return the plan in wire form, to be stored or shown as JSON."""
    return {
        "format": "chartui-plan",
        "version": _VERSION,
        "id": plan.id,
        "title": plan.title,
        "independent": plan.independent,
        "undoes": plan.undoes,
        "notes": list(plan.notes),
        "new_errors": list(plan.new_errors),
        "fixed_errors": plan.fixed_errors,
        "effects": list(map(effect_wire, plan.effects)),
        "steps": [
            {
                **_members(step),
                "payload": dict(step.payload),
                "expected": None if step.expected is None else dict(step.expected),
                "changes": list(map(_members, step.changes)),
                "effects": list(map(effect_wire, step.effects)),
            }
            for step in plan.steps
        ],
    }


def effect_wire(one: CostEffect) -> dict[str, Wire]:
    """Return an effect in wire form."""
    before, after = (None if span is None else list(span) for span in (one.before, one.after))
    return {**_members(one), "before": before, "after": after}


def _members(part: Step | Change | CostEffect) -> dict[str, Wire]:
    return {member.name: getattr(part, member.name) for member in fields(part)}


def from_wire(document: Wire) -> Plan:
    """Read a plan from a document written by :func:`to_wire`. Raises :class:`BadPlan` if the document is unreadable."""
    try:
        table: Any = document
        if table["format"] != "chartui-plan" or table["version"] != _VERSION:
            raise BadPlan("This is not a plan, or it was written by another version of chartui.")
        return Plan(
            id=table["id"],
            title=table["title"],
            independent=table["independent"],
            undoes=table["undoes"],
            effects=_effects(table),
            notes=tuple(table.get("notes", ())),
            new_errors=tuple(table.get("new_errors", ())),
            fixed_errors=table.get("fixed_errors", 0),
            steps=tuple(
                Step(**{**step, "changes": tuple(Change(**one) for one in step["changes"]), "effects": _effects(step)})
                for step in table["steps"]
            ),
        )
    except BadPlan:
        raise
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise BadPlan(f"The plan is damaged: {error}.") from None


def _effects(table: Mapping[str, Any]) -> tuple[CostEffect, ...]:
    def span(ends: Any) -> tuple[Decimal, Decimal] | None:
        if ends is None:
            return None
        least, most = ends
        return Decimal(least), Decimal(most)

    found = table.get("effects", ())
    return tuple(CostEffect(**{**one, "before": span(one["before"]), "after": span(one["after"])}) for one in found)


def changing(
    operation: str,
    address: Mapping[str, Wire],
    wanted: Mapping[str, Wire],
    present: Mapping[str, Wire],
    *,
    subject: str = "",
    reason: str = "",
    wording: Mapping[str, Sequence[Change]] | None = None,
    watching: Collection[str] = (),
    titled: Callable[[str], str] = str,
) -> Step | None:
    """Build the step that sets the fields in ``wanted`` to new values.

    Returns None if nothing changes.

    ``present`` contains the fields as read, keyed by their names in the operation. Only fields with a different value
    are sent. The step is refused if one of these fields, or a field in ``watching``, has changed since it was read.
    If ``wording`` contains changes for a field, these are shown in place of the changes derived from its values.
    ``titled`` maps a section's ID to its name.
    """
    read_back = stored(operation, wanted)
    news = {
        member: value
        for member, value in wanted.items()
        if member not in present or not same(read_back[member], present[member])
    }
    if not news:
        return None
    payload = {**address, **({"updated_data": news} if operation in NESTED else news)}
    wording = wording or {}
    shown = (wording.get(m) or member_changes(m, read_back[m], present, titled) for m in news)
    expected = {member: present[member] for member in (*news, *watching) if member in present}
    return Step(
        operation=operation,
        payload=payload,
        expected=expected or None,
        subject=subject,
        reason=reason,
        changes=tuple(chain.from_iterable(shown)),
    )


#: Units of an effect.
CREDITS: Final = "credits"
MILLISECONDS: Final = "ms"


def cost_effects(now: CharacterCost, later: CharacterCost, *, alone: bool = True) -> tuple[CostEffect, ...]:
    """Return the effects of a change on the credits and the latency of an interaction.

    An unknown amount is None. A price that depends on unknown facts is a range. The note on the credits says why the
    price is unknown or which facts it depends on. If ``alone`` is set, the note also states the inputs of the estimate.
    """
    from chartui.core.estimation.character_cost import basis_text

    note = f"{_doubt(now, later)} {basis_text(now, later) if alone else ''}".strip()
    return (
        CostEffect(label="per interaction", unit=CREDITS, before=now.credits, after=later.credits, note=note),
        CostEffect(label="end to end", unit=MILLISECONDS, before=now.latency, after=later.latency),
    )


def _doubt(now: CharacterCost, later: CharacterCost) -> str:
    """Return why a price is unknown or a range. A reason shared by both prices is given once."""
    sentences = {"now": _why(now), "then": _why(later)}
    if sentences["now"] == sentences["then"]:
        return sentences["now"]
    return " ".join(f"{when.capitalize()}: {why}" for when, why in sentences.items() if why)


def _why(cost: CharacterCost) -> str:
    if cost.unknown:
        return cost.unknown
    depends = f"The price depends on {cost.mapped.decides}." if cost.mapped.decides else ""
    return f"{'This price is a lower bound.' if cost.at_least else ''} {depends}".strip()
