"""The example project: green as it is, red with a report after a changed sentence, and green again after an update."""

from __future__ import annotations

import base64
import re
from pathlib import Path

from tests.plugin.conftest import EXAMPLE, Pytest

ROOT = Path(__file__).parents[2]
SENTENCE = "<speak>Good morning! Where would you like to go?</speak>"
CHANGED = SENTENCE.replace("morning", "evening")
PICTURES = "tours/pictures/her-story"


def change_a_sentence(project: Path) -> None:
    bundle = project / "characters" / "ferry-desk.toml"
    text = bundle.read_text(encoding="utf-8")
    assert SENTENCE in text
    bundle.write_text(text.replace(SENTENCE, CHANGED), encoding="utf-8")


def files_of(project: Path) -> dict[str, bytes]:
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in project.rglob("*") if path.is_file()}


def images_of(page: str) -> list[str]:
    """The SVG of every image of a page, in order."""
    found = re.findall(r'<img alt="[^"]*" src="data:image/svg\+xml;base64,([^"]+)">', page)
    return [base64.b64decode(each).decode() for each in found]


def test_the_page_about_tours_quotes_it() -> None:
    [quoted] = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "tours.md").read_text("utf-8"), re.M | re.S)
    assert quoted in (EXAMPLE / "tests" / "test_desk.py").read_text(encoding="utf-8")


def test_it_is_green_and_leaves_nothing_behind(project: Path, run_pytest: Pytest) -> None:
    before = files_of(project)
    done = run_pytest(project)
    assert (done.status, done.counts) == (0, {"passed": 6}), done.output
    assert files_of(project) == before


def test_a_changed_sentence_fails_with_a_report_and_an_update_mends_it(project: Path, run_pytest: Pytest) -> None:
    old = (project / PICTURES / "story.svg").read_text(encoding="utf-8")
    change_a_sentence(project)
    # In several processes: what one of them finds is reported by another.
    done = run_pytest(project, "tours", "-n2", "--chartui-report", "report.html", plugins=("xdist.plugin",))
    assert (done.status, done.counts) == (1, {"passed": 2, "failed": 1}), done.output
    assert "her-story/story differs" in done.output
    assert "her-story/lint" not in done.output
    page = (project / "report.html").read_text(encoding="utf-8")
    assert "<h1>3 tours, 1 failed</h1>" in page
    assert "<del>mor</del>" in page
    assert "<ins>eve</ins>" in page
    expected, actual, *both = images_of(page)
    assert expected == old
    assert "evening" in actual
    assert both == [expected, actual]

    updated = run_pytest(project, "tours", "-k", "her-story", "--chartui-update")
    assert updated.status == 0, updated.output
    assert "her-story: changed 1 picture (story)" in updated.output
    assert (project / PICTURES / "story.svg").read_text(encoding="utf-8") == actual
    again = run_pytest(project, "tours", "-k", "her-story", "--chartui-report", "report.html")
    assert again.status == 0, again.output
    assert "<h1>1 tour, 0 failed</h1>" in (project / "report.html").read_text(encoding="utf-8")
