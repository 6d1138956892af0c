"""``chartui act --record`` and ``--replay``, on the embedded store and over HTTP: what changed, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.tui.serving import serving

from .conftest import C1, C2, Run, Scripted

Golden = Callable[[str, str], None]
SCENE = ["--actions", "Walks To,Picks Up,Strikes", "--objects", "Hammer=heavy", "--objects", "Anvil=large"]


@pytest.fixture
def recorded(run: Run, demo_ids: dict[str, str], tmp_path: Path) -> Path:
    bran, path = demo_ids["Bran Alder"], tmp_path / "forge.toml"
    first = run("act", bran, "Bran looks at the hammer.", *SCENE, "--record", str(path), "--json").value
    go_on = ["--session", first["sessionID"], "--record", str(path)]
    assert run("act", bran, "He picks it up and walks to the anvil.", *SCENE, *go_on).status == 0
    result = run("act", bran, "Bran strikes the anvil.", *SCENE, "--record", str(path))
    assert (result.status, f"{path} now has 3 turns" in result.err) == (0, True)
    return path


def test_a_recording_says_how_many_turns_it_holds(run: Run, demo_ids: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "forge.toml"
    for holds in ("1 turn", "2 turns"):
        result = run("act", demo_ids["Bran Alder"], "Bran strikes the anvil.", *SCENE, "--record", str(path))
        assert result.err.splitlines()[-1] == f"{path} now has {holds}"


def test_what_was_recorded_is_the_same_again(run: Run, recorded: Path, golden: Golden) -> None:
    result = run("act", "--replay", str(recorded))
    assert result.status == 0
    golden("act-replay.txt", result.out)
    scene = "each turn is sent with its recorded scene; use --scene FILE or --draft to send a different scene"
    assert result.err.splitlines() == [scene, *(f"turn {n} of 3: same sequence" for n in (1, 2, 3))]
    value = run("act", "--replay", str(recorded), "--json").value
    assert value["equal"] is True
    assert value["turns"][1]["sequence"] == ["Picks Up Hammer", "Walks To Anvil"]


def test_a_sequence_that_changed_is_told_step_by_step(run: Run, recorded: Path, golden: Golden) -> None:
    text = recorded.read_text(encoding="utf-8")
    recorded.write_text(
        text.replace('"Picks Up Hammer"', '"Picks Up Tongs"').replace("Strikes Anvil", "strikes  anvil")
    )
    result = run("act", "--replay", str(recorded))
    assert result.status == 1
    golden("act-replay-changed.txt", result.out)
    value = run("act", "--replay", str(recorded), "--json").value
    assert value["equal"] is False
    assert [turn["equal"] for turn in value["turns"]] == [True, False, True]
    assert value["turns"][1]["changes"] == [{"step": 1, "expected": "Picks Up Tongs", "sequence": "Picks Up Hammer"}]


def test_what_came_can_be_recorded_in_its_place(run: Run, recorded: Path) -> None:
    recorded.write_text(recorded.read_text(encoding="utf-8").replace('"Picks Up Hammer"', '"Picks Up Tongs"'))
    assert run("act", "--replay", str(recorded), "--record", str(recorded)).status == 1
    assert run("act", "--replay", str(recorded)).status == 0


def test_another_character_may_be_named(run: Run, recorded: Path, demo_ids: dict[str, str]) -> None:
    value = run("act", demo_ids["Elena Marsh"], "--replay", str(recorded), "--json").value
    assert (value["character_id"], value["equal"]) == (demo_ids["Elena Marsh"], True)
    text = recorded.read_text(encoding="utf-8").replace("character = ", "#")
    recorded.write_text(text)
    result = run("act", "--replay", str(recorded))
    assert (result.status, "does not name a character" in result.err) == (2, True)


def test_it_is_the_same_over_http(run: Run, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path / "served") as service:
        monkeypatch.setenv("CHARTUI_API_KEY", service.key)
        assert run("profiles", "add", "work", "--url", service.url, "--read-write").status == 0
        work = ["--profile", "work"]
        [bran] = run("characters", "list", "--filter", "Bran", "--json", *work).value["characters"]
        result = run("act", bran["character_id"], "--replay", str(recorded), "--json", *work)
        assert (result.status, result.value["equal"]) == (0, True)
        path = tmp_path / "over-http.toml"
        assert run("act", bran["character_id"], "Bran strikes.", *SCENE, "--record", str(path), *work).status == 0
        assert run("act", "--replay", str(path), *work).status == 0


@pytest.mark.parametrize(
    "text", ["", "[", 'format = "chartui-scene"\nversion = 1', 'format = "chartui-replay"\nversion = 1']
)
def test_a_file_that_cannot_be_read_is_told_and_nothing_is_sent(
    text: str, run: Run, scripted: Callable[..., Scripted], tmp_path: Path
) -> None:
    backend, path = scripted(get_response={}), tmp_path / "bad.toml"
    assert run("act", "--replay", str(path)).status == 2
    path.write_text(text, encoding="utf-8")
    for words in (["--replay", str(path)], [C1, "Go.", "--record", str(path)]):
        result = run("act", *words)
        assert (result.status, result.out) == (2, "")
        assert str(path) in result.err
    assert backend.calls == []


def test_what_cannot_be_recorded_is_not_sent(run: Run, scripted: Callable[..., Scripted], tmp_path: Path) -> None:
    backend, path = scripted(get_response={"sessionID": "s1", "actionSequence": "Waits"}), str(tmp_path / "x.toml")
    assert run("act", C1, "Go.", "--record", str(tmp_path / "none" / "x.toml")).status == 2
    assert "start of conversation 's9'" in run("act", C1, "Go.", "--session", "s9", "--record", path).err
    assert backend.calls == []
    assert run("act", C1, "Go.", "--record", path).status == 0
    assert f"belongs to character {C1}" in run("act", C2, "Go.", "--record", path).err
    assert len(backend.calls) == 1


def test_a_reply_that_cannot_be_recorded_is_not_lost(
    run: Run, scripted: Callable[..., Scripted], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted(get_response={"response": "Yes.", "sessionID": "s1"})

    def full(path: Path, data: bytes, *, replace: bool, folders: bool = False) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("chartui.cli.files.write_output", full)
    result = run("act", C1, "Go.", "--record", str(tmp_path / "x.toml"), "--json")
    assert (result.status, result.value["response"]) == (5, "Yes.")
    assert "sent, but not recorded" in result.error["message"]


def test_the_lock_and_a_failure_end_it(run: Run, recorded: Path, scripted: Callable[..., Scripted]) -> None:
    locked = run("--read-only", "act", "--replay", str(recorded))
    assert (locked.status, locked.out) == (2, "")
    assert "Started with --read-only: get-response is disabled." in locked.err
    scripted(get_response=ServiceError(ErrorKind.UNREACHABLE, "No answer."))
    assert run("act", "--replay", str(recorded)).status == 3


def test_a_replay_takes_no_words_of_another_turn(run: Run, recorded: Path) -> None:
    for words in (["x", "text"], ["--no-multistep"], ["--session", "s"]):
        result = run("act", *words, "--replay", str(recorded))
        assert (result.status, "cannot be combined with" in result.err) == (2, True), words
    fixed = run("act", "--fix", "--replay", str(recorded))
    assert (fixed.status, "give one with --scene" in fixed.err) == (2, True)


# -- in the present scene ----------------------------------------------------------------------------------------------


@pytest.fixture
def poorer(tmp_path: Path) -> Path:
    """The scene of the recorded turns without an action and an object, and with another description."""
    path = tmp_path / "scene.toml"
    path.write_text(
        'format = "chartui-scene"\nversion = 1\nactions = ["Walks To", "Strikes"]\n'
        'objects = [{ name = "Anvil", description = "small" }, { name = "Bell", description = "" }]\n'
    )
    return path


def test_a_scene_that_lacks_an_action_is_another_sequence(run: Run, recorded: Path, poorer: Path) -> None:
    result = run("act", "--replay", str(recorded), "--scene", str(poorer))
    assert result.status == 1
    assert "every turn is sent with the given scene instead of its recorded scene" in result.err
    assert "“Picks Up Hammer”" in result.out
    for change in (
        "scene: action “Picks Up” removed",
        "scene: object “Hammer” removed",
        "scene: object “Bell” added",
        "scene: description of the object “Anvil” changed",
    ):
        assert result.out.count(change) == 3, change
    value = run("act", "--replay", str(recorded), "--scene", str(poorer), "--json").value
    assert (value["scene"], value["equal"]) == ("given", False)
    assert "action “Picks Up” removed" in value["turns"][1]["scene_changes"]


def test_the_same_scene_is_the_same_and_the_recorded_one_stays_on_request(
    run: Run, recorded: Path, poorer: Path
) -> None:
    value = run("act", "--replay", str(recorded), *SCENE, "--json").value
    assert (value["scene"], value["equal"]) == ("given", True)
    assert [turn["scene_changes"] for turn in value["turns"]] == [[], [], []]
    value = run("act", "--replay", str(recorded), "--json").value
    assert (value["scene"], value["equal"]) == ("recorded", True)


def test_what_came_is_recorded_with_the_scene_it_came_from(run: Run, recorded: Path, poorer: Path) -> None:
    words = ["act", "--replay", str(recorded), "--scene", str(poorer)]
    assert run(*words, "--record", str(recorded)).status == 1
    assert run(*words).status == 0
    assert "scene:" not in run("act", "--replay", str(recorded)).out
