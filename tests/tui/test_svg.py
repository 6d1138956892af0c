"""Screenshots as SVG: nothing from elsewhere, shapes in place of box characters, and everything in its cell."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree as Xml

import pytest
from rich.console import Console
from rich.text import Text

from chartui.tui.svg import is_shape, self_contained

_CELL = (12, 24)
_SHAPES = [chr(code) for code in (*range(0x2500, 0x25A0), *range(0x2801, 0x2900))]
_SVG = "{http://www.w3.org/2000/svg}"


def _drawn(*lines: str | Text, width: int = 40) -> Xml.Element:
    """What is drawn of these lines, which nothing else is needed for."""
    console = Console(
        width=width, file=io.StringIO(), force_terminal=True, color_system="truecolor", record=True, safe_box=False
    )
    for line in lines:
        console.print(line if isinstance(line, Text) else Text(line))
    svg = self_contained(console.export_svg(title="a & b"))
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"@font-face|url\(", svg)
    return Xml.fromstring(svg)


def _rows(svg: Xml.Element) -> list[Xml.Element]:
    (screen,) = svg.findall(f"{_SVG}g")
    return screen.findall(f"{_SVG}g")


def _words(row: Xml.Element) -> dict[str, float]:
    """The column of every piece of text."""
    return {text.text or "": float(text.attrib["x"]) / _CELL[0] for text in row.findall(f"{_SVG}text")}


def _boxes(row: Xml.Element) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of what is drawn in rectangles, from the row's own corner, in cells."""
    found = []
    for path in row.iter(f"{_SVG}path"):
        for x, y, w, h in re.findall(r"M(-?[\d.]+) (-?[\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z", path.attrib["d"]):
            left, top = float(x) / _CELL[0], (float(y) + 18) / _CELL[1]
            found.append((left, top, left + float(w) / _CELL[0], top + float(h) / _CELL[1]))
    return found


def test_every_word_begins_in_its_column() -> None:
    first, second = _rows(_drawn("ab  cd │ ef ▲gh", "漢字 after"))[:2]
    assert _words(first) == {"ab": 0, "cd": 4, "ef": 9, "▲": 12, "gh": 13}
    assert _words(second) == {"漢": 0, "字": 2, "after": 5}
    assert [row.attrib["transform"] for row in (first, second)] == ["translate(0 18)", "translate(0 42)"]


def test_the_window_has_the_size_of_its_cells() -> None:
    svg = _drawn(*("line",) * 6, width=50)
    screen = svg.find(f"{_SVG}g/{_SVG}rect")
    assert screen is not None
    assert (float(screen.attrib["width"]), float(screen.attrib["height"])) == (50 * 12, 6 * 24)
    assert svg.attrib["viewBox"] == f"0 0 {50 * 12 + 18} {6 * 24 + 50}"


def test_a_shape_is_drawn_inside_its_cell_and_written_nowhere() -> None:
    rows = _rows(_drawn(*(f"ab{sign}" for sign in _SHAPES)))
    for sign, row in zip(_SHAPES, rows, strict=False):
        assert is_shape(sign)
        assert _words(row) == {"ab": 0}, sign
        assert list(row.iter(f"{_SVG}path")), sign
        for left, top, right, bottom in _boxes(row):
            assert 2 <= left < right <= 3, sign
            assert 0 <= top < bottom <= 1.03, sign  # upright lines reach a little into the next row


@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("█", (0, 0, 1, 1)),
        ("████", (0, 0, 4, 1)),
        ("▄▄", (0, 0.5, 2, 1)),
        ("▂", (0, 0.75, 1, 1)),
        ("▌", (0, 0, 0.5, 1)),
        ("▐", (0.5, 0, 1, 1)),
        ("▝", (0.5, 0, 1, 0.5)),
        ("▒▒", (0, 0, 2, 1)),
    ],
)
def test_blocks_fill_their_part_of_the_cell(text: str, box: tuple[float, ...]) -> None:
    (row, *_) = _rows(_drawn(text))
    assert _boxes(row) == [pytest.approx(box)]


@pytest.mark.parametrize(
    ("sign", "sides"),
    [("─", "LR"), ("│", "UD"), ("┌", "RD"), ("┤", "LUD"), ("┼", "LRUD"), ("╬", "LRUD"), ("╶", "R"), ("╃", "LRUD")],
)
def test_lines_reach_the_sides_that_their_name_says(sign: str, sides: str) -> None:
    (row, *_) = _rows(_drawn(sign))
    boxes = _boxes(row)
    reached = {"L": any(b[0] == 0 for b in boxes), "R": any(b[2] == 1 for b in boxes)}
    reached |= {"U": any(b[1] == 0 for b in boxes), "D": any(b[3] >= 1 for b in boxes)}
    assert "".join(side for side, there in reached.items() if there) == sides


def test_a_long_line_is_one_piece() -> None:
    (row, *_) = _rows(_drawn("╭" + "─" * 30 + "╮"))
    assert [(box[0], box[2]) for box in _boxes(row)] == [pytest.approx((1, 31))]


def test_dots_stand_where_braille_has_them() -> None:
    (row, *_) = _rows(_drawn("⠁⢀"))
    (left, top, *_), (right, _, _, bottom) = _boxes(row)
    assert (left < 0.5, top < 0.25, right > 1.5, bottom > 0.75) == (True, True, True, True)


def test_styles_are_kept() -> None:
    text = Text.assemble(("bold", "bold #ff0000"), " ", ("on", "on #00ff00"), " ", ("two words", "underline #0000ff"))
    (row, *_) = _rows(_drawn(text, width=60))
    looks = {one.text: one.attrib for one in row.findall(f"{_SVG}text")}
    assert (looks["bold"]["fill"], looks["bold"]["font-weight"]) == ("#ff0000", "bold")
    paths = {path.attrib["fill"]: path.attrib["d"] for path in row.iter(f"{_SVG}path")}
    assert paths["#00ff00"] == "M60 -18h24v24h-24z"
    assert paths["#0000ff"] == "M96 2h108v1h-108z", "the line below the words goes on below the space between them"


def test_text_is_escaped_once() -> None:
    (row, *_) = _rows(_drawn("<b>&amp;"))
    assert _words(row) == {"<b>&amp;": 0}


def test_another_drawing_is_refused() -> None:
    with pytest.raises(ValueError, match="not a drawing"):
        self_contained("<svg/>")
