"""``chartui pull``, ``diff`` and ``push``: a character with its settings, story and actions as a file (decision 64)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, UsageError, failure_of
from chartui.cli.files import writing_to
from chartui.cli.gates import Gate, add_gates, gate_of
from chartui.cli.lookup import add_character
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser
from chartui.cli.run_plan import add_plan_options, carry_out, planning, report
from chartui.cli.sessions import ask, chosen_profile
from chartui.core.bundle.difference import Difference, Verdict, difference_lines, differences_wire
from chartui.core.bundle.files import (
    MAIN,
    Loaded,
    check_name,
    earlier_bundle,
    folder_advice,
    is_folder,
    load,
    main_of,
    remember,
    write_bundle,
)
from chartui.core.bundle.model import Bundle, key_of
from chartui.core.bundle.reader import LONGEST, BundleError, Text, read_bundle
from chartui.core.bundle.writer import bundle_text, bundle_wire
from chartui.core.files import read_stdin
from chartui.core.numbers import number_of
from chartui.core.paths import check_output
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    import asyncio

    from chartui.core.bundle.costs import Costs
    from chartui.core.bundle.push import Pushed, PushPlan
    from chartui.core.plans.executor import Executor, Progress
    from chartui.core.plans.plan import CostEffect
    from chartui.core.session import Session


def _add_file_and_character(parser: Parser) -> None:
    parser.option("bundle_file", "FILE", "bundle file or folder, or - for standard input", type=str)
    about_character = "the character's name or ID (default: the character in the file)"
    parser.option("character_id", "CHARACTER", about_character, nargs="?")


@contextmanager
def bundle_files() -> Iterator[None]:
    try:
        yield
    except BundleError as error:
        raise UsageError.of(error) from None


def load_named(name: str) -> Loaded:
    """The bundle in a file, a folder or standard input. Raises :class:`UsageError`."""
    with bundle_files():
        if name != "-":
            return load(Path(name))
        try:
            text = Text("standard input", read_stdin(LONGEST).decode())
        except UnicodeDecodeError:
            raise UsageError("standard input is not UTF-8") from None
        return Loaded(read_bundle(text.text, where=text.file), text)


def read_file(name: str) -> tuple[Bundle, Path | None]:
    """The bundle in a file or folder, and its path: None for standard input or a pipe. Raises :class:`UsageError`."""
    bundle = load_named(name).bundle
    # A pipe has no lock file.
    return bundle, Path(name) if name != "-" and main_of(Path(name)).is_file() else None


def character_of(bundle: Bundle, given: str | None, profile: str) -> str | None:
    """The ID ``given``, or that of the file's character. Raises :class:`UsageError` if there are several."""
    if given is not None:
        return given
    known = bundle.known_as(profile)
    if len(known) > 1:
        raise UsageError(
            f"the file belongs to several characters in profile '{profile}': choose one of {', '.join(known)}"
        )
    return known[0] if known else None


# -- pull -------------------------------------------------------------------------------------------------------------


_PULL: Final = """\
The file is TOML, which you can read, edit and keep under version control. The
profile's IDs are in a lock file next to it (mira.lock). If FILE ends in /, a
folder with one file per section is written. With --force, existing files keep
their comments and the order of their parts.
If part of the character cannot be read, the file contains the rest and lists
the missing parts under "incomplete". The exit status is then 1.
--json writes {"character_id", "file", "notes", "bundle"}; "bundle" holds the
tables of the file as objects.

examples:
  chartui --profile work pull ID mira.toml
  chartui --profile local push mira.toml --create
  chartui --profile work diff mira.toml
"""


def configure_pull(parser: Parser) -> None:
    parser.epilog = _PULL
    add_character(parser)
    parser.option(
        "bundle_file",
        "FILE",
        "output file, FOLDER/ to write one file per section, or - for standard output (the default)",
        nargs="?",
        type=str,
    )
    parser.flag("--force", "overwrite FILE, keeping its comments")


def pull(arguments: Arguments, output: Output) -> int:
    from chartui.core.bundle.present import pull as pulled

    given: str | None = arguments.bundle_file
    path = Path(given) if given is not None and given != "-" else None
    like = None
    folder = path is not None and (str(given).endswith("/") or is_folder(path))
    if path is not None:
        with bundle_files(), writing_to(path):
            if not folder:
                check_name(path)
            check_output(path / MAIN if folder else path, replace=arguments.force)
            like = earlier_bundle(path)

    bundle, notes = ask(arguments, lambda session: pulled(session, arguments.character_id, like=like))
    if path is not None:
        with bundle_files(), writing_to(path):
            write_bundle(path, bundle, replace=arguments.force, folder=folder)
    if output.as_json:
        facts = {"character_id": arguments.character_id, "file": given if path is not None else None}
        output.json({**facts, "notes": list(notes), "bundle": bundle_wire(bundle)})
    elif path is None:
        output.text(bundle_text(bundle).removesuffix("\n"))
    output.notes(notes)
    if path is not None:
        sections, triggers = len(bundle.story.sections), len(bundle.story.triggers)
        output.note(f"wrote {path}: {number_of(sections, 'section')} and {number_of(triggers, 'trigger')}")
        if like is None and not folder and (advice := folder_advice(path, bundle)):
            output.note(advice)
    if bundle.incomplete:
        output.note("The bundle is marked as incomplete, so 'push --prune' rejects it.")
        return Exit.NO
    return Exit.DONE


# -- diff -------------------------------------------------------------------------------------------------------------


_DIFF: Final = """\
Sections and triggers are matched by the IDs in the lock file, then by name. A
renamed part counts as a difference. The order of decisions matters; the order of
sections and tables does not. In the output, - marks values in the profile and +
marks values in the file, which a push would apply. The exit status is 1 if there
are differences.
If a push would change the character's cost, the output shows the credits and the
latency per interaction before and after the push.
--json writes {"profile", "character_id", "equal", "differences", "effects"}.
Each difference has part, slug, name, member, verdict, and two values: file and
profile.
"""


def configure_diff(parser: Parser) -> None:
    parser.epilog = _DIFF
    _add_file_and_character(parser)


def diff(arguments: Arguments, output: Output) -> int:
    from chartui.core.bundle.costs import diff_effects
    from chartui.core.bundle.present import present_of
    from chartui.core.costs import basis_for
    from chartui.core.plans.plan import effect_wire
    from chartui.core.plans.review import effect_lines

    bundle, _ = read_file(arguments.bundle_file)
    profile = chosen_profile(arguments).name
    if (known := character_of(bundle, arguments.character_id, profile)) is None:
        raise UsageError(f"the file does not belong to a character in profile '{profile}' yet: give a name or ID")

    async def question(session: Session) -> tuple[str, Sequence[Difference], Sequence[CostEffect]]:
        character_id = arguments.character_id or known
        present = await present_of(session, character_id)
        effects = await diff_effects(session.service, bundle, present.reading, await basis_for(session))
        return character_id, present.compared(bundle), effects

    character_id, found, effects = ask(arguments, question)
    different = sum(one.verdict is not Verdict.UNKNOWN for one in found)
    if output.as_json:
        facts = {"profile": profile, "character_id": character_id, "equal": not different}
        output.json({**facts, "differences": differences_wire(found), "effects": list(map(effect_wire, effects))})
    else:
        output.texts(difference_lines(found))
        if effects:
            output.text("cost")
        for effect in effects:
            for cost in effect_lines(effect):
                output.sentence(cost.text, after="  ")
        blind = len(found) - different
        unchecked = f"; {number_of(blind, 'value')} cannot be verified" if blind else ""
        output.note(f"{number_of(different, 'difference') if different else 'no differences'}{unchecked}")
    return Exit.NO if different else Exit.DONE


# -- push -------------------------------------------------------------------------------------------------------------


_PUSH: Final = """\
Parts of the character that are not in the file are kept and listed, unless
--prune is given. Parts that the profile does not support are listed before
anything is sent.
Pushing the same file again changes nothing. To finish an interrupted push, push
the file again.
After a push, all values are read back: the exit status is 1 if any of them
differs from the value sent, or if parts of the file were skipped. The profile's
IDs are added to the lock file.
If a limit set with a --fail option is exceeded, nothing is sent. --fail-over
compares the cost with that of the stored character, or with the --baseline
file.
--json writes the plan and its outcome, with character_id, skipped, kept, notes
and differences.
"""
_BASELINE: Final = (
    "cost file to compare with, written by --update-baseline (default: the costs of the stored character)"
)


def configure_push(parser: Parser) -> None:
    parser.epilog = _PUSH
    _add_file_and_character(parser)
    parser.flag("--create", "create a new character if the file has no ID for this profile (embedded store only)")
    parser.flag("--prune", "delete parts of the character that are not in the file")
    parser.flag("--overwrite", "overwrite changes made by others since the file was pulled")
    add_gates(parser, baseline=_BASELINE)
    add_plan_options(parser)


def push(arguments: Arguments, output: Output) -> int:
    if arguments.create and arguments.character_id is not None:
        raise UsageError("--create makes a new character and cannot be combined with an ID")
    gate = gate_of(arguments, others=True)
    bundle, path = read_file(arguments.bundle_file)

    async def carried_out(session: Session) -> int:
        return await _Push(arguments, output, session, bundle, path).carried_out(gate)

    return ask(arguments, carried_out, resolve=False)


class _Push:
    def __init__(
        self, arguments: Arguments, output: Output, session: Session, bundle: Bundle, path: Path | None
    ) -> None:
        self._arguments, self._output, self._session = arguments, output, session
        self._bundle, self._path = bundle, path
        self._progress: Progress | None = None

    async def carried_out(self, gate: Gate) -> int:
        self._planned, self._reads = await planning(self._arguments, self._session)
        from chartui.core.bundle.push import pushed
        from chartui.core.plans.reads import Reads

        made = await self._made()
        refusal = self._refusal(made)
        if refusal is not None and not self._arguments.dry_run:
            raise refusal
        made, costs = await self._with_costs(made, always=gate.used)
        if self._arguments.dry_run:
            status = await self._carried_on(made)
            if not made.plan.steps:
                self._report(made)
            if refusal is not None:
                failure = failure_of(refusal)
                self._output.fail(failure)
                status = failure.exit
            return max(status, self._judged(costs, gate))
        if closed := self._judged(costs, gate, "Nothing was sent."):
            return closed
        if made.plan.steps:
            status = await self._carried_on(made)
            if self._progress is None:
                return status
        after = self._reads if self._progress is None else Reads(self._session.service)
        done = await pushed(made, replace(self._session, service=after.service), self._progress)
        self._remember(done.bundle)
        return self._reported(made, done)

    def _refusal(self, made: PushPlan) -> UsageError | None:
        """Return the error for changes by others that must not be overwritten, and how to go on from there."""
        if not made.conflicts or self._arguments.overwrite:
            return None
        return UsageError(
            f"nothing was sent: {' '.join(made.conflicts)} To keep these changes, pull the character to another file "
            "and repeat your edits there ('pull --force' to the same file discards your edits). To replace them with "
            "the contents of the file, add --overwrite; add --dry-run as well to see what would be replaced.",
            code="conflict",
            exit=Exit.NO,
        )

    async def _made(self) -> PushPlan:
        from chartui.core.bundle.push import push_plan

        profile = self._session.profile.name
        character_id = character_of(self._bundle, self._arguments.character_id, profile)
        if character_id is None and not self._arguments.create:
            raise UsageError(
                f"the file does not belong to a character in profile '{profile}' yet: give a name or ID, or "
                "create a character with --create (embedded store only)"
            )
        try:
            return await push_plan(self._planned, self._bundle, character_id, prune=self._arguments.prune)
        except ServiceError as error:
            if error.kind is not ErrorKind.NOT_FOUND or not self._arguments.create or character_id is None:
                raise
            # The character was deleted there: drop its ID, or the file would belong to two characters.
            bundle = self._bundle.having(key_of(profile, character_id), None)
            return await push_plan(self._planned, bundle, None)

    async def _with_costs(self, made: PushPlan, *, always: bool) -> tuple[PushPlan, Costs | None]:
        from chartui.core.bundle.costs import push_with_costs
        from chartui.core.costs import basis_for

        if self._arguments.yes and not self._arguments.dry_run and not always:
            return made, None
        basis = await basis_for(self._session)
        return await push_with_costs(self._planned.service, made, basis, always=always)

    def _judged(self, costs: Costs | None, gate: Gate, ending: str = "") -> int:
        from chartui.core.estimation.gates import Earlier, subject_of_cost

        if costs is None:
            return Exit.DONE
        stored, pushed = (subject_of_cost("bundles", self._arguments.bundle_file, cost) for cost in costs)
        earlier = Earlier(stored.credits, "the stored character", f"the stored cost is unknown: {stored.why}")
        return gate.status([pushed], self._output, earlier, ending)

    async def _carried_on(self, made: PushPlan) -> int:
        from chartui.core.bundle.push import watched

        def begin(executor: Executor, cancel: asyncio.Event) -> AsyncIterator[Progress]:
            return watched(
                made, self._session, executor.run(made.plan, reads=self._reads, cancel=cancel), self._remember
            )

        def done(progress: Progress) -> None:
            self._progress = progress

        arguments, output, session, reads = self._arguments, self._output, self._session, self._reads
        return await carry_out(arguments, output, session, made.plan, reads, begin=begin, done=done, reads_back=False)

    def _remember(self, bundle: Bundle) -> None:
        if self._path is None:
            return
        try:
            with bundle_files(), writing_to(self._path):
                remember(self._path, bundle.ids)
        except (OSError, UsageError) as error:
            failure = failure_of(error)
            message = f"the push was applied, but the new IDs could not be written to the file: {failure.message}"
            raise UsageError(message, code=failure.code, exit=failure.exit) from None

    def _reported(self, made: PushPlan, done: Pushed) -> int:
        more = {
            "character_id": made.pushed_to(self._progress),
            "skipped": list(made.left_out),
            "kept": list(made.unpruned),
            "notes": list(made.notes),
            "differences": differences_wire(done.different),
        }
        if self._progress is not None:
            report(self._progress, self._output, more)
        elif self._output.as_json:
            self._output.json({"plan_id": made.plan.id, "title": made.plan.title, "state": "done", "steps": [], **more})
        else:
            self._output.note("Nothing was sent." if made.left_out else "No changes needed. Nothing was sent.")
        if self._arguments.yes or self._progress is None:  # otherwise shown before the question
            self._report(made)
        if not done.different:
            return Exit.NO if made.left_out else Exit.DONE
        self._output.note("The stored values differ from the values sent:")
        self._output.notes(difference_lines(done.different))
        return Exit.NO

    def _report(self, made: PushPlan) -> None:
        self._output.notes(made.plan.notes)
