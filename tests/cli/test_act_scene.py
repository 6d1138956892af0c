"""``chartui act`` without sending: scenes in files, what is wrong with them, and the fields of the form."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from chartui.core.actions.scene_file import read_scene
from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.jsontext import Wire
from chartui.core.profiles import BUILT_IN
from chartui.core.session import open_session
from chartui.core.spec.models.actions import Person, Thing
from chartui.core.text import is_plain

from .conftest import C1, Run, Scripted
from .test_text import HOSTILE

Golden = Callable[[str, str], None]
FORGE = """\
format = "chartui-scene"
version = 1
text = "Bran picks up the hammer."
actions = ["Picks Up", "Walks To"]

[[objects]]
name = "Hammer"
description = "heavy"

[[characters]]
name = "Mira"
bio = "an apprentice"
"""
#: Something for every severity, and for what has no fix.
WRONG = ["--actions", "Picks Up,walks to,Opens Door", "--objects", "Door=leads; out", "--objects", "door="]


@pytest.fixture
def forge(tmp_path: Path) -> str:
    path = tmp_path / "forge.toml"
    path.write_text(FORGE, encoding="utf-8")
    return str(path)


def test_a_scene_is_sent_and_options_add_to_it(run: Run, scripted: Callable[..., Scripted], forge: str) -> None:
    backend = scripted(get_response={"response": "Yes."})
    assert run("act", C1, "--scene", forge).status == 0
    # The text may stand behind the options.
    extra = ["--actions", "Waits", "--objects", "Key=small", "--no-multistep"]
    assert run("act", C1, "--scene", forge, *extra, "Wait.").status == 0
    first, second = (payload for _, payload in backend.calls)
    assert (first["userText"], first["classification"]) == ("Bran picks up the hammer.", "multistep")
    assert first["actions"] == ["Picks Up", "Walks To"]
    assert first["objects"] == [{"name": "Hammer", "description": "heavy"}]
    assert first["characters"] == [{"name": "Mira", "bio": "an apprentice"}]
    assert (second["userText"], second["classification"]) == ("Wait.", "False")
    assert second["actions"] == ["Picks Up", "Walks To", "Waits"]
    assert [thing["name"] for thing in second["objects"]] == ["Hammer", "Key"]


def test_a_file_that_is_no_scene_is_told_whole(run: Run, scripted: Callable[..., Scripted], tmp_path: Path) -> None:
    backend = scripted(get_response={})
    path = tmp_path / "bad.toml"
    path.write_text(FORGE.replace('"heavy"', "1").replace("bio", "role"), encoding="utf-8")
    result = run("act", C1, "Go.", "--scene", str(path))
    assert (result.status, result.out) == (2, "")
    [first, second] = result.err.splitlines()
    assert re.fullmatch(rf"{re.escape(str(path))}:[0-9]+: objects\[0\]\.description must be text\.", first)
    assert re.match(rf"{re.escape(str(path))}:[0-9]+: Unknown key “role” in characters\[0\]", second)
    assert run("act", C1, "Go.", "--scene", str(tmp_path / "none.toml")).status == 2
    assert backend.calls == []


def test_what_is_missing_is_asked_for(run: Run, scripted: Callable[..., Scripted], forge: str) -> None:
    backend = scripted(get_response={})
    assert "which character?" in run("act", "--scene", forge).err
    assert "nothing to send" in run("act", C1, "--actions", "Waits").err
    assert "--lint and --fields cannot be combined" in run("act", C1, "--lint", "--fields").err
    assert backend.calls == []


def test_what_was_composed_on_the_screen_is_taken_up(run: Run, demo_ids: dict[str, str]) -> None:
    bran = demo_ids["Bran Alder"]
    nothing = run("act", bran, "--draft", "--fields")
    assert (nothing.status, "no draft" in nothing.err) == (2, True)
    assert run("act", "--draft", "--lint").status == 2
    assert run("act", bran, "--draft", "--scene", "x.toml", "--lint").status == 2
    turn = Turn(character_id=bran, text="Bran waits.", actions=("Waits",), multistep=False)

    async def keep(document: Wire) -> None:
        session = open_session(BUILT_IN["demo"])
        await session.drafts.save(session.profile.place, bran, SCENE_PART, document)
        await session.aclose()

    asyncio.run(keep(turn.payload()))
    value = run("act", bran, "--draft", "--fields", "--actions", "Sits", "--json").value
    assert (value["userText"], value["actions"], value["classification"]) == ("Bran waits.", "Waits,Sits", "False")
    asyncio.run(keep({"nonsense": 1}))
    unread = run("act", bran, "--draft", "--lint")
    assert (unread.status, "cannot be read" in unread.err) == (2, True)


# -- scene files ------------------------------------------------------------------------------------------------------


def test_what_is_composed_is_written_and_read_again(
    run: Run, scripted: Callable[..., Scripted], tmp_path: Path
) -> None:
    backend = scripted()
    path = tmp_path / "scene.toml"
    words = ["act", C1, "Say; “it”.", "--actions", "Opens", "--objects", "Key;=a\nb", "--characters", "Mira=x"]
    written = Turn(
        character_id="",
        text="Say; “it”.",
        actions=("Opens",),
        objects=(Thing(name="Key;", description="a\nb"),),
        people=(Person(name="Mira", bio="x"),),
    )
    assert run(*words, "--save-scene", str(path)).status == 0
    assert read_scene(path) == written
    there = run(*words, "--save-scene", str(path), "--no-multistep")
    assert (there.status, read_scene(path)) == (2, written)
    assert "--force overwrites it" in there.err
    result = run("act", "--scene", str(path), "--fix", "--save-scene", str(path), "--force", "--json")
    assert (result.status, result.value) == (0, {"file": str(path)})
    assert read_scene(path).objects[0].name == "Key,"
    assert run("act", "--save-scene", str(tmp_path / "none" / "scene.toml")).status == 2
    assert backend.calls == []


# -- what is found ----------------------------------------------------------------------------------------------------


def test_what_is_found_in_a_scene(run: Run, golden: Golden) -> None:
    result = run("act", "--lint", *WRONG)
    assert result.status == 1
    golden("act-lint.txt", result.out)
    assert result.err == "the backstory was not checked because no character was given\n"
    golden("act-lint.json", run("act", "--lint", *WRONG, "--json").out)


def test_what_can_be_put_right_is(run: Run, golden: Golden) -> None:
    result = run("act", "--lint", "--fix", *WRONG)
    assert result.status == 0
    golden("act-lint-fixed.txt", result.err + result.out)


def test_the_backstory_of_an_embedded_store_is_looked_at(run: Run, demo_ids: dict[str, str]) -> None:
    words = ["act", demo_ids["Bran Alder"], "--lint", "--actions", "Walks To,Yodels"]
    result = run(*words)
    assert (result.status, result.err) == (0, "")
    assert "“Yodels” is not in the backstory" in result.out
    assert "“Walks To”" not in result.out
    assert run(*words, "--json").value["backstory_checked"] is True
    assert run("act", "nobody", "--lint").status == 3


def test_the_backstory_on_a_service_is_what_was_last_written_from_here(
    run: Run, scripted: Callable[..., Scripted]
) -> None:
    backend = scripted(embedded=False)
    result = run("act", C1, "--lint", "--actions", "Waits")
    assert (result.status, result.out) == (0, "")
    assert result.err == "No problems.\nthe backstory was not checked because the current value is unknown\n"
    assert backend.calls == []


# -- the fields -------------------------------------------------------------------------------------------------------


def test_the_fields_are_written_and_nothing_is_sent(
    run: Run, scripted: Callable[..., Scripted], forge: str, golden: Golden
) -> None:
    backend = scripted(get_response={})
    result = run("act", C1, "--scene", forge, "--session", "s7", "--fields")
    assert (result.status, result.err) == (0, "")
    golden("act-fields.txt", result.out)
    value = run("act", C1, "--scene", forge, "--fields", "--json").value
    assert value["objects"] == '[{"name": "Hammer", "description": "heavy"}]'
    assert (value["actions"], value["sessionID"], value["voiceResponse"]) == ("Picks Up,Walks To", "-1", "false")
    refused = run("act", C1, "--scene", forge, "--objects", "a;b=c", "--fields")
    assert (refused.status, refused.out) == (2, "")
    assert backend.calls == []


def test_hostile_text_is_made_visible(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "hostile.toml")
    scene = ["--actions", HOSTILE, "--objects", f"{HOSTILE}={HOSTILE}", "--characters", f"{HOSTILE}={HOSTILE}"]
    # A text that is no character cannot be in a file.
    scene = [word.replace("\ud800", "") for word in scene]
    assert run("act", HOSTILE.replace("\ud800", ""), "--save-scene", path, *scene).status == 0
    for words in (["--lint"], ["--lint", "--json"], ["--fields", "--fix"], ["--fields", "--fix", "--json"]):
        result = run("act", *([C1] if "--fields" in words else []), "--scene", path, *words)
        assert [line for line in (result.out + result.err).split("\n") if not is_plain(line)] == []
        assert result.out or result.err
