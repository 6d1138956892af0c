"""``chartui narrative``, the verbs that show or change one thing: what is planned, written, and there after."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chartui.cli.output import Output
from chartui.cli.parser import Arguments
from chartui.cli.run_plan import carry_out
from chartui.core.jsontext import Wire, dumps
from chartui.core.session import Session
from chartui.core.text import is_plain
from tests import writes

from .conftest import C1, Result, Run, Scripted
from .test_text import HOSTILE

pytestmark = pytest.mark.usefixtures("repeatable")

Golden = Callable[[str, str], None]
Install = Callable[..., Scripted]


def graph(run: Run, character_id: str) -> dict[str, dict[str, dict[str, Any]]]:
    shown = run("narrative", "show", character_id, "--json").value
    return {kind: {one[f"{kind[:-1]}_name"]: one for one in shown[kind]} for kind in ("sections", "triggers")}


def ids_of(run: Run, character_id: str) -> dict[str, str]:
    found = graph(run, character_id)
    sections = {name: section["section_id"] for name, section in found["sections"].items()}
    return {
        "{id}": character_id,
        **{f"{{{name.replace(' ', '_')}}}": section_id for name, section_id in sections.items()},
        **{f"{{{name.replace(' ', '_')}}}": trigger["trigger_id"] for name, trigger in found["triggers"].items()},
    }


def transcript(result: Result) -> str:
    return f"{result.out}[{result.status}]\n{result.err}"


GOLDENS = {
    "disable-plan": "disable {id} --dry-run",
    "disable": "disable {id} --yes",
    "enable-nothing": "enable {id} --yes",
    "start-plan": "start {id} {The_case} --dry-run",
    "start-none": "start {id} --none --yes",
    "sections-list": "sections list {id}",
    "sections-show": "sections show {id} {The_case}",
    "sections-create-plan": "sections create {id} Roof A=storm --decision shelter=>{The_case}:2 --dry-run",
    "sections-create": "sections create {id} Roof A=storm --decision shelter=>{The_case} --yes",
    "sections-edit-plan": "sections edit {id} {The_case} --name C --objective L. --decision x=>{Lamp_room} --dry-run",
    "sections-edit": "sections edit {id} {The_case} --name Case --yes",
    "sections-delete-plan": "sections delete {id} {House_rules} {The_case} --dry-run",
    "sections-delete-start-plan": "sections delete {id} {Welcome_at_the_door} --dry-run",
    "sections-delete": "sections delete {id} {House_rules} --yes",
    "triggers-list": "triggers list {id}",
    "triggers-show": "triggers show {id} {Fire_alarm}",
    "triggers-create-plan": "triggers create {id} FireAlarm Smoke! --destination {The_case} --dry-run",
    "triggers-create": "triggers create {id} Doorbell Rings. --yes",
    "triggers-edit-plan": "triggers edit {id} {Fire_alarm} --name S --message Howls. --destination {A_hint} --dry-run",
    "triggers-disconnect": "triggers edit {id} {Fire_alarm} --disconnect --yes",
    "triggers-delete-plan": "triggers delete {id} {Visitor_asks_for_help} --dry-run",
    "triggers-delete": "triggers delete {id} {Fire_alarm} {Closing_bell} --yes",
}


@pytest.mark.parametrize("extra", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("name", GOLDENS)
def test_what_is_written(name: str, extra: list[str], run: Run, golden: Golden, elena: str) -> None:
    line = GOLDENS[name]
    for mark, item_id in ids_of(run, elena).items():
        line = line.replace(mark, item_id)
    result = run("narrative", *line.split(), *extra)
    golden(f"narrative-{name}.{'json' if extra else 'txt'}", transcript(result))


# -- what is there after ----------------------------------------------------------------------------------------------


def test_the_graph_is_switched(run: Run, elena: str) -> None:
    for verb, state in (("disable", False), ("disable", False), ("enable", True)):
        assert run("narrative", verb, elena, "--yes").status == 0
        assert run("characters", "show", elena, "--json").value["is_narrative_driven"] is state


def test_the_start_is_chosen(run: Run, elena: str) -> None:
    section_id = graph(run, elena)["sections"]["The case"]["section_id"]
    for words, start in (([section_id], section_id), (["--none"], None), (["the  CASE"], section_id)):
        assert run("narrative", "start", elena, *words, "--yes").status == 0
        assert run("characters", "show", elena, "--json").value["start_narrative_section_id"] == start


def test_a_name_that_two_sections_have_starts_nothing(run: Run, elena: str) -> None:
    first = graph(run, elena)["sections"]["The case"]["section_id"]
    second = run("narrative", "sections", "create", elena, "The case", "x", "--yes").out.strip()
    result = run("narrative", "start", elena, "The case", "--yes")
    assert (result.status, result.out) == (2, "")
    assert f"Several sections match “The case”: The case (ID {first}), The case (ID {second}). Use an ID." in result.err


def test_a_section_is_made_with_its_decisions(run: Run, elena: str, tmp_path: Path) -> None:
    target = graph(run, elena)["sections"]["The case"]["section_id"]
    objective = tmp_path / "objective.txt"
    objective.write_text("Two\nlines.\n", encoding="utf-8")
    decisions = dumps([{"criteria": "*", "next_section_id": target, "priority": 5}])
    result = run(
        *("narrative", "sections", "create", elena, "Roof", f"@{objective}", "--decisions", decisions),
        *("--decision", f"says => goes => {target}:-1", "--yes"),
    )
    assert result.status == 0
    made = graph(run, elena)["sections"]["Roof"]
    assert (made["section_id"], made["objective"]) == (result.out.strip(), "Two\nlines.")
    assert made["decisions"] == [
        {"criteria": "*", "next_section_id": target, "priority": 5},
        {"criteria": "says => goes", "next_section_id": target, "priority": -1},
    ]


def test_decisions_are_added_and_replaced(run: Run, elena: str) -> None:
    section = graph(run, elena)["sections"]["The case"]
    target, now = section["section_id"], section["decisions"]
    words = ["narrative", "sections", "edit", elena, target]

    def decisions() -> Any:
        return graph(run, elena)["sections"]["The case"]["decisions"]

    assert run(*words, "--decision", f"again => {target}", "--yes").status == 0
    assert decisions() == [*now, {"criteria": "again", "next_section_id": target}]
    assert run(*words, "--decisions", dumps(now), "--decision", f"else => {target}:1", "--yes").status == 0
    assert decisions() == [*now, {"criteria": "else", "next_section_id": target, "priority": 1}]
    assert run(*words, "--decisions", "[]", "--yes").status == 0
    assert not decisions()
    assert "No changes needed" in run(*words, "--decisions", "[]", "--yes").err


def test_decisions_may_come_from_standard_input(run: Run, elena: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target = graph(run, elena)["sections"]["The case"]["section_id"]
    text = dumps([{"criteria": "Ünd", "next_section_id": target}]).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert run("narrative", "sections", "edit", elena, target, "--decisions", "-", "--yes").status == 0
    assert graph(run, elena)["sections"]["The case"]["decisions"][0]["criteria"] == "Ünd"


def test_all_of_a_trigger_is_changed(run: Run, elena: str) -> None:
    found = graph(run, elena)
    trigger_id = found["triggers"]["Fire alarm"]["trigger_id"]
    target = found["sections"]["A hint"]["section_id"]
    words = ["--name", "Siren", "--message", "It howls.", "--destination", target, "--yes"]
    assert run("narrative", "triggers", "edit", elena, trigger_id, *words).status == 0
    siren = graph(run, elena)["triggers"]["Siren"]
    assert (siren["trigger_id"], siren["trigger_message"]) == (trigger_id, "It howls.")
    assert siren["destination_section"] == target
    for _ in range(2):
        assert run("narrative", "triggers", "edit", elena, trigger_id, "--disconnect", "--yes").status == 0
        assert not graph(run, elena)["triggers"]["Siren"]["destination_section"]


def test_what_is_deleted_is_gone(run: Run, elena: str) -> None:
    found = graph(run, elena)
    section_ids = [found["sections"][name]["section_id"] for name in ("House rules", "The case", "House rules")]
    assert run("narrative", "sections", "delete", elena, *section_ids, "--yes").status == 0
    trigger_id = found["triggers"]["Fire alarm"]["trigger_id"]
    assert run("narrative", "triggers", "delete", elena, trigger_id, "--yes").status == 0
    left = graph(run, elena)
    assert len(left["sections"]) == len(found["sections"]) - 2
    assert "Fire alarm" not in left["triggers"]


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("start {id}", 2, "either a start SECTION or --none"),
        ("start {id} {The_case} --none", 2, "either a start SECTION or --none"),
        ("start {id} nowhere", 3, "No section named “nowhere”"),
        ("sections edit {id} {Welcome_at_the_door} --ending", 2, "the section has 3 decisions"),
        ("sections edit {id} {The_case} --ending --remove 1", 2, "use two commands"),
        ("sections create {id} Roof x --ending --decision a=>{The_case}", 2, "without decisions"),
        ("enable nobody", 3, "No character named “nobody”"),
        ("sections show {id} nowhere", 3, "No section named “nowhere”"),
        ("sections edit {id} {The_case}", 2, "nothing to change"),
        ("sections edit {id} nowhere --name x", 3, "No section named “nowhere”"),
        ("sections edit {id} {The_case} --decision x=>nowhere", 3, "No section named “nowhere”"),
        ("sections edit {id} {The_case} --decision x", 2, "'x' is not a decision"),
        ("sections edit {id} {The_case} --decision =>y", 2, "'=>y' is not a decision"),
        ("sections edit {id} {The_case} --decisions {}", 2, "--decisions must be an array"),
        ("sections edit {id} {The_case} --decisions [1]", 2, "--decisions must be an array"),
        ("sections edit {id} {The_case} --decisions [", 2, "--decisions is not JSON"),
        ("sections edit {id} {The_case} --decisions - --objective -", 2, "cannot both read standard input"),
        ("sections create {id} Roof x --decision a=>nowhere", 3, "No section named “nowhere”"),
        ("sections delete {id} {The_case} nowhere", 3, "No section named “nowhere”"),
        ("triggers show {id} nothing", 3, "No trigger named “nothing”"),
        ("triggers create {id} Bell x --destination nowhere", 3, "No section named “nowhere”"),
        ("triggers create {id} {Name} x", 3, "A trigger named 'Fire alarm' already exists"),
        ("triggers edit {id} {Fire_alarm}", 2, "nothing to change"),
        ("triggers edit {id} {Fire_alarm} --destination {The_case} --disconnect", 2, "not allowed with argument"),
        ("triggers edit {id} nothing --name x", 3, "No trigger named “nothing”"),
        ("triggers delete {id} nothing", 3, "No trigger named “nothing”"),
    ],
)
def test_what_makes_no_sense_changes_nothing(
    words: str, status: int, said: str, run: Run, elena: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = {**ids_of(run, elena), "{Name}": "Fire alarm"}
    before = run("narrative", "show", elena, "--json").out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    result = run(
        "narrative", *(marks.get(word, word) for word in words.split()), *([] if " show " in words else ["--yes"])
    )
    assert (result.status, result.out) == (status, "")
    assert said in result.err
    assert run("narrative", "show", elena, "--json").out == before


def test_a_reference_that_dangles_already_may_be_sent_back(run: Run, elena: str) -> None:
    found = graph(run, elena)["sections"]
    rules, welcome = found["House rules"]["section_id"], found["Welcome at the door"]["section_id"]
    assert run("narrative", "sections", "delete", elena, rules, "--yes").status == 0
    words = ["narrative", "sections", "edit", elena, welcome, "--decision", f"else => {welcome}"]
    assert run(*words, "--yes").status == 0
    shown = run("narrative", "sections", "show", elena, welcome).out
    assert f"missing ({rules})" in shown


# -- on a service over HTTP -------------------------------------------------------------------------------------------


def service(install: Install, **answers: Wire) -> Scripted:
    sections = [
        {"section_id": "s1", "section_name": "One", "objective": "o", "decisions": None},
        {"section_id": "s2", "section_name": "Two", "objective": "o", "decisions": []},
    ]
    trigger = {"trigger_id": "t1", "trigger_name": "Bell", "trigger_message": "m", "destination_section": ""}
    given: dict[str, Any] = {
        "list_characters": {"characters": [{"character_id": "a", "start_narrative_section_id": "s1"}]},
        "list_sections": sections,
        "get_section": sections[0],
        "list_triggers": [trigger],
        "get_trigger": trigger,
    }
    return install(embedded=False, **{**given, **answers})


def sent(backend: Scripted) -> list[Any]:
    return [call for call in backend.calls if not call[0].startswith(("list-", "get-"))]


def test_the_start_is_not_chosen_over_http(run: Run, scripted: Install) -> None:
    backend = service(scripted)
    result = run("narrative", "start", C1, "s2", "--yes", "--json")
    assert (result.status, result.error["code"], backend.calls) == (2, "not_available", [])


def test_a_new_section_and_its_decisions_are_two_requests(run: Run, scripted: Install) -> None:
    backend = service(scripted, create_section={"section_id": "s9"}, edit_section={"status": "success"})
    result = run("narrative", "sections", "create", "a", "Three", "x", "--decision", "on => s1", "--yes", "--json")
    assert result.value == {"section_id": "s9"}
    edit = {"decisions": [{"criteria": "on", "next_section_id": "s1"}]}
    assert sent(backend) == [
        ("create-section", {"character_id": "a", "section_name": "Three", "objective": "x"}),
        ("edit-section", {"character_id": "a", "section_id": "s9", "updated_data": edit}),
    ]


def test_not_connected_is_not_disconnected_again(run: Run, scripted: Install) -> None:
    backend = service(scripted)
    assert "No changes needed" in run("narrative", "triggers", "edit", "a", "t1", "--disconnect", "--yes").err
    assert "No changes needed" in run("narrative", "sections", "edit", "a", "s2", "--decisions", "[]", "--yes").err
    assert sent(backend) == []


def test_an_ending_is_said_and_cannot_be_taken_back(run: Run, scripted: Install) -> None:
    backend = service(scripted, create_section={"section_id": "s9"}, edit_section={"status": "success"})
    edit = ("narrative", "sections", "edit", "a")
    assert "story ends here" in run(*edit, "s1", "--ending", "--dry-run").out
    assert run(*edit, "s1", "--ending", "--yes").status == 0
    ending: dict[str, Wire] = {"updated_data": {"decisions": []}}
    assert sent(backend) == [("edit-section", {"character_id": "a", "section_id": "s1", **ending})]
    backend.calls.clear()
    for section, option in (("s1", "--no-ending"), ("s2", "--ending")):
        assert run(*edit, section, option, "--yes").status == 0
    result = run(*edit, "s2", "--no-ending", "--yes")
    assert (result.status, sent(backend)) == (2, [])
    assert "to make it an ordinary section, add a decision" in result.err
    made = run("narrative", "sections", "create", "a", "End", "x", "--ending", "--yes")
    assert (made.status, made.out) == (1, "s9\n")  # which this service does not store
    assert sent(backend)[-1] == ("edit-section", {"character_id": "a", "section_id": "s9", **ending})
    assert "none: the story ends here" in run("narrative", "sections", "show", "a", "s2").out
    assert "story ends" not in run("narrative", "sections", "show", "a", "s1").out


def test_an_unknown_flag_is_switched_and_said_to_be_unknown(run: Run, scripted: Install) -> None:
    backend = service(scripted, toggle_narrative={"STATUS": "Successful"})
    plan = run("narrative", "enable", "a", "--dry-run", "--json").value
    assert (plan["steps"][0]["expected"], plan["steps"][0]["changes"][0]["known"]) == (None, False)
    assert run("narrative", "enable", "a", "--yes").status == 0
    assert sent(backend) == [("toggle-narrative", {"character_id": "a", "is_narrative_driven": True})]


def test_somebody_else_s_edit_is_not_overwritten(run: Run, elena: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the reading for the plan and the change somebody else was quicker."""
    section_id = graph(run, elena)["sections"]["The case"]["section_id"]

    async def carried_out(arguments: Arguments, output: Output, session: Session, *more: Any, **rest: Any) -> int:
        await writes.edit_section(session.service, elena, section_id, objective="theirs")
        return await carry_out(arguments, output, session, *more, **rest)

    monkeypatch.setattr("chartui.cli.run_plan.carry_out", carried_out)
    result = run("narrative", "sections", "edit", elena, section_id, "--objective", "mine", "--yes", "--json")
    assert (result.status, result.out, result.error["code"]) == (3, "", "conflict")
    assert "theirs" in result.error["message"]
    assert graph(run, elena)["sections"]["The case"]["objective"] == "theirs"


@pytest.mark.parametrize("verb", ["sections list a", "sections show a s1", "triggers list a", "triggers show a t1"])
@pytest.mark.parametrize("extra", [[], ["--json"]], ids=["text", "json"])
def test_hostile_text_is_made_visible(verb: str, extra: list[str], run: Run, scripted: Install) -> None:
    decision = {"criteria": HOSTILE, "next_section_id": HOSTILE}
    section = {"section_id": "s1", "section_name": HOSTILE, "objective": HOSTILE, "decisions": [decision]}
    trigger = {"trigger_id": "t1", "trigger_name": HOSTILE, "trigger_message": HOSTILE, "destination_section": HOSTILE}
    service(scripted, list_sections=[section], list_triggers=[trigger])
    result = run("narrative", *verb.split(), *extra)
    assert result.status == 0
    assert [line for line in (result.out + result.err).split("\n") if not is_plain(line)] == []


# -- by name, by number, and with repairs -----------------------------------------------------------------------------


def test_decisions_are_changed_by_their_numbers_and_sections_meant_by_their_names(run: Run, elena: str) -> None:
    def ways() -> list[tuple[str, str]]:
        sections = graph(run, elena)["sections"]
        names = {one["section_id"]: name for name, one in sections.items()}
        found = sections["The case"]["decisions"]
        return [(way["criteria"], names[way["next_section_id"]]) for way in found]

    before = ways()
    assert [target for _, target in before] == ["Notebooks and pencils", "The twenty-minute tour"]
    edit = ("narrative", "sections", "edit", elena, "the case")
    assert run(*edit, "--criteria", "1", "Yes", "--target", "2", "Lamp room", "--move", "2", "1", "--yes").status == 0
    assert ways() == [(before[1][0], "Lamp room"), ("Yes", "Notebooks and pencils")]
    assert run(*edit, "--insert", "2", "maybe => Archive", "--remove", "1", "--yes").status == 0
    assert ways() == [("Yes", "Notebooks and pencils"), ("maybe", "Archive")]
    for wrong in (("--remove", "3"), ("--move", "0", "1"), ("--insert", "1", "nowhere"), ("--remove", "1", *_MORE)):
        assert run(*edit, *wrong, "--yes").status == 2
    assert ways() == [("Yes", "Notebooks and pencils"), ("maybe", "Archive")]


_MORE = ("--decision", "x => Archive")


@pytest.mark.parametrize(("repair", "target"), [("remove", None), ("point=Lamp room", "Lamp room")])
def test_what_leads_to_a_section_that_goes_is_repaired(run: Run, elena: str, repair: str, target: str | None) -> None:
    before = graph(run, elena)
    gone = before["sections"]["Archive"]["section_id"]
    done = run("narrative", "sections", "delete", elena, "Archive", "--repair", repair, "--yes")
    assert done.status == 0
    after = graph(run, elena)
    assert "Archive" not in after["sections"]
    assert gone not in dumps(after)
    place = after["sections"][target]["section_id"] if target else None

    def led(found: dict[str, dict[str, dict[str, Any]]]) -> int:
        return sum(
            way["next_section_id"] == place
            for section in found["sections"].values()
            for way in section["decisions"] or ()
        )

    assert target is None or led(after) > led(before)


def test_a_repair_that_makes_no_sense_is_refused(run: Run, elena: str) -> None:
    delete = ("narrative", "sections", "delete", elena, "Archive", "--yes", "--repair")
    for repair in ("point", "point=", "remove=x", "point=Archive", "leave"):
        assert run(*delete, repair).status == 2
    assert run(*delete, "point=Nowhere at all").status == 3
    assert "Archive" in graph(run, elena)["sections"]


def test_a_trigger_is_overridden_and_no_longer(run: Run, elena: str) -> None:
    def overrides() -> dict[str, str]:
        found = graph(run, elena)
        held = found["sections"]["Lamp room"]["triggers"] or ()
        return {one["trigger_id"]: one["destination_section"] for one in held}

    override = ("narrative", "triggers", "override", elena, "fire alarm", "Lamp room")
    found = graph(run, elena)
    assert run(*override, "Archive", "--yes").status == 0
    alarm = found["triggers"]["Fire alarm"]["trigger_id"]
    assert overrides() == {alarm: found["sections"]["Archive"]["section_id"]}
    assert run(*override, "--none", "--yes").status == 0
    assert overrides() == {}
    assert run(*override, "--yes").status == 2
