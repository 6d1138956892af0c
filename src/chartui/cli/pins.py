"""The verbs of ``chartui rates`` for your pins: the model and the voice that a character's are priced as."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.cli.configurations import add_rate_card, option_called, option_items, rates_of
from chartui.cli.errors import Exit, UsageError
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser, Verbs, add_verb
from chartui.cli.sessions import configuration
from chartui.core.classes import NamedTuple
from chartui.core.estimation.pins import Pins, change_pins, load_pins, why_not_pinned
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.estimation.rates import Rates
from chartui.core.naming import BadName, Item, find, unknown
from chartui.core.numbers import aligned
from chartui.core.spec.catalogue import OWN_ENDPOINT, Kind, counterpart, model_codes, option
from chartui.core.tables import BadTable

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire


class _Part(NamedTuple):
    """One part of the table of pins: its subject, the kind of option, and how its pins are read and changed."""

    noun: str
    priced: str
    kind: Kind
    entries: Callable[[Pins], Mapping[str, str]]
    changed: Callable[[Pins, str, str | None], Pins]


_MODELS: Final = _Part(
    "model code", "priced as", "llm", lambda pins: pins.models, lambda pins, n, key: pins.with_model(n, key)
)
_VOICES: Final = _Part(
    "voice", "billed as", "tts", lambda pins: pins.voices, lambda pins, n, key: pins.with_voice(n, key)
)


def add_pins(verbs: Verbs) -> None:
    """Add the verbs for pins. They change only a file on this machine, so the lock does not apply."""
    pin = add_verb(verbs, "pin-model", "pin a model code to an estimator model", pin_model)
    pin.option("code", "CODE", "model code of a character (default: list all pins)", nargs="?")
    _add_rest(pin, "estimator model (default: list the candidates)")
    voice = add_verb(verbs, "pin-voice", "pin a voice to a speech output option", pin_voice)
    voice.option("voice", "TYPE", "voice of a character (default: list all pins)", nargs="?")
    _add_rest(voice, "speech output option (default: list the candidates)")


def _add_rest(parser: Parser, about_key: str) -> None:
    parser.option("key", "KEY", about_key, nargs="?")
    parser.flag("--clear", "remove the pin")
    add_rate_card(parser)


def pin_model(arguments: Arguments, output: Output) -> int:
    if arguments.code and (why := why_not_pinned(arguments.code)):
        raise UsageError(why.rstrip("."))
    return _carry_out(_MODELS, arguments.code, arguments, output)


def pin_voice(arguments: Arguments, output: Output) -> int:
    return _carry_out(_VOICES, arguments.voice, arguments, output)


def _carry_out(part: _Part, name: str | None, arguments: Arguments, output: Output) -> int:
    if arguments.clear and (arguments.key or not name):
        raise UsageError("--clear takes the name of a pin and nothing else")
    pins = load_pins()
    if name is None:
        _write_all(part, pins, output)
        return Exit.USAGE if pins.problems else Exit.DONE
    name = _meant(part, pins, name, clear=arguments.clear)
    if arguments.clear or arguments.key is not None:
        _change(part, pins, name, arguments, output)
    else:
        _show(part, pins, name, arguments, output)
    return Exit.DONE


def _meant(part: _Part, pins: Pins, name: str, *, clear: bool) -> str:
    """The name as spelled in the pins or the catalogue. Any other name can be pinned too, but not cleared."""
    pinned = [Item(one) for one in part.entries(pins)]
    known = [Item(one.code, one.label) for one in model_codes()] if part.kind == "llm" and not clear else []
    try:
        return find(part.noun, name, [*pinned, *known], whole=True).id
    except BadName:
        if clear and pinned:
            raise UsageError(unknown("pin", name, part.entries(pins))) from None
        return name


def _write_all(part: _Part, pins: Pins, output: Output) -> None:
    entries = part.entries(pins)
    output.notes(pins.problems)
    if output.as_json:
        output.json(dict(entries))
    elif entries:
        output.table([[name, key] for name, key in entries.items()], header=[part.noun.upper(), "KEY"])
    elif not pins.problems:
        output.note(f"no {part.noun} is pinned yet")


def _show(part: _Part, pins: Pins, name: str, arguments: Arguments, output: Output) -> None:
    output.notes(pins.problems)
    present = part.entries(pins).get(name)
    rates = rates_of(arguments, output)
    offered = _offered(part, name, rates)
    if output.as_json:
        found: Wire = [{"key": key, "label": label, "credits": amount} for key, label, amount in offered]
        output.json({"name": name, "key": present, "candidates": found})
        return
    output.sentence(f"{name} is {f'{part.priced} {present}' if present else 'not pinned'}.")
    output.text()
    amounts = iter(aligned([amount for _, _, amount in offered if amount is not None]))
    rows = [[key, label, "unknown" if amount is None else next(amounts)] for key, label, amount in offered]
    output.table(rows, header=["KEY", "LABEL", "CREDITS"], right={2})


def _offered(part: _Part, name: str, rates: Rates) -> list[tuple[str, str, Decimal | None]]:
    card = rates.card
    keys: tuple[str, ...] = tuple(card.options[part.kind])
    if part.kind == "llm":
        entry = counterpart(name)
        keys = (entry.candidates or keys) if entry is not None else (OWN_ENDPOINT,)
    pricing, default = Pricing(card, Quantities.default(card)), Configuration.default(card)
    labels = {key: known.label for key in keys if (known := option(part.kind, key)) is not None}
    return [(key, labels.get(key, key), pricing.credits(_with(default, part.kind, key))) for key in keys]


def _with(default: Configuration, kind: Kind, key: str) -> Configuration:
    return default._replace(llm=key) if kind == "llm" else default._replace(tts=key)


def _change(part: _Part, pins: Pins, name: str, arguments: Arguments, output: Output) -> None:
    key = None if arguments.clear else _checked(part, arguments, output)
    if part.entries(pins).get(name) == key:
        output.note(f"{name}: nothing to change")
        return
    try:
        with configuration():
            change_pins(lambda pins: part.changed(pins, name, key))
    except BadTable as error:
        raise UsageError(str(error), code="configuration") from None
    except ValueError:
        raise UsageError(f"this {part.noun} cannot be saved") from None
    output.report(
        {"name": name, "key": key},
        f"{name}: {f'now {part.priced} {key}' if key else 'no longer pinned'}, in every profile",
    )


def _checked(part: _Part, arguments: Arguments, output: Output) -> str:
    key: str = arguments.key
    if option(part.kind, key) is not None:
        return key
    card = rates_of(arguments, output, priced=False).card
    return option_called(part.kind, key, option_items(part.kind, card), whole=True)
