"""Reading an action sequence (decision 48)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chartui.core.actions.planner import plan
from chartui.core.actions.reply import SequenceStep, read_sequence, remark

_ACTIONS = ("Pick", "Pick Up", "Move To", "Jump")
_TARGETS = ("Oak Door", "Key 1")


def _one(line: str) -> SequenceStep:
    (step,) = read_sequence(line, _ACTIONS, _TARGETS)
    return step


def test_a_step_a_line_and_empty_lines_dropped() -> None:
    steps = read_sequence("\r\n Move To Oak Door \r\n\n\tPick Up  Key 1\nJump\n", _ACTIONS, _TARGETS)
    assert [(step.action, step.target) for step in steps] == [
        ("Move To", "Oak Door"),
        ("Pick Up", "Key 1"),
        ("Jump", None),
    ]
    assert all(step.understood for step in steps)
    assert read_sequence(" \n ", _ACTIONS) == ()


def test_the_longest_action_counts_whatever_its_place() -> None:
    for actions in (_ACTIONS, _ACTIONS[::-1]):
        assert read_sequence("Pick Up Key 1", actions)[0].action == "Pick Up"
    assert _one("Pick Key 1") == SequenceStep("Pick Key 1", "Pick", "Key 1")


def test_case_does_not_count_and_words_are_whole() -> None:
    assert _one("pick up KEY 1").understood
    assert _one("pick up KEY 1").action == "Pick Up"
    assert _one("Jumper") == SequenceStep("Jumper", nearest="Jump")


def test_an_undeclared_action_has_the_nearest_beside_it() -> None:
    assert _one("Moove To Oak Door").nearest == "Move To"
    assert _one("Sing loudly") == SequenceStep("Sing loudly")
    assert not _one("Sing loudly").understood
    assert read_sequence("Jump", ()) == (SequenceStep("Jump"),)


def test_an_undeclared_target_has_the_nearest_beside_it() -> None:
    assert _one("Pick Up Kay 1") == SequenceStep(
        "Pick Up Kay 1", "Pick Up", "Kay 1", target_declared=False, nearest="Key 1"
    )
    assert _one("Pick Up Mountain").nearest is None
    assert not _one("Pick Up Mountain").understood


def test_without_targets_every_target_is_taken() -> None:
    assert read_sequence("Pick Up Mountain", _ACTIONS)[0].understood
    assert not read_sequence("Pick Up Mountain", _ACTIONS, ())[0].understood


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=5), st.none() | st.lists(st.text(max_size=12)))
def test_any_text_is_read(text: str, actions: list[str], targets: list[str] | None) -> None:
    for step in read_sequence(text, actions, targets):
        assert step.line == step.line.strip() != ""
        assert step.action is None or step.action in actions
        assert step.understood or step.action is None or step.target is not None


def test_what_the_planner_writes_is_read_back() -> None:
    planned = plan("move to the oak door, then pick up the key and jump", _ACTIONS, _TARGETS, ())
    text = "\n".join(map(str, planned.steps))
    steps = read_sequence(text, _ACTIONS, _TARGETS)
    assert [(step.action, step.target) for step in steps] == [tuple(step) for step in planned.steps]


def test_a_remark_says_what_was_not_declared_and_what_is_near() -> None:
    steps = read_sequence("Open Door\nOpen Dor\nOpn Door\nSing\nOpen", ["Open"], ["Door"])
    assert [remark(step) for step in steps] == [
        "",
        "not declared; nearest: Door",
        "no declared action; nearest: Open",
        "no declared action",
        "",
    ]
