"""Columns, numbers and the streams."""

from __future__ import annotations

import io
from decimal import Decimal

import pytest

from chartui.cli.errors import Exit, Failure, UsageError
from chartui.cli.output import Output, _fitting, yes_no
from chartui.core.jsontext import Wire
from chartui.core.numbers import aligned
from chartui.core.text import cell_width, padded


def written(*, as_json: bool = False, encoding: str = "utf-8") -> tuple[Output, io.BytesIO]:
    raw = io.BytesIO()
    return Output(io.TextIOWrapper(raw, encoding=encoding), io.StringIO(), as_json=as_json), raw


@pytest.mark.parametrize(
    ("text", "cells"), [("abc", 3), ("小林", 4), ("e\u0301", 1), ("सि", 2), ("x\u200dy", 2), ("…–", 2), ("", 0)]
)
def test_cells(text: str, cells: int) -> None:
    assert cell_width(text) == cells


def test_columns_are_straight_in_cells() -> None:
    output, raw = written()
    output.table([["小林", "1"], ["e\u0301 b", "10"], ["abcde", "100"]], header=["N", "#"], right={1})
    output.flush()
    assert raw.getvalue().decode().split("\n") == [
        "N        #",
        "小林     1",
        "e\u0301 b     10",
        "abcde  100",
        "",
    ]


class Screen(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [60, 200])
def test_on_a_terminal_long_texts_are_cut_and_ids_are_not(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    key, name = "0f5c1d1e-0000-4000-8000-000000000001", "x y" + "z" * 200
    rows = [[key, name, "1"], [key, "小林 静", "10"]]
    terminal, piped = io.BytesIO(), io.BytesIO()
    streams = Screen(terminal, encoding="utf-8"), io.TextIOWrapper(piped, encoding="utf-8")
    for stream in streams:
        output = Output(stream, io.StringIO(), as_json=False)
        output.table(rows, header=["ID", "NAME", "#"], right={2})
        output.flush()
    shown = terminal.getvalue().decode().splitlines()
    assert {cell_width(line) for line in shown} == {columns}
    assert [line.split()[0] for line in shown] == ["ID", key, key]
    assert "zzz…" in shown[1]
    assert name in piped.getvalue().decode()


def test_on_a_terminal_a_wrapped_column_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    raw = io.BytesIO()
    output = Output(Screen(raw, encoding="utf-8"), io.StringIO(), as_json=False)
    output.table([["key", "refused", "Set the variables of WORK 1 000 to an API key of the service."]], wraps=True)
    output.flush()
    assert raw.getvalue().decode().splitlines() == [
        "key  refused  Set the variables of WORK",
        "              1 000 to an API key of the",
        "              service.",
    ]


@pytest.mark.parametrize(
    ("columns", "heads"),
    [(25, ["ID", "NAME", "SEEN", "CREDITS"]), (24, ["ID", "NAME", "CREDITS"]), (17, ["ID", "CREDITS"])],
)
def test_on_a_terminal_columns_are_left_out_before_a_line_is_too_long(
    monkeypatch: pytest.MonkeyPatch, columns: int, heads: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    raw = io.BytesIO()
    output = Output(Screen(raw, encoding="utf-8"), io.StringIO(), as_json=False)
    output.table([["c1", "Elena", "today", "4.25"]], header=["ID", "NAME", "SEEN", "CREDITS"], right={3}, drops=[2, 1])
    output.flush()
    head, row = raw.getvalue().decode().splitlines()
    assert head.split() == heads
    assert row.endswith("   4.25")


def test_where_nothing_fits_only_very_long_texts_are_cut() -> None:
    assert _fitting([36, 14, 200], [40, 12, 12], 50) == [36, 14, 40]
    assert _fitting([36, 14, 200], [40, 12, 12], 100) == [36, 14, 50]
    assert _fitting([36, 14, 200], [40, 12, 12], 60) == [36, 12, 12]


def test_on_a_terminal_sentences_are_wrapped_at_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    out, err, piped = io.BytesIO(), io.BytesIO(), io.BytesIO()
    key, said = "0f5c1d1e-0000-4000-8000-000000000001", "Nothing answers. 小林 静 is still there."
    streams = Screen(out, encoding="utf-8"), io.TextIOWrapper(piped, encoding="utf-8")
    errors = Screen(err, encoding="utf-8")
    for stream in streams:
        output = Output(stream, errors, as_json=False)
        output.sentence(said)
        output.sentence(said, after="  rule  ")
        output.fields([("Key", f"{key} of the old one"), ("Note", "a line\n小林 静")])
        output.flush()
    whole = f"{said}\n  rule  {said}\nKey   {key} of the old one\nNote  a line\n      小林 静\n"
    assert piped.getvalue().decode() == whole
    assert out.getvalue().decode().splitlines() == [
        "Nothing answers. 小林 静 is",
        "still there.",
        "  rule  Nothing answers. 小林",
        "        静 is still there.",
        f"Key   {key}",  # a longer word stays whole
        "      of the old one",
        "Note  a line",
        "      小林 静",
    ]
    output.warn("The API key ends soon. Run 'chartui profiles set-key demo' to enter another one.")
    output.note("  key      a row of a table that is too long\n  read a sentence that is too long")
    output.fail(Failure(Exit.USAGE, "usage", "No such story."))
    assert err.getvalue().decode().splitlines() == [
        "warning: The API key ends",
        "soon. Run",
        "'chartui profiles set-key demo'",
        "to enter another one.",
        "  key      a row of a table that is too long",
        "  read a sentence that is too",
        "  long",
        "chartui: No such story.",
    ]


def test_on_a_terminal_json_is_not_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    err = io.BytesIO()
    stream = Screen(err, encoding="utf-8")
    output = Output(None, stream, as_json=True)
    output.fail(Failure(Exit.USAGE, "usage", "Nothing answers, although it should by now."))
    assert len(err.getvalue().decode().splitlines()) == 1


def test_a_table_without_rows_is_nothing() -> None:
    output, raw = written()
    output.table([])
    output.flush()
    assert raw.getvalue() == b""


def test_padding_never_cuts() -> None:
    assert padded("abc", 2) == "abc"
    assert padded("abc", 5, right=True) == "  abc"


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        (["1", "2.50", "1000"], ["1.0", "2.5", "1 000.0"]),
        (["4E+3", "-0.0"], ["4 000", "0"]),
        (["0.000001", "3"], ["0.000001", "3.000000"]),
        ([], []),
    ],
)
def test_numbers_of_a_column_have_the_same_decimals(numbers: list[str], texts: list[str]) -> None:
    assert [text.replace("-0", "0") for text in aligned([Decimal(number) for number in numbers])] == texts


@pytest.mark.parametrize(("value", "word"), [(True, "yes"), (False, "no"), (None, "–")])
def test_what_is_not_known_is_neither_yes_nor_no(value: bool | None, word: str) -> None:
    assert yes_no(value) == word


def test_nothing_is_written_before_the_command_has_succeeded() -> None:
    output, raw = written()
    output.text("data")
    assert raw.getvalue() == b""
    output.flush()
    output.flush()
    assert raw.getvalue() == b"data\n"


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ("é小😀", '"é小😀"\n'.encode()),
        ("\u202e\x9b\U000e0041", rb'"\u202e\u009b\udb40\udc41"' + b"\n"),
        (["a\nb"], b'[\n  "a\\nb"\n]\n'),
    ],
)
def test_json_is_utf8_whatever_the_locale(value: Wire, data: bytes) -> None:
    output, raw = written(as_json=True, encoding="latin-1")
    output.json(value)
    output.flush()
    assert raw.getvalue() == data


def test_text_that_the_locale_cannot_say_stops_nothing() -> None:
    output, raw = written(encoding="latin-1")
    output.text("é小")
    output.flush()
    assert raw.getvalue() == b"\xe9\\u5c0f\n"


def test_closed_streams_are_taken_as_they_are() -> None:
    output = Output(None, None, as_json=False)
    output.text("data")
    output.note("narration")
    output.flush()
    output.abandon()


def test_a_full_disk_is_told() -> None:
    with open("/dev/full", "w") as full:
        output = Output(full, io.StringIO(), as_json=False)
        output.text("data")
        with pytest.raises(UsageError, match="writing to standard output failed: No space left on device"):
            output.flush()
