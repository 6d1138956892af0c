"""The one way in which a screen changes data: a plan is reviewed, carried out, and reported."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Final

from textual.worker import Worker, WorkerCancelled

from chartui.core.plans.plan import Plan
from chartui.core.plans.reads import Reads
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.numbers import count, number_of
from chartui.tui.shell.relock import PLANS
from chartui.tui.waiting import Waiting, Work, waiting
from chartui.tui.widgets.progress import Report
from chartui.tui.widgets.review import Review

if TYPE_CHECKING:
    from chartui.core.plans.executor import Executor, Progress
    from chartui.core.service import Service
    from chartui.tui.app import ChartuiApp

    Begin = Callable[[Executor, asyncio.Event], AsyncIterator[Progress]]
    Done = Callable[[Progress], None]

__all__ = ["READ_BACK", "carry_out", "reads_for", "resume"]

#: The group of workers that compare what is stored with what was sent.
READ_BACK: Final = "read-back"
#: The topic of the message that values were read again: the report of the plan does not take its place.
_READ_AGAIN: Final = "read again"


def reads_for(app: ChartuiApp, service: Service | None = None) -> Reads:
    """What is read from now on for one plan, or after it, by ``service`` or the one of the open profile.

    The dialog in front shows how much the reads receive.
    """
    service, front = service or app.session.service, app.screen
    if isinstance(front, Waiting):
        service = service.reporting_to(front.call())
    return Reads(service, ticks=app.connection.ticks, clock=app.opening.clock)


async def carry_out(
    app: ChartuiApp,
    plan: Plan,
    *,
    deed: str = "Carry out",
    by_count: bool = False,
    watch: Callable[[AsyncIterator[Progress]], AsyncIterator[Progress]] = lambda steps: steps,
    done: Done = lambda _: None,
    reads: Reads | None = None,
    after: Reads | None = None,
) -> Progress | None:
    """Review ``plan``, carry it out and report; None where nothing was begun. To be awaited in a worker.

    With ``by_count`` whoever agrees to more than one step types how many they are. ``watch`` sees every step end.
    ``done`` is called once every step is done and before that is reported: what it shows is never older than the
    report. The screen that passed it may have been removed by then.

    ``reads`` is what was read for the plan, and serves as what was there before; where the review stood open for long,
    it is read again. A plan that was begun goes on when the worker that waits for it is given up: a step is never torn.
    Behind it every screen reads its data again, the present one at once, the others when they are next shown. That
    read is also compared with what was sent, unless the caller compares what it reads by ``after`` itself.
    """
    if app.refuses(f"“{plan.title}”"):
        return None
    if not plan.steps:
        app.tell("There is nothing to change.", title=plan.title)
        return None
    async with waiting(app, plan.title):
        caveat = "" if reads is None else reads.caveat
        if not await app.push_screen_wait(Review(plan, deed=deed, by_count=by_count, caveat=caveat)):
            return None
        if app.refuses(f"“{plan.title}”"):  # the lock came back while the review was open
            return None
        if reads is not None and (again := reads.renew()):
            app.tell(again, title=plan.title, topic=_READ_AGAIN)

        def begin(executor: Executor, cancel: asyncio.Event) -> AsyncIterator[Progress]:
            return watch(executor.run(plan, reads=reads, cancel=cancel))

        return await _apart(app, plan.title, begin, done, after)


async def resume(app: ChartuiApp, plan_id: str, title: str) -> Progress | None:
    """Resume a plan that was stopped; it was reviewed when it was begun. To be awaited in a worker."""
    if app.refuses(f"“{title}”"):
        return None
    return await _apart(app, title, lambda executor, cancel: executor.resume(plan_id, cancel=cancel))


async def _apart(
    app: ChartuiApp, title: str, begin: Begin, done: Done = lambda _: None, after: Reads | None = None
) -> Progress | None:
    """Let a plan run on the application's behalf, whatever becomes of the screen that asked for it."""
    worker: Worker[Progress | None] = app.run_worker(partial(_run, app, title, begin, done, after), group=PLANS)
    return await asyncio.shield(_ended(worker))


async def _ended(worker: Worker[Progress | None]) -> Progress | None:
    """Wait for a plan on behalf of somebody who may be gone by then: it then ends unheard."""
    try:
        return await worker.wait()
    except WorkerCancelled:  # the application ends, and its workers with it
        return None


async def _run(app: ChartuiApp, title: str, begin: Begin, done: Done, after: Reads | None) -> Progress | None:
    """Run a plan to its end, or to where it is stopped; what stops all of it is shown."""
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
        app.tell(_all_done(progress), title=title)
    if progress is not None and progress.done and after is None:
        _: Worker[None] = app.run_worker(partial(_compare, app, read, progress, earlier), group=READ_BACK)
    return progress


async def _compare(app: ChartuiApp, read: Reads, progress: Progress, earlier: Collection[int]) -> None:
    """Say what a service stores otherwise than it was sent, and what cannot be confirmed."""
    from chartui.core.plans.read_back import read_back

    found = await read_back(read, progress, earlier=earlier)
    for subject, sentence, differs in found.told:
        app.tell(sentence, title=single_line(subject, limit=60), severity="warning" if differs else "information")
    if found.failure is not None:
        app.tell(found.failed, title=progress.plan.title, severity="warning")


async def _steps(
    app: ChartuiApp, work: Work, cancel: asyncio.Event, begin: Begin
) -> tuple[Progress | None, Collection[int]]:
    """Carry the steps out, and the rest of them again as often as the report is answered so.

    With it come the steps that were done before it began.
    """
    from chartui.core.plans.executor import Executor, StepState

    session = app.session
    executor = Executor(session.service.reporting_to(work.elapsed.call()), session.journal, session.profile.place)
    earlier: Collection[int] | None = None
    while True:
        progress: Progress | None = None
        try:
            async for progress in begin(executor, cancel):
                if earlier is None:
                    earlier = [n for n, state in enumerate(progress.states) if state is StepState.DONE]
                _show(work, progress)
        except ServiceError as error:
            if progress is None:
                raise
            app.tell_failure(error)
        if progress is None or progress.ok or not await app.push_screen_wait(Report(progress)):
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


def _all_done(progress: Progress) -> str:
    from chartui.core.plans.executor import StepState

    already = progress.states.count(StepState.ALREADY)
    done = len(progress.states) - already
    if not done:
        return "Everything was so already: nothing was sent."
    sentences = ["Done." if len(progress.states) == 1 else f"{number_of(done, 'step')} done."]
    if already:
        sentences.append(f"{count(already)} {'was' if already == 1 else 'were'} so already.")
    return " ".join(sentences)
