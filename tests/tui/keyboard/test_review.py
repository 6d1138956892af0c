"""A plan from a screen: reviewed, carried out, stopped, reported, and gone on with."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from textual.worker import Worker

from chartui.cli.output import Output
from chartui.cli.parser import Arguments
from chartui.cli.run_plan import carry_out
from chartui.core.jsontext import loads
from chartui.core.plans.difference import differences
from chartui.core.plans.executor import Progress
from chartui.core.plans.plan import CREDITS, Change, CostEffect, Plan, Step, from_wire
from chartui.core.plans.reads import Reads
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.run_plan import Report
from chartui.tui.run_plan import carry_out as change
from chartui.tui.wait import Waiting
from chartui.tui.widgets.review import Review
from tests.tui.serving import Time
from tests.tui.sessions import demo, doubled, remote
from tests.tui.user import WIDE, User, opened, words


def plan_for(character_ids: Sequence[str], *, independent: bool = False) -> Plan:
    """The temperature of some characters."""
    steps = tuple(
        Step(
            operation="update-character",
            payload={"charID": character_id, "temperature": Decimal("0.37")},
            subject=f"Character {number}",
            changes=(Change(label="temperature", before=None, after=Decimal("0.37"), known=False),),
        )
        for number, character_id in enumerate(character_ids, 1)
    )
    return Plan(id="plan-1", title="Cool down", steps=steps, independent=independent)


class Begun:
    """A plan that was handed to the application, and what came of it."""

    def __init__(self, user: User, plan: Plan) -> None:
        self.result: list[Progress | None] = []
        self._app = user.app
        self._plan = plan
        _: Worker[None] = user.app.run_worker(self._carry_out, group="test")

    async def _carry_out(self) -> None:
        self.result.append(await change(self._app, self._plan))


async def ids(user: User, number: int) -> list[str]:
    summaries = await user.app.session.service.summaries()
    return [summary.character_id for summary in summaries[:number]]


async def reviewing(user: User, plan: Plan) -> Begun:
    begun = Begun(user, plan)
    await user.at(Review)
    await user.sees("Cancel")
    return begun


async def agree(user: User) -> None:
    """Type the number of the characters that the plan in front changes."""
    review = await user.at(Review)
    await user.press(*str(len(review.plan.steps)), "enter")


async def test_cancel_has_the_cursor_and_the_other_answer_is_a_turn_away() -> None:
    session, double = doubled()
    async with opened(session) as user:
        plan = plan_for(await ids(user, 1))
        for keys in (
            ("enter",),
            ("escape",),
            ("right", "left", "enter"),
            ("tab", "tab", "enter"),
            ("j", "end", "enter"),
        ):
            begun = await reviewing(user, plan)
            await user.press(*keys)
            await user.until(lambda: begun.result, "for the answer")  # noqa: B023 - awaited here
            assert begun.result == [None]
        assert double.count("update-character") == 0
        begun = await reviewing(user, plan)
        await user.press("right", "enter")
        await user.until(lambda: begun.result)
        assert double.count("update-character") == 1


async def test_an_answer_can_be_clicked() -> None:
    session, double = doubled()
    async with opened(session) as user:
        begun = await reviewing(user, plan_for(await ids(user, 1)))
        lines = user.screen.splitlines()
        [row] = [number for number, line in enumerate(lines) if "Apply" in line]
        await user.pilot.click(offset=(lines[row].index("Apply") + 2, row))
        await user.until(lambda: begun.result)
        assert double.count("update-character") == 1


async def test_the_keys_that_scroll_are_named_only_while_there_is_more_to_read() -> None:
    async with opened(size=(80, 24)) as user:
        await reviewing(user, plan_for(await ids(user, 1)))
        await user.sees("Apply y")
        await user.misses("scroll")
        await user.press("escape")
        await user.back()
        await reviewing(user, plan_for(await ids(user, 12)))
        await user.sees("↑↓ scroll")


async def test_every_step_is_done_and_every_screen_reads_again() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.press("E", "C")
        await user.ready()
        read = double.count("summarize-characters")
        begun = await reviewing(user, plan_for(await ids(user, 3)))
        assert "3 of the values cannot be checked because the current value is unknown." in user.screen
        assert "full text" not in user.bottom_line  # which are all in sight
        await agree(user)
        await user.is_told("3 steps done.")
        [progress] = begun.result
        assert progress is not None
        assert progress.ok
        # Once for the ids of the plan, and once to show what it made of them.
        await user.until(lambda: double.count("summarize-characters") == read + 2)


async def test_two_hundred_steps_are_reviewed_by_the_line() -> None:
    before, after = "Once there was a lighthouse. " * 300, "Once there was a windmill. " * 300
    changes = (Change(label="backstory", before=before, after=after),)
    steps = tuple(
        Step(operation="update-character", payload={"charID": str(n)}, subject=f"Character {n}", changes=changes)
        for n in range(200)
    )
    async with opened() as user:
        await reviewing(user, Plan(id="p", title="Many", steps=steps))
        await user.sees("200 steps · 200 changes", "8 700 → 8 100 characters", "t shows the text")
        assert "full text" in user.bottom_line
        await user.press("end")
        await user.sees("Character 199", "Cancel")
        await user.press("home", "pagedown", "pageup")
        await user.sees("Character 0")
        await user.press("t")
        await user.sees("lighthouse", "− ", "Cancel")


async def test_escape_ends_the_read_before_a_step_and_says_that_nothing_was_sent() -> None:
    session, double = remote()
    time = Time()
    async with opened(session, time=time) as user:
        await reviewing(user, plan_for(await ids(user, 2)))
        double.hold("list-characters")
        await agree(user)
        await user.until(lambda: double.waiting("list-characters"), "for the read")
        time.pass_by(20)
        await user.sees("Step 1 of 2", "20 s", "esc stops after this step")
        await user.press("escape")
        await user.sees("2 steps not tried", "Nothing was sent.")
        assert double.count("update-character") == 0


async def test_escape_stops_behind_the_step_under_way_and_going_on_does_the_rest() -> None:
    session, double = doubled()
    async with opened(session) as user:
        begun = await reviewing(user, plan_for(await ids(user, 3)))
        double.hold("update-character")
        await agree(user)
        await user.sees("Step 1 of 3", "Character 1", "esc stops after this step")
        await user.press("escape")
        await user.sees("Stopping after this step…")
        double.let_all_go()
        await user.sees("1 step done", "2 steps not tried", "Resume now")
        assert double.count("update-character") == 1
        await user.press("r")
        # The double stands where the journal would note it: the first step is seen to be so, and not known to be done.
        await user.is_told("2 steps done. 1 was already applied.")
        assert double.count("update-character") == 3
        [progress] = begun.result
        assert progress is not None
        assert progress.ok


async def test_what_was_refused_is_named_with_its_reason() -> None:
    async with opened() as user:
        plan = plan_for([*await ids(user, 1), "nobody"], independent=True)
        begun = await reviewing(user, plan)
        await agree(user)
        await user.at(Report)
        await user.sees("✓ 1 step done", "✗ 1 step refused", "✗ temperature → 0.37 · Character 2")
        await user.press("enter")
        await user.until(lambda: begun.result)
        [progress] = begun.result
        assert progress is not None
        assert (progress.done, progress.failed) == (1, 1)


async def test_an_answer_that_does_not_come_is_no_refusal() -> None:
    session, double = doubled()
    async with opened(session) as user:
        plan = plan_for(await ids(user, 2))
        double.failures["update-character"] = ServiceError(ErrorKind.TIMEOUT, "No answer.", sent="unclear")
        await reviewing(user, plan)
        await agree(user)
        await user.sees("? 1 step sent, outcome unknown", "· 1 step not tried")


async def test_under_read_only_nothing_is_opened() -> None:
    session = demo(read_only=True)
    async with opened(session) as user:
        begun = Begun(user, plan_for(await ids(user, 1)))
        await user.until(lambda: begun.result == [None])
        await user.is_told("read-only")


async def test_a_plan_without_steps_says_so() -> None:
    async with opened() as user:
        begun = Begun(user, plan_for([]))
        await user.is_told("No changes needed.")
        assert begun.result == [None]


async def test_a_plan_goes_on_when_nobody_waits_for_it() -> None:
    session, double = doubled()
    async with opened(session) as user:
        await reviewing(user, plan_for(await ids(user, 2)))
        double.hold("update-character")
        await agree(user)
        await user.at(Waiting)
        [waiting] = [worker for worker in user.app.workers if worker.group == "test"]
        waiting.cancel()
        await user.settle()
        double.let_all_go()
        await user.is_told("2 steps done.")


#: A plan of each kind that the commands make, by the name of its golden file.
PLANS = {path.stem: path for path in (Path(__file__).parents[2] / "cli" / "golden").glob("*-plan.json")}
#: What no command shows in the demo: texts, values that nobody knows, and notes.
ODD = Plan(
    id="p",
    title="Everything at once",
    notes=("Camille Oduya is left out: “model” is the same.",),
    effects=(CostEffect(label="all of them", unit=CREDITS, before=None, after=(Decimal(1200), Decimal(1300))),),
    steps=(
        Step(
            operation="update-character",
            payload={"charID": "c1", "backstory": "x"},
            subject="Elena\x1b[31m Marsh",
            reason="model=mdla-5.1",
            changes=(
                Change(label="backstory", before="Once there was a lighthouse.\nb", after="Once there was a mill.\nb"),
                Change(
                    label="reasoning level", before=None, after="", known=False, undoable=False, note="It is cleared."
                ),
                Change(label="a label that is longer than its column", before=Decimal("8045"), after=True),
            ),
            effects=(
                CostEffect(
                    label="end to end",
                    unit="ms",
                    before=(Decimal(1550), Decimal(4630)),
                    after=(Decimal(740), Decimal(1810)),
                    note="The latency is that of the rate card.",
                ),
            ),
        ),
        Step(operation="delete-character", payload={"charID": "c2"}, subject="Bran Alder"),
    ),
)


@pytest.mark.parametrize("name", [*sorted(PLANS), "odd"])
async def test_the_review_says_what_a_dry_run_says(name: str) -> None:
    plan = ODD
    if name in PLANS:
        plan = from_wire(loads(PLANS[name].read_text(encoding="utf-8").partition("\n[0]")[0]))
    async with opened(size=(110, 200)) as user:
        session = user.app.session
        written, told = StringIO(), StringIO()
        output = Output(written, told, as_json=False)
        await carry_out(Arguments(dry_run=True), output, session, plan, Reads(session.service))
        output.flush()
        title, *lines = [line for line in written.getvalue().splitlines() if " sends: {" not in line]
        await reviewing(user, plan)
        assert f"─ {title} ─" in user.screen
        assert f"{told.getvalue().partition(';')[0]} ─" in user.screen
        assert words(user.pane("Rows")) == words("\n".join(lines))


class TestDifferences:
    """What a review shows of a long text."""

    @staticmethod
    def shown(before: str, after: str) -> list[str]:
        return [
            f"{line.sign}{line.count if line.sign == '=' else ''}"
            + "".join(f"[{part.text}]" if part.changed else part.text for part in line.parts)
            for line in differences(before, after)
        ]

    def test_words_that_change_are_marked_in_their_lines(self) -> None:
        assert self.shown("She likes quiet.\nb\nc", "She likes loud music.\nb\nc") == [
            "-She likes [quiet].",
            "+She likes [loud music].",
            "=2",
        ]

    def test_of_a_changed_line_both_versions_are_shown(self) -> None:
        assert self.shown("a b", "a b c") == ["-a b", "+a b[ c]"]
        assert self.shown("a b c", "a c") == ["-a [b ]c", "+a c"]
        assert self.shown("b\nx", "a b\nx") == ["-b", "+[a ]b", "=1"]

    def test_where_a_long_line_lacks_words_their_place_is_shown(self) -> None:
        begin, end = "before " * 50, "after " * 50
        [gone, come] = self.shown(begin + end, f"{begin}inserted {end}")
        assert "before after" in gone
        assert "before [inserted ]after" in come
        assert len(gone) < 100

    def test_lines_that_only_come_or_only_go(self) -> None:
        assert self.shown("", "a\nb") == ["+[a]", "+[b]"]
        assert self.shown("a\nb", "") == ["-[a]", "-[b]"]
        assert self.shown("a\nc", "a\nb\nc") == ["=1", "+[b]", "=1"]

    def test_of_a_long_line_only_the_surroundings_stay(self) -> None:
        long = "word " * 100
        [gone, come] = self.shown(f"{long}x {long}", f"{long}y {long}")
        assert len(gone) < 100
        assert "[x]" in gone
        assert "[y]" in come

    def test_scripts_without_spaces_are_compared_by_character(self) -> None:
        assert self.shown("小林は静かな人です", "小林は明るい人です") == [
            "-小林は[静かな]人です",
            "+小林は[明るい]人です",
        ]

    def test_the_same_is_the_same(self) -> None:
        assert self.shown("a\nb", "a\nb") == ["=2"]
        assert self.shown("", "") == []
