"""``chartui pull``, ``diff`` and ``push``: a character as a file, between any two profiles."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.bundle.files import load
from chartui.core.jsontext import Wire
from chartui.core.plans.plan import from_wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import is_plain

from .conftest import Run, Scripted
from .test_text import HOSTILE

Install = Callable[..., Scripted]
LOCAL = ("--profile", "local")


@pytest.fixture
def file(run: Run, bran: str, tmp_path: Path) -> Path:
    path = tmp_path / "bran.toml"
    assert run("pull", bran, str(path)).status == 0
    return path


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def test_from_one_profile_to_another_and_on(run: Run, bran: str, file: Path) -> None:
    before = file.read_text(encoding="utf-8")
    for _ in range(2):
        pushed = run(*LOCAL, "push", str(file), "--create", "--yes")
        assert pushed.status == 0, pushed.err
        assert file.read_text(encoding="utf-8") == before
    assert pushed.err == "No changes needed. Nothing was sent.\n"
    [made] = run(*LOCAL, "characters", "list", "--json").value["characters"]
    assert load(file).bundle.known_as("local") == (made["character_id"],)
    for words in (LOCAL, ()):
        result = run(*words, "diff", str(file))
        assert (result.status, result.out, result.err) == (0, "", "no differences\n")

    edit(file, "temperature = 0.8", "temperature = 0.25  # calmer")
    edit(file, 'when = "The player yields"', 'when = "The player gives in"')
    result = run(*LOCAL, "diff", str(file))
    assert result.status == 1
    assert result.out.splitlines() == [
        "character",
        "  temperature",
        "    - 0.8",
        "    + 0.25",
        "section stand-off  “Stand-off”",
        "  decisions",
        "    - The player yields → at-the-forge-door (priority 1)",
        "    + The player gives in → at-the-forge-door (priority 1)",
        "      … 1 line unchanged",
    ]
    assert result.err == "2 differences\n"
    told = run(*LOCAL, "push", str(file), "--yes", "--json").value
    assert (told["state"], told["done"], told["differences"], told["skipped"]) == ("done", 2, [], [])
    assert told["character_id"] == made["character_id"]
    assert run(*LOCAL, "diff", str(file), "--json").value["equal"] is True
    # The first profile has not heard of it.
    there = run("diff", str(file), bran, "--json")
    assert (there.status, [one["member"] for one in there.value["differences"]]) == (1, ["temperature", "decisions"])
    assert run("pull", bran, str(file), "--force").status == 0
    assert "temperature = 0.8  # calmer" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("before", "after"), [("temperature = 0.8", "temperature = 6"), ('model = "', 'model = "none-')]
)
def test_what_a_push_leaves_out_is_status_1_as_it_is_of_diff(run: Run, file: Path, before: str, after: str) -> None:
    edit(file, before, after)
    assert run("diff", str(file)).status == 1
    for _ in range(2):
        result = run("push", str(file), "--yes")
        assert (result.status, result.err.splitlines()[0]) == (1, "Nothing was sent.")
        assert "Skipped: " in result.err
    told = run("push", str(file), "--yes", "--json")
    assert (told.status, len(told.value["skipped"])) == (1, 1)


def test_a_character_that_is_gone_is_made_anew_where_that_is_asked_for(run: Run, file: Path) -> None:
    first = run(*LOCAL, "push", str(file), "--create", "--yes", "--json").value["character_id"]
    assert run(*LOCAL, "characters", "delete", first, "--yes").status == 0
    assert run(*LOCAL, "push", str(file), "--yes").status == 3
    second = run(*LOCAL, "push", str(file), "--create", "--yes", "--json").value["character_id"]
    assert load(file).bundle.known_as("local") == (second,)
    assert run(*LOCAL, "undo", "--yes").status == 0
    assert run(*LOCAL, "characters", "list", "--json").value["characters"] == []


def test_what_is_pulled_is_shown_or_written(run: Run, bran: str, file: Path) -> None:
    shown = run("pull", bran)
    assert (shown.status, shown.err) == (0, "")
    assert shown.out == file.read_text(encoding="utf-8") == run("pull", bran, "-").out
    told = run("pull", bran, "--json").value
    assert (told["character_id"], told["file"], told["notes"]) == (bran, None, [])
    assert told["bundle"]["sections"]["stand-off"]["name"] == "Stand-off"
    again = run("pull", bran, str(file))
    assert (again.status, "--force" in again.err) == (2, True)
    file.write_text("other = 1\n", encoding="utf-8")
    assert run("pull", bran, str(file), "--force").status == 2
    assert file.read_text(encoding="utf-8") == "other = 1\n"
    assert run("pull", bran, str(file.parent / "nowhere" / "a.toml")).status == 2
    assert run("pull", "nobody", "--json").error["code"] == "not_found"


def test_a_large_story_in_a_single_file_is_told_of_folders(run: Run, elena: str, bran: str, tmp_path: Path) -> None:
    advice = "To get one file per section instead, pull into a folder: end its name with /, as in elena/."
    assert advice in run("pull", elena, str(tmp_path / "elena.toml")).err
    for more in ([elena, str(tmp_path / "elena.toml"), "--force"], [elena, f"{tmp_path}/folder/"]):
        assert "end its name" not in run("pull", *more).err
    assert "end its name" not in run("pull", bran, str(tmp_path / "small.toml")).err


def test_a_difference_shows_what_it_does_to_the_cost(
    run: Run, bran: str, file: Path, golden: Callable[[str, str], None]
) -> None:
    edit(file, "temperature = 0.8", "temperature = 0.25")
    assert run("diff", str(file), "--json").value["effects"] == []
    edit(file, 'model = "mdlc-3.5-flash"', 'model = "mdlc-2.5-flash-lite"')
    shown = run("diff", str(file))
    assert (shown.status, shown.err) == (1, "2 differences\n")
    cost = shown.out.splitlines()[shown.out.splitlines().index("cost") :]
    reviewed = run("characters", "set", bran, "--model", "mdlc-2.5-flash-lite", "--dry-run").out
    assert [line.strip() for line in cost[1:]] == [
        line.strip() for line in reviewed.splitlines() if line.strip().startswith(("per inter", "With", "end to end"))
    ]
    assert cost[1].startswith("  per interaction  8.169 → ")
    as_json = run("diff", str(file), "--json")
    golden("diff.json", as_json.out.replace(bran, "c1"))
    [credits_, latency] = as_json.value["effects"]
    assert (credits_["unit"], credits_["before"][0], latency["unit"]) == ("credits", Decimal("8.16905"), "ms")
    planned = from_wire(run("push", str(file), "--dry-run", "--json").value)
    [step] = planned.steps
    assert [effect.after for effect in step.effects] == [tuple(credits_["after"]), tuple(latency["after"])]
    assert cost[1].strip() in run("push", str(file), "--dry-run").out
    made = run(*LOCAL, "push", str(file), "--create", "--dry-run").out
    assert "per interaction  unknown → " in made
    assert "The character does not exist yet." in made


def test_a_price_that_cannot_be_asked_for_is_unknown(
    run: Run, file: Path, scripted: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"character_id": "c1", "character_name": "Bran", "personalised_prompt_config": {"MODEL": "mdla-5.1"}}
    scripted(
        embedded=False,
        list_characters={"characters": [record]},
        list_sections=[],
        list_triggers=[],
        list_models={"STATUS": "[]"},
        estimate=ServiceError(ErrorKind.UNREACHABLE, "The service cannot be reached."),
    )
    shown = run("diff", str(file), "c1")
    assert shown.status == 1
    assert "per interaction  unknown → unknown credits\n    The service cannot be reached." in shown.out


def test_standard_input_is_a_file_as_well(run: Run, bran: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = file.read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert run("diff", "-", bran).status == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert run(*LOCAL, "push", "-", "--create", "--yes").status == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert run("diff", "-").status == 2
    assert file.read_bytes() == text


def test_it_is_shown_before_it_is_done(run: Run, file: Path) -> None:
    text = file.read_bytes()
    shown = run(*LOCAL, "push", str(file), "--create", "--dry-run")
    assert (shown.status, "create-character" in shown.out, "nothing was sent" in shown.err) == (0, True, True)
    plan = from_wire(run(*LOCAL, "push", str(file), "--create", "--dry-run", "--json").value)
    assert [step.operation for step in plan.steps[:2]] == ["create-character", "update-character"]
    assert plan.steps[-1].operation == "toggle-narrative"
    assert run("push", str(file), "--dry-run").status == 0
    assert run(*LOCAL, "characters", "list", "--json").value["characters"] == []
    assert file.read_bytes() == text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*LOCAL, "push", "{file}", "--yes"), "--create"),
        ((*LOCAL, "diff", "{file}"), "yet: give a name or ID"),
        (("push", "{file}", "{bran}", "--create"), "cannot be combined with an ID"),
        (("push", "{file}", "nobody", "--yes"), "nobody"),
        (("push", "nowhere.toml", "--yes"), "cannot be read"),
        (("diff", "nowhere.toml"), "cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_said(words: tuple[str, ...], told: str, run: Run, file: Path, bran: str) -> None:
    result = run(*(word.format(file=file, bran=bran) for word in words))
    assert result.status in (2, 3)
    assert told in result.err


def test_a_conflict_is_not_gone_over_unasked(run: Run, file: Path, bran: str) -> None:
    edit(file, "temperature = 0.8", "temperature = 0.25")
    assert run("characters", "set", bran, "--temperature", "0.5", "--yes").status == 0
    refused = run("push", str(file), "--yes", "--json")
    assert (refused.status, refused.error["code"]) == (1, "conflict")
    for way in ("pull the character to another file", "add --overwrite", "discards your edits"):
        assert way in refused.error["message"]
    planned = run("push", str(file), "--dry-run")
    assert (planned.status, "Conflict: The temperature" in planned.out) == (1, True)
    assert refused.error["message"] in planned.err
    assert run("push", str(file), "--dry-run", "--overwrite").status == 0
    assert run("push", str(file), "--yes", "--overwrite").status == 0
    assert run("diff", str(file)).status == 0


def test_what_is_only_there_stays_unless_it_is_pruned(run: Run, file: Path, bran: str) -> None:
    made = run("narrative", "sections", "create", bran, "Attic", "Dusty.", "--yes").out.strip()
    kept = run("push", str(file), "--yes")
    assert (kept.status, "Kept: Section “Attic” is not in the file." in kept.err) == (0, True)
    assert run("diff", str(file)).status == 1
    assert run("push", str(file), "--prune", "--yes", "--json").value["done"] == 1
    assert run("narrative", "sections", "show", bran, made).status == 3


def test_a_service_that_takes_it_otherwise_is_told(run: Run, scripted: Install, tmp_path: Path) -> None:
    """Read back with differences from what was sent: status 1."""
    record: Wire = {"character_id": "c1", "character_name": "Mira", "is_narrative_driven": False}
    answers: dict[str, Wire] = {"list_characters": {"characters": [record]}, "list_triggers": []}
    scripted(embedded=False, list_sections=[], create_section={"section_id": "s1"}, **answers)
    path = tmp_path / "mira.toml"
    path.write_text('format = "chartui-bundle"\nversion = 1\n[sections.gate]\nname = "Gate"\nobjective = "Ask."\n')
    result = run("push", str(path), "c1", "--yes")
    assert result.status == 1
    assert "section gate  “Gate”\n  only in the file" in result.err


_WRONG = """\
format = "chartui-bundle"
version = 1

[character]
name = "Mira"
color = "red"

[sections.gate]
decisions = [
  { when = "They ask", to = "gate" },
  { when = "They\\nleave", to = "ga\\nte" },
]
"""


@pytest.mark.parametrize("words", [("push", "FILE", "c1"), ("diff", "FILE"), ("narrative", "lint", "--bundle", "FILE")])
def test_every_mistake_in_a_file_has_a_line_with_its_place(run: Run, tmp_path: Path, words: Sequence[str]) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(_WRONG)
    told = [
        f"{path}:6: Unknown key “color” in [character]. Known: name, ",
        f"{path}:11: Unknown section “ga␊te” in sections.gate.decisions[1].to. ",
    ]
    result = run(*(str(path) if word == "FILE" else word for word in words))
    assert (result.status, result.out) == (2, "")
    assert [line.startswith(start) for line, start in zip(result.err.splitlines(), told, strict=True)] == [True, True]
    error = run(*(str(path) if word == "FILE" else word for word in words), "--json").error
    assert error["problems"] == result.err.splitlines()


def test_what_is_found_in_the_story_of_a_file_names_its_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "story.toml"
    path.write_text(_WRONG.replace('color = "red"\n', "").replace("ga\\nte", "gate").replace("They ask", ""))
    shown = run("narrative", "lint", "--bundle", str(path)).out
    assert re.search(rf"{re.escape(str(path))}:9: .*decision", shown), shown
    findings = run("narrative", "lint", "--bundle", str(path), "--json").value["findings"]
    lines = {(found["place"]["kind"], found["place"]["position"]): found["line"] for found in findings}
    assert lines["decision", 0] == 9
    assert lines["section", 0] == 7


def test_a_hostile_service_writes_nothing_that_a_terminal_obeys(run: Run, scripted: Install, tmp_path: Path) -> None:
    decisions = [{"criteria": HOSTILE, "next_section_id": HOSTILE, HOSTILE: HOSTILE}]
    section = {"section_id": HOSTILE, "section_name": HOSTILE, "objective": HOSTILE, "decisions": decisions}
    trigger = {"trigger_id": HOSTILE, "trigger_name": HOSTILE, "trigger_message": HOSTILE}
    record = {"character_id": "c1", "character_name": HOSTILE, "character_actions": [HOSTILE]}
    answers: dict[str, Wire] = {
        "list_characters": {"characters": [record]},
        "list_sections": [section],
        "list_triggers": [trigger],
        "get_section": section,
        "edit_section": ServiceError(ErrorKind.INVALID, HOSTILE),
    }
    scripted(embedded=False, **answers)
    path = tmp_path / "hostile.toml"
    assert run("pull", "c1", str(path)).status == 0
    text = path.read_text(encoding="utf-8")
    assert is_plain(text.replace("\n", ""))
    assert run("pull", "c1").out == text
    assert run("diff", str(path), "c1").status == 0
    path.write_text(text.replace('objective = """\n', 'objective = """\nmore'), encoding="utf-8")
    for words in (
        ["diff", str(path), "c1"],
        ["push", str(path), "c1", "--dry-run"],
        ["push", str(path), "c1", "--yes"],
    ):
        for extra in ([], ["--json"]):
            result = run(*words, *extra)
            assert result.status in (0, 1, 3)
            assert is_plain((result.out + result.err).replace("\n", ""))


@pytest.mark.parametrize("name", ["elena.json", "elena.YAML"])
def test_a_bundle_is_not_written_under_the_name_of_another_format(name: str, run: Run, tmp_path: Path) -> None:
    result = run("--profile", "demo", "pull", "Elena Marsh", str(tmp_path / name))
    assert (result.status, "End its name with .toml" in result.err) == (2, True)
    assert list(tmp_path.glob("elena*")) == []
