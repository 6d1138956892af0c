"""Lines between two ranks: each gets through, and none takes the cells of another."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.narrative.layout.channels import Net, Route, routed
from chartui.core.narrative.layout.composition import settled
from tests.long import examples


def test_a_straight_line_needs_no_track() -> None:
    assert routed([Net((3,), (3,))]) == ([Route((3,), (3,))], 0)


def test_two_lines_that_change_places_bend_where_it_is_free() -> None:
    routes, rows = routed([Net((0,), (4,)), Net((4,), (0,))])
    bent = next(route for route in routes if route.bend >= 0)
    other = next(route for route in routes if route.bend < 0)
    assert rows == 3
    assert [track.row for track in bent.tracks] == [0, 2]
    assert other.tracks[0].row == 1
    assert bent.bend not in (0, 4)
    assert bent.corners(bent.tops[0], bent.bottoms[0]) == [
        (bent.tops[0], 0),
        (bent.bend, 0),
        (bent.bend, 2),
        (bent.bottoms[0], 2),
    ]


def test_lines_that_do_not_touch_share_a_row() -> None:
    routes, rows = routed([Net((0,), (3, 6)), Net((9,), (12,)), Net((5,), (8,))])
    assert rows == 2
    assert [route.tracks[0].row for route in routes] == [0, 0, 1]


@st.composite
def nets(draw: st.DrawFn) -> list[Net]:
    """Any nets: forks, or joins, of columns that are each used once at the top and once at the bottom."""
    columns = [2 * n for n in range(draw(st.integers(1, 24)))]
    tops, bottoms = draw(st.permutations(columns)), draw(st.permutations(columns))
    found: list[Net] = []
    begin = 0
    while begin < len(columns):
        end = begin + draw(st.integers(1, 4))
        fork = draw(st.booleans())
        top, bottom = tuple(tops[begin:end]), tuple(bottoms[begin:end])
        found.append(Net(top[:1], bottom) if fork else Net(top, bottom[:1]))
        begin = end
    return found


@given(nets())
@settings(max_examples=examples(150))
def test_no_line_takes_the_cells_of_another(wanted: list[Net]) -> None:
    routes, rows = routed(wanted)
    assert [(route.tops, route.bottoms) for route in routes] == wanted
    for row in range(rows):
        uprights = Counter(column for route in routes for column in route.uprights(row))
        assert set(uprights.values()) <= {1}
        tracks = [track for route in routes for track in route.tracks if track.row == row]
        level = Counter(column for track in tracks for column in range(track.left, track.right + 1))
        assert set(level.values()) <= {1}
        joints = {column for track in tracks for column in track.ups + track.downs}
        assert not joints & uprights.keys()


@given(st.lists(st.tuples(st.integers(-50, 150), st.integers(1, 2)), min_size=1, max_size=20), st.integers(0, 60))
def test_a_rank_keeps_its_order_and_its_distances(wanted: list[tuple[int, int]], room: int) -> None:
    starts = [4 * n for n in range(len(wanted))]
    columns = settled(wanted, starts, room)
    assert all(after - before >= 4 for before, after in pairwise(columns))
    assert all(start <= column <= start + room for column, start in zip(columns, starts, strict=True))
    if len(wanted) == 1:
        assert columns == [min(max(wanted[0][0], 0), room)]
