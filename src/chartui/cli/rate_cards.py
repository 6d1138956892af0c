"""The verbs of ``chartui rates`` for rate cards as files: compare two, and write the one in use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import add_force, writing_to
from chartui.cli.output import Output, add_forms, write_sheet
from chartui.cli.parser import Arguments, Verbs, add_verb
from chartui.cli.sessions import ask, chosen_profile, configuration
from chartui.core.estimation.card import load_card, write_card
from chartui.core.estimation.rates import learned_path, previous_path, rates_for
from chartui.core.files import read_own
from chartui.core.naming import nearest
from chartui.core.numbers import number_of
from chartui.core.paths import write_output

if TYPE_CHECKING:
    from chartui.core.estimation.card import RateCard
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Profile

#: The names of cards, and how each is read for a profile.
_NAMED: Final[Mapping[str, Callable[[Profile], RateCard]]] = {
    "current": lambda profile: rates_for(profile).card.as_billed,
    "learned": lambda profile: load_card(learned_path(profile), read=read_own),
    "previous": lambda profile: load_card(previous_path(profile), read=read_own),
    "reference": lambda _: load_card(),
}
_NAMES: Final = ", ".join(_NAMED)


def add_cards(verbs: Verbs) -> None:
    verb = add_verb(verbs, "diff", "compare two rate cards, and show the effect on costs", diff)
    for name in ("old", "new"):
        verb.add_argument(name, metavar=name.upper(), help=f"rate card file, or one of {_NAMES}")
    verb.add_argument(
        "--characters",
        action="store_true",
        help="also show the effect on the profile's characters (sends requests to the service)",
    )
    add_forms(verb)
    verb = add_verb(verbs, "export", "write the rate card in use to a file", export)
    verb.add_argument("file", type=Path, metavar="FILE", help="rate card file to write")
    add_force(verb, "overwrite an existing file")


def diff(arguments: Arguments, output: Output) -> int:
    """Write the differences, and their effect on presets and pins; status 1 if there are any."""
    from chartui.core.estimation.card_difference import card_changes, card_sheet
    from chartui.core.rate_effects import effects_on_presets, effects_on_profile
    from chartui.core.sheet import as_records, as_texts

    profile = chosen_profile(arguments)
    old, new = (_card(profile, word) for word in (arguments.old, arguments.new))
    changes = card_changes(old, new)
    if arguments.characters:
        effects = ask(arguments, lambda session: effects_on_profile(session, old, new), profile=profile)
    else:
        effects = effects_on_presets(old, new)
    sheet = card_sheet(changes)._replace(notes=tuple(f"{one.what.capitalize()}: {one.text}" for one in effects))
    if arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        output.json({"changes": as_records(sheet), "effects": [one.wire for one in effects]})
    elif not changes:
        output.text("No differences between the rate cards.")
    else:
        texts = as_texts(sheet)
        output.table(texts.rows, header=[name.upper() for name in texts.header], right=texts.right)
        output.text()
        output.text(f"{number_of(len(changes), 'value')} differ{'s' if len(changes) == 1 else ''}.")
        for note in sheet.notes:
            output.text(note)
    return Exit.NO if changes else Exit.DONE


def _card(profile: Profile, word: str) -> RateCard:
    """The card of this name, or in this file. Raises :class:`UsageError`."""
    with configuration():
        try:
            return _NAMED[word](profile) if word in _NAMED else load_card(Path(word))
        except FileNotFoundError:
            if word in _NAMED:
                raise UsageError(f"profile '{profile.name}' has no {word} rate card") from None
            near = nearest(word, _NAMED)
            hint = f" Did you mean “{near}”?" if near else ""
            raise UsageError(f"{word} does not exist; a rate card is a file, or one of {_NAMES}.{hint}") from None


def card_command(profile: Profile, path: Path) -> str:
    """The command that uses a card file. Only an embedded store can have another card."""
    name = profile.name if profile.embedded else "local"
    return f"chartui estimate --profile {quote(name)} --rate-card {quote(str(path))}"


def export(arguments: Arguments, output: Output) -> int:
    """Write the card in use, as a file to start from."""
    path: Path = arguments.file
    profile = chosen_profile(arguments)
    with configuration():
        rates = rates_for(profile)
    with writing_to(path):
        write_card(rates.card, path, partial(write_output, replace=arguments.force))
    if rates.banner:
        output.note(rates.banner)
    card: dict[str, Wire] = {"version": rates.card.version, "effective_date": rates.card.effective_date}
    output.report(
        {"file": str(path), "source": rates.source.value, "rate_card": card},
        f"Rate card written to {path}. Use it with '{card_command(profile, path)}'.",
    )
    return Exit.DONE
