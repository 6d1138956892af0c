"""The texts of a story as CSV: what is written comes back, and edits are found by ID."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings

from chartui.core.narrative.export import Form, export
from chartui.core.narrative.story import Story, decision
from chartui.core.narrative.story_import import IncomingError
from chartui.core.narrative.texts import read_texts, reworded
from chartui.core.spec.models.characters import Character
from chartui.core.spec.shape import build
from chartui.core.text import is_plain

from .graphs import Story as AnyStory
from .graphs import stories

HEAD = "id,kind,place,text\n"
GATE = '"Who is there?" She waits,\nthen asks again.'


def gate_and_hall() -> Story:
    story = Story(sections={}, triggers={}, start="s1")
    ways = [decision("gives a name", "s2", priority=1), decision("= 5", "s2", priority=2), decision("*", "s1")]
    story = story.with_section("s1", name="Gate", objective=GATE, decisions=ways).with_section("s2", name="Hall")
    return story.with_trigger("t1", name="bell", message="It rings.", destination="s1")


def written(story: Story) -> str:
    return export(story, Form.TEXTS, "Mira")


def imported(story: Story, text: str, folder: Path, *, encoding: str = "utf-8") -> tuple[Story, list[str]]:
    path = folder / "texts.csv"
    path.write_bytes(text.encode(encoding))
    made = reworded(story, read_texts(path))
    return made.story, list(made.notes())


def test_every_text_is_a_row_with_its_place() -> None:
    assert list(csv.reader(io.StringIO(written(gate_and_hall())))) == [
        ["id", "kind", "place", "text"],
        ["s1/name", "section name", "Gate", "Gate"],
        ["s1/objective", "objective", "Gate", GATE],
        ["s1/decision/s2/1", "criteria", "Gate → Hall", "gives a name"],
        ["s1/decision/s2/2", "criteria", "Gate → Hall", "'= 5"],
        ["s2/name", "section name", "Hall", "Hall"],
        ["s2/objective", "objective", "Hall", ""],
        ["t1/trigger-name", "trigger name", "bell", "bell"],
        ["t1/message", "message", "bell", "It rings."],
    ]


def test_edits_are_found_by_their_ids(tmp_path: Path) -> None:
    story = gate_and_hall()
    text = written(story)
    edits = {
        "gives a name": "nennt einen Namen",
        "'= 5": "'= 6",
        "It rings.": "Es läutet.",
        "name,Hall,Hall": "name,Hall,Halle",
    }
    for before, after in edits.items():
        assert text.count(before) == 1
        text = text.replace(before, after)
    made, notes = imported(story, text, tmp_path)
    assert notes == []
    first, second, always = made.sections["s1"].decisions or ()
    assert (first.criteria, first.next_section_id, first.priority) == ("nennt einen Namen", "s2", 1)
    assert (second.criteria, second.priority, always.criteria) == ("= 6", 2, "*")
    assert (made.sections["s2"].section_name, made.triggers["t1"].trigger_message) == ("Halle", "Es läutet.")
    assert made.sections["s1"].objective == GATE
    # The IDs contain no texts, so the same file can be imported again.
    assert imported(made, text, tmp_path)[0] == made


@pytest.mark.parametrize("separator", [";", "\t"])
def test_what_a_spreadsheet_saves_is_read(tmp_path: Path, separator: str) -> None:
    story = gate_and_hall()
    rows = [(*row, "note") for row in csv.reader(io.StringIO(written(story)))]
    file = io.StringIO()
    csv.writer(file, delimiter=separator, lineterminator="\r\n", quoting=csv.QUOTE_ALL).writerows(
        [cell.replace("\n", "\r\n").replace("Gate", "Tor") for cell in row] for row in rows
    )
    made, notes = imported(story, file.getvalue(), tmp_path, encoding="utf-8-sig")
    assert notes == []
    assert made == story.with_section("s1", name="Tor")
    made, _ = imported(story, f"{HEAD}s1/name,,,A\u2028B\n", tmp_path)
    assert made.sections["s1"].section_name == "A\u2028B"


def test_ids_that_do_not_match_are_reported_and_change_nothing(tmp_path: Path) -> None:
    story = gate_and_hall()
    text = f"{HEAD}s1/name,,,\ns9/objective,,,New\ns1/objective,,,Ask.\ns1/decision/s2/3,,,x\n"
    made, notes = imported(story, text, tmp_path)
    assert made == story.with_section("s1", objective="Ask.")
    assert notes == [
        "Not in the story: s9/objective (line 3), s1/decision/s2/3 (line 5).",
        "Not in the file, so unchanged: s1/decision/s2/1, s1/decision/s2/2, s2/name, s2/objective, t1/trigger-name, "
        "t1/message.",
        "Empty in the file, so unchanged: s1/name.",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "texts.csv:1: the first line must name the columns id, kind, place, text."),
        ("id,words\n", "texts.csv:1: the first line must name"),
        (f'{HEAD}s1/name,,,"a\nb"\ns1/objective,x\n', "texts.csv:4: a row needs 4 columns and an ID."),
        (f"{HEAD},,,x\n", "texts.csv:2: a row needs 4 columns and an ID."),
        (f"{HEAD}s1/name,,,a\n\ns1/name,,,b\n", "texts.csv:4: the ID s1/name is also on line 2."),
        (f'{HEAD}s1/name,,,"a\n', "texts.csv:2: not CSV: unexpected end of data."),
    ],
)
def test_mistakes_are_reported_with_their_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(IncomingError) as refused:
        imported(gate_and_hall(), text, tmp_path)
    assert f"{tmp_path}/{told}" in str(refused.value)


@given(stories(largest=20))
@settings(deadline=None)
def test_any_story_comes_back_unchanged(tmp_path_factory: pytest.TempPathFactory, story: AnyStory) -> None:
    whole = Story.of(build(Character, {"character_id": "c1"}), story.sections, story.triggers)
    text = written(whole)
    assert is_plain(text.replace("\n", ""))
    made, notes = imported(whole, text, tmp_path_factory.getbasetemp())
    assert made == whole
    assert notes == []


def test_characters_that_a_file_cannot_show_are_kept_where_a_text_is_unchanged(tmp_path: Path) -> None:
    empty = Story(sections={}, triggers={})
    story = empty.with_section("x", name="\x1b[2J=1", objective="'=a\r\n\tb \x07").with_section("y", name="-y")
    text = written(story)
    assert is_plain(text.replace("\n", ""))
    assert imported(story, text, tmp_path)[0] == story
    edited = text.replace("name,'-y,'-y", "name,'-y,-z")
    assert imported(story, edited, tmp_path)[0] == story.with_section("y", name="-z")
