"""Stories as Twine writes them: HTML with the program that plays them, or an archive."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.core.narrative.export import Form, export
from chartui.core.narrative.story import Story
from chartui.core.narrative.story_import import Misfit, SeveralIncoming, read_incoming
from chartui.core.narrative.twine import read

PUBLISHED = """<!DOCTYPE html>
<html><head><title>The tide</title><script>if (1 < 2 && "<tw-passagedata>") { play(); }</script></head>
<body><tw-story></tw-story>
<tw-storydata name="The  tide" startnode="2" creator="Twine" creator-version="2.9.2" format="Harlowe"
  format-version="3.3.9" ifid="0" options="" tags="" zoom="1" hidden>
<style role="stylesheet" id="twine-user-stylesheet" type="text/twine-css">body { color: red }</style>
<script role="script" id="twine-user-script" type="text/twine-javascript"></script>
<tw-passagedata pid="1" name="Cellar &amp; well" tags="dark wet" position="1,2" size="100,100">
It is &quot;dark&quot; &amp; 1 &lt; 2.

[[up-&gt;Stairs]]
(set: $lamp to 1)</tw-passagedata>
<tw-passagedata pid="2" name="Stairs" tags="" position="1,2" size="100,100">[[They go down-&gt;Cellar &amp; well]]
[[They leave-&gt;Beach]]</tw-passagedata>
</tw-storydata></body></html>
"""
ANOTHER = """<tw-storydata name="{title}" startnode="7">
<tw-passagedata pid="7" name="{title}">Hi</tw-passagedata></tw-storydata>"""


def archive(*titles: str) -> str:
    return "\n\n".join(ANOTHER.format(title=title) for title in titles)


def test_a_published_story_with_what_does_not_fit_and_where() -> None:
    found = read(PUBLISHED)
    graph = found.story.graph()
    assert found.title == "The tide"
    assert graph.section_name(str(found.story.start)) == "Stairs"
    told = {one.section_name: one.objective for one in found.story.sections.values()}
    assert told == {"Cellar & well": 'It is "dark" & 1 < 2.\n\n(set: $lamp to 1)', "Stairs": "", "Beach": ""}
    ways = [[(edge.criteria, graph.section_name(edge.target)) for edge in graph.edges[key]] for key in graph.sections]
    assert ways == [
        [("up", "Stairs")],
        [("They go down", "Cellar & well"), ("They leave", "Beach")],
        [],
    ]
    assert [(remark.misfit, remark.lines) for remark in found.remarks] == [
        (Misfit.STYLE, (6,)),
        (Misfit.TAGS, (8,)),
        (Misfit.TAGS, (8,)),
        (Misfit.CODE, (12,)),
        (Misfit.VARIABLE, (12,)),
        (Misfit.MISSING, (14,)),
    ]


def test_one_story_of_an_archive_is_chosen_by_its_title(tmp_path: Path) -> None:
    path = tmp_path / "library.html"
    path.write_text(archive("Tide", "Gate", "Gate"), encoding="utf-8")
    with pytest.raises(SeveralIncoming, match="several stories: “Tide”, “Gate”, “Gate”") as refused:
        read_incoming(path)
    assert refused.value.titles == ["Tide", "Gate", "Gate"]
    assert read_incoming(path, "Gate").title == "Gate"
    with pytest.raises(SeveralIncoming, match=r"no story “Door”\. The stories in the file: “Tide”"):
        read_incoming(path, "Door")
    path.write_text(archive("Tide"), encoding="utf-8")
    assert read_incoming(path).title == "Tide"


def test_a_start_that_is_missing_is_reported() -> None:
    found = read(archive("Tide").replace('startnode="7"', 'startnode="9"'))
    assert found.story.start is None
    assert [remark.misfit for remark in found.remarks] == [Misfit.START, Misfit.START]


def test_passages_are_apart_on_the_map_of_the_editor() -> None:
    story = Story(sections={}, triggers={})
    for number in range(20):
        story = story.with_section(f"s{number}", name=f"Room {number}")
    text = export(story, Form.TWINE, "Rooms")
    places = [part.split('"')[0] for part in text.split('position="')[1:]]
    assert len(set(places)) == len(places) == 20


@pytest.mark.parametrize("cut", range(0, len(PUBLISHED), 37))
def test_a_file_that_is_cut_off_anywhere_is_read_or_refused(cut: int) -> None:
    try:
        found = read(PUBLISHED[:cut])
    except ValueError:
        return
    assert found.title
