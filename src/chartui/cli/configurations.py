"""Configurations: the options that choose one, and ``chartui presets``, which keeps them by name."""

from __future__ import annotations

import argparse
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.output import Output, yes_no
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.prompts import asked, can_ask
from chartui.cli.sessions import chosen_profile, configuration
from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.estimation.card import QUANTITIES as MEMBERS
from chartui.core.estimation.prices import Configuration, Quantities
from chartui.core.jsontext import canonical
from chartui.core.presets import Kept, Preset, Presets
from chartui.core.spec.catalogue import KINDS, option, options
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.core.tables import nearest

if TYPE_CHECKING:
    from chartui.core.estimation.card import RateCard
    from chartui.core.estimation.rates import Rates
    from chartui.core.jsontext import Wire


#: The options that choose one of a list, the switches and the quantities, each with what it says of itself. The names
#: are those of the members of ``Selections`` and ``Assumptions``.
SELECTIONS: Final = {
    "llm": "the model",
    "stt": "what recognises speech",
    "tts": "what speaks",
    "animation": "what moves the face",
}
SWITCHES: Final = {"memory": "long-term memory", "knowledge": "the knowledge bank"}
QUANTITIES: Final = {
    "input_tokens": "tokens of the prompt",
    "output_chars": "characters of the reply",
    "stt_seconds": "seconds of speech heard",
    "tts_seconds": "seconds of speech spoken",
}


def option_name(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def add_configuration(parser: Parser) -> None:
    for name, text in SELECTIONS.items():
        parser.add_argument(option_name(name), metavar="KEY", help=f"{text} ('chartui options' lists the keys)")
    for name, text in SWITCHES.items():
        parser.add_argument(option_name(name), action=argparse.BooleanOptionalAction, help=f"{text}")
    add_quantities(parser)


def add_quantities(parser: Parser) -> None:
    for name, text in QUANTITIES.items():
        parser.add_argument(option_name(name), type=amount, metavar="N", help=text)


def add_rate_card(parser: Parser) -> None:
    parser.add_argument("--rate-card", type=Path, metavar="FILE", help="rates to use on an embedded profile")


def amount(text: str) -> Decimal:
    from chartui.core.spec.operation import BadText, Codec, decode

    try:
        return Decimal(decode(Codec.NUMBER, text))
    except BadText:
        raise argparse.ArgumentTypeError(f"{text!r} is no number such as 8 or 2.5") from None


def rates_of(arguments: Arguments, output: Output) -> Rates:
    """The rates that replace the service's, which is not asked. Raises :class:`UsageError` for an unusable card."""
    from chartui.core.estimation.rates import rates_for

    profile = chosen_profile(arguments)
    if arguments.rate_card is not None and not profile.embedded:
        raise UsageError(f"profile '{profile.name}' is a remote service, which has rates of its own")
    with configuration():
        rates = rates_for(profile, rate_card=arguments.rate_card)
    if rates.banner:
        output.note(rates.banner)
    return rates


def configuration_of(arguments: Arguments, card: RateCard) -> Configuration:
    """The options given, else the card's. Raises :class:`UsageError` for one that card and catalogue lack."""
    given = {name: value for name in (*SELECTIONS, *SWITCHES) if (value := getattr(arguments, name)) is not None}
    for kind in KINDS:
        key = given.get(kind)
        if key is not None and key not in card.options[kind] and option(kind, key) is None:
            raise UsageError(f"{option_name(kind)}: there is no '{key}'{nearest(key, card.options[kind])}")
    return Configuration.default(card)._replace(**given)


def quantities_of(arguments: Arguments, card: RateCard) -> Quantities:
    """Quantities, else the card's. Raises :class:`UsageError` for one that no estimate takes (decision 54)."""
    given = {name: value for name in QUANTITIES if (value := getattr(arguments, name)) is not None}
    for name, value in given.items():
        if not 0 <= value <= MAX_QUANTITY:
            raise UsageError(f"{option_name(name)} must be from 0 to {MAX_QUANTITY}, not {value}")
    return Quantities.default(card)._replace(**given)


def echo(rates: Rates, quantities: Quantities, selected: Configuration | None = None) -> list[list[str]]:
    rows = []
    if selected is not None:
        for name in (*SELECTIONS, *SWITCHES):
            value = getattr(selected, name)
            rows.append([name, yes_no(value) if name in SWITCHES else value])
    rows += ([name.replace("_", " "), canonical(Decimal(getattr(quantities, name)))] for name in QUANTITIES)
    rows.append(["rate card", f"{rates.card.version}, effective {rates.card.effective_date}"])
    return rows


def echoed(rates: Rates, quantities: Quantities, selected: Configuration | None = None) -> dict[str, Wire]:
    """The same for a program, in the words of E 2.6; ``rates`` says what the card is to the profile."""
    return {
        "rate_card": {"version": rates.card.version, "effective_date": rates.card.effective_date},
        "rates": {"standing": rates.standing.value, "banner": rates.banner},
        **({} if selected is None else {"selections": selected._asdict()}),
        "assumptions": dict(zip(MEMBERS, quantities, strict=True)),
    }


# -- presets ----------------------------------------------------------------------------------------------------------


_WHICH = "the preset's name"


def configure_presets(parser: Parser) -> None:
    """Add the verbs. None of them changes data of a service, so the lock does not concern them (DESIGN 7)."""
    verbs = add_verbs(parser)
    add_verb(verbs, "list", "every preset, and what is chosen in it", list_presets)
    verb = add_verb(verbs, "show", "what is chosen in a preset, and where it is kept", show)
    verb.add_argument("name", metavar="PRESET", help="its name, or a file that holds one")
    verb = add_verb(verbs, "save", "keep a configuration; what is left out is the service's to choose", save)
    verb.add_argument("name", metavar="NAME", help="what to call it")
    verb.add_argument("--note", metavar="TEXT", help="what it is for")
    verb.add_argument("--replace", action="store_true", help="take the place of a preset of this name")
    add_preset(verb)
    add_configuration(verb)
    verb = add_verb(verbs, "rename", "give a preset another name", rename)
    verb.add_argument("name", metavar="NAME", help=_WHICH)
    verb.add_argument("new_name", metavar="NEW", help="its new name")
    verb = add_verb(verbs, "remove", "remove a preset, and the file that holds it", remove)
    verb.add_argument("name", metavar="NAME", help=_WHICH)
    verb.add_argument("--yes", action="store_true", help="do not ask before removing; needed without a terminal")


def add_preset(parser: Parser) -> None:
    parser.add_argument("--preset", metavar="PRESET", help="a preset to begin with: its name, or a file that holds one")


def preset_of(arguments: Arguments) -> Preset:
    """The options over those of the preset; its name is empty without one. Raises :class:`UsageError`."""
    given = vars(arguments)
    with configuration():
        below = Preset(name="") if arguments.preset is None else Presets().get(arguments.preset)
    return below.under(
        Selections(**{name: given[name] for name in (*SELECTIONS, *SWITCHES)}),
        Assumptions(**{name: given[name] for name in QUANTITIES}),
    )


def take_preset(arguments: Arguments) -> None:
    """Let the words hold what ``--preset`` says, where they say nothing themselves. Raises as :func:`preset_of`."""
    preset = preset_of(arguments)
    for part, names in ((preset.selections, (*SELECTIONS, *SWITCHES)), (preset.assumptions, QUANTITIES)):
        for name in names:
            setattr(arguments, name, getattr(part, name))


def save_preset(preset: Preset, output: Output, *, replacing: bool) -> Path:
    """Also lists the options that are unknown here. Raises :class:`UsageError`."""
    with configuration():
        path = Presets().save(preset, replace=replacing)
    for told in _unknown_options(preset):
        output.note(told)
    output.note(f"preset '{preset.name}' is kept in {path}")
    return path


def _unknown_options(preset: Preset) -> list[str]:
    """A sentence for each option that the catalogue does not have: a slip, or the service has more (decision 62)."""
    said = []
    for kind in KINDS:
        key = getattr(preset.selections, kind)
        if key is not None and option(kind, key) is None:
            near = nearest(key, [known.key for known in options(kind)]).partition(" (known")[0]
            said.append(f"{option_name(kind)}: '{key}' is not known here{near}; whether there is one, the service says")
    return said


def list_presets(arguments: Arguments, output: Output) -> int:
    del arguments

    with configuration():
        kept = Presets().all()
    broken = [entry.fault for entry in kept if entry.preset is None]
    status = Exit.USAGE if broken else Exit.DONE
    if output.as_json:
        output.json([_facts(entry) for entry in kept])
        return status
    readable = [entry.preset for entry in kept if entry.preset is not None]
    if readable:
        output.table(
            [[preset.name, _chosen(preset), preset.note] for preset in readable], header=["NAME", "CHOSEN", "NOTE"]
        )
    elif not broken:
        output.note("no preset was saved yet; 'chartui presets save' does")
    for fault in broken:
        output.note(fault)
    return status


def show(arguments: Arguments, output: Output) -> int:
    with configuration():
        path, preset = Presets().find(arguments.name)
    _write(path, preset, output)
    return Exit.DONE


def save(arguments: Arguments, output: Output) -> int:
    below = preset_of(arguments)
    note = below.note if arguments.note is None else arguments.note
    preset = replace(below, name=arguments.name, note=note)
    path = save_preset(preset, output, replacing=arguments.replace)
    _write(path, preset, output)
    return Exit.DONE


def rename(arguments: Arguments, output: Output) -> int:
    with configuration():
        path = Presets().rename(arguments.name, arguments.new_name)
    output.tell(
        {"name": arguments.new_name, "file": str(path)},
        f"preset '{arguments.name}' is called '{arguments.new_name}' now, and kept in {path}",
    )
    return Exit.DONE


def remove(arguments: Arguments, output: Output) -> int:
    name: str = arguments.name
    with configuration():
        presets = Presets()
        path = presets.file_of(name)
        if not arguments.yes:
            _agree(f"Remove preset '{name}' ({path})? y/N", output)
        presets.remove(name)
    output.tell({"removed": name, "file": str(path)}, f"preset '{name}' is removed, with {path}")
    return Exit.DONE


def _agree(question: str, output: Output) -> None:
    from chartui.core.text import single_line

    if output.as_json or not can_ask():
        raise UsageError("without a terminal to ask on, removing needs --yes", code="unconfirmed")
    if asked(single_line(question) + " ").strip().lower() not in ("y", "yes"):
        raise UsageError("nothing was removed", code="unconfirmed")


def _chosen(preset: Preset) -> str:
    from chartui.core.estimation.summary import inputs_in_words

    return inputs_in_words({**preset.selected(), **preset.assumed()}) or "nothing; all as the service has it"


def _facts(entry: Kept) -> dict[str, Wire]:
    preset = entry.preset
    if preset is None:
        return {"name": None, "file": str(entry.path), "fault": entry.fault}
    return {
        "name": preset.name,
        "note": preset.note,
        "selections": preset.selected(),
        "assumptions": preset.assumed(),
        "file": str(entry.path),
    }


def _write(path: Path, preset: Preset, output: Output) -> None:
    if output.as_json:
        output.json(_facts(Kept(path, preset)))
        return
    output.fields(
        [
            ("name", preset.name),
            *([("note", preset.note)] if preset.note else []),
            ("chosen", _chosen(preset)),
            ("file", str(path)),
        ]
    )
