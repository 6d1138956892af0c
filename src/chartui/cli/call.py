"""``chartui call``: perform any row of the table with a payload as it is."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from typing import TYPE_CHECKING

from chartui.cli.errors import Exit, UsageError
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask
from chartui.cli.values import Values
from chartui.core.spec.operations import OPERATIONS, Operation

if TYPE_CHECKING:
    from chartui.core.backends.base import Answer
    from chartui.core.session import Session

__all__ = ["configure"]


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.set_defaults(handler=call)
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = "operations:\n" + "".join(f"  {row.name:<24}{row.summary}\n" for row in OPERATIONS.values())
    parser.add_argument("operation", metavar="OPERATION", help="its name, listed below")
    parser.add_argument(
        "--data", metavar="JSON|@FILE|-", default="{}", help="the payload: JSON, a file, standard input"
    )
    parser.add_argument("--refresh", action="store_true", help="go past answers that were kept")


def call(arguments: Arguments, output: Output) -> int:
    """Perform the operation and write the body of its answer, which is JSON with and without ``--json``."""
    row = _operation(arguments.operation)
    payload = Values().json_object("--data", arguments.data)

    async def question(session: Session) -> Answer:
        return await session.service.call(row, payload, refresh=arguments.refresh)

    output.json(ask(arguments, question).body)
    return Exit.DONE


def _operation(name: str) -> Operation:
    row = OPERATIONS.get(name)
    if row is None:
        from difflib import get_close_matches

        near = get_close_matches(name, OPERATIONS, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise UsageError(f"there is no operation '{name}'.{hint} Operations: {', '.join(OPERATIONS)}")
    return row
