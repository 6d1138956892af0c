"""Every picture of a screen is one that a test looks at: nothing else would tell of those that are left over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "tui" / "snapshots"


#: One changed word of the footer must not touch more files than a reviewer reads.
MOST_WHOLE = 20


#: Lists the tests of a folder as ``file/test[case]``, each after the marks of its picture.
LISTING = """
import sys, pytest

class Listing:
    def pytest_collection_finish(self, session):
        for item in session.items:
            marks = [mark.name for mark in item.iter_markers() if mark.name in ("svg", "whole")]
            print("found", ",".join(marks), f"{item.path.stem}/{item.nodeid.partition('.py::')[2]}", sep="|")

sys.exit(pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", sys.argv[1]], plugins=[Listing()]))
"""


def found_tests() -> dict[str, set[str]]:
    """The tests of the folder, and the marks of each."""
    listed = subprocess.run(
        [sys.executable, "-c", LISTING, str(FOLDER)], capture_output=True, text=True, check=True, cwd=FOLDER.parents[2]
    )
    found = [line.split("|", maxsplit=2) for line in listed.stdout.splitlines() if line.startswith("found|")]
    return {test: set(marks.split(",")) for _, marks, test in found}


def test_each_test_has_its_pictures_and_few_show_the_top_line_and_the_footer() -> None:
    found = found_tests()
    drawn, whole = ({test for test, marks in found.items() if mark in marks} for mark in ("svg", "whole"))
    pictures = FOLDER / "__snapshots__"
    there = {str(path.relative_to(pictures)) for path in pictures.rglob("*") if path.is_file()}
    wanted = {f"{test}.txt" for test in found} | {f"{test}.svg" for test in drawn}
    assert wanted
    assert there - wanted == set(), "no test looks at these"
    assert wanted - there == set(), "these were never taken"
    assert whole
    assert len(whole) + len(whole & drawn) <= MOST_WHOLE
