"""The shortest text: what is written, and that nothing is written in vain."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from tests.emulator import Emulator, Kind
from tests.tui.output.terminals import KINDS, SIZE, Shown, page


def written(before: LayoutUpdate, after: LayoutUpdate, kind: str = "xterm") -> str:
    """What is sent for the second of two pictures."""
    shown = Shown(KINDS[kind], SIZE)
    shown.draw(before)
    shown.line.written.clear()
    shown.draw(after)
    shown.assert_same()
    return "".join(shown.line.written)


async def test_the_first_picture_is_cleared_to_its_background() -> None:
    shown = Shown(KINDS["xterm"], SIZE)
    shown.draw(page("one"))
    assert shown.line.written[-1] == "\x1b[0;48;5;16m\x1b[2J\x1b[Hone"


async def test_an_equal_picture_writes_nothing() -> None:
    assert written(page("one", "two"), page("one", "two")) == ""
    # A blank shows no foreground.
    assert written(page("one", " " * 9), page("one", " " * 9, style=Style(color="red", bold=True))) != ""
    assert written(page(" " * 9), page(" " * 9, style=Style(color="red", bold=True))) == ""


async def test_one_sign_costs_a_move_and_a_sign() -> None:
    assert written(page("one", "two"), page("one", "twi")) == "\x1b[Di"


async def test_unchanged_cells_are_rewritten_where_a_move_is_longer() -> None:
    assert written(page("a b c d"), page("x b y d")).endswith("x b y")


async def test_a_list_that_scrolls_is_scrolled_by_the_terminal() -> None:
    rows = [f"{number} times {number} is {number * number}" for number in range(30)]
    for by in (1, 3, -1):
        sent = written(page(*rows[5:25]), page(*rows[5 + by : 25 + by]))
        assert f"{'' if abs(by) == 1 else abs(by)}{'S' if by > 0 else 'T'}\x1b[r" in sent
        assert len(sent) < 40 + 25 * abs(by)


async def test_one_of_two_panes_scrolls_between_margins() -> None:
    lefts = [f"{number} times {number} is {number * number}".ljust(36) for number in range(30)]
    rights = [f"a detail of line {number:02} beside it".ljust(36) for number in range(24)]

    def panes(first: int) -> LayoutUpdate:
        return page(*(f"│{lefts[first + y]}││{rights[y]}│" for y in range(22)))

    sent = written(panes(0), panes(1), "margins")
    assert "\x1b[?69h" in sent
    assert len(sent) < 110
    assert "\x1b[?69h" not in written(panes(0), panes(1))


async def test_a_pane_that_becomes_empty_is_scrolled_away_between_margins() -> None:
    full = [f"│{f'{number} times {number}'.ljust(36)}││{'a detail beside it'.ljust(36)}│" for number in range(22)]
    rest = [f"│{' ' * 36}││{'a detail beside it'.ljust(36)}│"] * 22
    assert len(written(page(*full), page(*rest), "margins")) < 50
    assert "\x1b[?69h" not in written(page(*full), page(*full[:-5], *rest[-5:]), "margins")


async def test_colors_beside_names_of_doubtful_width_are_set_once_for_all_rows() -> None:
    def names(model: str) -> LayoutUpdate:
        segments = [Segment("小林 e\u0301"), Segment(" " * 10), Segment(model, Style(color="red"))]
        rows = [Strip(segments).adjust_cell_length(40) for _ in range(4)]
        return LayoutUpdate([[row] for row in rows], Region(0, 0, 40, 4))

    shown = Shown(KINDS["xterm"], (40, 4))
    for model in ("mdla-5.x", "mdlb-4-5"):
        shown.draw(names(model))
        shown.assert_same()
        assert shown.line.written[-1].count("31m") == 1


async def test_only_a_large_frame_is_synchronized() -> None:
    long = ["# " * 40] * 10
    assert written(page(), page(*long)).startswith("\x1b[?2026h")
    assert "\x1b[?2026h" not in written(page(), page("small"))
    assert "\x1b[?2026h" not in written(page(), page(*long), "screen")


async def test_columns_are_said_behind_signs_of_doubtful_width() -> None:
    emoji = "👩\u200d🚀"
    row = Strip([Segment(f"小林 e\u0301 {emoji} x")]).adjust_cell_length(20)
    shown = Shown(KINDS["xterm"], (20, 2))
    shown.draw(LayoutUpdate([[row], [Strip.blank(20)]], Region(0, 0, 20, 2)))
    shown.assert_same()
    assert "小\x1b[3G林\x1b[5G e\u0301\x1b[7G 👩\u200d🚀\x1b[10G x" in shown.line.written[-1]


async def test_a_name_is_whole_where_vowel_signs_take_cells_and_what_follows_keeps_its_column() -> None:
    name = Segment("अनन्या शर्मा", Style(bold=True))
    row = Strip([name, Segment(" " * 10), Segment("mdla-5.x")]).adjust_cell_length(40)
    column = name.cell_length + 10
    shown = Shown(KINDS["xterm"], (40, 2))
    shown.draw(LayoutUpdate([[row], [Strip.blank(40)]], Region(0, 0, 40, 2)))
    shown.assert_same()
    other = Emulator(40, 2, Kind(spaces_vowels=True))
    other.feed("".join(shown.line.written))
    signs = [cell.sign for cell in other.cells[0]]
    assert "".join(signs[:column]).rstrip() == "अनन्या शर्मा"
    assert "".join(signs[column:]).rstrip() == "mdla-5.x"


async def test_a_link_is_part_of_a_style_and_ends_with_it() -> None:
    sent = written(page("docs"), page("docs", style=Style(link="https://example.com/a")))
    assert sent == "\x1b]8;;https://example.com/a\x1b\\\rdocs"


async def test_a_link_that_a_terminal_would_obey_is_left_out() -> None:
    shown = Shown(KINDS["xterm"], SIZE)
    shown.output.draw(page("docs", style=Style(link="https://example.com/\x1b\\\x1b[2J")), SIZE, None)
    assert "example" not in shown.line.written[-1]


async def test_the_caret_is_moved_last_where_there_is_one() -> None:
    shown = Shown(KINDS["xterm"], SIZE)
    shown.draw(page("one"), caret=(7, 3))
    assert shown.line.written[-1].endswith("\x1b[4;8H")
