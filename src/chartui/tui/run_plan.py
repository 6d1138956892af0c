"""How screens change data: a plan is reviewed, applied with visible progress, and reported."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.worker import Worker, WorkerCancelled

from chartui.core.plans.plan import Plan
from chartui.core.plans.reads import Reads
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import wrap
from chartui.tui.numbers import number_of
from chartui.tui.shell.lock import PLANS
from chartui.tui.wait import Waiting, Work, waiting
from chartui.tui.widgets.review import Review
from chartui.tui.widgets.text import Piece, PieceRow, Role, told
from chartui.tui.widgets.told_list import ToldList

if TYPE_CHECKING:
    from chartui.core.plans.executor import Executor, Progress
    from chartui.core.service import Service
    from chartui.tui.app import ChartuiApp

    Begin = Callable[[Executor, asyncio.Event], AsyncIterator[Progress]]
    Done = Callable[[Progress], None]
    from chartui.core.plans.executor import Progress, StepState

#: The group of workers that compare the stored values with the sent ones.
READ_BACK: Final = "read-back"
#: The topic of the message that values were read again, which the plan's report does not replace.
_READ_AGAIN: Final = "refreshed"


def reads_for(app: ChartuiApp, service: Service | None = None) -> Reads:
    """The reads for or after one plan, through ``service`` (default: the open profile's).

    The dialog in front shows how much they receive.
    """
    service, front = service or app.session.service, app.screen
    if isinstance(front, Waiting):
        service = service.reporting_to(front.call())
    return Reads(service, ticks=app.connection.ticks, clock=app.opening.clock)


async def carry_out(
    app: ChartuiApp,
    plan: Plan,
    *,
    verb: str = "Apply",
    to_be_read: bool = False,
    watch: Callable[[AsyncIterator[Progress]], AsyncIterator[Progress]] = lambda steps: steps,
    done: Done = lambda _: None,
    reads: Reads | None = None,
    after: Reads | None = None,
) -> Progress | None:
    """Review ``plan``, apply it and report; None if nothing was started. To be awaited in a worker.

    ``to_be_read`` is passed to :class:`~chartui.tui.widgets.review.Review`. ``watch`` is called after every step.
    ``done`` is called once every step is done, before the report, so what it shows is never older than the report. The
    screen that passed it may have been removed by then.

    ``reads`` holds the reads made for the plan, with the values before it; they are repeated if the review was open for
    long. A started plan continues when the worker waiting for it is canceled: no step is interrupted. Afterwards every
    screen refreshes, the current one immediately, the others when next shown. The refreshed values are also compared
    with what was sent, unless the caller compares its own ``after`` read.
    """
    if app.refuses(f"“{plan.title}”"):
        return None
    if not plan.steps:
        app.tell("No changes needed.", title=plan.title)
        return None
    from chartui.core.plans.deletion import noting_drafts

    async with waiting(app, plan.title):
        plan = await noting_drafts(plan, app.session.drafts, app.session.profile.place)
        caveat = "" if reads is None else reads.caveat
        review = Review(plan, agree=verb, caveat=caveat, to_be_read=to_be_read)
        if not await app.push_screen_wait(review):
            return None
        if app.refuses(f"“{plan.title}”"):  # locked while the review was open
            return None
        if reads is not None and (again := reads.renew()):
            app.tell(again, title=plan.title, topic=_READ_AGAIN)

        def begin(executor: Executor, cancel: asyncio.Event) -> AsyncIterator[Progress]:
            return watch(executor.run(plan, reads=reads, cancel=cancel))

        return await _apart(app, plan.title, begin, done, after)


async def resume(app: ChartuiApp, plan_id: str, title: str) -> Progress | None:
    """Resume a stopped plan, already reviewed when it was started. Awaited in a worker."""
    if app.refuses(f"“{title}”"):
        return None
    return await _apart(app, title, lambda executor, cancel: executor.resume(plan_id, cancel=cancel))


async def _apart(
    app: ChartuiApp, title: str, begin: Begin, done: Done = lambda _: None, after: Reads | None = None
) -> Progress | None:
    """Run a plan as the application, independent of the screen that started it."""
    worker: Worker[Progress | None] = app.run_worker(partial(_run, app, title, begin, done, after), group=PLANS)
    return await asyncio.shield(_ended(worker))


async def _ended(worker: Worker[Progress | None]) -> Progress | None:
    """Wait for a plan; a caller that is gone by then misses the result."""
    try:
        return await worker.wait()
    except WorkerCancelled:  # the application is ending, and its workers with it
        return None


async def _run(app: ChartuiApp, title: str, begin: Begin, done: Done, after: Reads | None) -> Progress | None:
    """Run a plan until it ends or is stopped, and report errors that stop the whole plan."""
    cancel = asyncio.Event()

    def stop() -> None:
        cancel.set()
        work.stop()

    work = Work(title, "Starting…", stop, way_out="stops after this step", dialog_follows=False)
    session, progress = app.session, None
    earlier: Collection[int] = ()
    try:
        async with waiting(app, work):
            progress, earlier = await _steps(app, work, cancel, begin)
            if progress is not None and progress.ok:
                done(progress)
    except ServiceError as error:
        app.tell_failure(error)
    read = after or reads_for(app, session.service)
    for screen in app.work:
        screen.data_changed(read if screen.session is session else None)
    if progress is not None and progress.ok:
        _tell_done(app, progress)
    if progress is not None and progress.done and after is None:
        _: Worker[None] = app.run_worker(partial(_compare, app, read, progress, earlier), group=READ_BACK)
    return progress


async def _compare(app: ChartuiApp, read: Reads, progress: Progress, earlier: Collection[int]) -> None:
    """Report values that the service stored differently from what was sent, or that cannot be confirmed."""
    from chartui.core.plans.read_back import read_back

    found = await read_back(read, progress, earlier=earlier)
    for subject, sentence, differs in found.remarks:
        app.tell(sentence, title=single_line(subject, limit=60), severity="warning" if differs else "information")
    if found.failure is not None:
        app.tell(found.failed, title=progress.plan.title, severity="warning")


async def _steps(
    app: ChartuiApp, work: Work, cancel: asyncio.Event, begin: Begin
) -> tuple[Progress | None, Collection[int]]:
    """Apply the steps, then the remaining ones each time the user resumes from the report.

    The result includes the steps that were done before.
    """
    from chartui.core.plans.executor import Executor, StepState

    session = app.session
    executor = Executor(session.service.reporting_to(work.elapsed.call()), session.journal, session.profile.place)
    earlier: Collection[int] | None = None
    while True:
        progress: Progress | None = None
        try:
            with app.window.timed(f"“{work.title}”"):
                async for progress in begin(executor, cancel):
                    if earlier is None:
                        earlier = [n for n, state in enumerate(progress.states) if state is StepState.DONE]
                    _show(work, progress)
        except ServiceError as error:
            if progress is None:
                raise
            app.tell_failure(error)
        if (
            progress is None
            or progress.ok
            or not await app.push_screen_wait(Report(progress, app.keymap.name("history")))
        ):
            return progress, earlier or ()
        cancel.clear()
        work.stopping = False
        begin = partial(_gone_on, progress.plan.id)


def _gone_on(plan_id: str, executor: Executor, cancel: asyncio.Event) -> AsyncIterator[Progress]:
    return executor.resume(plan_id, cancel=cancel)


def _show(work: Work, progress: Progress) -> None:
    from chartui.core.plans.executor import StepState

    steps = len(progress.states)
    ended = sum(state not in (StepState.WAITING, StepState.RUNNING) for state in progress.states)
    subject = single_line(progress.plan.steps[min(ended, steps - 1)].subject)
    work.elapsed.restart()
    work.show(f"Step {min(ended + 1, steps)} of {steps}", subject, ended / max(1, steps))


#: The most subjects that the message on a change names, and the most characters of one.
_NAMED: Final = 3
_SUBJECT: Final = 100


def _tell_done(app: ChartuiApp, progress: Progress) -> None:
    """Report the change; for several steps what they changed, and how many are done."""
    from chartui.core.plans.executor import NOTHING_SENT
    from chartui.core.plans.undo import done_title
    from chartui.core.plans.wording import step_sentence

    plan = progress.plan
    if not progress.sent:
        app.tell(NOTHING_SENT, title=plan.title)
    elif len(plan.steps) > 1:
        summary = " ".join(f"{part}." for part in progress.summary)
        app.tell(f"{done_title(plan)} ({_subjects(plan)}). {summary}", topic=plan.title)
    else:
        change = done_title(plan) if plan.undoes else f"Applied: {step_sentence(plan.steps[0])}"
        app.tell(change, topic=plan.title)


def _subjects(plan: Plan) -> str:
    """What the steps of a plan changed, without the part that all of them share; the first ones by name."""
    parts = list(dict.fromkeys(single_line(step.subject, limit=_SUBJECT).rpartition(" · ")[2] for step in plan.steps))
    more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
    return ", ".join(parts[:_NAMED]) + more


class Report(ToldList):
    """Shows the outcome of every step of a plan that was not fully applied; the result is "r" to resume."""

    DEFAULT_CSS = """
    Report > Vertical { width: 90; border: round $meaning-danger; border-title-color: $meaning-danger; padding: 1 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "dismiss('r')", "Resume now"),
        Binding("escape,enter,q", "dismiss(None)", "Close", priority=True),
    ]
    UNFORESEEN = True

    def __init__(self, progress: Progress, history: str) -> None:
        from chartui.core.plans.executor import StepState

        partly = set(progress.states) - {StepState.FAILED, StepState.NOT_TRIED}
        title = f"Not {'fully ' if partly else ''}applied: {progress.plan.title}"
        super().__init__(title, partial(_report_rows, progress, history), {}, leaving="Close")


def _report_rows(progress: Progress, history: str, width: int) -> Iterator[PieceRow]:
    """Completed steps are counted; the others are named, with the reason."""
    from chartui.core.plans.executor import StepState
    from chartui.core.plans.wording import step_sentence

    failures = [
        progress.errors.get(number) for number, found in enumerate(progress.states) if found is StepState.FAILED
    ]
    late = all(error is not None and error.kind is ErrorKind.TIMEOUT for error in failures)
    signs: dict[StepState, tuple[str, Role, str]] = {
        StepState.FAILED: (GLYPHS.danger, "danger", f"{'timed out' if late else 'refused'}, nothing was changed"),
        StepState.UNKNOWN: (GLYPHS.unknown, "warning", "sent, outcome unknown"),
        StepState.NOT_TRIED: (GLYPHS.waiting, "quiet", "not tried"),
        StepState.ALREADY: (GLYPHS.done, "local", "no change needed"),
        StepState.DONE: (GLYPHS.done, "local", "done"),
    }
    states = progress.states
    for state, (glyph, role, words) in signs.items():
        if number := states.count(state):
            yield (Piece(f"{glyph} ", role), Piece(f"{number_of(number, 'step')} {words}", "value"))
    yield ()
    yield from told(_what_now(states, history), width, "label")
    for state in (StepState.UNKNOWN, StepState.FAILED, StepState.NOT_TRIED):
        for number, found in enumerate(states):
            if found is state:
                yield ()
                glyph, role, _ = signs[state]
                yield (Piece(f"{glyph} ", role), Piece(step_sentence(progress.plan.steps[number]), "value"))
                if number in progress.errors:
                    for line in wrap(str(progress.errors[number]), width - 2):
                        yield (Piece(f"  {line}", "label"),)


def _what_now(states: tuple[StepState, ...], history: str) -> str:
    from chartui.core.plans.executor import StepState

    done = {StepState.DONE, StepState.ALREADY} & set(states)
    kept = "Completed steps are kept. " if done else ""
    if set(states) == {StepState.NOT_TRIED}:
        kept = "Nothing was sent. "
    if StepState.UNKNOWN in states:
        return f"{kept}If you resume, the step that got no response is checked first."
    return f"{kept}Resume now, or later from the history ({history}), to retry{' the rest' if done else ''}."
