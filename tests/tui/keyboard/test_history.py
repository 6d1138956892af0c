"""The history from the keyboard: what was done, taken back, gone on with, and cleared up."""

from __future__ import annotations

import asyncio
from decimal import Decimal

from chartui.core.backends.base import Context
from chartui.core.clock import seeded_ids
from chartui.core.journal import Journal, Outcome, PlanState
from chartui.core.plans.executor import Executor
from chartui.core.plans.plan import Plan, Step, to_wire
from chartui.tui.shell.history import History
from chartui.tui.tour.player import messages
from tests.tui.history import bulk, doubt, ids_of, temperature, warm
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.user import WIDE, opened


@covers("history")
async def test_the_history_shows_what_was_done_and_each_change_of_it() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await warm(session, "Elena Marsh", "0.31")
        await bulk(session, "Bran Alder", "Avery Cole")
        await user.press("H")
        await user.sees("History", "Warm everybody", "temperature 0.6 → 0.31 · Elena Marsh", "done")
        await user.sees("#2", "#3", "Bran Alder")
        await user.press("down")
        await user.sees(
            "#1", "0.6 → 0.31", "library, on this machine", "Only changes made with chartui on this machine are listed."
        )
        await user.press("escape")
        await user.misses("History · ")


async def test_nothing_done_is_said_so() -> None:
    async with opened(demo(), screen="characters") as user:
        await user.press("H")
        await user.at(History)
        await user.reads("SheetView", "There are none in this profile yet.")


@covers("undo")
async def test_the_last_change_is_taken_back_after_a_review() -> None:
    session = demo()
    async with opened(session, screen="characters") as user:
        elena = await warm(session, "Elena Marsh", "0.31")
        await user.press("u")
        await user.sees("Undo: temperature back to 0.6", "Cancel")
        await user.press("enter")  # Cancel has the cursor
        await user.misses("Cancel")
        assert await temperature(session, elena) == Decimal("0.31")
        await user.press("u")
        await user.sees("Cancel")
        await user.press("y")
        await user.is_told("Undone: ")
        assert await temperature(session, elena) == Decimal("0.6")
        await user.press("u")
        await user.is_told("Nothing left to undo. To redo a change, press H, select its undo")


async def test_a_plan_of_many_is_taken_back_as_one_from_the_history() -> None:
    session = demo()
    async with opened(session, screen="characters") as user:
        names = ("Bran Alder", "Avery Cole", "Nova Adeyemi")
        ids = await ids_of(session)
        before = [await temperature(session, ids[name]) for name in names]
        await bulk(session, *names)
        await user.press("H")
        await user.sees("Warm everybody")
        await user.press("u")
        await user.sees("Undo: Warm everybody", "3 steps")
        await user.press("3", "enter")
        await user.sees("undone")
        assert [await temperature(session, ids[name]) for name in names] == before
        assert "done" in user.line("Undo: Warm everybody", "SheetView")
        assert "u redo" in user.bottom_line
        await user.press("u")
        await user.sees("Redo: Warm everybody", "Type 3:")
        await user.press("escape")
        await user.at(History)
        await user.press("down", "u")  # what was undone
        await user.is_told("This change has already been undone. To redo it, undo “Undo: Warm everybody”.")


async def test_the_cursor_stays_on_a_change_that_cannot_be_undone() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await warm(session, "Elena Marsh", "0.31")
        await warm(session, "Bran Alder", "0.32")
        await user.press("H")
        await user.sees("0.31", "0.32")
        await user.press("u", "y")
        await user.at(History)
        await user.press("down", "u")  # was undone
        for _ in range(2):
            await user.is_told("This change has already been undone.")
            await user.at(History)
            await user.rests()
            assert "→ 0.32" in user.pane("FieldsView")
            user.app.clear_notifications()
            await user.press("u")


async def test_a_value_that_was_changed_since_is_reported_and_kept() -> None:
    session = demo()
    async with opened(session, screen="characters") as user:
        elena = await warm(session, "Elena Marsh", "0.31")
        await warm(session, "Elena Marsh", "0.32")
        await user.press("H")
        await user.sees("0.31 → 0.32")
        await user.press("down", "u")
        await user.sees("Cancel")
        await user.press("y")
        await user.sees("has changed since you read it (from this machine, #2)")
        assert await temperature(session, elena) == Decimal("0.32")


async def test_what_has_no_known_end_is_told_at_the_start_and_found_out() -> None:
    session = demo()
    never = await doubt(session, "Elena Marsh", "0.25")
    async with opened(session, screen="characters") as user:
        await user.is_told("1 change with an unknown outcome", "H shows the history")
        await user.press("u")
        await user.is_told("no changes have been made to profile")
        await user.press("H")
        await user.sees("outcome unknown", "l check outcome", "No answer came.")
        await user.press("l")
        await user.is_told(f"#{never}: the change was not applied.")
        await user.sees("refused")
        entry = await session.journal.entry(never)
        assert entry is not None
        assert entry.outcome is Outcome.REFUSED


async def test_a_plan_whose_outcome_is_unknown_is_reported_once_and_done_once_that_is_found_out() -> None:
    session = demo()
    elena = await warm(session, "Elena Marsh", "0.4")  # what the plan wrote before its program was killed
    payload = {"charID": elena, "temperature": Decimal("0.4")}
    plan = Plan(id="cut", title="Warm her", steps=(Step(operation="update-character", payload=payload),))
    place, killed = session.profile.place, Journal(session.journal.path)
    await killed.keep_plan(place, plan.id, plan.title, to_wire(plan), 1)
    context = Context(origin="ui", plan_id=plan.id, step=0)
    before = {"temperature": Decimal("0.3")}
    number = await killed.intend(place, "update-character", payload, before=before, context=context)
    await killed.aclose()
    async with opened(session, screen="characters") as user:
        await user.is_told("1 change with an unknown outcome")
        assert not any("Interrupted" in message for message in messages(user.app))
        await user.press("H")
        await user.sees("outcome unknown")
        await user.press("l")
        await user.is_told(f"#{number}: the change was applied.")
        await user.misses("outcome unknown", "interrupted at")
        kept_plan = await session.journal.plan("cut")
        assert kept_plan is not None
        assert kept_plan.state is PlanState.DONE


async def test_where_looking_does_not_tell_the_user_says_it() -> None:
    session = demo()
    number = await doubt(session, "Elena Marsh", "0.25")
    await warm(session, "Elena Marsh", "0.5")
    async with opened(session, screen="characters") as user:
        await user.press("H")
        await user.sees("outcome unknown")
        await user.press("down", "l")
        await user.is_told(
            "the current value is neither the old nor the new one; resolve the change with y (applied) or n (not "
            "applied)."
        )
        await user.sees("outcome unknown")  # the history, which opens again
        await user.press("down", "y")
        await user.misses("outcome unknown")
        entry = await session.journal.entry(number)
        assert entry is not None
        assert entry.outcome is Outcome.DONE


async def test_under_the_lock_the_history_is_read_and_nothing_is_taken_back() -> None:
    session = demo()
    elena = await warm(session, "Elena Marsh", "0.31")
    session.relock()
    async with opened(session, screen="characters") as user:
        await user.press("H")
        await user.sees("0.6 → 0.31")
        await user.press("u")
        await user.is_told("Read-only profile:", "is disabled. Use ! to unlock it.")
        assert await temperature(session, elena) == Decimal("0.31")


async def test_a_plan_that_was_stopped_before_its_first_step_goes_on() -> None:
    session = demo()
    elena = (await ids_of(session))["Elena Marsh"]
    step = Step(operation="update-character", payload={"charID": elena, "temperature": Decimal("0.9")}, subject="Elena")
    plan = Plan(id=seeded_ids(3)(), title="Warm her", steps=(step,))
    cancel = asyncio.Event()
    cancel.set()
    async for _ in Executor(session.service, session.journal, session.profile.place).run(plan, cancel=cancel):
        pass
    async with opened(session, screen="characters") as user:
        await user.press("H")
        await user.sees("canceled at 0 of 1", "Warm her", "No steps were sent", "r resume")
        await user.press("r")
        await user.is_told("Applied: ")
        await user.misses("canceled at")
        assert await temperature(session, elena) == Decimal("0.9")
