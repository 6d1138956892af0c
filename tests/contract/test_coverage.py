"""What the cases must cover: every row, every refusal it lists, every path and every decision."""

from __future__ import annotations

from collections import Counter

from chartui.core.spec.errors import ErrorKind
from tests.contract import test_cases
from tests.contract.case import CASES
from tests.contract.decisions import CANNOT_OCCUR, ELSEWHERE, LAST_DECISION
from tests.contract.samples import SAMPLES, WITH_PATH
from tests.contract.world import EVERY_PATH, LOCAL, WIRE

assert test_cases  # imports the modules that put the cases on the list

_TRANSPORT = (ErrorKind.NO_KEY, ErrorKind.BAD_KEY, ErrorKind.TOO_LARGE, ErrorKind.INTERNAL)


def test_every_row_has_a_sample_and_a_success_on_every_path() -> None:
    for row in WITH_PATH:
        assert row.name in SAMPLES
        paths = {
            path for case in CASES.values() for path in case.paths if case.operation == row.name and not case.outcome
        }
        assert paths == set(EVERY_PATH), row.name


def test_every_refusal_of_every_row_has_a_case() -> None:
    covered = {(case.operation, case.outcome) for case in CASES.values()}
    missing = [
        (row.name, kind)
        for row in WITH_PATH
        for kind in row.errors
        if (row.name, kind) not in covered and (row.name, kind) not in CANNOT_OCCUR
    ]
    assert missing == []


def test_what_cannot_occur_does_not() -> None:
    listed = {(row.name, kind) for row in WITH_PATH for kind in row.errors}
    covered = {(case.operation, case.outcome) for case in CASES.values()}
    assert set(CANNOT_OCCUR) <= listed
    assert not covered & set(CANNOT_OCCUR)


def test_cases_about_meaning_run_everywhere() -> None:
    """A case may leave a path out for one of two reasons only: it is about the transport, or about expectations."""
    for case in CASES.values():
        if case.outcome in _TRANSPORT:
            assert case.paths == WIRE, case.id
        elif case.outcome is ErrorKind.CONFLICT and 37 in case.decisions:
            assert case.paths == LOCAL, case.id
        else:
            assert case.paths in (EVERY_PATH, WIRE) or case.id.endswith(": a member"), case.id


def test_every_decision_has_a_case_or_a_reason() -> None:
    shown = {number for case in CASES.values() for number in case.decisions}
    assert shown <= set(range(1, LAST_DECISION + 1))
    assert sorted(set(range(1, LAST_DECISION + 1)) - shown - set(ELSEWHERE)) == []
    assert shown & set(ELSEWHERE) == set()


def test_both_state_tables_are_whole() -> None:
    transitions = Counter(case.operation for case in CASES.values() if " -> " in case.id)
    # Two values from each of two states; 11 values from each of 4 + 3 + 1 states, and 12 changes of model.
    assert transitions == {"toggle-narrative": 2 * 2, "update-character": 11 * (4 + 3 + 1) + 12}
