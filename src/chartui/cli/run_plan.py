"""Carrying out a plan on behalf of a command: shown before, asked about, told while it runs, reported at its end.

Every command that changes data makes a plan and hands it over to :func:`carry_out`; none sends a change itself.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, Failure, UsageError, failure_of
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Handler, Parser, Verbs, add_verb
from chartui.cli.prompts import asked, can_ask
from chartui.cli.sessions import ask
from chartui.core.clock import monotonic, random_ids
from chartui.core.jsontext import Wire
from chartui.core.plans.plan import Plan, Step, to_wire
from chartui.core.plans.wording import new_values
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.plans.executor import Executor, Progress
    from chartui.core.plans.read_back import ReadBack
    from chartui.core.plans.reads import Reads
    from chartui.core.session import Session


#: What begins or goes on with a plan; setting the event stops it between two steps.
Begin = Callable[["Executor", asyncio.Event], AsyncIterator["Progress"]]

#: How many steps a question shows before it.
_ASKED_ABOUT: Final = 20
#: A plan that takes longer says how far it is every so many seconds.
_PACE: Final = 2.0
#: More entries than any plan has.
_MANY: Final = 1_000_000
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def add_plan_options(parser: Parser) -> None:
    group = parser.add_argument_group("changing data")
    group.add_argument("--yes", action="store_true", help="do not ask before sending; needed without a terminal")
    group.add_argument("--dry-run", action="store_true", help="show what would be sent, and send nothing")
    parser.set_defaults(command=parser.prog.partition(" ")[2])


def planning(arguments: Arguments, session: Session) -> tuple[Session, Reads]:
    """The session to plan with, and its reads. Raises as :func:`refuse_locked`, before anything is read."""
    from chartui.core.plans.reads import Reads

    refuse_locked(arguments, session)
    reads = Reads(session.service, ticks=monotonic)
    return replace(session, service=reads.service), reads


def refuse_locked(arguments: Arguments, session: Session) -> None:
    """Raise :class:`~chartui.core.spec.errors.ServiceError` (kind ``read_only``) where the lock refuses a change."""
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
    by_count: bool = False,
    reads_back: bool = True,
    earlier: Collection[int] = (),
) -> int:
    """Show ``plan``, ask, carry it out, read back what a service stores, and report; returns the exit status.

    ``session`` is not the one of :func:`planning`; ``reads`` is what was read for the plan, and is read again where
    the question stood open for long. ``begin`` starts the executor otherwise than with ``plan`` as it is shown.
    ``done`` replaces the line for every step at the end. ``by_count`` has the number of steps typed. ``reads_back`` is
    False for a command that compares the character itself; steps done ``earlier`` are left out of that.
    Raises :class:`UsageError` without consent, and :class:`~chartui.core.spec.errors.ServiceError` when the plan
    cannot be started or its only step is refused.
    """
    from chartui.core.journal import PlanState
    from chartui.core.plans.executor import Executor
    from chartui.core.plans.read_back import ReadBack, read_back
    from chartui.core.plans.reads import Reads

    if arguments.dry_run:
        _show_only(output, plan)
        return Exit.DONE
    if not plan.steps:
        _nothing(output, plan)
        return Exit.DONE
    _confirm(arguments, output, session, plan, by_count=by_count)
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
    told, progress = monotonic(), None
    async for progress in steps:
        if not progress.finished and monotonic() - told >= _PACE:
            told = monotonic()
            output.note(f"{progress.done} of {_steps(len(progress.states))} done")
    assert progress is not None  # noqa: S101 - the last one says how the plan ended
    return progress


@contextmanager
def _stopped_by_signals(cancel: asyncio.Event, output: Output) -> Iterator[list[signal.Signals]]:
    """Let the first signal stop the plan after the running step, and the second one give that up as well."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    received: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        received.append(number)
        if len(received) == 1:
            cancel.set()
            output.note("stopping after the step that is under way; once more gives it up")
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


def _confirm(arguments: Arguments, output: Output, session: Session, plan: Plan, *, by_count: bool) -> None:
    """Raises :class:`UsageError` when the answer is not yes, or there is no terminal to ask on."""
    if arguments.yes:
        return
    if output.as_json or not can_ask():
        raise UsageError(
            "refused before sending: without a terminal to ask on, a change needs --yes (--dry-run shows what it does)",
            code="unconfirmed",
        )
    output.note(_reviewed(plan, most=_ASKED_ABOUT))
    where = f"profile '{session.profile.name}' ({session.where})"
    number = len(plan.steps)
    agreeing = [str(number)] if by_count and number > 1 else ["y", "yes"]
    how = f"Type {number} to agree:" if by_count and number > 1 else "y/N"
    if asked(f"Carry out {_steps(number)} on {where}? {how} ").strip().lower() not in agreeing:
        raise UsageError("not agreed to: nothing was sent, and nothing was changed", code="unconfirmed")


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
    output.tell({"plan": plan.id, "title": plan.title, "state": "done", "steps": []}, "There is nothing to change.")


def _reviewed(plan: Plan, *, requests: bool = False, most: int | None = None) -> str:
    """The plan as the terminal shows it, ``most`` steps of it; with ``requests`` also what is sent."""
    from chartui.core.plans.review import plan_lines

    lines = [single_line(plan.title), *(line.text for line in plan_lines(plan, most=most, requests=requests))]
    if most is not None and len(plan.steps) > most:
        lines.append(f"… and {_steps(len(plan.steps) - most)} more; --dry-run shows all of them")
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
        raise error  # as any command fails that sends one request
    if progress.ok and done is not None:
        done(progress)
    else:
        report(progress, output)
    if progress.unwatched:
        output.note(progress.unwatched)
    if progress.ok:
        _tell_done(progress, output, undo)
        return _read_back(stored, output)
    output.note(_counted(progress))
    if progress.not_tried or progress.unknown:
        output.note(f"resume with: chartui plans resume {progress.plan.id}")
    if progress.cancelled and error is None:
        return 128 + (received[0] if received else signal.SIGINT)
    _read_back(stored, output)
    failure = failure_of(error or ServiceError(ErrorKind.UNEXPECTED, "The plan was not carried out whole."))
    output.fail(failure)
    return failure.exit


def _read_back(stored: ReadBack, output: Output) -> int:
    """Say what is stored otherwise than it was sent, which is status 1, and what cannot be confirmed."""
    if stored.differs:
        sentences = " ".join(stored.sentences)
        output.fail(Failure(exit=Exit.NO, code="read_back", message=sentences))
        return Exit.NO
    for sentence in stored.sentences:
        output.note(sentence)
    return Exit.DONE


def report(progress: Progress, output: Output, more: Mapping[str, Wire] | None = None) -> None:
    if output.as_json:
        output.json({**_as_json(progress), **(more or {})})
    else:
        output.table(_table(progress), header=["STEP", "STATE", "OPERATION", "SUBJECT", ""], right={0})


async def _undo_hint(session: Session, progress: Progress) -> str:
    """What to say of an undo behind the number of steps: it is offered only where it can be carried out."""
    from chartui.core.journal import Outcome
    from chartui.core.plans.inverse import undo_refusal

    if not progress.ok or progress.plan.undoes:
        return ""
    place = session.profile.place
    entries = await session.journal.entries(place, plan_id=progress.plan.id, limit=_MANY)
    # A request that was sent without a plan is the last change of the history.
    entries = entries or await session.journal.entries(place, limit=1)
    refusal = undo_refusal(entry for entry in entries if entry.outcome is Outcome.DONE)
    if refusal:
        return f"\n{refusal}"
    if not all(change.undoable or change.final for step in progress.plan.steps for change in step.changes):
        return "; 'chartui undo' takes it back, if the service accepts the earlier value again"
    return "; 'chartui undo' takes it back"


def _tell_done(progress: Progress, output: Output, undo: str) -> None:
    from chartui.core.plans.executor import NOTHING_SENT

    output.note(", ".join(progress.summary) + undo if progress.sent else NOTHING_SENT)


def _counted(progress: Progress) -> str:
    from chartui.core.plans.executor import StepState

    counts = ((state, progress.count(state)) for state in StepState)
    return f"{_steps(len(progress.states))}: " + ", ".join(f"{number} {state}" for state, number in counts if number)


def _table(progress: Progress) -> list[list[str]]:
    rows = []
    for number, (step, state) in enumerate(zip(progress.plan.steps, progress.states, strict=True)):
        error = progress.errors.get(number)
        told = error.message if error else new_values(step.changes)
        rows.append([str(number + 1), state.value, step.operation, step.subject, told])
    return rows


def _as_json(progress: Progress) -> dict[str, Wire]:
    steps = []
    for number, (step, state) in enumerate(zip(progress.plan.steps, progress.states, strict=True)):
        error = progress.errors.get(number)
        steps.append(
            {
                "step": number + 1,
                "operation": step.operation,
                "subject": step.subject,
                "state": state.value,
                "answer": progress.answers.get(number),
                "error": None if error is None else {"code": error.kind.value, "message": error.message},
            }
        )
    return {
        "plan": progress.plan.id,
        "title": progress.plan.title,
        "state": progress.state.value,
        "done": progress.done,
        "failed": progress.failed,
        "unknown": progress.unknown,
        "not_tried": progress.not_tried,
        "read_at": progress.read_at,
        "steps": steps,
    }


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


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
    """Open the chosen profile, make a plan from what is there, and carry it out as :func:`carry_out` does."""
    from chartui.core.plans.narrative import BadReference

    async def made(session: Session) -> int:
        planned, reads = planning(arguments, session)
        try:
            plan = await make(planned)
        except BadReference as error:
            raise UsageError(str(error)) from None
        return await carry_out(arguments, output, session, plan, reads, done=done)

    return ask(arguments, made)


def plan_of(
    title: str, steps: Iterable[Step | None], *, independent: bool = False, notes: tuple[str, ...] = ()
) -> Plan:
    from chartui.core.plans.plan import Plan

    todo = tuple(step for step in steps if step is not None)
    return Plan(id=random_ids(), title=title, steps=todo, independent=independent, notes=notes)


def answered(output: Output, member: str) -> Callable[[Progress], None]:
    """Writes what the first step made: its id, or with ``--json`` what the service answered."""

    def write(progress: Progress) -> None:
        answer = progress.answers.get(0)
        if output.as_json:
            output.json(answer)
        elif isinstance(answer, dict):
            output.text(str(answer.get(member)))

    return write


def embedded_only(session: Session, deed: str) -> None:
    """Raise :class:`ServiceError` (kind ``not_available``) where a service over HTTP has no operation for it."""
    if not session.service.embedded:
        from chartui.core.plans.characters import needs_store

        raise ServiceError(ErrorKind.NOT_AVAILABLE, needs_store(deed))
