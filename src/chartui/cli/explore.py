"""``chartui rank`` and ``explore``: alternatives to a configuration, and the best of all configurations."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from chartui.cli.configurations import (
    QUANTITIES,
    add_configuration,
    add_preset,
    add_price,
    add_ranges,
    add_rate_card,
    add_scenario,
    amount,
    configuration_of,
    echo,
    echoed,
    mix_notes,
    mixed_prices,
    preset_of,
    price_of,
    rates_of,
    save_preset,
    scenario_of,
    take_preset,
    typical,
)
from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import milliseconds, whole_number
from chartui.cli.output import Output, add_forms, write_sheet
from chartui.cli.parser import Arguments, Parser, option_name
from chartui.core.estimation.constraints import (
    FEATURE_NAMES,
    GROUPS,
    REMARKS,
    Constraints,
    Need,
    Unsupported,
    default_constraints,
    features,
    groups,
    in_words,
)
from chartui.core.estimation.mix import with_ends
from chartui.core.estimation.prices import Configuration, Pricing
from chartui.core.estimation.rank import RANKED, Order, Ranked, rank_sheet
from chartui.core.estimation.rank import rank as ranking
from chartui.core.estimation.rates import marked
from chartui.core.money import with_money
from chartui.core.naming import unknown
from chartui.core.numbers import aligned, count, exact, number_of
from chartui.core.presets import Preset, Presets
from chartui.core.spec.models.estimation import Assumptions, Selections

if TYPE_CHECKING:
    from chartui.core.estimation.card import RateCard
    from chartui.core.estimation.exploration import Found, Point
    from chartui.core.estimation.mix import Ends
    from chartui.core.jsontext import Wire
    from chartui.core.money import Price


def configure_rank(parser: Parser) -> None:
    parser.add_argument(
        "kind", nargs="?", choices=tuple(RANKED), default="models", help="category to compare (default: models)"
    )
    parser.add_argument(
        "--sort", choices=tuple(order.value for order in Order), default="credits", help="sort order (default: credits)"
    )
    parser.flag("--reverse", "reverse the sort order; unknown values stay last")
    parser.option("--limit", "N", "maximum number of rows (default: all)", type=whole_number)
    add_preset(parser)
    add_configuration(parser, ranges=True)
    add_scenario(parser)
    add_constraints(parser, "the speech and animation of the given configuration")
    add_rate_card(parser)
    add_price(parser)
    add_forms(parser)


def rank(arguments: Arguments, output: Output) -> int:
    mix, preset = scenario_of(arguments), preset_of(arguments)
    take_preset(arguments)
    rates = rates_of(arguments, output)
    configuration = configuration_of(arguments, rates.card)
    pricing, ends = mixed_prices(preset, mix, rates.card)
    kind, order = RANKED[arguments.kind], Order(arguments.sort)
    constraints = constraints_of(arguments, rates.card, configuration)
    ranked = ranking(pricing, configuration, kind, by=order, reverse=arguments.reverse, constraints=constraints)
    # The default constraints only sort; a script asks whether its own can be met.
    fits = constraints == default_constraints(configuration) or any(not entry.unmet for entry in ranked)
    ranked = ranked[: arguments.limit]
    price = price_of(arguments)
    sheet = with_money(rank_sheet(ranked, mix_notes(mix)), price, ("credits", "difference"))
    sheet = with_ends(sheet, ends, (entry.configuration for entry in ranked))
    if arguments.csv or arguments.markdown:
        write_sheet(marked(sheet, rates), arguments, output)
    elif output.as_json:
        from chartui.core.sheet import as_records

        asked = {"kind": kind, "sort": order.value, "reverse": arguments.reverse, "constraints": _asked(constraints)}
        rows = [
            row | {"unmet_constraints": [*entry.unmet]} for row, entry in zip(as_records(sheet), ranked, strict=True)
        ]
        asked |= {"scenario": mix.name or None}
        output.json(echoed(rates, pricing.quantities, configuration, price) | asked | {"options": rows})
    else:
        money, between = [price.currency] if price else [], ["LEAST", "MOST"] if ends else []
        header = ["", "KEY", "CREDITS", *between, "DIFFERENCE", "LATENCY", *money, ""]
        rows_ = _table(ranked, price, rates.mark, _between(ends, (entry.configuration for entry in ranked)))
        narrow = [header.index("DIFFERENCE")]
        output.table(rows_, header=header, right={*range(2, len(header) - 1)}, wraps=True, drops=narrow)
        output.text()
        output.sentences((*mix_notes(mix), _sentence(constraints)))
        unusual = dict.fromkeys(remark.text for entry in ranked for remark in entry.remarks if remark.unusual)
        if unusual:
            output.table([["unusual inputs" if i == 0 else "", text] for i, text in enumerate(unusual)])
            output.text()
        output.table(echo(configuration, pricing.quantities, rates.card))
    if not fits:
        output.note("no option meets all constraints")
    return Exit.DONE if fits else Exit.NO


def _between(ends: Ends | None, configurations: Iterable[Configuration]) -> list[list[str]]:
    """The minimum and maximum credits of configurations, as cells; none if no quantity varies."""
    if ends is None:
        return [[] for _ in configurations]
    found = [ends.credits(one) or (None, None) for one in configurations]
    columns = (
        iter(aligned([amount for amount in column if amount is not None])) for column in zip(*found, strict=True)
    )
    least, most = columns
    return [
        ["unknown" if low is None else next(least), "unknown" if high is None else next(most)] for low, high in found
    ]


def _table(
    ranked: Sequence[Ranked], price: Price | None, mark: str, between: Sequence[Sequence[str]]
) -> list[list[str]]:
    prices = iter(aligned([entry.credits for entry in ranked if entry.credits is not None]))
    more = iter(aligned([entry.difference for entry in ranked if entry.difference is not None]))
    return [
        [
            "*" if entry.chosen else "",
            entry.key,
            "unknown" if entry.credits is None else next(prices),
            *ends,
            "–" if entry.difference is None else f"{'+' if entry.difference > 0 else ''}{next(more)}",
            "–" if entry.latency is None else f"{count(entry.latency[0])}–{count(entry.latency[1])} ms",
            *([price.cell(entry.credits)] if price else []),
            _remark(entry, mark),
        ]
        for entry, ends in zip(ranked, between, strict=True)
    ]


def _remark(entry: Ranked, mark: str) -> str:
    # What the remarks say anyway.
    said = in_words(Constraints(billed_elsewhere=Need.MUST_NOT, unusual_inputs=Need.MUST_NOT, beta=Need.MUST_NOT))
    unmet = [phrase for phrase in entry.unmet if phrase not in said]
    remarks = {
        "realtime": entry.realtime,
        "billed by its provider": entry.billed_elsewhere,
        "your own price": entry.own_price,
        "beta": entry.beta,
        "unusual inputs": bool(entry.note),
        f"unmet: {', '.join(unmet)}": bool(unmet),
        f"{mark} rates": bool(mark),
    }
    return ", ".join(remark for remark, applies in remarks.items() if applies)


# -- explore ----------------------------------------------------------------------------------------------------------


#: The options that set the constraint on a feature.
_NEEDS: Final = {"require": Need.MUST, "forbid": Need.MUST_NOT, "allow": Need.ANY}


#: The help texts of the options for :data:`LIMITS`.
_LIMITS: Final = {
    "max_credits": "maximum credits per interaction (default: no limit)",
    "max_monthly_credits": "maximum credits a month; needs --interactions (default: no limit)",
    "max_monthly_price": "maximum monthly price of a subscription; needs --interactions (default: no limit)",
    "interactions": "number of interactions a month, used for the monthly limits",
}
#: The help texts of the options for the members of :data:`GROUPS`.
_GROUPS: Final = {
    "families": "allowed model family",
    "speech_in_vendors": "allowed speech input vendor",
    "speech_out_vendors": "allowed speech output vendor",
}


def configure_explore(parser: Parser) -> None:
    add_constraints(parser, "the speech and animation of the rate card's default configuration")
    parser.option(
        "--limit", "N", "maximum number of points on the Pareto front, cheapest first (default: all)", type=whole_number
    )
    parser.option(
        "--save-presets",
        "NAME",
        "save the points on the Pareto front as presets 'NAME 1', 'NAME 2' and so on; needs --limit",
    )
    parser.flag("--replace", "let --save-presets overwrite existing presets")
    add_ranges(parser, "(default: from the scenario or the rate card)")
    add_scenario(parser)
    add_rate_card(parser)
    add_price(parser)
    add_forms(parser)


def add_constraints(parser: Parser, default: str) -> None:
    """Add the options for constraints. ``default`` says whose features are required by default."""
    parser.epilog = f"LIST is one or more of {', '.join(FEATURE_NAMES)}, separated by commas."
    for name, text in (
        ("require", f"required features (default: {default})"),
        ("forbid", "excluded features (default: unusual-inputs and billed-elsewhere)"),
        ("allow", "features to exempt from the default constraints"),
    ):
        parser.option(f"--{name}", "LIST", text, type=_features, action="extend", default=[])
    for member, text in _GROUPS.items():
        help_text = f"{text}; may be repeated (default: all)"
        parser.option(option_name(GROUPS[member][0]), "NAME", help_text, action="append", default=[])
    parser.option(
        "--max-latency",
        "TIME",
        "maximum worst-case end-to-end latency, such as 1200 or 1.2s (default: no limit)",
        type=milliseconds,
    )
    for name, text in _LIMITS.items():
        parser.option(option_name(name), "N", text, type=amount)


def _features(text: str) -> list[str]:
    found = []
    for word in (part.strip() for part in text.split(",")):
        if word not in FEATURE_NAMES:
            raise argparse.ArgumentTypeError(unknown("feature", word, FEATURE_NAMES))
        found.append(FEATURE_NAMES[word])
    return found


def explore(arguments: Arguments, output: Output) -> int:
    from chartui.core.estimation import exploration

    if arguments.save_presets is not None and arguments.limit is None:
        raise UsageError("--save-presets needs --limit")
    if arguments.replace and arguments.save_presets is None:
        raise UsageError("--replace needs --save-presets")
    mix, rates = scenario_of(arguments), rates_of(arguments, output)
    constraints = constraints_of(arguments, rates.card, Configuration.default(rates.card))
    pricing, ends = mixed_prices(Preset(name=""), mix, rates.card)
    found = exploration.explore(pricing, constraints)
    shown, price = found.front[: arguments.limit], price_of(arguments)
    if arguments.csv or arguments.markdown:
        notes = [*mix_notes(mix), _sentence(constraints)]
        sheet = with_money(exploration.front_sheet(found, notes, most=arguments.limit), price)
        sheet = with_ends(sheet, ends, (point.first for point in shown))
        write_sheet(marked(sheet, rates), arguments, output)
    elif output.as_json:
        inputs = echoed(rates, pricing.quantities, price=price) | {"scenario": mix.name or None}
        output.json(inputs | {"constraints": _asked(constraints)} | _answer(found, shown, price, ends))
    else:
        unknown = (
            f"; the price of {number_of(found.unpriced, 'more configuration')} is unknown" if found.unpriced else ""
        )
        output.sentences((*mix_notes(mix), _sentence(constraints)))
        if by_default := _by_default(constraints, arguments):
            output.sentence(f"Default constraints: {', '.join(by_default)} (--allow lifts them).")
        output.sentence(f"{count(found.count)} of {count(found.space)} configurations match{unknown}.")
        output.text()
        if found.count:
            _write_front(found, shown, price, output, rates.mark, ends)
        else:
            _write_way_out(pricing, constraints, output, rates.mark)
        output.table(echo(None, pricing.quantities, rates.card))
    if arguments.save_presets is not None:
        _save(shown, arguments, output)
    return Exit.DONE if found.count else Exit.NO


def _save(points: Sequence[Point], arguments: Arguments, output: Output) -> None:
    """Save points as presets. Raises :class:`UsageError` before the first one if a name is taken."""
    given = Assumptions(**{name: typical(getattr(arguments, name)) for name in QUANTITIES})
    presets = [
        Preset(
            name=f"{arguments.save_presets} {number}", selections=Selections(**point.first._asdict()), assumptions=given
        )
        for number, point in enumerate(points, 1)
    ]
    taken = {kept.preset.name for kept in Presets().all() if kept.preset} & {preset.name for preset in presets}
    if taken and not arguments.replace:
        names = ", ".join(f"'{name}'" for name in sorted(taken))
        raise UsageError(f"nothing was saved: {names} exist; add --replace to overwrite them")
    for preset in presets:
        save_preset(preset, output, replacing=arguments.replace)


def constraints_of(arguments: Arguments, card: RateCard, configuration: Configuration) -> Constraints:
    """The default constraints, overridden by the given ones.

    Raises :class:`UsageError` for contradictory constraints, and for limits that the card does not support.
    """
    for one, other in combinations(_NEEDS, 2):
        if both := {*getattr(arguments, one)} & {*getattr(arguments, other)}:
            names = ", ".join(name for name, member in FEATURE_NAMES.items() if member in both)
            raise UsageError(f"--{one} and --{other} contradict each other: {names}")
    limits = {name: getattr(arguments, name) for name in _LIMITS}
    for name, limit in limits.items():
        if limit is not None and limit < 0:
            raise UsageError(f"{option_name(name)} must be 0 or more")
        if limit is not None and "monthly" in name and not arguments.interactions:
            raise UsageError(f"{option_name(name)} needs --interactions")
    needs: dict[str, Any] = {member: need for option, need in _NEEDS.items() for member in getattr(arguments, option)}
    named: dict[str, Any] = {
        member: _named(option_name(name), getattr(arguments, name), groups(card, kind))
        for member, (name, kind) in GROUPS.items()
    }
    default = default_constraints(configuration)
    constraints = replace(default, **needs, **named, **limits, max_latency=arguments.max_latency)
    try:
        constraints.check(card)
    except Unsupported as error:
        raise UsageError(str(error)) from None
    return constraints


def _named(option: str, given: Iterable[str], known: Sequence[str]) -> frozenset[str]:
    by_name = {_plain(name): name for name in known}
    found = set()
    for name in given:
        if _plain(name) not in by_name:
            raise UsageError(unknown("name", name, known, place=f"for {option}"))
        found.add(by_name[_plain(name)])
    return frozenset(found)


def _plain(name: str) -> str:
    return name.casefold().replace(" ", "").replace("-", "").replace("_", "")


def _by_default(constraints: Constraints, arguments: Arguments) -> list[str]:
    given = {member for option in _NEEDS for member in getattr(arguments, option)}
    words = {Need.MUST: "{}", Need.MUST_NOT: "no {}"}
    return [
        words[need].format(name)
        for name, member in FEATURE_NAMES.items()
        if member not in given and (need := getattr(constraints, member)) in words
    ]


def _sentence(constraints: Constraints) -> str:
    said = ", ".join(in_words(constraints))
    return f"Constraints: {said or 'none'}."


def _write_front(
    found: Found, shown: Sequence[Point], price: Price | None, output: Output, mark: str, ends: Ends | None
) -> None:
    best = [("cheapest", found.cheapest), ("fastest", found.fastest)]
    output.fields([(name, _in_short(found, point, mark)) for name, point in best])
    output.text()
    amounts = aligned([point.credits for point in shown])
    rows = [
        [
            text,
            *between,
            *([price.cell(point.credits)] if price else []),
            _latency(point),
            count(point.count),
            *_chosen(found, point),
            *([mark] if mark else []),
        ]
        for point, text, between in zip(shown, amounts, _between(ends, (one.first for one in shown)), strict=True)
    ]
    money = [*(["LEAST", "MOST"] if ends else []), *([price.currency] if price else [])]
    header = ["CREDITS", *money, "LATENCY", "NUMBER", "LLM", "STT", "TTS", "WITH", *(["RATES"] if mark else [])]
    output.table(rows, header=header, right={*range(3 + len(money))})
    if len(shown) < len(found.front):
        output.sentence(f"… and {count(len(found.front) - len(shown))} more that are faster but cost more")
    output.text()


def _write_way_out(pricing: Pricing, constraints: Constraints, output: Output, mark: str) -> None:
    from chartui.core.estimation.exploration import loosened

    ways = loosened(pricing, constraints)
    for way in ways:
        matching = number_of(way.found.count, "configuration")
        example = _in_short(way.found, way.found.cheapest, mark)
        output.sentence(f"If '{way.phrase}' is removed: {matching}, such as {example}")
    if not ways:
        output.sentence("No configuration matches. Removing a single constraint is not enough.")
    output.text()


def _in_short(found: Found, point: Point | None, mark: str) -> str:
    if point is None:
        return "unknown: the rate card has no latencies"
    rates = f" ({mark} rates)" if mark else ""
    return f"{exact(point.credits)} credits{rates}, {_latency(point)}: {', '.join(filter(None, _chosen(found, point)))}"


def _latency(point: Point) -> str:
    return "–" if point.latency is None else f"{count(point.latency)} ms"


def _chosen(found: Found, point: Point) -> list[str]:
    chosen, has = point.first, features(point.first, found.own)
    beside = {
        "memory": chosen.memory,
        "knowledge": chosen.knowledge,
        chosen.animation: has["animation"],
        "billed by its provider": has["billed_elsewhere"],
        "your own price": has["own_price"],
        "unusual inputs": has["unusual_inputs"],
        "beta": has["beta"],
    }
    return [chosen.llm, chosen.stt, chosen.tts, ", ".join(name for name, on in beside.items() if on)]


def _asked(constraints: Constraints) -> dict[str, Wire]:
    def listed(need: Need) -> list[str]:
        return [name for name, member in FEATURE_NAMES.items() if getattr(constraints, member) is need]

    return {
        "require": listed(Need.MUST),
        "forbid": listed(Need.MUST_NOT),
        **{member: sorted(getattr(constraints, member)) for member in GROUPS},
        "max_latency_ms": constraints.max_latency,
        **{name: getattr(constraints, name) for name in _LIMITS},
    }


def _answer(found: Found, shown: Sequence[Point], price: Price | None, ends: Ends | None) -> dict[str, Wire]:
    return {
        "matching": found.count,
        "total": found.space,
        "unpriced": found.unpriced,
        "cheapest": _point(found, found.cheapest, price, ends),
        "fastest": _point(found, found.fastest, price, ends),
        "pareto_front": [_point(found, point, price, ends) for point in shown],
    }


def _point(found: Found, point: Point | None, price: Price | None, ends: Ends | None) -> dict[str, Wire] | None:
    if point is None:
        return None
    span = ends.credits(point.first) if ends is not None else None
    has = features(point.first, found.own)
    return {
        "credits": point.credits,
        **({} if span is None else {"least": span[0], "most": span[1]}),
        **({} if price is None else {"money": price.of(point.credits)}),
        "latency_ms": point.latency,
        "configurations": point.count,
        "selections": point.first._asdict(),
        **{name: has[name] for name in REMARKS},
    }
