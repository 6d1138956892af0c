"""``chartui characters compare|seen``: differences between characters, and changes since one was last seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.lookup import add_character, read_whole
from chartui.cli.naming import character_called, found, keeping_lists
from chartui.cli.output import Output, add_forms, moment, write_sheet
from chartui.cli.parser import Arguments, Verbs, add_verb
from chartui.cli.sessions import ask, chosen_profile, profile_called
from chartui.core.characters.comparison import (
    Compared,
    Comparison,
    Figure,
    Side,
    Verdict,
    comparison_sheet,
    comparison_wire,
    label_of,
    members,
)
from chartui.core.characters.comparison import compare as compared
from chartui.core.characters.record import value_text
from chartui.core.classes import NamedTuple
from chartui.core.naming import Item
from chartui.core.numbers import number_of
from chartui.core.text import cell_width, padded, single_line

if TYPE_CHECKING:
    from chartui.core.bundle.stories import Told
    from chartui.core.character import Reading
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Profile
    from chartui.core.seen import Changed, Since
    from chartui.core.session import Session


#: The longest value that is shown in its column; longer ones are compared line by line below.
_SHORT: Final = 36
_MARKS: Final = {"-": "−", "+": "+", "=": " "}


def add_compare(verbs: Verbs) -> None:
    verb = add_verb(
        verbs,
        "compare",
        "compare two characters, or one character on two profiles; exit 1 if they differ",
        compare,
        add_character,
    )
    verb.option("other", "OTHER", "name or ID of the other character (default: the same ID)", nargs="?")
    verb.option("--other-profile", "NAME", "profile of the other character (default: the same profile)")
    verb.flag("--all", "also show identical fields")
    add_forms(verb)


def compare(arguments: Arguments, output: Output) -> int:
    mine, other = chosen_profile(arguments), profile_called(arguments.other_profile, arguments)
    apart = mine.name != other.name
    if not apart and arguments.other in (None, arguments.character_id):
        raise _nothing_to_compare()
    if apart:
        one = ask(arguments, lambda session: _read(session, arguments.character_id), profile=mine)
        other_id, two = ask(arguments, lambda session: _read_other(session, arguments), profile=other)
    else:
        one, other_id, two = ask(arguments, lambda session: _read_both(session, arguments), profile=mine)
    from chartui.core.bundle.stories import diff_commands, story_verdict, with_stories

    sides = _side(one, arguments.character_id, mine, apart), _side(two, other_id, other, apart)
    comparison = with_stories(compared(*sides), one.story, two.story)
    stories = story_verdict(comparison)
    everything = arguments.all
    if arguments.csv or arguments.markdown:
        write_sheet(comparison_sheet(comparison, everything=everything), arguments, output)
    elif output.as_json:
        output.json(
            {
                "left": {"profile": mine.name, "character_id": arguments.character_id},
                "right": {"profile": other.name, "character_id": other_id},
                "equal": comparison.alike,
                "story": stories.value,
                "members": comparison_wire(comparison, everything=everything),
            }
        )
    else:
        _write(comparison, output, everything=everything)
        if stories is Verdict.DIFFERENT:
            output.note("The stories differ. These commands list the differences:")
            output.note(diff_commands((mine.name, arguments.character_id), (other.name, other_id)).rstrip())
    return Exit.DONE if comparison.alike else Exit.NO


def _nothing_to_compare() -> UsageError:
    return UsageError("nothing to compare with: give another character, or --other-profile")


class _Priced(NamedTuple):
    """A character as read, with the figures of an interaction and the story."""

    reading: Reading
    costs: tuple[Figure, ...]
    story: Told


async def _read(session: Session, character_id: str) -> _Priced:
    from chartui.core.bundle.stories import story_of
    from chartui.core.change_costs import figures_of
    from chartui.core.costs import basis_for

    reading = await read_whole(session, character_id)
    figures = await figures_of(session.service, reading, await basis_for(session))
    return _Priced(reading, figures, await story_of(session.service, reading.record))


async def _read_both(session: Session, arguments: Arguments) -> tuple[_Priced, str, _Priced]:
    session = keeping_lists(session)
    other_id = await character_called(session, arguments.other, arguments)
    if other_id == arguments.character_id:
        raise _nothing_to_compare()
    one = await _read(session, arguments.character_id)
    return one, other_id, await _read(session, other_id)


async def _read_other(session: Session, arguments: Arguments) -> tuple[str, _Priced]:
    if arguments.other is None:
        return arguments.character_id, await _read(session, arguments.character_id)
    session = keeping_lists(session)
    other_id = await character_called(session, arguments.other, arguments)
    return other_id, await _read(session, other_id)


def _side(priced: _Priced, character_id: str, profile: Profile, apart: bool) -> Side:
    reading = priced.reading
    name = str(reading.record.get("character_name") or character_id)
    return Side(f"{name} on {profile.name}" if apart else name, reading.record, reading.settings, priced.costs)


def _write(comparison: Comparison, output: Output, *, everything: bool) -> None:
    parts = comparison.shown(everything=everything)
    names = (single_line(comparison.left.name, limit=_SHORT), single_line(comparison.right.name, limit=_SHORT))
    if parts:
        rows = [[_cells(member) for member in part.members] for part in parts]
        widths = [max(cell_width(row[i]) for row in (("", *names), *chain(*rows))) for i in (0, 1)]
        output.text(_row(("", *names), widths))
        for part, cells in zip(parts, rows, strict=True):
            output.text(part.title)
            for row in cells:
                output.text(_row(row, widths))
    for member in (member for part in parts for member in part.members):
        is_long = any("\n" in held.text or len(held.text) > _SHORT for held in (member.left, member.right))
        if is_long and member.verdict is Verdict.DIFFERENT:
            output.text()
            output.text(f"{member.label}: − {names[0]}, + {names[1]}")
            output.texts(_lines(member))
    output.note(_summary(comparison, names))


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    label, left, right = cells
    return f"  {padded(label, widths[0])}  {padded(left, widths[1])}  {right}".rstrip()


def _cells(member: Compared) -> list[str]:
    return [single_line(member.label), *(_cell(held.text) for held in (member.left, member.right))]


def _cell(text: str) -> str:
    return single_line(text) if len(text) <= _SHORT and "\n" not in text else number_of(len(text), "character")


def _lines(member: Compared) -> Iterator[str]:
    from chartui.core.plans.difference import differences

    # An empty value has no lines, even if it is shown as a word.
    left, right = (held.text if held.value or held.value == 0 else "" for held in (member.left, member.right))
    for line in differences(left, right):
        if line.sign == "=":
            yield f"    … {number_of(line.count, 'identical line')}"
        else:
            yield f"  {_MARKS[line.sign]} {''.join(part.text for part in line.parts)}"


def _summary(comparison: Comparison, names: tuple[str, str]) -> str:
    different, unknown = comparison.count(Verdict.DIFFERENT), comparison.count(Verdict.UNKNOWN)
    differences = number_of(different, "difference") if different else "no differences"
    blind = f"; {number_of(unknown, 'value')} not compared, because the service does not return them" if unknown else ""
    return f"{' and '.join(names)}: {differences}{blind}"


def add_seen(verbs: Verbs) -> None:
    """Add the verb ``seen``. It changes only files on this machine, so the lock does not apply."""
    verb = add_verb(
        verbs,
        "seen",
        "show what has changed since you last looked (except in the story); without a name, list remembered characters",
        seen,
    )
    verb.option(
        "seen_who", "CHARACTER", "the character's name or ID; exit 1 if the character has changed", nargs="?", type=str
    )
    what = verb.add_mutually_exclusive_group()
    what.flag("--remember", "store the current values for the next comparison")
    what.flag("--forget", "forget the character or, without a name, all of the profile's characters")


def seen(arguments: Arguments, output: Output) -> int:
    if arguments.forget:
        _forget(arguments, output)
        return Exit.DONE
    if arguments.seen_who is None:
        if arguments.remember:
            raise UsageError("--remember needs a character")
        _list(arguments, output)
        return Exit.DONE

    async def question(session: Session) -> Since | None:
        from chartui.core.plans.verify import changed_elsewhere

        session = keeping_lists(session)
        character_id = await character_called(session, arguments.seen_who, arguments)
        place = session.profile.place
        reading = await read_whole(session, character_id)
        record, settings = reading.record, reading.settings
        since = await changed_elsewhere(session.seen, session.journal, place, character_id, record, settings)
        if arguments.remember:
            name = str(record.get("character_name") or "")
            await session.seen.remember(place, character_id, name, members(record, settings))
        return since

    return _report(ask(arguments, question), output)


def _report(since: Since | None, output: Output) -> int:
    from chartui.core.seen import UNWATCHED

    if output.as_json:
        changes = [] if since is None else [_facts(change) for change in since.changed]
        output.json({"seen_at": None if since is None else since.at, "changes": changes})
    elif since is None:
        output.note("not seen before on this machine")
    else:
        if since.changed:
            rows = [[label_of(change.path), change.path, _before(change)] for change in since.changed]
            output.table(rows, header=["CHANGED", "MEMBER", "WAS"])
        number = len(since.changed)
        told = number_of(number, "change") if number else "no changes"
        output.note(f"last seen at {moment(since.at)} UTC; {told} since then. {UNWATCHED}")
    return Exit.NO if since is not None and since.changed else Exit.DONE


def _before(change: Changed) -> str:
    if not change.was:
        return "not in the record"
    return value_text(change.before) if change.kept else "not stored"


def _facts(change: Changed) -> dict[str, Wire]:
    facts: dict[str, Wire] = {"path": change.path, "existed": change.was, "exists": change.there}
    return {**facts, "before": change.before} if change.kept else facts


def _list(arguments: Arguments, output: Output) -> None:
    found = ask(arguments, lambda session: session.seen.all(session.profile.place))
    if output.as_json:
        listed = [{"character_id": one.character_id, "name": one.name, "seen_at": one.at} for one in found]
        output.json({"characters": listed})
        return
    if found:
        output.table(
            [[one.character_id, one.name or "–", moment(one.at)] for one in found], header=["ID", "NAME", "SEEN (UTC)"]
        )
    output.note(number_of(len(found), "character"))


def _forget(arguments: Arguments, output: Output) -> None:
    async def question(session: Session) -> int:
        place, which = session.profile.place, None
        if arguments.seen_who is not None:
            items = [Item(one.character_id, one.name) for one in await session.seen.all(place)]
            which = [found("remembered character", arguments.seen_who, items, arguments)]
        return await session.seen.forget(place, which)

    gone = ask(arguments, question)
    output.report({"forgotten": gone}, f"{number_of(gone, 'character')} forgotten")
