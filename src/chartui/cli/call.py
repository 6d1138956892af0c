"""``chartui call``: perform any operation by name, with a payload that you give."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from chartui.cli.errors import Exit, UsageError
from chartui.cli.files import Values
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.run_plan import add_plan_options, carry_out, embedded_only, plan_of, refuse_locked
from chartui.cli.sessions import ask
from chartui.core.jsontext import Wire
from chartui.core.naming import unknown
from chartui.core.plans.executor import Progress, StepState
from chartui.core.plans.plan import Step
from chartui.core.plans.wording import changes
from chartui.core.spec.operation import Effect, Operation
from chartui.core.spec.operations import OPERATIONS
from chartui.core.unreadable import at_pointer

if TYPE_CHECKING:
    from chartui.core.session import Session


def configure_call(parser: Parser) -> None:
    parser.epilog = "operations:\n" + "".join(f"  {row.name:<24}{row.summary}\n" for row in OPERATIONS.values())
    parser.option("operation", "OPERATION", "name of the operation ('chartui call --help' lists all operations)")
    parser.option("--data", "JSON|@FILE|-", "payload: JSON, @FILE, or - for standard input (default: {})", default="{}")
    parser.option(
        "--at", "POINTER", "JSON pointer to a part of the response, such as /characters/0 (default: the whole response)"
    )
    parser.flag("--refresh", "ignore cached responses")
    add_plan_options(parser)


def call(arguments: Arguments, output: Output) -> int:
    row = _operation(arguments.operation)
    if arguments.at is not None and row.effect is not Effect.READ:
        raise UsageError(f"--at cannot be used with {row.name}, because this operation does not read data")
    payload = Values().json_object("--data", arguments.data)

    async def performed(session: Session) -> int:
        if row.effect is Effect.WRITE:
            refuse_locked(arguments, session)
            if row.path is None and not session.read_only:
                embedded_only(session, row.name)
            return await _change(arguments, output, session, row, payload)
        answer = await session.service.call(row, payload, refresh=arguments.refresh)
        output.json(answer.body if arguments.at is None else _part(row.decode(answer.body), arguments.at))
        return Exit.DONE

    return ask(arguments, performed)


async def _change(
    arguments: Arguments, output: Output, session: Session, row: Operation, payload: Mapping[str, Wire]
) -> int:
    """Confirm as for any change, then send the payload unchanged, even if it would change nothing."""
    step = Step(operation=row.name, payload=payload, changes=changes(row.name, payload, None))
    plan = plan_of(row.summary, [step])

    async def sent(*_: object) -> AsyncIterator[Progress]:
        answer = await session.service.call(row, payload)
        yield Progress(plan=plan, states=(StepState.DONE,), answers={0: answer.body}, finished=True)

    return await carry_out(
        arguments, output, session, plan, begin=sent, done=lambda progress: output.json(progress.answers[0])
    )


def _part(body: Wire, pointer: str) -> Wire:
    try:
        return at_pointer(body, pointer)
    except LookupError as error:
        raise UsageError(str(error)) from None


def _operation(name: str) -> Operation:
    row = OPERATIONS.get(name)
    if row is None:
        raise UsageError(f"{unknown('operation', name, OPERATIONS)} 'chartui call --help' lists all operations")
    return row
