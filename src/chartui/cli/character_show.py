"""``chartui characters show|card``: one character, whole or on a card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.errors import Exit
from chartui.cli.graphs import add_character, read_whole
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Verbs, add_verb
from chartui.cli.sessions import ask
from chartui.core.clock import system_clock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chartui.core.characters.card import Origin
    from chartui.core.fields import Group
    from chartui.core.reading import Reading
    from chartui.core.session import Session

__all__ = ["add_shows"]


def add_shows(verbs: Verbs) -> None:
    """Add the verbs."""
    verb = add_verb(verbs, "show", "every field of a character", show)
    add_character(verb)
    how = verb.add_mutually_exclusive_group()
    how.add_argument("--raw", action="store_true", help="the record as the service sent it, as JSON")
    how.add_argument(
        "--find",
        metavar="TEXT",
        help="only fields with this in name, path or value; status 1 for none. With --json, a list of fields with how "
        "each is known; '' for all of them",
    )
    verb = add_verb(verbs, "card", "a character on one screen, as text for a support ticket", card)
    add_character(verb)
    verb.add_argument(
        "--with-texts", action="store_true", help="with backstory, prompt and other texts, however long they are"
    )


# -- show -------------------------------------------------------------------------------------------------------------


def show(arguments: Arguments, output: Output) -> int:
    """Write every field of a record, or those that are looked for; with ``--json`` or ``--raw`` the record itself."""
    from chartui.core.characters.record import Search, grouped, narrowed

    async def question(session: Session) -> Reading:
        return await read_whole(session, arguments.character_id)

    reading = ask(arguments, question)
    sought = arguments.find is not None
    if arguments.raw or (output.as_json and not sought):
        output.json(reading.record)
        return Exit.DONE
    groups = grouped(reading.record, reading.settings, reading.known_here)
    if sought and (search := Search(arguments.find)):
        groups = narrowed(groups, search)
    if output.as_json:
        output.json({"fields": _as_wire(groups)})
    else:
        _write_groups(groups, output)
    return Exit.DONE if groups or not sought else Exit.NO


def _as_wire(groups: Iterable[Group]) -> list[dict[str, str | None]]:
    return [
        {
            "group": group.title,
            "field": entry.label,
            "path": entry.path,
            "access": entry.access.value,
            "value": entry.copied,
            "remark": entry.remark or None,
        }
        for group in groups
        for entry in group.entries
    ]


def _write_groups(groups: Iterable[Group], output: Output) -> None:
    """Each group under its title. What is not simply read says so; all else was read just now."""
    from chartui.core.fields import Access

    for number, group in enumerate(groups):
        if number:
            output.text()
        output.text(group.title)
        pairs = []
        for entry in group.entries:
            access = "" if entry.access is Access.READABLE else entry.access.value
            remarks = ", ".join(filter(None, (access, entry.remark)))
            break_ = "\n" if "\n" in entry.text else " "
            pairs.append((entry.label, f"{entry.text}{break_}({remarks})" if remarks else entry.text))
        output.fields(pairs, indent=2)


# -- card -------------------------------------------------------------------------------------------------------------


def card(arguments: Arguments, output: Output) -> int:
    """Write the card of a character."""
    from chartui.core.characters.card import Origin, card_of

    async def question(session: Session) -> tuple[Reading, Origin]:
        origin = Origin(session.profile.name, session.where, system_clock())
        return await read_whole(session, arguments.character_id), origin

    reading, origin = ask(arguments, question)
    found = card_of(
        reading.record, reading.settings, origin, known_here=reading.known_here, with_texts=arguments.with_texts
    )
    if output.as_json:
        fields, texts = dict(found.fields), dict(found.texts)
        output.json({"name": found.name, "fields": fields, "texts": texts, "where": found.where, "when": found.when})
    else:
        output.text(str(found).rstrip("\n"))
    return Exit.DONE
