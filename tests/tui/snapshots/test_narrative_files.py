"""Pictures of stories that leave the narrative screen and come to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.core.bundle.files import write_bundle
from chartui.core.bundle.present import pull
from chartui.core.bundle.writer import bundle_text
from chartui.tui.shell.files import OpenFile
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.told_list import ToldList
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.user import User

TWEE = """\
Written for a trial.
:: StoryTitle
The tide

:: Rules [script]
window.rules = [];

:: Landing [beach]
Greet whoever lands. <<set $tide to 1>><<if $tide>>It rises.<</if>>
[[They climb the stairs->Stairs]]
[[They read on->https://example.org/tide]]

:: Stairs [beach]
Two hundred of them.
[[They turn round|Landing][$tide to 2]]
[[They fly->Nowhere yet]]

:: Stairs
The same once more.
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a story in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tide.twee").write_text(TWEE)
    return tmp_path


async def opens(user: User, name: str) -> None:
    await user.until(lambda: isinstance(user.app.screen, OpenFile), "to be asked for a file")
    await user.press(*name, "enter")
    await user.until(lambda: isinstance(user.app.screen, ToldList), "for the report")


@sizes("80x24")
def test_forms_to_export(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("Y")
        await user.until(lambda: isinstance(user.app.screen, Chooser))

    screen(play, screen="narrative", size=size)


@sizes("80x24")
def test_what_does_not_fit(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("I")
        await opens(user, "tide.twee")

    screen(play, screen="narrative", size=size)


@sizes("80x24")
def test_what_is_different(screen: Screen, size: tuple[int, int], folder: Path) -> None:
    async def play(user: User) -> None:
        wanted = user.narrative.wanted
        bundle, _ = await pull(user.app.session, wanted)
        write_bundle(folder / "elena-marsh.toml", bundle)
        text = bundle_text(bundle).replace('name = "House rules"', 'name = "Rules of the house"')
        (folder / "elena-marsh.toml").write_text(text.replace("temperature = ", "temperature = 0.1 # ", 1))
        await user.press("B")
        await user.until(lambda: isinstance(user.app.screen, Chooser))
        await user.press(*"compare", "enter")
        await opens(user, "elena-marsh.toml")

    screen(play, screen="narrative", size=size)
