"""``chartui narrative lint``: what is wrong, in text and JSON; what is left out; and putting it right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chartui.core.config import config_path
from chartui.core.narrative.lint import RULES

from .conftest import Run

_HEAD = 'format = "chartui-config"\nversion = 1\n'


def rules(value: Any) -> set[str]:
    return {finding["rule"] for finding in value["findings"]}


def test_what_is_wrong_is_written_by_how_grave_it_is(run: Run, avery: str) -> None:
    result = run("narrative", "lint", avery)
    assert (result.status, result.err) == (1, "")
    lines = result.out.splitlines()
    assert lines.index("errors") < lines.index("warnings") < lines.index("notes")
    place = next(n for n, line in enumerate(lines) if "unclosed-speak" in line)
    assert lines[place].endswith("“Check identity” has an unclosed <speak> tag")
    assert lines[place + 1].strip() == "--fix: add </speak> at the end"
    value = run("narrative", "lint", avery, "--json").value
    assert lines[-1] == ", ".join(
        f"{value['counts'][severity]} {severity}s" for severity in ("error", "warning", "note")
    )


def test_the_same_as_json(run: Run, avery: str) -> None:
    result = run("narrative", "lint", avery, "--json")
    assert (result.status, result.value["off"]) == (1, {})
    found = result.value["findings"]
    assert sum(result.value["counts"].values()) == len(found)
    speak = next(finding for finding in found if finding["rule"] == "unclosed-speak")
    sections = run("narrative", "show", avery, "--json").value["sections"]
    identity = next(section["section_id"] for section in sections if section["section_name"] == "Check identity")
    assert speak == {
        "rule": "unclosed-speak",
        "severity": "error",
        "place": {"kind": "section", "id": identity, "position": 0},
        "where": "“Check identity”",
        "message": "has an unclosed <speak> tag",
        "reason": RULES["unclosed-speak"].why,
        "fix": "add </speak> at the end",
        "safe": True,
    }


@pytest.mark.parametrize("name", ["Elena Marsh", "Bran Alder"])
def test_nothing_is_wrong_with_a_story_that_is_in_order(run: Run, demo_ids: dict[str, str], name: str) -> None:
    result = run("narrative", "lint", demo_ids[name], "--severity", "warning")
    assert (result.status, result.out) == (0, "No problems.\n")
    notes = run("narrative", "lint", demo_ids[name], "--json").value
    assert {finding["severity"] for finding in notes["findings"]} == {"note"}


def test_an_empty_graph_is_reported_as_empty(run: Run, demo_ids: dict[str, str]) -> None:
    result = run("narrative", "lint", demo_ids["Camille Rousseau"])
    assert (result.status, result.out) == (0, "The graph is empty.\n")


def test_only_some_of_it(run: Run, avery: str) -> None:
    errors = run("narrative", "lint", avery, "--severity", "error", "--json").value
    assert {finding["severity"] for finding in errors["findings"]} == {"error"}
    one = run("narrative", "lint", avery, "--rule", "similar-name", "--json")
    assert (one.status, rules(one.value)) == (0, {"similar-name"})


def test_keys_that_are_not_declared_are_errors(run: Run, demo_ids: dict[str, str]) -> None:
    elena = demo_ids["Elena Marsh"]
    assert "template-key" in rules(run("narrative", "lint", elena, "--json").value)
    some = run("narrative", "lint", elena, "--keys", "VisitorName", "--json")
    assert (some.status, rules(some.value)) == (1, {"undeclared-key", "ending"})
    every = run("narrative", "lint", elena, "--keys", "{VisitorName}, HintsUsed", "--json")
    assert (every.status, rules(every.value)) == (0, {"ending"})


# -- the story of a file ----------------------------------------------------------------------------------------------


def test_the_story_of_a_file_is_looked_over_with_the_keys_that_it_declares(
    run: Run, avery: str, tmp_path: Path
) -> None:
    file = tmp_path / "avery.toml"
    assert run("pull", avery, str(file)).status == 0
    of_file = run("narrative", "lint", "--bundle", str(file), "--json")
    of_profile = run("narrative", "lint", avery, "--json").value
    assert (of_file.status, rules(of_file.value)) == (1, rules(of_profile) - {"no-moderation"})
    for declared, rule in (('CustomerName = "Ada"', None), ('customer_name = "Ada"', "undeclared-key")):
        text = file.read_text()
        keyed = tmp_path / "keyed.toml"
        keyed.write_text(text.replace("[sections.", f"[keys]\n{declared}\n\n[sections.", 1))
        value = run("narrative", "lint", "--bundle", str(keyed), "--json").value
        found = [finding for finding in value["findings"] if finding["rule"] in ("template-key", "undeclared-key")]
        assert [finding["rule"] for finding in found] == ([rule] if rule else [])
        assert [finding["fix"] for finding in found] == (["change the key to {customer_name}"] if rule else [])


def test_whose_story_is_said_once(run: Run, avery: str, tmp_path: Path) -> None:
    file = str(tmp_path / "avery.toml")
    for words in ((), (avery, "--bundle", file)):
        result = run("narrative", "lint", *words)
        assert (result.status, "Give either a character or --bundle FILE" in result.err) == (2, True)
    assert run("narrative", "lint", "--bundle", file).status == 2
    assert run("pull", avery, file).status == 0
    result = run("narrative", "lint", "--bundle", file, "--fix")
    assert (result.status, "push the file" in result.err) == (2, True)


# -- rules that are switched off --------------------------------------------------------------------------------------


def test_rules_are_switched_off_with_a_reason(run: Run, avery: str) -> None:
    config_path().parent.mkdir()
    config_path().write_text(_HEAD + '[lint.off]\nending = "It ends here."\nno-moderation = "Not followed yet."\n')
    value = run("narrative", "lint", avery, "--json", "--off", "dead-end=The adviser decides.").value
    assert value["off"] == {
        "ending": "It ends here.",
        "no-moderation": "Not followed yet.",
        "dead-end": "The adviser decides.",
    }
    assert not rules(value) & set(value["off"])
    text = run("narrative", "lint", avery).out
    assert text.endswith("switched off: ending (It ends here.)\nswitched off: no-moderation (Not followed yet.)\n")


def test_a_rule_that_there_is_none_of(run: Run, avery: str) -> None:
    for words in (("--rule", "endin"), ("--off", "endin=It ends here.")):
        result = run("narrative", "lint", avery, *words)
        assert (result.status, result.out) == (2, "")
        assert "Unknown rule “endin”. Did you mean “ending”?" in result.err
    for reason in ("ending", "ending=", "=x"):
        assert "write RULE=REASON" in run("narrative", "lint", avery, "--off", reason).err
    config_path().parent.mkdir()
    config_path().write_text(_HEAD + '[lint.off]\nendin = "It ends here."\n')
    result = run("narrative", "lint", avery)
    assert (result.status, "Unknown rule “endin”" in result.err) == (1, True)
    assert "lint.off: Unknown rule “endin”" in run("config", "validate").out


# -- putting right ----------------------------------------------------------------------------------------------------


def test_what_can_be_put_right_is_put_right(run: Run, avery: str) -> None:
    shown = run("narrative", "lint", avery, "--fix", "--dry-run")
    assert shown.status == 0
    assert "“Check identity” has an unclosed <speak> tag: add </speak> at the end" in shown.out
    before = run("narrative", "lint", avery, "--json").value
    result = run("narrative", "lint", avery, "--fix", "--yes")
    assert result.status == 0, result.err
    assert "fixed: “Check identity” has an unclosed <speak> tag: add </speak> at the end" in result.out
    after = run("narrative", "lint", avery, "--json")
    assert (after.status, after.value["counts"]["error"]) == (0, 0)
    safely = {finding["rule"] for finding in before["findings"] if finding["safe"]}
    assert len(safely) >= 4
    assert not rules(after.value) & safely
    # What is left is what was told at the end.
    assert f"{after.value['counts']['warning']} warnings" in result.out
    again = run("narrative", "lint", avery, "--fix", "--yes")
    assert (again.status, "No changes needed. Nothing was sent." in again.err) == (0, True)
    assert f"{after.value['counts']['warning']} warnings" in again.out


def test_what_is_put_right_as_json(run: Run, avery: str) -> None:
    value = run("narrative", "lint", avery, "--fix", "--yes", "--json", "--rule", "dangling-trigger").value
    assert len(value["fixed"]) == 1
    assert value["fixed"][0].startswith("Trigger “Fraud alert” goes to ")
    assert value["findings"] == []
    assert "dangling-trigger" not in rules(run("narrative", "lint", avery, "--json").value)
