"""Bundles as files: every mistake told, every text given back, comments kept where they can be."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.bundle.difference import differences
from chartui.core.bundle.merge import wanted
from chartui.core.bundle.model import Bundle, Identities, Identity, slugs
from chartui.core.bundle.present import Present, matching
from chartui.core.bundle.reader import BundleError, read_bundle
from chartui.core.bundle.writer import (
    as_key,
    as_value,
    bundle_text,
    bundle_wire,
    earlier_bundle,
    remember,
    with_ids,
    write_bundle,
)
from chartui.core.narrative.story import Story
from chartui.core.plans.story import story_steps
from chartui.core.spec.models.actions import Person, Thing
from chartui.core.spec.models.characters import Character
from chartui.core.spec.shape import build
from chartui.core.tables import table_in
from chartui.core.text import is_plain
from chartui.core.toml_text import pieces
from tests.core.narrative.graphs import Story as AnyStory
from tests.core.narrative.graphs import stories

from .stories import HOSTILE, reading

HEAD = 'format = "chartui-bundle"\nversion = 1\n'
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
    assert len(read.story.sections) == len(whole.sections)
    assert len(read.story.graph().dangling) == len(whole.graph().dangling)
    assert differences(read, present.bundle(read), "local/c1") == ()
    found = matching(read, whole, "local/c1")
    aim = wanted(read, whole, found, embedded=True, prune=True)
    assert (aim.left_out, aim.unpruned) == ((), ())
    assert story_steps(build(Character, record), whole, aim.story, embedded=True).steps == ()


# -- mistakes ----------------------------------------------------------------------------------------------------------

WRONG = """\
colour = "red"

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
        "Unknown key “colour” in the file",
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
        read_bundle(path)
    path.write_bytes(b"\xff")
    with pytest.raises(BundleError, match="not UTF-8"):
        read_bundle(path)
    with path.open("wb") as file:
        file.truncate(16 * 1024 * 1024 + 1)
    with pytest.raises(BundleError, match="larger than 16 MiB"):
        read_bundle(path)


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
        f'{HEAD}\n[character]\n\n[keys]\n\n[sections.a]\n\n[sections.b]\nname = ""\ndecisions = []\n'
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
    assert bundle_text(bundle) == text
    assert bundle_wire(bundle)["actions"]["scene"]["objects"] == [{"name": "Key", "description": "of brass"}]


def test_what_only_a_service_knows_of_a_decision_is_kept() -> None:
    also = 'also = "{\\"weight\\": 1.5, \\"note\\": null}"'
    way = f'{{ when = "x", to = "a", priority = 2, {also} }}'
    text = f"{HEAD}\n[character]\n\n[sections.a]\ndecisions = [\n    {way},\n]\n"
    bundle = read_bundle(text)
    [read] = bundle.story.sections["a"].decisions or ()
    assert (read.raw["note"], read.priority) == (None, 2)
    assert bundle_text(bundle) == text


# -- an earlier file ---------------------------------------------------------------------------------------------------


def test_the_same_again_changes_no_letter() -> None:
    for text in (EDITED, EDITED.replace("\n", "\r\n")):
        assert bundle_text(read_bundle(text), text) == text


def test_comments_stay_where_something_else_changes() -> None:
    changed = read_bundle(EDITED.replace('"Gate"', '"The gate"').replace("0.5", "0.75").replace("Wait.", "Go."))
    yard = '[sections.yard]\nname = "Yard"\n\n'
    changed = read_bundle(bundle_text(changed).replace("[sections.hall]", f"{yard}[sections.hall]"))
    text = bundle_text(changed, EDITED)
    assert read_bundle(text) == changed
    assert text == EDITED.replace('"Gate"', '"The gate"').replace("0.5", "0.75").replace(
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
    assert read_bundle(bundle_text(bundle, text)) == bundle
    known = {**bundle.ids, "work/c2": Identities(sections={"hall": Identity("h", "1")})}
    told = with_ids(text, known)
    assert read_bundle(told).ids == known
    assert told.startswith(text.partition("[ids]")[0])


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
        assert read_bundle(written) == read_bundle(with_ids(text, bundle.ids)) == bundle
        assert bundle_text(bundle, written) == written
    assert read > 200


def test_new_ids_change_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "mira.toml"
    for text in (EDITED, EDITED.replace("\n", "\r\n")):
        path.write_bytes(text.encode())
        bundle = read_bundle(path)
        remember(path, {**bundle.ids, "work/c2": Identities(sections={"hall": Identity("h", "1")}, seen={"name": "2"})})
        new = path.read_bytes().decode()
        before = text.partition("\r\n[ids." if "\r" in text else "\n[ids.")[0]
        assert new.startswith(before)
        assert "# the end" in new
        assert ("\r\n" in new) == ("\r\n" in text)
        assert read_bundle(path).ids["work/c2"].sections["hall"] == Identity("h", "1")
        remember(path, bundle.ids)
        again = path.read_bytes()
        remember(path, bundle.ids)
        assert path.read_bytes() == again


def test_a_file_is_not_written_over_unasked(tmp_path: Path) -> None:
    path = tmp_path / "mira.toml"
    write_bundle(path, read_bundle(EDITED))
    with pytest.raises(FileExistsError):
        write_bundle(path, read_bundle(EDITED))
    path.write_text("name = 1\n")
    with pytest.raises(BundleError):
        write_bundle(path, read_bundle(EDITED), replace=True)
    assert path.read_text() == "name = 1\n"
