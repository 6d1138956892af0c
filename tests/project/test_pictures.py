"""Every picture of a screen is one that a test looks at: nothing else would tell of those that are left over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "tui" / "snapshots"


#: One changed word of the footer must not touch more files than a reviewer reads.
MOST_WHOLE = 20


def found_tests(*chosen: str) -> set[str]:
    """The tests of the folder, as ``file/test[case]``; ``chosen`` are arguments that choose among them."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *chosen, str(FOLDER)],
        capture_output=True,
        text=True,
        check=True,
        cwd=FOLDER.parents[2],
    )
    names = [line.partition(".py::") for line in listed.stdout.splitlines() if ".py::" in line]
    return {f"{Path(file).name}/{test}" for file, _, test in names}


def test_each_test_has_its_pictures_and_few_show_the_top_line_and_the_footer() -> None:
    drawn, whole = found_tests("-m", "svg"), found_tests("-m", "whole")
    pictures = FOLDER / "__snapshots__"
    there = {str(path.relative_to(pictures)) for path in pictures.rglob("*") if path.is_file()}
    wanted = {f"{test}.txt" for test in found_tests()} | {f"{test}.svg" for test in drawn}
    assert wanted
    assert there - wanted == set(), "no test looks at these"
    assert wanted - there == set(), "these were never taken"
    assert whole
    assert len(whole) + len(whole & drawn) <= MOST_WHOLE
