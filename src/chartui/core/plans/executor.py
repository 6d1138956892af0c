"""Run plans and record their progress in the journal.

A plan is stored before its first step is sent, and each step gets its own journal entry. The progress of a plan is read
from these entries, so it is known even if the program was killed.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Mapping
from contextlib import aclosing, suppress
from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from chartui.core.backends.layers import UNREADABLE
from chartui.core.classes import dataclass
from chartui.core.journal import Entry, Journal, Outcome, PlanState, outcome_of
from chartui.core.jsontext import Wire
from chartui.core.numbers import count, number_of
from chartui.core.plans.kept import kept_plan, last_tries, plan_of
from chartui.core.plans.plan import BadPlan, Plan, Step, resolved, to_wire
from chartui.core.plans.reads import FRESH, Reads
from chartui.core.plans.verify import (
    EQUAL,
    Ended,
    Found,
    address_of,
    how_it_ended,
    is_so,
    lookalikes,
    made_by_others,
    makes,
    naming_own_change,
    removes,
)
from chartui.core.profiles import Place
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation, Retry
from chartui.core.spec.operations import OPERATIONS

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

#: The user's answer for a step whose outcome cannot be determined.
Assumed = Literal["done", "not done"]

#: The message for a plan that changed nothing.
NOTHING_SENT: Final = "No changes needed. Nothing was sent."
#: Kinds of errors that affect only one step. Any other error would affect the next step as well.
_OF_ONE_STEP: Final = frozenset({ErrorKind.INVALID, ErrorKind.NOT_FOUND, ErrorKind.CONFLICT, ErrorKind.TOO_LARGE})


class StepState(StrEnum):
    """The state of a step in a plan."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    ALREADY = "already"  # no change needed; nothing was sent
    FAILED = "failed"  # refused: certainly nothing changed
    UNKNOWN = "unknown"  # sent, but without a clear answer
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a plan: the state of every step, and the errors and responses, keyed by step number.

    Steps are numbered from 0. A step that was already applied has no response. ``read_at`` is the time when the plan's
    values were read (ISO 8601). Changes that others make after this time go unnoticed, because a service stores new
    values without checking whether the current ones have changed. ``read_at`` is None if every change would be noticed.
    """

    plan: Plan
    states: tuple[StepState, ...]
    finished: bool
    errors: Mapping[int, ServiceError] = field(default_factory=dict)
    answers: Mapping[int, Wire] = field(default_factory=dict)
    cancelled: bool = False
    read_at: str | None = None

    def count(self, *states: StepState) -> int:
        return sum(state in states for state in self.states)

    @property
    def done(self) -> int:
        return self.count(StepState.DONE, StepState.ALREADY)

    @property
    def failed(self) -> int:
        return self.count(StepState.FAILED)

    @property
    def unknown(self) -> int:
        return self.count(StepState.UNKNOWN)

    @property
    def not_tried(self) -> int:
        return self.count(StepState.NOT_TRIED)

    @property
    def ok(self) -> bool:
        return self.finished and self.done == len(self.states)

    @property
    def sent(self) -> bool:
        return StepState.DONE in self.states

    @property
    def summary(self) -> tuple[str, ...]:
        """Phrases that sum up the result, such as ``2 steps done`` and ``1 was already applied``."""
        already = self.count(StepState.ALREADY)
        done = self.done - already
        so = f"{count(already)} {'was' if already == 1 else 'were'} already applied"
        return (*([f"{number_of(done, 'step')} done"] if done else []), *([so] if already else []))

    @property
    def state(self) -> PlanState:
        """The final state of the plan.

        The state is ``done`` if no step remains to be tried, even if some steps were refused.
        """
        if self.cancelled:
            return PlanState.CANCELLED
        left = self.not_tried + self.unknown
        return PlanState.STOPPED if left else PlanState.DONE

    @property
    def unwatched(self) -> str:
        """A warning that changes by others may have gone unnoticed, or an empty string if no warning is needed."""
        if self.read_at is None or not self.count(StepState.DONE):
            return ""
        return f"Values were read at {self.read_at[11:19]} UTC. Later changes by others would not have been noticed."

    @property
    def first_error(self) -> ServiceError | None:
        return self.errors[min(self.errors)] if self.errors else None


class Executor:
    """Runs plans through ``service`` and records them in ``journal``. ``place`` identifies the service or store."""

    def __init__(self, service: Service, journal: Journal, place: Place) -> None:
        self._service = service
        self._journal = journal
        self._place = place

    async def run(
        self, plan: Plan, *, reads: Reads | None = None, cancel: asyncio.Event | None = None
    ) -> AsyncIterator[Progress]:
        """Run ``plan``, and yield its progress before every step and at the end.

        ``reads`` provides the values as they were before the plan, which are recorded in the journal. By default, these
        values are read when the plan is run. Setting ``cancel`` stops the plan before the next step is sent. Raises
        :class:`ServiceError` if the plan cannot be stored (``busy``, ``broken``) or is invalid (``not_available``). In
        both cases, nothing is sent.
        """
        if not plan.steps:
            yield Progress(plan=plan, states=(), finished=True)
            return
        async with aclosing(self._carry_out(plan, cancel, {}, reads)) as going:
            async for progress in going:
                yield progress

    async def resume(
        self, plan_id: str, *, assume: Mapping[int, Assumed] | None = None, cancel: asyncio.Event | None = None
    ) -> AsyncIterator[Progress]:
        """Resume a stored plan that was stopped, canceled or killed.

        Applied steps are skipped, refused steps are tried again, and unknown outcomes are determined if possible.
        ``assume`` gives the outcome to assume for each step whose outcome cannot be determined, keyed by step number.
        Raises :class:`ServiceError` in the same cases as :meth:`run`, and also if the plan is missing (``not_found``)
        or belongs to another service or store (``not_available``).
        """
        plan = plan_of(await kept_plan(self._journal, self._place, plan_id))
        async with aclosing(self._carry_out(plan, cancel, assume or {})) as going:
            async for progress in going:
                yield progress

    async def _carry_out(
        self, plan: Plan, cancel: asyncio.Event | None, assume: Mapping[int, Assumed], reads: Reads | None = None
    ) -> AsyncGenerator[Progress, None]:
        rows = _rows(plan)
        await self._keep(plan)
        reads = reads or Reads(self._service)
        run = _Run(self._service, self._journal, self._place, reads, plan, rows, assume, cancel)
        state = PlanState.STOPPED
        try:
            await run.look_back()
            for number, known in enumerate(run.states):
                if known is not StepState.WAITING:
                    continue
                if cancel is not None and cancel.is_set():
                    run.cancelled = True
                    break
                run.states[number] = StepState.RUNNING
                yield run.progress()
                if not await run.carry_out(number):
                    break
            state = run.end()
        finally:
            # The progress of the plan is known from its entries. This only records that the plan is no longer running.
            with suppress(ServiceError):
                await self._journal.end_plan(plan.id, state)
        yield run.progress(finished=True)

    async def _keep(self, plan: Plan) -> None:
        """Store the plan and mark it as run by this program.

        If this is canceled, the mark is removed.
        """
        import asyncio

        keeping = asyncio.ensure_future(
            self._journal.keep_plan(self._place, plan.id, plan.title, to_wire(plan), len(plan.steps))
        )
        try:
            await asyncio.shield(keeping)
        except asyncio.CancelledError:
            with suppress(ServiceError):
                await keeping
                await self._journal.end_plan(plan.id, PlanState.CANCELLED)
            raise


class _Canceled(Exception):
    """The plan was canceled while a step was reading values."""


def _rows(plan: Plan) -> tuple[Operation, ...]:
    """Return the operation of each step.

    Raises :class:`ServiceError` for an unknown operation, or one that changes nothing.
    """
    rows = []
    for step in plan.steps:
        row = OPERATIONS.get(step.operation)
        if row is None or row.effect is not Effect.WRITE:
            message = f"The plan contains the operation '{step.operation}', which changes nothing. Nothing was sent."
            raise ServiceError(ErrorKind.NOT_AVAILABLE, message)
        rows.append(row)
    return tuple(rows)


@dataclass(slots=True)
class _Run:
    service: Service
    journal: Journal
    place: Place
    reads: Reads
    plan: Plan
    rows: tuple[Operation, ...]
    assume: Mapping[int, Assumed]
    cancel: asyncio.Event | None
    states: list[StepState] = field(init=False)
    errors: dict[int, ServiceError] = field(default_factory=dict)
    entries: dict[int, Entry] = field(default_factory=dict)
    answers: dict[int, Wire] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    read_at: str | None = None
    cancelled: bool = False

    def __post_init__(self) -> None:
        self.states = [StepState.WAITING] * len(self.plan.steps)

    def progress(self, *, finished: bool = False) -> Progress:
        return Progress(
            plan=self.plan,
            states=tuple(self.states),
            errors=dict(self.errors),
            answers=dict(self.answers),
            finished=finished,
            cancelled=self.cancelled,
            read_at=self.read_at,
        )

    def end(self) -> PlanState:
        """Mark the steps that were not reached, and return the state of the plan."""
        for number, state in enumerate(self.states):
            if state is StepState.WAITING:
                self.states[number] = StepState.UNKNOWN if self._unsettled(number) else StepState.NOT_TRIED
        return self.progress().state

    async def look_back(self) -> None:
        self.entries = dict(await last_tries(self.journal, self.plan.id))
        for number, entry in self.entries.items():
            if entry.outcome is Outcome.DONE:
                self.states[number] = StepState.DONE
                self.answers[number] = entry.answer
        if not self.plan.independent:
            # These steps were applied before a later step began. Their values may have been overwritten since.
            for number in range(max(self.entries, default=0)):
                if number not in self.entries:
                    self.states[number] = StepState.ALREADY

    async def carry_out(self, number: int) -> bool:
        """Perform one step unless it is already done. Returns whether the plan continues."""
        row, step = self.rows[number], self.plan.steps[number]
        try:
            step = _filled_in(step, self.answers)
            entry = self._unsettled(number)
            if entry is not None and not await self._unless_canceled(self._settle(number, row, step, entry)):
                return self.states[number] is StepState.DONE
            before = await self._unless_canceled(self._before(number, row, step))
            if self.states[number] is StepState.ALREADY:
                return True
            self._stop_if_canceled()
        except _Canceled:
            self.cancelled = True
            self.states[number] = StepState.WAITING  # only reads so far: it was not sent
            return False
        except ServiceError as error:
            # So far, the step has only been reading. Whatever the result, it was not sent.
            message = f"The current values could not be read. Nothing was sent. {error.message}"
            error = error if error.refused_before_sending else replace(error, message=message, sent="no")
            return self._failed(number, error, StepState.UNKNOWN if self._unsettled(number) else StepState.FAILED)
        return await self._send(number, row, step, before)

    async def _unless_canceled(self, reads: Coroutine[Any, Any, T]) -> T:
        """Wait for ``reads``. If the plan is canceled, stop them and raise :class:`_Canceled`."""
        import asyncio

        if self.cancel is None:
            return await reads
        if self.cancel.is_set():
            reads.close()
        self._stop_if_canceled()
        reading, canceled = asyncio.ensure_future(reads), asyncio.ensure_future(self.cancel.wait())
        try:
            await asyncio.wait((reading, canceled), return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                raise _Canceled
            return reading.result()
        finally:
            canceled.cancel()
            if not reading.done():
                reading.cancel()
                await asyncio.wait((reading,))

    def _stop_if_canceled(self) -> None:
        if self.cancel is not None and self.cancel.is_set():
            raise _Canceled

    def _unsettled(self, number: int) -> Entry | None:
        entry = self.entries.get(number)
        return entry if entry is not None and entry.outcome in (Outcome.OPEN, Outcome.UNKNOWN) else None

    def _failed(self, number: int, error: ServiceError, state: StepState) -> bool:
        self.states[number] = state
        self.errors[number] = error
        return self.plan.independent and state is StepState.FAILED and error.kind in _OF_ONE_STEP

    # -- before a step is sent ----------------------------------------------------------------------------------------

    async def _before(self, number: int, row: Operation, step: Step) -> Mapping[str, Wire] | None:
        """Return the current values, which are recorded in the journal and passed to the layers below.

        Marks the step if no change is needed. Returns None if the values cannot be read; the step is sent anyway.
        """
        try:
            if makes(row):
                return {EQUAL: await lookalikes(row, step.payload, self.reads)}
            now = await self._present(row, step)
        except ServiceError as error:
            if removes(row) and error.kind is ErrorKind.NOT_FOUND:
                self.states[number] = StepState.ALREADY
            elif error.kind not in UNREADABLE:
                raise
            now = None
        if self.states[number] is not StepState.ALREADY:
            self._refuse_blind(step, now)
            if is_so(row, step.payload, now):
                self.states[number] = StepState.ALREADY
        return now

    def _refuse_blind(self, step: Step, now: Mapping[str, Wire] | None) -> None:
        """Raise an error if an undo step cannot check whether someone else has changed the values since.

        The embedded store can always check, because it compares inside its transaction.
        """
        missing = [name for name in step.expected or () if now is None or name not in now]
        if self.plan.undoes and missing and not self.service.embedded:
            message = (
                f"The current value cannot be read ({', '.join(missing)}), so another person's change might be "
                "overwritten. Nothing was sent."
            )
            raise ServiceError(ErrorKind.CONFLICT, message, sent="no")

    async def _present(self, row: Operation, step: Step) -> Mapping[str, Wire] | None:
        """Return the current values of the members that a step changes.

        A remote service is read only once, except for items changed by this run, which are read again.
        """
        again = address_of(row, step.payload) in self.touched
        now = await self.reads.present(row, step.payload, step.expected, again=again)
        if not (again or self.service.embedded):
            self.read_at = self.reads.read_at
        return now

    async def _send(self, number: int, row: Operation, step: Step, before: Mapping[str, Wire] | None) -> bool:
        self.touched.add(address_of(row, step.payload))
        age = self.reads.age
        try:
            answer = await self.service.perform(
                row, step.payload, expected=step.expected, before=before or {}, plan_id=self.plan.id, step=number
            )
        except ServiceError as error:
            unclear = outcome_of(error) is Outcome.UNKNOWN
            if error.kind is ErrorKind.CONFLICT:
                error = await naming_own_change(error, self.journal, self.place, row, step.payload, before or {})
            return self._failed(number, error, StepState.UNKNOWN if unclear else StepState.FAILED)
        finally:
            if self.reads.age - age > FRESH:
                # The values are old, because the confirmation was open for a long time or the service was very slow.
                # The next steps read them again.
                self.reads.renew()
        self.states[number] = StepState.DONE
        self.answers[number] = answer.read(row)
        return True

    # -- steps with only an intent recorded ---------------------------------------------------------------------------

    async def _settle(self, number: int, row: Operation, step: Step, entry: Entry) -> bool:
        """Determine and record the outcome of a step that was begun earlier.

        Returns whether it still has to be done.
        """
        found = await self._look(row, step, entry)
        if found.ended in (Ended.CHANGED, Ended.UNCLEAR):
            assumed = self.assume.get(number)
            if assumed is None:
                self._failed(number, _undecided(number, step, found.ended), StepState.UNKNOWN)
                return False
            found = Found(ended=Ended.DONE if assumed == "done" else Ended.NOT_DONE)
        if found.ended is Ended.NOT_DONE:
            await self.journal.resolve(entry.number, Outcome.REFUSED)
            self.entries[number] = replace(entry, outcome=Outcome.REFUSED)
            return True
        if found.answer is not None:
            await self.journal.conclude(entry.number, Outcome.DONE, answer=found.answer)
        else:
            await self.journal.resolve(entry.number, Outcome.DONE)
        self.states[number] = StepState.DONE
        self.answers[number] = found.answer
        return False

    async def _look(self, row: Operation, step: Step, entry: Entry) -> Found:
        seen = entry.before or {}
        if makes(row):
            others = await made_by_others(row, self.journal, entry)
            if others is None:
                return Found(ended=Ended.UNCLEAR)
            return await how_it_ended(row, step.payload, None, self.reads, others=others)
        before = {**(step.expected or {}), **seen}
        changed = address_of(row, step.payload) in self.touched
        found = await how_it_ended(row, step.payload, before, self.reads, again=changed)
        # Writing the same value twice is harmless, so steps with an unknown outcome are repeated.
        again = found.ended is Ended.UNCLEAR and row.retry is Retry.ALWAYS
        return Found(ended=Ended.NOT_DONE) if again else found


def _filled_in(step: Step, answers: Mapping[int, Wire]) -> Step:
    """Return the step with placeholders replaced by the IDs that earlier steps created.

    Raises :class:`ServiceError` if the IDs are unknown.
    """
    try:
        return replace(step, payload=resolved(step.payload, answers), expected=resolved(step.expected, answers))
    except BadPlan as error:
        raise ServiceError(ErrorKind.NOT_AVAILABLE, f"This step was not sent. {error}") from None


def _undecided(number: int, step: Step, ended: Ended) -> ServiceError:
    what = f"Step {number + 1} ({step.operation}{f', {step.subject}' if step.subject else ''})"
    if ended is Ended.CHANGED:
        message = (
            f"{what} was started earlier, but the current value is neither the old nor the new one, because "
            "someone else changed it. Check the value, then resume and say whether the step counts as done."
        )
        return ServiceError(ErrorKind.CONFLICT, message, sent="no")
    message = (
        f"{what} was sent earlier and got no clear response, so it is unknown whether the step was applied. "
        "Check the character, then resume and say whether the step counts as done."
    )
    return ServiceError(ErrorKind.UNEXPECTED, message, sent="no")
