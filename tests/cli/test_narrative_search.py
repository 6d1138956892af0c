"""``chartui narrative path``, ``reach`` and ``replace``."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run

pytestmark = pytest.mark.usefixtures("repeatable")


def test_the_shortest_way_is_a_walk_that_passes(run: Run, elena: str, tmp_path: Path) -> None:
    file = tmp_path / "case.toml"
    result = run("narrative", "path", elena, "The case", "--save", str(file))
    assert result.status == 0
    assert result.out.splitlines() == [
        "▶ Welcome at the door",
        "They have an hour or more → House rules",
        "* always → The case",
    ]
    assert result.err == f"walk saved to {file}\n"
    assert run("narrative", "walk", str(file)).status == 0
    assert run("narrative", "path", elena, "The case", "--save", str(file)).status == 2  # not overwritten


def test_a_way_begins_where_it_is_asked_to(run: Run, elena: str) -> None:
    value = run("narrative", "path", elena, "House rules", "The case", "--json").value
    assert [step["section_name"] for step in value["steps"]] == ["House rules", "The case"]


def test_a_way_that_leads_on_from_an_ending_says_so(run: Run, elena: str) -> None:
    result = run("narrative", "path", elena, "Farewell at the gift shop", "Everybody out, calmly")
    assert result.out.splitlines() == ["▶ ∎ Farewell at the gift shop", "ϟ Fire alarm → Everybody out, calmly"]
    assert "continues after the ending “Farewell at the gift shop”" in result.err
    result = run("narrative", "path", elena, "Farewell at the gift shop")
    assert (result.out.splitlines()[-1][-27:], result.err) == ("∎ Farewell at the gift shop", "")


def test_no_way_is_a_status_of_its_own(run: Run, elena: str) -> None:
    created = run("narrative", "sections", "create", elena, "Attic", "A", "--yes")
    assert created.status == 0
    result = run("narrative", "path", elena, "Attic")
    assert (result.status, result.out, result.err) == (1, "", "no path from “Welcome at the door” to “Attic”\n")
    assert run("narrative", "path", elena, "Attic", "--json").value is None
    assert run("narrative", "path", elena, "No such section").status == 3


def test_what_can_be_reached_lists_the_nearest_first(run: Run, elena: str) -> None:
    value = run("narrative", "reach", elena, "--json").value
    assert (value[0]["steps"], value[0]["triggers"]) == (1, 0)
    far = [(one["triggers"], one["steps"]) for one in value]
    assert [fired for fired, _ in far] == sorted(fired for fired, _ in far)
    for one in (value[3], value[-1]):
        steps = run("narrative", "path", elena, one["section_id"], "--json").value["steps"][1:]
        assert one["section_name"] in [step["section_name"] for step in steps]
        assert sum(step["trigger_id"] is not None for step in steps) == one["triggers"]
    shown = run("narrative", "reach", elena)
    assert len(shown.out.splitlines()) == len(value) + 1
    assert f"{len(value)} of 39 other sections can be reached" in shown.err


def test_a_text_is_replaced_everywhere_after_a_dry_run(run: Run, elena: str) -> None:
    before = run("narrative", "show", elena, "--json").value
    planned = run("narrative", "replace", elena, "The case", "The locker", "--dry-run")
    assert (planned.status, "The locker" in planned.out) == (0, True)
    assert run("narrative", "show", elena, "--json").value == before
    done = run("narrative", "replace", elena, "The case", "The locker", "--yes")
    assert (done.status, "occurrence" in done.err) == (0, True)
    after = run("narrative", "show", elena)
    assert "The locker" in after.out
    assert "The case" not in after.out


def test_what_does_not_occur_or_would_break_is_refused(run: Run, elena: str) -> None:
    result = run("narrative", "replace", elena, "no such words", "x", "--yes")
    assert (result.status, "does not occur" in result.err) == (1, True)
    result = run("narrative", "replace", elena, "the CASE", "x", "--dry-run")
    assert result.status == 1
    assert run("narrative", "replace", elena, "the CASE", "x", "--dry-run", "--ignore-case").status == 0
    result = run("narrative", "replace", elena, "House rules", "", "--yes")
    assert (result.status, "would be empty" in result.err) == (2, True)
    assert run("narrative", "replace", elena, "", "x", "--yes").status == 2


def test_longer_words_are_named_or_left_unchanged(run: Run, elena: str) -> None:
    text = "The zock opens at six o’czock. One zock, two zocks."
    assert run("narrative", "sections", "edit", elena, "House rules", "--objective", text, "--yes").status == 0
    remark = "Replaces 2 occurrences inside longer words: “o’czock”, “zocks”. --whole-words leaves them unchanged."
    planned = run("narrative", "replace", elena, "zock", "bolt", "--dry-run")
    assert (planned.status, remark in planned.out) == (0, True)
    assert remark in run("narrative", "replace", elena, "zock", "bolt", "--dry-run", "--json").value["notes"]
    result = run("narrative", "replace", elena, "zock", "bolt", "--whole-words", "--yes")
    assert result.status == 0
    assert "2 occurrences in 1 text\n" in result.err
    assert "2 occurrences inside longer words left unchanged: “o’czock”, “zocks”\n" in result.err
    assert "Replaces 2 occurrences" not in result.out + result.err
    assert "The bolt opens at six o’czock. One bolt, two zocks." in run("narrative", "show", elena, "--json").out
    result = run("narrative", "replace", elena, "zock", "bolt", "--whole-words", "--yes")
    assert (result.status, "“zock” does not occur as a whole word in the story" in result.err) == (1, True)
    result = run("narrative", "replace", elena, "bolt", "latch", "--dry-run")
    assert "inside" not in result.out + result.err


@pytest.mark.parametrize("name", ["x.walk.json", "x", "x.TOML"])
def test_a_walk_is_saved_only_where_the_suite_reads_it(run: Run, elena: str, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    for words in (("path", elena, "The case"), ("walk", "--character", elena, "--take", "1")):
        result = run("narrative", *words, "--save", str(file))
        assert (result.status, "A saved walk is a TOML file. End its name with .toml." in result.err) == (2, True)
    assert not file.exists()
