"""``chartui estimate``: what one interaction costs, and how long it takes."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.cli.configurations import (
    QUANTITIES,
    SELECTIONS,
    SWITCHES,
    add_configuration,
    add_preset,
    add_rate_card,
    preset_of,
    save_preset,
)
from chartui.cli.errors import Exit, UsageError
from chartui.cli.output import Output, aligned, yes_no
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask, configuration
from chartui.cli.sheets import add_forms, write_sheet
from chartui.core.jsontext import canonical
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.tables import nearest

if TYPE_CHECKING:
    from chartui.core.presets import Preset
    from chartui.core.session import Session
    from chartui.core.sheet import Sheet
    from chartui.core.spec.models.estimation import Estimate, LatencyRange

__all__ = ["circumstances", "configure", "lines_of", "milliseconds", "write_notes"]

#: The longest bar, in cells.
BAR: Final = 20
#: What the configuration of the command's own words is called among those compared.
_GIVEN: Final = "given"


def configure(parser: Parser) -> None:
    """Add the options; what is left out takes the service's default."""
    parser.set_defaults(handler=estimate)
    add_preset(parser)
    parser.add_argument(
        "--character",
        dest="of_character",
        metavar="ID",
        help="what this character costs: options given here go before its record, a preset comes after it",
    )
    add_configuration(parser)
    add_rate_card(parser)
    add = parser.add_argument_group("comparing and keeping").add_argument
    add(
        "--compare",
        nargs="+",
        action="extend",
        metavar="PRESET",
        help="hold presets, each as it was saved, against the configuration given here",
    )
    add("--baseline", metavar="PRESET", help="the preset to hold the others against, the one given here too")
    add("--save-preset", metavar="NAME", help="keep the configuration given here as a preset")
    add("--replace", action="store_true", help="let it take the place of a preset of this name")
    add_forms(parser)


def estimate(arguments: Arguments, output: Output) -> int:
    """Ask for the estimate, or for all that are compared, and write it."""
    if arguments.baseline is not None and not arguments.compare:
        raise UsageError("--baseline is for --compare")
    if arguments.replace and arguments.save_preset is None:
        raise UsageError("--replace is for --save-preset")
    chosen = preset_of(arguments)
    if arguments.of_character is not None:
        from chartui.cli.estimate import write_cost

        return write_cost(arguments, output, chosen)
    if arguments.compare:
        _compare(arguments, output, chosen)
    else:
        _one(arguments, output, chosen)
    if arguments.save_preset is not None:
        # Not before: what the service refuses is not worth keeping.
        save_preset(replace(chosen, name=arguments.save_preset, note=""), output, replacing=arguments.replace)
    return Exit.DONE


def _one(arguments: Arguments, output: Output, chosen: Preset) -> None:
    async def question(session: Session) -> Estimate:
        return await session.service.estimate(chosen.selections, chosen.assumptions)

    found = ask(arguments, question, rate_card=arguments.rate_card)
    if arguments.csv or arguments.markdown:
        from chartui.core.estimation.summary import estimate_sheet

        write_sheet(estimate_sheet(found), arguments, output)
    elif output.as_json:
        output.json(found.raw)
    else:
        _write(found, output)


# -- several ----------------------------------------------------------------------------------------------------------


def _compare(arguments: Arguments, output: Output, chosen: Preset) -> None:
    """Ask the service for every configuration in turn, and write them side by side."""
    from chartui.core.estimation.comparison import compare, comparison_sheet, comparison_wire, named_estimate

    asked = _asked(arguments, chosen)
    baseline = _baseline(arguments, [name for name, _ in asked])
    answers = ask(arguments, lambda session: _answers(session, asked), rate_card=arguments.rate_card)
    named = [named_estimate(name, answer) for (name, _), answer in zip(asked, answers, strict=True)]
    comparison = compare(named, baseline)
    said = dict.fromkeys(answer.disclaimer for answer in answers if answer.disclaimer)
    sheet = comparison_sheet(comparison, tuple(said))
    if arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        output.json({"rate_card": answers[0].raw.get("rate_card")} | comparison_wire(comparison))
    else:
        _write_beside(sheet, output)


def _asked(arguments: Arguments, chosen: Preset) -> list[tuple[str, Preset]]:
    """The configurations by name: the one given here, then the presets. A name that is taken has its file beside it."""
    from chartui.core.presets import Presets

    asked = {_GIVEN: chosen}
    with configuration():
        presets = Presets()
        for word in arguments.compare:
            path, preset = presets.find(word)
            asked[f"{preset.name} ({path.name})" if preset.name in asked else preset.name] = preset
    return list(asked.items())


def _baseline(arguments: Arguments, names: list[str]) -> int:
    if arguments.baseline is None:
        return 0
    if arguments.baseline not in names:
        raise UsageError(f"--baseline: '{arguments.baseline}' is not compared{nearest(arguments.baseline, names)}")
    return names.index(arguments.baseline)


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
    """The sheet for a person: without what the names say already, and with its parts apart."""
    from chartui.core.sheet import as_texts

    texts = as_texts(sheet)
    signs = ("%" if name.endswith(": percent") else "±" for name, _, signed in sheet.columns if signed)
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


# -- one --------------------------------------------------------------------------------------------------------------


def _write(estimate: Estimate, output: Output) -> None:
    amount = "unknown" if estimate.credits is None else canonical(estimate.credits)
    output.text(f"{amount} credits per interaction, {milliseconds(estimate.latency_ms)}")
    output.text()
    output.table(lines_of(estimate), right={1, 2, 4})
    output.text()
    output.table(_echo(estimate))
    write_notes(estimate.doubt, estimate, output)


def write_notes(doubt: str, estimate: Estimate, output: Output) -> None:
    """What makes no sense in the figures above, and the service's disclaimer."""
    for said in filter(None, (f"(!) {doubt}" if doubt else "", estimate.disclaimer)):
        output.text()
        output.text(said)


def lines_of(estimate: Estimate) -> list[list[str]]:
    """A row for each line: label, credits, share, bar, latency, detail."""
    rows = []
    for line, amount in zip(estimate.lines, aligned([line.credits for line in estimate.lines]), strict=True):
        share = estimate.share(line) or Decimal(0)
        bar = "#" * round(BAR * min(max(share, Decimal(0)), Decimal(1)))
        latency = line.latency
        rows.append(
            [
                line.label or line.key,
                amount,
                "" if estimate.credits is None else f"{share:.0%}",
                bar.ljust(BAR),
                milliseconds(latency) if latency else "",
                line.detail,
            ]
        )
    return rows


def milliseconds(latency: LatencyRange | None) -> str:
    """A latency as a range, with a sign where the minimum is above the maximum."""
    if latency is None:
        return "latency not given"
    low, high = canonical(latency.min), canonical(latency.max)
    return f"{low} ms" if low == high else f"{low}–{high} ms{' (!)' if latency.backwards else ''}"


def _echo(estimate: Estimate) -> list[list[str]]:
    """What the estimate is for, as the service understood it (decision 8), and which rates were used."""
    rows = []
    if estimate.selections is not None:
        for name in (*SELECTIONS, *SWITCHES):
            value = getattr(estimate.selections, name)
            rows.append([name, yes_no(value) if name in SWITCHES else value or "–"])
    return [*rows, *circumstances(estimate)]


def circumstances(estimate: Estimate) -> list[list[str]]:
    """The quantities that an estimate is for, and which rates were used."""
    rows = []
    if estimate.assumptions is not None:
        for name in QUANTITIES:
            value = getattr(estimate.assumptions, name)
            rows.append([name.replace("_", " "), "–" if value is None else canonical(value)])
    card = estimate.rate_card
    if card is not None:
        version = "–" if card.version is None else canonical(card.version)
        rows.append(["rate card", f"{version}, effective {card.effective_date or '–'}"])
    return rows
