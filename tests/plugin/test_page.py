"""The page of the report: what it shows of each kind of difference, and that texts from outside stay texts."""

from __future__ import annotations

from chartui.testing.page import Result, page
from chartui.testing.verdict import Drawn, Pair, Verdict

ONE, OTHER = Drawn("<svg>1</svg>", "Model\nfast\n"), Drawn("<svg>2</svg>", "Model\nlast\n")


def shown(pair: Pair) -> str:
    return page([Result("a.tour.toml::a", Verdict(tour="a", problems=("a/x differs:\n 2 - fast",), pairs=(pair,)))])


def test_changed_characters_are_marked() -> None:
    html = shown(Pair("x", ONE, OTHER))
    assert html.count("<td>") == 2, "only the line that differs"
    assert "<tr><th>2</th><td><del>f</del>ast</td><td><ins>l</ins>ast</td></tr>" in html
    assert "<li>a/x differs</li>" in html


def test_other_colors_are_not_shown_as_other_text() -> None:
    html = shown(Pair("x", ONE, ONE._replace(svg="<svg>2</svg>")))
    assert "Only colors or styles differ." in html
    assert "<table>" not in html


def test_a_missing_side_is_named() -> None:
    assert "no stored picture" in shown(Pair("x", None, ONE))
    assert "no step takes this picture" in shown(Pair("x", ONE, None))


def test_failures_come_first() -> None:
    html = page([Result("p", Verdict(tour="passes")), Result("f", Verdict(tour="fails", problems=("f",)))])
    assert html.index("fails: ") < html.index("passes: ")
    assert "2 tours, 1 failed" in html


def test_texts_from_outside_stay_texts() -> None:
    bad = "<script>alert(1)</script>\x1b[31m\u202e"
    pair = Pair(bad, Drawn(bad, "same"), Drawn(bad, bad))
    html = page([Result(bad, Verdict(tour=bad, problems=(bad,), screen=bad, pairs=(pair,)))])
    assert "<script" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html
