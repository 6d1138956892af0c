"""``chartui scenarios``, which saves scenarios by name, and the estimate of a mix of interactions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chartui.cli.configurations import (
    add_ranges,
    add_scenario,
    amount,
    cases_of,
    echo,
    mix_in_words,
    price_of,
    remove_from,
    rename_in,
    scenario_of,
)
from chartui.cli.errors import Exit
from chartui.cli.estimate import LINES, lines_of, milliseconds, write_notes
from chartui.cli.output import Output, write_sheet
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.sessions import ask, configuration
from chartui.cli.subscriptions import add_usage, usage_of
from chartui.core.costs import estimate_mix
from chartui.core.estimation.mix import ENDS, End, MixEstimate, mix_sheet
from chartui.core.estimation.scenario import Scenario, Scenarios, as_table, table_of
from chartui.core.numbers import exact
from chartui.core.sheet import as_texts

if TYPE_CHECKING:
    from decimal import Decimal

    from chartui.core.jsontext import Wire
    from chartui.core.presets import Preset
    from chartui.core.spec.models.estimation import Estimate

_WHICH: Final = "name of the scenario"
#: The names of the credits for each end of the quantities.
_ENDS: Final[dict[str, End]] = dict(zip(("least", "typical", "most"), ENDS, strict=True))


def configure_scenarios(parser: Parser) -> None:
    """Add the verbs of ``scenarios``. They change nothing on a service, so the lock does not apply."""
    verbs = add_verbs(parser)
    add_verb(verbs, "list", "list the scenarios", list_scenarios)
    verb = add_verb(verbs, "show", "show a scenario and its file", show)
    verb.option("name", "SCENARIO", "name or file of the scenario")
    verb = add_verb(verbs, "save", "save inputs and usage; kinds of interaction are taken from --scenario", save)
    verb.option("name", "NAME", _WHICH)
    verb.option("--note", "TEXT", "description (default: from the scenario, or none)")
    verb.flag("--replace", "overwrite an existing scenario with this name")
    add_scenario(verb)
    add_ranges(verb, "(default: from the scenario or the service)")
    about = (
        "characters spoken per second, used to calculate the length of the speech from that of the text, or vice versa"
    )
    verb.option("--characters-per-second", "N", f"{about} (default: the two lengths are independent)", type=amount)
    add_usage(verb)
    verb = add_verb(verbs, "rename", "rename a scenario", rename)
    verb.option("name", "NAME", _WHICH)
    verb.option("new_name", "NEW", "new name")
    verb = add_verb(verbs, "remove", "remove a scenario and its file", remove)
    verb.option("name", "NAME", _WHICH)
    verb.flag("--yes", "do not ask before removing; required without a terminal")


def list_scenarios(arguments: Arguments, output: Output) -> int:
    del arguments
    with configuration():
        entries = Scenarios().entries()
    broken = [entry.fault for entry in entries if entry.item is None]
    status = Exit.USAGE if broken else Exit.DONE
    if output.as_json:
        output.json([_facts(e.path, e.item) if e.item else _broken(e.path, e.fault) for e in entries])
        return status
    known = [entry.item for entry in entries if entry.item is not None]
    if known:
        output.table([[one.name, _kinds(one), one.note] for one in known], header=["NAME", "KINDS", "NOTE"])
    elif not broken:
        output.note("no scenarios yet; 'chartui scenarios save' adds a scenario")
    for fault in broken:
        output.note(fault)
    return status


def show(arguments: Arguments, output: Output) -> None:
    with configuration():
        path, scenario = Scenarios().find(arguments.name)
    _write(path, scenario, output)


def save(arguments: Arguments, output: Output) -> None:
    below = scenario_of(arguments)
    names = ("users", "interactions", "minutes", "per", "days", "sessions", "growth")
    given = any(getattr(arguments, name) is not None for name in names)
    rate: Decimal | None = arguments.characters_per_second
    scenario = replace(
        below,
        name=arguments.name,
        note=below.note if arguments.note is None else arguments.note,
        usage=usage_of(arguments, below.usage) if given else below.usage,
        characters_per_second=below.characters_per_second if rate is None else rate,
    )
    with configuration():
        path = Scenarios().save(scenario, replace=arguments.replace)
    output.note(f"scenario '{scenario.name}' is saved in {path}")
    _write(path, scenario, output)


def rename(arguments: Arguments, output: Output) -> None:
    rename_in(Scenarios(), arguments, output)


def remove(arguments: Arguments, output: Output) -> None:
    remove_from(Scenarios(), arguments, output)


def _kinds(scenario: Scenario) -> str:
    return ", ".join(kind.name for kind in scenario.kinds) or "–"


def _facts(path: Path, scenario: Scenario) -> dict[str, Wire]:
    return {**as_table(scenario), "file": str(path)}


def _broken(path: Path, fault: str) -> dict[str, Wire]:
    return {"name": None, "file": str(path), "problem": fault}


def _write(path: Path, scenario: Scenario, output: Output) -> None:
    if output.as_json:
        output.json(_facts(path, scenario))
        return
    output.text(Scenarios().written(scenario).rstrip())
    output.text()
    output.fields([("file", str(path))])


# -- an estimate -------------------------------------------------------------------------------------------------------


def write_mix(arguments: Arguments, output: Output, chosen: Preset, mix: Scenario) -> MixEstimate:
    """Write and return the estimates of each kind of interaction and of the mix."""
    cases = cases_of(mix, chosen)
    found = ask(
        arguments,
        lambda session: estimate_mix(session.service, chosen.selections, cases),
        rate_card=arguments.rate_card,
    )
    typical = found.mixed()
    price = price_of(arguments)
    sheet = mix_sheet(found, f"Scenario {mix.name}".rstrip(), tuple(filter(None, (typical.disclaimer,))))
    if arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        money: dict[str, Wire] = {} if price is None else {"price": price.wire, "money": price.of(typical.credits)}
        output.json({**_wire(found, mix, typical), **money})
    else:
        least, most = (_text(found.mixed(end)) for end in ("low", "high"))
        money_text = "" if price is None else f" ({price.text(typical.credits)})"
        each = f"{_text(typical)} credits per interaction{money_text}"
        output.text(f"{each}, {milliseconds(typical.latency_ms)}")
        if found.ends is not None:
            output.text(f"From {least} credits with the lowest quantities to {most} with the highest.")
        output.text(f"{mix_in_words(mix)}. The lines below show the averages for typical interactions.")
        output.text()
        texts = as_texts(sheet)
        output.table(texts.rows, header=[name.upper() for name in texts.header], right=texts.right)
        output.text()
        output.table(lines_of(typical), header=LINES, right={1, 2, 4})
        output.text()
        output.table(echo(typical.selections, typical.assumptions, typical.rate_card))
        write_notes(typical.doubt, typical, output)
    return found


def _text(estimate: Estimate) -> str:
    return "unknown" if estimate.credits is None else exact(estimate.credits)


def _wire(found: MixEstimate, mix: Scenario, typical: Estimate) -> dict[str, Wire]:
    kinds: list[dict[str, Any]] = [
        {
            "name": case.name,
            "weight": case.weight,
            "assumptions": table_of(case.ranges),
            "credits": {name: getattr(found, end)[at].credits for name, end in _ENDS.items()},
        }
        for at, case in enumerate(found.cases)
    ]
    ends = {name: found.mixed(end).credits for name, end in _ENDS.items()}
    return {**typical.raw, "scenario": mix.name or None, "credits": ends, "kinds": kinds}
