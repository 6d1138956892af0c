"""``chartui demo`` without a terminal: the list of tours, their pictures, and words that do not go together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chartui.core.backends.local.store import Store
from chartui.core.paths import own_tours
from chartui.demos.tour_file import shipped_tours

from .conftest import Run

TOUR = """\
format = "chartui-tour"
version = 1
title = "One step"
size = [80, 24]

[[steps]]
keys = ["view-rank"]
expect = ["58 models"]
picture = "rank"
"""


@pytest.fixture
def own() -> Path:
    path = own_tours() / "mine.toml"
    path.parent.mkdir(parents=True)
    path.write_text(TOUR, encoding="utf-8")
    return path


def test_all_tours_are_listed_and_what_is_wrong_is_told(run: Run, own: Path) -> None:
    (own.parent / "other.toml").write_text("title = 1")
    result = run("demo", "--list")
    assert result.status == 0
    assert [line.split()[0] for line in result.out.splitlines()] == ["TOUR", *shipped_tours(), "mine"]
    assert "other.toml: the file must start with" in result.err
    listed = run("demo", "--list", "--json").value
    assert listed[-1] == {
        "name": "mine",
        "title": "One step",
        "about": "",
        "sizes": [[80, 24]],
        "pictures": ["rank"],
    }


def test_each_size_is_performed_and_reported(run: Run, own: Path, tmp_path: Path) -> None:
    """In processes of their own, whose failures are reported here."""
    both = TOUR.replace("[80, 24]", "[[80, 24], [120, 40]]")
    own.write_text(both, encoding="utf-8")
    folder = tmp_path / "pictures"
    assert run("demo", "mine", "--record", str(folder)).status == 0
    result = run("demo", "mine", "--check", str(folder))
    assert result.out.splitlines() == [
        "mine: 1 picture checked, no differences",
        "mine/120x40: 1 picture checked, no differences",
    ]
    own.write_text(both.replace("58 models", "59 models"), encoding="utf-8")
    result = run("demo", "mine", "--check", str(folder))
    assert (result.status, result.out.count("mine.toml:8: step 1: “59 models” is not shown")) == (1, 2)


def test_a_file_of_a_tour_that_cannot_be_used_is_reported_whatever_the_number_of_sizes(
    run: Run, own: Path, tmp_path: Path
) -> None:
    store = tmp_path / "cut.db"
    Store(store).close()
    store.write_bytes(store.read_bytes()[:100] + bytes(8000))  # noticed when the tour begins
    own.write_text(TOUR.replace("size = [80, 24]", f'size = [[80, 24], [120, 40]]\nstore = "{store}"'), "utf-8")
    result = run("demo", "mine", "--check", str(tmp_path))
    assert result.status == 2
    assert re.search(r"mine\.toml:5: store: .*cut\.db is damaged", result.err)


def test_pictures_are_written_and_compared(run: Run, own: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    assert run("demo", "mine", "--record", str(folder)).status == 0
    text, svg = (folder / "mine" / f"rank.{kind}" for kind in ("txt", "svg"))
    assert "58 models" in text.read_text(encoding="utf-8")
    assert svg.read_text(encoding="utf-8").startswith("<svg ")
    result = run("demo", "mine", "--check", str(folder))
    assert (result.status, result.out) == (0, "mine: 1 picture checked, no differences\n")

    svg.write_text("<svg/>")
    (folder / "mine" / "gone.svg").write_text("<svg/>")
    result = run("demo", str(own), "--check", str(folder))
    assert result.status == 1
    assert result.out.splitlines() == [
        "mine/rank differs only in colors or styles",
        "mine/gone.svg does not belong to any step",
    ]
    lines = text.read_text(encoding="utf-8").splitlines()
    row = next(number for number, line in enumerate(lines, 1) if "58 models" in line)
    drawn = [line for line in run("demo", "mine", "--record", str(folder)).out.splitlines() if line]
    assert drawn == [f"{folder / 'mine'}: 1 picture"]
    svg.write_text(svg.read_text(encoding="utf-8").replace(">models</text>", ">MODELS</text>"), encoding="utf-8")
    assert (
        run("demo", "mine", "--check", str(folder)).out
        == f"mine/rank differs only in colors or styles, on line {row}\n"
    )
    text.write_text("\n".join(["another", *lines[1:5], "a new line", *lines[5:-1], ""]), encoding="utf-8")
    assert run("demo", "mine", "--check", str(folder)).out.splitlines() == [
        "mine/rank differs:",
        "   1 - another",
        f"   1 + {lines[0]}",
        "   6 - a new line",
        f"  {len(lines)} + {lines[-1]}",
    ]
    text.unlink()
    assert "mine/rank was never recorded" in run("demo", "mine", "--check", str(folder)).out


def test_a_tour_that_is_a_test_is_compared_with_the_pictures_next_to_it(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "night.tour.toml"
    path.write_text(TOUR, encoding="utf-8")
    missing = run("demo", str(path), "--check")
    assert (missing.status, missing.out) == (2, "")
    assert f"folder {tmp_path / 'pictures'} does not exist" in missing.err
    assert run("demo", str(path), "--record", str(tmp_path / "pictures")).status == 0
    result = run("demo", str(path), "--check")
    assert (result.status, result.out) == (0, "night: 1 picture checked, no differences\n")


def test_a_tour_that_does_not_get_on_says_where(run: Run, own: Path, tmp_path: Path) -> None:
    own.write_text(TOUR.replace("view-rank", "send-turn"), encoding="utf-8")
    result = run("demo", "mine", "--record", str(tmp_path / "pictures"))
    assert result.status == 1
    assert result.out.startswith("mine.toml:7: step 1: 'send-turn' is not available on this screen (estimator)")
    assert "credits per interaction" in result.out
    assert not (tmp_path / "pictures").exists()


def test_every_failed_step_is_told_and_pictures_are_compared_all_the_same(run: Run, own: Path, tmp_path: Path) -> None:
    missed = '[[steps]]\nexpect = ["never", "credits"]\ngone = ["credits"]\n'
    own.write_text(TOUR.replace("[[steps]]", f"{missed}[[steps]]") + missed, encoding="utf-8")
    folder = tmp_path / "pictures"
    folder.mkdir()
    result = run("demo", "mine", "--check", str(folder))
    assert result.status == 1
    first, second, *screen = result.out.splitlines()
    assert first == "mine.toml:7: step 1: “never” is not shown, “credits” is still shown"
    assert second.startswith("mine.toml:14: step 3: “never” is not shown")
    assert "credits per interaction" in "".join(screen)
    assert screen[-1] == "mine/rank was never recorded"


def test_a_tour_is_written_as_a_film(run: Run, own: Path, tmp_path: Path) -> None:
    for option, start in (("--cast", b'{"version": 2, "width": 80, "height": 27, '), ("--svg", b"<svg ")):
        path = tmp_path / "film"
        result = run("demo", "mine", option, str(path))
        assert (result.status, result.err) == (0, "")
        assert re.fullmatch(rf"{path}: \d seconds, \d+ kB\n", result.out)
        assert path.read_bytes().startswith(start)
        path.write_text("mine", encoding="utf-8")
        result = run("demo", "mine", option, str(path))
        assert (result.status, result.out) == (2, "")
        assert f"{path} already exists; --force overwrites it" in result.err
        assert path.read_text(encoding="utf-8") == "mine"
        result = run("demo", "mine", option, str(path), "--force")
        assert (result.status, result.err) == (0, "")
        assert path.read_bytes().startswith(start)
        path.unlink()
    own.write_text(TOUR.replace("view-rank", "send-turn"), encoding="utf-8")
    result = run("demo", "mine", "--svg", str(tmp_path / "broken"))
    assert result.status == 1
    assert result.out.startswith("mine.toml:7: step 1: 'send-turn' is not available on this screen (estimator)")
    assert not (tmp_path / "broken").exists()
    own.write_text(TOUR, encoding="utf-8")
    result = run("demo", "mine", "--cast", str(tmp_path / "no" / "folder"))
    assert (result.status, result.out) == (2, "")
    assert "cannot be written" in result.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--play",), "need a tour"),
        (("--speed", "2"), "need a tour"),
        (("non-such", "--record", "x"), "Unknown tour “non-such”"),
        (("mine", "--profile", "work", "--record", "x"), "--profile cannot be used with a tour"),
        (("mine", "--screen", "actions", "--check"), "--screen cannot be used with a tour"),
        (("mine", "--write", "yours"), "cannot be combined with a tour"),
        (("mine", "--theme", "pink", "--check"), "Unknown theme “pink”"),
        (("mine", "--speed", "0", "--play"), "from 0.1 to 100, not 0"),
        (("--cast", "x"), "need a tour"),
        (("mine", "--record", "x", "--check"), "not allowed with argument"),
        (("mine", "--cast", "x", "--svg", "y"), "not allowed with argument"),
        (("mine", "--check", "nowhere"), "folder nowhere does not exist"),
    ],
)
def test_words_that_do_not_go_together(words: tuple[str, ...], told: str, run: Run, own: Path) -> None:
    result = run("demo", *words)
    assert (result.status, result.out) == (2, "")
    assert told in result.err


def test_a_name_that_is_taken_is_said_before_anything_is_opened(run: Run, own: Path) -> None:
    for name in ("mine", "broken-graph", "A Tour"):
        assert run("demo", "--write", name).status == 2
