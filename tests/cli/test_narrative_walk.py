"""``chartui narrative walk``: by choice, by chance, and as files say."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import Run

Golden = Callable[[str, str], None]


# -- by choice --------------------------------------------------------------------------------------------------------


def test_what_is_said_and_what_leads_on(run: Run, elena: str, golden: Golden) -> None:
    moves = ["--take", "1", "--take", "they accept the case", "--fire", "Fire alarm", "--jump", "The gallery"]
    result = run("narrative", "walk", "--character", elena, *moves, "--key", "VisitorName=Ada", "--read-only")
    assert (result.status, result.err) == (0, "")
    golden("narrative-walk.txt", result.out)


def test_the_same_as_json(run: Run, elena: str) -> None:
    words = ["narrative", "walk", "--character", elena, "--take", "1", "--json"]
    value = run(*words).value
    assert [(step["how"], step["section_name"]) for step in value["steps"]] == [
        ("start", "Welcome at the door"),
        ("decision", "House rules"),
        ("automatic", "The case"),
    ]
    assert value["steps"][1]["choice"] == "They have an hour or more"
    assert value["steps"][1]["texts"] == [
        {"spoken": True, "text": "Three rules: walk, whisper, and touch only what I hand you."}
    ]
    assert [way["criteria"] for way in value["decisions"]] == ["They accept the case", "They would rather look around"]
    overridden = {event["trigger_name"] for event in value["triggers"] if event["overridden"]}
    assert overridden == {"Visitor asks for help"}
    assert (value["end"], value["loop"], value["stopped_at"]) == (None, [], None)


def test_a_choice_that_is_not_there(run: Run, avery: str) -> None:
    words = ["narrative", "walk", "--character", avery, "--take", "The customer is new", "--take", "It is readable"]
    result = run(*words)
    assert (result.status, result.err) == (1, "")
    assert "stopped: step 2: expected the decision “It is readable”" in result.out
    value = run(*words, "--json").value
    assert (value["stopped_at"]["step"], value["stopped_at"]["expected"]) == (2, "the decision “It is readable”")
    assert value["stopped_at"]["available"][0] == "“The photo is readable” to “Choose an account”"
    assert run("narrative", "walk", "--character", avery, "--from", "Nowhere").status == 3


def test_where_a_story_ends_or_turns_in_a_circle(run: Run, avery: str) -> None:
    result = run("narrative", "walk", "--character", avery, "--from", "Account opened")
    assert "The story ends here." in result.out
    result = run("narrative", "walk", "--character", avery, "--from", "Check identity")
    assert "(missing)" in result.out


# -- as files say -----------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(run: Run, elena: str, tmp_path: Path) -> Path:
    path = tmp_path / "tour.toml"
    words = ["--take", "1", "--take", "They accept the case", "--key", "VisitorName=Ada", "--save", str(path)]
    result = run("narrative", "walk", "--character", elena, *words)
    assert (result.status, result.err) == (0, f"walk saved to {path}\n")
    return path


def test_a_walk_that_still_exists(run: Run, saved: Path) -> None:
    result = run("narrative", "walk", str(saved), str(saved))
    assert (result.status, result.err) == (0, "")
    passed = f"{saved}: passed, 2 steps to “Notebooks and pencils”\n"
    assert result.out.startswith(f"{passed}{passed}\n2 of 2 walks passed\nsections   4 of 40 visited, 10.0%\n")
    (facts, _) = run("narrative", "walk", str(saved), str(saved), "--json").value["walks"]
    assert (facts["passed"], facts["steps"], facts["steps_done"], facts["stopped_at"]) == (True, 2, 2, None)
    assert facts["end_section"]["section_name"] == "Notebooks and pencils"


def test_a_walk_is_gone_again_after_the_story_has_changed(run: Run, elena: str, saved: Path) -> None:
    graph = run("narrative", "show", elena, "--json").value
    case = next(one["section_id"] for one in graph["sections"] if one["section_name"] == "The case")
    edit = ["narrative", "sections", "edit", elena, case, "--yes", "--decisions"]
    assert run(*edit, f'[{{"criteria": "Anything", "next_section_id": "{case}"}}]').status == 0
    result = run("narrative", "walk", str(saved))
    assert result.status == 1
    assert result.out.startswith(
        f"{saved}: the story no longer allows this walk\n"
        "  step 2: expected the decision “They accept the case” to “Notebooks and pencils”; "
        "found “Anything” to “The case”\n"
        "  To continue the recording from the last section reached, add --take, --fire or --jump, and "
        f"--save {saved} --force.\n"
    )
    facts = run("narrative", "walk", str(saved), "--json").value["walks"][0]
    assert (facts["passed"], facts["steps_done"], facts["stopped_at"]["section_id"]) == (False, 1, case)
    # Recorded on from there, it keeps its choices until then, and passes again.
    on = run("narrative", "walk", str(saved), "--take", "Anything", "--save", str(saved), "--force")
    assert (on.status, "continuing the recording from the last step that still fits the story (step 2" in on.err) == (
        0,
        True,
    )
    again = run("narrative", "walk", str(saved), "--json").value["walks"][0]
    assert (again["passed"], again["steps"], again["end_section"]["section_id"]) == (True, 2, case)


def test_what_a_file_expects(run: Run, saved: Path) -> None:
    saved.write_text(saved.read_text().replace("[expect]\n", '[expect]\nsaid = ["1911", "Welcome, Ada"]\n'))
    result = run("narrative", "walk", str(saved))
    assert (result.status, result.out.splitlines()[:2]) == (
        1,
        [f"{saved}: the walk works, but an expectation is not met", "  never spoken: “Welcome, Ada”"],
    )


def test_a_walk_knows_its_story_again_in_another_store_and_in_a_file(
    run: Run, elena: str, saved: Path, tmp_path: Path
) -> None:
    twin = run("characters", "duplicate", elena, "--yes", "--json").value["character_id"]
    assert run("narrative", "walk", str(saved), "--character", twin).status == 0
    bundle = tmp_path / "elena.toml"
    assert run("pull", elena, str(bundle)).status == 0
    result = run("narrative", "walk", str(saved), "--bundle", str(bundle))
    assert (result.status, "passed, 2 steps" in result.out) == (0, True)
    again = tmp_path / "again.toml"
    words = ["--bundle", str(bundle), "--take", "1", "--save", str(again)]
    assert run("narrative", "walk", *words).status == 0
    assert run("narrative", "walk", str(again), "--character", elena).status == 0


# -- a suite ----------------------------------------------------------------------------------------------------------


def test_walks_that_cover_a_story_are_a_suite_with_full_coverage(run: Run, elena: str, tmp_path: Path) -> None:
    folder = tmp_path / "walks"
    words = ["narrative", "walk", "--character", elena, "--cover", str(folder)]
    written = run(*words)
    assert (written.status, written.out.splitlines()[1]) == (0, "sections   40 of 40 visited, 100.0%")
    (folder / "notes.toml").write_text('format = "something else"\n')
    value = run("narrative", "walk", str(folder), "--fail-under", "100", "--json").value
    assert len(value["walks"]) == len(list(folder.glob("*.toml"))) - 1
    assert all(one["passed"] and one["steps"] <= 20 for one in value["walks"])
    (coverage,) = value["coverage"]
    assert (coverage["sections"]["percent"], coverage["decisions"]["percent"]) == (100, 100)
    assert (coverage["sections"]["never_visited"], coverage["decisions"]["never_taken"]) == ([], [])
    # Nothing is overwritten, not even in part.
    first = sorted(folder.iterdir())[0]
    first.unlink()
    assert run(*words).status == 2
    assert not first.exists()
    assert run(*words, "--force").status == 0


def test_results_as_junit_and_a_limit_for_the_coverage(run: Run, saved: Path, tmp_path: Path) -> None:
    failing = tmp_path / "failing.toml"
    failing.write_text(saved.read_text().replace("They accept", "They <refuse>").replace("Notebooks", "No"))
    failing.write_text(re.sub('to_id = ".*"\n', "", failing.read_text()))
    report = tmp_path / "report.xml"
    result = run("narrative", "walk", str(saved), str(failing), "--junit", str(report))
    assert result.status == 1
    suites = ElementTree.fromstring(report.read_text())
    cases = list(suites.iter("testcase"))
    assert [case.get("name") for case in cases] == [str(saved), str(failing)]
    failures = [case.find("failure") for case in cases]
    assert failures[0] is None
    assert failures[1] is not None
    assert "expected the decision “They <refuse> the case”" in str(failures[1].get("message"))
    assert suites.get("failures") == "1"
    coverage = str(suites.findtext("testsuite/system-out"))
    assert "sections: 4 of 40 visited, 10.0%\n" in coverage
    assert "never visited: The gallery, in no saved walk\n" in coverage
    assert "never fired: Fire alarm" in coverage
    # 4 of 40 sections
    for limit, status in (("10", 0), ("10.1", 1)):
        result = run("narrative", "walk", str(saved), "--fail-under", limit)
        assert (result.status, "never visited" in result.out) == (status, bool(status))
        run("narrative", "walk", str(saved), "--fail-under", limit, "--junit", str(report))
        case = list(ElementTree.fromstring(report.read_text()).iter("testcase"))[-1]
        assert (case.get("classname"), case.find("failure") is not None) == ("coverage", bool(status))
    untested = run("narrative", "walk", str(saved), "--untested").out
    assert re.search(r"never visited +The gallery +in no saved walk\n", untested)
    assert re.search(r"never taken +The case +They would rather look around → ", untested)
    assert re.search(r"never visited +Everybody out, calmly +only after a trigger\n", untested)
    assert re.search(r"never fired +Fire alarm", untested)


def test_what_covering_walks_cannot_fire_is_named(run: Run, elena: str, tmp_path: Path) -> None:
    idle = ["narrative", "triggers", "create", elena, "Power cut", "The lights go out.", "--yes"]
    assert run(*idle).status == 0
    covering = run("narrative", "walk", "--character", elena, "--cover", str(tmp_path / "deep" / "walks"))
    assert re.search(r"never fired +Power cut", covering.out)
    assert stat.S_IMODE((tmp_path / "deep").stat().st_mode) == 0o700


def test_a_walk_is_saved_in_a_folder_that_is_new(run: Run, elena: str, tmp_path: Path) -> None:
    path = tmp_path / "walks" / "evening" / "tour.toml"
    words = ["narrative", "walk", "--character", elena, "--take", "1", "--save", str(path)]
    assert run(*words).status == 0
    assert [stat.S_IMODE(one.stat().st_mode) for one in (path.parent, path.parent.parent)] == [0o700, 0o700]
    assert run("narrative", "walk", str(path.parent)).status == 0


def test_the_size_of_a_story_and_what_its_walks_cost(run: Run, elena: str, saved: Path, tmp_path: Path) -> None:
    words = ["narrative", "stats", "--character", elena]
    value = run(*words, str(saved), "--walks", "20", "--json").value
    assert (value["sections"], value["decisions"], value["endings"], value["shortest_way"]) == (40, 93, 1, 2)
    assert value["words"]["all"] == value["words"]["spoken"] + value["words"]["instructions"]
    (walk,) = value["saved_walks"]
    assert (walk["passed"], walk["interactions"]) == (True, 4)
    random = value["random_walks"]["credits"]
    assert 0 < random["least"] < random["expected"] < random["most"]
    # A walk whose replies are all instructed costs as many interactions of the character.
    (estimate,) = run("estimate", "--character", elena, "--input-tokens", "1000", "--json").value["estimates"]
    single = estimate["totals"]["credits"]
    told = tmp_path / "told.toml"
    assert run("narrative", "walk", "--character", elena, "--take", "2", "--save", str(told)).status == 0
    head = 'format = "chartui-scenario"\nversion = 1\nname = "Visit"\n[assumptions]\ninputTokens = 1000\n'
    scenario = tmp_path / "visit.toml"
    scenario.write_text(head)
    shorter = run(*words, str(told), "--scenario", str(scenario), "--json").value["saved_walks"][0]
    assert shorter["credits"] == {"min": 2 * single, "max": 2 * single}
    # A scenario replaces the typical quantities.
    scenario.write_text(f"{head}outputChars = 1500\nttsSeconds = 100\n")
    longer = run(*words, str(told), "--scenario", str(scenario), "--json").value["saved_walks"][0]
    assert longer["speech_seconds"] == 200
    assert longer["credits"]["min"] > 2 * single
    shown = run(*words, str(told))
    assert re.search(r"\nwords +683: 40 spoken, 643 in instructions\n", shown.out)
    assert "random, expected" in shown.out


# -- by chance --------------------------------------------------------------------------------------------------------


def test_what_nobody_comes_to(run: Run, demo_ids: dict[str, str], golden: Golden) -> None:
    words = ["--random", "--seed", "7", "--walks", "20", "--steps", "12"]
    result = run("narrative", "walk", "--character", demo_ids["Bran Alder"], *words)
    assert (result.status, result.err) == (0, "")
    golden("narrative-walk-random.txt", result.out)


_MAZE = """\
format = "chartui-bundle"
version = 1
[character]
name = "Maze"
start = "gate"
[sections.gate]
name = "Gate"
decisions = [{ when = "left", to = "north" }, { when = "right", to = "exit" }, { when = "back", to = "wall" }]
[sections.north]
name = "North"
decisions = [{ when = "on", to = "south" }]
[sections.south]
name = "South"
decisions = [{ when = "round", to = "north" }]
[sections.exit]
name = "Exit"
decisions = []
[sections.wall]
name = "Wall"
"""


def test_closed_loops_are_named_and_endings_are_not_dead_ends(run: Run, tmp_path: Path) -> None:
    bundle = tmp_path / "maze.toml"
    bundle.write_text(_MAZE, encoding="utf-8")
    words = ["narrative", "walk", "--bundle", str(bundle), "--random", "--walks", "30"]
    told = run(*words).out
    assert re.search(r"ended +\d+ at an ending, \d+ at a dead end, \d+ in a closed loop\n", told)
    assert re.search(r"closed loop +“North” → “South” +\d+ walks\n", told)
    assert re.search(r"\nending +Exit +\d+ walks\n", told)
    assert re.search(r"\ndead end +Wall +\d+ walks\n", told)
    facts = run(*words, "--json").value
    (loop,) = facts["loops"]
    assert [one["section_name"] for one in loop["sections"]] == ["North", "South"]
    assert (loop["automatic"], loop["triggers_leave"]) == (False, False)
    ended = {"ending": facts["endings"][0]["walks"], "dead end": facts["dead_ends"][0]["walks"], "loop": loop["walks"]}
    assert facts["ended_by"] == ended
    # A walk by choice tells them apart in the same way.
    played = ["narrative", "walk", "--bundle", str(bundle)]
    assert "The story ends here." in run(*played, "--take", "right").out
    assert "not marked as an ending" in run(*played, "--take", "back").out
    assert run(*played, "--take", "right", "--json").value["end"] == "ending"
    assert run(*played, "--take", "back", "--json").value["end"] == "no decisions"


def test_the_figures_of_a_broken_story(run: Run, avery: str) -> None:
    words = ["narrative", "walk", "--character", avery, "--random"]
    value = run(*words, "--fire-triggers", "--json").value
    assert (value["walks"], value["steps"], value["seed"]) == (200, 200, 1)
    assert {one["section_name"]: one["reason"] for one in value["sections"]["never_visited"]} == {
        "Existing customer": "no incoming links",
        "Terms of last year": "no incoming links",
    }
    assert {"Fraud alert", "Session timeout"} <= {one["trigger_name"] for one in value["triggers"]["never_fired"]}
    decisions = value["decisions"]
    assert decisions["total"] == decisions["taken"] + len(decisions["never_taken"])
    percent = value["sections"]["percent"]
    assert 0 < percent < 100
    for limit, status in ((percent, 0), (percent + Decimal("0.1"), 1)):
        assert run(*words, "--fail-under", str(limit)).status == status


# -- what cannot be done ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "which story?"),
        (["a.toml", "b.toml", "--take", "1"], "only one walk can be continued"),
        (["a.toml", "--random"], "saved walks cannot be combined with --from"),
        (["--character", "{}", "--junit", "x.xml"], "give files or a folder"),
        (["--character", "{}", "--cover", "x", "--take", "1"], "--cover chooses the decisions itself"),
        (["--character", "{}", "--random", "--take", "1"], "--random chooses the decisions itself"),
        (["--character", "{}", "--fail-under", "1"], "add --random"),
        (["--character", "{}", "--random", "--from", "Nowhere"], "No section named “Nowhere”."),
        (
            ["--character", "{}", "--random", "--walks", "1000000", "--steps", "100"],
            "exceed the limit of 10000000 steps",
        ),
        (["--character", "{}", "--random", "--seed", "x"], "'x' is not a whole number"),
        (["--character", "{}", "--random", "--fail-under", "101"], "'101' is not a number from 0 to 100"),
        (["--character", "{}", "--key", "Name"], "write NAME=VALUE"),
        (
            ["nothing.toml"],
            "nothing.toml: no such file. To walk through the story of a character, use --character NAME.",
        ),
        (["--character", "{}", "--bundle", "x.toml"], "not allowed with argument"),
    ],
)
def test_what_cannot_be_asked(run: Run, elena: str, words: list[str], sentence: str) -> None:
    result = run("narrative", "walk", *(word.format(elena) for word in words))
    assert (result.status, result.out) == (3 if "named" in sentence else 2, "")
    assert sentence in result.err


def test_a_file_without_a_character_needs_one(run: Run, elena: str, tmp_path: Path) -> None:
    path = tmp_path / "any.toml"
    path.write_text('format = "chartui-walk"\nversion = 1\nsteps = [{ take = "They have an hour or more" }]\n')
    assert "does not name a character" in run("narrative", "walk", str(path)).err
    assert run("narrative", "walk", str(path), "--character", elena).status == 0


def test_a_file_is_not_overwritten_by_accident(run: Run, elena: str, saved: Path) -> None:
    before = saved.read_text()
    words = ["narrative", "walk", "--character", elena, "--save", str(saved)]
    assert (run(*words).status, saved.read_text()) == (2, before)
    assert (run(*words, "--force").status, saved.read_text() != before) == (0, True)


def test_nobody_of_that_name(run: Run) -> None:
    assert run("narrative", "walk", "--character", "nobody").status == 3


def test_the_example_of_the_document_holds(run: Run, elena: str, tmp_path: Path) -> None:
    document = (Path(__file__).parents[2] / "docs" / "walks.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    path = tmp_path / "example.toml"
    path.write_text(example, encoding="utf-8")
    result = run("narrative", "walk", str(path), "--character", elena)
    assert (result.status, result.out.splitlines()[0]) == (0, f"{path}: passed, 3 steps to “The gallery”")
