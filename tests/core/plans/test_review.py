"""A plan in lines: what the review of the terminal and a dry run have in common."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from chartui.core.plans.plan import CREDITS, Change, CostEffect, Plan, Step
from chartui.core.plans.review import LABEL_WIDTH, counts, difference_lines, plan_lines
from chartui.core.text import is_plain

STORY = Change(label="backstory", before="Once there was a lighthouse.\nb", after="Once there was a mill.\nb")


def step(number: int, change: Change, reason: str = "") -> Step:
    return Step(
        operation="update-character",
        payload={"charID": f"c{number}", "temperature": Decimal("0.3")},
        subject=f"Character {number}",
        reason=reason,
        changes=(change,),
    )


def plan(*steps: Step) -> Plan:
    return Plan(id="p", title="Cool down", steps=steps)


COOLER = Change(label="temperature", before=Decimal("0.6"), after=Decimal("0.3"))


def texts(made: Plan, **options: bool | int | str) -> list[str]:
    return [line.text for line in plan_lines(made, **options)]  # type: ignore[arg-type]


def test_a_reason_that_all_share_is_said_once_and_others_at_their_steps() -> None:
    made = plan(step(1, COOLER, "name~a"), step(2, COOLER, "name~a"))
    changed = f"{'temperature':<{LABEL_WIDTH}}0.6 → 0.3"
    assert texts(made) == ["name~a", "", "1  Character 1  c1", changed, "", "2  Character 2  c2", changed]
    made = plan(step(1, COOLER, "name~a"), step(2, COOLER, "name~b"))
    assert texts(made) == ["1  Character 1  c1", changed, "name~a", "", "2  Character 2  c2", changed, "name~b"]
    assert counts(made) == "2 steps · 2 changes"


def test_of_many_steps_only_some_are_shown_and_what_is_sent_on_request() -> None:
    made = plan(*(step(number, COOLER) for number in range(1, 12)))
    assert texts(made, most=1)[0] == " 1  Character 1  c1"
    assert not any("Character 2" in line for line in texts(made, most=1))
    assert 'update-character sends: {"charID": "c1", "temperature": 0.3}' in texts(made, requests=True)


def test_long_texts_are_shown_by_what_differs_or_by_their_size() -> None:
    whole = texts(plan(step(1, STORY)))
    size = f"{'backstory':<{LABEL_WIDTH}}30 → 24 characters"
    assert whole[1:] == [size, "− Once there was a lighthouse.", "+ Once there was a mill.", "  … 1 line unchanged"]
    assert texts(plan(step(1, STORY)), texts=False, hint="  d shows it")[1:] == [f"{size}  d shows it"]


def test_the_cost_of_a_long_text_is_above_it() -> None:
    cost = CostEffect(label="per interaction", unit=CREDITS, before=None, after=(Decimal(1), Decimal(1)))
    long = Change(label="backstory", before="Once there was a lighthouse. " * 30, after="Once there was a mill. " * 30)
    for change, first, last in ((STORY, "backstory", "per interaction"), (long, "per interaction", "backstory")):
        lines = texts(plan(replace(step(1, change), effects=(cost,))))
        places = [next(n for n, line in enumerate(lines) if line.startswith(label)) for label in (first, last)]
        assert places == sorted(places)


def test_elements_of_a_list_are_added_removed_and_moved() -> None:
    changes = (
        Change(label="decision", before="asks → “Hall”", after=None, sign="−"),
        Change(label="decision", before=None, after="begs → “Gate”\x1b", sign="+"),
        Change(label="decision “cries”", before=2, after=4, sign="↕"),
    )
    made = plan(Step(operation="edit-section", payload={}, subject="Mara", changes=changes))
    added = "+ decision: begs → “Gate”"
    assert texts(made)[1:3] == ["− decision: asks → “Hall”", f"{added}␛"]
    assert texts(made)[3] == "↕ decision “cries” moved from 2 to 4"


def test_what_cannot_be_known_or_undone_is_a_warning() -> None:
    made = plan(step(1, Change(label="reasoning level", before=None, after="", known=False, undoable=False)))
    assert texts(made)[1:] == [
        f"{'reasoning level':<{LABEL_WIDTH}}unknown → not set",
        "  ▲ Cannot be checked, because the service does not report the current value.",
        "  ▲ This change cannot be undone, because the service does not report the earlier value.",
    ]


def test_nothing_to_change_is_said() -> None:
    assert texts(plan()) == ["No changes needed."]


def test_a_difference_ends_somewhere() -> None:
    lines = list(difference_lines("", "\n".join(map(str, range(1000)))))
    assert len(lines) == 201
    assert lines[-1].text == "  … and more, not shown here"
    [line, rest] = difference_lines("", "x" * 100_000 + "\ny")
    assert len(line.text) == 20_002
    assert "and more, not shown here" in rest.text


def test_every_line_is_safe() -> None:
    odd = "a\x1b[31m\u202eb\x07"
    made = Plan(
        id="p",
        title="t",
        notes=(odd,),
        steps=(
            Step(
                operation="update-character",
                payload={"charID": odd},
                subject=odd,
                reason=odd,
                changes=(
                    Change(label=odd, before=odd, after=odd, note=odd),
                    Change(label="backstory", before=f"{odd}\n{odd}", after="x"),
                ),
            ),
        ),
    )
    assert all(map(is_plain, texts(made)))
