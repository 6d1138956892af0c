"""``chartui characters compare`` and ``seen``: what differs, and what changed since one looked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from chartui.core.jsontext import dumps
from chartui.core.profiles import BUILT_IN
from chartui.core.service import Service
from chartui.core.session import open_session
from chartui.core.spec.operations import operation

from .conftest import Result, Run

Golden = Callable[[str, str], None]


def transcript(result: Result) -> str:
    return f"{result.out}[{result.status}]\n{result.err}"


@pytest.fixture
def copy(run: Run, elena: str, repeatable: None) -> str:
    made = run("characters", "duplicate", elena, "--yes").out.strip()
    assert run("characters", "set", made, "--model", "mdla-4.1", "--temperature", "0.05", "--yes").status == 0
    story = "First the same.\nThen a line that ends otherwise.\n"
    assert run("characters", "set", made, "--backstory", story, "--yes").status == 0
    assert run("characters", "set", elena, "--backstory", story.replace("otherwise", "so"), "--yes").status == 0
    return made


# -- compare ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("extra", [[], ["--all"], ["--json"], ["--csv"], ["--markdown"]], ids=lambda e: "".join(e)[2:])
def test_two_characters_are_compared(extra: list[str], run: Run, golden: Golden, elena: str, copy: str) -> None:
    result = run("characters", "compare", elena, copy, *extra)
    assert result.status == 1
    golden(f"characters-compare{''.join(extra)[1:]}.txt", transcript(result))


def test_a_copy_under_the_same_name_is_no_other(run: Run, demo_ids: dict[str, str], elena: str) -> None:
    copy = run("characters", "duplicate", elena, "Elena Marsh", "--yes").out.strip()
    result = run("characters", "compare", elena, copy)
    told = f"Elena Marsh …{elena[-6:]} and Elena Marsh …{copy[-6:]}"
    assert (result.status, result.out, result.err) == (0, "", f"{told}: no differences\n")
    every = run("characters", "compare", elena, copy, "--all", "--json").value
    apart = {member["path"] for member in every["members"] if member["verdict"] == "apart"}
    nature = {"character_id", "start_narrative_section_id", "timestamp", "last_interacted_with"}
    assert {"character_id"} <= apart <= nature
    assert every["equal"] is True


@pytest.mark.parametrize("words", [[], ["{elena}"], ["--other-profile", "demo"]], ids=["alone", "itself", "same place"])
def test_a_character_is_not_compared_with_itself(words: list[str], run: Run, elena: str) -> None:
    result = run("characters", "compare", elena, *(word.replace("{elena}", elena) for word in words))
    assert (result.status, "give another character" in result.err) == (2, True)


def test_what_is_not_there_cannot_be_compared(run: Run, elena: str) -> None:
    assert run("characters", "compare", elena, "nobody").status == 3
    assert run("characters", "compare", elena, "--other-profile", "nowhere").status == 2
    there = run("characters", "compare", elena, "--other-profile", "local", "--json")
    assert (there.status, there.error["code"]) == (3, "not_found")


def test_one_character_on_two_profiles(run: Run, elena: str) -> None:
    """The same record under the same id in one's own store, with one member changed."""
    snapshot = run("call", "snapshot-character", "--data", dumps({"charID": elena})).value
    snapshot["record"]["language_code"] = "fr-FR"
    data = dumps({"snapshot": snapshot})
    assert run("--profile", "local", "call", "restore-character", "--data", data, "--yes").status == 0
    result = run("characters", "compare", elena, "--other-profile", "local", "--json")
    assert result.status == 1
    assert result.value["right"] == {"profile": "local", "character_id": elena}
    assert [member["path"] for member in result.value["members"]] == ["language_code"]
    told = run("characters", "compare", elena, "--other-profile", "local")
    assert "Elena Marsh on demo and Elena Marsh on local: 1 difference" in told.err


def test_stories_that_differ_are_a_difference(run: Run, elena: str) -> None:
    """A copy with other sections, decisions and triggers is not equal."""
    copy = run("characters", "duplicate", elena, "Elena Marsh", "--yes").out.strip()
    equal = run("characters", "compare", elena, copy, "--all", "--json").value
    assert (equal["equal"], equal["story"]) == (True, "same")
    sections = run("narrative", "sections", "list", copy, "--json").value
    change = ("narrative", "sections")
    assert run(*change, "edit", copy, sections[0]["section_id"], "--objective", "New.", "--yes").status == 0
    assert run(*change, "create", copy, "Only here", "A.", "--yes").status == 0
    result = run("characters", "compare", elena, copy, "--json")
    assert (result.status, result.value["equal"], result.value["story"]) == (1, False, "different")
    (found,) = result.value["members"]
    assert (found["path"], found["verdict"]) == ("story.sections", "different")
    assert found["left"] == {"count": len(sections), "only_here": 0, "different": 1}
    assert found["right"] == {"count": len(sections) + 1, "only_here": 1, "different": 1}
    told = run("characters", "compare", elena, copy).err
    assert f"chartui --profile demo pull {elena} story.toml\nchartui --profile demo diff story.toml {copy}\n" in told


# -- seen -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(elena: str) -> Callable[..., None]:
    """Changes Elena in the store, past the journal of this machine."""

    async def change(**members: str) -> None:
        session = open_session(BUILT_IN["demo"])
        payload = {"charID": elena, **members}
        await Service(session.recorder, embedded=True).call(operation("update-character"), payload)
        await session.aclose()

    return lambda **members: asyncio.run(change(**members))


def test_what_changed_since_one_looked(run: Run, elena: str, elsewhere: Callable[..., None]) -> None:
    assert "not seen before" in run("characters", "seen", elena).err
    assert run("characters", "seen", elena, "--remember", "--read-only").status == 0
    unchanged = run("characters", "seen", elena)
    assert (unchanged.status, "no changes since then. Changes to the story" in unchanged.err) == (
        0,
        True,
    )
    elsewhere(model_group_name="mdla-4.1", backstory="Another.")
    for _ in range(2):  # looking from the command line takes nothing for seen
        result = run("characters", "seen", elena)
        assert result.status == 1
        assert "; 3 changes since" in result.err
    rows = [line.split() for line in result.out.splitlines()]
    assert ["Model", "personalised_prompt_config.MODEL", "mdla-5.1"] in rows
    assert ["Backstory", "backstory", "not", "stored"] in rows
    changed = run("characters", "seen", elena, "--json").value["changes"]
    model = next(change for change in changed if change["path"] == "personalised_prompt_config.MODEL")
    assert model == {"path": "personalised_prompt_config.MODEL", "existed": True, "exists": True, "before": "mdla-5.1"}
    assert run("characters", "seen", elena, "--remember").status == 1
    assert run("characters", "seen", elena).status == 0


def test_what_was_changed_from_here_is_no_news(run: Run, elena: str) -> None:
    run("characters", "seen", elena, "--remember")
    assert run("characters", "set", elena, "--temperature", "0.11", "--yes").status == 0
    result = run("characters", "seen", elena)
    assert (result.status, result.out, "no changes since" in result.err) == (0, "", True)


def test_what_is_remembered_is_listed_and_forgotten(run: Run, elena: str, demo_ids: dict[str, str]) -> None:
    nova = demo_ids["Nova Adeyemi"]
    for one in (elena, nova):
        run("characters", "seen", one, "--remember")
    assert [one["character_id"] for one in run("characters", "seen", "--json").value["characters"]] == [nova, elena]
    assert run("--profile", "local", "characters", "seen", "--json").value == {"characters": []}
    assert run("characters", "seen", elena, "--forget").err == "1 character forgotten\n"
    assert "Nova Adeyemi" in run("characters", "seen").out
    assert run("characters", "seen", "--forget", "--json").value == {"forgotten": 1}
    assert run("characters", "seen").out == ""


def test_remembering_needs_a_character(run: Run) -> None:
    assert run("characters", "seen", "--remember").status == 2
