"""From the words of a command that changes data to the plan that does it, and what is said when it is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from chartui.cli.errors import UsageError
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Handler, Parser, Verbs, add_verb
from chartui.cli.run_plan import add_plan_options, carry_out, planning
from chartui.cli.sessions import ask
from chartui.core.clock import random_ids
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.plans.executor import Progress
    from chartui.core.plans.plan import Plan, Step
    from chartui.core.session import Session

__all__ = ["add_change", "answered", "change", "embedded_only", "plan_of"]


def add_change(verbs: Verbs, name: str, summary: str, handler: Handler) -> Parser:
    """A verb that changes data, with the options that such verbs share."""
    verb = add_verb(verbs, name, summary, handler)
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
    """A new plan; a step that is None has nothing to do. ``notes`` are said with it."""
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
