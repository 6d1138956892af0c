"""Calculate the cost of a conversation.

The number of input tokens grows turn by turn, because each prompt repeats earlier turns. Every turn is an interaction
with its own price, rounded the way a service rounds prices. The total is the exact sum of these prices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache, partial
from itertools import accumulate
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import EXACT, for_tokens, rounded, spoken, tokens_in
from chartui.core.estimation.budget import Problem
from chartui.core.estimation.card import MAX_QUANTITY, RateCard
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.estimation.summary import whole_or_not
from chartui.core.jsontext import Wire
from chartui.core.money import Price, with_money
from chartui.core.numbers import between_text, exact, number_of
from chartui.core.sheet import Column, Sheet

#: Default and largest number of turns.
TURNS: Final = 20
MOST_TURNS: Final = 1000
#: The ratio of the service's defaults: 150 characters take 10 s to speak.
CHARS_PER_SECOND: Final = 15
_CHARS_PER_TOKEN: Final = 4  # E 2.2
#: How many shorter histories are compared.
_SHORTER: Final = 3
#: The names of the totals with the lowest and with the highest quantities.
_ENDS: Final = ("least", "most")
_STEPS: Final = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500)

_PricingOf = Callable[[Quantities], Pricing]


class Conversation(NamedTuple):
    """A conversation of ``turns`` turns.

    ``quantities`` are the quantities of the first turn, whose prompt includes the user's first message. ``history`` is
    the number of earlier turns that a prompt repeats, or None for all of them. Each repeated turn adds ``user_tokens``
    and the tokens of the reply. ``derived`` is true if ``user_tokens`` were derived from the seconds of user speech.
    ``ends`` contains the lowest and highest quantities of the first turn, or is empty if no quantity is a range.
    """

    quantities: Quantities
    turns: int
    user_tokens: int | Decimal
    history: int | None = None
    derived: bool = False
    ends: tuple[Quantities, ...] = ()

    @classmethod
    def of(
        cls,
        quantities: Quantities,
        turns: int = TURNS,
        *,
        user_tokens: int | Decimal | None = None,
        reply_tokens: int | Decimal | None = None,
        history: int | None = None,
        ends: Sequence[Quantities] = (),
    ) -> Conversation:
        """Return a conversation.

        User tokens and reply tokens that are not given are derived from ``quantities``. For the lowest and highest
        costs, they are derived from ``ends``, the lowest and highest quantities.
        """
        if reply_tokens is not None:
            characters = EXACT.multiply(reply_tokens, _CHARS_PER_TOKEN)
            quantities = quantities._replace(output_chars=characters)
            ends = [end._replace(output_chars=characters) for end in ends]
        derived = user_tokens is None
        if user_tokens is None:
            user_tokens = _spoken_tokens(quantities)
        return cls(quantities, turns, user_tokens, history, derived, tuple(ends))

    @property
    def at_ends(self) -> Iterator[Conversation]:
        """The conversations with the lowest and highest quantities. Empty if no quantity is a range."""
        for end in self.ends:
            user_tokens = _spoken_tokens(end) if self.derived else self.user_tokens
            yield self._replace(quantities=end, user_tokens=user_tokens, ends=())

    @property
    def reply_tokens(self) -> Decimal:
        return tokens_in(self.quantities.output_chars)

    @property
    def each(self) -> Decimal:
        """The number of input tokens that an earlier turn adds to a prompt."""
        return EXACT.add(self.reply_tokens, self.user_tokens)

    @property
    def repeated(self) -> int:
        """The number of earlier turns that the last prompt repeats. The last prompt is the longest."""
        return self.turns - 1 if self.history is None else min(self.turns - 1, self.history)

    def input_tokens(self, turn: int) -> Decimal:
        """Return the number of input tokens of a turn. Turns are counted from 1."""
        return EXACT.add(EXACT.multiply(self.each, min(turn - 1, self.repeated)), self.quantities.input_tokens)

    def problem(self) -> Problem | None:
        """Return the first invalid number and the reason, or None if all numbers are valid."""
        if not 1 <= self.turns <= MOST_TURNS:
            return Problem(
                "turns", f"The number of turns must be from 1 to {spoken(MOST_TURNS)}, not {spoken(self.turns)}."
            )
        if self.history is not None and self.history < 0:
            return Problem("history", f"The history must be at least 0 turns, not {spoken(self.history)}.")
        for name, label in (("user_tokens", "user tokens"), ("reply_tokens", "reply tokens")):
            amount = Decimal(getattr(self, name))
            if not (amount.is_finite() and 0 <= amount <= MAX_QUANTITY / _CHARS_PER_TOKEN):
                given = spoken(amount) if amount.is_finite() else amount
                most = spoken(MAX_QUANTITY // _CHARS_PER_TOKEN)
                return Problem(name, f"The {label} must be from 0 to {most}, not {given}.")
        if self.input_tokens(self.turns) > MAX_QUANTITY:
            return Problem("turns", f"The last prompt would have more than {spoken(MAX_QUANTITY)} tokens.")
        return next(filter(None, (end.problem() for end in self.at_ends)), None)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that state the assumptions behind the calculation."""
        first = spoken(self.quantities.input_tokens)
        parts = f"{spoken(self.user_tokens)} from the user and {spoken(self.reply_tokens)} from the reply"
        kept = "all earlier turns" if self.history is None else f"at most {number_of(self.history, 'earlier turn')}"
        notes = [
            f"Turn 1 has {first} input tokens, including the user's message.",
            f"Every prompt repeats {kept}. Each turn adds {spoken(self.each)} tokens: {parts}."
            if self.history != 0
            else "Prompts do not repeat earlier turns.",
        ]
        if self.derived:
            notes.append(
                f"User tokens are derived from {spoken(self.quantities.stt_seconds)} s of user speech, "
                f"at {CHARS_PER_SECOND} characters per second and {_CHARS_PER_TOKEN} characters per token."
            )
        return tuple(notes)


def _spoken_tokens(quantities: Quantities) -> Decimal:
    return tokens_in(EXACT.multiply(quantities.stt_seconds, CHARS_PER_SECOND))


class ConversationCost(NamedTuple):
    """The cost of a conversation with a named configuration.

    The credits of each turn are rounded to six decimal places. ``ends`` contains the costs at the lowest and highest
    quantities, or is empty if no quantity is a range.
    """

    name: str
    configuration: Configuration
    conversation: Conversation
    credits: tuple[Decimal, ...]
    ends: tuple[ConversationCost, ...] = ()

    @property
    def totals(self) -> tuple[Decimal, ...]:
        """The running totals: for each turn, the sum of the credits up to and including that turn."""
        return tuple(accumulate(self.credits, EXACT.add))

    @property
    def total(self) -> Decimal:
        return self.totals[-1]

    @property
    def average(self) -> Decimal:
        """The average credits per turn, rounded to six decimal places."""
        return rounded(EXACT.divide(self.total, len(self.credits)))

    def between(self, text: Callable[[Decimal], str] = exact) -> str:
        """Return a sentence with the lowest and highest totals, or an empty string if they are equal."""
        totals = tuple(dict.fromkeys(text(end.total) for end in self.ends))
        return between_text(*totals) if len(totals) == 2 else ""


class BreakEven(NamedTuple):
    """The break-even point of two conversations: the turn from which one of them has the lower total.

    ``less_from`` names the conversation that is cheaper from ``turn`` on, and ``less_before`` names the one that is
    cheaper before that. If the same conversation has the lower total after every turn, ``turn`` is 1 and both names are
    the same. If both conversations cost the same after the last turn, ``turn`` and both names are None.
    """

    first: str
    second: str
    turn: int | None
    less_before: str | None
    less_from: str | None
    turns: int

    @property
    def text(self) -> str:
        """A sentence that states the break-even point."""
        if self.turn is None:
            return f"“{self.first}” and “{self.second}” cost the same for {number_of(self.turns, 'turn')}."
        other = self.second if self.less_from == self.first else self.first
        if self.turn == 1:
            return f"“{self.less_from}” costs less than “{other}” for any length up to {number_of(self.turns, 'turn')}."
        return (
            f"From turn {spoken(self.turn)}, the conversation costs less with “{self.less_from}” than with “{other}”."
        )


class Conversations(NamedTuple):
    """The costs of conversations with several configurations, and the break-even points.

    ``shorter`` contains the costs of the first configuration with shorter histories. ``unpriced`` names the
    configurations without a price, which are omitted. ``notes`` contains the assumptions.
    """

    costs: tuple[ConversationCost, ...]
    shorter: tuple[ConversationCost, ...]
    break_even: tuple[BreakEven, ...]
    unpriced: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """Sentences that say how much a cheaper configuration or a shorter history saves."""
        windows = (_saving(self.costs[0], one) for one in self.shorter)
        matches = (_match(self.costs[0], other) for other in self.costs[1:])
        return (*(one.text for one in self.break_even), *filter(None, matches), *windows)


def conversations(card: RateCard, named: Sequence[tuple[str, Configuration, Conversation]]) -> Conversations:
    """Return the costs of conversations.

    The first conversation is compared with the others, and with versions of itself that have a shorter history. Raises
    ``ValueError`` for an invalid conversation.
    """
    pricing_of = cache(partial(Pricing, card))
    costs, unpriced = [], []
    for name, configuration, conversation in named:
        if problem := conversation.problem():
            raise ValueError(problem.text)
        cost = _cost(pricing_of, name, configuration, conversation)
        if cost is None:
            unpriced.append(name)
        else:
            costs.append(cost)
    first = costs[0] if costs and costs[0].name == named[0][0] else None
    return Conversations(
        costs=tuple(costs),
        shorter=() if first is None else tuple(_shorter(pricing_of, first)),
        break_even=() if first is None else tuple(_break_even(first, other) for other in costs[1:]),
        unpriced=tuple(unpriced),
        notes=tuple(_notes([conversation for _, _, conversation in named], costs)),
    )


def _cost(
    pricing_of: _PricingOf, name: str, configuration: Configuration, conversation: Conversation
) -> ConversationCost | None:
    credits_ = _credits(pricing_of(conversation.quantities), configuration, conversation)
    if credits_ is None:
        return None
    ends = (_cost(pricing_of, name, configuration, end) for end in conversation.at_ends)
    return ConversationCost(name, configuration, conversation, credits_, tuple(filter(None, ends)))


def _credits(pricing: Pricing, configuration: Configuration, conversation: Conversation) -> tuple[Decimal, ...] | None:
    """Return the credits of each turn: only the prompt differs from the first turn."""
    first = pricing.credits(configuration)
    if first is None:
        return None
    rate = pricing.card.options["llm"][configuration.llm].rates.get("prompt_per_1k", Decimal(0))
    rest = EXACT.subtract(first, for_tokens(rate, conversation.quantities.input_tokens))
    growing = [
        EXACT.add(rest, for_tokens(rate, conversation.input_tokens(turn)))
        for turn in range(1, conversation.repeated + 2)
    ]
    return (*growing, *(growing[-1:] * (conversation.turns - len(growing))))


def _shorter(pricing_of: _PricingOf, cost: ConversationCost) -> Iterator[ConversationCost]:
    """The conversation with a shorter history, the longest first; none if a history adds nothing."""
    fewer = (
        [step for step in _STEPS if step < cost.conversation.repeated] if cost.credits[0] != cost.credits[-1] else []
    )
    for history in fewer[: -_SHORTER - 1 : -1]:
        shorter = _cost(pricing_of, cost.name, cost.configuration, cost.conversation._replace(history=history))
        if shorter is not None:
            yield shorter


def _break_even(first: ConversationCost, second: ConversationCost) -> BreakEven:
    turns = min(len(first.credits), len(second.credits))
    apart = [one - other for one, other in zip(first.totals, second.totals, strict=False)]
    if not apart[-1]:
        return BreakEven(first.name, second.name, None, None, None, turns)
    less, more = (first, second) if apart[-1] < 0 else (second, first)
    before = [turn for turn, one in enumerate(apart, 1) if one * apart[-1] <= 0]
    if not before:
        return BreakEven(first.name, second.name, 1, less.name, less.name, turns)
    return BreakEven(first.name, second.name, before[-1] + 1, more.name, less.name, turns)


def _saving(cost: ConversationCost, shorter: ConversationCost) -> str:
    history, saved = shorter.conversation.repeated, spoken(EXACT.subtract(cost.total, shorter.total))
    kept = f"Limiting the history to {number_of(history, 'turn')}" if history else "Omitting the history"
    return f"{kept} saves {saved} credits in total, starting at turn {spoken(history + 2)}."


def _match(cost: ConversationCost, other: ConversationCost) -> str:
    """The longest history with which a configuration costs no more than a cheaper one; empty if it does anyway."""
    if cost.total <= other.total:
        return ""
    # Without history, every turn costs what the first one costs; a longer one adds the growth of the turns before it.
    total, growth = cost.credits[0] * len(cost.credits), [one - cost.credits[0] for one in cost.credits]
    longest = -1
    for history in range(cost.conversation.repeated):
        at_most = sum(growth[:history], Decimal(0)) + growth[history] * (len(growth) - history)
        if total + at_most > other.total:
            break
        longest = history
    if longest < 0:
        return f"Even without history, “{cost.name}” costs more than “{other.name}”."
    kept = f"With a history of at most {number_of(longest, 'turn')}" if longest else "Without history"
    return f"{kept}, “{cost.name}” costs no more than “{other.name}”."


def _notes(asked: Sequence[Conversation], costs: Sequence[ConversationCost]) -> Iterator[str]:
    yield from asked[0].notes
    if any(one.quantities != asked[0].quantities for one in asked[1:]):
        yield "Configurations after the first have their own quantities."
    if any(cost.configuration.realtime for cost in costs):
        yield "Realtime models are assumed to bill earlier turns as text."


# -- tables and JSON ---------------------------------------------------------------------------------------------------


def turns_sheet(found: Conversations, notes: Sequence[str] = (), price: Price | None = None) -> Sheet:
    """Return a table with one row per configuration and turn.

    The columns are the input tokens, the credits, and the total so far. If a quantity is a range, further columns show
    the total so far at the lowest and highest quantities. If ``price`` is given, another column shows the total so far
    in the currency of the price.
    """
    between = any(cost.ends for cost in found.costs)
    columns = (
        Column("configuration"),
        Column("turn"),
        Column("input_tokens", "tokens"),
        *(Column(name, "credits") for name in ("credits", "total", *(_ENDS if between else ()))),
    )
    rows: list[tuple[Wire, ...]] = [
        (cost.name, *turn.values()) for cost in found.costs for turn in _turns(cost, between=between)
    ]
    rows += [(name, *(None for _ in columns[1:])) for name in found.unpriced]
    summary = (f"“{cost.name}”: {summary_of(cost, price)}" for cost in found.costs)
    sheet = Sheet("Conversation", columns, tuple(rows), (*summary, *found.texts, *found.notes, *notes))
    return with_money(sheet, price, ("total",))


def summary_of(cost: ConversationCost, price: Price | None = None) -> str:
    turns, money = number_of(cost.conversation.turns, "turn"), "" if price is None else f" ({price.text(cost.total)})"
    return f"{exact(cost.total)} credits{money} for {turns}, {exact(cost.average)} per turn on average."


def conversation_wire(found: Conversations, price: Price | None = None) -> dict[str, Wire]:
    """Return the conversations as JSON data. If ``price`` is given, totals are also given in its currency."""
    return {
        "configurations": [
            _cost_wire(cost, price) | {"turns": [*_turns(cost, between=bool(cost.ends))]} for cost in found.costs
        ],
        "shorter_histories": [_cost_wire(one, price) for one in found.shorter],
        "break_even": [{**one._asdict(), "text": one.text} for one in found.break_even],
        "unpriced": list(found.unpriced),
        "notes": [*found.texts, *found.notes],
    }


def _turns(cost: ConversationCost, *, between: bool) -> Iterator[dict[str, Wire]]:
    """The turn, its input tokens, its credits, and the total so far, also with the ends of the quantities."""
    ends = zip(*(end.totals for end in cost.ends or (cost, cost)), strict=True)
    for turn, (credits_, total, end) in enumerate(zip(cost.credits, cost.totals, ends, strict=True), 1):
        tokens = whole_or_not(cost.conversation.input_tokens(turn))
        found: dict[str, Wire] = {"turn": turn, "input_tokens": tokens, "credits": credits_, "total": total}
        yield found | (dict(zip(_ENDS, end, strict=True)) if between else {})


def _cost_wire(cost: ConversationCost, price: Price | None) -> dict[str, Wire]:
    conversation = cost.conversation
    return {
        "configuration": cost.name,
        "selections": cost.configuration._asdict(),
        "user_tokens": whole_or_not(Decimal(conversation.user_tokens)),
        "reply_tokens": whole_or_not(conversation.reply_tokens),
        "history": conversation.history,
        "credits": cost.total,
        "average": cost.average,
        **dict(zip(_ENDS, (end.total for end in cost.ends), strict=False)),
        **({} if price is None else {"money": price.of(cost.total)}),
    }
