"""The options that select a configuration, and ``chartui presets``, which saves configurations by name."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import UsageError
from chartui.cli.gates import is_path
from chartui.cli.named_files import NamedFileCommands
from chartui.cli.output import Output, members, yes_no
from chartui.cli.parser import Arguments, Parser, add_verbs, option_name
from chartui.cli.sessions import add_reference_rates, ask, check_rate_card, chosen_profile, configuration
from chartui.core.estimation.card import MAX_QUANTITY, RateCard
from chartui.core.estimation.card import QUANTITIES as MEMBERS
from chartui.core.estimation.prices import Configuration, Quantities
from chartui.core.jsontext import Wire, canonical
from chartui.core.naming import BadName, Item, UnknownName, find, nearest, unknown
from chartui.core.numbers import exact, number_of, range_text
from chartui.core.presets import Preset, PresetError, Presets, differences
from chartui.core.spec.catalogue import KINDS, Kind, option, options
from chartui.core.spec.models.estimation import Assumptions, RateCardNote, Selections
from chartui.core.spec.operation import BadText, Codec, decode
from chartui.core.typed_numbers import Range, typed_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chartui.core.estimation.mix import Case, Ends
    from chartui.core.estimation.prices import Pricing
    from chartui.core.estimation.rates import Rates
    from chartui.core.estimation.scenario import Scenario
    from chartui.core.money import Price


#: The options with a choice, the switches and the quantities, each with its help text. The names are those of the
#: members of ``Selections`` and ``Assumptions``.
SELECTIONS: Final = {"llm": "model", "stt": "speech input", "tts": "speech output", "animation": "animation"}
SWITCHES: Final = {"memory": "long-term memory", "knowledge": "knowledge bank"}
QUANTITIES: Final = {
    "input_tokens": "prompt length in tokens",
    "output_chars": "reply length in characters",
    "stt_seconds": "speech input in seconds",
    "tts_seconds": "speech output in seconds",
}
#: The default of these options.
_DEFAULT: Final = "(default: from the preset or the service)"
_DEFAULT_OF_SCENARIO: Final = "(default: from the scenario, the preset or the service)"


def add_configuration(parser: Parser, *, ranges: bool = False) -> None:
    """Add the options of a configuration. With ``ranges``, a quantity may be a range such as ``100-300``."""
    for name, text in SELECTIONS.items():
        parser.option(option_name(name), "KEY", f"{text}: an option key from 'chartui options' {_DEFAULT}")
    for name, text in SWITCHES.items():
        parser.switch(option_name(name), f"{text} {_DEFAULT}")
    if ranges:
        add_ranges(parser)
    else:
        for name, text in QUANTITIES.items():
            parser.option(option_name(name), "N", f"{text} {_DEFAULT}", type=amount)


def add_ranges(parser: Parser, default: str = _DEFAULT_OF_SCENARIO) -> None:
    for name, text in QUANTITIES.items():
        about = f"{text}, or a range such as 100-300 {default}"
        parser.option(option_name(name), "N", about, type=amount_or_range)


def add_scenario(parser: Parser) -> None:
    about = "name or file of a scenario with quantities and usage (default: none)"
    parser.option("--scenario", "SCENARIO", about)


def add_rate_card(parser: Parser) -> None:
    parser.option("--rate-card", "FILE", "rate card to use with an embedded store (default: the profile's rate card)")
    add_reference_rates(parser)


def add_price(parser: Parser) -> None:
    parser.option(
        "--price",
        "PRICE",
        "price of 1 000 credits, such as '0.50 EUR', used to show costs in that currency alongside credits "
        "(default: as set in config.toml)",
        type=_price,
    )


def _price(text: str) -> Price:
    from chartui.core.money import read_price

    try:
        return read_price(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: a price {error}") from None


def price_of(arguments: Arguments) -> Price | None:
    """The price of 1 000 credits: the given one, or the one in the settings."""
    if arguments.price is not None:
        given: Price = arguments.price
        return given
    from chartui.core.config import load_config

    return load_config().price


def amount(text: str) -> Decimal:
    try:
        return Decimal(decode(Codec.NUMBER, text))
    except BadText:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number such as 8 or 2.5") from None


def amount_or_range(text: str) -> Decimal | Range:
    try:
        found = typed_range(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error} (a number such as 8 or 2.5, or a range such as 100-300)") from None
    return found if found.varies else found.typical


def typical(value: Decimal | Range | None) -> Decimal | None:
    return value.typical if isinstance(value, Range) else value


def rates_of(arguments: Arguments, output: Output, *, priced: bool = True) -> Rates:
    """The rates for local estimates; sends no request.

    Raises :class:`UsageError` for an unusable card and, if something is ``priced``, for unknown rates of a service,
    unless the reference rates are allowed.
    """
    from chartui.core.estimation.rates import RateSource, rates_for

    profile = chosen_profile(arguments)
    check_rate_card(profile, arguments.rate_card)
    with configuration():
        rates = rates_for(profile, rate_card=arguments.rate_card)
    if priced and rates.source is RateSource.REFERENCE and not arguments.reference_rates:
        raise UsageError(
            f"{rates.unknown}; use --reference-rates to calculate with the reference rates instead", code="rates"
        )
    if rates.banner:
        output.note(rates.banner)
    return rates


def configuration_of(arguments: Arguments, card: RateCard) -> Configuration:
    """The card's defaults, overridden by the given options. Raises :class:`UsageError` for an unknown option."""
    given = {name: value for name in (*SELECTIONS, *SWITCHES) if (value := getattr(arguments, name)) is not None}
    for kind in KINDS:
        if given.get(kind) is not None:
            given[kind] = option_called(kind, given[kind], option_items(kind, card), place=f"for {option_name(kind)}")
    return Configuration.default(card)._replace(**given)


def option_items(kind: Kind, card: RateCard | None = None) -> list[Item]:
    known = {one.key: Item(one.key, one.label) for one in options(kind)}
    return [*known.values(), *(Item(key) for key in (card.options[kind] if card else ()) if key not in known)]


def option_called(kind: Kind, given: str, items: Sequence[Item], *, place: str = "", whole: bool = False) -> str:
    """The key of the option with this key or label, or a unique start of either. Raises :class:`UsageError`.

    ``place`` is as in :func:`~chartui.core.naming.unknown`, ``whole`` as in :func:`~chartui.core.naming.find`.
    """
    try:
        return find(f"{SELECTIONS[kind]} option", given, items, whole=whole, name_prefix=True).id
    except UnknownName:
        keys, labels = [item.id for item in items], [item.name for item in items if item.name]
        known = keys if nearest(given, keys) or not nearest(given, labels) else labels
        raise UsageError(unknown(SELECTIONS[kind], given, known, place=place)) from None
    except BadName as error:
        raise UsageError(str(error), code="name") from None


def name_options(arguments: Arguments) -> None:
    """Replace labels and starts of options by keys. The profile is asked about options not in the catalogue.

    Raises :class:`UsageError`.
    """
    given = {kind: key for kind in KINDS if (key := getattr(arguments, kind)) and option(kind, key) is None}
    if not given:
        return

    _, found = ask(arguments, lambda session: session.service.options(), rate_card=arguments.rate_card)
    for kind, key in given.items():
        if items := [Item(one.key, one.label) for one in found.choices[kind] if one.listed]:
            setattr(arguments, kind, option_called(kind, key, items, place=f"for {option_name(kind)}"))


def quantities_of(arguments: Arguments, card: RateCard) -> Quantities:
    """The card's quantities, overridden by those given. Raises :class:`UsageError` if out of range (decision 54)."""
    given = {name: value for name in QUANTITIES if (value := getattr(arguments, name)) is not None}
    for name, value in given.items():
        if not 0 <= value <= MAX_QUANTITY:
            raise UsageError(f"{option_name(name)} must be from 0 to {MAX_QUANTITY}, not {value}")
    return Quantities.default(card)._replace(**given)


def completed(preset: Preset, card: RateCard) -> tuple[Configuration, Quantities]:
    """A preset with the card's defaults. Raises as :func:`configuration_of` and :func:`quantities_of`."""
    given = Arguments()
    _take(preset, given)
    return configuration_of(given, card), quantities_of(given, card)


def echo(selections: object, assumptions: object, card: RateCard | RateCardNote | None) -> list[list[str]]:
    """The inputs of an estimate, as table rows. Arguments that are None are omitted."""
    rows = []
    if selections is not None:
        for name in (*SELECTIONS, *SWITCHES):
            value = getattr(selections, name)
            rows.append([name, yes_no(value) if name in SWITCHES else value or "–"])
    if assumptions is not None:
        for name in QUANTITIES:
            value = getattr(assumptions, name)
            rows.append([name.replace("_", " "), "–" if value is None else exact(value)])
    if card is not None:
        version = "–" if card.version is None else canonical(Decimal(card.version))
        rows.append(["rate card", f"{version}, effective {card.effective_date or '–'}"])
    return rows


def rates_wire(rates: Rates) -> dict[str, Wire]:
    return {
        "source": rates.source.value,
        "notice": rates.banner,
        "drift": rates.drift.wire if rates.drift is not None else None,
    }


def echoed(
    rates: Rates, quantities: Quantities, selected: Configuration | None = None, price: Price | None = None
) -> dict[str, Wire]:
    """The inputs of an estimate, with the names of E 2.6; ``rates`` holds the source of the card."""
    return {
        "rate_card": {"version": rates.card.version, "effective_date": rates.card.effective_date},
        "rates": rates_wire(rates),
        **({} if selected is None else {"selections": selected._asdict()}),
        "assumptions": dict(zip(MEMBERS, quantities, strict=True)),
        **({} if price is None else {"price": price.wire}),
    }


# -- presets ----------------------------------------------------------------------------------------------------------


def configure_presets(parser: Parser) -> None:
    verbs = add_verbs(parser)
    _PRESETS.add_first(verbs, "list the presets and their selections")
    about = "save a configuration; inputs you omit keep the service's defaults"
    verb = _PRESETS.add_save(verbs, about, save, "none")
    add_preset(verb)
    add_configuration(verb)
    _PRESETS.add_last(verbs)


def add_preset(parser: Parser) -> None:
    parser.option("--preset", "PRESET", "name or file of a preset to start from (default: none)")


def preset_of(arguments: Arguments) -> Preset:
    """The preset of ``--preset``, or one without a name, overridden by options. Raises :class:`UsageError`."""
    given = vars(arguments)
    with configuration():
        below = Preset(name="") if arguments.preset is None else Presets().get(arguments.preset)
    return below.under(
        Selections(**{name: given[name] for name in (*SELECTIONS, *SWITCHES)}),
        Assumptions(**{name: typical(given[name]) for name in QUANTITIES}),
    )


def scenario_of(arguments: Arguments) -> Scenario:
    """The scenario of ``--scenario``, or one without a name, with the given quantities. Raises :class:`UsageError`."""
    from chartui.core.estimation.scenario import Scenario, Scenarios

    given = {}
    for name in QUANTITIES:
        value = getattr(arguments, name)
        if value is not None:
            found = value if isinstance(value, Range) else Range.of(value)
            if not 0 <= found.low <= found.high <= MAX_QUANTITY:
                raise UsageError(f"{option_name(name)} must be from 0 to {MAX_QUANTITY}, not {range_text(found)}")
            given[name] = found
    with configuration():
        below = Scenario(name="") if arguments.scenario is None else Scenarios().get(arguments.scenario)
    return below.under(given)


def scenario_for(name: str, mix: Scenario) -> Scenario:
    """The scenario of a preset in a comparison. Quantities of a scenario replace those of every preset.

    Without a scenario, given quantities belong to the command's own configuration: the others are compared as saved.
    """
    return mix if mix.name or name == CURRENT else replace(mix, assumptions={})


def cases_of(scenario: Scenario, preset: Preset) -> tuple[Case, ...]:
    """The kinds of interaction of a scenario. Quantities that it lacks are those of the preset."""
    lower = {name: Range.of(value) for name in QUANTITIES if (value := getattr(preset.assumptions, name)) is not None}
    return tuple(case._replace(ranges={**lower, **case.ranges}) for case in scenario.cases())


def mixed_prices(preset: Preset, mix: Scenario, card: RateCard) -> tuple[Pricing, Ends | None]:
    """The prices for the typical quantities of a scenario with a preset, and for the ends of their ranges."""
    from chartui.core.estimation.mix import ends_of, pricing_of

    _, quantities = completed(preset, card)
    cases = cases_of(mix, preset)
    weighted = [(case.weight, case.quantities(quantities)) for case in cases]
    return pricing_of(card, weighted), ends_of(card, cases, quantities)


def mix_in_words(mix: Scenario) -> str:
    """The scenario and the number of its kinds, or the options whose values are ranges."""
    kinds = f", {number_of(len(mix.kinds), 'kind')} of interaction" if mix.kinds else ""
    ranges = ", ".join(option_name(name) for name, found in mix.assumptions.items() if found.varies)
    return f"Scenario {mix.name}{kinds}" if mix.name else f"Ranges of {ranges}" if ranges else ""


def mix_notes(mix: Scenario) -> tuple[str, ...]:
    """A sentence about the scenario or the ranges, and about the quantities to which the credits apply, if any."""
    words = mix_in_words(mix)
    averages = "averages across the kinds, calculated " if len(mix.kinds) > 1 else ""
    return (f"{words}. Credits are {averages}for typical quantities.",) if words else ()


def take_preset(arguments: Arguments) -> None:
    """Take the options that were not given from ``--preset``. Raises as :func:`preset_of`."""
    _take(preset_of(arguments), arguments)


def _take(preset: Preset, arguments: Arguments) -> None:
    for part, names in ((preset.selections, (*SELECTIONS, *SWITCHES)), (preset.assumptions, QUANTITIES)):
        for name in names:
            setattr(arguments, name, getattr(part, name))


def save_preset(preset: Preset, output: Output, *, replacing: bool) -> Path:
    """Save a preset, and write a note for each key not in the catalogue. Raises :class:`UsageError`."""
    changes = ""
    if replacing:
        with suppress(PresetError):  # there is none of that name to replace
            changes = differences(Presets().find(preset.name, paths=False)[1], preset)
    with configuration():
        path = Presets().save(preset, replace=replacing)
    output.notes(_unknown_options(preset))
    output.note(f"preset '{preset.name}' was saved to {path}{f'; changed: {changes}' if changes else ''}")
    return path


def _unknown_options(preset: Preset) -> list[str]:
    """A sentence for each key not in the catalogue: a typo, or an option that only the service has (decision 62)."""
    notes = []
    for kind in KINDS:
        key = getattr(preset.selections, kind)
        if key is not None and option(kind, key) is None:
            known = [known.key for known in options(kind)]
            sentence = unknown(SELECTIONS[kind], key, known, place=f"for {option_name(kind)}", listed=False)
            notes.append(f"{sentence} The service may still offer this option.")
    return notes


def save(arguments: Arguments, output: Output) -> None:
    below = preset_of(arguments)
    note = below.note if arguments.note is None else arguments.note
    preset = replace(below, name=arguments.name, note=note)
    _PRESETS.write(save_preset(preset, output, replacing=arguments.replace), preset, output)


def _chosen(preset: Preset) -> str:
    from chartui.core.estimation.summary import inputs_in_words

    return inputs_in_words({**preset.selected(), **preset.assumed()}) or "all service defaults"


def _facts(preset: Preset) -> dict[str, Wire]:
    return {**members(preset, "name", "note"), "selections": preset.selected(), "assumptions": preset.assumed()}


def _write(preset: Preset, path: Path, output: Output) -> None:
    note = [("note", preset.note)] if preset.note else []
    output.fields([("name", preset.name), *note, ("selected", _chosen(preset)), ("file", str(path))])


_PRESETS: Final = NamedFileCommands("preset", Presets, _facts, ("CHOSEN", _chosen), _write)


# -- comparing presets ------------------------------------------------------------------------------------------------


#: The name of the command's own configuration in a comparison.
CURRENT: Final = "current"


def asked_presets(arguments: Arguments, chosen: Preset) -> list[tuple[str, Preset]]:
    """The given configuration and the presets of ``--compare``, each with a different name."""
    asked = {CURRENT: chosen}
    with configuration():
        presets = Presets()
        for word in arguments.compare or ():
            path, preset = presets.find(word)
            asked[f"{preset.name} ({path.name})" if preset.name in asked else preset.name] = preset
    return list(asked.items())


def baseline_of(arguments: Arguments, names: list[str]) -> int:
    if arguments.baseline is None or is_path(arguments.baseline):
        return 0
    try:
        return names.index(find("preset", arguments.baseline, map(Item, names), whole=True).id)
    except BadName:
        raise UsageError(unknown("preset", arguments.baseline, names, place="for --baseline")) from None
