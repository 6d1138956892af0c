"""``--fail-above`` and the other gates: options that make a command exit with status 1 if a cost exceeds a limit.

A gate never changes what the command writes to standard output.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit, Failure, UsageError
from chartui.cli.files import milliseconds, writing_to
from chartui.cli.parser import Arguments, Parser
from chartui.core.classes import dataclass

if TYPE_CHECKING:
    from decimal import Decimal

    from chartui.cli.output import Output
    from chartui.core.estimation.baseline import Baseline
    from chartui.core.estimation.gates import Earlier, Limit, Subject
    from chartui.core.jsontext import Wire
    from chartui.core.session import Session
    from chartui.core.spec.records import Records

#: The option of each limit.
_OPTIONS: Final[Mapping[Limit, str]] = {
    "max_credits": "--fail-above",
    "max_latency": "--fail-slower",
    "max_growth": "--fail-over",
}
_BASELINE: Final = "cost file to compare with, written by --update-baseline"


def add_gates(parser: Parser, *, baseline: str = _BASELINE, metavar: str = "FILE") -> None:
    """Add the gates. ``baseline`` and ``metavar`` describe ``--baseline`` for a command that also takes others."""
    group = parser.add_argument_group("gates")
    above = "exit 1 if an interaction costs more than CREDITS, or if its cost is unknown"
    group.option("--fail-above", "CREDITS", above, type=_credits)
    slower = "exit 1 if the worst-case latency of an interaction is unknown or exceeds TIME, such as 1200 or 1.2s"
    group.option("--fail-slower", "TIME", slower, type=milliseconds)
    over = (
        "exit 1 if the cost of an interaction exceeds the baseline by more than PERCENT, such as 5%%, or if a "
        "cost is unknown"
    )
    group.option("--fail-over", "PERCENT", over, type=_percent)
    group.option("--baseline", metavar, baseline, type=str)
    group.flag("--update-baseline", "store the costs in the --baseline file")


def _credits(text: str) -> Decimal:
    from chartui.cli.configurations import amount

    return amount(text)


def _percent(text: str) -> Decimal:
    from chartui.core.estimation.gates import typed_percent

    try:
        return typed_percent(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error} (a percentage, such as 5 or 5%)") from None


@contextmanager
def bad_files() -> Iterator[None]:
    """Turn the error of a file that cannot be used into a :class:`UsageError`."""
    from chartui.core.tables import BadFile

    try:
        yield
    except BadFile as error:
        raise UsageError.of(error) from None


@dataclass(frozen=True, slots=True)
class Gate:
    """The gates of a command. ``stored`` is the content of the file of ``--baseline``."""

    above: Decimal | None
    slower: int | None
    over: Decimal | None
    path: Path | None = None
    stored: Baseline | None = None
    update: bool = False

    @property
    def used(self) -> bool:
        """Whether any gate or baseline was given, so that the costs are needed."""
        return self.update or (self.above, self.slower, self.over) != (None, None, None)

    def status(
        self, subjects: Sequence[Subject], output: Output, earlier: Earlier | None = None, ending: str = ""
    ) -> int:
        """Report the limits that are exceeded, and return the exit status. Updates the baseline first if asked to.

        The growth is relative to ``earlier``, or to the file of ``--baseline`` if there is one. ``ending`` is a
        sentence to add to the reasons.
        """
        from chartui.core.estimation.gates import Earlier, Limits, exceeded, lower_limits

        if self.update and self.path is not None:
            self._write(subjects, output)
        limits = Limits(self.above, self.slower, None if self.update else self.over)
        reasons = []
        for subject in subjects:
            before = earlier
            if before is None or self.path is not None:
                before = Earlier.in_file(self.stored, subject, self.path.name if self.path is not None else "")
            reasons += [one.text for one in exceeded(subject, limits, before, _OPTIONS)]
        if (self.above is not None or self.over is not None) and (note := lower_limits(subjects)):
            output.note(note)
        if reasons:
            reasons += [ending] if ending else []
            output.fail(Failure(exit=Exit.NO, code="gate", message=" ".join(reasons), lines=tuple(reasons)))
        return Exit.NO if reasons else Exit.DONE

    def _write(self, subjects: Sequence[Subject], output: Output) -> None:
        from chartui.core.estimation.baseline import write_baseline

        assert self.path is not None  # noqa: S101 - checked by the caller
        with writing_to(self.path):
            write_baseline(self.path, subjects, kept=self.stored)
        output.note(f"baseline updated: {self.path}")


def gate_of(arguments: Arguments, *, others: bool = False) -> Gate:
    """The gates given. Raises :class:`UsageError` for contradictory ones and an unusable baseline.

    ``others`` says that the growth can also be relative to something else than a file, which the command then checks.
    """
    from chartui.core.estimation.baseline import read_baseline

    over, given, update = arguments.fail_over, arguments.baseline, arguments.update_baseline
    path = Path(given) if given is not None and (not others or is_path(given)) else None
    if update and path is None:
        raise UsageError("--update-baseline needs --baseline FILE")
    if over is not None and path is None and not others:
        raise UsageError("--fail-over needs --baseline")
    if path is not None and over is None and not update:
        raise UsageError("--baseline needs --fail-over or --update-baseline")
    stored = None
    if path is not None:
        with bad_files():
            stored = read_baseline(path)
        if stored is None and not update:
            raise UsageError(f"{path}: no such file; use --update-baseline to write it", code="configuration")
    return Gate(arguments.fail_above, arguments.fail_slower, over, path, stored, update)


def is_path(given: str) -> bool:
    """Whether a name stands for a file and not for a preset, as in :meth:`chartui.core.presets.Presets.get`."""
    return "/" in given or given.endswith(".toml")


# -- characters -------------------------------------------------------------------------------------------------------


async def character_subjects(session: Session, records: Records, places: Sequence[int]) -> list[Subject]:
    """The costs of the records at ``places``, at the rates in use, with default inputs and estimated input tokens.

    Raises :class:`~chartui.core.spec.errors.ServiceError`.
    """
    from chartui.core.character import read_character, read_models
    from chartui.core.costs import basis_for, basis_pricing, facts_of, reckon
    from chartui.core.estimation.gates import subject_of_cost
    from chartui.core.list_costs import read_measures

    service, basis, card = session.service, await basis_for(session), session.rates.get().card
    models = await read_models(service)
    measures = await read_measures(service, session.journal, session.profile.place, records)
    objectives = {one.character_id: one.objective for one in measures}
    subjects, names = [], character_names(records)
    for place in places:
        record = records[place]
        identity = str(record["character_id"])
        reading = await read_character(service, session.journal, session.profile.place, identity, record)
        if reading is not None:
            facts = facts_of(reading._replace(objective=objectives.get(identity)), models, basis.scenes)
            cost = reckon(facts, basis, basis_pricing(card, basis.with_tokens(basis.tokens(facts))))
            subjects.append(subject_of_cost("characters", names[place], cost))
    return subjects


def character_names(records: Sequence[Mapping[str, Wire]]) -> list[str]:
    """The names of characters in a baseline: the name of each or, if it has none of its own, its ID."""
    names = [str(record.get("character_name") or "") for record in records]
    often = Counter(names)
    return [
        name if name and often[name] == 1 else str(record["character_id"])
        for name, record in zip(names, records, strict=True)
    ]
