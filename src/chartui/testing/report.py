"""Gathers the verdicts of all tours, also from several processes, and writes the page of ``--chartui-report``."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from chartui.core.numbers import number_of
from chartui.testing.page import Result, page
from chartui.testing.verdict import VERDICTS, Drawn, Pair, Verdict

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

#: The member of a test's report that takes the verdicts from one process to another.
_MEMBER = "chartui_verdicts"


class Reporter:
    """Registered only with ``--chartui-report`` or ``--chartui-update``."""

    def __init__(self, config: pytest.Config) -> None:
        file: Path | None = config.option.chartui_report
        self._file = config.invocation_params.dir / file if file is not None else None
        # With pytest-xdist, the tests run in other processes, which write nothing.
        self._writes = not hasattr(config, "workerinput")
        self._results: list[Result] = []
        if self._file is not None and (self._file.is_dir() or not self._file.parent.is_dir()):
            raise pytest.UsageError(f"--chartui-report: {file} cannot be written: choose a file in an existing folder")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "call" and VERDICTS in item.stash:
            setattr(report, _MEMBER, [_plain(verdict) for verdict in item.stash[VERDICTS]])
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for members in getattr(report, _MEMBER, ()):
            self._results.append(Result(report.nodeid, _verdict(members)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        if self._file is not None and self._writes:
            self._file.write_bytes(page(self._results).encode())

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        if self._file is not None:
            terminalreporter.write_line(f"chartui: report written to {self._file}")
        for _, verdict in self._results:
            if verdict.updated:
                terminalreporter.write_line(f"chartui: {verdict.tour}: {'; '.join(_updates(verdict.pairs))}")
            elif verdict.kept:
                why = "a step failed" if verdict.screen else "the tour cannot be played"
                terminalreporter.write_line(f"chartui: {verdict.tour}: not updated, because {why}")


def _updates(pairs: tuple[Pair, ...]) -> Iterator[str]:
    """What was done to the stored pictures: ``added 1 picture (graph)``."""
    done = {
        "added": [pair.name for pair in pairs if pair.expected is None],
        "changed": [pair.name for pair in pairs if pair.expected is not None and pair.actual is not None],
        "removed": [pair.name for pair in pairs if pair.actual is None],
    }
    for word, names in done.items():
        if names:
            yield f"{word} {number_of(len(names), 'picture')} ({', '.join(names)})"


def _plain(verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain tuples and dictionaries, which can be sent to another process."""
    pairs = [(pair.name, *(side and tuple(side) for side in (pair.expected, pair.actual))) for pair in verdict.pairs]
    return asdict(verdict) | {"pairs": pairs}


def _verdict(members: dict[str, Any]) -> Verdict:
    pairs = (Pair(name, *(side and Drawn(*side) for side in sides)) for name, *sides in members["pairs"])
    return Verdict(**members | {"problems": tuple(members["problems"]), "pairs": tuple(pairs)})
