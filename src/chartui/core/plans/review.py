"""Show a plan as lines of text, to be reviewed before the plan is confirmed.

The terminal UI and ``--dry-run`` show the same lines. Each part of a line has a role, which determines its color.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final, Literal

from chartui.core.characters.record import value_text
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.jsontext import Wire, dumps
from chartui.core.numbers import count, credits_text, number_of
from chartui.core.plans.difference import differences
from chartui.core.plans.plan import CREDITS, Change, CostEffect, Plan, Step
from chartui.core.plans.wording import LABELS, brings_text, change_text, effect_text, fixes_text, short
from chartui.core.spec.operations import operation
from chartui.core.text import cell_width, display_text, single_line

#: The role of a word: a name or reason, a current, new or removed value, a warning, or secondary text.
Role = Literal["title", "label", "value", "new", "gone", "warning", "quiet"]

#: The minimum width of a label, in cells.
LABEL_WIDTH: Final = 17
#: The maximum width of a line with both the old and the new value, in cells. Wider values are shown as a difference.
_ONE_LINE: Final = 95
#: Above changes of more lines than this, the effects of a step are shown first.
_LONG: Final = 6
#: The maximum number of lines and characters of a difference. A review is not for proofreading.
_MOST_LINES: Final = 200
_MOST_CHARACTERS: Final = 20_000
#: Sign of a list element → the role of its text.
_ROLES: Final[Mapping[str, Role]] = {"−": "gone", "+": "new", "↕": "new"}
#: Operation that adds a part of a story → the noun for the part, and the member with its name.
_CREATING: Final[Mapping[str, tuple[str, str]]] = {
    "create-section": ("new section", "section_name"),
    "create-trigger": ("new trigger", "trigger_name"),
}
#: The maximum number of names listed of folded parts.
_MOST_NAMES: Final = 8
_NOT_CHECKED: Final = "Cannot be checked, because the service does not report the current value."


class Word(NamedTuple):
    """A part of a line in which all words have the same role, and therefore the same color.

    ``changed`` marks words that occur in only one of the two compared texts.
    """

    text: str
    role: Role = "value"
    changed: bool = False


@dataclass(frozen=True, slots=True)
class PlanLine:
    """A line of a review. Its text is safe to display.

    The line begins with ``indent`` spaces, followed by a ``label`` or a ``sign``. The sign is ``▲`` for a warning,
    ``−`` for removed text and ``+`` for added text.
    """

    words: tuple[Word, ...] = ()
    label: str = ""
    sign: str = ""
    indent: int = 0

    @property
    def lead(self) -> str:
        """The text at the beginning of the line, such as a label or a symbol.

        Wrapped lines are indented by the width of this text.
        """
        sign, label = f"{self.sign} " if self.sign else "", ""
        if self.label:
            label = self.label + " " * max(1, LABEL_WIDTH - cell_width(self.label))
        return " " * self.indent + sign + label

    @property
    def text(self) -> str:
        return (self.lead + "".join(word.text for word in self.words)).rstrip()


def counts(plan: Plan) -> str:
    """Return the size of a plan in words, such as ``2 steps · 3 changes``."""
    changes = sum(len(step.changes) for step in plan.steps)
    parts = [number_of(len(plan.steps), "step"), *([number_of(changes, "change")] if changes else [])]
    return " · ".join(parts)


def plan_lines(
    plan: Plan,
    *,
    most: int | None = None,
    texts: bool = True,
    hint: str = "",
    requests: bool = False,
    fold: str = "",
) -> Iterator[PlanLine]:
    """Yield the lines that show the changes in a plan, with old values, new values and reasons.

    The plan's title and its :func:`counts` are not included. A reason shared by all steps is shown once, at the top.
    ``most`` limits the number of steps shown. If ``texts`` is False, a long text is replaced with its length and a
    ``hint`` on how to see it. If ``requests`` is True, the requests are shown as well. If ``fold`` is given, the steps
    that :func:`new_parts` returns are only summarized at the top. The summary is followed by ``fold``, which is a hint
    on how to see all steps.
    """
    if not plan.steps:
        yield PlanLine((Word("No changes needed.", "label"),))
        return
    folded = new_parts(plan) if fold else ()
    lead = [*_head(plan), *(_folded_lines(plan, folded, fold) if folded else ())]
    yield from lead
    shared, between = _shared_reason(plan), bool(lead)
    for index, step in enumerate(plan.steps[:most]):
        if index in folded:
            continue
        if between:
            yield PlanLine()
        between = True
        number = f"{index + 1:>{len(str(len(plan.steps)))}}  " if len(plan.steps) > 1 else ""
        yield from _step(step, number, texts, hint)
        if step.reason != shared:
            yield from _reason_lines(step.reason)
        if requests:
            yield PlanLine((Word(f"{step.operation} sends: {dumps(dict(step.payload), indent=None)}", "quiet"),))


def new_parts(plan: Plan) -> Collection[int]:
    """Return the indexes of the steps that create sections and triggers, or fill sections that the plan creates."""
    filling = ("edit-section", "set-override")
    return [
        index
        for index, step in enumerate(plan.steps)
        if step.operation in _CREATING
        # The ID of a section that an earlier step creates is a placeholder.
        or (step.operation in filling and isinstance(step.payload.get("section_id"), Mapping))
    ]


def _folded_lines(plan: Plan, folded: Collection[int], hint: str) -> Iterator[PlanLine]:
    steps = [plan.steps[index] for index in folded]
    for name, (noun, member) in _CREATING.items():
        names = [single_line(str(step.payload.get(member)), limit=30) for step in steps if step.operation == name]
        if names:
            more = [f"and {count(len(names) - _MOST_NAMES)} more"] if names[_MOST_NAMES:] else []
            named = ", ".join([*names[:_MOST_NAMES], *more])
            yield PlanLine((Word(f"{number_of(len(names), noun)}: {named}", "new"),), sign="+")
    decisions = sum(change.sign == "+" for step in steps for change in step.changes)
    overrides = sum(step.operation == "set-override" for step in steps)
    parts = ((decisions, "decision"), (overrides, "override"))
    if counted := ", ".join(number_of(amount, noun) for amount, noun in parts if amount):
        yield PlanLine((Word(f"{counted} in the new sections", "new"),), sign="+")
    yield PlanLine((Word(hint, "quiet"),), indent=2)


def _shared_reason(plan: Plan) -> str:
    return plan.steps[0].reason if len({step.reason for step in plan.steps}) == 1 else ""


def _head(plan: Plan) -> Iterator[PlanLine]:
    yield from _reason_lines(_shared_reason(plan))
    blind = sum(not change.known for step in plan.steps for change in step.changes)
    if blind and len(plan.steps) > 1:
        yield from _warned(f"{count(blind)} of the values cannot be checked because the current value is unknown.")
    for note in plan.notes:
        yield from _warned(note)
    yield from _warned(brings_text(plan.new_errors))
    yield from _reason_lines(fixes_text(plan.fixed_errors))
    for effect in plan.effects:
        yield from effect_lines(effect)


def _step(step: Step, number: str, texts: bool, hint: str) -> Iterator[PlanLine]:
    summary, subject = operation(step.operation).summary, single_line(step.subject)
    # Several characters may share a name: the ID tells them apart.
    whose = single_line(str(step.payload.get("charID") or ""), limit=12) if subject else ""
    yield PlanLine(
        (Word(number, "quiet"), Word(subject or summary, "title"), Word(f"  {whose}" if whose else "", "quiet"))
    )
    if subject and not step.changes:
        yield PlanLine((Word(summary),))
    changes = [line for change in step.changes for line in _change_lines(change, texts, hint)]
    effects = [line for effect in step.effects for line in effect_lines(effect)]
    # Above a long text, the cost is in sight at once.
    height = sum(1 + len(line.text) // _ONE_LINE for line in changes)
    yield from (*effects, *changes) if height > _LONG else (*changes, *effects)


def _change_lines(change: Change, texts: bool, hint: str) -> Iterator[PlanLine]:
    yield from _change(change, texts, hint)
    if not change.known:
        yield from _warned(_NOT_CHECKED, indent=2)
    yield from _warned(change.final, indent=2)
    yield from _warned(change.note, indent=2)


def _change(change: Change, texts: bool, hint: str) -> Iterator[PlanLine]:
    if change.sign:
        text, role = change_text(change, _MOST_CHARACTERS), _ROLES[change.sign]
        label = single_line(change.label)
        yield PlanLine((Word(f"{label} {text}" if change.sign == "↕" else f"{label}: {text}", role),), sign=change.sign)
        return
    label, before, after = single_line(change.label), _value(change.before, known=change.known), _value(change.after)
    if change.label == LABELS["reasoning_effort"] and change.after == "":
        after = "not set"  # what a request sends to clear it (decision 23)
    old, new = Word(before, "value" if change.known else "warning"), Word(f" → {after}", "new")
    line = PlanLine((old, new), label=label)
    if "\n" not in before + after and cell_width(line.text) <= _ONE_LINE:
        yield line
        return
    was, comes = (
        "" if value is None else value if isinstance(value, str) else _value(value)
        for value in (change.before, change.after)
    )
    sizes = [
        shown if value is None else count(len(text))
        for shown, value, text in ((before, change.before, was), (after, change.after, comes))
    ]
    size = Word(f"{' → '.join(sizes)} characters", "label" if texts else "new")
    yield PlanLine((size, Word("" if texts else hint, "quiet")), label=label)
    if texts:
        yield from difference_lines(was, comes)


def difference_lines(before: str, after: str, same: str = "unchanged") -> Iterator[PlanLine]:
    """Yield the lines that differ between two texts: those removed from ``before`` and those added in ``after``.

    Unchanged lines are only counted. ``same`` is the word shown after the number of unchanged lines.
    """
    left = _MOST_CHARACTERS
    for number, line in enumerate(differences(before, after)):
        if number >= _MOST_LINES or left <= 0:
            yield PlanLine((Word("… and more, not shown here", "quiet"),), indent=2)
            return
        if line.sign == "=":
            yield PlanLine((Word(f"… {number_of(line.count, 'line')} {same}", "quiet"),), indent=2)
            continue
        role: Role = "gone" if line.sign == "-" else "new"
        words = []
        for part in line.parts:
            text = part.text[: max(0, left)]
            left -= len(part.text)
            words.append(Word(display_text(text), role if part.changed else "label", part.changed))
        yield PlanLine(tuple(words), sign="−" if line.sign == "-" else "+")


def effect_lines(effect: CostEffect) -> Iterator[PlanLine]:
    """Yield the lines that show how a change affects an amount, such as the cost of an interaction.

    Amounts are shown even if they are unchanged.
    """
    text = effect_text(effect, credits_text if effect.unit == CREDITS else _whole)
    unknown = effect.before is None or effect.after is None
    yield PlanLine((Word(text, "warning" if unknown else "value"),), label=single_line(effect.label))
    yield from _reason_lines(effect.note, indent=2)


def _reason_lines(sentence: str, *, indent: int = 0) -> Iterator[PlanLine]:
    if sentence:
        yield PlanLine((Word(single_line(sentence), "label"),), indent=indent)


def _warned(sentence: str, *, indent: int = 0) -> Iterator[PlanLine]:
    if sentence:
        yield PlanLine((Word(single_line(sentence), "warning"),), sign="▲", indent=indent)


def _whole(amount: Decimal) -> str:
    return count(amount.quantize(Decimal(1), ROUND_HALF_EVEN))


def _value(value: Wire, *, known: bool = True) -> str:
    if value is None:
        return "not set" if known else "unknown"
    if isinstance(value, bool) or value == "":
        return short(value)
    return display_text(value_text(value), multiline=True)
