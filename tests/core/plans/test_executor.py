"""Carrying out plans: what is sent, what is left out, where it stops, and how it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import aclosing, contextmanager
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.backends.base import Answer, Context
from chartui.core.journal import Outcome, PlanState
from chartui.core.jsontext import Wire
from chartui.core.plans.executor import Executor, Progress, StepState
from chartui.core.plans.plan import Plan, Step, result_of
from chartui.core.profiles import BUILT_IN, Place
from chartui.core.session import open_session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation
from tests import writes
from tests.long import examples

from .pretended import PLACE, Bench, Fault, Pretended

pytestmark = pytest.mark.anyio

DONE, ALREADY, FAILED = StepState.DONE, StepState.ALREADY, StepState.FAILED
UNKNOWN, NOT_TRIED = StepState.UNKNOWN, StepState.NOT_TRIED


@pytest.fixture
def pretended() -> Pretended:
    return Pretended({f"c{number}": Decimal("0.5") for number in range(4)})


@pytest.fixture
async def bench(tmp_path: Path, pretended: Pretended) -> Any:
    bench = Bench(tmp_path, pretended)
    yield bench
    await bench.aclose()


def update(character_id: str, temperature: str = "0.9", **more: Any) -> Step:
    payload = {"charID": character_id, "temperature": Decimal(temperature)}
    return Step(operation="update-character", payload=payload, **more)


def plan(*steps: Step, independent: bool = True, plan_id: str = "p") -> Plan:
    return Plan(id=plan_id, title="A plan", steps=steps, independent=independent)


def create(name: str) -> Step:
    payload = {"character_id": "c0", "section_name": name, "objective": "Greet."}
    return Step(operation="create-section", payload=payload)


def edit(section_id: Any, objective: str = "Show.") -> Step:
    payload = {"character_id": "c0", "section_id": section_id, "updated_data": {"objective": objective}}
    return Step(operation="edit-section", payload=payload)


# -- what is sent -----------------------------------------------------------------------------------------------------


async def test_all_of_it(bench: Bench, pretended: Pretended) -> None:
    ended = await bench.run(plan(*map(update, pretended.temperatures)))
    assert ended.ok
    assert ended.states == (DONE,) * 4
    assert (ended.done, ended.failed, ended.unknown, ended.not_tried) == (4, 0, 0, 0)
    assert set(pretended.temperatures.values()) == {Decimal("0.9")}
    assert ended.answers[3] == {"STATUS": "SUCCESS"}
    kept = await bench.journal.plan("p")
    assert kept is not None
    assert (kept.state, kept.total, kept.place) == (PlanState.DONE, 4, PLACE)


async def test_the_list_is_read_once(bench: Bench, pretended: Pretended) -> None:
    """For all steps together: a remote record can only be read with all the others."""
    ended = await bench.run(plan(*map(update, pretended.temperatures)))
    assert pretended.read == ["list-characters"]
    assert ended.read_at is not None
    entries = await bench.journal.entries()
    assert [entry.before for entry in entries] == [{"temperature": Decimal("0.5")}] * 4


async def test_what_the_plan_itself_changed_is_read_again(bench: Bench) -> None:
    ended = await bench.run(plan(update("c0", "0.9"), update("c0", "0.1"), update("c0", "0.1")))
    assert ended.states == (DONE, DONE, ALREADY)
    last, first = await bench.journal.entries()
    assert (first.before, last.before) == ({"temperature": Decimal("0.5")}, {"temperature": Decimal("0.9")})


async def test_what_is_so_already_is_not_sent(bench: Bench, pretended: Pretended) -> None:
    ended = await bench.run(plan(update("c0"), update("c1", "0.50"), update("c2")))
    assert ended.states == (DONE, ALREADY, DONE)
    assert ended.ok
    assert pretended.sent == [0, 2]


async def test_a_plan_without_steps_is_done_and_not_kept(bench: Bench) -> None:
    ended = await bench.run(plan())
    assert ended.ok
    assert await bench.journal.plans() == ()


async def test_steps_find_what_earlier_ones_made(bench: Bench, pretended: Pretended) -> None:
    ended = await bench.run(plan(create("A"), create("B"), edit(result_of(1, "section_id")), independent=False))
    assert ended.ok
    assert pretended.sections["s1"]["objective"] == "Show."


async def test_deleting_what_is_gone_is_done_already(bench: Bench, pretended: Pretended) -> None:
    gone = Step(operation="delete-section", payload={"character_id": "c0", "section_id": "s9"})
    ended = await bench.run(plan(gone))
    assert ended.states == (ALREADY,)
    assert pretended.sent == []


async def test_progress_says_what_is_under_way(bench: Bench) -> None:
    seen = [progress.states async for progress in bench.executor.run(plan(update("c0"), update("c1")))]
    waiting, running = StepState.WAITING, StepState.RUNNING
    assert seen == [(running, waiting), (DONE, running), (DONE, DONE)]


# -- what stops it ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [Fault.INVALID, Fault.CONFLICT])
async def test_a_refusal_of_one_step_does_not_concern_independent_others(fault: Fault, bench: Bench) -> None:
    bench.pretended.faults = [Fault.NONE, fault]
    ended = await bench.run(plan(update("c0"), update("c1"), update("c2")))
    assert ended.states == (DONE, FAILED, DONE)
    assert ended.errors[1].kind is fault.value.kind
    assert not ended.ok
    assert ended.state is PlanState.DONE  # nothing is left to try


@pytest.mark.parametrize("fault", [Fault.INVALID, Fault.CONFLICT])
async def test_a_refusal_stops_steps_that_need_one_another(fault: Fault, bench: Bench) -> None:
    bench.pretended.faults = [fault]
    ended = await bench.run(plan(create("A"), edit(result_of(0, "section_id")), independent=False))
    assert ended.states == (FAILED, NOT_TRIED)
    assert ended.state is PlanState.STOPPED


@pytest.mark.parametrize(
    ("fault", "state"),
    [
        (Fault.AWAY, FAILED),
        (Fault.KEY, FAILED),
        (Fault.LIMIT, FAILED),
        (Fault.LOST, UNKNOWN),
        (Fault.FAILED, UNKNOWN),
    ],
)
async def test_what_concerns_all_stops_all(fault: Fault, state: StepState, bench: Bench) -> None:
    bench.pretended.faults = [Fault.NONE, fault]
    ended = await bench.run(plan(update("c0"), update("c1"), update("c2")))
    assert ended.states == (DONE, state, NOT_TRIED)
    assert ended.first_error is not None
    assert ended.first_error.kind is fault.value.kind
    kept = await bench.journal.plan("p")
    assert kept is not None
    assert kept.state is PlanState.STOPPED


async def test_what_was_expected_is_compared_before_it_is_sent(bench: Bench, pretended: Pretended) -> None:
    expected = {"temperature": Decimal("0.4")}
    ended = await bench.run(
        plan(update("c0", expected=expected), update("c1", expected={"temperature": Decimal("0.5")}))
    )
    assert ended.states == (FAILED, DONE)
    assert ended.errors[0].kind is ErrorKind.CONFLICT
    assert pretended.sent == [1]


async def test_a_list_that_cannot_be_read_sends_nothing(
    bench: Bench, pretended: Pretended, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> Wire:
        raise ServiceError(ErrorKind.TIMEOUT, "No answer in time.", sent="unclear")

    monkeypatch.setattr(pretended, "_read", away)
    ended = await bench.run(plan(update("c0"), update("c1")))
    assert ended.states == (FAILED, NOT_TRIED)
    assert (ended.errors[0].sent, pretended.sent) == ("no", [])
    assert await bench.journal.entries() == ()


@pytest.mark.parametrize("name", ["get-section", "get-response", "no-such-thing"])
async def test_what_changes_nothing_is_no_step(name: str, bench: Bench, pretended: Pretended) -> None:
    with pytest.raises(ServiceError, match=name) as raised:
        await bench.run(plan(update("c0"), Step(operation=name, payload={})))
    assert raised.value.kind is ErrorKind.NOT_AVAILABLE
    assert pretended.sent == []


async def test_a_plan_that_cannot_be_kept_is_not_begun(tmp_path: Path, pretended: Pretended) -> None:
    (tmp_path / "journal.db").mkdir()
    bench = Bench(tmp_path, pretended)
    with pytest.raises(ServiceError):
        await bench.run(plan(update("c0")))
    assert (pretended.sent, pretended.read) == ([], [])


async def test_cancelling_ends_between_two_steps(bench: Bench, pretended: Pretended) -> None:
    ended = await bench.run(plan(*map(update, pretended.temperatures)), cancel_at=1)
    assert ended.cancelled
    assert ended.states == (DONE, DONE, NOT_TRIED, NOT_TRIED)
    kept = await bench.journal.plan("p")
    assert kept is not None
    assert kept.state is PlanState.CANCELLED


async def test_cancelling_ends_a_read_before_a_change_at_once(
    bench: Bench, pretended: Pretended, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, ended, perform = asyncio.Event(), asyncio.Event(), pretended.perform

    async def held(operation: Operation, payload: Mapping[str, Any], context: Context) -> Answer:
        if operation.effect is Effect.READ:
            reading.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
        return await perform(operation, payload, context)

    monkeypatch.setattr(pretended, "perform", held)
    cancel, told = asyncio.Event(), list[Progress]()

    async def run() -> None:
        async for progress in bench.executor.run(plan(update("c0"), update("c1")), cancel=cancel):
            told.append(progress)

    running = asyncio.ensure_future(run())
    await reading.wait()
    cancel.set()
    await running
    assert ended.is_set()
    assert told[-1].cancelled
    assert told[-1].states == (NOT_TRIED, NOT_TRIED)
    assert (pretended.sent, told[-1].errors) == ([], {})
    monkeypatch.undo()
    assert (await bench.resume("p")).ok
    assert pretended.sent == [0, 1]


async def test_a_run_that_nobody_follows_any_more_can_go_on(bench: Bench, pretended: Pretended) -> None:
    async with aclosing(bench.executor.run(plan(*map(update, pretended.temperatures)))) as steps:  # type: ignore[type-var]
        async for progress in steps:
            if progress.done == 2:
                break
    kept = await bench.journal.plan("p")
    assert kept is not None
    assert kept.state is PlanState.STOPPED
    assert (await bench.resume("p")).ok
    assert pretended.sent == [0, 1, 2, 3]


async def test_a_later_step_is_not_undone_by_going_on(bench: Bench, pretended: Pretended) -> None:
    """The first step held when the second was begun, so it is not looked at again."""
    steps = plan(update("c0", "0.5"), update("c0", "0.9"), update("c1"), independent=False)
    assert (await bench.run(steps, cancel_at=1)).states == (ALREADY, DONE, NOT_TRIED)
    assert (await bench.resume("p")).states == (ALREADY, DONE, DONE)
    assert pretended.sent == [1, 2]


async def test_giving_up_while_the_plan_is_being_kept_leaves_none_running(
    bench: Bench, pretended: Pretended, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, gate, keep = asyncio.Event(), asyncio.Event(), bench.journal.keep_plan

    async def slow(*words: Any) -> None:
        begun.set()
        await gate.wait()
        await keep(*words)

    monkeypatch.setattr(bench.journal, "keep_plan", slow)
    running = asyncio.ensure_future(bench.run(plan(update("c0"))))
    await begun.wait()
    running.cancel()
    await asyncio.sleep(0)
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    kept = await bench.journal.plan("p")
    assert kept is not None
    assert kept.state is PlanState.CANCELLED
    assert pretended.sent == []


# -- going on ---------------------------------------------------------------------------------------------------------


async def test_what_is_done_is_not_done_again(bench: Bench, pretended: Pretended) -> None:
    await bench.run(plan(*map(update, pretended.temperatures)), cancel_at=0)
    pretended.temperatures["c0"] = Decimal("0.1")  # by somebody else: it is theirs now
    ended = await bench.resume("p")
    assert ended.ok
    assert pretended.sent == [0, 1, 2, 3]
    assert pretended.temperatures["c0"] == Decimal("0.1")


async def test_what_was_refused_is_tried_again(bench: Bench, pretended: Pretended) -> None:
    pretended.faults = [Fault.INVALID]
    await bench.run(plan(update("c0"), update("c1")))
    ended = await bench.resume("p")
    assert ended.ok
    assert pretended.sent == [0, 1, 0]


@pytest.mark.parametrize(("fault", "sent"), [(Fault.LOST, [0, 1, 2]), (Fault.SILENT, [0, 1, 1, 2])])
async def test_what_was_unclear_is_looked_at(fault: Fault, sent: list[int], bench: Bench, pretended: Pretended) -> None:
    pretended.faults = [Fault.NONE, fault]
    await bench.run(plan(update("c0"), update("c1"), update("c2")))
    ended = await bench.resume("p")
    assert ended.ok
    assert pretended.sent == sent
    assert await bench.journal.unsettled() == ()


@pytest.mark.parametrize(("fault", "sent"), [(Fault.LOST, [0, 1]), (Fault.SILENT, [0, 0, 1])])
async def test_what_was_made_unclearly_is_found(
    fault: Fault, sent: list[int], bench: Bench, pretended: Pretended
) -> None:
    """A thing of the same kind that was there before is not taken for it."""
    pretended.sections["s0"] = {**create("A").payload, "section_id": "s0"}
    pretended.faults = [fault]
    await bench.run(plan(create("A"), edit(result_of(0, "section_id")), independent=False))
    ended = await bench.resume("p")
    assert ended.ok
    assert pretended.sent == sent
    assert [section["objective"] for section in pretended.sections.values()] == ["Greet.", "Show."]


async def test_two_that_may_be_the_one_are_left_to_the_user(bench: Bench, pretended: Pretended) -> None:
    pretended.faults = [Fault.LOST]
    await bench.run(plan(create("A"), update("c1"), independent=False))
    pretended._change("create-section", create("A").payload)  # somebody else, at the same time
    ended = await bench.resume("p")
    assert ended.states == (UNKNOWN, NOT_TRIED)
    assert "Check the character, then resume" in ended.errors[0].message
    assert [entry.outcome for entry in await bench.journal.unsettled()] == [Outcome.UNKNOWN]
    ended = await bench.resume("p", assume={0: "done"})
    assert ended.ok
    assert pretended.sent == [0, 1]


@pytest.mark.parametrize(("word", "sent"), [("done", [0, 1]), ("not done", [0, 0, 1])])
async def test_what_somebody_else_changed_meanwhile_is_left_to_the_user(
    word: Any, sent: list[int], bench: Bench, pretended: Pretended
) -> None:
    pretended.faults = [Fault.SILENT]
    await bench.run(plan(update("c0"), update("c1")))
    pretended.temperatures["c0"] = Decimal("0.1")
    ended = await bench.resume("p")
    assert ended.states == (UNKNOWN, NOT_TRIED)
    assert ended.errors[0].kind is ErrorKind.CONFLICT
    assert pretended.sent == [0]
    ended = await bench.resume("p", assume={0: word})
    assert ended.ok
    assert pretended.sent == sent


async def test_what_cannot_be_read_is_written_again(bench: Bench, pretended: Pretended) -> None:
    """The same text once more harms nobody; a service does not give the backstory back."""
    pretended.faults = [Fault.SILENT]
    step = Step(operation="update-character", payload={"charID": "c0", "backstory": "A keeper."})
    assert (await bench.run(plan(step))).states == (UNKNOWN,)
    assert (await bench.resume("p")).ok
    assert pretended.backstories == {"c0": "A keeper."}
    assert [entry.outcome for entry in await bench.journal.entries()] == [Outcome.DONE, Outcome.REFUSED]


async def test_an_answer_that_nobody_knows_stops_what_needs_it(bench: Bench, pretended: Pretended) -> None:
    pretended.faults = [Fault.SILENT]
    await bench.run(plan(create("A"), edit(result_of(0, "section_id")), independent=False))
    for _ in range(2):
        pretended._change("create-section", create("A").payload)
    ended = await bench.resume("p", assume={0: "done"})
    assert ended.states == (DONE, FAILED)
    assert "section_id created by step 1" in ended.errors[1].message
    assert ended.errors[1].sent == "no"


async def test_a_plan_is_carried_out_by_one_program_at_a_time(
    tmp_path: Path, bench: Bench, pretended: Pretended
) -> None:
    other = Bench(tmp_path, pretended)
    steps = bench.executor.run(plan(update("c0"), update("c1")))
    await anext(steps)
    for competitor in (other, bench):
        with pytest.raises(ServiceError) as raised:
            await competitor.resume("p")
        assert raised.value.kind is ErrorKind.BUSY
    assert [progress.done async for progress in steps][-1] == 2
    assert (await other.resume("p")).ok
    assert pretended.sent == [0, 1]
    await other.aclose()


async def test_only_plans_of_this_place_go_on(tmp_path: Path, bench: Bench, pretended: Pretended) -> None:
    pretended.faults = [Fault.AWAY]
    await bench.run(plan(update("c0")))
    elsewhere = Executor(bench.executor._service, bench.journal, Place("other", PLACE.base))
    with pytest.raises(ServiceError, match="profile 'work'"):
        [progress async for progress in elsewhere.resume("p")]
    with pytest.raises(ServiceError, match="There is no plan 'q'"):
        await bench.resume("q")
    await bench.journal.keep_plan(PLACE, "torn", "Torn", {"format": "chartui-plan"}, 1)
    await bench.journal.end_plan("torn", PlanState.STOPPED)
    with pytest.raises(ServiceError, match="damaged") as raised:
        await bench.resume("torn")
    assert raised.value.kind is ErrorKind.BROKEN


# -- the embedded store -----------------------------------------------------------------------------------------------


async def test_the_store_itself_compares(own_folders: Path) -> None:
    """Inside its transaction, so nothing has to be said about a window."""
    session = open_session(BUILT_IN["local"])
    try:
        first, second = [await writes.create_character(session.service, name) for name in ("Mira", "Noor")]
        model = (await session.service.settings(first)).model_group_name
        executor = Executor(session.service, session.journal, session.profile.place)
        expected = {"temperature": Decimal("0.123"), "model_group_name": model}
        steps = plan(update(first, expected=expected), update(second))
        ended = [progress async for progress in executor.run(steps)][-1]
        assert ended.states == (FAILED, DONE)
        assert ended.errors[0].kind is ErrorKind.CONFLICT
        assert ended.read_at is None
        again = [progress async for progress in executor.run(plan(update(second), plan_id="again"))][-1]
        assert again.states == (ALREADY,)
    finally:
        await session.aclose()


async def test_the_lock_holds_for_plans(own_folders: Path) -> None:
    session = open_session(BUILT_IN["local"], read_only=True)
    try:
        executor = Executor(session.service, session.journal, session.profile.place)
        ended = [progress async for progress in executor.run(plan(create("A")))][-1]
        assert ended.states == (FAILED,)
        assert ended.errors[0].kind is ErrorKind.READ_ONLY
    finally:
        await session.aclose()


# -- whatever happens -------------------------------------------------------------------------------------------------

_CHARACTERS: Final = tuple(f"c{number}" for number in range(4))
_TEMPERATURES: Final = st.sampled_from(["0.1", "0.5", "0.9"])


@st.composite
def updates(draw: st.DrawFn) -> Plan:
    chosen = draw(st.permutations(_CHARACTERS))[: draw(st.integers(1, 4))]
    return plan(*(update(character_id, draw(_TEMPERATURES)) for character_id in chosen))


@st.composite
def graphs(draw: st.DrawFn) -> Plan:
    """Sections, alike or not, changes of those made before, and settings in between."""
    steps: list[Step] = []
    made: list[int] = []
    for number in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["create", "edit", "update"] if made else ["create", "update"]))
        if kind == "create":
            steps.append(create(draw(st.sampled_from("AB"))))
            made.append(number)
        elif kind == "edit":
            steps.append(edit(result_of(draw(st.sampled_from(made)), "section_id"), f"Step {number}."))
        else:
            steps.append(update(draw(st.sampled_from(_CHARACTERS)), draw(_TEMPERATURES)))
    return plan(*steps, independent=False)


_FAULTS: Final = st.lists(st.sampled_from(Fault), max_size=8)
_CANCELS: Final = st.lists(st.none() | st.integers(0, 4), min_size=12, max_size=12)


@contextmanager
def _bench() -> Iterator[tuple[Bench, Pretended]]:
    with TemporaryDirectory() as folder:
        pretended = Pretended(dict.fromkeys(_CHARACTERS, Decimal("0.5")))
        yield Bench(Path(folder), pretended), pretended


def _undisturbed(steps: Plan) -> Pretended:
    calm = Pretended(dict.fromkeys(_CHARACTERS, Decimal("0.5")))
    answers: dict[int, Wire] = {}
    for number, step in enumerate(steps.steps):
        payload = dict(step.payload)
        if isinstance(payload.get("section_id"), dict):
            payload["section_id"] = answers[payload["section_id"]["$step"]]["section_id"]
        answers[number] = calm._change(step.operation, payload)
    return calm


@settings(max_examples=examples(60), deadline=None)
@given(steps=updates() | graphs(), faults=_FAULTS, cancels=_CANCELS)
def test_whatever_happens_it_ends_as_if_nothing_had(
    steps: Plan, faults: list[Fault], cancels: list[int | None]
) -> None:
    """However often it is refused, gets no answer or is cancelled: going on ends where a clean run ends."""
    with _bench() as (bench, pretended):
        pretended.faults = list(faults)
        asyncio.run(_to_its_end(bench, pretended, steps, list(cancels)))
        calm = _undisturbed(steps)
        assert pretended.temperatures == calm.temperatures
        assert list(pretended.sections.values()) == list(calm.sections.values())


async def _to_its_end(bench: Bench, pretended: Pretended, steps: Plan, cancels: list[int | None]) -> None:
    ended = await bench.run(steps, cancel_at=cancels.pop())
    while not ended.ok:
        _check(ended, pretended)
        read = pretended.read.count("list-characters")
        known = {number for number in pretended.answered if number is not None}
        sent = len(pretended.sent)
        ended = await bench.resume(steps.id, cancel_at=cancels.pop() if cancels else None)
        assert not known & set(pretended.sent[sent:])  # what was answered is not sent again
        if steps.independent:
            assert pretended.read.count("list-characters") - read <= 1
    _check(ended, pretended)
    assert await bench.journal.unsettled() == ()
    done = await bench.journal.entries(plan_id=steps.id, outcomes=(Outcome.DONE,))
    numbers = [entry.step for entry in done]
    assert len(numbers) == len(set(numbers))
    kept = await bench.journal.plan(steps.id)
    assert kept is not None
    assert kept.state is PlanState.DONE
    await bench.aclose()


def _check(ended: Any, pretended: Pretended) -> None:
    assert ended.finished
    assert ended.done + ended.failed + ended.unknown + ended.not_tried == len(ended.states)
    stopped = {number for number, state in enumerate(ended.states) if state in (FAILED, UNKNOWN)}
    assert ended.failed <= len(ended.errors)
    assert set(ended.errors) <= stopped
    for number in set(pretended.answered):
        assert ended.states[number or 0] is DONE
