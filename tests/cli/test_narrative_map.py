"""``chartui narrative map``: the picture, a part of it, its overviews, and all of it as data."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chartui.core.jsontext import Wire

from .conftest import Run

Golden = Callable[[str, str], None]


def test_a_broken_graph_as_a_picture(run: Run, avery: str, golden: Golden) -> None:
    result = run("narrative", "map", avery, "--width", "78", "--read-only")
    assert (result.status, result.err) == (0, "")
    golden("narrative-map.txt", result.out)


def test_what_is_around_a_section(run: Run, avery: str, golden: Golden) -> None:
    result = run("narrative", "map", avery, "--focus", "Try again", "--steps", "1")
    assert (result.status, result.err) == (0, "")
    golden("narrative-map-focus.txt", result.out)
    assert run("narrative", "map", avery, "--focus", "Try again", "--steps", "2").out != result.out


def test_an_overview_lists_below_it_what_it_does_not_say(run: Run, avery: str) -> None:
    dots = run("narrative", "map", avery, "--zoom", "dots").out
    picture, legend = dots.split("\n\nWelcome\n")
    assert [picture.count(sign) for sign in "●▶∅∎↛"] == [7, 1, 2, 1, 2]
    assert "  The customer is new → Check identity\n" in legend
    short = run("narrative", "map", avery, "--zoom", "short").out
    # The same lines, in the order of another map.
    assert sorted(short.split("\n\nWelcome\n")[1].splitlines()) == sorted(legend.splitlines())


def test_the_same_as_json(run: Run, avery: str) -> None:
    value = run("narrative", "map", avery, "--width", "78", "--json").value
    assert [*value] == ["width", "height", "lines", "legend", "sections", "links"]
    assert len(value["lines"]) == value["height"]
    by_id = {section["section_id"]: section for section in value["sections"]}
    for section in value["sections"]:
        row = value["lines"][section["y"]].ljust(value["width"])
        assert (row[section["x"]], row[section["x"] + section["width"] - 1]) == ("┌", "┐")
    assert [section["name"] for section in value["sections"] if section["start"]] == ["Welcome"]
    assert sorted(section["kind"] for section in value["sections"]).count("missing") == 2
    for way in value["links"]:
        assert (way["path"] is None) is (way["shown"] != "line")
        for end, point in ((way["source"], 0), (way["target"], -1)) if way["path"] else ():
            x, y = way["path"][point]
            box = by_id[end]
            assert box["x"] <= x < box["x"] + box["width"]
            assert box["y"] <= y < box["y"] + box["height"]
    focused = run("narrative", "map", avery, "--focus", "Try again", "--steps", "1", "--json").value
    assert {way["shown"] for way in focused["links"]} == {"line", "named", "outside"}


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["--focus", "Nowhere"], 3, "No section named “Nowhere”."),
        (["--steps", "2"], 2, "--steps needs --focus SECTION"),
        (["--steps", "0", "--focus", "Welcome"], 2, "--steps"),
        (["--zoom", "wide"], 2, "--zoom"),
    ],
)
def test_what_cannot_be_drawn(run: Run, avery: str, options: list[str], status: int, words: str) -> None:
    result = run("narrative", "map", avery, *options)
    assert (result.status, result.out) == (status, "")
    assert words in result.err


def test_ids_do_for_a_focus_and_names_that_two_have_do_not(run: Run, avery: str) -> None:
    sections: list[dict[str, Wire]] = run("narrative", "sections", "list", avery, "--json").value
    welcome = next(section for section in sections if section["section_name"] == "Welcome")
    by_id = run("narrative", "map", avery, "--focus", str(welcome["section_id"]))
    assert by_id.out == run("narrative", "map", avery, "--focus", "Welcome").out
    assert "┃ ▶ Welcome" in by_id.out
