"""``chartui undo``: take a change back, or a plan of many, while nobody has changed the same things since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.errors import UsageError
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.run_plan import add_plan_options, change
from chartui.core.clock import random_ids

if TYPE_CHECKING:
    from chartui.core.plans.plan import Plan
    from chartui.core.session import Session

__all__ = ["configure"]


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.set_defaults(handler=undo)
    parser.add_argument(
        "target", metavar="NAME", nargs="?", help="what 'chartui history' calls it; left out, the last thing done"
    )
    add_plan_options(parser)


def undo(arguments: Arguments, output: Output) -> int:
    """Show how it is taken back, ask, and do so."""

    async def make(session: Session) -> Plan:
        from chartui.core.plans.history import character_names
        from chartui.core.plans.undo import NothingToUndo, undo_plan

        target, of = arguments.target, await character_names(session.service)
        try:
            return await undo_plan(
                session.service, session.journal, session.profile.place, target, ids=random_ids, of=of
            )
        except NothingToUndo as error:
            raise UsageError(str(error).rstrip("."), code="nothing_to_undo") from None

    return change(arguments, output, make)
