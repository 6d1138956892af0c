"""A plan: a list of operations with the reason for each, made before anything is sent.

Saving, changing many characters, undoing, repairing and pushing are all plans. A plan is data: it can be reviewed, kept
in the journal, and carried out by :mod:`chartui.core.plans.executor`, now or after an interruption.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from chartui.core.jsontext import Wire, same
from chartui.core.plans.wording import changes, stored

if TYPE_CHECKING:
    from chartui.core.estimation.character_cost import CharacterCost

#: Stands in a payload for a member of an earlier step's answer: ``{"$step": 0, "member": "section_id"}``.
_STEP: Final = "$step"
_VERSION: Final = 1


class BadPlan(ValueError):
    """A kept plan cannot be read; the message is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One member that a step changes, for the review: ``before`` → ``after``, in wire form.

    ``known`` is False where the service cannot say what is there now (decision 25); ``before`` is then the last value
    written from here, or None, and a difference cannot be checked. ``note`` says what else follows from the change.
    ``undoable`` is False where an undo is impossible, or where the service may refuse it.
    """

    label: str
    before: Wire
    after: Wire
    known: bool = True
    note: str = ""
    undoable: bool = True

    @property
    def final(self) -> str:
        """Why an undo is impossible, in a sentence; empty where one can be tried."""
        if self.known or self.undoable:
            return ""
        return "This cannot be undone: the service does not report the earlier value."


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """What follows from a step without being sent, for the review: an amount such as what an interaction then costs.

    ``before`` and ``after`` are the least and the most in ``unit``, twice the same where it is one amount; None where
    nobody knows it, and ``note`` then says why.
    """

    label: str
    unit: str
    before: tuple[Decimal, Decimal] | None
    after: tuple[Decimal, Decimal] | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One operation of a plan.

    ``payload`` is in wire form and may refer to the answer of an earlier step (:func:`result_of`). ``expected`` holds
    the members as they were last seen: a difference is a conflict, and the step is not done. ``subject`` says whose,
    ``reason`` why; both come from outside and are cleaned where they are shown. ``consequences`` are what else follows.
    """

    operation: str
    payload: Mapping[str, Wire]
    expected: Mapping[str, Wire] | None = None
    subject: str = ""
    reason: str = ""
    changes: tuple[Change, ...] = ()
    consequences: tuple[Consequence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Steps in the order in which they are done.

    ``independent`` says that no step needs another: one that is refused does not stop those behind it. ``undoes`` names
    the plan, or ``#`` and the number of the journal's entry, that this one takes back. ``consequences`` are those of
    all steps together, and ``notes`` what else is to be said before it is carried out, such as who is left out and why.
    """

    id: str
    title: str
    steps: tuple[Step, ...]
    independent: bool = False
    undoes: str | None = None
    consequences: tuple[Consequence, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def at_stake(self) -> bool:
        """Whether it has to be read before anyone agrees: it warns, deletes, or cannot be checked or undone."""
        changes = [change for step in self.steps for change in step.changes]
        return (
            bool(self.notes)
            or any(step.operation.startswith("delete-") for step in self.steps)
            or any(change.note or not change.known or not change.undoable for change in changes)
        )


def result_of(step: int, member: str) -> Mapping[str, Wire]:
    """What stands in a payload for ``member`` of the answer to step number ``step``, counted from 0."""
    return {_STEP: step, "member": member}


def resolved(value: Wire, answers: Mapping[int, Wire]) -> Wire:
    """``value`` with what stands for earlier answers replaced; ``answers`` holds their bodies by step.

    Raises :class:`BadPlan` when an answer that is needed is not known, or lacks the member.
    """
    if isinstance(value, Mapping):
        if value.keys() != {_STEP, "member"}:
            return {name: resolved(inner, answers) for name, inner in value.items()}
        step, member = value[_STEP], value["member"]
        answer = answers.get(step) if isinstance(step, int) else None
        if not isinstance(answer, Mapping) or member not in answer:
            raise BadPlan(f"It needs the {member} that step {_counted(step)} made, and that is not known here.")
        found: Wire = answer[member]
        return found
    if isinstance(value, list | tuple):
        return [resolved(inner, answers) for inner in value]
    return value


def _counted(step: Wire) -> Wire:
    return step + 1 if isinstance(step, int) else step


def to_wire(plan: Plan) -> dict[str, Wire]:
    """The plan as JSON, to be kept or shown."""
    return {
        "format": "chartui-plan",
        "version": _VERSION,
        "id": plan.id,
        "title": plan.title,
        "independent": plan.independent,
        "undoes": plan.undoes,
        "notes": list(plan.notes),
        "consequences": list(map(_consequence_to_wire, plan.consequences)),
        "steps": [_step_to_wire(step) for step in plan.steps],
    }


def _step_to_wire(step: Step) -> dict[str, Wire]:
    return {
        **_members(step),
        "payload": dict(step.payload),
        "expected": None if step.expected is None else dict(step.expected),
        "changes": list(map(_members, step.changes)),
        "consequences": list(map(_consequence_to_wire, step.consequences)),
    }


def _consequence_to_wire(one: Consequence) -> dict[str, Wire]:
    before, after = (None if span is None else list(span) for span in (one.before, one.after))
    return {**_members(one), "before": before, "after": after}


def _members(part: Step | Change | Consequence) -> dict[str, Wire]:
    return {member.name: getattr(part, member.name) for member in fields(part)}


def from_wire(document: Wire) -> Plan:
    """The plan that :func:`to_wire` wrote; raises :class:`BadPlan`."""
    try:
        table: Any = document
        if table["format"] != "chartui-plan" or table["version"] != _VERSION:
            raise BadPlan("This is no plan, or one of another version of the program.")
        return Plan(
            id=table["id"],
            title=table["title"],
            independent=table["independent"],
            undoes=table["undoes"],
            consequences=tuple(map(_consequence_from_wire, table.get("consequences", ()))),
            notes=tuple(table.get("notes", ())),
            steps=tuple(
                Step(
                    **{
                        **step,
                        "changes": tuple(Change(**change) for change in step["changes"]),
                        "consequences": tuple(map(_consequence_from_wire, step.get("consequences", ()))),
                    }
                )
                for step in table["steps"]
            ),
        )
    except BadPlan:
        raise
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise BadPlan(f"The plan is damaged: {error}.") from None


def _consequence_from_wire(table: Mapping[str, Any]) -> Consequence:
    def span(ends: Any) -> tuple[Decimal, Decimal] | None:
        if ends is None:
            return None
        least, most = ends
        return Decimal(least), Decimal(most)

    return Consequence(**{**table, "before": span(table["before"]), "after": span(table["after"])})


#: Operations whose changes stand in an object of their own.
_NESTED: Final = frozenset({"edit-section", "update-trigger"})


def changing(
    operation: str,
    address: Mapping[str, Wire],
    wanted: Mapping[str, Wire],
    present: Mapping[str, Wire],
    *,
    subject: str = "",
    reason: str = "",
    worded: Mapping[str, Sequence[Change]] | None = None,
    watching: Collection[str] = (),
) -> Step | None:
    """The step that gives members the values ``wanted``; None when they have them.

    ``present`` holds the members as they were read, by the names that the operation gives them: what is so already is
    not sent, and what is sent expects to find it. ``worded`` replaces how the change of a member is shown;
    ``watching`` names members that are not changed and yet expected to stay.
    """
    read_back = stored(operation, wanted)
    news = {
        member: value
        for member, value in wanted.items()
        if member not in present or not same(read_back[member], present[member])
    }
    if not news:
        return None
    payload = {**address, **({"updated_data": news} if operation in _NESTED else news)}
    worded = worded or {}
    shown = zip(news, changes(operation, payload, present), strict=True)
    expected = {member: present[member] for member in (*news, *watching) if member in present}
    return Step(
        operation=operation,
        payload=payload,
        expected=expected or None,
        subject=subject,
        reason=reason,
        changes=tuple(
            part for member, change in shown for part in worded.get(member, (replace(change, after=read_back[member]),))
        ),
    )


#: Units of a consequence.
CREDITS: Final = "credits"
MILLISECONDS: Final = "ms"


def cost_consequences(now: CharacterCost, later: CharacterCost) -> tuple[Consequence, ...]:
    """Credits and latency of an interaction before and after a change; what nobody knows is None, with the reason.

    A price that depends on something is a range, and what it depends on is said.
    """
    return (
        Consequence(
            label="per interaction", unit=CREDITS, before=now.credits, after=later.credits, note=_doubt(now, later)
        ),
        Consequence(label="end to end", unit=MILLISECONDS, before=now.latency, after=later.latency),
    )


def _doubt(now: CharacterCost, later: CharacterCost) -> str:
    """Why one of two prices is not known, or not one; what holds of both is said once."""
    sentences = {"now": _why(now), "then": _why(later)}
    if sentences["now"] == sentences["then"]:
        return sentences["now"]
    return " ".join(f"{when.capitalize()}: {why}" for when, why in sentences.items() if why)


def _why(cost: CharacterCost) -> str:
    if cost.unknown:
        return cost.unknown
    return f"It depends on {cost.mapped.decides}." if cost.mapped.decides else ""
