"""Plots: every size holds, points stand where their values say, and a change draws only the lines that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Region

from chartui.core.paths import shipped_theme
from chartui.core.text import is_plain
from chartui.core.themes import load_theme
from chartui.tui.axes import Axis
from chartui.tui.glyphs import MARKERS
from chartui.tui.plots import Mark, Plot, Series, draw_plot
from chartui.tui.theme import DEFAULT_THEME, Palette, as_framework_theme
from chartui.tui.widgets.plot import PlotView
from tests.long import examples

_FILE = load_theme(shipped_theme(DEFAULT_THEME)).theme
assert _FILE is not None
_LOADED = as_framework_theme(_FILE)
PALETTE = Palette.of({**_LOADED.to_color_system().generate(), **_LOADED.variables})
CURSOR = "◉"

values = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(0, 10**6),
    st.sampled_from([0.0, 1.0, 0.5, 1e12, 1e-7, -3.0]),
)
points = st.lists(st.tuples(values, values), max_size=8)
names = st.text(max_size=30)
series = st.builds(
    Series,
    name=names,
    points=points,
    kind=st.sampled_from(["points", "line", "steps"]),
    role=st.sampled_from(["accent", "credits", "latency"]),
    marker=st.sampled_from(["", *MARKERS]),
)
ends = st.none() | values
axes = st.builds(Axis, title=names, low=ends, high=ends, scale=st.sampled_from(["auto", "linear", "log"]))
plots = st.builds(
    Plot,
    series=st.lists(series, max_size=5).map(tuple),
    x=axes,
    y=axes,
    cursor=st.none() | st.tuples(values, values),
    marks=st.lists(st.builds(Mark, x=values, label=names, role=st.just("label")), max_size=3).map(tuple),
    note=names,
)


@settings(deadline=None, max_examples=examples(150))
@given(plots, st.integers(0, 160), st.integers(0, 50))
def test_whatever_is_drawn_fills_its_cells_exactly_and_harms_no_terminal(plot: Plot, width: int, height: int) -> None:
    strips = draw_plot(plot, width, height, PALETTE)
    assert len(strips) == height
    for strip in strips:
        assert cell_len(strip.text) == strip.cell_length == width
        assert is_plain(strip.text)


def drawn(plot: Plot, width: int = 70, height: int = 18) -> list[str]:
    return [strip.text for strip in draw_plot(plot, width, height, PALETTE)]


def line(*found: tuple[float, float], kind: Any = "line", marker: str = "", name: str = "") -> Series:
    return Series(name, found, kind, "credits", marker)


def where(sign: str, lines: list[str]) -> list[tuple[int, int]]:
    """Columns and rows of a sign."""
    return [(x, y) for y, text in enumerate(lines) for x, character in enumerate(text) if character == sign]


def dots(lines: list[str]) -> set[tuple[int, int]]:
    """Every braille dot, counted from the top left."""
    found = set()
    for y, text in enumerate(lines):
        for x, character in enumerate(text):
            bits = ord(character) - 0x2800
            if 0 < bits < 256:
                order = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
                found |= {(x * 2 + dx, y * 4 + dy) for bit, (dx, dy) in enumerate(order) if bits & 1 << bit}
    return found


TOKENS, CREDITS = Axis("tokens", 0, 100), Axis("credits", 0, 100)


def test_a_straight_line_is_straight_and_leaves_no_gap() -> None:
    found = dots(drawn(Plot((line((0, 0), (100, 50)),), TOKENS, CREDITS)))
    columns = sorted({x for x, _ in found})
    assert columns == list(range(columns[0], columns[-1] + 1))
    top, bottom = min(y for _, y in found), max(y for _, y in found)
    for x, y in found:
        ideal = bottom - (bottom - top) * (x - columns[0]) / (columns[-1] - columns[0])
        assert abs(y - ideal) <= 1
    for x in columns[1:]:
        here, before = ([y for at, y in found if at == column] for column in (x, x - 1))
        assert min(here) <= max(before) + 1
        assert max(here) >= min(before) - 1


def test_a_steep_line_leaves_no_gap_either() -> None:
    found = dots(drawn(Plot((line((50, 0), (51, 100)),), TOKENS, CREDITS)))
    rows = {y for _, y in found}
    assert rows == set(range(min(rows), max(rows) + 1))
    assert len(rows) > 40


def test_steps_keep_a_value_until_the_next_point() -> None:
    lines = drawn(Plot((line((0, 90), (50, 10), (100, 10), kind="steps"),), TOKENS, CREDITS))
    found = dots(lines)
    rows = sorted({y for _, y in found})
    high = {x for x, y in found if y == rows[0]}
    low = {x for x, y in found if y == rows[-1]}
    assert max(high) == min(low)  # one upright edge between the two
    assert abs(len(high) - len(low)) <= 2


def test_the_cursor_stands_on_its_point() -> None:
    front = line((200, 90), (800, 12), (3000, 0.5), kind="points", marker="●")
    plain = Plot((front,), Axis("ms"), Axis("credits"))
    places = where("●", drawn(plain))
    for number, point in enumerate(front.points):
        lines = drawn(plain._replace(cursor=point))
        (cursor,) = where(CURSOR, lines)
        assert cursor == places[number]


def test_a_wide_range_of_positive_values_is_logarithmic_and_says_so() -> None:
    wide = drawn(Plot((line((0, 0.5), (1, 100_000)),), Axis("ms"), Axis("credits")))
    assert wide[0].startswith("credits (log)")
    rows = {text.split("┤")[0].strip(): y for y, text in enumerate(wide) if "┤" in text}
    assert {"1", "10 000"} <= set(rows)
    for narrow in ((1, 40), (0, 100_000), (-1, 100_000)):
        lines = drawn(Plot((line((0, narrow[0]), (1, narrow[1])),), Axis("ms"), Axis("credits")))
        assert lines[0].startswith("credits ")
        assert "log" not in lines[0]


FRONT = ((4, 3000), (5, 1600), (6, 1500), (7, 1300), (8, 1200), (15, 700))


@pytest.mark.parametrize(
    ("far", "shown"), [((300, 1700), "●→"), ((9, 20_000), "●↑"), ((300, 20_000), "●→"), ((-200, 900), "←●")]
)
def test_an_outlier_stands_at_the_edge_and_does_not_flatten_the_rest(far: tuple[float, float], shown: str) -> None:
    front, alone = line(*FRONT, kind="points", marker="•"), line(far, kind="points", marker="●", name="current")
    lines = drawn(Plot((front, alone), Axis("credits"), Axis("ms")))
    columns = [x for x, _ in where("•", lines)]
    rows = [y for _, y in where("•", lines)]
    near = far[0] < 0
    assert max(columns) - min(columns) > (2 if near else 45)
    assert max(rows) - min(rows) >= 9
    if not near:
        assert sum(shown in text for text in lines) == 1


def test_the_axes_follow_the_cursor_to_an_outlier() -> None:
    front, alone = line(*FRONT, kind="points", marker="•"), line((40, 1700), kind="points", marker="●")
    plot = Plot((front, alone), Axis("credits"), Axis("ms"))
    assert any("●→" in text for text in drawn(plot))
    lines = drawn(plot._replace(cursor=(40, 1700)))
    (cursor,) = where(CURSOR, lines)
    assert cursor[0] > max(x for x, _ in where("•", lines))
    assert not any("→" in text for text in lines)


def test_values_that_are_evenly_far_apart_are_no_outliers() -> None:
    for values in ((1, 2, 5, 10, 20, 50, 100), (1, 10, 100, 1000, 10_000), (5, 10, 15, 30)):
        lines = drawn(Plot((line(*((v, v) for v in values), kind="points", marker="●"),), Axis("a"), Axis("b")))
        assert len(where("●", lines)) == len(values)
        assert not any("→" in text for text in lines)


def test_a_line_that_leaves_the_plot_at_once_shows_its_sign_where_it_goes() -> None:
    lines = drawn(
        Plot(
            tuple(line((0, 5), (100, y), marker=MARKERS[n]) for n, y in enumerate((20, 30, 40, 900))),
            TOKENS,
            Axis("credits", 0, scale="linear"),
        )
    )
    assert f"{MARKERS[3]}↑" in lines[1]


def test_on_a_logarithmic_axis_equal_factors_are_equally_far_apart() -> None:
    plot = Plot((line((1, 1), (2, 100), (3, 10_000), kind="points", marker="●"),), Axis("ms"), Axis("credits"))
    (_, low), (_, middle), (_, high) = sorted(where("●", drawn(plot)))
    assert low - middle == pytest.approx(middle - high, abs=1)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 16_000, ["0", "5 000", "10 000", "15 000"]),
        (0, 1, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0, 10**9, ["0", "2·10⁸", "4·10⁸", "6·10⁸", "8·10⁸", "10⁹"]),
        (0, 2 * 10**-6, ["0", "5·10⁻⁷", "10⁻⁶", "1.5·10⁻⁶", "2.0·10⁻⁶"]),
        (-20, 20, ["-20", "-15", "-10", "-5", "0", "5", "10", "15", "20"]),
    ],
)
def test_ticks_are_round_numbers_with_thousands_apart(low: float, high: float, expected: list[str]) -> None:
    plot = Plot((line((low, 1), (high, 2)),), Axis("tokens", low, high), Axis("credits"))
    ticks = drawn(plot)[-2]
    assert [text.strip() for text in ticks.split("  ") if text.strip()] == expected


@given(st.floats(-(10**9), 10**9), st.floats(1e-6, 10**9), st.integers(30, 160), st.integers(8, 50))
@settings(deadline=None)
def test_there_are_ticks_on_both_axes_at_every_size(low: float, span: float, width: int, height: int) -> None:
    lines = drawn(Plot((line((low, low), (low + span, low + span)),), Axis("a"), Axis("b")), width, height)
    if span > abs(low) * 1e-6:
        assert sum("┤" in text for text in lines) > 1
        assert "".join(lines).count("┴") > 1


def test_every_line_has_a_sign_of_its_own_that_the_legend_names() -> None:
    lines = tuple(
        line((0, n), (100, n * 20), marker=marker, name=f"number {n}") for n, marker in enumerate(MARKERS[:4], 1)
    )
    shown = drawn(Plot(lines, TOKENS, CREDITS), width=100)
    for number, marker in enumerate(MARKERS[:4], 1):
        assert f"{marker} number {number}" in shown[0]
        assert len(where(marker, shown[1:])) >= 2


def test_a_legend_without_room_says_how_many_lines_it_leaves_out() -> None:
    lines = tuple(line((0, n), (9, n), marker=marker, name="a name of some length") for n, marker in enumerate(MARKERS))
    legend = drawn(Plot(lines, TOKENS, CREDITS), 30, 8)[0]
    shown = sum(marker in legend for marker in MARKERS)
    assert legend.rstrip().endswith(f"+{len(MARKERS) - shown}")


def test_names_from_outside_are_cut_where_they_end_and_leave_the_count_in_sight() -> None:
    hostile = tuple(line((0, n), (9, n), marker=marker, name="\x1b[2J\u202e" * 9) for n, marker in enumerate(MARKERS))
    legend = drawn(Plot(hostile, TOKENS, CREDITS), 60, 8)[0]
    assert legend.rstrip().endswith(f"+{len(MARKERS) - sum(marker in legend for marker in MARKERS)}")
    assert "␛[2J⟨U+202E⟩" in drawn(Plot(hostile[:1], TOKENS, CREDITS), 60, 8)[0]


def labelled(marks: Sequence[Mark], width: int) -> tuple[dict[str, tuple[int, int]], set[int]]:
    """The first and last cell of each label that is drawn, and the columns of the lines below them."""
    lines = drawn(Plot((line((0, 0), (100, 1)),), TOKENS, CREDITS, marks=tuple(marks)), width)
    cells = {found[0]: found.span() for found in re.finditer("|".join(mark.label for mark in marks), lines[1])}
    between = sorted(cells.values())
    assert not re.sub("|".join(cells), "", lines[1]).strip(), f"torn: {lines[1]}"
    assert all(one[1] < other[0] for one, other in pairwise(between)), f"touching: {lines[1]}"
    return {label: (begin, end - 1) for label, (begin, end) in cells.items()}, {x for x, _ in where("┊", lines)}


@pytest.mark.parametrize("second", [41, 42, 45, 60])
def test_marks_are_labelled_beside_their_line_and_never_over_each_other(second: int) -> None:
    marks = (Mark(40, "now here"), Mark(second, "break-even there"), Mark(100, "the end"))
    for width in range(30, 121):
        labels, columns = labelled(marks, width)
        assert "now here" in labels  # the first has the choice
        if width >= 90:
            assert labels["the end"][1] == max(columns)
        assert all(columns & {*ends} for ends in labels.values()), (labels, columns)


def test_labels_get_out_of_each_others_way_where_there_is_room() -> None:
    labels, columns = labelled((Mark(40, "now here"), Mark(45, "break-even there"), Mark(100, "the end")), 100)
    first, second, last = sorted(columns)
    assert labels["now here"][1] == first
    assert labels["break-even there"][0] == second
    assert labels["the end"][1] == last


def test_without_points_there_is_the_note() -> None:
    lines = drawn(Plot((), Axis("ms"), Axis("credits"), note="Nothing has a price."))
    assert any("Nothing has a price." in text for text in lines)


@pytest.mark.parametrize(("size", "least"), [((30, 8), 3), ((44, 12), 6), ((70, 18), 11), ((160, 50), 40)])
def test_most_of_the_room_is_the_plot_itself(size: tuple[int, int], least: int) -> None:
    lines = drawn(Plot((line((0, 0), (100, 100), name="now"),), TOKENS, CREDITS), *size)
    assert sum("│" in text or "┤" in text for text in lines) >= least


class Shown(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.view = PlotView()

    def compose(self) -> ComposeResult:
        yield self.view

    def on_mount(self) -> None:
        self.register_theme(_LOADED)
        self.theme = _LOADED.name


async def test_a_change_draws_only_the_lines_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Shown()
    before = Plot((line((20, 20), (80, 80), kind="points", marker="●"),), TOKENS, CREDITS)
    after = before._replace(cursor=(80.0, 80.0))
    async with app.run_test(size=(70, 18)) as pilot:
        app.view.show(before)
        await pilot.pause()
        shown = [app.view.render_line(y).text for y in range(18)]
        assert shown == drawn(before)
        again: list[Region] = []
        monkeypatch.setattr(app.view, "refresh", lambda *regions, **_: again.extend(regions))
        app.view.show(before)
        assert again == []
        app.view.show(after)
        changed = [y for y in range(18) if drawn(before)[y] != drawn(after)[y]]
        assert sorted(region.y for region in again) == changed
        assert all(region.height == 1 for region in again)
        assert [app.view.render_line(y).text for y in range(18)] == drawn(after)


async def test_another_size_draws_it_all_again() -> None:
    app = Shown()
    plot = Plot((line((0, 0), (100, 100)),), TOKENS, CREDITS)
    async with app.run_test(size=(70, 18)) as pilot:
        app.view.show(plot)
        await pilot.resize_terminal(50, 12)
        await pilot.pause()
        assert [app.view.render_line(y).text for y in range(12)] == drawn(plot, 50, 12)
