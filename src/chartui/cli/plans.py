"""``chartui plans``: changes of several steps, and resuming those that were stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from chartui.cli.files import whole_number
from chartui.cli.output import Output, members, moment
from chartui.cli.parser import Arguments, Parser, add_verb, add_verbs
from chartui.cli.run_plan import add_plan_options, carry_out, refuse_locked
from chartui.cli.sessions import ask
from chartui.core.jsontext import Wire
from chartui.core.numbers import number_of
from chartui.core.plans.wording import new_values

if TYPE_CHECKING:
    from chartui.core.journal import Entry, KeptPlan
    from chartui.core.plans.executor import Assumed
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session

_LISTED: Final = 20
#: The outcome of a step that was never sent: not reached, or not needed.
_NOT_SENT: Final = "not sent"


def configure_plans(parser: Parser) -> None:
    verbs = add_verbs(parser)
    verb = add_verb(verbs, "list", "list the profile's latest plans, newest first", list_plans)
    verb.option("--limit", "N", f"maximum number of plans (default: {_LISTED})", type=whole_number, default=_LISTED)
    _add_id(add_verb(verbs, "show", "show the steps of a plan and their outcomes", show))
    verb = add_verb(verbs, "resume", "resume a plan where it stopped", resume)
    _add_id(verb)
    assumed = verb.add_mutually_exclusive_group()
    for word in ("done", "not-done"):
        assumed.add_argument(
            f"--assume-{word}",
            dest="assume",
            action="store_const",
            const=word.replace("-", " "),
            help=f"assume that steps were {word.replace('-', ' ')} if they cannot be verified",
        )
    add_plan_options(verb)
    _add_id(add_verb(verbs, "abandon", "abandon a plan, so that it can no longer be resumed", abandon))


def _add_id(verb: Parser) -> None:
    verb.option("plan_id", "ID", "ID of the plan, as listed by 'chartui plans list'")


# -- list and show ----------------------------------------------------------------------------------------------------


def list_plans(arguments: Arguments, output: Output) -> None:
    async def question(session: Session) -> tuple[KeptPlan, ...]:
        return (await session.journal.plans(session.profile.place))[: arguments.limit]

    found = ask(arguments, question)
    if output.as_json:
        output.json({"plans": [_facts(kept) for kept in found]})
        return
    rows = [[kept.id, moment(kept.at), kept.state.value, f"{kept.changed}/{kept.total}", kept.title] for kept in found]
    if rows:
        output.table(rows, header=["ID", "STARTED (UTC)", "STATE", "CHANGED", "TITLE"], right={3})
    output.note(number_of(len(rows), "plan"))


def _facts(kept: KeptPlan) -> dict[str, Wire]:
    return members(kept, "id", "title", "at", "state", "changed", "total")


def show(arguments: Arguments, output: Output) -> None:
    async def question(session: Session) -> tuple[KeptPlan, Plan, Mapping[int, Entry]]:
        from chartui.core.plans.kept import kept_plan, last_tries, plan_of

        kept = await kept_plan(session.journal, session.profile.place, arguments.plan_id)
        return kept, plan_of(kept), await last_tries(session.journal, kept.id)

    kept, plan, tries = ask(arguments, question)
    if output.as_json:
        steps = [
            {**step, "outcome": _outcome(tries, number), "error": tries[number].error if number in tries else ""}
            for number, step in enumerate(kept.plan["steps"])
        ]
        output.json({**_facts(kept), "undoes": plan.undoes, "steps": steps})
        return
    output.sentence(f"{kept.title}: {kept.state.value}, {kept.changed} of {kept.total} steps made changes")
    rows = []
    for number, step in enumerate(plan.steps):
        error = tries[number].error if number in tries else ""
        rows.append(
            [str(number + 1), _outcome(tries, number), step.operation, step.subject, error or new_values(step.changes)]
        )
    output.table(rows, header=["STEP", "OUTCOME", "OPERATION", "SUBJECT", ""], right={0})


def _outcome(tries: Mapping[int, Entry], number: int) -> str:
    return tries[number].outcome.value if number in tries else _NOT_SENT


# -- resume and abandon -----------------------------------------------------------------------------------------------


def resume(arguments: Arguments, output: Output) -> int:
    async def question(session: Session) -> int:
        from chartui.core.journal import PlanState
        from chartui.core.plans.kept import kept_plan, last_tries, plan_of

        refuse_locked(arguments, session)
        plan = plan_of(await kept_plan(session.journal, session.profile.place, arguments.plan_id))
        tries = await last_tries(session.journal, plan.id)
        earlier = {number for number in range(len(plan.steps)) if _outcome(tries, number) == "done"}
        rest = [step for number, step in enumerate(plan.steps) if number not in earlier]
        if not rest:  # interrupted between its last step and its end
            await session.journal.end_plan(plan.id, PlanState.DONE)
        unsettled = [number for number, entry in tries.items() if entry.outcome.value in ("open", "unknown")]
        assume: dict[int, Assumed] = dict.fromkeys(unsettled, arguments.assume) if arguments.assume else {}
        return await carry_out(
            arguments,
            output,
            session,
            replace(plan, steps=tuple(rest)),
            begin=lambda executor, cancel: executor.resume(plan.id, assume=assume, cancel=cancel),
            earlier=earlier,
        )

    return ask(arguments, question)


def abandon(arguments: Arguments, output: Output) -> None:
    async def question(session: Session) -> KeptPlan:
        from chartui.core.plans.kept import kept_plan

        kept = await kept_plan(session.journal, session.profile.place, arguments.plan_id)
        await session.journal.abandon_plan(kept.id)
        return kept

    kept = ask(arguments, question)
    output.report(
        {"abandoned": kept.id}, f"“{kept.title}” was abandoned. Applied steps stay applied and remain in the history."
    )
