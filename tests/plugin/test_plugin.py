"""The plugin: what it collects, how tours fail, how a test drives the program, and that others do not pay for it."""

from __future__ import annotations

from pathlib import Path

from tests.plugin.conftest import Pytest

HEAD = 'format = "chartui-tour"\nversion = 1\ntitle = "A tour"\n'
STEP = '[[steps]]\nexpect = ["credits per interaction"]\npicture = "start"\n'


def test_a_suite_without_tours_loads_nothing(tmp_path: Path, run_pytest: Pytest) -> None:
    """Only the stub, and the package it is in."""
    test = (
        "import sys\n"
        "def test_loaded():\n"
        "    ours = {name for name in sys.modules if name.split('.')[0] == 'chartui'}\n"
        "    assert ours == {'chartui', 'chartui.pytest_plugin'}\n"
        "    assert not {'textual', 'rich', 'pydantic', 'httpx', 'sqlite3', 'asyncio'} & {*sys.modules}\n"
    )
    (tmp_path / "test_loaded.py").write_text(test, encoding="utf-8")
    (tmp_path / "settings.toml").write_text("a = 1\n", encoding="utf-8")
    done = run_pytest(tmp_path)
    assert done.status == 0, done.output


def test_mistakes_in_a_tour_are_errors_with_their_line(tmp_path: Path, run_pytest: Pytest) -> None:
    (tmp_path / "wrong.tour.toml").write_text(f'{HEAD}[[steps]]\nkeys = ["view-rnk"]\n{STEP}', encoding="utf-8")
    done = run_pytest(tmp_path)
    assert (done.status, done.counts) == (2, {"error": 1})
    assert "wrong.tour.toml:5: Unknown command “view-rnk”" in done.output
    assert "Traceback" not in done.output


def test_a_new_picture_fails_until_it_is_taken(tmp_path: Path, run_pytest: Pytest) -> None:
    (tmp_path / "new.tour.toml").write_text(HEAD + STEP, encoding="utf-8")
    done = run_pytest(tmp_path)
    assert (done.status, done.counts) == (1, {"failed": 1})
    assert "new/start was never recorded" in done.output
    assert "--chartui-update" in done.output
    assert not (tmp_path / "pictures").exists()
    assert run_pytest(tmp_path, "--chartui-update").status == 0
    assert sorted(path.name for path in (tmp_path / "pictures" / "new").iterdir()) == ["start.svg", "start.txt"]


def test_a_tour_of_several_sizes_is_a_test_in_each(tmp_path: Path, run_pytest: Pytest) -> None:
    (tmp_path / "new.tour.toml").write_text(f"{HEAD}size = [[80, 24], [120, 40]]\n{STEP}", encoding="utf-8")
    assert run_pytest(tmp_path, "--chartui-update").counts == {"passed": 2}
    small, large = (tmp_path / "pictures" / "new" / name for name in ("start.txt", "120x40/start.txt"))
    assert [len(path.read_text(encoding="utf-8").splitlines()) for path in (small, large)] == [24, 40]
    large.write_text("Another screen.\n", encoding="utf-8")
    done = run_pytest(tmp_path)
    assert done.counts == {"passed": 1, "failed": 1}
    assert "new/120x40/start differs" in done.output


def test_an_update_says_what_was_added_changed_and_removed(tmp_path: Path, run_pytest: Pytest) -> None:
    tour, second = tmp_path / "new.tour.toml", STEP.replace('"start"', '"story"')
    tour.write_text(HEAD + STEP + second, encoding="utf-8")
    assert "new: added 2 pictures (start, story)" in run_pytest(tmp_path, "--chartui-update").output
    (tmp_path / "pictures" / "new" / "start.txt").write_text("Another screen.\n", encoding="utf-8")
    tour.write_text(HEAD + STEP + second.replace('"story"', '"graph"'), encoding="utf-8")
    done = run_pytest(tmp_path, "--chartui-update")
    said = "new: added 1 picture (graph); changed 1 picture (start); removed 1 picture (story)"
    assert (done.status, said in done.output) == (0, True), done.output
    assert "chartui: new:" not in run_pytest(tmp_path, "--chartui-update").output


def test_a_key_that_has_no_effect_fails(tmp_path: Path, run_pytest: Pytest) -> None:
    (tmp_path / "lost.tour.toml").write_text(f'{HEAD}{STEP}keys = ["f9", "home"]\n', encoding="utf-8")
    done = run_pytest(tmp_path, "--chartui-update")
    assert (done.status, done.counts) == (1, {"failed": 1})
    assert "lost.tour.toml:7: step 1: the key f9 has no effect here (estimator)" in done.output


def test_a_tour_that_fails_shows_the_screen_and_updates_nothing(tmp_path: Path, run_pytest: Pytest) -> None:
    steps = f'{STEP}[[steps]]\nkeys = ["view-rank"]\nexpect = ["no such text"]\n'
    (tmp_path / "broken.tour.toml").write_text(HEAD + steps, encoding="utf-8")
    done = run_pytest(tmp_path, "--chartui-update", "--chartui-report=report.html")
    assert (done.status, done.counts) == (1, {"failed": 1})
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "chartui: broken: not updated, because a step failed" in done.output
    for text in (done.output, page):
        assert "“no such text” is not shown" in text
        assert "57 of 58 models fit your inputs" in text
    assert not (tmp_path / "pictures").exists()


def test_a_report_that_cannot_be_written_is_refused_before_any_test(tmp_path: Path, run_pytest: Pytest) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n", encoding="utf-8")
    done = run_pytest(tmp_path, "--chartui-report=missing/report.html")
    assert (done.status, done.output) == (4, "")
    assert "--chartui-report: missing/report.html cannot be written" in done.errors


DRIVEN = """
import os
import pytest

def test_drive(chartui_tour):
    before = dict(os.environ), os.getcwd()
    with chartui_tour(size=(100, 30), profile="staging", screen="characters") as tour:
        tour.step(expect="Elena Marsh")
        tour.step(service="away", keys=["refresh"], expect="cannot be reached", gone="refreshing")
        tour.step(service="here", keys=["show-estimator"], expect="credits per interaction", picture="estimator")
        assert "Elena Marsh" not in tour.screen
        with pytest.raises(ValueError, match="Unknown command “shw-estimator”"):
            tour.step(keys=["shw-estimator"])
    assert (dict(os.environ), os.getcwd()) == before
    with pytest.raises(TypeError, match="Unknown argument “bundels”. Did you mean “bundles”?"):
        with chartui_tour(bundels=["maren.toml"]):
            pass

def test_missing(chartui_tour):
    with chartui_tour() as tour:
        tour.step(keys=["view-rank"], expect="no such text")

def test_wrong(chartui_tour):
    with chartui_tour() as tour:
        tour.step(expect="credits per interaction", picture="not-taken")
        assert "no such text" in tour.screen
"""


def test_the_program_is_driven_from_code(tmp_path: Path, run_pytest: Pytest) -> None:
    (tmp_path / "test_code.py").write_text(DRIVEN, encoding="utf-8")
    done = run_pytest(tmp_path, "--chartui-update")
    assert (done.status, done.counts) == (1, {"passed": 1, "failed": 2}), done.output
    # The line of the test is shown, not the code of the plugin.
    assert '>       tour.step(keys=["view-rank"], expect="no such text")' in done.output.replace(
        ">           ", ">       "
    )
    assert "code-missing: step 1: “no such text” is not shown" in done.output
    assert "drive.py" not in done.output
    assert "code-missing: not updated, because a step failed" in done.output
    # A test that fails takes no pictures.
    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["code-drive"]
    assert run_pytest(tmp_path, "-k", "drive").counts == {"passed": 1, "deselected": 2}
