"""Bundles as files: every mistake told, every text given back, comments kept where they can be."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.bundle.difference import differences
from chartui.core.bundle.files import earlier_bundle, load, remember, write_bundle
from chartui.core.bundle.merge import wanted
from chartui.core.bundle.model import Bundle, Identities, Identity, slugs
from chartui.core.bundle.present import Present, matching
from chartui.core.bundle.reader import BundleError, read_bundle
from chartui.core.bundle.writer import as_key, as_value, bundle_text, bundle_wire, section_text, without_ids
from chartui.core.narrative.story import Story
from chartui.core.plans.story import story_steps
from chartui.core.spec.models.actions import Person, Thing
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.shape import build
from chartui.core.tables import table_in
from chartui.core.text import is_plain
from chartui.core.toml_text import pieces
from tests.core.narrative.graphs import Story as AnyStory
from tests.core.narrative.graphs import stories

from .stories import HOSTILE, reading

HEAD = 'format = "chartui-bundle"\nversion = 1\n'
SCHEMA = "#:schema ./bundle.schema.json\n"
#: As a person leaves it: remarks, an order of their own, forms that the program does not write.
EDITED = """\
# The gate keeper.
format = "chartui-bundle"
version = 1

# who
[character]  # she
temperature = 0.5  # not too wild
name = 'Mira'

# the way in
[sections.gate]
name = "Gate" # first
decisions = [
    # the good ones
    { when = "gives a \\"name\\" # no comment", to = "hall" },  # and in
]
objective = '''
Ask.
Wait.'''

# not much here
[sections.hall]

[ids."local/c1".sections]
gate = { id = "s1" } # known

# the end
"""


def test_a_text_comes_back_whatever_it_is() -> None:
    for text in HOSTILE:
        written = f"x = {as_value(text)}\n[{as_key(text)}]\n"
        read = table_in(written.encode())
        assert read == {"x": text, text: {}} if text != "x" else True
        assert is_plain(written.replace("\n", ""))


@given(st.text(alphabet=st.sampled_from("\"\\\n\r\t #'a\u0301\u202eé") | st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back(text: str) -> None:
    _comes_back(text)
    _comes_back(f"{text}. {'a' * 90}. {text}! {text}")


def _comes_back(text: str) -> None:
    written = f"[t]\na = [{as_value(text)}]\nb = {as_value(text)} # rest\n"
    assert table_in(written.encode()) == {"t": {"a": [text], "b": text}}
    found, tail = pieces(written)
    assert "".join(piece.text for piece in found) + tail == written
    assert [piece.path for piece in found] == [("t",), ("t", "a"), ("t", "b")]


def test_half_a_character_is_in_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"U\+D800"):
        write_bundle(tmp_path / "a.toml", Bundle(name="\ud800"))
    assert list(tmp_path.glob("*.toml*")) == []


def test_slugs_are_made_of_names_and_stay() -> None:
    named = [("1", "Élan vital!"), ("2", "elan vital"), ("3", "日本"), ("4", None), ("5", "Elan-vital 2")]
    assert slugs(named, otherwise="section") == {
        "1": "elan-vital",
        "2": "elan-vital-2",
        "3": "section",
        "4": "section-2",
        "5": "elan-vital-2-2",
    }
    kept = slugs(named[:2], kept={"2": "mine", "1": "elan-vital-2"}, otherwise="section")
    assert kept == {"1": "elan-vital-2", "2": "mine"}


@given(stories(largest=60))
@settings(deadline=None)
def test_any_graph_comes_back_from_its_file(story: AnyStory) -> None:
    """Damaged in every way: duplicates, references to nothing, cycles; nothing that can be addressed is lost."""
    record = {"character_id": "c1", "start_narrative_section_id": story.start}
    whole = Story.of(build(Character, record), story.sections, story.triggers)
    present = Present(key="local/c1", reading=reading(), story=whole)
    bundle = present.bundle()
    text = bundle_text(bundle)
    read = read_bundle(text)
    assert bundle_text(read) == text
    read = replace(read, ids=bundle.ids)
    assert len(read.story.sections) == len(whole.sections)
    assert len(read.story.graph().dangling) == len(whole.graph().dangling)
    assert differences(read, present.bundle(read), "local/c1") == ()
    found = matching(read, whole, "local/c1")
    aim = wanted(read, whole, found, embedded=True, prune=True)
    assert (aim.left_out, aim.unpruned) == ((), ())
    assert story_steps(build(Character, record), whole, aim.story, embedded=True).steps == ()


# -- mistakes ----------------------------------------------------------------------------------------------------------

WRONG = """\
color = "red"

[character]
name = 5
temperature = "warm"
narrative = "on"
start = "gat"
unread = ["mood"]

[actions]
actions = "Takes"

[actions.scene]
text = "Hello."

[keys]
Name = 3

[sections.gate]
objective = ["a"]
decisions = [{ to = "hal" }, { when = "x", to = "hall", priority = 1.5, also = "[" }, { when = "x", to = "" }, 7]
overrides = [{ trigger = "bel", to = "hall" }]

[sections."the hall"]

[sections.hall]
nam = "Hall"

[triggers.bell]
to = "gaet"

[ids.local]
x = 1

[ids."local/c1".sections]
gate = "s1"
"""


def test_every_mistake_is_told_with_its_place() -> None:
    with pytest.raises(BundleError) as refused:
        read_bundle(HEAD + WRONG, where="wrong.toml")
    told = str(refused.value)
    for place in (
        "Unknown key “color” in the file",
        "character.name must be text",
        "character.temperature must be a number",
        "character.narrative must be true or false",
        "Unknown section “gat” in character.start. Did you mean “gate”?",
        "Unknown key “mood” in character.unread[0]",
        "actions.actions must be a list of strings",
        "Unknown key “text” in [actions.scene]",
        "keys.Name must be text",
        "sections.gate.objective must be text",
        "sections.gate.decisions[0].when is missing",
        "Unknown section “hal” in sections.gate.decisions[0].to",
        "sections.gate.decisions[1].priority must be a whole number",
        "sections.gate.decisions[1].also is not JSON",
        "sections.gate.decisions[2].to must name a section",
        "sections.gate.decisions[3] must be a table",
        "Unknown trigger “bel” in sections.gate.overrides[0].trigger",
        'sections."the hall" is not a valid name',
        "Unknown key “nam” in [sections.hall]. Did you mean “name”?",
        "Unknown section “gaet” in triggers.bell.to",
        'ids."local" must be named PROFILE/CHARACTER-ID',
        "Unknown key “x”",
        'ids."local/c1".sections.gate must be a table',
    ):
        assert place in told, place
    assert all(re.match(r"wrong\.toml:[0-9]+: ", line) for line in refused.value.lines)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", 'must start with: format = "chartui-bundle"'),
        ('format = "chartui-bundle"\nversion = 2\n', "version 2 is not supported"),
        (f"{HEAD}[", "not TOML"),
        (f"{HEAD}character = 1\nsections = []\nids = 3\n", "character must be a table"),
    ],
)
def test_what_is_no_bundle_is_refused(text: str, told: str) -> None:
    with pytest.raises(BundleError, match=r".") as refused:
        read_bundle(text)
    assert told in str(refused.value)


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    assert earlier_bundle(path) is None
    with pytest.raises(BundleError, match="cannot be read"):
        load(path)
    path.write_bytes(b"\xff")
    with pytest.raises(BundleError, match="not UTF-8"):
        load(path)
    with path.open("wb") as file:
        file.truncate(16 * 1024 * 1024 + 1)
    with pytest.raises(BundleError, match="larger than 16 MiB"):
        load(path)


# -- what a file says --------------------------------------------------------------------------------------------------


def test_absent_is_null_and_an_empty_list_is_empty() -> None:
    bundle = read_bundle(
        f'{HEAD}[sections.a]\n[sections.b]\nname = ""\ndecisions = []\n[triggers.t]\nto = ""\n[keys]\n'
    )
    a, b = bundle.story.sections["a"], bundle.story.sections["b"]
    assert (a.section_name, a.objective, a.decisions, a.triggers) == (None, None, None, None)
    assert (b.section_name, b.decisions) == ("", ())
    assert bundle.story.triggers["t"].destination_section == ""
    assert (bundle.name, bundle.settings, bundle.actions, bundle.scene, bundle.keys) == (None, {}, None, None, {})
    assert bundle_text(bundle) == (
        f'{SCHEMA}{HEAD}\n[character]\n\n[keys]\n\n[sections.a]\n\n[sections.b]\nname = ""\ndecisions = []\n'
        '\n[triggers.t]\nto = ""\n'
    )


def test_the_action_setup_is_kept() -> None:
    text = f"""{HEAD}
[character]

[actions]
actions = ["Takes", "Gives"]

[actions.scene]
actions = ["Takes"]
objects = [
    {{ name = "Key", description = "of brass" }},
]
characters = [
    {{ name = "Mira", bio = "a smith" }},
]
"""
    bundle = read_bundle(text)
    assert bundle.scene is not None
    assert (bundle.scene.objects, bundle.scene.people) == (
        (Thing(name="Key", description="of brass"),),
        (Person(name="Mira", bio="a smith"),),
    )
    assert bundle_text(bundle) == SCHEMA + text
    assert bundle_wire(bundle)["actions"]["scene"]["objects"] == [{"name": "Key", "description": "of brass"}]


def test_what_only_a_service_knows_of_a_decision_is_kept() -> None:
    also = 'also = "{\\"weight\\": 1.5, \\"note\\": null}"'
    way = f'{{ when = "x", to = "a", priority = 2, {also} }}'
    text = f"{HEAD}\n[character]\n\n[sections.a]\ndecisions = [\n    {way},\n]\n"
    bundle = read_bundle(text)
    [read] = bundle.story.sections["a"].decisions or ()
    assert (read.raw["note"], read.priority) == (None, 2)
    assert bundle_text(bundle) == SCHEMA + text


# -- an earlier file ---------------------------------------------------------------------------------------------------


def test_the_same_again_changes_no_letter() -> None:
    for text in (EDITED, EDITED.replace("\n", "\r\n")):
        text = without_ids(text)
        assert bundle_text(read_bundle(text), text) == text


def test_comments_stay_where_something_else_changes() -> None:
    changed = read_bundle(EDITED.replace('"Gate"', '"The gate"').replace("0.5", "0.75").replace("Wait.", "Go."))
    yard = '[sections.yard]\nname = "Yard"\n\n'
    changed = read_bundle(bundle_text(changed).replace("[sections.hall]", f"{yard}[sections.hall]"))
    text = bundle_text(changed, EDITED)
    assert read_bundle(text) == replace(changed, ids={})
    assert text == without_ids(EDITED).replace('"Gate"', '"The gate"').replace("0.5", "0.75").replace(
        "'''\nAsk.\nWait.'''", '"""\nAsk.\nGo."""'
    ).replace("# not much here", f"{yard}# not much here")


def test_other_forms_of_toml_are_read_and_written_as_ours() -> None:
    text = f"""{HEAD}
character.name = "Mira"
sections.gate = {{ name = "Gate" }}

[[sections.hall.decisions]]
when = "x"
to = "gate"

[ids]
"local/c1" = {{ sections = {{ gate = {{ id = "s1" }} }} }}
"""
    bundle = read_bundle(text)
    assert bundle.ids == {"local/c1": Identities(sections={"gate": Identity("s1")})}
    assert read_bundle(bundle_text(bundle, text)) == replace(bundle, ids={}) == read_bundle(without_ids(text))
    assert without_ids(text) == text.partition("\n[ids]")[0]


#: What slips into a file that is edited by hand.
SLIPS = (
    *('"', "'", '"""', "'" * 3, "[", "]", "{", "}", "=", "#", "\n", ",", ".", "\\", "to", "id:", "1", "true", "inf"),
    *("1979-05-27", "[sections]\n", "ids.x = 1\n", "\r\n", "\t", " ", "é", "\u202e", "when", "also = '{}'"),
    "[[sections.gate.decisions]]\nwhen = 'a'\nto = 'hall'\n",
)


def test_a_file_that_is_edited_at_random_is_refused_or_comes_back() -> None:
    random = Random(5)
    read = 0
    for _ in range(1500):
        text = EDITED
        for _ in range(random.choice((1, 1, 2))):
            place = random.randrange(len(text))
            slip, gone = random.choice(SLIPS), random.choice((0, 0, 1, 3))
            text = f"{text[:place]}{slip}{text[place + gone :]}"
        try:
            bundle = read_bundle(text)
        except BundleError:
            continue
        read += 1
        written = bundle_text(bundle, text)
        assert read_bundle(written) == read_bundle(without_ids(text)) == replace(bundle, ids={})
        assert bundle_text(bundle, written) == written
    assert read > 200


# -- the lock file -----------------------------------------------------------------------------------------------------

KNOWN = {
    "local/c1": Identities(sections={"gate": Identity("s1", "0a"), "hall": Identity("s2")}, seen={"name": "0b"}),
    "local/": Identities(plan="p1"),
}
LOCK = """\
# IDs and digests per profile, as of the last pull or push. Written by chartui; keep it with the bundle.
format = "chartui-lock"
version = 1

profiles."local/" = { plan = "p1" }
profiles."local/c1" = {}

character.name."local/c1" = "0b"

sections.gate."local/c1" = { id = "s1", seen = "0a" }

sections.hall."local/c1" = { id = "s2" }
"""


def test_new_ids_leave_the_bundle_alone(tmp_path: Path) -> None:
    """The IDs in a file of an earlier version are moved to the lock file; nothing else in the file changes."""
    path = tmp_path / "mira.toml"
    for text in (EDITED, EDITED.replace("\n", "\r\n")):
        path.write_bytes(text.encode())
        (tmp_path / "mira.lock").unlink(missing_ok=True)
        assert load(path).bundle.ids == {"local/c1": Identities(sections={"gate": Identity("s1")})}
        remember(path, KNOWN)
        assert path.read_bytes() == without_ids(text).encode()
        assert path.read_bytes().decode().startswith(text[: text.index("[ids.")].rstrip())
        assert (tmp_path / "mira.lock").read_text() == LOCK
        assert load(path).bundle.ids == KNOWN
        before = path.stat().st_mtime_ns, (tmp_path / "mira.lock").stat().st_mtime_ns
        remember(path, KNOWN)
        assert before == (path.stat().st_mtime_ns, (tmp_path / "mira.lock").stat().st_mtime_ns)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LOCK.replace("sections.gate", "<<<<<<< ours\nsections.gate"), "mira.lock:10: not TOML"),
        (LOCK.replace("chartui-lock", "other"), "mira.lock:2: the file must start with"),
        (LOCK.replace('id = "s2"', "id = 2"), 'mira.lock:12: sections.hall."local/c1".id must be text'),
        (LOCK.replace('{ id = "s2" }', '"s2"'), 'mira.lock:12: sections.hall."local/c1" must be a table'),
        (LOCK.replace("plan", "plans"), "mira.lock:5: Unknown key “plans”"),
        (
            LOCK.replace('profiles."local/c1"', "profiles.local"),
            'mira.lock:6: profiles."local" must be named PROFILE/CHARACTER-ID',
        ),
    ],
)
def test_mistakes_in_a_lock_file_are_reported_and_nothing_is_overwritten(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "mira.toml"
    (tmp_path / "mira.lock").write_text(text)
    path.write_text(f"{HEAD}[sections.gate]\n[sections.hall]\n")
    with pytest.raises(BundleError, match=re.escape(told)):
        load(path)
    path.unlink()
    with pytest.raises(BundleError):
        write_bundle(path, Bundle())
    assert not path.exists()
    assert (tmp_path / "mira.lock").read_text() == text


def test_the_lines_of_both_sides_of_a_merge_are_united(tmp_path: Path) -> None:
    path = tmp_path / "mira.toml"
    path.write_text(f"{HEAD}[sections.gate]\n[sections.hall]\n")
    theirs = LOCK.replace("local/c1", "local/c2").replace('"s1"', '"t1"').replace('seen = "0a"', 'seen = "0c"')
    again = LOCK.replace('seen = "0a"', 'seen = "0d"')
    (tmp_path / "mira.lock").write_text(f"{LOCK}{theirs}{again}")
    ids = load(path).bundle.ids
    assert ids["local/c1"].sections == {"gate": Identity("s1", "0a 0d"), "hall": Identity("s2")}
    assert ids["local/c2"].sections["gate"] == Identity("t1", "0c")
    assert ids["local/c1"].seen == {"name": "0b"}
    # Two IDs for one section on one profile: only a person knows which of the two to keep.
    (tmp_path / "mira.lock").write_text(LOCK + LOCK.replace('"s2"', '"s3"'))
    with pytest.raises(BundleError, match=r"mira\.lock:24: not TOML"):
        load(path)


def test_a_file_is_not_written_over_unasked(tmp_path: Path) -> None:
    path = tmp_path / "mira.toml"
    write_bundle(path, read_bundle(EDITED))
    with pytest.raises(FileExistsError):
        write_bundle(path, read_bundle(EDITED))
    path.write_text("name = 1\n")
    with pytest.raises(BundleError):
        write_bundle(path, read_bundle(EDITED), replace=True)
    assert path.read_text() == "name = 1\n"


# -- a folder ----------------------------------------------------------------------------------------------------------


def test_a_folder_has_a_file_per_section(tmp_path: Path) -> None:
    bundle = replace(read_bundle(EDITED), ids=KNOWN)
    write_bundle(tmp_path / "mira", bundle, folder=True)
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert files == ["mira/bundle.lock", "mira/bundle.toml", "mira/sections/gate.toml", "mira/sections/hall.toml"]
    for path in (tmp_path / "mira", tmp_path / "mira" / "bundle.toml"):
        assert load(path).bundle == bundle
    assert (tmp_path / "mira" / "bundle.lock").read_text() == LOCK
    gate = tmp_path / "mira" / "sections" / "gate.toml"
    assert gate.read_text() == section_text(bundle.story.sections["gate"])
    assert gate.read_text().startswith(
        '#:schema ../section.schema.json\nformat = "chartui-section"\nversion = 1\nname ='
    )

    gate.write_text(gate.read_text().replace("name =", "# the way in\nname ="))
    fewer = replace(
        bundle.story, sections={"gate": build(Section, {**bundle.story.sections["gate"].raw, "decisions": None})}
    )
    with pytest.raises(FileExistsError):
        write_bundle(tmp_path / "mira", replace(bundle, story=fewer))
    write_bundle(tmp_path / "mira", replace(bundle, story=fewer), replace=True)
    assert [path.name for path in (tmp_path / "mira" / "sections").iterdir()] == ["gate.toml"]
    assert "# the way in\nname = " in gate.read_text()
    assert "decisions" not in gate.read_text()


def test_mistakes_name_the_file_of_the_section(tmp_path: Path) -> None:
    write_bundle(tmp_path, read_bundle(EDITED), folder=True)
    gate, hall = (tmp_path / "sections" / f"{name}.toml" for name in ("gate", "hall"))
    gate.write_text(gate.read_text().replace('to = "hall"', 'to = "hal"'))
    hall.write_text(f"{hall.read_text()}nam = 1\n")
    main = tmp_path / "bundle.toml"
    main.write_text(main.read_text().replace("temperature = 0.5", 'temperature = "warm"'))
    with pytest.raises(BundleError) as refused:
        load(tmp_path)
    [first, second, third] = refused.value.lines
    assert first.startswith(f"{main}:8: character.temperature must be a number")
    assert second.startswith(f"{gate}:9: Unknown section “hal” in sections.gate.decisions[0].to")
    assert third.startswith(f"{hall}:4: Unknown key “nam”")
    assert [line.split(":")[0] for line in refused.value.short_lines] == ["bundle.toml", "gate.toml", "hall.toml"]
    gate.write_text("<<<<<<< ours\n")
    with pytest.raises(BundleError, match=r"gate\.toml:1: not TOML"):
        load(tmp_path)


def test_the_main_file_alone_is_not_a_bundle_without_sections(tmp_path: Path) -> None:
    """Otherwise a push that prunes would delete every section."""
    write_bundle(tmp_path, read_bundle(EDITED), folder=True)
    with pytest.raises(BundleError, match="the sections are in other files"):
        read_bundle((tmp_path / "bundle.toml").read_text())


# -- sentences ---------------------------------------------------------------------------------------------------------


def test_a_changed_sentence_is_a_changed_line() -> None:
    text = 'She asks who is there. "Who goes?" Then she waits for an answer… and waits! '
    text += "「誰ですか。」門は閉まっている。She sleeps."
    written = as_value(text)
    assert written == (
        '"""\nShe asks who is there. \\\n\\"Who goes?\\" \\\nThen she waits for an answer… \\\nand waits! \\\n'
        '「誰ですか。」\\\n門は閉まっている。\\\nShe sleeps."""'
    ).replace('\\"', '"')
    assert table_in(f"x = {written}".encode()) == {"x": text}
    other = as_value(text.replace("門は閉まっている", "門は開いている"))
    changed = [one for one in zip(written.splitlines(), other.splitlines(), strict=True) if len(set(one)) > 1]
    assert len(changed) == 1
    assert as_value("Short. So it stays.") == '"Short. So it stays."'
