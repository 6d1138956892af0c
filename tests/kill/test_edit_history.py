"""Edits that are staged by a program that is killed: the next one undoes all of them, and redoes them, step by step.

How many edits are made before the kill is said by ``CHARTUI_EDITS``::

    CHARTUI_EDITS=500 CHARTUI_KILLS=20 script/test tests/kill/test_edit_history.py
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.drafts import STORY_PART
from chartui.core.jsontext import Wire, same
from chartui.core.narrative.edits import StoryDraft, difference, draft_from_wire, draft_to_wire
from chartui.core.narrative.story import Story, decision
from chartui.core.plans.settings import SETTINGS_PART, Staged
from chartui.core.session import Session, drafts_path
from chartui.core.spec.models.actions import Thing
from chartui.tui.drafts import Keeper
from chartui.tui.screens.characters.editor import read_staged, write_staged
from tests.kill.harness import SEEDS, Life, Victim

EDITS: Final = int(os.environ.get("CHARTUI_EDITS", "40"))
CHARACTER: Final = "c1"
_SETTINGS: Final = Staged(
    character_id=CHARACTER,
    name="Mira",
    base={"temperature": None, "model_group_name": "m", "backstory": ""},
    changes={},
)


def _base() -> Story:
    story = Story(sections={}, triggers={}, start="s0")
    for number in range(30):
        story = story.with_section(f"s{number}", name=f"Section {number}", objective="Greet. " * 20, decisions=[])
    return story.with_trigger("t0", name="bell", message="It rings.", destination="s1")


_BASE: Final = _base()


# -- the edits ---------------------------------------------------------------------------------------------------------


def _edit_story(random: Random, draft: StoryDraft) -> StoryDraft:
    story = draft.edits.on(_BASE).story
    section_id = random.choice([*story.sections])
    match random.randrange(7):
        case 0:
            story = story.with_section(section_id, name=f"Name {random.random()}")
        case 1:
            story = story.with_section(section_id, objective=f"{story.sections[section_id].objective} More.")
        case 2:
            story = story.with_section(story.fresh_id(), name=f"New {random.random()}")
        case 3 if len(story.sections) > 20:
            story = story.without_section(section_id)
        case 4:
            story = story.with_ways(section_id, [*story.ways(section_id), decision(f"way {random.random()}", "s1")])
        case 5:
            story = story.with_trigger(story.fresh_id("trigger"), name=f"bell {random.random()}", destination="s2")
        case _:
            story = story.starting_at(section_id)
    return replace(draft, edits=difference(_BASE, story))


def _edit_settings(random: Random, staged: Staged) -> Staged:
    if random.random() < 0.1:
        return staged.without(*staged.changes)
    member = random.choice(["temperature", "model_group_name", "backstory"])
    return staged.with_change(member, f"{random.choice(['', staged.value(member)])}{random.randrange(10)}")


def _edit_scene(random: Random, turn: Turn) -> Turn:
    things = [*turn.objects]
    match random.randrange(4):
        case 0:
            return replace(turn, text=f"{turn.text}{random.choice('abc')}")
        case 1 if things:
            things.pop(random.randrange(len(things)))
        case 2 if things:
            random.shuffle(things)
        case _:
            things.insert(random.randint(0, len(things)), Thing(name=f"Thing {random.random()}", description=""))
    return replace(turn, objects=tuple(things))


_NOTHING: Final[Mapping[str, Any]] = {
    STORY_PART: StoryDraft(character_id=CHARACTER, name="Mira", edits=difference(_BASE, _BASE)),
    SETTINGS_PART: _SETTINGS,
    SCENE_PART: Turn(character_id=CHARACTER),
}
_EDIT: Final[Mapping[str, Any]] = {STORY_PART: _edit_story, SETTINGS_PART: _edit_settings, SCENE_PART: _edit_scene}
_WRITE: Final[Mapping[str, Any]] = {
    STORY_PART: lambda draft: None if draft.empty else draft_to_wire(draft),
    SETTINGS_PART: write_staged,
    SCENE_PART: lambda turn: None if turn == _NOTHING[SCENE_PART] else turn.payload(),
}
_READ: Final[Mapping[str, Any]] = {
    STORY_PART: draft_from_wire,
    SETTINGS_PART: read_staged,
    SCENE_PART: Turn.from_payload,
}


def _keeper(session: Session, part: str) -> Keeper[Any]:
    def fail(*reasons: object) -> None:
        raise AssertionError(reasons)

    return Keeper(
        session.drafts, session.profile.place, part, write=_WRITE[part], read=_READ[part], met=fail, failed=fail
    )


def _course(part: str, seed: int) -> Iterator[tuple[str, Any]]:
    """What is done one after the other: an edit with what is staged then, or undo, or redo."""
    random, staged = Random(seed), _NOTHING[part]
    documents, position = [staged], 0
    for _ in range(EDITS):
        way = random.random()
        if way < 0.1 and position:
            position -= 1
            yield "undo", documents[position]
        elif way < 0.15 and position + 1 < len(documents):
            position += 1
            yield "redo", documents[position]
        else:
            edited = _EDIT[part](random, documents[position])
            if _WRITE[part](edited) != _WRITE[part](documents[position]):
                position += 1
                documents[position:] = [edited]
                yield "stage", edited


async def editing(session: Session, part: str, seed: str) -> None:
    """What the victim does: it notes outside of SQLite how much of it is known to be kept."""
    keeper = _keeper(session, part)
    for number, (way, staged) in enumerate(_course(part, int(seed))):
        if way == "stage":
            keeper.stage(staged, f"Edit {number}")
        else:
            assert keeper.turn(_NOTHING[part], -1 if way == "undo" else 1, lambda _: True)
        await keeper.settled()
        with drafts_path().with_name("kept.txt").open("a") as log:
            log.write(f"{number}\n")


# -- what is found -----------------------------------------------------------------------------------------------------


def _documents(part: str, seed: int, done: int) -> tuple[list[Wire], int]:
    """What undo and redo must lead to after so many of the things done, and where the last of them stopped."""
    documents: list[Wire] = [None]
    position = 0
    for number, (way, staged) in enumerate(_course(part, seed)):
        if number == done:
            break
        position += -1 if way == "undo" else 1
        if way == "stage":
            documents[position:] = [_WRITE[part](staged)]
    return documents, position


@pytest.fixture(scope="session", params=[STORY_PART, SETTINGS_PART, SCENE_PART])
def life(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Life]:
    part = request.param
    victim = Victim(tmp_path_factory.mktemp("edits") / "data", "tests.kill.test_edit_history:editing", part, "0")
    return part, victim.lives()


@pytest.mark.parametrize("seed", SEEDS)
def test_after_a_kill_every_edit_is_undone_and_redone(seed: int, life: tuple[str, Life], tmp_path: Path) -> None:
    part, length = life
    victim = Victim(tmp_path / "data", "tests.kill.test_edit_history:editing", part, str(seed))
    random = Random(seed)
    if random.random() < 0.75:
        victim.dies_at(random.randint(1, length.statements * 3 // 4))
    else:
        victim.dies_after(random.uniform(0.0, length.seconds))
    log = victim.data / "kept.txt"
    kept = len(log.read_text().splitlines()) if log.exists() else 0

    async def check() -> None:
        async with victim.session() as session:
            keeper = _keeper(session, part)
            await keeper.load()
            history = keeper.history(CHARACTER)
            # The one thing that was under way may have been kept as well.
            documents, position = next(
                found
                for found in (_documents(part, seed, kept), _documents(part, seed, kept + 1))
                if len(found[0]) == len(history.steps) + 1 and found[1] == history.position
            )
            assert same(history.document, documents[position])
            while keeper.turn(_NOTHING[part], -1, lambda _: True):
                position -= 1
                assert same(keeper.history(CHARACTER).document, documents[position])
            assert position == 0
            await keeper.settled()
        async with victim.session() as session:  # from nothing staged, in one more program
            keeper = _keeper(session, part)
            assert await keeper.load() == {}
            while keeper.turn(_NOTHING[part], 1, lambda _: True):
                position += 1
                assert same(keeper.history(CHARACTER).document, documents[position])
            assert position == len(documents) - 1
            await keeper.settled()

    asyncio.run(check())
