"""``chartui characters``, the verbs that change something: what is planned, what is written, what is there after."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chartui.core.backends.base import Answer, Context
from chartui.core.jsontext import Wire, dumps
from chartui.core.plans.settings import SETTINGS_PART
from chartui.core.profiles import BUILT_IN
from chartui.core.session import open_session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation

from .conftest import C1, Result, Run, Scripted

pytestmark = pytest.mark.usefixtures("repeatable")

Golden = Callable[[str, str], None]
Install = Callable[..., Scripted]

SAID = "'chartui undo' undoes the change"


def settings_of(run: Run, character_id: str) -> dict[str, Any]:
    found: dict[str, Any] = run("call", "get-settings", "--data", dumps({"charID": character_id})).value
    return found


def transcript(result: Result) -> str:
    return f"{result.out}[{result.status}]\n{result.err}"


def test_characters_with_staged_settings_are_listed(run: Run, demo_ids: dict[str, str]) -> None:
    assert run("characters", "list", "--filter", "staged:yes").status == 1
    bran = demo_ids["Bran Alder"]

    async def keep() -> None:
        session = open_session(BUILT_IN["demo"])
        await session.drafts.save(session.profile.place, bran, SETTINGS_PART, {})
        await session.aclose()

    asyncio.run(keep())
    [listed] = run("characters", "list", "--filter", "staged:yes", "--json").value["characters"]
    assert listed["character_id"] == bran
    table = run("characters", "list", "--filter", "bran", "--csv").out
    [row] = csv.DictReader(table.splitlines())
    assert (row["id"], row["staged"]) == (bran, "true")
    rest = run("characters", "list", "--filter", "staged:no", "--json").value["characters"]
    assert len(rest) == len(demo_ids) - 1


# -- set: goldens -----------------------------------------------------------------------------------------------------

SET = {
    "set-plan": "set --where model=mdla-5.1 --model mdla-4.1 --temperature 0.25 --dry-run",
    "set-done": "set --where narrative=yes --where memory=yes --temperature 0.25 --yes",
    "set-nothing": "set --where name~marsh --model mdla-5.1 --yes",
    "set-nobody": "set --where name~nobody --temperature 1 --yes",
    "set-refused": "set --where name~marsh --model nothing-like-it --yes",
    "set-many-plan": "set --where model!=nothing --model mdla-5.1 --dry-run",
    "set-left-out-plan": "set --all --reasoning high --skip --dry-run",
    "set-partly-refused": "set {elena} {nova} --reasoning high --yes",
}


@pytest.mark.parametrize("extra", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("name", SET)
def test_setting_is_told(name: str, extra: list[str], run: Run, golden: Golden, demo_ids: dict[str, str]) -> None:
    meant = {"{elena}": demo_ids["Elena Marsh"], "{nova}": demo_ids["Nova Adeyemi"]}
    result = run("characters", *(meant.get(word, word) for word in SET[name].split()), *extra)
    golden(f"characters-{name}.{'json' if extra else 'txt'}", transcript(result))


# -- set: what is there after -----------------------------------------------------------------------------------------


def test_only_what_differs_is_sent(run: Run, elena: str) -> None:
    before = settings_of(run, elena)
    words = ["characters", "set", elena, "--model", before["model_group_name"], "--temperature", "0.10", "--dry-run"]
    plan = run(*words, "--json").value
    assert [step["payload"] for step in plan["steps"]] == [{"charID": elena, "temperature": Decimal("0.1")}]
    assert plan["steps"][0]["expected"] == {"temperature": before["temperature"]}
    assert settings_of(run, elena) == before


def test_all_four_settings_in_one_request(run: Run, elena: str, tmp_path: Path) -> None:
    story = tmp_path / "story.txt"
    story.write_text("First line.\nLast line.\n", encoding="utf-8")
    words = ["--model", "mdla-5.4", "--temperature", "1", "--reasoning", "xhigh", "--backstory", f"@{story}"]
    result = run("characters", "set", elena, *words, "--yes")
    assert result.status == 0
    assert SAID in result.err
    assert settings_of(run, elena) == {
        "character_id": elena,
        "model_group_name": "mdla-5.4",
        "temperature": 1,
        "reasoning_effort": "xhigh",
        "backstory": "First line.\nLast line.",
    }


def test_an_empty_level_clears_and_an_empty_backstory_empties(run: Run, elena: str) -> None:
    assert settings_of(run, elena)["reasoning_effort"] is not None
    assert run("characters", "set", elena, "--reasoning", "", "--backstory", "", "--yes").status == 0
    found = settings_of(run, elena)
    assert (found["reasoning_effort"], found["backstory"]) == (None, "")
    assert "No changes needed" in run("characters", "set", elena, "--reasoning", "", "--yes").err


def test_the_backstory_may_come_from_standard_input(run: Run, elena: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("Schöne\nGeschichte\n".encode())))
    assert run("characters", "set", elena, "--backstory", "-", "--yes").status == 0
    assert settings_of(run, elena)["backstory"] == "Schöne\nGeschichte"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert "not UTF-8" in run("characters", "set", elena, "--backstory", "-", "--yes").err


def test_several_are_named_and_chosen(run: Run, demo_ids: dict[str, str]) -> None:
    elena, bran = demo_ids["Elena Marsh"], demo_ids["Bran Alder"]
    plan = run("characters", "set", bran, elena, "--temperature", "0.11", "--dry-run", "--json").value
    assert [step["payload"]["charID"] for step in plan["steps"]] == [bran, elena]
    narrowed = run(
        "characters", "set", bran, elena, "--where", "name~bran", "--temperature", "0.11", "--dry-run", "--json"
    )
    assert [step["subject"] for step in narrowed.value["steps"]] == ["Bran Alder"]
    assert narrowed.value["steps"][0]["reason"] == "name~bran"
    everybody = run("characters", "set", "--all", "--temperature", "0.11", "--dry-run", "--json").value
    assert len(everybody["steps"]) == len(demo_ids)
    assert everybody["independent"] is True


def test_a_store_knows_levels_and_backstories_to_choose_by(run: Run, demo_ids: dict[str, str]) -> None:
    levels = {name: settings_of(run, character_id)["reasoning_effort"] for name, character_id in demo_ids.items()}
    wanted = {name for name, level in levels.items() if level == "medium"}
    words = ["characters", "set", "--where", "reasoning=medium", "--temperature", "0.11", "--dry-run", "--json"]
    assert {step["subject"] for step in run(*words).value["steps"]} == wanted != set()
    assert run("characters", "set", "--where", "backstory~qqqqq", "--temperature", "0.11", "--yes").status == 1


def test_another_model_takes_the_level_along_only_where_it_is_accepted(run: Run, elena: str) -> None:
    words = ["characters", "set", elena, "--model", "mdla-4.1", "--dry-run", "--json"]
    step = run(*words).value["steps"][0]
    assert (
        step["changes"][0]["note"] == "mdla-4.1 does not support the reasoning level “medium”, so the level is cleared."
    )
    assert step["expected"] == {"model_group_name": "mdla-5.1", "reasoning_effort": "medium"}
    kept = run("characters", "set", elena, "--model", "mdla-5.4", "--dry-run", "--json").value["steps"][0]
    assert kept["changes"][0]["note"] == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--temperature 1", "no characters given: give names or IDs, or choose"),
        ("--all", "nothing to change: give --model"),
        ("--all --where name=x --temperature 1", "--all cannot be combined"),
        ("ID --all --temperature 1", "--all cannot be combined"),
        ("--where name --temperature 1", "'name' is not a condition"),
        ("--where modle=x --temperature 1", "Did you mean “model”?"),
        ("--all --temperature 1.5", "'1.5' is not a number from 0 to 1"),
        ("--all --temperature warm", "'warm' is not a number from 0 to 1"),
        ("--all --temperature NaN", "'NaN' is not a number from 0 to 1"),
        ("--all --reasoning high", "mdla-4o does not support “high”"),
        ("--all --backstory @nowhere.txt", "nowhere.txt cannot be read"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_sent(
    words: str, said: str, run: Run, demo_ids: dict[str, str]
) -> None:
    before = run("characters", "list", "--json").out
    result = run("characters", "set", *words.split(), "--yes")
    assert (result.status, result.out) == (2, "")
    assert said in result.err
    assert run("characters", "list", "--json").out == before


def test_one_that_is_not_there_stops_all(run: Run, elena: str) -> None:
    before = settings_of(run, elena)
    result = run("characters", "set", elena, "nobody", "--temperature", "0.11", "--yes", "--json")
    assert (result.status, result.out, result.error["code"]) == (3, "", "not_found")
    assert settings_of(run, elena) == before


def test_those_who_would_be_refused_are_left_out_when_that_is_asked_for(run: Run, demo_ids: dict[str, str]) -> None:
    words = ["characters", "set", "--where", "model!=crew-trainer-8b", "--reasoning", "high", "--yes"]
    refused = run(*words)
    assert refused.status == 2
    assert "1 character cannot be given these settings: Avery Cole. mdla-4o does not support" in refused.err
    assert "--skip" in refused.err
    result = run(*words, "--skip", "--json")
    assert result.status == 0
    assert 0 < len(result.value["steps"]) < len(demo_ids)
    levels = [settings_of(run, character_id)["reasoning_effort"] for character_id in demo_ids.values()]
    assert levels.count("high") >= len(result.value["steps"])


# -- set, on a service over HTTP --------------------------------------------------------------------------------------


def service(install: Install, **answers: Wire | BaseException) -> Scripted:
    """A service with two characters, which tells neither levels nor backstories (decision 25)."""
    records = [
        {"character_id": name, "character_name": name.upper(), "personalised_prompt_config": {"MODEL": model}}
        for name, model in (("a", "m1"), ("b", "m2"))
    ]
    models = [{"model_group_name": "m1", "reasoning": {"levels": ["low"], "supports_auto": True}}]
    given: dict[str, Any] = {
        "list_characters": {"characters": records},
        "list_models": models,
        "estimate": ServiceError(ErrorKind.UNREACHABLE, "No answer.", sent="no"),
        "update_character": {"STATUS": "SUCCESS"},
    }
    return install(embedded=False, **{**given, **answers})


def sent(backend: Scripted) -> list[Any]:
    return [payload for name, payload in backend.calls if name == "update-character"]


def test_a_service_is_told_what_it_does_not_tell(run: Run, scripted: Install) -> None:
    backend = service(scripted)
    result = run("characters", "set", "--all", "--backstory", "Once.", "--yes", "--json")
    assert result.status == 0
    assert sent(backend) == [{"charID": "a", "backstory": "Once."}, {"charID": "b", "backstory": "Once."}]
    assert result.value["read_at"] is not None
    plan = run("characters", "set", "a", "--backstory", "Once.", "--dry-run", "--json").value
    assert (plan["steps"][0]["expected"], plan["steps"][0]["changes"][0]["known"]) == (None, False)
    told = run("characters", "set", "a", "--backstory", "Once more.", "--yes").err
    assert re.search(
        r"Values were read at \d\d:\d\d:\d\d UTC\. Later changes by others would not have been noticed", told
    )


def test_what_a_service_does_not_report_is_said_to_be_final(run: Run, scripted: Install) -> None:
    service(scripted)
    words = ["characters", "set", "a", "--backstory", "Once.", "--model", "m2", "--dry-run"]
    changes = run(*words, "--json").value["steps"][0]["changes"]
    assert {change["label"]: change["known"] for change in changes} == {"model": True, "backstory": False}
    told = run(*words).out
    assert told.count("This change cannot be undone, because the service does not report the earlier value.") == 1


def test_a_service_cannot_be_asked_by_what_it_does_not_tell(run: Run, scripted: Install) -> None:
    backend = service(scripted)
    result = run("characters", "set", "--where", "reasoning=low", "--temperature", "1", "--yes")
    assert (result.status, sent(backend)) == (2, [])
    assert "only an embedded store reports this field" in result.err


def test_levels_are_judged_by_what_the_service_says(run: Run, scripted: Install) -> None:
    backend = service(scripted)
    assert run("characters", "set", "a", "--reasoning", "low", "--yes").status == 0
    assert sent(backend) == [{"charID": "a", "reasoning_effort": "low"}]
    refused = run("characters", "set", "a", "--reasoning", "high", "--yes")
    assert refused.status == 2
    assert "m1 does not support “high”; it supports low, auto" in refused.err
    # Nothing is known of the model of b, so the service decides.
    assert run("characters", "set", "b", "--reasoning", "high", "--yes").status == 0


def test_without_the_tier_for_it_the_catalogue_stands_in(run: Run, scripted: Install) -> None:
    service(scripted, list_models=ServiceError(ErrorKind.TIER, "Not for you.", status=403))
    known, unknown = (
        run("characters", "set", "a", "--model", model, "--dry-run", "--json").value["steps"][0]["changes"][0]["note"]
        for model in ("mdla-4.1", "m7")
    )
    assert "mdla-4.1 does not support" in known
    assert "Unknown model m7" in unknown


def test_without_an_answer_about_costs_the_plan_says_so(run: Run, scripted: Install) -> None:
    service(scripted)
    plan = run("characters", "set", "a", "--model", "mdla-4.1", "--dry-run", "--json").value
    assert plan["notes"][-1] == "The new cost per interaction is unknown: No answer."
    assert plan["steps"][0]["effects"] == []
    result = run("characters", "set", "a", "--model", "mdla-4.1", "--yes")
    assert (result.status, "Applied: " in result.err) == (1, True)  # done, and not stored by this service


@pytest.mark.parametrize(
    ("there", "status", "said"), [("0.5", 0, "Confirmed as sent: temperature."), ("0.9", 1, "temperature is 0.9.")]
)
def test_what_a_service_gives_back_is_read_and_what_it_does_not_is_said(
    there: str, status: int, said: str, run: Run, scripted: Install
) -> None:
    backend = service(scripted)
    performed = backend.perform

    async def perform(operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        answer = await performed(operation, payload, context)
        if operation.name == "update-character":
            record = {"character_id": "a", "personalised_prompt_config": {"MODEL": "m1", "TEMPERATURE": Decimal(there)}}
            backend.answers = {**backend.answers, "list-characters": {"characters": [record]}}
        return answer

    backend.perform = perform  # type: ignore[method-assign]
    result = run("characters", "set", "a", "--temperature", "0.5", "--reasoning", "low", "--yes")
    assert result.status == status
    assert said in result.err
    assert "Not reported by the service, so not confirmed: reasoning level." in result.err


def test_what_concerns_all_stops_all(run: Run, scripted: Install) -> None:
    lost = ServiceError(ErrorKind.UNREACHABLE, "No answer.", sent="no")
    service(scripted, update_character=lost)
    result = run("characters", "set", "--all", "--temperature", "1", "--yes", "--json")
    assert result.status == 3
    assert [step["state"] for step in result.value["steps"]] == ["failed", "not tried"]


def test_one_refusal_does_not_stop_the_others(run: Run, scripted: Install) -> None:
    service(scripted, update_character=ServiceError(ErrorKind.INVALID, "No.", status=400))
    result = run("characters", "set", "--all", "--temperature", "1", "--yes", "--json")
    assert (result.status, [step["state"] for step in result.value["steps"]]) == (3, ["failed", "failed"])


# -- create, duplicate, rename, delete --------------------------------------------------------------------------------

ONE = {
    "create-plan": 'create Mara --backstory Once --record {"language_code":"de-DE"} --dry-run',
    "create": "create Mara --yes",
    "duplicate": "duplicate {elena} --yes",
    "rename": "rename {elena} Ellen --yes",
    "rename-same": "rename {camille} {Camille} --yes",
    "delete-plan": "delete {elena} {camille} --dry-run",
    "delete": "delete {camille} --yes",
}


@pytest.mark.parametrize("extra", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("name", ONE)
def test_one_character_is_changed(
    name: str, extra: list[str], run: Run, golden: Golden, demo_ids: dict[str, str]
) -> None:
    meant = {
        "{elena}": demo_ids["Elena Marsh"],
        "{camille}": demo_ids["Camille Rousseau"],
        "{Camille}": "Camille Rousseau",
    }
    words = [meant.get(word, word) for word in ONE[name].split()]
    golden(f"characters-{name}.{'json' if extra else 'txt'}", transcript(run("characters", *words, *extra)))


def test_a_character_is_made_with_all_that_is_given(run: Run, tmp_path: Path, demo_ids: dict[str, str]) -> None:
    record = tmp_path / "record.json"
    record.write_text('{"language_code": "de-DE", "memory_settings": {"enabled": true}}', encoding="utf-8")
    result = run("characters", "create", "Mara", "--backstory", "Once.", "--record", f"@{record}", "--yes")
    made = result.out.strip()
    assert (result.status, made not in demo_ids.values()) == (0, True)
    shown = run("characters", "show", made, "--json").value
    assert (shown["character_name"], shown["language_code"]) == ("Mara", "de-DE")
    assert shown["memory_settings"] == {"enabled": True}
    assert settings_of(run, made)["backstory"] == "Once."


def test_a_copy_has_the_graph(run: Run, elena: str) -> None:
    made = run("characters", "duplicate", elena, "Twin", "--yes", "--json").value["character_id"]
    original, twin = (run("narrative", "show", one, "--json").value for one in (elena, made))
    assert len(twin["sections"]) == len(original["sections"]) > 0
    assert run("characters", "show", made, "--json").value["character_name"] == "Twin"


def test_what_was_deleted_is_gone_with_its_graph(run: Run, demo_ids: dict[str, str]) -> None:
    elena = demo_ids["Elena Marsh"]
    assert run("characters", "delete", elena, elena, "--yes").status == 0
    assert run("characters", "show", elena).status == 3
    assert run("narrative", "show", elena).status == 3
    assert len(run("characters", "list", "--json").value["characters"]) == len(demo_ids) - 1


@pytest.mark.parametrize(
    "words",
    [
        "create Mara",
        f"duplicate {C1}",
        f"rename {C1} Other",
        f"delete {C1}",
        f"delete {C1} --dry-run",
        "create Mara --dry-run",
    ],
)
def test_a_service_has_no_operation_for_it(words: str, run: Run, scripted: Install) -> None:
    backend = service(scripted)
    result = run("characters", *words.split(), "--yes", "--json")
    assert (result.status, result.out, result.error["code"]) == (2, "", "not_available")
    assert "Nothing was sent." in result.error["message"]
    assert backend.calls == []


@pytest.mark.parametrize("given", ["[]", "{", '"x"', "@nowhere.json"])
def test_a_record_that_is_none_is_refused(given: str, run: Run) -> None:
    result = run("characters", "create", "Mara", "--record", given, "--yes")
    assert (result.status, result.out) == (2, "")
    assert "--record" in result.err


def test_one_standard_input_is_not_read_twice(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    result = run("characters", "create", "Mara", "--backstory", "-", "--record", "-", "--yes")
    assert (result.status, result.out) == (2, "")
    assert "--backstory and --record cannot both read standard input" in result.err


def test_characters_are_deleted_by_what_their_records_hold(run: Run, demo_ids: dict[str, str]) -> None:
    everybody = set(demo_ids.values())
    narrated = {
        c["character_id"] for c in run("characters", "list", "--json").value["characters"] if c["is_narrative_driven"]
    }
    assert 0 < len(narrated) < len(everybody)
    plan = run("characters", "delete", "--where", "narrative=yes", "--dry-run", "--json").value
    assert {step["payload"]["charID"] for step in plan["steps"]} == narrated
    assert {step["reason"] for step in plan["steps"]} == {"narrative=yes"}
    assert run("characters", "delete", "--where", "narrative=yes", "--yes").status == 0
    assert run("characters", "delete", "--where", "narrative=yes", "--yes").status == 1
    assert run("undo", "--yes").status == 0
    assert {c["character_id"] for c in run("characters", "list", "--json").value["characters"]} == everybody


def test_nobody_is_deleted_without_being_chosen(run: Run) -> None:
    result = run("characters", "delete", "--yes")
    assert result.status == 2
    assert "--all" not in result.err
    assert run("characters", "delete", "--all", "--yes").status == 2
