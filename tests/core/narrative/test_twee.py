"""Twee 3: what becomes of passages and links, what is told of the rest, and what is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.narrative import twine
from chartui.core.narrative.export import Form, export
from chartui.core.narrative.story import Story, decision
from chartui.core.narrative.story_import import Incoming, IncomingError, Misfit, Remark, read_incoming
from chartui.core.narrative.twee import read
from chartui.core.narrative.twee_syntax import escaped, links, passages, without_links
from chartui.core.tables import BadTable
from tests.core.narrative import graphs
from tests.core.narrative.graphs import stories

LIGHTHOUSE = """\
:: StoryTitle
The lighthouse

:: StoryData
{
  "ifid": "0B4C1F0E-6B8D-4E0E-9B8C-1D2F3A4B5C6D",
  "format": "SugarCube",
  "start": "Landing"
}

:: Landing {"position":"100,100"}

The boat leaves you at the foot of the stairs.
You can [[climb them->Stairs]] or wait for the tide.

* [[Look at the boat|Boat]]
* [[Boat<-Call after the boat]]


:: Stairs [dark indoors]
Two hundred steps. [[Lamp room]]
[[*->Landing]]

:: Boat [dark]
It is gone.

:: Lamp room
The lamp is out.
"""


def sections(found: Incoming) -> dict[str, str]:
    return {str(one.section_name): str(one.objective) for one in found.story.sections.values()}


def ways(found: Incoming, name: str) -> list[tuple[str, str]]:
    graph = found.story.graph()
    (section,) = (one for one in found.story.sections.values() if one.section_name == name)
    return [(way.criteria, graph.section_name(way.next_section_id)) for way in section.decisions or ()]


def told(found: Incoming) -> list[tuple[Misfit, str, tuple[int, ...], bool]]:
    return [(remark.misfit, remark.place, remark.lines, remark.lost) for remark in found.remarks]


def test_passages_are_sections_and_links_are_decisions() -> None:
    found = read(LIGHTHOUSE)
    assert found.title == "The lighthouse"
    assert sections(found) == {
        "Landing": "The boat leaves you at the foot of the stairs.\nYou can climb them or wait for the tide.",
        "Stairs": "Two hundred steps. Lamp room",
        "Boat": "It is gone.",
        "Lamp room": "The lamp is out.",
    }
    assert ways(found, "Landing") == [
        ("climb them", "Stairs"),
        ("Look at the boat", "Boat"),
        ("Call after the boat", "Boat"),
    ]
    assert ways(found, "Stairs") == [("Lamp room", "Lamp room"), ("*", "Landing")]
    graph = found.story.graph()
    assert graph.section_name(str(graph.start)) == "Landing"
    assert not graph.dangling
    assert told(found) == [
        (Misfit.TAGS, "", (20, 24), True),
        (Misfit.TAGS, "", (20,), True),
        (Misfit.IMMEDIATE, "Stairs", (22,), False),
    ]


@pytest.mark.parametrize(
    ("text", "words", "target"),
    [
        ("[[Hall]]", "Hall", "Hall"),
        ("[[ go  in -> The  hall ]]", "go in", "The hall"),
        ("[[Hall<-go in]]", "go in", "Hall"),
        ("[[go in|Hall]]", "go in", "Hall"),
        ("[[a->b->Hall]]", "a->b", "Hall"),
        ("[[a|b->Hall]]", "a|b", "Hall"),
        ("[[->Hall]]", "Hall", "Hall"),
        ("(if: $x)[[[go in->Hall]]]", "go in", "Hall"),
        ("[[lost and [[go in->Hall]]", "go in", "Hall"),
        ("[[go in|Hall][$seen to true]]", "go in", "Hall"),
        ('(link-goto: "go in", "Hall")', "go in", "Hall"),
        ("(link-goto: 'Hall')", "Hall", "Hall"),
        ('<<link "go in" "Hall">><</link>>', "go in", "Hall"),
        ("<<button 'go in' 'Hall'>><</button>>", "go in", "Hall"),
    ],
)
def test_the_ways_to_write_a_link(text: str, words: str, target: str) -> None:
    (link,) = links(f"before {text} behind")
    assert (link.words, link.target) == (words, target)


@pytest.mark.parametrize(
    "text",
    ["[[]]", "[[a->]]", "[[a\nb]]", "[[a->b", "a]]", "[a->b]", '(link-goto: $words, "Hall")', "<<link [img[x]]>>"],
)
def test_what_is_no_link(text: str) -> None:
    assert links(text) == []
    assert without_links(text, []) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("One.\n- [[a->b]]\n[[c]], [[d]]\n\nTwo.", "One.\n\nTwo."),
        ("One [[a->b]] and [[c|d]].", "One a and c."),
        ("[[a->b]]", ""),
        ("1. [[a->b]]\n2) [[c]]", ""),
        ("\n[[a]] is near.\n\n[[b]]", "a is near."),
    ],
)
def test_lines_of_links_alone_are_left_out_and_words_in_sentences_stay(text: str, left: str) -> None:
    assert without_links(text, links(text)) == left


def test_what_is_meant_for_a_program_is_told_with_its_lines() -> None:
    found = read(
        "words of nobody\n"
        ":: StoryInit\n<<set $gold to 3>>\n"
        ":: Rules [script]\nalert(1);\n"
        ":: Look [stylesheet]\nbody { color: red }\n"
        ":: Frame [header]\nOnly for players.\n"
        ":: Start\n<<if $gold gt 2>>You are rich.<<else>>Poor.<</if>>\n"
        "(if: $gold > 2)[Rich.] <b>Bold</b> <speak>Hear!</speak>\n"
        "A note (aside: this is plain). $5 each.\n"
        "[[pay|Shop][$gold to 0]]\n"
        "[[out->https://example.org]] [[back->$last]]\n"
        "[[beyond->Nowhere yet]]\n"
        ":: Shop\n:: Shop\nAgain. <% code %> /* remark */\n"
        "::\nNo name.\n"
    )
    assert told(found) == [
        (Misfit.STRAY, "", (1,), True),
        (Misfit.SPECIAL, "StoryInit", (2,), True),
        (Misfit.SCRIPT, "Rules", (4,), True),
        (Misfit.STYLE, "Look", (6,), True),
        (Misfit.SPECIAL, "Frame", (8,), True),
        (Misfit.CODE, "Start", (11, 12), False),
        (Misfit.VARIABLE, "Start", (11, 12, 15), False),
        (Misfit.MARKUP, "Start", (12,), False),
        (Misfit.SETTER, "Start", (14,), True),
        (Misfit.LINK, "Start", (15,), False),
        (Misfit.LINK, "Start", (15,), False),
        (Misfit.MISSING, "Start", (16,), False),
        (Misfit.DUPLICATE, "Shop", (18,), False),
        (Misfit.CODE, "Shop", (19,), False),
        (Misfit.MARKUP, "Shop", (19,), False),
        (Misfit.NAME, "", (20,), False),
    ]
    said = {remark.misfit: remark.said for remark in found.remarks}
    assert said[Misfit.VARIABLE] == "$gold, $last: variables, kept as text."
    assert list(sections(found)) == ["Start", "Shop", "Shop (2)", "Passage on line 20", "Nowhere yet"]
    assert ways(found, "Start") == [("pay", "Shop"), ("beyond", "Nowhere yet")]
    start = sections(found)["Start"]
    assert start.startswith("<<if $gold gt 2>>You are rich.")
    assert "[[out->https://example.org]] [[back->$last]]" in start
    assert found.lost == 6


def test_code_is_told_once_for_each_kind_and_passage_with_some_examples() -> None:
    code = "\n".join(f"<<m{number}>>" for number in range(9))
    (remark,) = read(f":: Start\n{code}").remarks
    assert remark == Remark(
        misfit=Misfit.CODE,
        said="<<m0>>, <<m1>>, <<m2>>, <<m3>>, …: story-format code, kept as text.",
        place="Start",
        lines=tuple(range(2, 11)),
    )


def test_a_passage_that_only_code_leads_to_is_named() -> None:
    found = read(
        ':: Start\n<<display "Cellar">> <<goto "Start">> (go-to: "Attic") <<set $x to "Cellar">>\n'
        '(link-goto: "Up", "Attic")\n<<include "Nothing">>\n:: Cellar\n:: Attic\n'
    )
    (named,) = (remark for remark in found.remarks if remark.misfit is Misfit.NAMED)
    assert named.said == "“Cellar”, “Attic”: only code links to the passage, so no decision goes to it."
    assert (named.place, named.lines, named.lost) == ("Start", (2,), True)
    # The macro that is read as a link is gone, and nothing is said of it.
    (code,) = (remark for remark in found.remarks if remark.misfit is Misfit.CODE)
    assert "link-goto" not in code.said
    assert ways(found, "Start") == [("Up", "Attic")]


def test_a_format_decides_what_parentheses_mean() -> None:
    body = ":: Start\n(aside: words)"
    assert read(body).remarks == ()
    harlowe = f':: StoryData\n{{"format": "Harlowe", "start": "Start"}}\n{body}'
    assert [remark.misfit for remark in read(harlowe).remarks] == [Misfit.CODE]


@pytest.mark.parametrize(
    ("data", "begins", "misfits"),
    [
        ('{"start": "End"}', "End", []),
        ('{"start": "Start"}', "Start", []),
        ("{}", "Start", []),
        ('{"start": "Gone"}', "Start", [Misfit.START]),
        ('{"start": 1}', "Start", []),
        ("{oops", "Start", [Misfit.DATA]),
        ("[]", "Start", [Misfit.DATA]),
    ],
)
def test_where_a_story_begins(data: str, begins: str, misfits: list[Misfit]) -> None:
    found = read(f":: StoryData\n{data}\n\n:: Start\n[[End]]\n\n:: End\nIt ends.")
    assert found.story.graph().section_name(str(found.story.start)) == begins
    assert [remark.misfit for remark in found.remarks] == misfits


def test_a_link_to_nothing_is_told_with_what_may_be_meant() -> None:
    found = read(":: Start\n[[back->start]]\n[[on->Cellar]]\n")
    assert [remark.said for remark in found.remarks] == [
        "Passage “start” is missing, so an empty section takes its place. Did you mean “Start”?",
        "Passage “Cellar” is missing, so an empty section takes its place.",
    ]


def test_a_story_that_begins_nowhere_says_so() -> None:
    found = read(":: One\n[[Two]]\n:: Two\n")
    assert found.story.start is None
    assert [remark.misfit for remark in found.remarks] == [Misfit.START]


def test_names_and_tags_may_hold_any_sign() -> None:
    name, tag = r"a [b] {c} \d", "x]y"
    header = f'::{escaped(name)} [{escaped(tag)} z] {{"position":"1,2"}}'
    (passage,), lines, stray = passages(f"{header}\r\n\r\ntext\r\n")
    assert (passage.name, passage.tags) == (name, (tag, "z"))
    assert (passage.text, passage.line, passage.text_line) == ("text", 1, 3)
    assert (lines, stray) == (4, 0)
    (bare,) = passages(":: a {not closed").passages
    assert (bare.name, bare.tags) == ("a", ())


@given(st.text(st.sampled_from('[]{}\\<->|":$ \nab*/%('), max_size=200))
@settings(deadline=None)
def test_nothing_that_a_passage_holds_breaks_the_reader(text: str) -> None:
    found = read(f":: Start\n{text}")
    assert not found.story.graph().dangling
    lines = text.count("\n") + 2
    assert all(1 <= line <= lines for remark in found.remarks for line in remark.lines)


def test_a_text_without_passages_is_none() -> None:
    with pytest.raises(BadTable, match="the file contains no passages"):
        read("Once upon a time")


def test_a_great_file_of_brackets_is_read_at_once() -> None:
    found = read(":: Start\n" + "[[a" * 100_000 + "\n" + "[[" * 100_000 + "]]" * 100_000)
    assert len(found.story.sections) == 1


# -- writing ----------------------------------------------------------------------------------------------------------


def plain(story: Story) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """A story without ids, its decisions in the order in which they are tried."""
    graph = story.graph()
    return [
        (
            graph.section_name(section_id),
            one.objective or "",
            [(edge.criteria, graph.section_name(edge.target)) for edge in graph.edges[section_id]],
        )
        for section_id, one in graph.sections.items()
    ]


READERS: Mapping[Form, Callable[[str], Incoming]] = {Form.TWEE: read, Form.TWINE: twine.read}


@pytest.mark.parametrize("form", READERS)
@given(drawn=stories(largest=30))
@settings(deadline=None)
def test_what_is_written_is_read_back(form: Form, drawn: graphs.Story) -> None:
    story = Story.of(None, drawn.sections, drawn.triggers).starting_at(drawn.start)
    graph = story.graph()
    found = READERS[form](export(story, form, "A story"))
    read_graph = found.story.graph()
    assert found.title == "A story"
    # What is not there has become an empty section, and another of the same id one of new name.
    assert plain(found.story)[: len(graph.sections)] == plain(story)
    if graph.start in graph.sections:
        assert read_graph.section_name(str(read_graph.start)) == graph.start
    assert [one.trigger_name for one in found.story.triggers.values()][: len(graph.triggers)] == [
        one.trigger_name for one in story.triggers.values()
    ]
    for one in list(found.story.triggers.values())[: len(graph.triggers)]:
        (before,) = (t for t in story.triggers.values() if t.trigger_name == one.trigger_name)
        destination = read_graph.section_name(one.destination_section) if one.destination_section else None
        assert destination == (before.destination_section or None)


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize(
    "sign", ["->", "<-", "|", "[[", "]]", "][", "[x]", "::", "\\", "{", "]", "<", "&lt;", '"', "</tw-passagedata>", "&"]
)
def test_signs_of_links_and_passages_break_nothing(sign: str, form: Form) -> None:
    story = (
        Story(sections={}, triggers={})
        .with_section("a", name=f"{sign}a{sign}", objective=f"{sign}\n{sign} word [[x->y]]")
        .with_section("b", name=sign)
        .with_section("a", decisions=[decision(sign, "b"), decision(f"{sign} {sign}", "a")])
        .starting_at("b")
    )
    found = READERS[form](export(story, form, sign)).story
    first, second = found.sections
    assert [way.next_section_id for way in found.sections[first].decisions or ()] == [second, first]
    assert not found.sections[second].decisions
    assert found.start == second


# -- files ------------------------------------------------------------------------------------------------------------


def test_files_that_are_none(tmp_path: Path) -> None:
    def refused(name: str, data: bytes | None, problem: str) -> None:
        path = tmp_path / name
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(IncomingError, match=re.escape(problem)):
            read_incoming(path)

    refused("story.txt", b"", "the name must end in .twee, .tw, .html or .json.")
    refused("story.html", b"<p>Hello</p>", "the file contains no Twine 2 story.")
    refused("story.twee", None, "cannot be read: No such file or directory.")
    refused("story.tw", b":: Start\n\xff", "not UTF-8.")
    refused("empty.twee", b"", "the file contains no passages")
    refused("story.json", b"{}", "not an exported graph")
    refused("large.twee", b":" * (16 * 1024 * 1024 + 1), "is larger than 16 MiB")
    refused("a\0b.twee", None, "not a valid file name.")


def test_a_mark_of_byte_order_is_no_word(tmp_path: Path) -> None:
    path = tmp_path / "story.TWEE"
    path.write_bytes(b"\xef\xbb\xbf" + LIGHTHOUSE.replace("\n", "\r\n").encode())
    assert read_incoming(path).story == read(LIGHTHOUSE).story


def test_the_files_of_a_folder_are_one_story(tmp_path: Path) -> None:
    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())

    write("a.twee", ":: StoryTitle\r\nThe tide\r\n\r\n:: Start [x]\r\n[[Cellar]]\r\n$gold")
    write("parts/b.tw", "stray words\n\n:: Cellar [x]\n\n<<if $a>>\n[[on->Nowhere]]\n")
    write("parts/c.json", "{}")
    write(".git/d.twee", ":: Hidden\n")
    found = read_incoming(tmp_path)
    assert found.title == "The tide"
    assert list(sections(found)) == ["Start", "Cellar", "Nowhere"]
    assert sections(found)["Start"] == "$gold"
    assert [(remark.misfit, remark.file, remark.lines) for remark in found.remarks] == [
        (Misfit.TAGS, "a.twee", (4,)),
        (Misfit.TAGS, "parts/b.tw", (3,)),
        (Misfit.VARIABLE, "a.twee", (6,)),
        (Misfit.STRAY, "parts/b.tw", (1,)),
        (Misfit.CODE, "parts/b.tw", (5,)),
        (Misfit.VARIABLE, "parts/b.tw", (5,)),
        (Misfit.MISSING, "parts/b.tw", (6,)),
    ]
    (tmp_path / "empty").mkdir()
    with pytest.raises(IncomingError, match="the folder contains no Twee files"):
        read_incoming(tmp_path / "empty")
