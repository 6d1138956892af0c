"""A graph in other forms: every node and every edge in each, and no name that could mean something there."""

from __future__ import annotations

import csv
import html
import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.jsontext import loads
from chartui.core.narrative.diagram import ShapeKind, diagram
from chartui.core.narrative.export import FORMS, Form, export
from chartui.core.narrative.graph import ReferenceKind
from chartui.core.narrative.graph_json import facts, read
from chartui.core.narrative.story import LeadKind, Story
from chartui.core.tables import BadTable
from chartui.core.text import is_plain
from tests.core.narrative import graphs
from tests.core.narrative.graphs import section, stories, trigger
from tests.long import examples

#: Names that mean something to one form or another, to a terminal, or to who reads the form.
HOSTILE = (
    "a;b",
    "a]b",
    "<b>x</b>",
    '"quoted"',
    "end",
    "`*md*` [x](y)",
    "🗡 sword",
    "%%{init: {}}%%",
    "fa:fa-bolt",
    "1. first",
    "- dash",
    "# heading",
    "back\\slash\\N",
    "&amp; &#34; #quot;",
    "\x1b]0;title\x07",
    "\u202eright to left",
    "two\nlines",
    "a|b --> c",
)


def story_of(drawn: graphs.Story) -> Story:
    found = Story.of(None, drawn.sections, drawn.triggers)
    return found.starting_at(drawn.start)


TOUR = story_of(
    graphs.Story(
        [
            section(
                "hall",
                ("asks", "vault"),
                ("*", "exit"),
                ("late", "attic"),
                overrides={"fire": "cellar", "ghost": "exit", "bell": None},
            ),
            section("vault", ("back", "hall"), ("gone", "nope")),
            section("exit"),
            section("cellar"),
            section("attic", ("looks", "attic")),
        ],
        [trigger("fire", "exit"), trigger("bell"), trigger("thief", "nope")],
        "hall",
    )
)


def test_a_drawing_has_what_is_there_and_what_is_missing() -> None:
    drawn = diagram(TOUR.graph())
    assert [(node.key, node.label) for node in drawn.nodes if node.kind is ShapeKind.MISSING] == [("m0", "nope")]
    assert [node.label for node in drawn.nodes if not node.reachable and node.kind is ShapeKind.SECTION] == ["Attic"]
    assert [node.key for node in drawn.nodes if node.kind is ShapeKind.NOWHERE] == ["nowhere"]
    never = [(line.label, line.target) for line in drawn.lines if line.never_runs]
    assert never == [("late", "s4"), ("ghost", "s2")]
    assert [node.words(" ") for node in drawn.nodes] == [
        "▶ Hall", "Vault", "∎ Exit", "∎ Cellar", "↛ Attic (unreachable)", "ϟ Fire", "ϟ Bell", "ϟ Thief",
        "∅ nope (missing)", "nowhere",
    ]  # fmt: skip
    lost = diagram(replace(TOUR, start="lost").graph())
    assert [node.words(" ") for node in lost.nodes if node.starts] == ["▶ ∅ lost (missing)"]


def test_the_borders_of_a_drawing_show_start_and_endings() -> None:
    dot = export(TOUR, Form.DOT, "Tour")
    assert re.search(r's0 \[label="▶ Hall", shape="box", style="rounded,bold", tooltip', dot)
    assert re.search(r's2 \[label="∎ Exit", shape="box", style="rounded", peripheries="2", tooltip', dot)
    assert 't0 [label="ϟ Fire", shape="cds", style="solid"' in dot
    mermaid = export(TOUR, Form.MERMAID, "Tour")
    for line in ('s0["▶ Hall"]:::start', 's2[["∎ Exit"]]', 't0(["ϟ Fire"]):::trigger'):
        assert f"    {line}\n" in mermaid


@given(stories(largest=60))
@settings(deadline=None)
def test_every_form_has_every_node_and_every_edge(drawn: graphs.Story) -> None:
    story = story_of(drawn)
    graph = story.graph()
    picture = diagram(graph)
    decisions = sum(len(one.decisions or ()) for one in drawn.sections)
    overrides = sum(len(one.triggers or ()) for one in drawn.sections)
    fired = sum(bool(one.destination_section) for one in drawn.triggers)
    kinds = Counter(line.kind for line in picture.lines)
    assert (kinds[LeadKind.DECISION], kinds[LeadKind.OVERRIDE], kinds[LeadKind.TRIGGER]) == (
        decisions,
        overrides,
        fired,
    )
    assert Counter(node.kind for node in picture.nodes)[ShapeKind.SECTION] == len(drawn.sections)
    keys = {node.key for node in picture.nodes}
    assert len(keys) == len(picture.nodes)
    assert all({line.source, line.target} <= keys for line in picture.lines)
    missing: set[str | None] = {one.target for one in graph.dangling if one.kind is not ReferenceKind.OVERRIDDEN}
    missing |= {way.next_section_id for one in graph.duplicate_sections for way in one.decisions or ()}
    missing |= {one.destination_section for way in graph.duplicate_sections for one in way.triggers or ()}
    missing |= {one.destination_section for one in graph.duplicate_triggers}
    assert sum(node.kind is ShapeKind.MISSING for node in picture.nodes) == len(
        missing - graph.sections.keys() - {None, ""}
    )

    dot = export(story, Form.DOT, "A story").splitlines()
    assert sum(bool(re.match(r"  (?!node )\w+ \[", line)) for line in dot) == len(picture.nodes)
    assert sum(bool(re.match(r"  \w+ -> \w+ \[", line)) for line in dot) == len(picture.lines)
    mermaid = export(story, Form.MERMAID, "A story").splitlines()
    assert sum(bool(re.match(r"    \w+[(\[{]", line)) for line in mermaid) == len(picture.nodes)
    assert sum(bool(re.match(r"    \w+ (-->|==>|-\.->)", line)) for line in mermaid) == len(picture.lines)
    markdown = export(story, Form.MARKDOWN, "A story").splitlines()
    assert sum(line.startswith("### ") for line in markdown) == len(drawn.sections)
    assert sum(bool(re.match(r"[0-9]+\. ", line)) for line in markdown) == decisions
    assert sum(line.startswith("- ϟ ") for line in markdown) == overrides + len(drawn.triggers)


@given(stories(largest=40))
@settings(deadline=None)
def test_what_is_written_as_json_is_read_back(drawn: graphs.Story) -> None:
    story = story_of(drawn)
    document = export(story, Form.JSON, "A story")
    title, again = read(document)
    assert title == "A story"
    assert facts(again, title) == loads(document)
    assert (again.start, again.enabled) == (story.start or None, story.enabled)
    graph, other = story.graph(), again.graph()
    assert other.edges == graph.edges
    assert other.dangling == graph.dangling


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_means_anything(form: Form, name: str) -> None:
    story = Story.of(
        None,
        [section("a", (name, "b"), (name, name), name=name, overrides={"t": "b"}), section("b", name="Quiet")],
        [trigger("t", "a", name=name)],
    ).with_section("a", objective=f"{name}\n:: {name}".replace("two\nlines", "two lines"))
    plain = story_of(
        graphs.Story(
            [section("a", ("n", "b"), ("n", "m"), name="N", overrides={"t": "b"}), section("b", name="Quiet")],
            [trigger("t", "a", name="N")],
            None,
        )
    )
    plain = plain.with_section("a", objective="N\n:: N")
    text = export(story.starting_at("a"), form, name)
    assert is_plain(text.replace("\n", " "))
    assert text.endswith("\n")
    # As many lines as with names that mean nothing: nothing begins where nothing should.
    if form is Form.TEXTS:  # its cells may have several lines
        assert len(list(csv.reader(text.splitlines(keepends=True)))) == 9
    elif form is not Form.JSON:
        assert len(text.splitlines()) == len(export(plain.starting_at("a"), form, "N").splitlines())


def labels(mermaid: str) -> list[str]:
    found = re.findall(r'"((?:[^"])*)"', mermaid.split("flowchart TD\n")[1])
    return [re.sub(r"#([0-9]+);", lambda match: chr(int(match[1])), label) for label in found]


@pytest.mark.parametrize("name", [name for name in HOSTILE if is_plain(name)])
def test_a_label_of_mermaid_reads_as_the_name(name: str) -> None:
    text = export(Story.of(None, [section("a", (name, "a"), name=name)], []).starting_at("a"), Form.MERMAID, name)
    assert labels(text) == [f"▶ {name}", name]
    inside = re.findall(r'"([^"]*)"', text.split("flowchart TD\n")[1])
    assert not any(re.search(r'[;"<>&`|\\\[\]{}%@]', re.sub(r"#[0-9]+;", "", label)) for label in inside)


@pytest.mark.parametrize("name", [name for name in HOSTILE if is_plain(name)])
def test_a_label_of_dot_reads_as_the_name(name: str) -> None:
    text = export(Story.of(None, [section("a", (name, "a"), name=name)], []).starting_at("a"), Form.DOT, "t")
    found = re.findall(r'label="((?:[^"\\]|\\.)*)"', text)
    read = [html.unescape(re.sub(r"\\(.)", r"\1", label)) for label in found]
    assert read == ["t", f"▶ {name}", name]


def test_what_is_wrong_with_a_document_is_told_with_its_place() -> None:
    head = '{"format": "chartui-graph", "version": 1, '
    for document, problem in {
        "[": "not JSON",
        "[]": "the document must be an object.",
        "{}": "not an exported graph",
        '{"format": "chartui-graph", "version": 2}': "unknown version 2",
        head + '"sections": {}}': "sections must be a list.",
        head + '"sections": [1]}': "sections[0] must be an object.",
        head + '"sections": [{}]}': "sections[0].id must be text.",
        head + '"sections": [{"id": "a", "decisions": [{"criteria": "x"}]}]}': "decisions[0].target must be text.",
        head
        + '"sections": [{"id": "a", "decisions": [{"criteria": "x", "target": "a", "priority": "1"}]}]}': "priority",
        head + '"triggers": [{"id": 1}]}': "triggers[0].id must be text.",
    }.items():
        with pytest.raises(BadTable, match=re.escape(problem)):
            read(document)


def test_a_document_for_people_reads_well() -> None:
    assert export(TOUR.with_section("hall", objective="Say:\n# welcome\n1. twice"), Form.MARKDOWN, "The *tour*") == (
        "# The \\*tour\\*\n\n"
        "5 sections, 3 triggers. Start: [Hall](#s1).\n\n"
        "## Sections\n\n"
        '### <a id="s1"></a>Hall\n\n'
        "> Say:\\\n> \\# welcome\\\n> 1\\. twice\n\n"
        "1. asks → [Vault](#s2)\n"
        "2. \\* → [Exit](#s3)\n"
        "3. late → [Attic](#s5) (never runs)\n"
        "- ϟ Fire → [Cellar](#s4)\n"
        "- ϟ ghost → [Exit](#s3) (never fires)\n"
        "- ϟ Bell → nowhere\n\n"
        "Incoming: [Vault](#s2).\n\n"
        '### <a id="s2"></a>Vault\n\n'
        "1. back → ↩ [Hall](#s1)\n"
        "2. gone → ∅ nope (missing)\n\n"
        "Incoming: [Hall](#s1).\n\n"
        '### <a id="s3"></a>Exit\n\n'
        "Incoming: [Hall](#s1).\n\n"
        '### <a id="s4"></a>Cellar\n\n'
        "## Unreachable\n\n"
        '### <a id="s5"></a>Attic\n\n'
        "1. looks → ↩ [Attic](#s5)\n\n"
        "Incoming: [Hall](#s1), [Attic](#s5).\n\n"
        "## Triggers\n\n"
        "- ϟ Fire → [Exit](#s3)\n"
        "- ϟ Bell → nowhere\n"
        "- ϟ Thief → ∅ nope (missing)\n\n"
        "## Dangling references\n\n"
        "- Hall: override of ghost → ∅ ghost\n"
        "- Vault: gone → ∅ nope\n"
        "- trigger Thief → ∅ nope\n"
    )


def test_forms_are_told_apart_by_the_endings_of_their_files() -> None:
    assert set(FORMS) == set(Form)
    assert len({one.suffix for one in FORMS.values()}) == len(Form)


@pytest.mark.parametrize("form", Form)
def test_an_empty_story_is_a_text_as_well(form: Form) -> None:
    assert export(Story(sections={}, triggers={}), form, "").endswith("\n")


@given(st.sampled_from(list(Form)), stories(largest=20))
@settings(deadline=None, max_examples=examples(40))
def test_the_same_story_is_the_same_text(form: Form, drawn: graphs.Story) -> None:
    assert export(story_of(drawn), form, "t") == export(story_of(drawn), form, "t")
