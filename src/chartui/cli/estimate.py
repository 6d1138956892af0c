"""``chartui estimate`` and ``options``: the cost of an interaction, and the options to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.cli.configurations import (
    SELECTIONS,
    SWITCHES,
    add_configuration,
    add_preset,
    add_rate_card,
    amount,
    completed,
    echo,
    echoed,
    name_options,
    preset_of,
    rates_of,
    save_preset,
)
from chartui.cli.errors import Exit, UsageError
from chartui.cli.lookup import read_whole
from chartui.cli.naming import CharacterName
from chartui.cli.output import Output, add_forms, write_sheet, yes_no
from chartui.cli.parser import Arguments, Parser, option_name
from chartui.cli.sessions import ask, configuration
from chartui.core.character import models_of, with_objective
from chartui.core.estimation.character_cost import (
    CharacterCost,
    CostStage,
    cost_as_wire,
    cost_sheet,
    price_text,
    value_of,
)
from chartui.core.estimation.character_map import Inputs, Part
from chartui.core.estimation.pins import load_pins
from chartui.core.estimation.source import Source
from chartui.core.naming import BadName, Item, find, unknown
from chartui.core.numbers import aligned, exact, number_of
from chartui.core.presets import Preset, Presets
from chartui.core.sheet import Sheet, as_texts
from chartui.core.spec.catalogue import is_beta_key, is_billed_by_provider
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.estimation.conversation import Conversations
    from chartui.core.estimation.discovery import Choice, Discovery, OfferedSubscription
    from chartui.core.estimation.prompt import InputTokens
    from chartui.core.jsontext import Wire
    from chartui.core.session import Session
    from chartui.core.spec.catalogue import Kind
    from chartui.core.spec.models.estimation import Estimate, LatencyRange


#: The longest bar, in cells.
BAR: Final = 20
#: The name of the command's own configuration in a comparison.
_GIVEN: Final = "given"


def configure_estimate(parser: Parser) -> None:
    add_preset(parser)
    parser.add_argument(
        "--character",
        dest="of_character",
        metavar="CHARACTER",
        type=CharacterName,
        help="character to price, by name or ID; options override its record, and the record overrides the preset",
    )
    add_configuration(parser)
    add_rate_card(parser)
    add = parser.add_argument_group("comparing and saving").add_argument
    add(
        "--compare",
        nargs="+",
        action="extend",
        metavar="PRESET",
        help="saved presets to compare with this configuration",
    )
    add("--baseline", metavar="PRESET", help="preset to compare the others with (default: this configuration)")
    add("--save-preset", metavar="NAME", help="save this configuration as a preset with this name")
    add("--replace", action="store_true", help="overwrite an existing preset with this name")
    add = parser.add_argument_group("conversation").add_argument
    add("--turns", type=int, metavar="N", help="price a conversation of N turns, each with the turns before it")
    add("--user-tokens", type=amount, metavar="N", help="tokens of the user per turn (default: from the speech input)")
    add("--reply-tokens", type=amount, metavar="N", help="tokens of the reply per turn (default: from its length)")
    add("--history", type=int, metavar="N", help="earlier turns that a prompt repeats (default: all)")
    add_forms(parser)


def estimate(arguments: Arguments, output: Output) -> int:
    if arguments.baseline is not None and not arguments.compare:
        raise UsageError("--baseline needs --compare")
    if arguments.replace and arguments.save_preset is None:
        raise UsageError("--replace needs --save-preset")
    if arguments.turns is None:
        for name in ("user_tokens", "reply_tokens", "history"):
            if getattr(arguments, name) is not None:
                raise UsageError(f"{option_name(name)} needs --turns")
    if arguments.reply_tokens is not None and arguments.output_chars is not None:
        raise UsageError("--reply-tokens and --output-chars cannot be combined")
    name_options(arguments)
    chosen = preset_of(arguments)
    if arguments.of_character is not None:
        return write_cost(arguments, output, chosen)
    if arguments.turns is not None:
        _converse(arguments, output, chosen)
    elif arguments.compare:
        _compare(arguments, output, chosen)
    else:
        _one(arguments, output, chosen)
    if arguments.save_preset is not None:
        # Last, so that a configuration the service refuses is not saved.
        save_preset(replace(chosen, name=arguments.save_preset, note=""), output, replacing=arguments.replace)
    return Exit.DONE


def _one(arguments: Arguments, output: Output, chosen: Preset) -> None:
    found = ask(
        arguments,
        lambda session: session.service.estimate(chosen.selections, chosen.assumptions),
        rate_card=arguments.rate_card,
    )
    if arguments.csv or arguments.markdown:
        from chartui.core.estimation.summary import estimate_sheet

        write_sheet(estimate_sheet(found), arguments, output)
    elif output.as_json:
        output.json(found.raw)
    else:
        _write(found, output)


def _compare(arguments: Arguments, output: Output, chosen: Preset) -> None:
    from chartui.core.estimation.comparison import compare, comparison_sheet, comparison_wire, named_estimate

    asked = asked_presets(arguments, chosen)
    baseline = _baseline(arguments, [name for name, _ in asked])
    answers = ask(arguments, lambda session: _answers(session, asked), rate_card=arguments.rate_card)
    named = [named_estimate(name, answer) for (name, _), answer in zip(asked, answers, strict=True)]
    comparison = compare(named, baseline)
    disclaimers = dict.fromkeys(answer.disclaimer for answer in answers if answer.disclaimer)
    sheet = comparison_sheet(comparison, tuple(disclaimers))
    if arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        output.json({"rate_card": answers[0].raw.get("rate_card")} | comparison_wire(comparison))
    else:
        _write_beside(sheet, output)


def asked_presets(arguments: Arguments, chosen: Preset) -> list[tuple[str, Preset]]:
    """The given configuration and the presets of ``--compare``, each with a different name."""
    asked = {_GIVEN: chosen}
    with configuration():
        presets = Presets()
        for word in arguments.compare or ():
            path, preset = presets.find(word)
            asked[f"{preset.name} ({path.name})" if preset.name in asked else preset.name] = preset
    return list(asked.items())


def _baseline(arguments: Arguments, names: list[str]) -> int:
    if arguments.baseline is None:
        return 0
    try:
        return names.index(find("preset", arguments.baseline, map(Item, names), whole=True).id)
    except BadName:
        raise UsageError(unknown("preset", arguments.baseline, names, place="for --baseline")) from None


async def _answers(session: Session, asked: list[tuple[str, Preset]]) -> list[Estimate]:
    answers = []
    for name, preset in asked:
        try:
            answers.append(await session.service.estimate(preset.selections, preset.assumptions))
        except ServiceError as error:
            if error.kind is ErrorKind.INVALID:
                raise replace(error, message=f"'{name}': {error.message}") from None
            raise
    return answers


def _write_beside(sheet: Sheet, output: Output) -> None:
    texts = as_texts(sheet)
    signs = ("%" if name.endswith(": percent") else "±" for name, _, signed, *_ in sheet.columns if signed)
    header = ["", "", *(next(signs) if column.signed else column.name for column in sheet.columns[3:])]
    rows: list[list[str]] = []
    for part, *cells in texts.rows:
        if rows and part != rows[-1][0] and part in ("line", "latency"):
            rows.append([part, *("" for _ in cells)])
        rows.append([part, *cells])
    output.table([[*row[1:]] for row in rows], header=header, right={i - 1 for i in texts.right})
    for note in sheet.notes:
        output.text()
        output.text(note)


def _write(estimate: Estimate, output: Output) -> None:
    amount = "unknown" if estimate.credits is None else exact(estimate.credits)
    output.text(f"{amount} credits per interaction, {milliseconds(estimate.latency_ms)}")
    output.text()
    output.table(lines_of(estimate), header=LINES, right={1, 2, 4})
    output.text()
    output.table(echo(estimate.selections, estimate.assumptions, estimate.rate_card))
    write_notes(estimate.doubt, estimate, output)


def write_notes(doubt: str, estimate: Estimate, output: Output) -> None:
    for note in filter(None, (f"(!) {doubt}" if doubt else "", estimate.disclaimer)):
        output.text()
        output.text(note)


LINES: Final = ["", "CREDITS", "SHARE", "", "LATENCY", ""]


def lines_of(estimate: Estimate) -> list[list[str]]:
    rows = []
    for line, credits_ in zip(estimate.lines, aligned([line.credits for line in estimate.lines]), strict=True):
        share = estimate.share(line) or Decimal(0)
        bar = "#" * round(BAR * min(max(share, Decimal(0)), Decimal(1)))
        latency = line.latency
        rows.append(
            [
                line.label or line.key,
                credits_,
                "" if estimate.credits is None else f"{share:.0%}",
                bar.ljust(BAR),
                milliseconds(latency) if latency else "",
                line.detail,
            ]
        )
    return rows


def milliseconds(latency: LatencyRange | None) -> str:
    if latency is None:
        return "latency unknown"
    low, high = exact(latency.min), exact(latency.max)
    return f"{low} ms" if low == high else f"{low}–{high} ms{' (!)' if latency.backwards else ''}"


# -- a conversation ----------------------------------------------------------------------------------------------------


def _converse(arguments: Arguments, output: Output, chosen: Preset) -> None:
    """Write the cost of each turn, computed from the rates on this machine like ``rank`` and ``explore``."""
    from chartui.core.estimation.conversation import Conversation, conversation_wire, conversations, turns_sheet

    asked = asked_presets(arguments, chosen)
    asked.insert(0, asked.pop(_baseline(arguments, [name for name, _ in asked])))
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
    found = conversations(rates.card, named)
    if arguments.csv or arguments.markdown:
        write_sheet(turns_sheet(found, (rates.banner,) if rates.banner else ()), arguments, output)
    elif output.as_json:
        _, selected, conversation = named[0]
        output.json(echoed(rates, conversation.quantities, selected) | conversation_wire(found))
    else:
        _write_conversation(found, output)
        output.table(echo(named[0][1], named[0][2].quantities, rates.card))


def _write_conversation(found: Conversations, output: Output) -> None:
    from chartui.core.estimation.conversation import summary_of

    for cost in found.costs:
        output.text(summary_of(cost) if len(found.costs) == 1 else f"{cost.name}: {summary_of(cost)}")
    for name in found.unpriced:
        output.text(f"{name}: unknown")
    output.text()
    if found.costs:
        first, *others = found.costs
        tokens = aligned([first.conversation.input_tokens(turn) for turn in range(1, len(first.credits) + 1)])
        columns = [aligned(amounts) for amounts in (first.credits, first.totals, *(one.totals for one in others))]
        header = ["TURN", "INPUT TOKENS", "CREDITS", "TOTAL", *(one.name for one in others)]
        turns = [str(turn) for turn in range(1, len(tokens) + 1)]
        output.table(list(zip(turns, tokens, *columns, strict=True)), header=header, right=range(len(header)))
        output.text()
    for text in (*found.texts, "", *found.notes, ""):
        output.text(text)


# -- for a character --------------------------------------------------------------------------------------------------


def write_cost(arguments: Arguments, output: Output, chosen: Preset) -> int:
    """Write the cost and the source of each part. The status is 0 even if the price is unknown."""
    for option in ("compare", "save_preset", "turns"):
        if getattr(arguments, option):
            raise UsageError(f"{option_name(option)} cannot be combined with --character")
    pins = load_pins()
    for problem in pins.problems:
        output.note(problem)

    async def question(session: Session) -> tuple[str | None, CharacterCost]:
        from chartui.core.costs import basis_for, facts_of, price

        service, wanted = session.service, arguments.of_character
        reading = await with_objective(service, await read_whole(session, wanted))
        basis = await basis_for(session, _inputs(arguments, chosen), chosen.assumptions)
        facts = facts_of(reading, await models_of(service, wanted), basis.scenes)
        name = reading.record.get("character_name")
        return name if isinstance(name, str) else None, await price(service, facts, basis)

    name, cost = ask(arguments, question, rate_card=arguments.rate_card)
    if arguments.csv or arguments.markdown:
        write_sheet(cost_sheet(cost, f"Cost of {name or arguments.of_character}"), arguments, output)
    elif output.as_json:
        facts = cost.mapped.facts
        character: Wire = {
            "id": arguments.of_character,
            "name": name,
            "model": facts.code,
            "reasoning_effort": facts.level,
            "reasoning_known": facts.level_from is not None,
        }
        output.json({"character": character, **cost_as_wire(cost)})
    else:
        _write_character(name or arguments.of_character, cost, output)
    return Exit.DONE


def _inputs(arguments: Arguments, chosen: Preset) -> Inputs:
    """The inputs for a character's price: options override its record, and the record overrides the preset."""
    names = (*SELECTIONS, *SWITCHES)
    given = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    below = {name: value for name in names if (value := getattr(chosen.selections, name)) is not None}
    return Inputs(chosen=below, chosen_from=Source.PRESET, given=given)


def _write_character(name: str, cost: CharacterCost, output: Output) -> None:
    output.text(f"{name}: {price_text(cost)}")
    if cost.exact is not None:
        output.text(f"{milliseconds(cost.exact.latency_ms)} end to end.")
        output.text()
        output.table(lines_of(cost.exact), header=LINES, right={1, 2, 4})
    elif cost.priced:
        output.text()
        output.table(list(_candidates(cost)), right={1, 2})
        output.text()
        output.table([_stage(stage) for stage in cost.stages], right={1, 2})
    output.text()
    output.table([_member(cost, part) for part in cost.mapped.parts])
    if cost.tokens is not None:
        output.text()
        output.text(cost.tokens.told())
        output.table([["", *row] for row in parts_of(cost.tokens)], right={2})
    if (estimate := cost.cheapest) is not None:
        output.text()
        output.table(echo(None, estimate.assumptions, estimate.rate_card))
        write_notes(cost.doubt, estimate, output)
    if cost.exact is None and cost.mapped.candidates:
        output.note(
            f"'chartui rates pin-model {cost.mapped.facts.code}' lists the models that this code can be pinned to."
        )


def parts_of(tokens: InputTokens) -> list[list[str]]:
    """The texts of a prompt with their lengths."""
    sizes = ((part, part.characters) for part in tokens.prompt.parts)
    return [
        [part.text, "unknown" if size is None else number_of(size, "character"), part.source.value, part.why]
        for part, size in sizes
    ]


def _candidates(cost: CharacterCost) -> list[list[str]]:
    amounts = iter(aligned([estimate.known_credits for estimate in cost.estimates]))
    return [
        [
            one.llm or "–",
            *(
                ["unknown", ""]
                if one.estimate is None
                else [f"{next(amounts)} credits", milliseconds(one.estimate.latency_ms)]
            ),
        ]
        for one in cost.priced
    ]


def _stage(stage: CostStage) -> list[str]:
    """A component of the price, with the range over the possible models."""
    from chartui.core.spec.models.estimation import LatencyRange

    latency = LatencyRange(min=stage.latency.min, max=stage.latency.max) if stage.latency is not None else None
    amounts = "–".join(dict.fromkeys(map(exact, stage.credits)))
    return [stage.label, f"{amounts} credits", milliseconds(latency) if latency is not None else ""]


def _member(cost: CharacterCost, part: Part) -> list[str]:
    value = value_of(cost, part)
    if isinstance(value, list):
        text = f"one of {len(value)}"
    elif value is None:
        text = "service's default" if part.values else "unknown"
    else:
        text = yes_no(value) if isinstance(value, bool) else str(value)
    return [part.member, text, f"{part.source.value}{', assumed' if part.assumed else ''}", part.why]


# -- options ----------------------------------------------------------------------------------------------------------


_TITLES: Final[dict[Kind, str]] = {
    "llm": "Models",
    "stt": "Speech input",
    "tts": "Speech output",
    "animation": "Animation",
}


def configure_options(parser: Parser) -> None:
    parser.add_argument("--refresh", action="store_true", help="ignore cached answers")


def options(arguments: Arguments, output: Output) -> int:
    answer, found = ask(arguments, lambda session: session.service.options(refresh=arguments.refresh))
    if output.as_json:
        output.json(answer.raw)
        return Exit.DONE
    if not found.fits:
        output.note("this answer contains no known options; it is shown unchanged")
        output.json(answer.raw)
        return Exit.DONE
    absent = "not among the readable options" if found.unreadable else "not offered by this service"
    for kind, title in _TITLES.items():
        output.text(title)
        _write_choices(found.choices[kind], found.selections.get(kind), absent, output)
        output.text()
    _write_defaults(found, output)
    if found.subscriptions:
        output.text()
        output.text("Subscriptions")
        _write_subscriptions(found.subscriptions, output)
    return Exit.DONE


def _write_choices(choices: Sequence[Choice], default: str | bool | None, absent: str, output: Output) -> None:
    """A row per option with a star for the default; ``absent`` marks options that the answer does not list."""
    paths = list(dict.fromkeys(path for choice in choices for path in choice.numbers))
    columns = [_column([choice.numbers.get(path) for choice in choices]) for path in paths]
    rows = [
        ["*" if choice.key == default else "", choice.key, choice.label, *numbers, _remark(choice, absent)]
        for choice, *numbers in zip(choices, *columns, strict=True)
    ]
    header = ["", "KEY", "LABEL", *(_title(path) for path in paths), ""]
    output.table(rows, header=header, right=range(3, 3 + len(paths)))


def _remark(choice: Choice, absent: str) -> str:
    remarks = {
        "realtime": choice.realtime,
        "billed by its provider": is_billed_by_provider(choice.key),
        "beta": is_beta_key(choice.key),
        absent: not choice.listed,
    }
    return ", ".join(remark for remark, applies in remarks.items() if applies)


def _title(path: str) -> str:
    return path.removeprefix("credits.").replace("_", " ").replace(".", " ").upper()


def _column(numbers: Sequence[Decimal | int | None]) -> list[str]:
    present = iter(aligned([Decimal(number) for number in numbers if number is not None]))
    return ["–" if number is None else next(present) for number in numbers]


def _write_defaults(found: Discovery, output: Output) -> None:
    if not found.selections and not found.assumptions:
        return
    output.text("Defaults")
    selections = [[name, yes_no(v) if isinstance(v, bool) else v] for name, v in found.selections.items()]
    assumptions = [[name, exact(number)] for name, number in found.assumptions.items()]
    output.table([["", *row] for row in [*selections, *assumptions]])


def _write_subscriptions(subscriptions: Sequence[OfferedSubscription], output: Output) -> None:
    rows = [
        ["", one.label, monthly, price, one.tier or "–"]
        for one, monthly, price in zip(
            subscriptions,
            _column([one.monthly_credits for one in subscriptions]),
            _column([one.price for one in subscriptions]),
            strict=True,
        )
    ]
    output.table(rows, header=["", "SUBSCRIPTION", "CREDITS A MONTH", "PRICE A MONTH", "TIER"], right={2, 3})
