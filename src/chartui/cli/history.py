"""``chartui history`` and ``undo``: the changes made from this machine, and how to undo them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import whole_number
from chartui.cli.output import Output, members, moment
from chartui.cli.parser import Arguments, Parser
from chartui.cli.run_plan import add_plan_options, change
from chartui.cli.sessions import ask
from chartui.core.clock import random_ids
from chartui.core.journal import Entry, Outcome
from chartui.core.jsontext import Wire
from chartui.core.numbers import number_of
from chartui.core.plans.history import PastChange, ended_text, known_names, look_at, past_changes
from chartui.core.plans.reads import Reads
from chartui.core.plans.verify import Ended

if TYPE_CHECKING:
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session


_LISTED: Final = 20
_HOW: Final = ("check", "done", "refused")


def configure_history(parser: Parser) -> None:
    parser.option(
        "--character", "CHARACTER", "list only changes to this character, by name or ID (default: all)", dest="whose"
    )
    parser.flag("--open", "list only changes whose outcome is unknown, and plans that can be resumed", dest="open_only")
    parser.option("--limit", "N", f"maximum number of changes (default: {_LISTED})", type=whole_number, default=_LISTED)
    parser.option("--resolve", "NUMBER", "number of the change to resolve (a change whose outcome is unknown)")
    parser.add_argument(
        "--as",
        dest="how",
        choices=_HOW,
        default="check",
        help="how to resolve the change: check the current value, or record an outcome (default: check)",
    )


def history(arguments: Arguments, output: Output) -> int:
    if arguments.resolve is not None:
        return _resolve(arguments, output)

    async def question(session: Session) -> tuple[PastChange, ...]:
        return await past_changes(
            session.journal,
            session.profile.place,
            limit=arguments.limit,
            character_id=arguments.whose,
            open_only=arguments.open_only,
            of=await known_names(session.service, session.journal, session.profile.place),
        )

    found = ask(arguments, question)
    if output.as_json:
        output.json({"changes": [_facts(one) for one in found]})
        return Exit.DONE
    if found:
        rows = [[one.name, moment(one.at), one.state, one.title] for one in found]
        output.table(rows, header=["NAME", "AT (UTC)", "STATE", "CHANGE"])
    output.note(number_of(len(found), "change"))
    if any(one.undoable for one in found) and not arguments.open_only:
        output.note("use 'chartui undo' to undo the last change, or 'chartui undo NAME' to undo another change")
    return Exit.DONE


def _facts(one: PastChange) -> dict[str, Wire]:
    return {
        **members(one, "name", "title", "at", "outcome", "undone", "undoes"),
        "plan_state": None if one.plan is None else one.plan.value,
        "entries": [_entry(entry) for entry in one.entries],
    }


def _entry(entry: Entry) -> dict[str, Wire]:
    return {
        **members(entry, "number", "at"),
        "ended_at": entry.ended,
        **members(entry, "operation", "character_id"),
        "payload": dict(entry.payload),
        "before": None if entry.before is None else dict(entry.before),
        **members(entry, "origin", "outcome", "error"),
    }


def _resolve(arguments: Arguments, output: Output) -> int:
    text = arguments.resolve.removeprefix("#")
    if not (text.isascii() and text.isdigit()):
        raise UsageError(
            f"'{arguments.resolve}' is not the number of a change; 'chartui history --open' lists the open changes"
        )

    async def question(session: Session) -> str:
        entry = await session.journal.entry(int(text))
        if entry is None or entry.place != session.profile.place:
            raise UsageError(f"the history of profile '{session.profile.name}' has no change #{text}")
        if entry.outcome not in (Outcome.OPEN, Outcome.UNKNOWN):
            raise UsageError(f"change #{text} is already resolved: {entry.outcome.value}")
        if entry.running:
            raise UsageError(f"change #{text} is still running")
        if arguments.how != "check":
            await session.journal.resolve(entry.number, Outcome(arguments.how))
            return str(arguments.how)
        return (await look_at(Reads(session.service), session.journal, entry)).value

    ended = ask(arguments, question)
    how = ended_text(Ended.NOT_DONE if ended == "refused" else Ended(ended), "--as done or --as refused")
    output.report({"number": int(text), "outcome": ended}, f"change #{text}: {how}")
    return Exit.DONE if ended in ("done", "refused", "not done") else Exit.NO


def configure_undo(parser: Parser) -> None:
    parser.option(
        "target", "NAME", "name of the change, as listed by 'chartui history' (default: the last change)", nargs="?"
    )
    add_plan_options(parser)


def undo(arguments: Arguments, output: Output) -> int:
    async def make(session: Session) -> Plan:
        from chartui.core.change_costs import undo_with_costs
        from chartui.core.costs import basis_for
        from chartui.core.plans.undo import NothingToUndo, undo_plan

        service, journal, place = session.service, session.journal, session.profile.place
        of = await known_names(service, journal, place)
        try:
            plan = await undo_plan(service, journal, place, arguments.target, ids=random_ids, of=of)
            return await undo_with_costs(service, journal, place, plan, await basis_for(session))
        except NothingToUndo as error:
            raise UsageError(str(error).rstrip("."), code="nothing_to_undo") from None

    return change(arguments, output, make)
