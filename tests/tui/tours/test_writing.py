"""A tour made of one's own keys, and played again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from textual.events import Paste

from chartui.core.paths import own_tours
from chartui.demos.stage import staged
from chartui.demos.tour import Action, Perform, Press, Step, Text, Tour
from chartui.demos.tour_file import read_tour, written
from chartui.tui.shell.api_key import KeyQuestion
from chartui.tui.tour.player import key_event, screen_text
from chartui.tui.tour.record import Broken
from chartui.tui.tour.run import recorded, with_proposals
from chartui.tui.tour.write import NotingApp
from chartui.tui.widgets.questions import Confirm
from tests.tui.user import run_app

SECRET = "canary-key-5b1c"


async def use(app: NotingApp, *names: str) -> None:
    for name in names:
        await app.press(key_event(name))
    await app.settle()


async def note(path: Path) -> tuple[Tour, str]:
    """Use the program a little; gives the tour, and what was seen last."""
    # Time stands still, as where the tour is played: on a busy machine seconds would pass before the data are made.
    with staged(Tour(name=path.stem), alone=True) as stage, patch.object(stage.time, "pass_by"):
        app = NotingApp(path, stage)
        async with app.run_test(size=(100, 30)):
            await app.settle()
            await use(app, "right", "p", *"one", "enter", "C", "down", "down", "/", *"el")
            await app.press(Paste("ena"))
            await use(app, "enter", "enter", "i", "f9")
            app.push_screen(KeyQuestion("Key", "Never noted."))
            await app.settle()
            await use(app, *SECRET, "escape")
            app.clear_notifications()
            await app.settle()
            seen = screen_text(app)
            await use(app, "q")
    return app.noted, seen


def test_ones_own_keys_become_a_tour_that_ends_on_the_same_screen() -> None:
    """Without F9, which has no effect: repeating it would be reported as a mistake."""
    tour, seen = run_app(note(own_tours() / "my-first-tour.toml"))
    assert SECRET not in written(tour)
    assert (tour.title, tour.size) == ("My first tour", (100, 30))
    assert [(step.caption, step.actions) for step in tour.steps] == [
        ("Increase.", (Perform("step-up"),)),
        ("Pin this configuration.", (Perform("pin"), Text("one"), Press("enter"))),
        ("Go to the characters.", (Perform("show-characters"), Press("down"), Press("down"))),
        ("Filter the list.", (Perform("filter-characters"), Text("el"), Text("ena", pasted=True), Press("enter"))),
        ("Open the character.", (Perform("open-record"),)),
        ("Inspect the record.", (Perform("show-record"), Press("escape"))),
    ]

    # The question for a key was put by this test, and not by a key: what closed it would leave the record.
    steps = (*tour.steps[:-1], replace(tour.steps[-1], actions=tour.steps[-1].actions[:-1], picture="end"))
    [picture] = recorded(replace(tour, steps=steps))
    assert picture.text == seen


def test_what_a_written_tour_should_check_is_proposed(tmp_path: Path) -> None:
    steps = (
        Step(caption="Pin this configuration.", actions=(Perform("pin"), Text("one"), Press("enter"))),
        Step(caption="Go to the characters.", actions=(Perform("show-characters"),)),
        Step(caption="Move.", actions=(Press("down"),)),
        Step(caption="Open the character.", actions=(Perform("open-record"),)),
        Step(caption="Go to the characters.", actions=(Perform("show-estimator"), Perform("show-characters"))),
    )
    tour, problem = with_proposals(Tour(name="mine", title="Mine", steps=steps))
    assert problem == ""
    path = tmp_path / "mine.toml"
    path.write_text(written(tour), encoding="utf-8")
    assert read_tour(path) == tour

    # A screen is pictured as it is left, and every step that shows something new expects it.
    assert tour.pictures == ("pin-this-configuration", "go-to-the-characters")
    assert [bool(step.expect) for step in tour.steps] == [True, True, False, True, True]
    assert [picture.name for picture in recorded(tour)] == list(tour.pictures)
    broken = replace(tour, steps=tuple(replace(step, actions=()) for step in tour.steps))
    with pytest.raises(Broken, match=r"step 1: .*\n.*step 2: "):
        recorded(broken)


def test_keys_that_cannot_be_repeated_are_told() -> None:
    steps = (Step(actions=(Perform("show-characters"),)), Step(actions=(Perform("pin"),)))
    tour, problem = with_proposals(Tour(name="mine", title="Mine", steps=steps))
    assert problem == "step 2: 'pin' is not available on this screen (characters)"
    assert [bool(step.expect) for step in tour.steps] == [True, False]


@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        (("C", "q"), [(Perform("show-characters"),)]),
        (("C", "ctrl+q"), [(Perform("show-characters"),)]),
        (("C", "colon", *"quit", "enter"), [(Perform("show-characters"),)]),
        (("C", "slash", "e", "ctrl+q"), [(Perform("show-characters"),), (Perform("filter-characters"), Text("e"))]),
        (("q",), []),
    ],
)
def test_the_keys_that_quit_are_no_part_of_it(
    keys: tuple[str, ...], kept: list[tuple[Action, ...]], tmp_path: Path
) -> None:
    async def leave() -> Tour:
        with staged(Tour(name="mine"), alone=True) as stage:
            app = NotingApp(tmp_path / "mine.toml", stage)
            async with app.run_test():
                await app.settle()
                await use(app, *keys)
                assert app._exit
        return app.noted

    assert [step.actions for step in run_app(leave()).steps] == kept


def test_staged_changes_are_asked_about_and_the_answer_is_no_part_of_it(tmp_path: Path) -> None:
    async def leave() -> Tour:
        with staged(Tour(name="mine"), alone=True) as stage:
            app = NotingApp(tmp_path / "mine.toml", stage)
            async with app.run_test():
                await app.settle()
                await use(app, "N", "c", *"avery", "enter", "X", "q")
                assert isinstance(app.screen, Confirm)
                await use(app, "escape", "Q", "C", "q", "y")
                assert app._exit
        return app.noted

    *_, last = run_app(leave()).steps
    assert last.actions == (Perform("show-characters"),)
