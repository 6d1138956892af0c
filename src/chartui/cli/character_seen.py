"""``chartui characters seen``: what changed since a character was last looked at on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.errors import Exit, UsageError
from chartui.cli.graphs import read_whole
from chartui.cli.output import Output, moment
from chartui.cli.parser import Arguments, Verbs, add_verb
from chartui.cli.sessions import ask

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.core.seen import Changed, SeenOnce, Since
    from chartui.core.session import Session

__all__ = ["add_seen"]


def add_seen(verbs: Verbs) -> None:
    """Add the verb. It changes nothing but this machine's memory, so the lock does not concern it."""
    verb = add_verb(verbs, "seen", "what changed since one looked last; without ID, what is remembered", seen)
    verb.add_argument("seen_id", metavar="ID", nargs="?", help="the character's id; status 1 when something changed")
    what = verb.add_mutually_exclusive_group()
    what.add_argument("--remember", action="store_true", help="take what is there now for seen")
    what.add_argument("--forget", action="store_true", help="forget the character; without ID, all of the profile")


def seen(arguments: Arguments, output: Output) -> int:
    """Write what is remembered, or what changed of one character since, but for what was changed from here."""
    if arguments.forget:
        return _forget(arguments, output)
    if arguments.seen_id is None:
        if arguments.remember:
            raise UsageError("--remember needs the id of a character")
        return _list(arguments, output)

    async def question(session: Session) -> Since | None:
        from chartui.core.characters.comparison import members
        from chartui.core.plans.elsewhere import changed_elsewhere

        character_id, place = arguments.seen_id, session.profile.place
        reading = await read_whole(session, character_id)
        record, settings = reading.record, reading.settings
        since = await changed_elsewhere(session.seen, session.journal, place, character_id, record, settings)
        if arguments.remember:
            name = str(record.get("character_name") or "")
            await session.seen.remember(place, character_id, name, members(record, settings))
        return since

    return _tell(ask(arguments, question), output)


def _tell(since: Since | None, output: Output) -> int:
    if output.as_json:
        changed = [] if since is None else [_facts(change) for change in since.changed]
        output.json({"seen": None if since is None else since.at, "changed": changed})
    elif since is None:
        output.note("it was not seen before on this machine")
    else:
        from chartui.core.characters.comparison import label_of

        if since.changed:
            rows = [[label_of(change.path), change.path, _before(change)] for change in since.changed]
            output.table(rows, header=["CHANGED", "MEMBER", "WAS"])
        output.note(f"last seen at {moment(since.at)} UTC; " + _number(len(since.changed)))
    return Exit.NO if since is not None and since.changed else Exit.DONE


def _number(changes: int) -> str:
    return "nothing changed since" if not changes else f"{changes} change{'' if changes == 1 else 's'} since"


def _before(change: Changed) -> str:
    """What a member was: a text that somebody wrote is not kept."""
    from chartui.core.characters.record import value_text

    if not change.was:
        return "not in the record"
    return value_text(change.before) if change.kept else "not kept"


def _facts(change: Changed) -> dict[str, Wire]:
    """A change for JSON; ``before`` is missing where it is not kept."""
    facts: dict[str, Wire] = {"path": change.path, "was": change.was, "is": change.there}
    return {**facts, "before": change.before} if change.kept else facts


def _list(arguments: Arguments, output: Output) -> int:
    async def question(session: Session) -> tuple[SeenOnce, ...]:
        return await session.seen.all(session.profile.place)

    found = ask(arguments, question)
    if output.as_json:
        output.json({"seen": [one._asdict() for one in found]})
        return Exit.DONE
    if found:
        output.table(
            [[one.character_id, one.name or "–", moment(one.at)] for one in found], header=["ID", "NAME", "SEEN (UTC)"]
        )
    output.note("1 character" if len(found) == 1 else f"{len(found)} characters")
    return Exit.DONE


def _forget(arguments: Arguments, output: Output) -> int:
    which = None if arguments.seen_id is None else [arguments.seen_id]

    async def question(session: Session) -> int:
        return await session.seen.forget(session.profile.place, which)

    gone = ask(arguments, question)
    if output.as_json:
        output.json({"forgotten": gone})
    else:
        output.note("1 character forgotten" if gone == 1 else f"{gone} characters forgotten")
    return Exit.DONE
