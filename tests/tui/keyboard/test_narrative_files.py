"""Stories that leave the narrative screen and come to it: exported, imported, pulled, compared and pushed."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from chartui.core.bundle.files import load
from chartui.core.narrative.export import Form, export
from chartui.core.narrative.twee_syntax import escaped
from chartui.core.text import is_plain
from chartui.tui.shell.files import FileName, OpenFile
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.questions import AskLine, Confirm
from chartui.tui.widgets.review import Review
from chartui.tui.widgets.told_list import ToldList
from tests.tui.hostile import HOSTILE
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.user import User, opened

TWEE = """\
:: StoryTitle
The tide

:: Landing [beach]
Greet whoever lands. <<set $tide to 1>>
[[They climb the stairs->Stairs]]

:: Stairs
Two hundred of them.
[[They turn round->Landing]]
[[They fly->Nowhere yet]]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a story in it."""
    path = tmp_path / "work"
    path.mkdir()
    monkeypatch.chdir(path)
    (path / "tide.twee").write_text(TWEE)
    return path


async def chooses(user: User, *names: str) -> None:
    """Choose in one list after the other."""
    for name in names:
        await user.until(lambda: user.is_at(Chooser), f"to choose {name}")
        before = user.app.screen
        await user.press(*name, "enter")
        await user.until(lambda: user.app.screen is not before, "for the list to go")  # noqa: B023 - awaited here


async def opens(user: User, name: str) -> None:
    await user.at(OpenFile)
    await user.press(*name, "enter")


async def agrees(user: User) -> None:
    await user.at(Review)
    await user.press("y")


def names(user: User) -> list[str]:
    story = user.narrative.story
    assert story is not None
    return [str(one.section_name) for one in story.sections.values()]


@covers("export-story")
async def test_a_graph_is_copied_or_written_in_a_form(folder: Path) -> None:
    async with opened(screen="narrative") as user:
        story = user.narrative.story
        assert story is not None
        await user.press("Y")
        await user.sees("Mermaid flowchart", "Graphviz DOT", "Markdown outline", "Twee 3")
        await chooses(user, "twee", "write")
        await user.at(FileName)
        await user.sees("elena-marsh-twee-3.twee")
        await user.press("enter")
        await user.is_told("Written: elena-marsh-twee-3.twee")
        text = (folder / "elena-marsh-twee-3.twee").read_text(encoding="utf-8")
        assert text == export(story, Form.TWEE, "Elena Marsh")
        await user.press("Y")
        await chooses(user, "mermaid", "copy")
        await user.is_told("characters")
        assert user.clipboard == export(story, Form.MERMAID, "Elena Marsh")
        await user.press("Y", "escape")
        await user.leaves(Chooser)


@covers("import-story")
async def test_a_story_is_staged_beside_what_is_there_or_in_its_place(folder: Path) -> None:
    session = demo()
    async with opened(session, screen="narrative") as user:
        wanted, before = user.narrative.wanted, names(user)
        assert wanted is not None
        await user.press("I")
        await opens(user, "tide.text")
        await user.sees("the name must end in .twee, .tw, .html or .json.")
        await user.press(*["backspace"] * 4)
        await user.press(*"twee", "enter")
        await user.at(ToldList)
        await user.sees("“The tide”: 3 sections and 0 triggers.", "5 remarks (1 about omitted content):")
        await user.pilot.click(offset=(20, 4))
        await user.pilot.click(offset=(20, 4))
        assert user.is_at(ToldList)
        await user.sees("line 4", "The tag “beach” is left out.", "Landing, line 5", "<<set>>", "Stairs, line 11")
        await user.press("a")
        await user.until(lambda: names(user) == [*before, "Landing", "Stairs", "Nowhere yet"], "for the story")
        assert user.narrative.staged
        await user.sees("Landing")
        await user.press("I")
        await opens(user, "tide.twee")
        await user.at(ToldList)
        await user.press("r")
        await user.until(lambda: names(user) == ["Landing", "Stairs", "Nowhere yet"], "for the other story")
        stored = await session.service.sections(wanted)
        assert [one.section_name for one in stored] == before
        await user.press("I")
        await opens(user, "tide.twee")
        await user.at(ToldList)
        await user.press("escape")
        await user.leaves(ToldList)
        assert names(user) == ["Landing", "Stairs", "Nowhere yet"]  # nothing was begun
        # It is an edit like any other: taken back, done again, and sent.
        await user.press("z", "z")
        assert names(user) == before
        await user.press("Z", "Z", "S")
        await agrees(user)
        await user.is_told("steps done.")
        stored = await session.service.sections(wanted)
        assert sorted(str(one.section_name) for one in stored) == ["Landing", "Nowhere yet", "Stairs"]


async def test_one_story_of_a_twine_archive_is_chosen(folder: Path) -> None:
    stories = (
        f'<tw-storydata name="{title}"><tw-passagedata pid="1" name="{name}">Hi.</tw-passagedata></tw-storydata>'
        for title, name in (("The tide", "Beach"), ("The gate", "Door"))
    )
    (folder / "library.html").write_text("\n".join(stories), encoding="utf-8")
    async with opened(screen="narrative") as user:
        before = names(user)
        await user.press("I")
        await opens(user, "library.html")
        await user.at(Chooser)
        await user.sees("The tide", "The gate")
        await user.press(*"gate", "enter")
        await user.at(ToldList)
        await user.sees("“The gate”: 1 section and 0 triggers.")
        await user.press("a")
        await user.until(lambda: names(user) == [*before, "Door"], "for the story")
        await user.press("I")
        await opens(user, "library.html")
        await user.at(Chooser)
        await user.press("escape")
        await user.leaves(Chooser)
        assert names(user) == [*before, "Door"]


@covers("bundle")
async def test_a_character_is_pulled_compared_and_pushed(folder: Path) -> None:
    session = demo()
    async with opened(session, screen="narrative") as user:
        await user.press("B")
        await chooses(user, "pull")
        await user.at(AskLine)
        await user.press("enter")
        await user.is_told("elena-marsh.toml, 40 sections and 3 triggers")
        path = folder / "elena-marsh.toml"
        assert len(load(path).bundle.story.sections) == 40
        await user.press("B")
        await chooses(user, "compare")
        await opens(user, "elena-marsh.toml")
        await user.is_told("No differences between the character and the file.")
        text = path.read_text()
        path.write_text(text.replace('name = "House rules"', 'name = "Rules of the house"'))
        await user.press("B")
        await chooses(user, "compare")
        await opens(user, "elena-marsh.toml")
        await user.at(ToldList)
        await user.sees("1 difference.", "- House rules", "+ Rules of the house")
        await user.press("escape", "B")
        await chooses(user, "push a file")
        await opens(user, "elena-marsh.toml")
        await agrees(user)
        await user.is_told("Applied: ")
        await user.ready()
        assert "Rules of the house" in names(user)
        await user.press("B")
        await chooses(user, "push a file")
        await opens(user, "elena-marsh.toml")
        await user.is_told("Nothing to push. The character matches the file.")
        await user.press("B")
        await chooses(user, "pull")
        await user.at(AskLine)
        await user.press("enter")
        await user.at(Confirm)
        await user.press("y")
        await user.is_told("elena-marsh.toml, 40 sections and 3 triggers")


async def test_a_bundle_with_another_model_shows_what_it_costs(folder: Path) -> None:
    async with opened(demo(), screen="narrative") as user:
        await user.press("B")
        await chooses(user, "pull")
        await user.at(AskLine)
        await user.press("enter")
        await user.is_told("elena-marsh.toml, 40 sections and 3 triggers")
        path = folder / "elena-marsh.toml"
        path.write_text(path.read_text().replace('model = "mdla-5.1"', 'model = "mdla-4o"'))
        await user.press("B")
        await chooses(user, "compare")
        await opens(user, "elena-marsh.toml")
        await user.at(ToldList)
        await user.sees("per interaction  10.486 → 9.769 credits (−0.717)", "end to end")
        await user.press("escape", "B")
        await chooses(user, "push a file")
        await opens(user, "elena-marsh.toml")
        await user.at(Review)
        await user.sees("mdla-5.1 → mdla-4o", "per interaction  10.486 → 9.769 credits (−0.717)", "end to end")


async def test_a_new_character_is_made_of_a_file(folder: Path) -> None:
    async with opened(demo(), screen="narrative") as user:
        await user.press("B")
        await chooses(user, "pull")
        await user.at(AskLine)
        await user.press("enter")
        await user.is_told("elena-marsh.toml, 40 sections and 3 triggers")
        elena = user.narrative.wanted
        await user.press("B")
        await chooses(user, "create a")
        await opens(user, "elena-marsh.toml")
        await user.at(AskLine)
        await user.press(*"Her twin", "enter")
        await agrees(user)

        def shown() -> str | None:
            return user.narrative.name if user.narrative.wanted != elena else None

        await user.until(lambda: shown() == "Her twin", "for the new character to be shown")
        assert len(names(user)) == 40
        assert len(load(folder / "elena-marsh.toml").bundle.known_as("demo")) == 2


async def test_the_story_of_a_bundle_is_staged_with_what_it_removes(folder: Path) -> None:
    async with opened(screen="narrative") as user:
        await user.press("B")
        await chooses(user, "pull")
        await user.at(AskLine)
        await user.press("enter")
        await user.is_told("elena-marsh.toml")
        path = folder / "elena-marsh.toml"
        await user.press("I")
        await opens(user, "elena-marsh.toml")
        await user.at(ToldList)
        await user.sees("Only the bundle's story is staged", "a stage the story  r stage and remove the rest")
        await user.press("r")
        await user.is_told("The story already matches the file. Nothing was staged.")
        await user.until(lambda: not user.narrative.staged, "for nothing to be staged")
        path.write_text(path.read_text().replace('name = "House rules"', 'name = "Rules of the house"'))
        await user.press("I")
        await opens(user, "elena-marsh.toml")
        await user.at(ToldList)
        await user.press("enter")
        await user.until(lambda: user.narrative.staged)
        assert "Rules of the house" in names(user)
        assert len(names(user)) == 40
        await user.press("B")
        await chooses(user, "push a file")
        await user.is_told("Apply or discard the staged changes first")


async def test_texts_are_compared_and_staged(folder: Path) -> None:
    async with opened(demo(), screen="narrative") as user:
        await user.press("Y")
        await chooses(user, "texts", "write")
        await user.at(FileName)
        await user.press("enter")
        await user.is_told("Written: ")
        [path] = folder.glob("*.csv")
        text = path.read_text()
        old = next(line for line in text.splitlines() if line.endswith(",section name,House rules,House rules"))
        path.write_text(text.replace(old, f"{old.removesuffix('House rules')}Rules of the house") + "x/name,,,y\n")
        await user.press("I")
        await opens(user, path.name)
        await user.sees("of which 1 differs from the story", "Not in the story: x/name")
        await user.press("a")
        await user.until(lambda: user.narrative.staged)
        await user.is_told(f"Staged: import {path.name}. S reviews the changes")
        assert "Rules of the house" in {one.section_name for one in user.narrative.story.sections.values()}


async def test_under_the_lock_stories_leave_and_none_comes(folder: Path) -> None:
    async with opened(demo(read_only=True), screen="narrative") as user:
        await user.press("I")
        await user.is_told("import is disabled.")
        await user.press("B")
        await chooses(user, "push a file")
        await user.is_told("push is disabled.")
        (folder / "elena-marsh.toml").write_text("something = 'else'")
        await user.press("B")
        await chooses(user, "pull")
        await user.at(AskLine)
        await user.press("enter")
        await user.is_told("Failed", 'format = "chartui-bundle"')
        assert (folder / "elena-marsh.toml").read_text() == "something = 'else'"
        (folder / "elena-marsh.toml").unlink()
        await user.press("B")
        await chooses(user, "pull")
        await user.at(AskLine)
        await user.press("enter")
        await user.is_told("elena-marsh.toml, 40 sections")
        await user.press("Y")
        await chooses(user, "json", "write")
        await user.at(FileName)
        await user.press("enter")
        await user.is_told("Written: elena-marsh-json.json")
        assert {path.suffix for path in folder.iterdir()} == {".twee", ".toml", ".lock", ".json"}


async def test_names_of_a_file_are_shown_and_never_obeyed(folder: Path) -> None:
    names = [" ".join(text.split()) for text in HOSTILE.values()]
    passages = [
        f":: {escaped(name)} [{escaped(name)}]\n<<{name}>> ${name}\n[[{name}->Gone {name}]]\n" for name in names
    ]
    (folder / "hostile.twee").write_text(f":: StoryTitle\n{''.join(names[:7])}\n{''.join(passages)}", errors="replace")
    async with opened(screen="narrative") as user:
        await user.press("I")
        await opens(user, "hostile.twee")
        await user.at(ToldList)
        for _ in range(20):
            assert is_plain(user.screen.replace("\n", ""))
            assert all(cell_len(line) <= 80 for line in user.screen.splitlines())
            await user.press("pagedown")
        await user.press("a")
        await user.until(lambda: user.narrative.staged)
        assert is_plain(user.screen.replace("\n", ""))
