"""Tables for export: what a spreadsheet, a document and a program get."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.sheet import Column, Sheet, Texts, as_csv, as_markdown, as_records, as_texts, filtered
from chartui.core.text import cell_width, is_plain

COLUMNS = (Column("name"), Column("credits"), Column("latency", "ms"), Column("realtime"))


def sheet(*rows: tuple[Wire, ...], notes: tuple[str, ...] = ()) -> Sheet:
    return Sheet("Models", COLUMNS, rows, notes)


ROWS = sheet(
    ("plain", Decimal("4.100000"), 640, False),
    ("tab\there", Decimal("-0.25"), None, True),
    ("", None, 12000, None),
    notes=("Reference rates.", "Two | notes."),
)


def test_csv() -> None:
    assert as_csv(ROWS) == "name,credits,latency,realtime\nplain,4.1,640,false\ntab␉here,-0.25,,true\n,,12000,\n"


def test_markdown() -> None:
    assert as_markdown(ROWS) == (
        "## Models\n"
        "\n"
        "| name     | credits | latency (ms) | realtime |\n"
        "| -------- | ------: | -----------: | -------- |\n"
        "| plain    |    4.10 |          640 | no       |\n"
        "| tab␉here |   -0.25 |            – | yes      |\n"
        "|          |       – |       12 000 | –        |\n"
        "\n"
        "- Reference rates.\n"
        "- Two \\| notes.\n"
    )


def test_differences_carry_their_sign_where_people_read_them() -> None:
    table = Sheet("", (Column("line"), Column("more", signed=True)), (("a", Decimal("0.5")), ("b", Decimal("-1.25"))))
    assert as_texts(table).rows == [["a", "+0.50"], ["b", "-1.25"]]
    assert as_csv(table) == "line,more\na,0.5\nb,-1.25\n"


def test_units_can_share_a_column() -> None:
    """Whole milliseconds get no decimals because credits above them have some."""
    table = Sheet("", (Column("of"), Column("a")), (("model", "x"), ("credits", Decimal("1.5")), ("latency", 640)))
    expected = Texts(["of", "a"], [["model", "x"], ["credits", "1.5"], ["latency", "640"]], frozenset({1}))
    assert as_texts(table) == expected


def test_records_are_exact_and_unknown_is_null() -> None:
    records = as_records(sheet(("a", Decimal("0.000001"), None, True), ("b", 10**30, 1, None)))
    assert dumps(records) == (
        '[{"name": "a", "credits": 0.000001, "latency": null, "realtime": true}, '
        '{"name": "b", "credits": 1000000000000000000000000000000, "latency": 1, "realtime": null}]'
    )
    assert loads(dumps(records)) == records


def test_no_column_is_lost_because_of_its_name() -> None:
    """Names of columns can be names that people gave."""
    twice = Sheet("", (Column("a"), Column("a 2"), Column("a")), ((1, 2, 3),))
    assert as_records(twice) == [{"a": 1, "a 2": 2, "a 3": 3}]
    assert as_csv(twice) == "a,a 2,a 3\n1,2,3\n"
    assert as_markdown(twice).startswith("|   a | a 2 | a 3 |\n")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1", "＝1", "\t=1", "-"])
def test_a_text_is_no_formula(text: str) -> None:
    cells = next(csv.reader(io.StringIO(as_csv(Sheet("", (Column(text), Column("n")), ((text, -1),))))))
    assert cells[0][0] in "'␉"
    assert as_csv(Sheet("", (Column("a"), Column("n")), ((text, -1),))).splitlines()[1].endswith(",-1")


@pytest.mark.parametrize("text", ["mdla_4o", "a-b", "3 = 3", "–"])
def test_an_ordinary_text_stays_as_it_is(text: str) -> None:
    one = Sheet("", (Column("a"),), ((text,),))
    assert as_csv(one) == f"a\n{text}\n"
    assert f"| {text} " in as_markdown(one)


def test_markdown_takes_no_text_for_markup() -> None:
    text = "a|b `c` <i> *d* [e](f) _g_ h\\ ~~i~~ &amp; $j$"
    assert "a\\|b \\`c\\` \\<i\\> \\*d\\* \\[e\\](f) \\_g\\_ h\\\\ \\~\\~i\\~\\~ \\&amp; \\$j\\$" in as_markdown(
        Sheet("", (Column("a"),), ((text,),))
    )


def test_a_list_in_a_cell_is_written_as_json() -> None:
    one = Sheet("", (Column("a"),), (([1, "b"],),))
    assert as_csv(one) == 'a\n"[1, ""b""]"\n'


TEXTS = st.text(max_size=30)


@given(st.lists(st.tuples(TEXTS, st.one_of(st.none(), st.decimals(-(10**9), 10**9, places=6))), max_size=5), TEXTS)
def test_whatever_the_texts_are(rows: list[tuple[str, Decimal | None]], name: str) -> None:
    """Nothing a terminal obeys, every row on its own line, every cell in its place, every column straight."""
    table = Sheet(name, (Column(name), Column("n")), tuple(rows), (name,))
    read = list(csv.reader(io.StringIO(as_csv(table))))
    assert [len(row) for row in read] == [2] * (len(rows) + 1)
    assert [None if n == "" else Decimal(n) for _, n in read[1:]] == [number for _, number in rows]
    lines = [line for line in as_markdown(table).split("\n") if line.startswith("|")]
    assert len(lines) == len(rows) + 2
    assert len({cell_width(line) for line in lines}) == 1
    assert all(is_plain(line) for line in [*lines, *as_csv(table).split("\n")])


def test_a_filter_ignores_case_and_accents() -> None:
    rows = (("Zoë", "Au Café"), ("Zoe", "at home"), ("Ada", "CAFE"))
    table = Sheet(title="", columns=(Column("name"), Column("where")), rows=rows)
    assert filtered(table, "ZOE").rows == rows[:2]
    assert filtered(table, "zoë cafe").rows == rows[:1]
    assert filtered(table, "café").rows == (rows[0], rows[2])
