"""``chartui push``: make a character on a profile what a file says (decision 64)."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from chartui.cli.bundles import add_file, bundle_files, character_of, read_file
from chartui.cli.carrying import add_plan_options, carry_on, planning, report
from chartui.cli.errors import Exit, UsageError, failure_of
from chartui.cli.files import writing_to
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

    from chartui.core.bundle.model import Bundle
    from chartui.core.bundle.push import Pushed, PushPlan
    from chartui.core.plans.executor import Executor, Progress
    from chartui.core.session import Session

__all__ = ["configure"]

_EPILOG: Final = """\
What is there and not in the file stays, and is told, unless --prune is given.
What the profile cannot take is told before anything is sent. A second push does
nothing; one that was interrupted is done by pushing again. Afterwards everything
is read back, status 1 when it is not as it was sent or something of the file was
left out, and the file holds the ids of the profile; nothing else in it changes.
--json writes the plan and how it ended, with character_id, left_out, stays,
notes and differences.
"""


def configure(parser: Parser) -> None:
    """Add the options."""
    parser.set_defaults(handler=push)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_file(parser)
    add = parser.add_argument
    add("character_id", metavar="ID", nargs="?", help="the character to push to; else as the file knows it")
    add("--create", action="store_true", help="make the character, where the file knows none (embedded store)")
    add("--prune", action="store_true", help="remove what is there and not in the file")
    add("--overwrite", action="store_true", help="go over what somebody else changed since the file was pulled")
    add_plan_options(parser)


def push(arguments: Arguments, output: Output) -> int:
    """Carry out what makes the character as the file says, and read it back."""
    if arguments.create and arguments.character_id is not None:
        raise UsageError("--create makes a character: leave the ID out, or push to the one that it names")
    bundle, path = read_file(arguments.bundle_file)

    async def question(session: Session) -> int:
        return await _Push(arguments, output, session, bundle, path).carried_out()

    return ask(arguments, question)


class _Push:
    def __init__(
        self, arguments: Arguments, output: Output, session: Session, bundle: Bundle, path: Path | None
    ) -> None:
        self._arguments, self._output, self._session = arguments, output, session
        self._planned, self._reads = planning(arguments, session)
        self._bundle, self._path = bundle, path
        self._progress: Progress | None = None

    async def carried_out(self) -> int:
        from chartui.core.bundle.push import pushed
        from chartui.core.plans.reads import Reads

        made = await self._made()
        if made.conflicts and not (self._arguments.overwrite or self._arguments.dry_run):
            told = " ".join(made.conflicts)
            raise UsageError(f"nothing was sent: {told} --overwrite goes over it", code="conflict")
        if made.plan.steps or self._arguments.dry_run:
            status = await self._carried_on(made)
            if self._arguments.dry_run and not made.plan.steps:
                self._tell(made)
            if self._arguments.dry_run or self._progress is None:
                return status
        after = self._reads if self._progress is None else Reads(self._session.service)
        done = await pushed(made, replace(self._session, service=after.service), self._progress)
        self._remember(done.bundle)
        return self._reported(made, done)

    async def _made(self) -> PushPlan:
        from chartui.core.bundle.model import key_of
        from chartui.core.bundle.push import push_plan

        profile = self._session.profile.name
        character_id = character_of(self._bundle, self._arguments.character_id, profile)
        if character_id is None and not self._arguments.create:
            raise UsageError(
                f"the file belongs to no character of profile '{profile}' yet: name one by its ID, "
                "or make one with --create (embedded store)"
            )
        try:
            return await push_plan(self._planned, self._bundle, character_id, prune=self._arguments.prune)
        except ServiceError as error:
            if error.kind is not ErrorKind.NOT_FOUND or not self._arguments.create or character_id is None:
                raise
            # It is gone there: the file forgets it, or it would belong to two.
            bundle = self._bundle.having(key_of(profile, character_id), None)
            return await push_plan(self._planned, bundle, None)

    async def _carried_on(self, made: PushPlan) -> int:
        from chartui.core.bundle.push import watched

        def begin(executor: Executor, cancel: asyncio.Event) -> AsyncIterator[Progress]:
            return watched(
                made, self._session, executor.run(made.plan, reads=self._reads, cancel=cancel), self._remember
            )

        def done(progress: Progress) -> None:
            self._progress = progress

        return await carry_on(
            self._arguments,
            self._output,
            self._session,
            made.plan,
            begin,
            reads=self._reads,
            done=done,
            reads_back=False,
        )

    def _remember(self, bundle: Bundle) -> None:
        """Write the ids into the file, as far as there is one."""
        from chartui.core.bundle.writer import remember

        if self._path is None:
            return
        try:
            with bundle_files(), writing_to(self._path):
                remember(self._path, bundle.ids)
        except (OSError, UsageError) as error:
            failure = failure_of(error)
            message = f"what was pushed is in the profile, but its ids are not in the file: {failure.message}"
            raise UsageError(message, code=failure.code, exit=failure.exit) from None

    def _reported(self, made: PushPlan, done: Pushed) -> int:
        from chartui.core.bundle.difference import difference_lines, differences_wire

        more = {
            "character_id": made.pushed_to(self._progress),
            "left_out": list(made.left_out),
            "stays": list(made.unpruned),
            "notes": list(made.notes),
            "differences": differences_wire(done.different),
        }
        if self._progress is not None:
            report(self._progress, self._output, more)
        elif self._output.as_json:
            self._output.json({"plan": made.plan.id, "title": made.plan.title, "state": "done", "steps": [], **more})
        else:
            self._output.note("Nothing was sent." if made.left_out else "There is nothing to change.")
        if self._arguments.yes or self._progress is None:  # else it was shown before the question
            self._tell(made)
        if not done.different:
            return Exit.NO if made.left_out else Exit.DONE
        self._output.note("Read back, and not as it was sent:")
        for line in difference_lines(done.different):
            self._output.note(line)
        return Exit.NO

    def _tell(self, made: PushPlan) -> None:
        for sentence in made.plan.notes:
            self._output.note(sentence)
