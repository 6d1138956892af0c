"""``chartui rates pin`` and ``rates voice``: the user's own table of what stands for what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from chartui.cli.configurations import add_rate_card, rates_of
from chartui.cli.errors import Exit, UsageError
from chartui.cli.output import Output, aligned
from chartui.cli.parser import Arguments, Parser, Verbs, add_verb
from chartui.cli.sessions import configuration
from chartui.core.tables import BadTable, nearest

if TYPE_CHECKING:
    from decimal import Decimal

    from chartui.core.estimation.pins import Pins
    from chartui.core.estimation.prices import Configuration
    from chartui.core.estimation.rates import Rates
    from chartui.core.jsontext import Wire
    from chartui.core.spec.catalogue import Kind

__all__ = ["add_pins", "pins_rows"]


class _Part(NamedTuple):
    """One part of the table: what an entry is about, the kind of option it names, and how it is read and changed."""

    noun: str
    deed: str
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
    """Add the verbs. The table is the user's own, so the lock does not concern it (DESIGN 7)."""
    pin = add_verb(verbs, "pin", "what a model code is priced as, where no rule says it", pin_model)
    pin.add_argument("code", nargs="?", metavar="CODE", help="the model code of a character; all entries without one")
    _add_rest(pin, "the model of the estimator; what there is to choose from without one")
    voice = add_verb(verbs, "voice", "what a character's voice is billed as", name_voice)
    voice.add_argument("voice", nargs="?", metavar="TYPE", help="a character's voice; all entries without one")
    _add_rest(voice, "the option for speech out; what there is to choose from without one")


def _add_rest(parser: Parser, about_key: str) -> None:
    parser.add_argument("key", nargs="?", metavar="KEY", help=about_key)
    parser.add_argument("--clear", action="store_true", help="take the entry out of the table")
    add_rate_card(parser)


def pin_model(arguments: Arguments, output: Output) -> int:
    """Pin a model code to one of the estimator's models, let it go, or show what there is."""
    from chartui.core.estimation.pins import why_not_pinned

    if arguments.code and (why := why_not_pinned(arguments.code)):
        raise UsageError(why.rstrip("."))
    return _carry_out(_MODELS, arguments.code, arguments, output)


def name_voice(arguments: Arguments, output: Output) -> int:
    """Say what a voice is billed as, take that back, or show what there is."""
    return _carry_out(_VOICES, arguments.voice, arguments, output)


def _carry_out(part: _Part, name: str | None, arguments: Arguments, output: Output) -> int:
    from chartui.core.estimation.pins import load_pins

    if arguments.clear and (arguments.key or not name):
        raise UsageError("--clear takes one entry out, and wants its name alone")
    pins = load_pins()
    if name is None:
        _write_all(part, pins, output)
        return Exit.USAGE if pins.problems else Exit.DONE
    if arguments.clear or arguments.key is not None:
        _change(part, pins, name, arguments, output)
    else:
        _show(part, pins, name, arguments, output)
    return Exit.DONE


# -- showing ----------------------------------------------------------------------------------------------------------


def pins_rows(pins: Pins) -> list[tuple[str, str]]:
    """The table as labelled values, for what shows rates; nothing where it is empty."""
    parts = (("pinned models", pins.models), ("voices", pins.voices))
    return [(label, "\n".join(f"{n} → {key}" for n, key in entries.items())) for label, entries in parts if entries]


def _write_all(part: _Part, pins: Pins, output: Output) -> None:
    entries = part.entries(pins)
    for problem in pins.problems:
        output.note(problem)
    if output.as_json:
        output.json(dict(entries))
    elif entries:
        output.table([[name, key] for name, key in entries.items()], header=[part.noun.upper(), "KEY"])
    elif not pins.problems:
        output.note(f"no {part.noun} has an entry in your table yet")


def _show(part: _Part, pins: Pins, name: str, arguments: Arguments, output: Output) -> None:
    """What an entry says, and what it could: what a model code may stand for first of all."""
    for problem in pins.problems:
        output.note(problem)
    present = part.entries(pins).get(name)
    rates = rates_of(arguments, output)
    offered = _offered(part, name, rates)
    if output.as_json:
        found: Wire = [{"key": key, "label": label, "credits": amount} for key, label, amount in offered]
        output.json({"name": name, "key": present, "candidates": found})
        return
    output.text(f"{name} is {f'{part.deed} {present}' if present else 'not in your table'}.")
    output.text()
    amounts = iter(aligned([amount for _, _, amount in offered if amount is not None]))
    rows = [[key, label, "unknown" if amount is None else next(amounts)] for key, label, amount in offered]
    output.table(rows, header=["KEY", "LABEL", "CREDITS"], right={2})


def _offered(part: _Part, name: str, rates: Rates) -> list[tuple[str, str, Decimal | None]]:
    """Keys with their labels, and credits for an interaction of the card's own defaults with each."""
    from chartui.core.estimation.prices import Configuration, Pricing, Quantities
    from chartui.core.spec.catalogue import OWN_ENDPOINT, counterpart, option

    card = rates.card
    keys: tuple[str, ...] = tuple(card.options[part.kind])
    if part.kind == "llm":
        entry = counterpart(name)
        keys = (entry.candidates or keys) if entry is not None else (OWN_ENDPOINT,)
    pricing, usual = Pricing(card, Quantities.default(card)), Configuration.default(card)
    labels = {key: known.label for key in keys if (known := option(part.kind, key)) is not None}
    return [(key, labels.get(key, key), pricing.credits(_with(usual, part.kind, key))) for key in keys]


def _with(usual: Configuration, kind: Kind, key: str) -> Configuration:
    return usual._replace(llm=key) if kind == "llm" else usual._replace(tts=key)


# -- changing ---------------------------------------------------------------------------------------------------------


def _change(part: _Part, pins: Pins, name: str, arguments: Arguments, output: Output) -> None:
    from chartui.core.estimation.pins import change_pins

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
        raise UsageError(f"no file can hold this {part.noun}") from None
    if output.as_json:
        output.json({"name": name, "key": key})
    output.note(f"{name}: {f'{part.deed} {key} from now on' if key else 'no entry any more'}, in every profile")


def _checked(part: _Part, arguments: Arguments, output: Output) -> str:
    """The key that was given; raises :class:`UsageError` for one that neither catalogue nor rates have."""
    from chartui.core.spec.catalogue import option, options

    key: str = arguments.key
    if option(part.kind, key) is None:
        known = dict.fromkeys(
            [o.key for o in options(part.kind)] + list(rates_of(arguments, output).card.options[part.kind])
        )
        if key not in known:
            raise UsageError(f"there is no option '{key}' of this kind{nearest(key, known)}")
    return key
