"""What-if over the turns of a conversation: its numbers, the credits of each turn as a plot, and the totals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.core.estimation.amounts import spoken
from chartui.core.estimation.conversation import TURNS, BreakEven, Conversation, ConversationCost, Conversations
from chartui.core.estimation.prices import Quantities
from chartui.core.numbers import credits_text, number_of
from chartui.tui.axes import Axis
from chartui.tui.glyphs import GLYPHS, MARKERS
from chartui.tui.plots import Mark, Plot, Point, Series
from chartui.tui.screens.estimator.facts import ROLES, Row, Subject, configuration_rows, text_rows
from chartui.tui.screens.estimator.quantities import parse_quantity, quantity_problem
from chartui.tui.widgets.form import FieldKind, FieldRow

if TYPE_CHECKING:
    from chartui.tui.screens.estimator.study import Study

#: The fields of the form, with label, unit and step; the others are whole numbers.
FIELDS: Final = {
    "turns": ("Turns", "turns", 1),
    "user_tokens": ("User", "tokens/turn", 10),
    "reply_tokens": ("Reply", "tokens/turn", 10),
    "history": ("History", "turns", 1),
}
_WHOLE: Final = ("turns", "history")


def typed_conversation(
    typed: Mapping[str, str], quantities: Quantities, ends: Sequence[Quantities] = ()
) -> tuple[Conversation | None, dict[str, str]]:
    """The conversation as typed, and the problem of each invalid field; empty fields take their defaults."""
    problems = {name: f"{said}." for name, text in typed.items() if (said := quantity_problem(text))}
    if problems:
        return None, problems
    amounts = {name: parse_quantity(text) for name, text in typed.items()}
    for name in _WHOLE:
        amount = amounts[name]
        if amount is not None and amount != int(amount):
            return None, {name: f"Enter a whole number for {name}, not {spoken(amount)}."}
    turns, history = (None if (amount := amounts[name]) is None else int(amount) for name in _WHOLE)
    conversation = Conversation.of(
        quantities,
        TURNS if turns is None else turns,
        user_tokens=amounts["user_tokens"],
        reply_tokens=amounts["reply_tokens"],
        history=history,
        ends=ends,
    )
    problem = conversation.problem()
    return (conversation, {}) if problem is None else (None, {problem.member: problem.text})


def form_rows(typed: Mapping[str, str], quantities: Quantities, problems: Mapping[str, str]) -> list[FieldRow]:
    usual = Conversation.of(quantities)
    defaults = {
        "turns": str(TURNS),
        "user_tokens": spoken(usual.user_tokens),
        "reply_tokens": spoken(usual.reply_tokens),
        "history": "all",
    }
    return [
        FieldRow(
            id=name,
            label=label,
            kind=FieldKind.NUMBER,
            text=typed[name],
            unit=unit,
            default=defaults[name],
            changed=bool(typed[name]),
            problem=problems.get(name, ""),
        )
        for name, (label, unit, _) in FIELDS.items()
    ]


def conversation_rows(
    found: Conversations, turns: int, base: str, note: str, problem: str, width: int, study: Study
) -> Iterator[Row]:
    """The totals with their assumptions, and what a cheaper configuration or a shorter history saves."""
    if problem:
        yield from text_rows(f"{GLYPHS.danger} {problem}", width, role="danger")
    yield from text_rows(f"Credits for {number_of(turns, 'turn')}{study.basis}", width, role="quiet")
    yield from configuration_rows([(cost, cost.total) for cost in found.costs], found.unpriced, base, width, study)
    if found.costs:
        each = "First, last and average turn" if turns > 1 else "One turn"
        first = found.costs[0]
        if between := first.between(credits_text):
            yield from text_rows(f"“{first.name}”: {between}", width)
        parts = dict.fromkeys(map(spoken, (first.credits[0], first.credits[-1], first.average)))
        yield from text_rows(f"{each} of “{first.name}”: {', '.join(parts)} credits.", width)
    for text in found.notes:
        yield from text_rows(text, width, role="label")
    yield (), None
    if found.texts:
        yield from text_rows("Break-even and savings", width, role="quiet")
    for number, text in enumerate(found.texts):
        yield from text_rows(text, width, found.break_even[number] if number < len(found.break_even) else None)
    if note:
        yield from text_rows(note, width)


def conversation_plot(found: Conversations, turns: int, amount: str, current: Subject | None) -> Plot:
    """The credits of each turn, called ``amount``, and the turns from which another one has the lower total."""
    series = tuple(
        Series(cost.name, _points(cost), "line", role, marker)
        for cost, role, marker in zip(found.costs, ROLES, MARKERS, strict=False)
    )
    amounts = [amount for one in series for _, amount in one.points]
    low = 0.0 if not amounts or min(amounts) <= max(amounts) / 2 else None
    marks = [Mark(float(one.turn), f"turn {one.turn}") for one in found.break_even if one.turn and one.turn > 1]
    return Plot(
        series=series,
        x=Axis("turn", 1.0, float(max(2, turns)), "linear"),
        y=Axis(f"{amount} per turn", low, scale="linear"),
        cursor=_cursor(found.costs, current),
        marks=tuple(marks),
        note="The price is unknown.",
    )


def _points(cost: ConversationCost) -> tuple[Point, ...]:
    """A point per turn, without those between equal ones."""
    amounts = cost.credits
    kept = [
        turn
        for turn, amount in enumerate(amounts)
        if turn in (0, len(amounts) - 1) or not amounts[turn - 1] == amount == amounts[turn + 1]
    ]
    return tuple((float(turn + 1), float(amounts[turn])) for turn in kept)


def _cursor(costs: Sequence[ConversationCost], current: Subject | None) -> Point | None:
    if isinstance(current, BreakEven) and current.turn is not None:
        cost = next(cost for cost in costs if cost.name == current.less_from)
        return float(current.turn), float(cost.credits[current.turn - 1])
    if isinstance(current, ConversationCost):
        return float(len(current.credits)), float(current.credits[-1])
    return None


def stepped_field(name: str, typed: Mapping[str, str], quantities: Quantities, step: int) -> str:
    """The text of a field after a step; the history counts down from all turns."""
    conversation = typed_conversation({**typed, name: ""}, quantities)[0] or Conversation.of(quantities)
    default = conversation.repeated if name == "history" else getattr(conversation, name)
    present = default if quantity_problem(typed[name]) else parse_quantity(typed[name])
    amount = (default if present is None else present) + step * FIELDS[name][2]
    return f"{max(Decimal(amount), Decimal(1 if name == 'turns' else 0)):f}"
