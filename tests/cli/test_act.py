"""``chartui act``: one turn with a character, from its options to the reply."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from chartui.core.jsontext import Wire
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.profiles_file import change_profiles
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import is_plain

from .conftest import C1, Result, Run, Scripted
from .test_text import HOSTILE

Golden = Callable[[str, str], None]
SCENE = ["--actions", "Walks To, Picks Up", "--actions", "Strikes", "--objects", "Hammer=heavy"]
SCENE += ["--objects", "Sword 1=long, a = b", "--characters", "Mira=an apprentice"]
SAID = "Bran picks up the hammer, walks to Mira, and strikes sword 1."


@pytest.fixture
def bran(run: Run) -> str:
    found: str = run("characters", "list", "--filter", "Bran", "--json").value["characters"][0]["character_id"]
    return found


def without_session(result: Result) -> str:
    lines = result.out.splitlines()
    assert lines[-1].startswith("session  ")
    return "\n".join([*lines[:-1], "session  …", ""])


def test_a_reply_with_its_steps(run: Run, golden: Golden, bran: str) -> None:
    result = run("act", bran, SAID, *SCENE)
    assert result.status == 0
    golden("act.txt", without_session(result))
    golden("act-notice.txt", result.err)


def test_words_without_steps(run: Run, golden: Golden, bran: str) -> None:
    golden("act-words.txt", without_session(run("act", bran, SAID, *SCENE, "--no-multistep")))


def test_what_was_not_declared_is_remarked_on(run: Run, golden: Golden, scripted: Callable[..., Scripted]) -> None:
    sequence = "Picks Up Hamer\r\nWalk To Mira\nSings\n\nStrikes Sword 1"
    scripted(get_response={"response": "As you wish.", "sessionID": "s1", "actionSequence": sequence})
    golden("act-undeclared.txt", run("act", C1, "go", *SCENE).out)


def test_every_option_is_sent(run: Run, scripted: Callable[..., Scripted]) -> None:
    backend = scripted(get_response={"response": "Yes."})
    assert run("act", C1, SAID, *SCENE, "--session", "s7").status == 0
    assert run("act", C1, "Hello", "--no-multistep").status == 0
    first, second = (payload for _, payload in backend.calls)
    assert first == {
        "userText": SAID,
        "charID": C1,
        "sessionID": "s7",
        "voiceResponse": False,
        "actions": ["Walks To", "Picks Up", "Strikes"],
        "classification": "multistep",
        "objects": [{"name": "Hammer", "description": "heavy"}, {"name": "Sword 1", "description": "long, a = b"}],
        "characters": [{"name": "Mira", "bio": "an apprentice"}],
    }
    assert (second["sessionID"], second["classification"], second["actions"]) == ("-1", "False", [])


def test_a_session_goes_on(run: Run, bran: str) -> None:
    first = run("act", bran, "Look at the hammer.", *SCENE, "--json").value
    second = run("act", bran, "Bran picks up it.", *SCENE, "--session", first["sessionID"], "--json").value
    assert second["actionSequence"] == "Picks Up Hammer"
    assert second["sessionID"] == first["sessionID"]
    unknown = run("act", bran, "Hello", "--session", "nowhere")
    assert (unknown.status, unknown.out) == (3, "")
    assert "'nowhere'" in unknown.err


def test_the_json_is_the_service_s_own(run: Run, scripted: Callable[..., Scripted]) -> None:
    answer: dict[str, Wire] = {"text": "a", "response": "b", "actionSequence": "x", "sessionID": "s", "audio": None}
    scripted(get_response=answer)
    result = run("act", C1, "go", "--json")
    assert (result.value, result.err) == (answer, "")


def test_the_cost_of_a_turn_is_that_of_its_character_in_its_scene(run: Run, bran: str) -> None:
    words = ("act", bran, SAID, *SCENE, "--cost")
    found = run(*words, "--json").value
    assert found["reply"]["charID"] == bran
    cost = found["cost"]
    assert (cost["estimated"], cost["billed"], cost["at_least"]) == (True, False, False)
    parts = {part["text"]: part["characters"] for part in cost["input_tokens"]["parts"]}
    assert parts["scene"] == sum(map(len, ("Walks To", "Picks Up", "Strikes", "Hammer", "heavy", "Sword 1"))) + len(
        "long, a = bMiraan apprentice"
    )
    tokens = str(cost["input_tokens"]["number"])
    priced = run("estimate", "--character", bran, "--input-tokens", tokens, "--json").value["estimates"]
    assert cost["credits"]["max"] == max(one["totals"]["credits"] for one in priced)
    assert "\ncost     free with the local planner, about " in run(*words).out


def test_the_cost_of_a_turn_is_unknown_without_the_service_rates(run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(
        embedded=False,
        get_response={"response": "Yes."},
        list_characters={"characters": [{"character_id": C1, "personalised_prompt_config": {"MODEL": "mdla-4o"}}]},
        list_models=ServiceError(ErrorKind.TIER, "A professional account is needed.", status=403),
    )
    far = Profile(name="far", kind=ProfileKind.REMOTE, base_url="http://127.0.0.1", read_only=False)
    change_profiles(lambda known: known.adding(far))
    assert run("act", C1, "go", "--profile", "far", "--cost").out.endswith("cost     unknown\n")


def test_the_text_may_come_from_standard_input(
    run: Run, scripted: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = scripted(get_response={})
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("Geh.\nUnd öffne.\n".encode())))
    assert run("act", C1, "-").status == 0
    assert backend.calls[0][1]["userText"] == "Geh.\nUnd öffne."
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert run("act", C1, "-").status == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--objects", "a;b=c"], "objects[0].name"),
        (["--objects", "a=b", "--objects", "c=d;e"], "objects[1].description"),
        (["--objects", "=b"], "'=b' has no name"),
        (["--characters", " =b"], "has no name"),
        (["--actions", "a\nb"], "line break"),
    ],
)
def test_what_cannot_be_sent_is_not_sent(
    words: list[str], said: str, run: Run, scripted: Callable[..., Scripted]
) -> None:
    backend = scripted(get_response={})
    result = run("act", C1, "go", *words)
    assert (result.status, result.out) == (2, "")
    assert said in result.err
    assert backend.calls == []


def test_read_only_refuses_it(run: Run, bran: str) -> None:
    result = run("--read-only", "act", bran, SAID, *SCENE)
    assert (result.status, result.out) == (2, "")
    assert "Started with --read-only: get-response is disabled." in result.err


def test_a_doubtful_end_is_told(run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(get_response=ServiceError(ErrorKind.TIMEOUT, "No answer; it may still have taken effect.", sent="unclear"))
    result = run("act", C1, "go", "--json")
    assert (result.status, result.error["retryable"]) == (3, False)


def test_hostile_text_is_made_visible(run: Run, scripted: Callable[..., Scripted]) -> None:
    body = {"response": HOSTILE, "text": HOSTILE, "sessionID": HOSTILE, "actionSequence": f"Go {HOSTILE}\n{HOSTILE}"}
    scripted(get_response=body)
    for extra in ([], ["--json"]):
        result = run("act", C1, HOSTILE, "--actions", "Go", "--objects", f"{HOSTILE.replace(';', '')}=x", *extra)
        assert result.status == 0
        assert [line for line in (result.out + result.err).split("\n") if not is_plain(line)] == []
