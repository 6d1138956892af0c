"""Commands that change data: shown, asked about, stopped between steps, reported, and gone on with."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest

from chartui.core.backends.base import Answer, Context
from chartui.core.backends.layers import Journaled
from chartui.core.backends.local.backend import LocalBackend
from chartui.core.journal import Journal, Outcome
from chartui.core.jsontext import Wire
from chartui.core.plans.plan import from_wire
from chartui.core.profiles import BUILT_IN
from chartui.core.session import journal_path, open_session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation

from .conftest import Result, Run

DEMO = BUILT_IN["demo"]
AWAY = ServiceError(ErrorKind.UNREACHABLE, "No answer.", sent="no")
TAKEN = ServiceError(ErrorKind.CONFLICT, "Somebody was faster.")
LOST = ServiceError(ErrorKind.TIMEOUT, "No answer in time.", sent="unclear")

#: What happens at a change, by its number from 0: an error, or something that is done before it.
Faults = dict[int, "ServiceError | Callable[[], None]"]


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    """What goes wrong with the changes that the next commands send."""
    faults: Faults = {}
    perform = LocalBackend.perform
    sent = iter(range(10**6))

    async def failing(self: LocalBackend, row: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        fault = faults.pop(next(sent), None) if row.effect is Effect.WRITE else None
        if isinstance(fault, ServiceError):
            raise fault
        if fault is not None:
            fault()
        return await perform(self, row, payload, context)

    monkeypatch.setattr(LocalBackend, "perform", failing)
    return faults


@pytest.fixture
def four(demo_ids: dict[str, str]) -> list[str]:
    return list(demo_ids.values())[:4]


def set_all(run: Run, ids: list[str], *words: str) -> Result:
    return run("characters", "set", *ids, "--temperature", "0.11", *words)


def temperatures(run: Run, ids: list[str]) -> list[bool]:
    records = {record["character_id"]: record for record in run("characters", "list", "--json").value["characters"]}
    return [records[one]["personalised_prompt_config"]["TEMPERATURE"] == Decimal("0.11") for one in ids]


def the_plan(run: Run) -> Any:
    return run("plans", "list", "--json").value["plans"][0]


class Terminal(StringIO):
    """Standard input on which somebody types."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Lets somebody type a line at a terminal. To be called inside the test."""

    def types(line: str) -> None:
        monkeypatch.setattr(sys, "stdin", Terminal(line))
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    return types


# -- before anything is sent ------------------------------------------------------------------------------------------


def test_a_dry_run_shows_everything_and_sends_nothing(run: Run, four: list[str]) -> None:
    result = set_all(run, four, "--dry-run")
    assert result.status == 0
    assert result.out.count("→ 0.11") == 4
    for character_id in four:
        assert f'sends: {{"charID": "{character_id}", "temperature": 0.11}}' in result.out
    assert "nothing was sent" in result.err
    assert temperatures(run, four) == [False] * 4
    assert run("plans", "list").out == ""


def test_a_dry_run_as_json_is_the_plan(run: Run, four: list[str]) -> None:
    plan = from_wire(set_all(run, four, "--dry-run", "--json").value)
    assert [step.payload["charID"] for step in plan.steps] == four
    assert plan.independent
    assert temperatures(run, four) == [False] * 4


def test_without_a_terminal_nobody_can_agree(run: Run, four: list[str]) -> None:
    result = set_all(run, four)
    assert (result.status, result.out) == (2, "")
    assert "not sent: " in result.err
    assert "--yes" in result.err
    assert temperatures(run, four) == [False] * 4


def test_json_is_for_programs_so_it_never_asks(run: Run, four: list[str], typing: Callable[[str], None]) -> None:
    typing("y\n")
    result = set_all(run, four, "--json")
    assert (result.status, result.error["code"]) == (2, "unconfirmed")
    assert temperatures(run, four) == [False] * 4


@pytest.mark.parametrize(
    ("line", "agreed"), [(" 4 \n", True), ("y\n", False), ("3\n", False), ("\n", False), ("", False)]
)
def test_at_a_terminal_many_are_shown_and_agreed_to_by_their_number(
    line: str, agreed: bool, run: Run, four: list[str], typing: Callable[[str], None]
) -> None:
    typing(line)
    result = set_all(run, four)
    assert result.err.count("→ 0.11") == 4
    assert "Apply 4 steps to profile 'demo' (embedded store)? Type 4 to confirm: " in result.err
    assert result.status == (0 if agreed else 2)
    assert ("nothing was sent" in result.err) is not agreed
    assert temperatures(run, four) == [agreed] * 4


@pytest.mark.parametrize(
    ("line", "agreed"), [("y\n", True), ("YES\n", True), ("1\n", False), ("\n", False), ("n\n", False), ("", False)]
)
def test_at_a_terminal_one_is_shown_and_asked_about(
    line: str, agreed: bool, run: Run, four: list[str], typing: Callable[[str], None]
) -> None:
    typing(line)
    result = set_all(run, four[:1])
    assert "Apply 1 step to profile 'demo' (embedded store)? y/N " in result.err
    assert result.status == (0 if agreed else 2)
    assert temperatures(run, four) == [agreed, False, False, False]


def test_of_many_steps_a_question_shows_the_first(run: Run, typing: Callable[[str], None]) -> None:
    run("store", "seed", "--characters", "30", "--profile", "local")
    typing("\n")
    result = run("characters", "set", "--all", "--temperature", "0.11", "--profile", "local")
    assert result.err.count("→ 0.11") == 20
    assert "more steps; --dry-run shows all" in result.err


def test_the_lock_comes_before_the_question(run: Run, four: list[str], typing: Callable[[str], None]) -> None:
    typing("4\n")
    result = set_all(run, four, "--read-only")
    assert (result.status, result.out) == (2, "")
    assert "agree" not in result.err
    assert temperatures(run, four) == [False] * 4


def test_what_is_so_already_changes_nothing(run: Run, four: list[str]) -> None:
    set_all(run, four, "--yes")
    result = set_all(run, four, "--yes")
    assert (result.status, result.out) == (0, "")
    assert "No changes needed" in result.err
    as_json = set_all(run, four, "--yes", "--json").value
    assert (as_json["state"], as_json["steps"]) == ("done", [])


# -- reports ----------------------------------------------------------------------------------------------------------


def test_every_step_is_reported(run: Run, four: list[str]) -> None:
    result = set_all(run, four, "--yes")
    assert result.status == 0
    assert [line.split()[:3] for line in result.out.splitlines()[1:]] == [
        [str(number), "done", "update-character"] for number in range(1, 5)
    ]
    assert result.err == "4 steps done; 'chartui undo' undoes the change\n"


def test_a_refusal_of_one_is_reported_and_the_others_are_done(run: Run, four: list[str], faults: Faults) -> None:
    faults[1] = TAKEN
    result = set_all(run, four, "--yes")
    assert result.status == 3
    states = [line.split()[1] for line in result.out.splitlines()[1:]]
    assert states == ["done", "failed", "done", "done"]
    assert "Somebody was faster." in result.out.splitlines()[2]
    assert "4 steps: 3 done, 1 failed" in result.err
    assert "resume" not in result.err
    assert result.err.endswith("chartui: Somebody was faster.\n")
    assert temperatures(run, four) == [True, False, True, True]


@pytest.mark.parametrize(
    ("fault", "status", "state"),
    [
        (AWAY, 3, "failed"),
        (LOST, 3, "unknown"),
        (ServiceError(ErrorKind.BAD_KEY, "The key is refused."), 4, "failed"),
        (ServiceError(ErrorKind.BUSY, "The store is in use."), 5, "failed"),
        (ServiceError(ErrorKind.READ_ONLY, "Locked."), 2, "failed"),
    ],
)
def test_what_stops_all_says_how_to_go_on(
    fault: ServiceError, status: int, state: str, run: Run, four: list[str], faults: Faults
) -> None:
    faults[1] = fault
    result = set_all(run, four, "--yes", "--json")
    assert result.status == status
    assert result.error["code"] == fault.kind.value
    report = result.value
    assert [step["state"] for step in report["steps"]] == ["done", state, "not tried", "not tried"]
    assert report["steps"][1]["error"] == {"code": fault.kind.value, "message": fault.message}
    assert (report["done"], report["not_tried"], report["state"]) == (1, 2, "stopped")
    gone_on = run("plans", "resume", report["plan_id"], "--yes")
    assert gone_on.status == 0
    assert temperatures(run, four) == [True] * 4


def test_the_text_says_it_too(run: Run, four: list[str], faults: Faults) -> None:
    faults[2] = AWAY
    result = set_all(run, four, "--yes")
    assert f"resume with: chartui plans resume {the_plan(run)['id']}\n" in result.err
    assert "4 steps: 2 done, 1 failed, 1 not tried" in result.err


def test_a_single_request_fails_like_that_of_any_command(run: Run, four: list[str], faults: Faults) -> None:
    faults[0] = TAKEN
    result = set_all(run, four[:1], "--yes")
    assert (result.status, result.out, result.err) == (3, "", "chartui: Somebody was faster.\n")


# -- signals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_after_the_running_step(
    number: signal.Signals, status: int, run: Run, four: list[str], faults: Faults
) -> None:
    faults[1] = lambda: os.kill(os.getpid(), number)
    result = set_all(run, four, "--yes")
    assert result.status == status
    done = [line.split()[1] == "done" for line in result.out.splitlines()[1:]]
    assert done == [True, True, False, False]
    assert "chartui plans resume" in result.err
    assert temperatures(run, four) == done
    kept = the_plan(run)
    assert (kept["state"], kept["changed"], kept["total"]) == ("cancelled", 2, 4)
    assert run("plans", "resume", kept["id"], "--yes").status == 0
    assert temperatures(run, four) == [True] * 4
    assert signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL)


def test_a_second_signal_gives_up_the_step_as_well(run: Run, four: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: Any) -> Answer:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()
        raise AssertionError

    perform = LocalBackend.perform

    async def failing(self: LocalBackend, row: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        return await (never() if row.effect is Effect.WRITE else perform(self, row, payload, context))

    # As a service would be that does not answer: only of such a one a call can be given up.
    monkeypatch.setattr(LocalBackend, "perform", failing)
    begin = Journaled.__init__
    monkeypatch.setattr(Journaled, "__init__", lambda *words, **more: begin(*words, **{**more, "embedded": False}))
    result = set_all(run, four, "--yes")
    assert (result.status, result.out) == (130, "")
    entry = asyncio.run(entries())[0]
    assert entry.outcome is Outcome.UNKNOWN


async def entries() -> Any:
    journal = Journal(journal_path())
    try:
        return await journal.entries()
    finally:
        await journal.aclose()


# -- plans ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def stopped(run: Run, four: list[str], faults: Faults) -> str:
    faults[2] = AWAY
    return str(set_all(run, four, "--yes", "--json").value["plan_id"])


def test_plans_are_listed_newest_first(run: Run, stopped: str, four: list[str]) -> None:
    run("characters", "rename", four[0], "Another", "--yes")
    result = run("plans", "list")
    assert result.err == "2 plans\n"
    renamed, half = result.out.splitlines()[1:]
    assert "done" in renamed
    assert half.split()[0] == stopped
    assert " stopped " in half
    assert " 2/4 " in half
    assert len(run("plans", "list", "--limit", "1", "--json").value["plans"]) == 1
    assert run("plans", "list", "--profile", "local").err == "0 plans\n"
    assert run("plans", "list", "--limit", "0").status == 2


def test_a_plan_is_shown_step_by_step(run: Run, stopped: str, four: list[str]) -> None:
    result = run("plans", "show", stopped)
    assert result.status == 0
    head, _, *rows = result.out.splitlines()
    assert head.endswith("stopped, 2 of 4 steps made changes")
    assert [row[6:15].strip() for row in rows] == ["done", "done", "refused", "not sent"]
    assert "No answer." in rows[2]
    found = run("plans", "show", stopped, "--json").value
    assert [step["outcome"] for step in found["steps"]] == ["done", "done", "refused", "not sent"]
    assert [step["payload"]["charID"] for step in found["steps"]] == four


def test_going_on_shows_what_is_left(run: Run, stopped: str, four: list[str], typing: Callable[[str], None]) -> None:
    assert run("plans", "resume", stopped).status == 2
    left = run("plans", "resume", stopped, "--dry-run").out
    assert [character_id in left for character_id in four] == [False, False, True, True]
    assert temperatures(run, four) == [True, True, False, False]
    assert run("plans", "resume", stopped, "--yes", "--read-only").status == 2
    typing("2\n")
    result = run("plans", "resume", stopped)
    assert "Apply 2 steps" in result.err
    assert result.status == 0
    assert temperatures(run, four) == [True] * 4
    again = run("plans", "resume", stopped, "--yes")
    assert (again.status, again.err) == (0, "No changes needed. Nothing was sent.\n")
    assert the_plan(run)["state"] == "done"


@pytest.mark.parametrize(
    ("words", "status", "done"),
    [
        ([], 3, [True, False, False, False]),
        (["--assume-done"], 0, [True, False, True, True]),
        # Sent once more, it meets what was expected, and that is there no more.
        (["--assume-not-done"], 3, [True, False, True, True]),
    ],
)
def test_the_user_decides_what_cannot_be_found_out(
    words: list[str], status: int, done: list[bool], run: Run, four: list[str], faults: Faults
) -> None:
    faults[1] = LOST
    plan_id = set_all(run, four, "--yes", "--json").value["plan_id"]
    assert run("characters", "set", four[1], "--temperature", "0.99", "--yes").status == 0  # by somebody else
    result = run("plans", "resume", plan_id, "--yes", *words)
    assert result.status == status
    assert (", then resume and say" in result.err) is not bool(words)
    assert temperatures(run, four) == done
    assert [entry.outcome for entry in asyncio.run(entries()) if entry.outcome is Outcome.UNKNOWN] == (
        [] if words else [Outcome.UNKNOWN]
    )


async def interrupted(character_id: str, outcome: Outcome | None) -> None:
    """What is left of a program that was killed at its only step: before it is known how that ended, or after."""
    from chartui.core.plans.plan import Plan, Step, to_wire

    payload = {"charID": character_id, "temperature": Decimal("0.11")}
    plan = Plan(id="cut", title="Cut", steps=(Step(operation="update-character", payload=payload),))
    session = open_session(DEMO)
    await session.journal.keep_plan(DEMO.place, plan.id, plan.title, to_wire(plan), 1)
    number = await session.journal.intend(
        DEMO.place, "update-character", payload, before=None, context=Context(plan_id="cut", step=0)
    )
    if outcome is not None:
        await session.journal.conclude(number, outcome)
    await session.aclose()


def in_history(run: Run, *words: str) -> list[Any]:
    found: list[Any] = [item["plan_state"] for item in run("history", *words, "--json").value["changes"]]
    return found


def test_an_interrupted_plan_is_called_that_until_it_is_gone_on_with(run: Run, four: list[str]) -> None:
    asyncio.run(interrupted(four[0], Outcome.REFUSED))
    assert (the_plan(run)["state"], in_history(run, "--open")) == ("interrupted", ["interrupted"])
    assert "interrupted at 0 of 1" in run("history", "--open").out
    assert run("plans", "resume", "cut", "--yes").status == 0
    assert (the_plan(run)["state"], in_history(run, "--open")) == ("done", [])


def test_a_plan_is_done_once_every_step_of_it_is_known_to_be(run: Run, four: list[str]) -> None:
    """Whether its last step was concluded just before a kill, or found out later."""
    asyncio.run(interrupted(four[0], None))
    assert "outcome unknown" in run("history", "--open").out
    assert run("history", "--resolve", "1", "--as", "done").status == 0
    assert (the_plan(run)["state"], in_history(run), in_history(run, "--open")) == ("done", ["done"], [])


def test_a_plan_of_which_steps_were_refused_is_partly_done_until_they_are(
    run: Run, four: list[str], faults: Faults
) -> None:
    faults |= {1: TAKEN, 2: TAKEN}
    set_all(run, four, "--yes")
    assert (the_plan(run)["state"], the_plan(run)["changed"]) == ("partly done", 2)
    assert in_history(run, "--open") == ["partly done"]
    assert "partly done at 2 of 4" in run("history").out
    assert run("plans", "resume", the_plan(run)["id"], "--yes").status == 0
    assert temperatures(run, four) == [True] * 4
    assert (the_plan(run)["state"], in_history(run, "--open")) == ("done", [])


def test_a_plan_can_be_forgotten(run: Run, stopped: str, four: list[str]) -> None:
    result = run("plans", "abandon", stopped)
    assert (result.status, result.out) == (0, "")
    assert "stay applied" in result.err
    assert run("plans", "list").out == ""
    assert run("plans", "resume", stopped, "--yes").status == 3
    assert temperatures(run, four) == [True, True, False, False]
    assert len(asyncio.run(entries())) == 3


@pytest.mark.parametrize("as_json", [False, True], ids=["txt", "json"])
def test_what_is_written_of_plans(
    as_json: bool, run: Run, four: list[str], faults: Faults, golden: Callable[[str, str], None], repeatable: None
) -> None:
    set_all(run, four[:1], "--yes")
    faults[2] = AWAY  # counted over both commands
    words = ["--json"] if as_json else []
    ending = "json" if as_json else "txt"
    report = set_all(run, four, "--yes", *words)
    golden(f"plans-report.{ending}", report.out)
    plan_id = the_plan(run)["id"]
    golden(f"plans-list.{ending}", run("plans", "list", *words).out)
    golden(f"plans-show.{ending}", run("plans", "show", plan_id, *words).out)
    golden(f"plans-resume.{ending}", run("plans", "resume", plan_id, "--yes", *words).out)


@pytest.mark.parametrize("words", ["show nothing", "resume nothing --yes", "abandon nothing"])
def test_a_plan_that_is_not_there(words: str, run: Run) -> None:
    result = run("plans", *words.split())
    assert (result.status, result.out) == (3, "")
    assert "There is no plan 'nothing'" in result.err


def test_a_plan_of_another_profile_stays_there(run: Run, stopped: str) -> None:
    result = run("plans", "resume", stopped, "--yes", "--profile", "local")
    assert result.status == 2
    assert "for profile 'demo'" in result.err
