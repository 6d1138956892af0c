"""``chartui history`` and ``undo``: what was changed from here, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import whole_number
from chartui.cli.output import Output, members, moment
from chartui.cli.parser import Arguments, Parser
from chartui.cli.run_plan import add_plan_options, change
from chartui.cli.sessions import ask
from chartui.core.clock import random_ids
from chartui.core.journal import Outcome
from chartui.core.jsontext import Wire
from chartui.core.plans.history import character_names, deeds, look_at

if TYPE_CHECKING:
    from chartui.core.journal import Entry
    from chartui.core.plans.history import Deed
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session


_LISTED: Final = 20
_HOW: Final = ("look", "done", "refused")


def configure_history(parser: Parser) -> None:
    parser.set_defaults(handler=history)
    add = parser.add_argument
    add("--character", dest="whose", metavar="ID", help="only what was changed of this character")
    add("--open", action="store_true", dest="open_only", help="only what has no known end, or can go on")
    add("--limit", type=whole_number, default=_LISTED, metavar="N", help=f"how many at most ({_LISTED})")
    add("--settle", metavar="NUMBER", help="say how a change ended of which it is not known")
    add("--as", dest="how", choices=_HOW, default="look", help="with --settle: look at what is there now, or say it")


def history(arguments: Arguments, output: Output) -> int:
    if arguments.settle is not None:
        return _settle(arguments, output)

    async def question(session: Session) -> tuple[Deed, ...]:
        return await deeds(
            session.journal,
            session.profile.place,
            limit=arguments.limit,
            character_id=arguments.whose,
            open_only=arguments.open_only,
            of=await character_names(session.service),
        )

    found = ask(arguments, question)
    if output.as_json:
        output.json({"deeds": [_facts(deed) for deed in found]})
        return Exit.DONE
    if found:
        rows = [[deed.name, moment(deed.at), deed.state, deed.title] for deed in found]
        output.table(rows, header=["NAME", "AT (UTC)", "STATE", "CHANGE"])
    output.note("1 deed" if len(found) == 1 else f"{len(found)} deeds")
    if any(deed.undoable for deed in found) and not arguments.open_only:
        output.note("'chartui undo' takes the last one back, 'chartui undo NAME' any other")
    return Exit.DONE


def _facts(deed: Deed) -> dict[str, Wire]:
    return {
        **members(deed, "name", "title", "at", "outcome", "undone", "undoes"),
        "plan": None if deed.plan is None else deed.plan.value,
        "changes": [_change(entry) for entry in deed.entries],
    }


def _change(entry: Entry) -> dict[str, Wire]:
    return {
        **members(entry, "number", "at", "ended", "operation", "character_id"),
        "payload": dict(entry.payload),
        "before": None if entry.before is None else dict(entry.before),
        **members(entry, "origin", "outcome", "error"),
    }


def _settle(arguments: Arguments, output: Output) -> int:
    text = arguments.settle.removeprefix("#")
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"'{arguments.settle}' is no number of a change; 'chartui history --open' shows them")

    async def question(session: Session) -> str:
        from chartui.core.plans.reads import Reads

        entry = await session.journal.entry(int(text))
        if entry is None or entry.place != session.profile.place:
            raise UsageError(f"the history of profile '{session.profile.name}' has no change #{text}")
        if entry.outcome not in (Outcome.OPEN, Outcome.UNKNOWN):
            raise UsageError(f"change #{text} is known to be {entry.outcome.value}")
        if entry.running:
            raise UsageError(f"change #{text} is under way just now")
        if arguments.how != "look":
            await session.journal.settle(entry.number, Outcome(arguments.how))
            return str(arguments.how)
        return (await look_at(Reads(session.service), session.journal, entry)).value

    ended = ask(arguments, question)
    from chartui.core.plans.history import ended_text
    from chartui.core.plans.verify import Ended

    how = ended_text(Ended.NOT_DONE if ended == "refused" else Ended(ended), "--as done or --as refused")
    output.tell({"number": int(text), "ended": ended}, f"change #{text}: {how}")
    return Exit.DONE if ended in ("done", "refused", "not done") else Exit.NO


def configure_undo(parser: Parser) -> None:
    parser.set_defaults(handler=undo)
    parser.add_argument(
        "target", metavar="NAME", nargs="?", help="what 'chartui history' calls it; left out, the last thing done"
    )
    add_plan_options(parser)


def undo(arguments: Arguments, output: Output) -> int:
    async def make(session: Session) -> Plan:
        from chartui.core.plans.undo import NothingToUndo, undo_plan

        target, of = arguments.target, await character_names(session.service)
        try:
            return await undo_plan(
                session.service, session.journal, session.profile.place, target, ids=random_ids, of=of
            )
        except NothingToUndo as error:
            raise UsageError(str(error).rstrip("."), code="nothing_to_undo") from None

    return change(arguments, output, make)
