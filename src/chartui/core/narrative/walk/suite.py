"""Run the saved walks in a folder as a test suite, and report their results and their combined coverage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.files import read_named
from chartui.core.junit import JUnitCase
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.walk.coverage import Coverage, walks_coverage
from chartui.core.narrative.walk.path import Walk
from chartui.core.narrative.walk.replay import FORMAT, Replayed, Script, read_walk, replay
from chartui.core.paths import file_stem
from chartui.core.tables import BadTable, table_in
from chartui.core.text import single_line

#: The ending of the files that a suite reads, and the message about another one.
SUFFIX: Final = ".toml"
NOT_A_WALK: Final = f"A saved walk is a TOML file. End its name with {SUFFIX}."
_MAX_FILE: Final = 1024 * 1024


def walk_files(folder: Path) -> list[Path]:
    """Return the paths of the saved walks in a folder, sorted by name.

    The result includes every TOML file in the format of saved walks, and every TOML file that cannot be read. Raises
    ``OSError`` if the folder cannot be read.
    """
    return [path for path in sorted(folder.iterdir()) if path.suffix == SUFFIX and _may_be_walk(path)]


def _may_be_walk(path: Path) -> bool:
    try:
        return table_in(read_named(path, _MAX_FILE)).get("format") == FORMAT
    except (OSError, BadTable):
        return path.is_file()  # reported when it is replayed


class NamedWalk(NamedTuple):
    """A saved walk, and the name of its file."""

    name: str
    script: Script


def walks_in(folder: Path) -> list[NamedWalk]:
    """Read the saved walks in a folder, sorted by name.

    Raises ``OSError`` if the folder cannot be read, or ``BadWalk`` for the first invalid walk.
    """
    return [NamedWalk(path.name, read_walk(path)) for path in walk_files(folder)]


class Result(NamedTuple):
    """The result of replaying a saved walk. ``name`` is the name of the walk's file."""

    name: str
    replayed: Replayed

    @property
    def failures(self) -> tuple[str, ...]:
        """Sentences that say why the walk failed. The result is empty if the walk passed."""
        broken = self.replayed.retraced.broken
        return self.replayed.unmet if broken is None else (str(broken),)


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The results of replaying the saved walks of a story, and their combined coverage.

    The coverage includes a failed walk only up to the step where it failed.
    """

    results: tuple[Result, ...]
    coverage: Coverage

    @classmethod
    def of(cls, graph: Graph, results: Sequence[Result]) -> SuiteResult:
        return cls(tuple(results), walks_coverage(graph, (one.replayed.retraced.walk for one in results)))

    @classmethod
    def replaying(cls, graph: Graph, walks: Iterable[NamedWalk], keys: Mapping[str, str]) -> SuiteResult:
        """Replay saved walks. ``keys`` holds values for template keys that the walks do not set themselves."""
        each = [Result(one.name, replay(one.script, graph, {**keys, **one.script.keys})) for one in walks]
        return cls.of(graph, each)

    @property
    def failed(self) -> int:
        return sum(not one.replayed.holds for one in self.results)


def junit_cases(name: str, suite: SuiteResult, least: Decimal | None = None) -> list[JUnitCase]:
    """Return one test case for each saved walk and, if ``least`` is given, one for the coverage.

    ``name`` is the name of the test suite. ``least`` is the required coverage in percent.
    """
    cases = [
        JUnitCase(
            name,
            "walk",
            one.name,
            ". ".join(one.failures),
            "" if one.replayed.holds else "walk" if one.replayed.retraced.broken is not None else "expectation",
        )
        for one in suite.results
    ]
    if least is not None:
        percent = suite.coverage.percent
        failure = f"{percent}% of the sections were visited; the minimum is {least}%" if percent < least else ""
        cases.append(JUnitCase(name, "coverage", "sections", failure, "coverage"))
    return cases


def file_name(number: int, walk: Walk) -> str:
    """Return a file name for a generated walk.

    The name consists of ``number`` and the name of the section where the walk ends.
    """
    end = single_line(walk.graph.section_name(walk.here or ""), limit=60)
    return f"{number:03}-{file_stem(end, otherwise='walk')}.toml"
