"""``chartui narrative export|import``: files for other programs, and stories from such files."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.core.jsontext import dumps
from chartui.core.narrative.export import FORMS, Form
from chartui.core.narrative.twee import read
from chartui.core.text import is_plain

from .conftest import Run
from .test_text import HOSTILE

pytestmark = pytest.mark.usefixtures("repeatable")

TWEE = """\
:: StoryTitle
The tide

:: StoryData
{"start": "Landing"}

:: Landing [beach]
Greet whoever lands. <<set $tide to 1>>
[[They climb the stairs->Stairs]]

:: Stairs
Two hundred of them.
[[They turn round->Landing]]
[[They fly->Nowhere yet]]
"""


@pytest.fixture
def empty(run: Run, demo_ids: dict[str, str]) -> str:
    assert demo_ids
    return run("characters", "create", "Nobody yet", "--yes").out.strip()


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tide.twee").write_text(TWEE)
    return "tide.twee"


def names(run: Run, character_id: str) -> list[str]:
    shown = run("narrative", "show", character_id, "--json").value
    return [section["section_name"] for section in shown["sections"]]


# -- out --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", Form)
def test_a_graph_is_written_in_every_form(form: Form, run: Run, elena: str, tmp_path: Path) -> None:
    printed = run("narrative", "export", elena, "--format", form.value)
    assert (printed.status, printed.err) == (0, "")
    assert "Welcome at the door" in printed.out
    path = tmp_path / f"graph{FORMS[form].suffix}"
    written = run("narrative", "export", elena, str(path))
    assert (written.status, written.out) == (0, "")
    assert written.err == f"wrote {path}: 40 sections and 3 triggers\n"
    assert path.read_text(encoding="utf-8") == printed.out


def test_the_form_that_is_written_without_a_choice(run: Run, elena: str) -> None:
    assert run("narrative", "export", elena).out.splitlines()[3] == "flowchart TD"
    value = run("narrative", "export", elena, "--json").value
    assert (value["format"], value["title"], len(value["sections"])) == ("chartui-graph", "Elena Marsh", 40)


def test_a_file_is_only_overwritten_when_that_is_asked_for(run: Run, elena: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    path.write_text("mine")
    refused = run("narrative", "export", elena, str(path), "--format", "dot")
    assert (refused.status, path.read_text()) == (2, "mine")
    assert "--force overwrites it" in refused.err
    result = run("narrative", "export", elena, str(path), "--format", "dot", "--force", "--json")
    assert result.value == {"file": str(path), "format": "dot", "sections": 40, "triggers": 3}
    assert path.read_text().startswith("digraph")


def test_a_choice_that_cannot_be_meant(run: Run, elena: str) -> None:
    unknown = run("narrative", "export", elena, "graph.txt")
    assert unknown.status == 2
    assert (
        "which format? Give --format, or a file name that ends in one of .mmd, .dot, .json, .md, .twee, .html"
        in unknown.err
    )
    assert run("narrative", "export", elena, "--json", "--format", "dot").status == 2
    assert run("narrative", "export", "nobody").status == 3


# -- in ---------------------------------------------------------------------------------------------------------------


def test_a_story_comes_into_an_empty_graph_and_goes_out_again(run: Run, empty: str, story: str) -> None:
    result = run("narrative", "import", empty, story, "--yes")
    assert result.status == 0
    assert result.err.splitlines()[:5] == [
        "“The tide”: read 3 sections and 0 triggers; 4 remarks",
        "  line 7: The tag “beach” is left out.",
        "  line 8, Landing: <<set>>: story-format code, kept as text.",
        "  line 8, Landing: $tide: variables, kept as text.",
        "  line 14, Stairs: Passage “Nowhere yet” is missing, so an empty section takes its place.",
    ]
    assert names(run, empty) == ["Landing", "Stairs", "Nowhere yet"]
    again = read(run("narrative", "export", empty, "--format", "twee").out)
    assert [one.section_name for one in again.story.sections.values()] == names(run, empty)
    assert again.story.start is not None
    nothing = run("narrative", "import", empty, story, "--replace", "--yes")
    assert (nothing.status, nothing.err.splitlines()[-1]) == (0, "No changes needed. Nothing was sent.")


def test_one_story_of_a_twine_archive_is_chosen(run: Run, empty: str, tmp_path: Path) -> None:
    stories = (
        f'<tw-storydata name="{title}"><tw-passagedata pid="1" name="{name}">Hi.</tw-passagedata></tw-storydata>'
        for title, name in (("The tide", "Beach"), ("The gate", "Door"))
    )
    path = tmp_path / "library.html"
    path.write_text("\n".join(stories), encoding="utf-8")
    several = run("narrative", "import", empty, str(path), "--yes")
    assert several.status == 2
    assert "several stories: “The tide”, “The gate”. Choose one with --story TITLE." in several.err
    assert run("narrative", "import", empty, str(path), "--story", "The gate", "--yes").status == 0
    assert names(run, empty) == ["Door"]


def test_texts_go_out_and_come_back(run: Run, elena: str, tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    assert run("narrative", "export", elena, str(path)).status == 0
    assert run("narrative", "export", elena, "--format", "texts").out == path.read_text(encoding="utf-8")
    unchanged = run("narrative", "import", elena, str(path), "--yes")
    assert (unchanged.status, "of which 0 differ" in unchanged.err) == (0, True)

    before = run("narrative", "export", elena, "--format", "json").value["sections"]
    text = path.read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if "/decision/" in line and '"' not in line)
    said = row.rpartition(",")[2]
    path.write_text(text.replace(row, row.removesuffix(said) + "They wave"), encoding="utf-8")
    shown = run("narrative", "import", elena, str(path), "--dry-run")
    assert (shown.status, said in shown.out, "They wave" in shown.out) == (0, True, True)
    told = run("narrative", "import", elena, str(path), "--yes", "--json").value
    assert (told["changed"], told["unknown"], told["missing"], told["empty"], told["done"]) == (1, [], [], [], 1)
    after = run("narrative", "export", elena, "--format", "json").value["sections"]
    assert dumps(before).replace(f'"criteria": "{said}"', '"criteria": "They wave"') == dumps(after)

    path.write_text(f"id,text\n{row.partition(',')[0]},They nod\nother/name,x\n", encoding="utf-8")
    partial = run("narrative", "import", elena, str(path), "--yes")
    assert partial.status == 1
    assert "Not in the story: other/name (line 3)." in partial.err
    assert "Not in the file, so unchanged: " in partial.err
    assert "They nod" in run("narrative", "export", elena, "--format", "texts").out
    assert run("narrative", "import", elena, str(path), "--add").status == 2


def test_a_graph_that_is_there_is_not_touched_unasked(run: Run, elena: str, story: str) -> None:
    result = run("narrative", "import", elena, story, "--yes")
    assert result.status == 2
    assert "the graph already has 40 sections and 3 triggers: use --add to keep them" in result.err
    assert run("narrative", "import", elena, story, "--add", "--replace").status == 2
    assert len(names(run, elena)) == 40
    assert run("narrative", "import", elena, story, "--add", "--yes").status == 0
    assert names(run, elena)[40:] == ["Landing", "Stairs", "Nowhere yet"]


def test_a_replacement_keeps_what_is_called_the_same(run: Run, empty: str, story: str, tmp_path: Path) -> None:
    run("narrative", "import", empty, story, "--yes")
    before = {one["section_name"]: one for one in run("narrative", "show", empty, "--json").value["sections"]}
    (tmp_path / story).write_text(TWEE.replace("Nowhere yet", "Sky").replace("Two hundred", "Three hundred"))
    plan = run("narrative", "import", empty, story, "--replace", "--dry-run", "--json").value
    assert [step["operation"] for step in plan["plan"]["steps"]] == ["create-section", "edit-section", "delete-section"]
    assert [remark["kind"] for remark in plan["remarks"]] == ["tags", "code", "variable", "missing"]
    assert [remark["lost"] for remark in plan["remarks"]] == [True, False, False, False]
    done = run("narrative", "import", empty, story, "--replace", "--yes", "--json").value
    assert (done["title"], done["sections"], done["done"]) == ("The tide", 3, 3)
    after = {one["section_name"]: one for one in run("narrative", "show", empty, "--json").value["sections"]}
    assert set(after) == {"Landing", "Stairs", "Sky"}
    assert after["Stairs"]["section_id"] == before["Stairs"]["section_id"]
    assert after["Stairs"]["objective"] == "Three hundred of them."


def test_a_graph_goes_from_one_character_to_another(run: Run, elena: str, empty: str, tmp_path: Path) -> None:
    path = str(tmp_path / "graph.json")
    assert run("narrative", "export", elena, path).status == 0
    assert run("narrative", "import", empty, str(path), "--yes").status == 0
    first, second = (run("narrative", "export", one, "--format", "markdown").out for one in (elena, empty))
    assert second.splitlines()[1:] == first.splitlines()[1:]
    again = run("narrative", "import", elena, path, "--replace", "--dry-run")
    assert (
        again.err
        == "“Elena Marsh”: read 40 sections and 3 triggers; no remarks\nNo changes needed. Nothing was sent.\n"
    )


def test_what_a_service_cannot_be_told_stands_in_the_plan(run: Run, story: str, scripted: object) -> None:
    assert callable(scripted)
    record = {"character_id": "c", "character_name": "Nobody", "start_narrative_section_id": "old"}
    old = {"section_id": "old", "section_name": "Old", "objective": "", "decisions": None}
    scripted(embedded=False, list_characters={"characters": [record]}, list_sections=[old], list_triggers=[])
    result = run("narrative", "import", "c", story, "--replace", "--dry-run")
    assert result.status == 0
    assert "The service cannot set the story's start to “Landing”." in result.out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bundle.toml", "looks like a bundle; use 'chartui push'"),
        ("story.txt", "the name must end in .twee, .tw, .html or .json."),
        ("gone.twee", "cannot be read: No such file or directory."),
    ],
)
def test_files_that_are_none(name: str, said: str, run: Run, empty: str) -> None:
    result = run("narrative", "import", empty, name, "--yes")
    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_names_of_a_file_are_shown_and_never_obeyed(run: Run, empty: str, tmp_path: Path) -> None:
    path = tmp_path / "story.json"
    record = {
        "id": "a",
        "name": HOSTILE,
        "decisions": [{"criteria": HOSTILE, "target": HOSTILE}, {"criteria": "x", "target": "a"}],
    }
    trigger = {"id": "t", "name": HOSTILE, "message": HOSTILE, "target": "a"}
    document = {"format": "chartui-graph", "version": 1, "title": HOSTILE, "sections": [record], "triggers": [trigger]}
    path.write_text(dumps(document))
    result = run("narrative", "import", empty, str(path), "--yes")
    assert (result.status, is_plain(result.err.replace("\n", ""))) == (0, True), result.err
    for form in Form:
        written = run("narrative", "export", empty, "--format", form.value)
        assert (written.status, is_plain(written.out.replace("\n", ""))) == (0, True)
