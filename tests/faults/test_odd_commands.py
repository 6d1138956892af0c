"""Odd answers through every command that reads them: only the odd element is missing, and it is counted."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from chartui.core.backends.remote.backend import RemoteBackend
from chartui.core.jsontext import dumps, loads
from chartui.core.paths import write_private
from chartui.core.tables import as_toml
from chartui.main import main
from tests.faults.odd import SOUND, OddService
from tests.faults.odd_shapes import COMMANDS, SHAPES, Shape
from tests.faults.rows import VARIABLE

#: Commands whose status says what they found.
_JUDGES = {"compare", "lint", "pull"}
_EVERY = pytest.mark.parametrize(
    ("shape", "words"),
    [
        pytest.param(shape, words, id=f"{shape}, {' '.join(words)}")
        for shape in SHAPES
        for words in COMMANDS[shape.path]
    ],
)


@pytest.fixture
def service(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> OddService:
    """A service in this process, and the profile that every command works on."""
    service = OddService()
    defaults = RemoteBackend.__init__.__kwdefaults__ or {}
    monkeypatch.setattr(RemoteBackend.__init__, "__kwdefaults__", {**defaults, "transport": service.transport})
    monkeypatch.setenv(VARIABLE, "marker-key-8f1d2c")
    profile = {"base_url": "https://characters.example", "read_only": False, "key": {"env": VARIABLE}}
    table = {"format": "chartui-profiles", "version": 1, "default": "far", "profiles": {"far": profile}}
    write_private(Path(os.environ["CHARTUI_CONFIG_DIR"]) / "profiles.toml", as_toml(table).encode())
    return service


@_EVERY
def test_the_rest_is_written_and_the_odd_element_counted(
    shape: Shape, words: tuple[str, ...], service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.odd = (shape.path, shape.body)
    status = main(words)
    out, err = capsys.readouterr()
    assert status == 0 or _JUDGES.intersection(words), err
    warnings = [line for line in err.splitlines() if line.startswith("warning: ")]
    others_only = shape.path == "list" and words[:2] != ("characters", "list")
    if not shape.says or others_only:
        assert not warnings
    elif ": " in shape.says:
        assert [line for line in warnings if line.startswith(f"warning: {shape.says}.")] == warnings != []
    else:
        assert len(warnings) > 1
    if words == COMMANDS[shape.path][0]:
        assert all(text in out for text in shape.shows), out
    assert not [text for text in shape.hides if text in out]
    assert out
    if "--json" in words:
        loads(out)


@pytest.mark.parametrize("words", [words for many in COMMANDS.values() for words in many], ids=" ".join)
def test_nothing_is_said_where_everything_can_be_read(
    words: tuple[str, ...], service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == (1 if "compare" in words else 0)
    assert "warning: " not in capsys.readouterr().err


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape.says and shape.path != "getResponse"], ids=str)
def test_the_command_that_is_named_writes_the_element_as_it_came(
    shape: Shape, service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.odd = (shape.path, shape.body)
    main(COMMANDS[shape.path][0])
    first = capsys.readouterr().err.splitlines()[0]
    _, _, command = first.partition(": chartui ")
    assert main(shlex.split(command)) == 0
    assert shape.raw in capsys.readouterr().out


def test_of_many_reasons_the_first_are_said_and_the_others_counted(
    service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    odd: list[Any] = [None, [], {}, True]
    records: list[Any] = [*({"character_id": one} for one in odd), None, "x", 1, []]
    service.odd = ("list", {"characters": [{"character_id": "c1", "character_name": "Mara Finch"}, *records, None]})
    assert main(("characters", "list", "--json")) == 0
    out, err = capsys.readouterr()
    assert [record["character_id"] for record in loads(out)["characters"]] == ["c1"]
    *reasons, last = err.splitlines()
    assert len(reasons) == 5
    assert last == "warning: … and 3 more reasons. See the full response: chartui call list-characters --profile far"


@pytest.mark.parametrize(
    "words",
    [
        ("characters", "show", "c9"),
        ("characters", "set", "c9", "--temperature", "0.5", "--dry-run"),
        ("narrative", "show", "c9"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_character_that_is_not_found_may_be_the_unreadable_record(
    words: tuple[str, ...], service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.odd = ("list", {"characters": [*SOUND["list"]["characters"], {"character_name": "Nobody"}]})
    assert main(words) != 0
    err = capsys.readouterr().err
    assert "No character named “c9”" in err
    assert "warning: 1 record could not be read: character_id: missing." in err
    assert main([word.replace("c9", "c1") for word in words]) == 0
    assert "could not be read" not in capsys.readouterr().err


def test_a_turn_is_not_sent_again_to_look_at_it(service: OddService, capsys: pytest.CaptureFixture[str]) -> None:
    service.odd = ("getResponse", {"text": "Hello", "actionSequence": {"a": 1}})
    assert main(("act", "c1", "Go.", "--actions", "Rings")) == 0
    out, err = capsys.readouterr()
    assert err.startswith("warning: 1 member could not be read: actionSequence: expected text, got an object.\n")
    assert "chartui call" not in err
    assert "(the actions could not be read)" in out


@pytest.mark.parametrize("json", [False, True], ids=["plain", "json"])
@pytest.mark.parametrize("text", ["Internal \x1b[2J <oops", "<html>busy</html>", "NaN,", "{"])
def test_an_answer_to_a_turn_that_is_no_json_is_shown(
    text: str, json: bool, service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.odd = ("getResponse", text)
    assert main(("act", "c1", "Go.", "--actions", "Rings", *(["--json"] if json else []))) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "This turn may have been billed." in err
    assert text.replace("\x1b", "␛") in (loads(err)["error"]["answer"] if json else err)
    assert "\x1b" not in err


@pytest.mark.parametrize(("path", "words"), [("list", ("characters", "list")), ("options", ("options",))])
def test_an_empty_answer_to_a_read_asks_nobody_to_check_anything(
    path: str, words: tuple[str, ...], service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.odd = (path, " ")
    assert main(words) == 3
    assert capsys.readouterr().err == "chartui: characters.example sent an empty response.\n"


def test_turns_that_were_answered_are_written_when_a_later_one_is_not(
    service: OddService, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    recording = tmp_path / "walk.toml"
    for _ in range(2):
        assert main(("act", "c1", "Ring it.", "--actions", "Rings", "--record", str(recording))) == 0
    capsys.readouterr()
    service.odd, service.sound = ("getResponse", "no JSON"), 1
    assert main(("act", "--replay", str(recording))) == 3
    out, err = capsys.readouterr()
    assert "Ring it.  unchanged: 1 step" in out
    assert "stopped after 1 of 2 turns" in err
    assert "no JSON" in err


def test_a_sequence_that_cannot_be_read_is_neither_the_same_nor_recorded(
    service: OddService, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    recording = tmp_path / "walk.toml"
    assert main(("act", "c1", "Ring it.", "--actions", "Rings", "--record", str(recording))) == 0
    before = recording.read_text()
    service.odd = ("getResponse", {"text": "Hello", "actionSequence": {"a": 1}})
    assert main(("act", "--replay", str(recording), "--record", str(recording))) == 1
    assert "the sequence could not be read" in capsys.readouterr().out
    assert recording.read_text() == before
    assert main(("act", "c1", "Ring it.", "--actions", "Rings", "--record", str(recording))) == 2
    out, err = capsys.readouterr()
    assert "Hello" in out
    assert "sent, but not recorded: the sequence of actions in the reply could not be read" in err
    assert recording.read_text() == before


@pytest.mark.parametrize("answer", ["Hello", [{"text": "Hello"}], 12, None])
def test_an_answer_to_a_turn_that_is_no_object_is_written_as_it_came(
    answer: Any, service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.odd = ("getResponse", dumps(answer))
    words = ("act", "c1", "Go.", "--actions", "Rings")
    assert main((*words, "--json")) == 3
    assert loads(capsys.readouterr().out) == answer
    assert main(words) == 3
    assert dumps(answer).strip('"') in capsys.readouterr().out


# -- a graph of which a section could not be read ---------------------------------------------------------------------


@pytest.fixture
def incomplete(service: OddService) -> OddService:
    """The service, with its section “The hall” without an id: a decision and a trigger lead there."""
    gate, hall, road = SOUND["list-sections"]
    service.odd = ("list-sections", [gate, {**hall, "section_id": None}, road])
    return service


@pytest.mark.usefixtures("incomplete")
def test_a_fix_leaves_references_to_an_unreadable_section_alone(
    service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(("narrative", "lint", "c1", "--fix", "--yes")) == 0
    out, _ = capsys.readouterr()
    assert "goes to s2, which may be the unreadable section" in out
    assert {"edit-section", "update-trigger"}.isdisjoint(service.called)


@pytest.mark.usefixtures("incomplete")
@pytest.mark.parametrize(
    "words",
    [
        ("narrative", "show", "c1"),
        ("narrative", "sections", "list", "c1"),
        ("narrative", "sections", "show", "c1", "s1"),
        ("narrative", "triggers", "list", "c1"),
        ("narrative", "triggers", "show", "c1", "t1"),
        ("narrative", "walk", "--character", "c1"),
        ("narrative", "export", "c1", "--format", "mermaid"),
    ],
    ids=lambda words: " ".join(words[1:3]),
)
def test_a_target_that_may_be_an_unreadable_section_is_called_so(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    out, _ = capsys.readouterr()
    assert "may be the unreadable section" in out
    assert "not there" not in out


def test_a_push_neither_makes_nor_deletes_what_may_be_there(
    service: OddService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mara.toml"
    assert main(("pull", "c1", str(file))) == 0
    gate, hall, road = SOUND["list-sections"]
    service.odd = ("list-sections", [gate, {**hall, "section_id": None}, road])
    for more in ((), ("--prune",)):
        assert main(("push", str(file), "c1", "--yes", *more)) == 2
        assert "1 section of “Mara Finch” could not be read" in capsys.readouterr().err
    assert {"create-section", "delete-section", "edit-section", "update-trigger"}.isdisjoint(service.called)


@pytest.mark.parametrize("how", ["--add", "--replace"])
@pytest.mark.parametrize(("path", "noun"), [("list-sections", "section"), ("list-triggers", "trigger")])
def test_an_import_neither_makes_nor_deletes_what_may_be_there(
    path: str, noun: str, how: str, service: OddService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mara.json"
    assert main(("narrative", "export", "c1", str(file))) == 0
    service.odd = (path, [*SOUND[path], {f"{noun}_name": "Odd"}])
    graph = loads(file.read_text())
    graph[f"{noun}s"].append({**graph[f"{noun}s"][0], "id": "more", f"{noun}_name": "More"})
    file.write_text(dumps(graph))
    assert main(("narrative", "import", "c1", str(file), how, "--yes")) == 2
    err = capsys.readouterr().err
    assert f"1 {noun} of “Mara Finch” could not be read ({noun}_id: missing)" in err
    assert f"See this element: chartui call {path}" in err
    assert not [name for name in service.called if name.startswith(("create", "delete", "edit", "update"))]


# -- replies and records of which whole parts are missing -------------------------------------------------------------


@pytest.mark.parametrize(("text", "came"), [("null", "null"), ("[1,2]", "[1, 2]"), ('"Hello"', "Hello")])
def test_a_reply_of_which_nothing_can_be_read_is_shown_and_no_success(
    text: str, came: str, service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.odd = ("getResponse", text)
    assert main(("act", "c1", "Go.", "--actions", "Rings")) == 3
    out, err = capsys.readouterr()
    assert came in out
    assert "The reply could not be read. The turn may have been billed." in err


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"text": "Hello"}, "(the reply has no actionSequence)"),
        ({"text": "Hello", "actionSequence": None}, "(the actions could not be read)"),
    ],
)
def test_a_reply_without_a_sequence_says_so(
    reply: Any, told: str, service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.odd = ("getResponse", reply)
    assert main(("act", "c1", "Go.", "--actions", "Rings")) == 0
    assert told in capsys.readouterr().out


def test_a_member_inside_what_is_no_object_is_not_called_missing(
    service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {"character_id": "c1", "character_name": "Mara Finch", "memory_settings": [1], "character_traits": "[]"}
    service.odd = ("list", {"characters": [record]})
    assert main(("characters", "show", "c1")) == 0
    out, _ = capsys.readouterr()
    assert "could not be read: memory_settings is a list, not an object" in out
    assert "could not be read: character_traits is text, not an object" in out


def test_prices_as_text_are_read_and_options_that_cannot_be_are_counted(
    service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    keyed = [
        {"key": "mdlh_v4_flash", "label": "4", "credits": {"prompt_per_1k": "0.42", "output_per_1k": 1.27}},
        None,
        {"label": "Without a key"},
        {"key": "mdli_5_2", "credits": {"prompt_per_1k": 1.35}},
    ]
    service.odd = ("options", {"api_version": "1", "options": {"llm": keyed}})
    assert main(("options",)) == 0
    out, err = capsys.readouterr()
    [row] = [line.split() for line in out.splitlines() if "mdlh_v4_flash" in line]
    assert row == ["mdlh_v4_flash", "4", "0.42", "1.27"]
    assert "not offered by this service" not in out
    assert "1 option could not be read: expected an option, got null. See this element: chartui call options" in err
    assert "--at /options/llm/1" in err
    assert "--at /options/llm/2" in err


def test_a_pull_of_which_something_is_missing_says_so_and_is_never_pruned_by(
    service: OddService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gate, hall, road = SOUND["list-sections"]
    service.odd = ("list-sections", [{**gate, "decisions": [5, *gate["decisions"]]}, {**hall, "section_id": []}, road])
    file = tmp_path / "mara.toml"
    assert main(("pull", "c1", str(file))) == 1
    assert "The bundle is marked as incomplete" in capsys.readouterr().err
    text = file.read_text()
    assert '"1 decision could not be read: ' in text
    assert '"1 section could not be read: section_id: expected text, got a list"' in text
    assert main(("push", str(file), "c1", "--yes")) == 0
    service.odd = ("", None)
    assert main(("push", str(file), "c1", "--prune", "--yes")) == 2
    assert "The file is incomplete" in capsys.readouterr().err
    assert {"create-section", "delete-section", "edit-section"}.isdisjoint(service.called)


@pytest.mark.parametrize("odd", [{"characters": 5}, "this is no JSON"], ids=["no list", "no JSON"])
def test_a_graph_is_shown_without_the_record_of_its_character(
    odd: Any, service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    service.odd = ("list", odd)
    assert main(("narrative", "show", "c1")) == 0
    out, err = capsys.readouterr()
    assert "Start section unknown" in out
    assert "The gate" in out
    assert "warning: The start section is unknown, because the record could not be read" in err


def test_two_records_of_one_id_are_one_character_of_a_change(
    service: OddService, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {"character_id": "c1", "character_name": "Mara Finch", "temperature": 0.5}
    service.odd = ("list", {"characters": [record, record]})
    words = ("characters", "set", "c1", "--temperature", "0.7", "--dry-run", "--json")
    assert main(words) == 0
    assert len(loads(capsys.readouterr().out)["steps"]) == 1
    assert main(words[:-1]) == 0
    out, err = capsys.readouterr()
    assert "2 records have the ID c1. Only the first is used." in out + err
    assert main(("characters", "list")) == 0
    out, err = capsys.readouterr()
    assert [line.split()[:2] for line in out.splitlines()[1:]] == [["c1", "(!)"]] * 2
    assert err.startswith("warning: 2 records have the ID c1. Only the first is used.\n")
    assert main(("characters", "list", "--json")) == 0
    assert loads(capsys.readouterr().out) == {"characters": [record, record]}
