"""``chartui estimate``: the cost of an interaction."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.cli.configurations import (
    CURRENT,
    SELECTIONS,
    SWITCHES,
    add_configuration,
    add_preset,
    add_price,
    add_rate_card,
    add_scenario,
    amount,
    asked_presets,
    baseline_of,
    cases_of,
    completed,
    echo,
    echoed,
    mix_notes,
    mixed_prices,
    name_options,
    preset_of,
    price_of,
    rates_of,
    save_preset,
    scenario_for,
    scenario_of,
)
from chartui.cli.errors import UsageError
from chartui.cli.gates import Gate, add_gates, gate_of
from chartui.cli.lookup import read_whole
from chartui.cli.output import Output, add_forms, write_sheet, yes_no
from chartui.cli.parser import Arguments, Parser, option_name
from chartui.cli.sessions import ask
from chartui.core.character import models_of, with_objective
from chartui.core.estimation.character_cost import (
    CharacterCost,
    CostStage,
    cost_as_wire,
    cost_sheet,
    ends_text,
    money_text,
    price_text,
    value_of,
)
from chartui.core.estimation.character_map import Inputs, Part
from chartui.core.estimation.gates import Earlier, Subject, subject_of, subject_of_cost
from chartui.core.estimation.mix import varies
from chartui.core.estimation.pins import load_pins
from chartui.core.estimation.source import Source
from chartui.core.numbers import aligned, exact, noun, number_of
from chartui.core.presets import Preset
from chartui.core.sheet import Sheet, as_texts
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.estimation.conversation import Conversations
    from chartui.core.estimation.gates import Kind
    from chartui.core.estimation.mix import MixEstimate
    from chartui.core.estimation.prompt import InputTokens
    from chartui.core.estimation.scenario import Scenario
    from chartui.core.jsontext import Wire
    from chartui.core.money import Price
    from chartui.core.session import Session
    from chartui.core.spec.models.estimation import Estimate, LatencyRange


#: The longest bar, in cells.
BAR: Final = 20
_BASELINE: Final = (
    "baseline: one of the compared presets, or a cost file written by --update-baseline (default: this configuration)"
)


def configure_estimate(parser: Parser) -> None:
    add_preset(parser)
    parser.option(
        "--character",
        "CHARACTER",
        "character to price, by name or ID; options override its record, and the record overrides the preset",
        dest="of_character",
    )
    add_configuration(parser, ranges=True)
    add_scenario(parser)
    add_rate_card(parser)
    add_price(parser)
    group = parser.add_argument_group("comparing and saving")
    group.option("--compare", "PRESET", "saved presets to compare with this configuration", nargs="+", action="extend")
    group.option("--save-preset", "NAME", "save this configuration as a preset with this name")
    group.flag("--replace", "overwrite an existing preset with this name")
    group = parser.add_argument_group("conversation")
    group.option(
        "--turns", "N", "price a conversation of N turns in which each prompt repeats the earlier turns", type=int
    )
    group.option(
        "--user-tokens",
        "N",
        "tokens spoken by the user per turn (default: calculated from the speech input)",
        type=amount,
    )
    group.option("--reply-tokens", "N", "tokens in each reply (default: calculated from the reply length)", type=amount)
    group.option("--history", "N", "number of earlier turns that each prompt repeats (default: all)", type=int)
    add_gates(parser, metavar="PRESET|FILE", baseline=_BASELINE)
    add_forms(parser)


def estimate(arguments: Arguments, output: Output) -> int:
    gate = _gate(arguments)
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
    mix = scenario_of(arguments)
    if arguments.of_character is not None:
        subjects = write_cost(arguments, output, chosen, mix)
    elif arguments.turns is not None:
        subjects = converse(arguments, output, chosen, mix)
    elif arguments.compare:
        subjects = _compare(arguments, output, chosen, mix)
    elif arguments.scenario is not None or varies(mix.cases()):
        from chartui.cli.scenarios import write_mix

        subjects = [_highest(*_own(chosen), write_mix(arguments, output, chosen, mix))]
    else:
        subjects = _one(arguments, output, chosen)
    if arguments.save_preset is not None:
        # Last, so that a configuration the service refuses is not saved.
        save_preset(replace(chosen, name=arguments.save_preset, note=""), output, replacing=arguments.replace)
    base = subjects[baseline_of(arguments, [subject.name for subject in subjects])]
    earlier = Earlier(base.credits, base.called, f"the cost of {base.called} is unknown")
    if arguments.scenario is not None:
        subjects = [subject._replace(scenario=mix.name) for subject in subjects]
    return gate.status(subjects, output, earlier)


def _gate(arguments: Arguments) -> Gate:
    gate = gate_of(arguments, others=True)
    if arguments.baseline is not None and gate.path is None and not arguments.compare:
        raise UsageError("--baseline needs --compare, or a file with stored costs")
    if gate.over is not None and gate.path is None and not arguments.compare:
        raise UsageError("--fail-over needs --baseline or --compare")
    if arguments.turns is not None:
        if gate.slower is not None:
            raise UsageError("--fail-slower cannot be combined with --turns, because a conversation has no latency")
        if gate.path is not None:
            raise UsageError(
                "a baseline contains the cost of a single interaction, so it cannot be combined with --turns"
            )
    return gate


def _one(arguments: Arguments, output: Output, chosen: Preset) -> list[Subject]:
    found = ask(
        arguments,
        lambda session: session.service.estimate(chosen.selections, chosen.assumptions),
        rate_card=arguments.rate_card,
    )
    price = price_of(arguments)
    if arguments.csv or arguments.markdown:
        from chartui.core.estimation.summary import estimate_sheet
        from chartui.core.money import with_money

        write_sheet(with_money(estimate_sheet(found), price), arguments, output)
    elif output.as_json:
        money: dict[str, Wire] = {} if price is None else {"price": price.wire, "money": price.of(found.credits)}
        output.json({**found.raw, **money})
    else:
        _write(found, price, output)
    return [subject_of(*_own(chosen), found)]


def _own(chosen: Preset) -> tuple[Kind, str]:
    return ("presets", chosen.name) if chosen.name else ("configurations", CURRENT)


def _compare(arguments: Arguments, output: Output, chosen: Preset, mix: Scenario) -> list[Subject]:
    from chartui.core.estimation.comparison import compare, comparison_sheet, comparison_wire, named_estimate

    asked = asked_presets(arguments, chosen)
    names = [name for name, _ in asked]
    baseline = baseline_of(arguments, names)
    mixes = ask(arguments, lambda session: _answers(session, asked, mix), rate_card=arguments.rate_card)
    answers = [one.mixed() for one in mixes]
    named = [named_estimate(name, one.mixed(), one.ends) for name, one in zip(names, mixes, strict=True)]
    comparison = compare(named, baseline, price_of(arguments))
    disclaimers = dict.fromkeys(answer.disclaimer for answer in answers if answer.disclaimer)
    sheet = comparison_sheet(comparison, tuple(disclaimers))
    if arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        output.json({"rate_card": mixes[0].typical[0].raw.get("rate_card")} | comparison_wire(comparison))
    else:
        _write_beside(sheet, output)
    others: list[Kind] = ["presets"] * (len(names) - 1)
    kinds: list[Kind] = ["configurations", *others]
    return [*map(_highest, kinds, names, mixes)]


def _highest(kind: Kind, name: str, found: MixEstimate) -> Subject:
    return subject_of(kind, name, found.mixed("high"), None if found.ends is None else found.mixed())


async def _answers(session: Session, asked: list[tuple[str, Preset]], mix: Scenario) -> list[MixEstimate]:
    from chartui.core.costs import estimate_mix

    answers = []
    for name, preset in asked:
        cases = cases_of(scenario_for(name, mix), preset)
        try:
            answers.append(await estimate_mix(session.service, preset.selections, cases))
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
        output.sentence(note)


def _write(estimate: Estimate, price: Price | None, output: Output) -> None:
    amount = "unknown" if estimate.credits is None else exact(estimate.credits)
    unit = noun("credit", estimate.credits or 0)
    money = "" if price is None else f" ({price.text(estimate.credits)})"
    output.sentence(f"{amount} {unit} per interaction{money}, {latency_words(estimate.latency_ms)}")
    output.text()
    output.table(lines_of(estimate), header=LINES, right={1, 2, 4}, wraps=True)
    output.text()
    output.table(echo(estimate.selections, estimate.assumptions, estimate.rate_card))
    write_notes(estimate.doubt, estimate, output)


def write_notes(doubt: str, estimate: Estimate, output: Output) -> None:
    for note in filter(None, (f"(!) {doubt}" if doubt else "", estimate.disclaimer)):
        output.text()
        output.sentence(note)


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
                latency_words(latency) if latency else "",
                line.detail,
            ]
        )
    return rows


def latency_words(latency: LatencyRange | None) -> str:
    if latency is None:
        return "latency unknown"
    low, high = exact(latency.min), exact(latency.max)
    return f"{low} ms" if low == high else f"{low}–{high} ms{' (!)' if latency.backwards else ''}"


# -- for a character --------------------------------------------------------------------------------------------------


def write_cost(arguments: Arguments, output: Output, chosen: Preset, mix: Scenario) -> list[Subject]:
    for option in ("compare", "save_preset", "turns"):
        if getattr(arguments, option):
            raise UsageError(f"{option_name(option)} cannot be combined with --character")
    pins = load_pins()
    output.notes(pins.problems)

    async def question(session: Session) -> tuple[str | None, CharacterCost]:
        from chartui.core.costs import basis_for, facts_of, price_with_ends

        service, wanted = session.service, arguments.of_character
        reading = await with_objective(service, await read_whole(session, wanted))
        inputs, cases = _inputs(arguments, chosen), cases_of(mix, chosen)
        basis = await basis_for(session, inputs, chosen.assumptions, cases, mix.name)
        facts = facts_of(reading, await models_of(service, wanted), basis.scenes)
        name = reading.record.get("character_name")
        return name if isinstance(name, str) else None, await price_with_ends(service, facts, basis)

    name, cost = ask(arguments, question, rate_card=arguments.rate_card)
    price = price_of(arguments)
    if arguments.csv or arguments.markdown:
        write_sheet(cost_sheet(cost, f"Cost of {name or arguments.of_character}", price), arguments, output)
    elif output.as_json:
        facts = cost.mapped.facts
        character: Wire = {
            "id": arguments.of_character,
            "name": name,
            "model": facts.code,
            "reasoning_effort": facts.level,
            "reasoning_known": facts.level_from is not None,
        }
        money: dict[str, Wire] = {}
        if price is not None and cost.credits is not None:
            money = {
                "price": price.wire,
                "money": {name: price.of(end) for name, end in cost.credits._asdict().items()},
            }
        output.json({"character": character, **cost_as_wire(cost), **money})
    else:
        _write_character(name or arguments.of_character, cost, output)
        if ends := ends_text(cost):
            output.text(f"\n{ends}")
        if price is not None and cost.credits is not None:
            output.text(f"\n{money_text(cost, price)}")
    highest, typical = (cost.ends[-1], cost) if cost.ends else (cost, None)
    return [subject_of_cost("characters", name or arguments.of_character, highest, typical)]


def _inputs(arguments: Arguments, chosen: Preset) -> Inputs:
    """The inputs for a character's price: options override its record, and the record overrides the preset."""
    names = (*SELECTIONS, *SWITCHES)
    given = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    below = {name: value for name in names if (value := getattr(chosen.selections, name)) is not None}
    return Inputs(chosen=below, chosen_from=Source.PRESET, given=given)


def _write_character(name: str, cost: CharacterCost, output: Output) -> None:
    output.sentence(f"{name}: {price_text(cost)}")
    if cost.exact is not None:
        output.sentence(f"{latency_words(cost.exact.latency_ms)} end to end.")
        output.text()
        output.table(lines_of(cost.exact), header=LINES, right={1, 2, 4}, wraps=True)
    elif cost.priced:
        output.text()
        output.table(list(_candidates(cost)), right={1, 2})
        output.text()
        output.table([_stage(stage) for stage in cost.stages], right={1, 2})
    output.text()
    output.table([_member(cost, part) for part in cost.mapped.parts])
    if cost.tokens is not None:
        output.text()
        output.sentence(cost.tokens.told())
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
                else [f"{next(amounts)} credits", latency_words(one.estimate.latency_ms)]
            ),
        ]
        for one in cost.priced
    ]


def _stage(stage: CostStage) -> list[str]:
    from chartui.core.spec.models.estimation import LatencyRange

    latency = LatencyRange(min=stage.latency.min, max=stage.latency.max) if stage.latency is not None else None
    amounts = "–".join(dict.fromkeys(map(exact, stage.credits)))
    return [stage.label, f"{amounts} credits", latency_words(latency) if latency is not None else ""]


def _member(cost: CharacterCost, part: Part) -> list[str]:
    value = value_of(cost, part)
    if isinstance(value, list):
        text = f"one of {len(value)}"
    elif value is None:
        text = "service's default" if part.values else "unknown"
    else:
        text = yes_no(value) if isinstance(value, bool) else str(value)
    return [part.member, text, f"{part.source.value}{', assumed' if part.assumed else ''}", part.why]


# -- a conversation, turn by turn -------------------------------------------------------------------------------------


def converse(arguments: Arguments, output: Output, chosen: Preset, mix: Scenario) -> list[Subject]:
    """Write the cost of each turn, computed from the rates on this machine like ``rank`` and ``explore``."""
    from chartui.core.estimation.conversation import Conversation, conversation_wire, conversations, turns_sheet
    from chartui.core.estimation.rates import marked

    asked = asked_presets(arguments, chosen)
    asked.insert(0, asked.pop(baseline_of(arguments, [name for name, _ in asked])))
    rates = rates_of(arguments, output)
    named = []
    for name, preset in asked:
        selected, _ = completed(preset, rates.card)
        pricing, ends = mixed_prices(preset, scenario_for(name, mix), rates.card)
        conversation = Conversation.of(
            pricing.quantities,
            arguments.turns,
            user_tokens=arguments.user_tokens,
            reply_tokens=arguments.reply_tokens,
            history=arguments.history,
            ends=() if ends is None else ends.quantities,
        )
        if problem := conversation.problem():
            raise UsageError(problem.text)
        named.append((name, selected, conversation))
    found, price = conversations(rates.card, named), price_of(arguments)
    found = found._replace(notes=(*found.notes, *mix_notes(mix)))
    if arguments.csv or arguments.markdown:
        write_sheet(marked(turns_sheet(found, (), price), rates), arguments, output)
    elif output.as_json:
        _, selected, conversation = named[0]
        asked_for = echoed(rates, conversation.quantities, selected, price) | {"scenario": mix.name or None}
        output.json(asked_for | conversation_wire(found, price))
    else:
        _write_conversation(found, price, output, rates.mark)
        output.table(echo(named[0][1], named[0][2].quantities, rates.card))
    costs = {cost.name: cost for cost in found.costs}
    per = f"for {number_of(arguments.turns, 'turn')}"
    why = "the rate card lacks one of the configuration's options"
    kinds: dict[str, Kind] = {CURRENT: "configurations"}

    def subject(name: str) -> Subject:
        """The highest total is compared, as without turns."""
        kind, cost = kinds.get(name, "presets"), costs.get(name)
        if cost is None:
            return Subject(kind, name, None, None, why, per=per)
        typical = (cost.total,) if cost.ends else ()
        return Subject(kind, name, (cost.ends or (cost,))[-1].total, None, why, per=per, typical=typical)

    return [subject(name) for name, *_ in named]


def _write_conversation(found: Conversations, price: Price | None, output: Output, mark: str) -> None:
    from chartui.core.estimation.conversation import summary_of

    rates = f" ({mark} rates)" if mark else ""
    for cost in found.costs:
        said = f"{summary_of(cost, price)}{rates}"
        said = " ".join(filter(None, (said, cost.between())))
        output.sentence(said if len(found.costs) == 1 else f"{cost.name}: {said}")
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
    output.sentences((*found.texts, "", *found.notes, ""))
