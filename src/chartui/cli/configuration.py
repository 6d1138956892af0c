"""The options of commands that are about a configuration: what is chosen, the quantities, and whose rates count."""

from __future__ import annotations

import argparse
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import UsageError
from chartui.cli.output import Output, yes_no
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import chosen_profile, configuration
from chartui.core.jsontext import canonical

if TYPE_CHECKING:
    from chartui.core.estimation.card import RateCard
    from chartui.core.estimation.prices import Configuration, Quantities
    from chartui.core.estimation.rates import Rates
    from chartui.core.jsontext import Wire

__all__ = [
    "QUANTITIES",
    "SELECTIONS",
    "SWITCHES",
    "add_configuration",
    "add_quantities",
    "add_rate_card",
    "amount",
    "configuration_of",
    "echo",
    "echoed",
    "option_name",
    "quantities_of",
    "rates_of",
]

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
    """How the option of a member is written: ``--input-tokens``."""
    return f"--{name.replace('_', '-')}"


def add_configuration(parser: Parser) -> None:
    """Options for every member of a configuration, and for the quantities; None is what was not given."""
    for name, text in SELECTIONS.items():
        parser.add_argument(option_name(name), metavar="KEY", help=f"{text} ('chartui options' lists the keys)")
    for name, text in SWITCHES.items():
        parser.add_argument(option_name(name), action=argparse.BooleanOptionalAction, help=f"{text}")
    add_quantities(parser)


def add_quantities(parser: Parser) -> None:
    """Options for the quantities; None is what was not given."""
    for name, text in QUANTITIES.items():
        parser.add_argument(option_name(name), type=amount, metavar="N", help=text)


def add_rate_card(parser: Parser) -> None:
    """``--rate-card``, for :func:`rates_of` and for what opens a session with it."""
    parser.add_argument("--rate-card", type=Path, metavar="FILE", help="rates to use on an embedded profile")


def amount(text: str) -> Decimal:
    """A number as JSON has it; for ``type`` of an option."""
    from chartui.core.spec.operation import BadText, Codec, decode

    try:
        return Decimal(decode(Codec.NUMBER, text))
    except BadText:
        raise argparse.ArgumentTypeError(f"{text!r} is no number such as 8 or 2.5") from None


def rates_of(arguments: Arguments, output: Output) -> Rates:
    """The rates that stand in for the chosen profile's service, which is not asked; what is to be said of them is told.

    Raises :class:`UsageError` for a card that cannot be used.
    """
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
    """What was chosen; the card's choice for what was left out.

    Raises :class:`UsageError` for an option that neither the card nor the catalogue has. One that only the catalogue
    has is taken, and has no price.
    """
    from chartui.core.estimation.prices import Configuration
    from chartui.core.spec.catalogue import KINDS, option
    from chartui.core.tables import nearest

    given = {name: value for name in (*SELECTIONS, *SWITCHES) if (value := getattr(arguments, name)) is not None}
    for kind in KINDS:
        key = given.get(kind)
        if key is not None and key not in card.options[kind] and option(kind, key) is None:
            raise UsageError(f"{option_name(kind)}: there is no '{key}'{nearest(key, card.options[kind])}")
    return Configuration.default(card)._replace(**given)


def quantities_of(arguments: Arguments, card: RateCard) -> Quantities:
    """The quantities that were given; the card's for those left out.

    Raises :class:`UsageError` for one that no estimate takes (decision 54).
    """
    from chartui.core.estimation.card import MAX_QUANTITY
    from chartui.core.estimation.prices import Quantities

    given = {name: value for name in QUANTITIES if (value := getattr(arguments, name)) is not None}
    for name, value in given.items():
        if not 0 <= value <= MAX_QUANTITY:
            raise UsageError(f"{option_name(name)} must be from 0 to {MAX_QUANTITY}, not {value}")
    return Quantities.default(card)._replace(**given)


def echo(rates: Rates, quantities: Quantities, selected: Configuration | None = None) -> list[list[str]]:
    """What figures are for, for a person: the configuration if there is one, the quantities, and whose rates."""
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
    from chartui.core.estimation.card import QUANTITIES as MEMBERS

    return {
        "rate_card": {"version": rates.card.version, "effective_date": rates.card.effective_date},
        "rates": {"standing": rates.standing.value, "banner": rates.banner},
        **({} if selected is None else {"selections": selected._asdict()}),
        "assumptions": dict(zip(MEMBERS, quantities, strict=True)),
    }
