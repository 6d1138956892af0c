"""The map: read as text, as somebody would, and for any graph at all nothing is lost in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.narrative.layout.block import Box
from chartui.core.narrative.layout.drawing import Drawing, draw
from chartui.core.narrative.layout.survey import PlaceKind, Survey
from chartui.core.narrative.layout.words import Words, Zoom
from chartui.core.text import cell_width, is_plain
from tests.core.narrative.graphs import Story, section, stories, trigger
from tests.long import examples

#: Where a line may go on from each of its signs, downwards and then upwards.
ARMS = {
    "│": "ud", "─": "lr", "┌": "dr", "┐": "dl", "└": "ur", "┘": "ul",
    "├": "udr", "┤": "udl", "┬": "dlr", "┴": "ulr", "┼": "udlr",
}  # fmt: skip
STEPS = {"u": (0, -1), "d": (0, 1), "l": (-1, 0), "r": (1, 0)}
OPPOSITE = {"u": "d", "d": "u", "l": "r", "r": "l"}


def drawn(story: Story, zoom: Zoom = Zoom.FULL, width: int = 80, around: tuple[str, int] | None = None) -> Drawing:
    survey = Survey.of(story.graph)
    return draw(survey, only=None if around is None else survey.around(*around), zoom=zoom, width=width)


def cells(drawing: Drawing) -> list[list[str]]:
    """The picture, a cell at a time; the second cell of a wide character is empty."""
    grid: list[list[str]] = []
    for y in range(drawing.height):
        row: list[str] = []
        for run in drawing.row(y, 0, drawing.width):
            for character in run.text:
                width = cell_width(character)
                row += [character, *[""] * (width - 1)] if width else []
        assert len(row) == drawing.width
        grid.append(row)
    return grid


def inside(box: Box, x: int, y: int) -> bool:
    return box.x <= x < box.x + box.width and box.y <= y < box.y + box.height


def followed(drawing: Drawing, grid: list[list[str]], box: Box, up: bool) -> set[int]:
    """The places that one comes to along the lines that leave a box, as the eye follows them.

    A line leads down all the way, or up all the way, and so it is followed; where it meets an upright one that is not
    its own, it goes on behind that.
    """
    door = box.doors[1 if up else 2]
    if door < 0:
        return set()
    ahead, back = ("u", "d") if up else ("d", "u")
    waiting = [(box.x + door, box.y if up else box.y + box.height - 1, ahead)]
    found: set[int] = set()
    seen: set[tuple[int, int, str]] = set()
    while waiting:
        x, y, way = waiting.pop()
        x, y = x + STEPS[way][0], y + STEPS[way][1]
        if (x, y, way) in seen:
            continue
        seen.add((x, y, way))
        sign = grid[y][x]
        if sign in "▼▲●◆▶∎↛∅?↳↩":
            found.update(other.place for other in drawing.boxes.values() if inside(other, x, y))
        elif sign == "│" and way in "lr":
            waiting.append((x, y, way))  # behind it
        else:
            assert OPPOSITE[way] in ARMS[sign], (x, y, way, sign)
            waiting += [(x, y, arm) for arm in ARMS[sign] if arm not in (OPPOSITE[way], back)]
    return found


def leads_up(drawing: Drawing, number: int) -> bool:
    points = drawing.path(number)
    return points[-1].y < points[0].y


def boxes_overlap(drawing: Drawing) -> Iterator[tuple[int, int]]:
    taken: dict[tuple[int, int], int] = {}
    for place, box in drawing.boxes.items():
        for y in range(box.y, box.y + box.height):
            for x in range(box.x, box.x + box.width):
                if (x, y) in taken:
                    yield place, taken[x, y]
                taken[x, y] = place


# -- as somebody reads it ---------------------------------------------------------------------------------------------

HALL = Story(
    [
        section("hall", ("asks for the key", "vault"), ("*", "exit"), name="Hall"),
        section("vault", ("goes back", "hall"), ("waits", "vault"), ("digs", "nope"), overrides={"bell": None}),
        section("exit"),
        section("cellar", ("climbs up", "hall")),
        section("attic"),
    ],
    [trigger("fire", "cellar"), trigger("rain")],
    "hall",
)


def test_a_story_reads_as_a_map() -> None:
    assert drawn(HALL).lines() == [
        "                    ┌────────┐",
        "                    │ ▶ Hall │",
        "                    └──┬──▲──┘",
        "      ┌────────────────┴──│──────────────┐",
        "      │ asks for the key  │ goes back    │ * always",
        "┌─────▼───────────────────┴──────┐  ┌────▼───┐",
        "│ Vault                          │  │ ∎ Exit │",
        "│ ↩ itself: waits                │  └────────┘",
        "│ → nowhere: ϟ bell (never runs) │",
        "└────────────────┬───────────────┘",
        "                 │ digs",
        "            ┌────▼───┐",
        "            │ ∅ nope │",
        "            └────────┘",
        "",
        "Reached by triggers only",
        "┌───────────────────┐",
        "│ ϟ Fire            │",
        "│ Cellar            │",
        "│ → Hall: climbs up │",
        "└───────────────────┘",
        "",
        "Unreachable",
        "┌───────────┐",
        "│ ∎ ↛ Attic │",
        "└───────────┘",
        "",
        "Triggers without a target",
        "ϟ Rain: not connected",
    ]


def test_what_is_around_a_section_says_how_much_is_left_out() -> None:
    drawing = drawn(HALL, around=("vault", 1))
    assert drawing.lines(drawing.box_of("vault")) == [
        "           ┌────────┐",
        "           │ ← +1   │",
        "           │ ▶ Hall │",
        "           │ → +1   │",
        "           └──┬──▲──┘",
        "      ┌───────┘  └────────┐",
        "      │ asks for the key  │ goes back",
        "┏━━━━━▼━━━━━━━━━━━━━━━━━━━┷━━━━━━┓",
        "┃ Vault                          ┃",
        "┃ ↩ itself: waits                ┃",
        "┃ → nowhere: ϟ bell (never runs) ┃",
        "┗━━━━━━━━━━━━━━━━┯━━━━━━━━━━━━━━━┛",
        "                 │ digs",
        "            ┌────▼───┐",
        "            │ ∅ nope │",
        "            └────────┘",
    ]
    assert drawing.sections == 2
    assert drawn(HALL, around=("never", 3)).lines() == []


def test_an_overview_keeps_in_its_legend_what_it_has_no_room_for() -> None:
    tower = Story([section("tower", ("is brave", "stairs"), name="The tower of the old lighthouse"),
                   section("stairs", ("falls", "tower"))], [trigger("storm", "stairs")], "tower")  # fmt: skip
    assert drawn(tower, Zoom.SHORT).lines() == [
        "┌────────────────────────┐",
        "│ ▶ The tower of the old │",
        "│ lighthouse             │",
        "└────────────┬───────────┘",
        "             │",
        "        ┌────▼───┐",
        "        │ Stairs │",
        "        │ ϟ+1    │",
        "        └────────┘",
        "",
        "The tower of the old lighthouse",
        "  is brave → Stairs",
        "Stairs",
        "  ϟ Storm",
        "  falls → The tower of the old lighthouse",
    ]
    dots = drawn(tower, Zoom.DOTS)
    assert dots.lines()[:3] == ["▶ The tower of the old lighthou…", "│", "● Stairs"]
    assert dots.lines(dots.box_of("stairs"))[2] == "◆ Stairs"
    assert dots.legend == drawn(tower, Zoom.SHORT).legend


#: A hub with twenty rooms that go back, and a corridor of twenty sections.
HOUSE = Story(
    [
        section("hall", *((f"asks about {n}", f"room{n}") for n in range(20)), ("moves on", "c0")),
        *(section(f"room{n}", ("*", "hall"), name=f"Room {n}") for n in range(20)),
        *(section(f"c{n}", ("walks" if n % 2 else "*", f"c{n + 1}"), name=f"Corridor {n}") for n in range(20)),
        section("c20", name="Door"),
    ],
    [],
    "hall",
)


def test_a_large_map_stacks_the_rooms_of_a_hub_and_the_sections_of_a_chain() -> None:
    assert drawn(HOUSE).lines()[:13] == [
        "                                  ┌────────┐",
        "                                  │ ▶ Hall │",
        "                                  └────┬───┘",
        "         ┌───────────────────┬─────────┴──────────┬──────────────────┐",
        "         │                   │                    │                  │ moves on",
        "┌────────▼───────┐  ┌────────▼────────┐  ┌────────▼────────┐  ┌──────▼──────┐",
        "│ ↳ asks about 0 │  │ ↳ asks about 7  │  │ ↳ asks about 14 │  │ Corridor 0  │",
        "│ Room 0         │  │ Room 7          │  │ Room 14         │  ├──────▼──────┤",
        "│ ↩ * always     │  │ ↩ * always      │  │ ↩ * always      │  │ ↳ * always  │",
        "├────────────────┤  ├─────────────────┤  ├─────────────────┤  │ Corridor 1  │",
        "│ ↳ asks about 1 │  │ ↳ asks about 8  │  │ ↳ asks about 15 │  ├──────▼──────┤",
        "│ Room 1         │  │ Room 8          │  │ Room 15         │  │ ↳ walks     │",
        "│ ↩ * always     │  │ ↩ * always      │  │ ↩ * always      │  │ Corridor 2  │",
    ]
    dots = drawn(HOUSE, Zoom.DOTS)
    assert dots.lines(dots.box_of("c1"))[:5] == [
        "                    ▶ Hall",
        "┌─────────┬─────────┼──────────┬──────────┐",
        "↩ Room 0  ↩ Room 5  ↩ Room 10  ↩ Room 15  ● Corridor 0",
        "↩ Room 1  ↩ Room 6  ↩ Room 11  ↩ Room 16  ◆ Corridor 1",
        "↩ Room 2  ↩ Room 7  ↩ Room 12  ↩ Room 17  ↳ Corridor 2",
    ]
    # As many rooms side by side as there is width for; 40 boxes are drawn one by one.
    assert len({box.x for box in drawn(HOUSE, width=200).boxes.values()}) > len(
        {box.x for box in drawn(HOUSE, width=60).boxes.values()}
    )
    few = Story([part for part in HOUSE.sections if part.section_id not in ("c18", "c19", "c20")], [], "hall")
    assert not any(box.over for box in drawn(few).boxes.values())


def test_the_border_of_the_current_box_is_heavy_all_around_within_a_stack() -> None:
    drawing = drawn(HOUSE)
    rows = drawing.lines(drawing.box_of("c1"))
    assert [row[60:].strip() for row in rows[7:12]] == [
        "┏━━━━━━▼━━━━━━┓", "┃ ↳ * always  ┃", "┃ Corridor 1  ┃", "┗━━━━━━▼━━━━━━┛", "│ ↳ walks     │",
    ]  # fmt: skip
    first = drawing.lines(drawing.box_of("room0"))
    assert [row[:18] for row in first[5:11]] == [
        "┏━━━━━━━━▼━━━━━━━┓", "┃ ↳ asks about 0 ┃", "┃ Room 0         ┃", "┃ ↩ * always     ┃",
        "┗━━━━━━━━━━━━━━━━┛", "│ ↳ asks about 1 │",
    ]  # fmt: skip


def test_nothing_is_a_map_of_nothing() -> None:
    assert drawn(Story([], [], None)).lines() == ["No start section is set"]


def test_what_is_cut_is_numbered_in_reading_order_and_stands_whole_in_the_legend() -> None:
    long = (
        "the visitor would rather hear the whole story of the lighthouse before the tour begins, and " * 2
        + "then a song"
    )
    far = "the visitor would like to go back to the beginning, since she has changed her mind " * 2 + "and is tired"
    name = "The hall with the portraits of all the keepers of the lighthouse there have ever been, with their dogs"
    story = Story([section("a", (long, "b")), section("b", (far, "a"), (far, "b"), name=name)], [], "a")
    drawing = drawn(story)
    assert drawing.legend == [
        f"① A → {name}: {long}",
        f"② {name} → A: {far}",
        f"③ {name}",
        f"④ {name} → itself: {far}",
    ]
    picture = "\n".join(drawing.lines()[: drawing.height])
    assert re.findall("[①②③④]", picture) == ["①", "②", "③", "④"]


def test_texts_from_outside_stay_in_their_cells() -> None:
    hostile = Story(
        [
            section("a", ("\x1b]0;owned\x07", "b"), ("好" * 40, "b"), ("שלום \u202eabc", "c"), name="好" * 9),
            section("b", ("e\u0301" * 30, "a"), name="\x1b[2J\nnext"),
            section("c", name="مرحبا بالعالم"),
        ],
        [trigger("t", "b", name="T\x9b")],
        "a",
    )
    drawing = drawn(hostile)
    grid = cells(drawing)
    assert all(is_plain(line) for line in drawing.lines())
    for box in drawing.boxes.values():
        for y in range(box.y + 1, box.y + box.height - 1):
            assert grid[y][box.x] == grid[y][box.x + box.width - 1] == "│"
    assert any("␛[2J" in line for line in drawing.lines())


def test_a_window_shows_a_piece_of_every_row() -> None:
    story = Story([section("a", ("goes on", "b"), ("turns", "c")), section("b", name="好好"), section("c")], [], "a")
    drawing = drawn(story)
    grid = cells(drawing)
    for left in range(drawing.width):
        for y, row in enumerate(grid):
            seen = "".join(run.text for run in drawing.row(y, left, 6))
            # A wide character of which one half is outside is a blank.
            part = [*row[left : left + 6], *" " * (left + 6 - len(row))]
            whole = [" " if (n == 0 and c == "") or (n == 5 and cell_width(c) > 1) else c for n, c in enumerate(part)]
            assert seen == "".join(whole)
            assert sum(run.cells for run in drawing.row(y, left, 6)) == 6
    assert "".join(run.text for run in drawing.row(drawing.height + 3, 0, 4)) == "    "


def test_one_moves_from_box_to_box_along_lines() -> None:
    drawing = drawn(HALL)
    names = {place: drawing.survey.places[place].section for place in drawing.boxes}

    def beside(section_id: str, right: int, down: int) -> str | None:
        box = drawing.box_of(section_id)
        assert box is not None
        other = drawing.beside(box, right, down)
        return None if other is None else names[other.place]

    assert beside("hall", 0, 1) == "vault"
    assert beside("vault", 1, 0) == "exit"
    assert beside("exit", -1, 0) == "vault"
    assert beside("exit", 0, -1) == "hall"
    assert beside("vault", 0, 1) == "nope"
    assert beside("nope", 0, 1) == "cellar"
    assert beside("cellar", 0, 1) == "attic"
    assert (beside("hall", 0, -1), beside("attic", 0, 1)) == (None, None)


def test_the_lines_of_the_current_box_are_lit() -> None:
    drawing = drawn(HALL)
    roles = {run.role.value for y in range(drawing.height) for run in drawing.row(y, 0, drawing.width)}
    assert not roles & {"lit", "current"}
    lit = ["".join(run.text for run in drawing.row(y, 0, 80, drawing.box_of("exit")) if run.role.value == "lit")
           for y in range(7)]  # fmt: skip
    assert lit == ["", "", "", "┴────────────────┐", "│", "▼", ""]


# -- any graph at all -------------------------------------------------------------------------------------------------


def ways_drawn(drawing: Drawing) -> set[int]:
    return {number for number in range(len(drawing.survey.ways)) if drawing.path(number)}


def check(story: Story, zoom: Zoom, width: int) -> None:
    """Nothing is lost, nothing lies over anything else, and the lines lead where the ways do."""
    drawing = drawn(story, zoom, width)
    survey = drawing.survey
    assert drawing.boxes.keys() == set(range(len(survey.places)))
    sections = Counter(p.section for p in survey.places if p.kind is not PlaceKind.MISSING)
    assert sections == Counter(s.section_id for s in story.sections)
    lines = ways_drawn(drawing)
    assert lines | drawing.named == set(range(len(survey.ways)))
    assert not lines & drawing.named
    assert not list(boxes_overlap(drawing))
    grid = cells(drawing)
    for place, box in drawing.boxes.items():
        ways = [n for n in survey.outgoing[place] if n in lines]
        for up in (False, True):
            expected = {survey.ways[n].target for n in ways if leads_up(drawing, n) is up}
            assert followed(drawing, grid, box, up) == expected
    for number in lines:
        way = survey.ways[number]
        points = drawing.path(number)
        assert inside(drawing.boxes[way.source], *points[0])
        assert inside(drawing.boxes[way.target or 0], *points[-1])
        along = path_cells(drawing, number)
        assert all(grid[y][x] in ARMS for x, y in along)
        if zoom is Zoom.FULL:
            text = Words(survey, zoom).criteria(way)
            assert has_label(grid, along, text) or f"↳ {text}" in written(drawing.boxes[way.target or 0])
    for number in drawing.named if zoom is Zoom.FULL else ():
        words = Words(survey, zoom)
        way = survey.ways[number]
        text, said = words.criteria(way), written(drawing.boxes[way.source])
        # A spoke is below its hub: what goes there is named in it, and its way back needs no name.
        assert f"{words.target(way)}: {text}" in said or f"↩ {text}" in said or (
            way.target is not None and f"↳ {text}" in written(drawing.boxes[way.target]))  # fmt: skip


def written(box: Box) -> str:
    return " ".join(line.text for line in box.said)


def path_cells(drawing: Drawing, number: int) -> list[tuple[int, int]]:
    """The cells of a line, without those in the borders of its boxes."""
    points = drawing.path(number)
    found: list[tuple[int, int]] = []
    for (x, y), (to_x, to_y) in pairwise(points):
        found += [(c, y) for c in range(min(x, to_x), max(x, to_x) + 1)] if y == to_y else []
        found += [(x, r) for r in range(min(y, to_y), max(y, to_y) + 1)] if x == to_x else []
        assert x == to_x or y == to_y
    return [(x, y) for x, y in found if y not in (points[0].y, points[-1].y)]


def has_label(grid: list[list[str]], along: list[tuple[int, int]], text: str) -> bool:
    words = text.split()
    return any("".join(grid[y][x + 2 :]).startswith(words[0]) for x, y in along if grid[y][x] == "│")


@given(stories(largest=60), st.sampled_from(Zoom), st.sampled_from([40, 80, 120]))
@settings(max_examples=examples(120), deadline=None)
def test_nothing_is_lost_of_any_graph(story: Story, zoom: Zoom, width: int) -> None:
    check(story, zoom, width)


@given(st.integers(41, 160), st.randoms(use_true_random=False), st.sampled_from(Zoom), st.sampled_from([40, 80, 200]))
@settings(max_examples=examples(60), deadline=None)
def test_nothing_is_lost_of_chains_and_hubs(size: int, random: Random, zoom: Zoom, width: int) -> None:
    check(tale(size, random), zoom, width)


def tale(size: int, random: Random) -> Story:
    """A story as people write them: chains, forks that meet again, hubs with rooms that go back, and a few loops."""
    ways: list[list[tuple[str, str]]] = [[] for _ in range(size)]
    here = 0
    while here < size - 1:
        length = min(random.choice([1, 3, 5, 9]), size - 1 - here)
        kind = random.choice(["chain", "fork", "hub"]) if length > 1 else "chain"
        for number in range(here + 1, here + length + (kind == "chain")):
            if kind == "chain":
                ways[number - 1].append((random.choice(["*", "walks on"]), f"s{number}"))
            else:
                ways[here].append((f"asks {number}", f"s{number}"))
                ways[number].append(("*", f"s{here if kind == 'hub' else here + length}"))
        if kind == "hub":
            ways[here].append(("leaves", f"s{here + length}"))
        if random.random() < 0.3:
            ways[here].append(("goes back", f"s{random.randrange(size)}"))
        here += length
    sections = [section(f"s{number}", *ways[number]) for number in range(size)]
    return Story(sections, [trigger("bell", f"s{random.randrange(size)}")], "s0")


@pytest.mark.parametrize("zoom", Zoom)
@given(story=stories(largest=300))
@settings(max_examples=4, deadline=None)
def test_nothing_is_lost_of_a_large_graph(zoom: Zoom, story: Story) -> None:
    check(story, zoom, 100)


@given(stories(largest=30), st.integers(0, 9))
@settings(max_examples=30, deadline=None)
def test_around_a_section_every_way_is_there_or_counted(story: Story, steps: int) -> None:
    survey = Survey.of(story.graph)
    for section_id in list(survey.graph.sections)[:3]:
        only = survey.around(section_id, steps)
        drawing = draw(survey, only=only)
        assert {survey.places[place].section for place in drawing.boxes} == only
        text = [line.text for box in drawing.boxes.values() for line in box.said]
        counted = sum(int(line[3:]) for line in text if line.startswith("→ +"))
        leading = [n for place in drawing.boxes for n in survey.outgoing[place]]
        assert counted == len(set(leading) - ways_drawn(drawing) - drawing.named)
        if steps == 9:
            reached = {survey.places[place].section for place in survey.numbers.values()}
            assert only <= reached


def test_a_story_of_thousands_of_sections_in_a_row_is_drawn_without_recursion() -> None:
    size = 3000
    chain = [section(f"s{n}", ("on", f"s{n + 1}"), ("back", f"s{n * 7919 % size}")) for n in range(size)]
    drawing = drawn(Story(chain, [], "s0"))
    assert len(drawing.boxes) == size + 1
    assert len(drawing.survey.ways) == len(ways_drawn(drawing)) + len(drawing.named)
