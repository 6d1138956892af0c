"""Every row N, H and P of the fault list through one command: its exit status, and one sentence about what happened."""

from __future__ import annotations

import pytest

from chartui.core.jsontext import loads
from chartui.main import main
from tests.faults.client import KEY
from tests.faults.rows import EVERY_ROW, LISTED, ROWS, Played, Row


def test_no_row_of_the_list_is_forgotten() -> None:
    assert {row.number for row in ROWS} == set(LISTED)


@EVERY_ROW
def test_a_command_says_what_happened(row: Row, service: Played, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(row.words)
    out, err = capsys.readouterr()
    assert status == row.exit, err
    if row.exit:
        assert row.says in " ".join(err.split())
        assert err.startswith("chartui: ")
        assert out == ""
    assert all(text in out for text in row.shows), out
    for hidden in (KEY, "Traceback", "<html>", "\x1b"):
        assert hidden not in out + err


@EVERY_ROW
def test_a_program_reads_what_happened(row: Row, service: Played, capsys: pytest.CaptureFixture[str]) -> None:
    status = main((*row.words, "--json"))
    out, err = capsys.readouterr()
    assert status == row.exit, err
    if row.exit:
        error = loads(err)
        assert isinstance(error, dict)
        assert isinstance(error["error"], dict)
        assert row.says in str(error["error"]["message"])
        assert out == ""
    else:
        loads(out)
