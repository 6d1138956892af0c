"""The cost of a conversation, turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.compared import CURRENT, asked_presets, baseline_of
from chartui.cli.configurations import (
    completed,
    echo,
    echoed,
    price_of,
    rates_of,
)
from chartui.cli.errors import UsageError
from chartui.cli.output import Output, write_sheet
from chartui.cli.parser import Arguments
from chartui.core.estimation.gates import Subject
from chartui.core.numbers import aligned, number_of
from chartui.core.presets import Preset

if TYPE_CHECKING:
    from chartui.core.estimation.conversation import Conversations
    from chartui.core.estimation.gates import Kind
    from chartui.core.money import Price


def converse(arguments: Arguments, output: Output, chosen: Preset) -> list[Subject]:
    """Write the cost of each turn, computed from the rates on this machine like ``rank`` and ``explore``."""
    from chartui.core.estimation.conversation import Conversation, conversation_wire, conversations, turns_sheet
    from chartui.core.estimation.rates import marked

    asked = asked_presets(arguments, chosen)
    asked.insert(0, asked.pop(baseline_of(arguments, [name for name, _ in asked])))
    rates = rates_of(arguments, output)
    named = []
    for name, preset in asked:
        selected, quantities = completed(preset, rates.card)
        conversation = Conversation.of(
            quantities,
            arguments.turns,
            user_tokens=arguments.user_tokens,
            reply_tokens=arguments.reply_tokens,
            history=arguments.history,
        )
        if problem := conversation.problem():
            raise UsageError(problem.text)
        named.append((name, selected, conversation))
    found, price = conversations(rates.card, named), price_of(arguments)
    if arguments.csv or arguments.markdown:
        write_sheet(marked(turns_sheet(found, (), price), rates), arguments, output)
    elif output.as_json:
        _, selected, conversation = named[0]
        output.json(echoed(rates, conversation.quantities, selected, price) | conversation_wire(found, price))
    else:
        _write_conversation(found, price, output, rates.mark)
        output.table(echo(named[0][1], named[0][2].quantities, rates.card))
    totals = {cost.name: cost.total for cost in found.costs}
    per = f"for {number_of(arguments.turns, 'turn')}"
    why = "the rate card lacks one of the configuration's options"
    kinds: dict[str, Kind] = {CURRENT: "configurations"}
    return [Subject(kinds.get(name, "presets"), name, totals.get(name), None, why, per=per) for name, *_ in named]


def _write_conversation(found: Conversations, price: Price | None, output: Output, mark: str) -> None:
    from chartui.core.estimation.conversation import summary_of

    rates = f" ({mark} rates)" if mark else ""
    for cost in found.costs:
        said = f"{summary_of(cost, price)}{rates}"
        output.text(said if len(found.costs) == 1 else f"{cost.name}: {said}")
    for name in found.unpriced:
        output.text(f"{name}: unknown")
    output.text()
    if found.costs:
        first, *others = found.costs
        tokens = aligned([first.conversation.input_tokens(turn) for turn in range(1, len(first.credits) + 1)])
        columns = [aligned(amounts) for amounts in (first.credits, first.totals, *(one.totals for one in others))]
        header = ["TURN", "INPUT TOKENS", "CREDITS", "TOTAL", *(one.name for one in others)]
        turns = [str(turn) for turn in range(1, len(tokens) + 1)]
        rows = [[*row, *([mark] if mark else [])] for row in zip(turns, tokens, *columns, strict=True)]
        output.table(rows, header=[*header, *(["RATES"] if mark else [])], right=range(len(header)))
        output.text()
    for text in (*found.texts, "", *found.notes, ""):
        output.text(text)
