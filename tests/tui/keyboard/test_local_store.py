"""Making, copying, renaming and deleting characters of an embedded store; on a service it is said why not."""

from __future__ import annotations

import pytest
from textual.screen import ModalScreen

from chartui.core.text import is_plain
from chartui.demos.sample import Sample
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.questions import AskLine
from chartui.tui.widgets.review import Review
from tests import writes
from tests.long import sampled
from tests.tui.hostile import HOSTILE
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, doubled, filled_with, remote
from tests.tui.user import User, opened

CHANGES = ("create-character", "duplicate-character", "rename-character", "delete-character")


def names(user: User) -> list[str | None]:
    return [summary.character_name for summary in user.characters.summaries]


async def asked(user: User) -> None:
    await user.at(AskLine)
    await user.settle()


async def agreed(user: User) -> None:
    await user.at(Review)
    await user.press("y")
    await user.leaves(ModalScreen)
    await user.ready()


async def taken_back(user: User) -> None:
    await user.press("u")
    await agreed(user)


@covers("create-character")
async def test_a_character_is_made_and_has_the_cursor() -> None:
    async with opened(screen="characters") as user:
        before = names(user)
        await user.press("a")
        await asked(user)
        await user.press(*"Mara", "enter")
        await user.sees("New character “Mara”", "Create")
        await agreed(user)
        await user.until(lambda: user.characters.name == "Mara", "for the cursor")
        assert sorted(map(str, names(user))) == sorted(map(str, [*before, "Mara"]))
        await taken_back(user)
        assert names(user) == before


async def test_what_is_made_is_seen_whatever_was_filtered_for() -> None:
    async with opened(screen="characters") as user:
        await user.press("/", *"nova", "enter", "a")
        await asked(user)
        await user.press(*"Mara", "enter")
        await agreed(user)
        await user.until(lambda: user.characters.name == "Mara", "for the cursor")
        assert user.characters.query == ""


@covers("duplicate-character")
async def test_a_copy_has_settings_and_graph_and_the_cursor() -> None:
    async with opened(screen="characters") as user:
        service, elena = user.app.session.service, user.characters.current
        assert elena is not None
        await user.app.action_command("duplicate-character")
        await asked(user)
        await user.sees("Copy Elena Marsh", "Elena Marsh (copy)")
        await user.press("enter")
        await agreed(user)
        await user.until(lambda: user.characters.name == "Elena Marsh (copy)", "for the cursor")
        copy = user.characters.current
        assert copy is not None
        assert copy.character_id != elena.character_id
        sections = [len(await service.sections(one)) for one in (elena.character_id, copy.character_id)]
        assert sections[0] == sections[1] > 0
        stories = [(await service.settings(one)).backstory for one in (elena.character_id, copy.character_id)]
        assert stories[0] == stories[1]


@covers("rename-character")
async def test_a_character_is_renamed_and_keeps_cursor_and_id() -> None:
    async with opened(screen="characters") as user:
        await user.press("down")
        bran = user.characters.current
        assert bran is not None
        await user.press("f2")
        await asked(user)
        await user.sees("Rename Bran Alder", "The ID stays the same.")
        await user.press(*"Brannoc", "enter")
        await agreed(user)
        await user.until(lambda: user.characters.name == "Brannoc", "for the new name")
        renamed = user.characters.current
        assert renamed is not None
        assert renamed.character_id == bran.character_id
        await taken_back(user)
        assert user.characters.name == "Bran Alder"


@covers("delete-character")
async def test_a_character_is_deleted_with_what_goes_with_it_and_comes_back_whole() -> None:
    async with opened(screen="characters") as user:
        service, elena = user.app.session.service, user.characters.current
        assert elena is not None
        before = names(user)
        sections = await service.sections(elena.character_id)
        triggers = await service.triggers(elena.character_id)
        await user.press("delete")
        await user.at(Review)
        assert user.line("sections").split()[2:6] == ["sections", str(len(sections)), "→", "0"]
        assert user.line("triggers").split()[2:6] == ["triggers", str(len(triggers)), "→", "0"]
        await user.sees("Delete Elena Marsh", "backstory", "Delete")
        await agreed(user)
        await user.until(lambda: user.characters.name == "Bran Alder", "for the next one")
        assert names(user) == before[1:]
        await taken_back(user)
        assert names(user) == before
        assert await service.sections(elena.character_id) == sections


@pytest.mark.parametrize(("typed", "said"), [("", "Enter a name."), ("Elena Marsh", "The name is unchanged.")])
async def test_a_name_that_is_none_is_not_taken(typed: str, said: str) -> None:
    async with opened(screen="characters") as user:
        await user.press("f2")
        await asked(user)
        await user.press("backspace", *("space" if c == " " else c for c in typed), "enter")
        await user.sees(f"✗ {said}")
        await user.press("x")
        await user.misses(said)
        assert user.is_at(AskLine)


async def test_a_name_that_others_have_is_told_and_may_be_taken() -> None:
    async with opened(screen="characters") as user:
        bran = user.characters.summaries[1]
        await user.press("a")
        await asked(user)
        await user.press(*"bran", "space", *"ALDER")
        await user.sees("“Bran Alder” already exists", bran.character_id)
        await user.press("enter")
        await agreed(user)
        await user.until(lambda: user.characters.name == "bran ALDER", "for the cursor")


@pytest.mark.parametrize("command", CHANGES)
async def test_escape_leaves_everything_as_it_is(command: str) -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        await user.app.action_command(command)
        await user.at(ModalScreen)
        await user.press("escape")
        await user.settle()
        assert not user.is_at(ModalScreen)
        assert not {name for name, _ in double.calls} & set(CHANGES)


@pytest.mark.parametrize("command", CHANGES)
async def test_without_a_character_there_is_nothing_to_do_it_to(command: str) -> None:
    async with opened(demo(fill_store=lambda store: None), screen="characters") as user:
        await user.app.action_command(command)
        if command == "create-character":
            await asked(user)
            await user.press(*"Mara", "enter")
            await agreed(user)
            await user.until(lambda: user.characters.name == "Mara", "for the cursor")
        else:
            await user.is_told("No character under the cursor.")


async def test_who_is_gone_already_is_told() -> None:
    async with opened(screen="characters") as user:
        elena = user.characters.current
        assert elena is not None
        await writes.delete_character(user.app.session.service, elena.character_id)
        await user.press("d")
        await user.is_told("no longer exists")


async def test_a_service_has_no_operation_for_any_of_it_and_that_is_said() -> None:
    session, double = remote()
    async with opened(session, screen="characters") as user:
        calls = len(double.calls)
        for command, verb in zip(CHANGES, ("Creating", "Copying", "Renaming", "Deleting"), strict=True):
            await user.app.action_command(command)
            await user.is_told(f"{verb} a character needs an embedded store", "A service cannot do this.")
        assert len(double.calls) == calls
        await user.press("ctrl+p", *"character")
        await user.sees("New character…", "Delete the character…")


@pytest.mark.parametrize("command", CHANGES)
async def test_under_the_lock_none_of_it_is_done(command: str) -> None:
    async with opened(demo(read_only=True), screen="characters") as user:
        await user.app.action_command(command)
        await user.is_told("a character is disabled.")
        assert not user.is_at(ModalScreen)


@pytest.mark.parametrize(
    "name",
    sampled(
        ["markup", "escape sequences", "controls", "bidi", "wide", "long", "blank"],
        "markup",
        "escape sequences",
        "long",
    ),
)
async def test_names_are_shown_and_never_obeyed(name: str) -> None:
    """In every dialogue that shows or proposes a name; nothing that a terminal would obey is in the picture."""
    text = HOSTILE[name]

    def renamed(sample: Sample) -> Sample:
        config = {**sample.record["personalised_prompt_config"], "MODEL": text or "x"}
        return sample._replace(record={**sample.record, "character_name": text, "personalised_prompt_config": config})

    async with opened(demo(fill_store=filled_with(renamed)), screen="characters") as user:
        for command in CHANGES[1:]:
            await user.app.action_command(command)
            await user.at(ModalScreen)
            await user.settle()
            assert is_plain(user.screen.replace("\n", ""))
            await user.press("escape")
            await user.settle()
        await user.press("*", "b")
        await user.at(Chooser)
        await user.press(*"gone", "enter")
        await user.sees("MDLA 5.4")
        assert is_plain(user.screen.replace("\n", ""))
        await user.press(*"mdla-4.1", "enter")
        await user.at(Review)
        await user.settle()
        assert is_plain(user.screen.replace("\n", ""))
