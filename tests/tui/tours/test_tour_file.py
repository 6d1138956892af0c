"""Tours as files: what is read, what is refused and how that is told, and what is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.commands import COMMANDS
from chartui.core.paths import own_tours
from chartui.demos.tour import Perform, Press, Service, Step, Text, Tour
from chartui.demos.tour_file import BadTour, find_tour, read_tour, shipped_tours, tour_files, written
from chartui.keymap import BadKey, pressed_key

HEAD = 'format = "chartui-tour"\nversion = 1\n'
STEP = '[[steps]]\ncaption = "Something."\ngone = "Nothing"\n'
WHOLE = f'{HEAD}title = "A tour"\n{STEP}'


def read(tmp_path: Path, text: str) -> Tour:
    path = tmp_path / "a-tour.toml"
    path.write_text(text, encoding="utf-8")
    return read_tour(path)


def test_what_is_left_out_is_as_usual(tmp_path: Path) -> None:
    assert read(tmp_path, WHOLE) == Tour(
        name="a-tour", title="A tour", steps=(Step(caption="Something.", gone=("Nothing",)),)
    )


def test_keys_commands_and_text_keep_their_order(tmp_path: Path) -> None:
    text = (
        f'{WHOLE}keys = ["view-rank", "down*2", "?", {{ text = "ä b" }}, {{ text = "a\\nb", pasted = true }}, "ctrl+u"]'
    )
    [step] = read(tmp_path, text).steps
    assert step.actions == (
        Perform("view-rank"),
        Press("down"),
        Press("down"),
        Press("question_mark"),
        Text("ä b"),
        Text("a\nb", pasted=True),
        Press("ctrl+u"),
    )


def test_no_command_is_called_as_a_key() -> None:
    for command in COMMANDS:
        with pytest.raises(BadKey):
            pressed_key(command.id)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", 'must start with: format = "chartui-tour"'),
        ("title = ", "not TOML"),
        (f'{HEAD}title = "A tour"', "the tour has no steps"),
        (f"{HEAD}{STEP}", "title is missing"),
        (f'{HEAD}titel = "A tour"\n{STEP}', "Unknown key “titel” in the file. Did you mean “title”?"),
        (f'{HEAD}title = "A\\ntour"\n{STEP}', "title must be a single line"),
        (f'{HEAD}title = "A tour"\nsize = [80]\n{STEP}', "size must be columns and lines"),
        (f'{HEAD}title = "A tour"\nsize = [80, 500]\n{STEP}', "size must be columns and lines"),
        (f'{HEAD}title = "A tour"\nsize = [[80, 24], [80]]\n{STEP}', "size must be columns and lines"),
        (f'{HEAD}title = "A tour"\nsize = [[80, 24], [80, 24]]\n{STEP}', "size lists the same size twice"),
        (f'{HEAD}title = "A tour"\nspeed = 0\n{STEP}', "speed must be between"),
        (f'{HEAD}title = "A tour"\nprofile = "work"\n{STEP}', "Unknown name “work” for profile"),
        (f'{HEAD}title = "A tour"\nscreen = "narrativ"\n{STEP}', "Did you mean “narrative”?"),
        (f'{HEAD}title = "A tour"\ntheme = "pink"\n{STEP}', "Unknown name “pink” for theme"),
        (f'{HEAD}title = "A tour"\nread_only = 1\n{STEP}', "read_only must be true or false"),
        (f'{HEAD}title = "A tour"\ncharacters = -1\n{STEP}', "characters must be between"),
        (f'{HEAD}title = "A tour"\nsteps = 3\n', "steps must be tables"),
        (f'{HEAD}title = "A tour"\nsteps = [3]\n', "step 1 must be a table"),
        (f"{WHOLE}key = []", "Unknown key “key” in step 1"),
        (f'{WHOLE}keys = "enter"', "step 1: keys must be a list"),
        (
            f'{WHOLE}keys = ["entre"]',
            "step 1: keys: 'entre' is not a key (did you mean “enter”?) and is not a command.",
        ),
        (f'{WHOLE}keys = ["view-rang"]', "Did you mean “view-rank”?"),
        (f"{WHOLE}keys = [3]", "each item in step 1: keys must be the name"),
        (f'{WHOLE}keys = [{{ txt = "a" }}]', "Unknown key “txt” in step 1: keys"),
        (f'{WHOLE}keys = [{{ text = "a\\nb" }}]', "must consist of characters that can be typed"),
        (f'{WHOLE}service = "gone"', "Unknown name “gone” for step 1: service"),
        (f'{WHOLE}wait = "5"', "step 1: wait must be a number of seconds"),
        (f"{WHOLE}pause = 1e9", "step 1: pause must be between 0 and 600 seconds"),
        (f"{WHOLE}latency = true", "step 1: latency must be a number of seconds"),
        (f"{WHOLE}expect = [1]", "step 1: expect must be a single line of text"),
        (f'{WHOLE}picture = "../up"\nexpect = "a"', "step 1: picture must be a name"),
        (f'{WHOLE}picture = "one"', "step 1: a step with a picture must list its visible text in expect"),
        (
            f'{WHOLE}picture = "one"\nexpect = "a"\n{STEP}picture = "one"\nexpect = "a"',
            "step 2: another step already uses the picture name",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(BadTour) as refused:
        read(tmp_path, text)
    assert told in str(refused.value)
    assert str(refused.value).startswith(str(tmp_path / "a-tour.toml"))


def test_every_mistake_of_a_file_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadTour) as refused:
        read(tmp_path, f'{WHOLE}keys = ["nokey"]\n{STEP}wait = -1\npicture = "A"')
    assert [line.split(": ")[1] for line in str(refused.value).splitlines()] == ["step 1", "step 2", "step 2"]


@pytest.mark.parametrize("name", shipped_tours())
def test_what_is_written_is_read_again(name: str, tmp_path: Path) -> None:
    tour = find_tour(name)
    path = tmp_path / f"{name}.toml"
    path.write_text(written(tour), encoding="utf-8")
    assert read_tour(path) == tour


def test_a_tutor_must_notice_that_a_step_is_done(tmp_path: Path) -> None:
    head, keys = f'{HEAD}title = "A tour"\ntutor = true\n[[steps]]\ncaption = "Something."\n', 'keys = ["C"]'
    with pytest.raises(BadTour, match="step 1: a tutor step needs a caption, keys, and either expect or gone"):
        read(tmp_path, f"{head}{keys}")
    assert read(tmp_path, f'{head}{keys}\nexpect = "Elena"').tutor


def test_all_that_a_step_can_hold_is_written() -> None:
    step = Step(
        actions=(Perform("pin"), Press("f5"), Text("a"), Text("b\n", pasted=True)),
        caption="Something.",
        service=Service.SILENT,
        latency=0.5,
        wait=3.0,
        expect=("a",),
        gone=("b",),
        picture="one",
        pause=2.0,
    )
    assert all(
        f"{name} = " in written(Tour(name="a", title="A", steps=(step,)))
        for name in (
            "keys",
            "caption",
            "service",
            "latency",
            "wait",
            "expect",
            "gone",
            "picture",
            "pause",
        )
    )


def test_a_tour_that_checks_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadTour, match=r"a-tour\.toml:4: the tour checks nothing"):
        read(tmp_path, f'{HEAD}title = "A tour"\n[[steps]]\nkeys = ["C"]\n')


def test_tours_of_ones_own_stand_behind_those_of_the_program(tmp_path: Path) -> None:
    folder = own_tours()
    folder.mkdir(parents=True)
    for name in ("mine", "broken-graph", "No Name"):
        (folder / f"{name}.toml").write_text(WHOLE, encoding="utf-8")
    assert list(tour_files()) == [*shipped_tours(), "mine"]
    assert find_tour("mine").title == "A tour"
    assert find_tour("broken-graph").title != "A tour"
    assert find_tour(str(folder / "broken-graph.toml")).title == "A tour"
    with pytest.raises(BadTour, match=r"Unknown tour “minee”\. Did you mean “mine”"):
        find_tour("minee")
    with pytest.raises(BadTour, match="file not found"):
        find_tour(str(folder / "none.toml"))


def test_a_tour_that_is_a_test_goes_by_its_name(tmp_path: Path) -> None:
    folder = own_tours()
    folder.mkdir(parents=True)
    for name in ("night.tour", "broken-graph.tour", "day.tour", "day"):
        (folder / f"{name}.toml").write_text(WHOLE, encoding="utf-8")
    assert list(tour_files()) == [*shipped_tours(), "day", "night"]
    assert (find_tour("night").name, find_tour("night").title) == ("night", "A tour")
    assert tour_files()["day"].name == "day.toml"
