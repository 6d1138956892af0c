"""The history: changes and plans as items, in their order, with what became of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chartui.core.journal import Journal, Outcome, PlanState
from chartui.core.jsontext import Wire
from chartui.core.plans.history import PastChange, known_names, look_at, past_changes, undone_names
from chartui.core.plans.plan import Plan, Step, to_wire
from chartui.core.plans.reads import Reads
from chartui.core.plans.verify import Ended
from chartui.core.profiles import Place
from chartui.core.service import Service
from tests.core.plans.pretended import PLACE, Bench, Pretended

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class _Asked:
    plan_id: str | None = None
    step: int | None = None
    origin: str = "test"


class Past:
    """A journal in which things happen, a second after one another."""

    def __init__(self, folder: Path) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.journal = Journal(folder / "journal.db", lambda: self.now)

    async def change(
        self,
        temperature: str = "0.5",
        *,
        whose: str = "c1",
        outcome: Outcome | None = Outcome.DONE,
        plan: str | None = None,
        step: int | None = None,
        place: Place = PLACE,
    ) -> int:
        """A change that ended so; None for one that nobody has heard of since."""
        self.now += timedelta(seconds=1)
        number = await self.journal.intend(
            place,
            "update-character",
            {"charID": whose, "temperature": Decimal(temperature)},
            before={"temperature": Decimal("0.7")},
            context=_Asked(plan, step),
        )
        if outcome is not None:
            await self.journal.conclude(number, outcome)
        return number

    async def plan(
        self,
        name: str,
        outcomes: Sequence[Outcome] = (Outcome.DONE, Outcome.DONE),
        *,
        state: PlanState | None = PlanState.DONE,
        undoes: str | None = None,
        total: int = 2,
    ) -> None:
        """A plan for as many characters; None for one that is going on."""
        self.now += timedelta(seconds=1)
        steps = tuple(
            Step(operation="update-character", payload={"charID": f"c{step}"}, subject=f"Subject {step}")
            for step in range(total)
        )
        document = to_wire(Plan(id=name, title=f"Plan {name}", steps=steps, undoes=undoes))
        await self.journal.keep_plan(PLACE, name, f"Plan {name}", document, total)
        for step, outcome in enumerate(outcomes):
            await self.change(whose=f"c{step}", outcome=outcome, plan=name, step=step)
        if state is not None:
            await self.journal.end_plan(name, state)

    async def past_changes(self, **options: Any) -> tuple[PastChange, ...]:
        return await past_changes(self.journal, PLACE, **options)

    async def names(self, **options: Any) -> list[str]:
        return [item.name for item in await self.past_changes(**options)]

    async def past_change(self, name: str, **options: Any) -> PastChange:
        return next(item for item in await self.past_changes(**options) if item.name == name)


@pytest.fixture
async def past(tmp_path: Path) -> AsyncIterator[Past]:
    found = Past(tmp_path)
    yield found
    await found.journal.aclose()


async def test_nothing_was_changed_yet(past: Past) -> None:
    assert await past.past_changes() == ()
    assert await past.past_changes(open_only=True, character_id="c1") == ()
    assert not past.journal.begun


async def test_a_plan_is_one_item_and_so_is_a_change(past: Past) -> None:
    await past.change("0.1")
    await past.plan("a", (Outcome.DONE, Outcome.REFUSED, Outcome.DONE), total=3)
    await past.change("0.2", place=Place(PLACE.profile, "elsewhere"))
    await past.change("0.3")
    last, plan, first = await past.past_changes()
    assert (first.name, first.title, first.total, first.plan) == ("#1", "temperature 0.7 → 0.1 · c1", 1, None)
    assert (plan.name, plan.title, plan.total, plan.plan) == ("a", "Plan a", 3, PlanState.PARTLY_DONE)
    assert [entry.step for entry in plan.entries] == [0, 1, 2]
    assert plan.at == plan.entries[0].at
    assert (plan.count(Outcome.DONE), plan.count(Outcome.REFUSED), plan.outcome) == (2, 1, Outcome.DONE)
    assert last.name == "#6"


async def test_the_last_change_comes_first_and_a_plan_has_all_its_changes(past: Past) -> None:
    """A plan that was resumed later stands where its last change does, since undo takes it first."""
    await past.plan("a", (Outcome.DONE,), state=PlanState.STOPPED)
    await past.change("0.1")
    await past.change("0.2")
    await past.change("0.3", plan="a", step=1)
    assert await past.names() == ["a", "#3", "#2"]
    assert await past.names(limit=2) == ["a", "#3"]
    assert len((await past.past_change("a", limit=1)).entries) == 2
    await past.change("0.4", plan="a", step=1, outcome=Outcome.REFUSED)
    await past.change("0.4")
    await past.change("0.3", plan="a", step=1, outcome=Outcome.REFUSED)
    assert await past.names() == ["#6", "a", "#3", "#2"]  # a refusal changed nothing that an undo could take


async def test_a_clock_that_jumps_does_not_change_the_order(past: Past) -> None:
    await past.change()
    past.now -= timedelta(days=3)
    await past.plan("a")
    past.now -= timedelta(hours=3)
    await past.change()
    past.now += timedelta(days=9)
    await past.plan("stopped", (), state=PlanState.STOPPED)
    assert await past.names() == ["stopped", "#4", "a", "#1"]
    assert await past.names(limit=1, character_id="c1") == ["#4"]
    assert await past.names(limit=2, character_id="c1") == ["#4", "a"]


async def test_two_in_the_same_moment_are_in_the_order_in_which_they_were_written(past: Past) -> None:
    for _ in range(3):
        past.now -= timedelta(seconds=1)
        await past.change()
    assert await past.names() == ["#3", "#2", "#1"]
    assert await past.names(limit=2) == ["#3", "#2"]


async def test_an_item_counts_for_the_limit_and_not_its_changes(past: Past) -> None:
    await past.change("0.1")
    await past.plan("big", (Outcome.DONE,) * 300, total=300)
    assert await past.names(limit=2) == ["big", "#1"]
    assert len((await past.past_change("big", limit=1)).entries) == 300


async def test_what_was_done_to_one_character(past: Past) -> None:
    await past.plan("a")
    await past.change(whose="c1")
    await past.change(whose="c9")
    await past.plan("nothing", (), state=PlanState.STOPPED)
    assert await past.names(character_id="c1") == ["#3", "a"]
    plan = await past.past_change("a", character_id="c1")
    assert [entry.character_id for entry in plan.entries] == ["c1"]
    assert (plan.title, plan.total) == ("Plan a", 2)
    assert await past.names(character_id="c9", limit=1) == ["#4"]
    assert await past.names(character_id="nobody") == []


async def test_a_plan_that_was_stopped_before_its_first_step(past: Past) -> None:
    await past.change()
    await past.plan("stopped", (), state=PlanState.STOPPED)
    await past.plan("empty", (), state=PlanState.DONE)
    stopped, _ = await past.past_changes()
    assert (stopped.name, stopped.entries, stopped.at) == ("stopped", (), "2026-03-01T12:00:02.000+00:00")
    assert (stopped.resumable, stopped.undoable, stopped.outcome) == (True, False, Outcome.REFUSED)
    assert await past.names(limit=1) == ["stopped"]


async def test_a_plan_that_is_going_on_is_left_to_who_does_it(past: Past) -> None:
    await past.plan("now", (Outcome.DONE,), state=None)
    running = await past.past_change("now")
    assert (running.plan, running.alive, running.resumable) == (PlanState.RUNNING, True, False)
    number = await past.change(outcome=None)
    alone = await past.past_change(f"#{number}")
    assert (alone.alive, alone.outcome, alone.undoable) == (True, Outcome.OPEN, False)


@pytest.mark.parametrize("doubt", [Outcome.OPEN, Outcome.UNKNOWN])
async def test_a_doubt_about_a_part_is_one_about_the_whole(past: Past, doubt: Outcome) -> None:
    ended = None if doubt is Outcome.OPEN else doubt
    await past.plan("a", (Outcome.DONE, Outcome.REFUSED), state=PlanState.STOPPED)
    await past.change(outcome=ended, plan="a", step=2)
    item = await past.past_change("a")
    assert (item.outcome, item.undoable) == (doubt, False)


async def test_what_is_open_is_found_however_much_was_done_since(past: Past) -> None:
    await past.change(outcome=Outcome.UNKNOWN)
    await past.plan("left", (Outcome.DONE,), state=PlanState.CANCELLED)
    await past.plan("doubtful", (Outcome.DONE, Outcome.UNKNOWN), state=PlanState.DONE)
    await past.plan("done")
    for _ in range(30):
        await past.change()
    assert await past.names(open_only=True) == ["doubtful", "left", "#1"]
    assert await past.names(open_only=True, limit=2) == ["doubtful", "left"]
    assert await past.names(open_only=True, character_id="c0") == ["left"]
    assert [entry.outcome for entry in (await past.past_change("doubtful", open_only=True)).entries] == [
        Outcome.DONE,
        Outcome.UNKNOWN,
    ]
    await past.journal.resolve(1, Outcome.REFUSED)
    assert "#1" not in await past.names(open_only=True)


async def test_what_was_taken_back_and_had_again(past: Past) -> None:
    await past.plan("a")
    await past.plan("undo", undoes="a")
    assert await undone_names(past.journal, PLACE) == {"a"}
    assert [(d.name, d.undone, d.undoes, d.undoable) for d in await past.past_changes()] == [
        ("undo", False, "a", True),
        ("a", True, None, False),
    ]
    await past.plan("redo", undoes="undo")
    assert [(d.name, d.undone, d.undoes) for d in await past.past_changes()] == [
        ("redo", False, "undo"),
        ("undo", True, "a"),
        ("a", False, None),
    ]


async def test_an_undo_of_which_nothing_was_done_took_nothing_back(past: Past) -> None:
    await past.plan("a")
    await past.plan("undo", (Outcome.REFUSED,), undoes="a", state=PlanState.STOPPED)
    undo, plan = await past.past_changes()
    assert (undo.undoes, plan.undone) == ("a", False)
    await past.change(plan="undo", step=0)
    assert (await past.past_change("a")).undone


async def test_what_was_taken_back_does_not_go_on(past: Past) -> None:
    """Half of a plan that was cancelled and taken back would be done, and nothing of what came before."""
    await past.plan("a", (Outcome.DONE,), state=PlanState.CANCELLED)
    assert (await past.past_change("a")).resumable
    await past.plan("undo", (Outcome.DONE,), undoes="a", total=1)
    assert not (await past.past_change("a")).resumable
    assert await past.names(open_only=True) == []


async def test_a_plan_of_one_step_is_told_as_the_change_that_it_is(past: Past) -> None:
    await past.plan("one", (Outcome.DONE,), total=1)
    await past.plan("undo", (Outcome.DONE,), total=1, undoes="one")
    undo, one = await past.past_changes(of=lambda character_id: f"<{character_id}>")
    assert one.title == "temperature 0.7 → 0.5 · Subject 0"
    assert undo.title == "Plan undo"


async def test_changes_of_a_plan_that_is_not_kept_any_more(past: Past) -> None:
    await past.plan("a")
    await past.journal.abandon_plan("a")
    item = await past.past_change("a")
    assert (item.title, item.plan, item.total, item.resumable) == ("2 changes", None, 2, False)


async def test_whoever_has_a_name_is_called_by_it(past: Past) -> None:
    await past.change(whose="c1")
    await past.change(whose="c2")
    names = {"c1": "Mara"}
    titles = [item.title for item in await past.past_changes(of=lambda c: names.get(c, c))]
    assert titles == ["temperature 0.7 → 0.5 · c2", "temperature 0.7 → 0.5 · Mara"]


async def test_names_cost_a_remote_service_nothing(tmp_path: Path) -> None:
    pretended = Pretended({"c1": Decimal("0.5")})
    journal = Journal(tmp_path / "journal.db")
    of = await known_names(Service(pretended, embedded=False), journal, PLACE)
    await journal.aclose()
    assert of("c1") == "c1"
    assert pretended.read == []


@pytest.mark.parametrize(
    ("now", "ended", "outcome"),
    [
        (Decimal("0.9"), Ended.DONE, Outcome.DONE),
        (Decimal("0.7"), Ended.NOT_DONE, Outcome.REFUSED),
        (Decimal("0.1"), Ended.CHANGED, Outcome.UNKNOWN),
    ],
)
async def test_looking_tells_how_a_change_ended(now: Wire, ended: Ended, outcome: Outcome, tmp_path: Path) -> None:
    bench = Bench(tmp_path, Pretended({"c1": now}))
    past = Past(tmp_path)
    try:
        number = await past.change("0.9", outcome=Outcome.UNKNOWN)
        entry = await past.journal.entry(number)
        assert entry is not None
        assert await look_at(Reads(bench.service), past.journal, entry) is ended
        entry = await past.journal.entry(number)
        assert entry is not None
        assert entry.outcome is outcome
        assert bench.pretended.sent == []
        stranger = replace(entry, operation="polish-character")
        assert await look_at(Reads(bench.service), past.journal, stranger) is Ended.UNCLEAR
    finally:
        await bench.aclose()
        await past.journal.aclose()


async def test_a_change_that_another_version_wrote_is_listed(past: Past) -> None:
    payload: Mapping[str, Wire] = {"charID": "c1"}
    await past.journal.intend(PLACE, "polish-character", payload, before=None, context=_Asked())
    (item,) = await past.past_changes()
    assert item.title == "polish-character · c1"
