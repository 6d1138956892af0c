"""The history of staged edits: every step is undone and redone, and what is typed into one field is one step."""

from __future__ import annotations

from random import Random

import pytest

from chartui.core.edit_history import EARLIER, MOST, EditHistory
from chartui.core.jsontext import Wire


def staged(*documents: Wire) -> EditHistory:
    history = EditHistory()
    for number, document in enumerate(documents):
        history = history.stage(document, f"step {number}")
    return history


def back(history: EditHistory) -> list[Wire]:
    found = []
    while history.position:
        history = history.moved(-1)
        found.append(history.document)
    return found


def test_a_history_begins_with_nothing_and_is_undone_to_it() -> None:
    history = EditHistory()
    assert (history.document, history.can_undo, history.can_redo) == (None, None, None)
    history = staged({"a": 1}, {"a": 2}, None)
    assert back(history) == [{"a": 2}, {"a": 1}, None]
    assert history.can_undo == "step 2"
    history = history.moved(-1)
    assert (history.can_undo, history.can_redo) == ("step 1", "step 2")
    with pytest.raises(IndexError):
        EditHistory().moved(-1)
    with pytest.raises(IndexError):
        staged(1).moved(1)


def test_a_new_step_cuts_off_what_could_be_redone() -> None:
    history = staged(1, 2, 3).moved(-1).moved(-1).stage(4, "another way")
    assert (history.can_undo, history.can_redo, back(history)) == ("another way", None, [1, None])


def test_staging_the_same_is_no_step_and_leaves_what_can_be_redone() -> None:
    history = staged({"a": 1}, {"a": 2}).moved(-1)
    assert history.stage({"a": 1}, "nothing") is history


def test_what_is_typed_into_one_field_is_one_step() -> None:
    history = staged({"t": "", "u": ""})
    for text in ("0", "0.", "0.5"):
        history = history.stage({"t": text, "u": ""}, "Change t", field="t")
    history = history.stage({"t": "0.5", "u": "x"}, "Change u", field="u")
    assert back(history) == [{"t": "0.5", "u": ""}, {"t": "", "u": ""}, None]
    # Deleted again, letter by letter: nothing was typed.
    assert history.stage({"t": "0.5", "u": ""}, "Change u", field="u").can_undo == "Change t"
    # What was undone does not go on when more is typed there.
    history = history.moved(-1).stage({"t": "0.6", "u": ""}, "Change t", field="t")
    assert back(history) == [{"t": "0.5", "u": ""}, {"t": "", "u": ""}, None]


def test_the_oldest_of_very_many_steps_become_one() -> None:
    history = EditHistory()
    for number in range(MOST + 1):
        history = history.stage({"n": number}, f"step {number}")
    undone = back(history)
    assert len(undone) == MOST // 2 + 2
    assert undone[:2] == [{"n": MOST - 1}, {"n": MOST - 2}]
    assert undone[-2:] == [{"n": MOST // 2 - 1}, None]


def test_the_present_document_is_amended_without_a_step() -> None:
    history = staged({"a": 1}, {"a": 2}, {"a": 3}).moved(-1).amended({"a": 2, "base": "newer"})
    assert (history.document, history.can_undo, history.can_redo) == ({"a": 2, "base": "newer"}, "step 1", "step 2")
    assert (history.moved(1).document, history.moved(-1).document) == ({"a": 3}, {"a": 1})
    assert history.moved(1).moved(-1).document == {"a": 2, "base": "newer"}
    assert history.amended({"base": "newer", "a": 2}).document == {"a": 2, "base": "newer"}
    assert EditHistory().amended({"a": 1}).can_undo == EARLIER


def test_steps_that_were_kept_give_the_same_history() -> None:
    history = staged({"a": 1}, {"a": [1, 2]}, {"b": "x"}).moved(-1)
    assert EditHistory.replayed(history.steps, history.position) == history


@pytest.mark.parametrize("seed", range(20))
def test_any_course_of_edits_is_undone_and_redone(seed: int) -> None:
    random, history = Random(seed), EditHistory()
    documents: list[Wire] = [None]
    for number in range(60):
        way = random.random()
        if way < 0.2 and history.position:
            history = history.moved(-1)
        elif way < 0.3 and history.can_redo is not None:
            history = history.moved(1)
        elif way < 0.4 and history.position:
            documents[history.position] = {"amended": number}
            history = history.amended({"amended": number})
        else:
            document = {f"m{random.randrange(5)}": random.choice(["text", "more text", [1, 2], None]), "n": number}
            documents[history.position + 1 :] = [document]
            history = history.stage(document, f"step {number}")
        assert history.document == documents[history.position]
    while history.can_redo is not None:
        history = history.moved(1)
    assert [history.document, *back(history)] == documents[::-1]
