"""Running the plan of a command: review, confirmation, progress and report.

Every command that changes data makes a plan and passes it to :func:`carry_out`; none sends a change itself.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, Failure, UsageError, failure_of
from chartui.cli.naming import name_characters
from chartui.cli.output import Output, members
from chartui.cli.parser import Arguments, Handler, Parser, Verbs, add_verb
from chartui.cli.sessions import ask, asked, can_ask
from chartui.core.clock import monotonic, random_ids
from chartui.core.jsontext import Wire
from chartui.core.numbers import number_of
from chartui.core.plans.plan import Plan, Step, to_wire
from chartui.core.plans.wording import new_values
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.plans.executor import Executor, Progress
    from chartui.core.plans.read_back import ReadBack
    from chartui.core.plans.reads import Reads
    from chartui.core.session import Session


#: Starts or resumes a plan; setting the event stops it between two steps.
Begin = Callable[["Executor", asyncio.Event], AsyncIterator["Progress"]]

#: Maximum number of steps shown before a question.
_ASKED_ABOUT: Final = 20
#: Seconds between two progress reports of a plan.
_PACE: Final = 2.0
#: More entries than any plan contains.
_MANY: Final = 1_000_000
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def add_plan_options(parser: Parser) -> None:
    group = parser.add_argument_group("changing data")
    group.flag("--yes", "do not ask before sending; required without a terminal")
    group.flag("--dry-run", "show what would be sent, without sending it")
    parser.set_defaults(command=parser.prog.partition(" ")[2])


async def planning(arguments: Arguments, session: Session) -> tuple[Session, Reads]:
    """Return the session to plan with and its reads, after resolving the names of characters.

    Raises as :func:`refuse_locked`, before reading anything, and as :func:`~chartui.cli.naming.names`.
    """
    from chartui.core.plans.reads import Reads

    refuse_locked(arguments, session)
    reads = Reads(session.service, ticks=monotonic)
    planned = replace(session, service=reads.service)
    await name_characters(planned, arguments)
    return planned, reads


def refuse_locked(arguments: Arguments, session: Session) -> None:
    """Raise :class:`~chartui.core.spec.errors.ServiceError` (kind ``read_only``) if the lock refuses a change."""
    if session.read_only and not arguments.dry_run:
        raise ServiceError(ErrorKind.READ_ONLY, session.lock.refusal(f"“{arguments.command}”"))


async def carry_out(
    arguments: Arguments,
    output: Output,
    session: Session,
    plan: Plan,
    reads: Reads | None = None,
    *,
    begin: Begin | None = None,
    done: Callable[[Progress], None] | None = None,
    reads_back: bool = True,
    earlier: Collection[int] = (),
) -> int:
    """Show ``plan``, ask, apply it, read the stored values back, and report; returns the exit status.

    ``session`` is the original one, not that of :func:`planning`. ``reads`` are the reads for the plan, which are
    repeated if the question was open for long. ``begin`` overrides how the executor starts. ``done`` replaces the final
    report of the steps. ``reads_back`` is False for a command that compares the character itself; steps done
    ``earlier`` are not read back. Raises :class:`UsageError` without confirmation, and
    :class:`~chartui.core.spec.errors.ServiceError` if the plan cannot start or its only step is refused.
    """
    from chartui.core.journal import PlanState
    from chartui.core.plans.deletion import noting_drafts
    from chartui.core.plans.executor import Executor
    from chartui.core.plans.read_back import ReadBack, read_back
    from chartui.core.plans.reads import Reads

    plan = await noting_drafts(plan, session.drafts, session.profile.place)
    if arguments.dry_run:
        _show_only(output, plan)
        return Exit.DONE
    if not plan.steps:
        _nothing(output, plan)
        return Exit.DONE
    _confirm(arguments, output, session, plan)
    if reads is not None and (again := reads.renew()):
        output.note(again)
    executor = Executor(session.service, session.journal, session.profile.place)
    cancel = asyncio.Event()
    with _stopped_by_signals(cancel, output) as received:
        steps = begin(executor, cancel) if begin else executor.run(plan, reads=reads, cancel=cancel)
        progress = await _watched(steps, output)
    stored = ReadBack()
    if reads_back and progress.state is PlanState.DONE:
        stored = await read_back(Reads(session.service), progress, earlier=earlier)
    undo = await _undo_hint(session, progress)
    return _report(progress, output, received, done, stored, undo)


async def _watched(steps: AsyncIterator[Progress], output: Output) -> Progress:
    reported, progress = monotonic(), None
    async for progress in steps:
        if not progress.finished and monotonic() - reported >= _PACE:
            reported = monotonic()
            output.note(f"{progress.done} of {number_of(len(progress.states), 'step')} done")
    assert progress is not None  # noqa: S101 - the last one says how the plan ended
    return progress


@contextmanager
def _stopped_by_signals(cancel: asyncio.Event, output: Output) -> Iterator[list[signal.Signals]]:
    """Let the first signal stop the plan after the running step, and the second one abort that step."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    received: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        received.append(number)
        if len(received) == 1:
            cancel.set()
            output.note("Stopping after the current step. Press Ctrl+C again to abort it.")
        elif task is not None:
            task.cancel()

    for number in _SIGNALS:
        loop.add_signal_handler(number, stop, number)
    try:
        yield received
    except asyncio.CancelledError:
        if not received:
            raise
        raise KeyboardInterrupt from None
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


# -- before anything is sent ------------------------------------------------------------------------------------------


def _confirm(arguments: Arguments, output: Output, session: Session, plan: Plan) -> None:
    """Raises :class:`UsageError` if the change is not confirmed, or without a terminal to ask on."""
    if arguments.yes:
        return
    if output.as_json or not can_ask():
        raise UsageError(
            "not sent: without a terminal, changes need --yes (--dry-run shows what would be sent)", code="unconfirmed"
        )
    output.note(_reviewed(plan, most=_ASKED_ABOUT))
    where = f"profile '{session.profile.name}' ({session.where})"
    number = len(plan.steps)
    agreeing = [str(number)] if plan.bulk else ["y", "yes"]
    how = f"Type {number} to confirm:" if plan.bulk else "y/N"
    if asked(f"Apply {number_of(number, 'step')} to {where}? {how} ").strip().lower() not in agreeing:
        raise UsageError("not confirmed: nothing was sent", code="unconfirmed")


def _show_only(output: Output, plan: Plan) -> None:
    if output.as_json:
        output.json(to_wire(plan))
    elif plan.steps:
        from chartui.core.plans.review import counts

        output.text(_reviewed(plan, requests=True))
        output.note(f"{counts(plan)}; nothing was sent")
    else:
        _nothing(output, plan)


def _nothing(output: Output, plan: Plan) -> None:
    from chartui.core.plans.executor import NOTHING_SENT

    output.report({"plan_id": plan.id, "title": plan.title, "state": "done", "steps": []}, NOTHING_SENT)


def _reviewed(plan: Plan, *, requests: bool = False, most: int | None = None) -> str:
    """The plan as the terminal shows it, at most ``most`` steps; with ``requests`` also the payloads."""
    from chartui.core.plans.review import plan_lines

    lines = [single_line(plan.title), *(line.text for line in plan_lines(plan, most=most, requests=requests))]
    if most is not None and len(plan.steps) > most:
        lines.append(f"… and {number_of(len(plan.steps) - most, 'more step')}; --dry-run shows all")
    return "\n".join(lines)


# -- at the end -------------------------------------------------------------------------------------------------------


def _report(
    progress: Progress,
    output: Output,
    received: list[signal.Signals],
    done: Callable[[Progress], None] | None,
    stored: ReadBack,
    undo: str,
) -> int:
    error = progress.first_error
    if error is not None and len(progress.states) == progress.failed == 1:
        raise error  # like any command that sends one request
    if progress.ok and done is not None:
        done(progress)
    else:
        report(progress, output)
    if progress.unwatched:
        output.note(progress.unwatched)
    if progress.ok:
        from chartui.core.plans.executor import NOTHING_SENT

        output.note(_summary(progress) + undo if progress.sent else NOTHING_SENT)
        return _read_back(stored, output)
    output.note(_counted(progress))
    if progress.not_tried or progress.unknown:
        output.note(f"resume with: chartui plans resume {progress.plan.id}")
    if progress.cancelled and error is None:
        return 128 + (received[0] if received else signal.SIGINT)
    _read_back(stored, output)
    failure = failure_of(error or ServiceError(ErrorKind.UNEXPECTED, "The plan was not completed."))
    output.fail(failure)
    return failure.exit


def _read_back(stored: ReadBack, output: Output) -> int:
    """Report stored values that differ from those sent (status 1), and those that cannot be confirmed."""
    if stored.differs:
        sentences = " ".join(stored.sentences)
        output.fail(Failure(exit=Exit.NO, code="read_back", message=sentences))
        return Exit.NO
    output.notes(stored.sentences)
    return Exit.DONE


def report(progress: Progress, output: Output, more: Mapping[str, Wire] | None = None) -> None:
    if output.as_json:
        output.json({**_as_json(progress), **(more or {})})
    else:
        output.table(_table(progress), header=["STEP", "STATE", "OPERATION", "SUBJECT", ""], right={0})


async def _undo_hint(session: Session, progress: Progress) -> str:
    """How to undo the plan, as the end of the summary; offered only if it is possible."""
    from chartui.core.journal import Outcome
    from chartui.core.plans.inverse import undo_refusal

    if not progress.ok or progress.plan.undoes:
        return ""
    place = session.profile.place
    entries = await session.journal.entries(place, plan_id=progress.plan.id, limit=_MANY)
    # A request without a plan is the last change of the history.
    entries = entries or await session.journal.entries(place, limit=1)
    refusal = undo_refusal(entry for entry in entries if entry.outcome is Outcome.DONE)
    if refusal:
        return f"\n{refusal}"
    if not all(change.undoable or change.final for step in progress.plan.steps for change in step.changes):
        return "; 'chartui undo' undoes the change, if the service accepts the earlier value again"
    return "; 'chartui undo' undoes the change"


def _summary(progress: Progress) -> str:
    """What a completed plan did: the title of one step, the number of several."""
    from chartui.core.plans.undo import done_title

    one = len(progress.plan.steps) == 1
    return single_line(done_title(progress.plan), limit=120) if one else ", ".join(progress.summary)


def _counted(progress: Progress) -> str:
    from chartui.core.plans.executor import StepState

    counts = ((state, progress.count(state)) for state in StepState)
    return f"{number_of(len(progress.states), 'step')}: " + ", ".join(
        f"{number} {state}" for state, number in counts if number
    )


def _table(progress: Progress) -> list[list[str]]:
    rows = []
    for number, (step, state) in enumerate(zip(progress.plan.steps, progress.states, strict=True)):
        error = progress.errors.get(number)
        result = error.message if error else new_values(step.changes)
        rows.append([str(number + 1), state.value, step.operation, step.subject, result])
    return rows


def _as_json(progress: Progress) -> dict[str, Wire]:
    steps = []
    for number, (step, state) in enumerate(zip(progress.plan.steps, progress.states, strict=True)):
        error = progress.errors.get(number)
        steps.append(
            {
                "step": number + 1,
                **members(step, "operation", "subject"),
                "state": state.value,
                "answer": progress.answers.get(number),
                "error": None if error is None else {"code": error.kind.value, "message": error.message},
            }
        )
    return {
        "plan_id": progress.plan.id,
        "title": progress.plan.title,
        **members(progress, "state", "done", "failed", "unknown", "not_tried", "read_at"),
        "steps": steps,
    }


def add_change(verbs: Verbs, name: str, summary: str, handler: Handler, *first: Callable[[Parser], None]) -> Parser:
    verb = add_verb(verbs, name, summary, handler, *first)
    add_plan_options(verb)
    return verb


def change(
    arguments: Arguments,
    output: Output,
    make: Callable[[Session], Awaitable[Plan]],
    *,
    done: Callable[[Progress], None] | None = None,
) -> int:
    """Open the chosen profile, make a plan from its current state, and run it as :func:`carry_out` does."""
    from chartui.core.plans.narrative import BadReference

    async def made(session: Session) -> int:
        planned, reads = await planning(arguments, session)
        try:
            plan = await make(planned)
        except BadReference as error:
            raise UsageError(str(error)) from None
        return await carry_out(arguments, output, session, plan, reads, done=done)

    return ask(arguments, made, resolve=False)


def plan_of(
    title: str, steps: Iterable[Step | None], *, independent: bool = False, notes: tuple[str, ...] = ()
) -> Plan:
    todo = tuple(step for step in steps if step is not None)
    return Plan(id=random_ids(), title=title, steps=todo, independent=independent, notes=notes)


def answered(output: Output, member: str) -> Callable[[Progress], None]:
    """Writes the result of the first step: the new id, or with ``--json`` the answer of the service."""

    def write(progress: Progress) -> None:
        answer = progress.answers.get(0)
        if output.as_json:
            output.json(answer)
        elif isinstance(answer, dict):
            output.text(str(answer.get(member)))

    return write


def embedded_only(session: Session, action: str) -> None:
    """Raise :class:`ServiceError` (kind ``not_available``) if only an embedded store can do this."""
    if not session.service.embedded:
        from chartui.core.plans.characters import needs_store

        raise ServiceError(ErrorKind.NOT_AVAILABLE, needs_store(action))
