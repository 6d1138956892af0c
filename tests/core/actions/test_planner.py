"""The local planner: what it does, what it declines, and that it never says a word that was not declared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.actions.names import allows
from chartui.core.actions.planner import Plan, Step, plan

_ACTIONS = ("Go To", "Open", "Close", "Take", "Pick Up", "Put", "Give", "Follow", "Jump", "Wave", "Look At", "Turn On")
_OBJECTS = (
    "Door",
    "Key 1",
    "Key 2",
    "Red Box (cannot be opened or moved)",
    "Lamp that can only be turned on",
    "Salt and Pepper",
    "Oak_Chest",
)
_PEOPLE = ("Mira Voss", "Dr. Who", "Tom")


def _plan(text: str, **mentioned: str) -> Plan:
    return plan(text, _ACTIONS, _OBJECTS, _PEOPLE, mentioned=mentioned)


def _lines(text: str, **mentioned: str) -> list[str]:
    return [str(step) for step in _plan(text, **mentioned).steps]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("go to the door then open it and take the key", ["Go To Door", "Open Door", "Take Key 1"]),
        ("Take key 2, then JUMP!", ["Take Key 2", "Jump"]),
        ("take the key and the oak chest", ["Take Key 1", "Take Oak_Chest"]),
        ("jump and wave", ["Jump", "Wave"]),
        ("jump high, then wave at Tom quickly", ["Jump", "Wave Tom"]),
        ("open the big old door", ["Open Door"]),
        ("could you please open the door?", ["Open Door"]),
        ("Hello Mira! I would love you to open the door.", ["Open Door"]),
        ("open the door\ntake the key", ["Open Door", "Take Key 1"]),
        ("pick the key up and put it on the table", ["Pick Up Key 1", "Put Key 1"]),
        ("pick it up", []),
        ("take the salt and pepper", ["Take Salt and Pepper"]),
        ("take the red box", ["Take Red Box (cannot be opened or moved)"]),
        ("turn on the lamp", ["Turn On Lamp that can only be turned on"]),
        ("go to the key and turn it on", ["Go To Key 1", "Turn On Key 1"]),
        ("give Tom the key", ["Give Key 1"]),
        ("give the key to Mira, then follow her", ["Give Key 1", "Follow Mira Voss"]),
        ("follow Tom to the door", ["Follow Tom"]),
        ("look at dr who", ["Look At Dr. Who"]),
        ("the door, open it", ["Open Door"]),
        ("don't open the door, but wave", ["Wave"]),
        ("do not open or close the door", []),
        ("opening doors is fun", []),
        ("reopen the doorway", []),
        ("", []),
        ("then then, and . and", []),
    ],
)
def test_commands_become_steps(text: str, lines: list[str]) -> None:
    assert _lines(text) == lines


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("open the crowbar", "There is no “crowbar” here."),
        ("open the small crate with the key", "There is no “small crate” here."),
        ("take the potion and the crown", "There is no “crown” here."),
        ("take the key and smile", "No declared action fits “smile”."),
        ("dance with the door", "No declared action fits “dance”."),
        ("open it", "It is not clear what “it” refers to."),
        ("open the red box", "“Red Box (cannot be opened or moved)” does not allow Open."),
        ("take the lamp", "“Lamp that can only be turned on” does not allow Take."),
        ("never open the door", "Left out, as requested: Open Door."),
        ("well, hello there", "No declared action was requested"),
    ],
)
def test_what_is_not_done_is_said(text: str, said: str) -> None:
    planned = _plan(text)
    assert said in planned.reply
    assert planned.reply.startswith("Local planner: ")


def test_a_long_word_is_repeated_in_part() -> None:
    assert len(_plan("x" * 10_000).reply) < 300


def test_a_guess_lists_the_others() -> None:
    assert "“key” could be Key 1 or Key 2. The first one was chosen." in _plan("take the key").reply


def test_a_question_and_a_statement_are_called_so() -> None:
    assert _plan("What does the door do?").reply == "Local planner: The line is a question, not a command."
    assert _plan("I opened the door.").reply == "Local planner: The line is a statement, not a command."


def test_without_actions_there_are_no_steps() -> None:
    planned = plan("open the door", (), ("Door",), ())
    assert planned.steps == ()
    assert planned.reply == "Local planner: No actions were requested."
    assert planned.mentioned == {"object": "Door"}


def test_it_stands_for_the_last_object_also_of_the_turn_before() -> None:
    planned = _plan("go to the door, take the key")
    assert planned.mentioned == {"object": "Key 1", "held": "Key 1"}
    assert _lines("take it", **planned.mentioned) == ["Take Key 1"]
    # What is not declared any more cannot be meant.
    assert plan("take it", ("Take",), ("Door",), (), mentioned={"object": "Key 1"}).steps == ()


def test_a_refused_object_is_still_what_was_spoken_of() -> None:
    assert _lines("open the red box and take it") == ["Take Red Box (cannot be opened or moved)"]


def test_the_longest_name_counts() -> None:
    objects = ("Door", "Door Handle", "Handle")
    assert plan("take the door handle", ("Take",), objects, ()).steps == (Step("Take", "Door Handle"),)
    assert plan("pick up the door", ("Pick", "Pick Up"), objects, ()).steps == (Step("Pick Up", "Door"),)


def test_after_an_article_an_object_goes_before_an_action() -> None:
    assert plan("lock the lock", ("Lock",), ("Lock",), ()).steps == (Step("Lock", "Lock"),)


def test_names_in_other_alphabets_work() -> None:
    assert plan("Öffne TÜR", ("öffne",), ("Tür",), ()).steps == (Step("öffne", "Tür"),)
    assert plan("открой дверь", ("Открой",), ("Дверь",), ()).steps == (Step("Открой", "Дверь"),)


def test_a_long_text_over_many_long_names_is_planned_in_good_time() -> None:
    objects = [f"Thing {number} " + "word " * 50 for number in range(2000)]
    planned = plan("take the thing and " * 2000, ("Take",), [*objects, "Thing"], ())
    assert len(planned.steps) == 2000


@pytest.mark.parametrize(
    ("name", "action", "allowed"),
    [
        ("Door", "Open", True),
        ("Door (cannot be opened)", "Open", False),
        ("Door (can not be opened)", "open", False),
        ("Door, can't be opened", "OPEN", False),
        ("Door, can’t be opened", "Open", False),
        ("Door (cannot open)", "Open", False),
        ("Door (cannot be opened)", "Close", True),
        ("Door (cannot be closed or opened)", "Open", False),
        ("Door (can be opened)", "Open", True),
        ("Door (can be opened)", "Take", True),
        ("Door (can be opened but cannot be taken)", "Open", True),
        ("Door (can be opened but cannot be taken)", "Take", False),
        ("Door (can only be opened)", "Open", True),
        ("Door (can only be opened)", "Take", False),
        ("Door (can only be opened)", "Go To", True),
        ("Radio that cannot be turned off", "Turn On", True),
        ("Radio that cannot be turned off", "Turn Off", False),
        ("Stone that cannot be picked up", "Pick Up", False),
        ("Stone that cannot be carried", "Carry", False),
        ("Rope that cannot be grabbed", "Grab", False),
        ("Vase that cannot be broken", "Break", False),
        ("Door (cannot be opened)", "Opens", False),
        ("Door (can only be opened)", "Opened", True),
        ("Door (can only be opened)", "Opening", True),
        ("Bell (cannot be picked up)", "Picks Up", False),
        ("Bell (cannot be picked up)", "Rings", True),
        ("Gate (can be opened and closed)", "Opens", True),
        ("Chest (cannot be moved or lifted)", "Lifts", False),
        ("Chest (cannot be moved or lifted)", "Moves", False),
        ("Chest (cannot be moved or lifted)", "Moves To", True),
        ("Lens (may not be touched)", "Touches", False),
        ("Door (can be opened but not moved)", "Moves", False),
        ("Card (can only be looked at)", "Looks At", True),
        ("Card (can only be looked at)", "Shows", False),
        ("Chest (cannot be moved by hand)", "Hands Over", True),
        ("Box (can only be opened)", "Waits", True),
        ("Tin can", "Open", True),
        ("Door (cannot be opened)", "", True),
    ],
)
def test_a_name_says_what_can_and_cannot_be_done(name: str, action: str, allowed: bool) -> None:
    assert allows(name, action) is allowed


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("go to the lamp and turn it on, then jump", "Go To and Turn On Lamp, then Jump."),
        ("wave twice and open the door twice", "Wave 2 times, then Open Door 2 times."),
        ("take key 1 and key 2", "Take Key 1, then Take Key 2."),
        ("don't turn on the lamp", "Left out, as requested: Turn On Lamp."),
    ],
)
def test_the_reply_names_each_object_once_and_briefly(text: str, reply: str) -> None:
    assert _plan(text).reply == f"Local planner: {reply}"


def test_what_a_name_says_about_itself_is_told_where_it_tells_two_apart() -> None:
    planned = plan("open door (oak)", ("Open",), ("Door (oak)", "Door (iron)"), ())
    assert planned.reply == "Local planner: Open Door (oak)."


def test_the_declared_actions_are_listed_once() -> None:
    assert _plan("xyzzy the door. Plugh the key. Frotz the lamp.").reply.count("Declared: ") == 1


def test_a_character_of_the_scene_may_be_the_one_who_is_spoken_to() -> None:
    assert _plan("Tom opens the door.").steps == ()
    planned = plan("Tom opens the door.", _ACTIONS, _OBJECTS, _PEOPLE, character="Tom")
    assert planned.steps == (Step("Open", "Door"),)


@pytest.mark.parametrize(
    ("text", "is_foreign"),
    [
        ("Geh in die Küche", True),
        ("Abre la puerta", True),
        ("Doe het licht aan", True),
        ("ドアを開けて", True),
        ("Juggle the log", False),
        ("Sing in a café", False),
        ("Die!", False),
        ("Juggle", False),
        ("juggle flaming torches", False),
    ],
)
def test_another_language_is_told_from_unknown_words(text: str, is_foreign: bool) -> None:
    assert ("Only English commands" in _plan(text).reply) is is_foreign


_VOCABULARY = """
open the door key 1 2 it them her and then , . or not don't pick up put on go to Tom mira red box lamp take chest
crowbar please give three times twice everyone everything second first before after tom opens
with cannot can only a ( ) can't quickly
"""
_WORDS = st.sampled_from([*_VOCABULARY.split(), "\n", "\0", ""])
_TEXTS = st.lists(_WORDS, max_size=30).map(" ".join) | st.text(max_size=60)
_DECLARED = st.lists(_TEXTS.map(lambda text: text[:30]) | st.sampled_from([*_ACTIONS, *_OBJECTS]), max_size=6)


@given(_TEXTS, _DECLARED, _DECLARED, _DECLARED, st.dictionaries(st.sampled_from(["object", "person"]), _TEXTS))
def test_only_declared_words_and_always_the_same(
    text: str, actions: list[str], objects: list[str], people: list[str], mentioned: dict[str, str]
) -> None:
    planned = plan(text, actions, objects, people, mentioned=mentioned)
    assert planned == plan(text, actions, objects, people, mentioned=mentioned)
    targets = {None, *objects, *people}
    for step in planned.steps:
        assert step.action in actions
        assert step.target in targets
        assert "\n" not in str(step)
        assert step.target is None or step.target not in objects or allows(step.target, step.action)
    assert set(planned.mentioned.values()) <= targets


@given(
    st.lists(st.sampled_from([(a, o) for a in ("Open", "Take", "Go To") for o in ("Door", "Key 2", "Tom")]), max_size=8)
)
def test_steps_come_in_the_order_asked_for(wanted: list[tuple[str, str]]) -> None:
    text = " then ".join(f"{action} the {target}" for action, target in wanted).lower()
    assert [tuple(step) for step in _plan(text).steps] == wanted
