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
from chartui.core.spec.operations import operation
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
    from chartui.core.plans.plan import Step

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
    deed: str = "Apply",
    by_count: bool = False,
    to_be_read: bool = False,
    watch: Callable[[AsyncIterator[Progress]], AsyncIterator[Progress]] = lambda steps: steps,
    done: Done = lambda _: None,
    reads: Reads | None = None,
    after: Reads | None = None,
) -> Progress | None:
    """Review ``plan``, apply it and report; None if nothing was started. To be awaited in a worker.

    ``by_count`` and ``to_be_read`` are those of :class:`~chartui.tui.widgets.review.Review`. ``watch`` is called after
    every step. ``done`` is called once every step is done, before the report, so what it shows is never older than the
    report. The screen that passed it may have been removed by then.

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
    async with waiting(app, plan.title):
        caveat = "" if reads is None else reads.caveat
        review = Review(plan, agree=deed, by_count=by_count, caveat=caveat, to_be_read=to_be_read)
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


def _tell_done(app: ChartuiApp, progress: Progress) -> None:
    """Report the change, or for several steps how many are done."""
    from chartui.core.plans.executor import NOTHING_SENT
    from chartui.core.plans.undo import done_title
    from chartui.core.plans.wording import sentence

    plan = progress.plan
    if not progress.sent:
        app.tell(NOTHING_SENT, title=plan.title)
    elif len(plan.steps) > 1:
        app.tell(" ".join(f"{part}." for part in progress.summary), title=plan.title)
    else:
        [step], of = plan.steps, app.work.name_known
        change = sentence(step.operation, step.payload, step.expected, of=lambda key: of(key) or step.subject)
        app.tell(done_title(plan) if plan.undoes else f"Applied: {change}", topic=plan.title)
