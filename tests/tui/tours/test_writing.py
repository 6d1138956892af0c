"""A tour made of one's own keys, and played again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from textual.events import Paste

from chartui.core.paths import own_tours
from chartui.demos.stage import staged
from chartui.demos.tour import Perform, Press, Text, Tour
from chartui.demos.tour_file import read_tour
from chartui.tui.shell.api_key import KeyQuestion
from chartui.tui.tour.player import key_event, screen_text
from chartui.tui.tour.run import recorded
from chartui.tui.tour.write import NotingApp
from tests.tui.user import run_app

SECRET = "canary-key-5b1c"


async def use(app: NotingApp, *names: str) -> None:
    for name in names:
        await app.press(key_event(name))
    await app.settle()


async def write(path: Path) -> str:
    """Use the program a little; gives what was seen last."""
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
        assert app.write()
    return seen


def test_ones_own_keys_become_a_tour_that_ends_on_the_same_screen() -> None:
    path = own_tours() / "my-first-tour.toml"
    seen = run_app(write(path))
    assert SECRET not in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o777 == 0o600

    tour = read_tour(path)
    assert (tour.title, tour.size) == ("My first tour", (100, 30))
    assert [(step.caption, step.actions) for step in tour.steps] == [
        ("Increase.", (Perform("step-up"),)),
        ("Pin this configuration.", (Perform("pin"), Text("one"), Press("enter"))),
        ("Go to the characters.", (Perform("show-characters"), Press("down"), Press("down"))),
        ("Filter the list.", (Perform("filter-characters"), Text("el"), Text("ena", pasted=True), Press("enter"))),
        ("Open the character.", (Perform("open-record"),)),
        ("Inspect the record.", (Perform("show-record"), Press("f9"), Press("escape"))),
    ]

    # The question for a key was put by this test, and not by a key: what closed it would leave the record.
    steps = (*tour.steps[:-1], replace(tour.steps[-1], actions=tour.steps[-1].actions[:-1], picture="end"))
    [picture] = recorded(replace(tour, steps=steps))
    assert picture.text == seen


def test_nothing_is_written_when_nothing_was_pressed() -> None:
    path = own_tours() / "nothing.toml"

    async def leave() -> None:
        with staged(Tour(name=path.stem), alone=True) as stage:
            app = NotingApp(path, stage)
            async with app.run_test():
                await app.settle()
                await use(app, "q")
            assert not app.write()

    run_app(leave())
    assert not path.exists()
