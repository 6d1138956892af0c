"""Turns that are recorded and sent again: the file, the conversations, and what counts as another sequence."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from chartui.core.actions.replay import (
    Change,
    Recorded,
    Replay,
    Replayed,
    again,
    changes,
    read_replay,
    recording,
    replay,
    replay_toml,
)
from chartui.core.actions.scene_file import ActionFileError
from chartui.core.actions.turn import Turn
from chartui.core.spec.models.actions import ActionReply, Person, Thing

HEAD = 'format = "chartui-replay"\nversion = 1\n'
TURN = Turn(
    character_id="c1",
    text="Mira picks up the key.",
    actions=("Picks Up", "Opens"),
    objects=(Thing(name="Key", description="small"),),
    people=(Person(name="Mira", bio=""),),
)


def reply(sequence: str = "", session: str = "s1") -> ActionReply:
    return ActionReply(action_sequence=sequence, session_id=session)


def read(folder: Path, text: str) -> Replay:
    path = folder / "replay.toml"
    path.write_text(text, encoding="utf-8")
    made = read_replay(path)
    assert made is not None
    return made


# -- recording ---------------------------------------------------------------------------------------------------------


def test_conversations_are_recorded_by_the_turn_that_each_goes_on_with() -> None:
    def said(text: str, session: str = "-1") -> Turn:
        return replace(TURN, text=text, session_id=session)

    made = recording(
        [
            (said("one"), reply("Opens Key", "a")),
            (said("two", "a"), reply("", "b")),  # a service may give every reply another session
            (said("three"), reply("Opens", "x")),
            (said("four", "b"), reply("", "c")),
            (said("five", "unknown"), reply("", "unknown")),
            (said("six", "unknown"), reply("", "unknown")),
        ]
    )
    assert [one.after for one in made.turns] == [0, 1, 0, 2, 0, 5]
    assert [one.session for one in made.turns] == ["a", "b", "x", "c", "unknown", "unknown"]
    assert {one.turn.session_id for one in made.turns} == {"-1"}
    assert made.character_id == "c1"
    assert made.turns[0].expected == ("Opens Key",)


def test_a_turn_of_a_conversation_that_is_not_recorded_is_not_taken() -> None:
    with pytest.raises(ValueError, match="the start of conversation 's9' is not recorded on this machine"):
        Replay().having(replace(TURN, session_id="s9"), reply())


# -- the file ----------------------------------------------------------------------------------------------------------


def test_what_was_recorded_comes_back(tmp_path: Path) -> None:
    other = replace(TURN, text="a;b\n", actions=(), objects=(), multistep=False)
    exchanges = [
        (TURN, reply("\n Picks Up Key \r\n\nOpens")),
        (replace(other, session_id="s1"), reply("", "s1")),
        (TURN, reply("Opens", "")),
        (replace(TURN, people=()), reply("Opens", "s2")),
    ]
    made = recording(exchanges)
    anonymous = replace(made, turns=tuple(replace(one, turn=one.turn.anew()) for one in made.turns))
    back = read(tmp_path, replay_toml(made))
    nobody = tuple(replace(one, turn=replace(one.turn, character_id="")) for one in anonymous.turns)
    assert back == replace(made, turns=nobody)
    # The scene stands there once, and with a turn only what is another.
    text = replay_toml(made)
    assert text.count("Picks Up") == 2
    assert text.count("after = ") == 2


def test_a_file_by_hand_needs_little(tmp_path: Path) -> None:
    made = read(tmp_path, f'{HEAD}actions = ["Opens"]\n[[turns]]\ntext = "a"\nexpected = ["Opens"]\n')
    assert made == Replay(
        turns=(Recorded(turn=Turn(character_id="", text="a", actions=("Opens",)), expected=("Opens",)),)
    )
    follow = read(tmp_path, HEAD + "[[turns]]\ntext = 'a'\nexpected = []\n" * 3)
    assert [one.after for one in follow.turns] == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ('format = "chartui-scene"\nversion = 1', ['the file must start with: format = "chartui-replay".']),
        (HEAD, ["The file contains no turns to replay."]),
        (f"{HEAD}turns = 1", ["turns must be a list of tables."]),
        (f"{HEAD}turns = [1]", ["turns[0] must be a table."]),
        (f"{HEAD}[[turns]]", ["turns[0].text is missing.", "turns[0].expected is missing."]),
        (
            f'{HEAD}character = 1\n[[turns]]\ntext = "a"\nexpected = ["x", 1]\nafter = 1\nactions = "x"\ntexts = 1',
            [
                "character must be the ID of a character, as text.",
                "Unknown key “texts” in turns[0]. Did you mean “text”?",
                "turns[0].after must be the number of an earlier turn, or 0 for a new conversation.",
                "turns[0].actions must be a list of strings.",
                "turns[0].expected[1] must be text.",
            ],
        ),
        (
            f'{HEAD}[[turns]]\ntext = "a"\nexpected = []\nafter = true',
            ["turns[0].after must be the number of a turn."],
        ),
    ],
)
def test_every_mistake_is_told_with_its_place(text: str, problems: list[str], tmp_path: Path) -> None:
    with pytest.raises(ActionFileError) as told:
        read(tmp_path, text)
    assert [mistake.message for mistake in told.value.mistakes] == problems


def test_no_file_is_no_recording(tmp_path: Path) -> None:
    assert read_replay(tmp_path / "none.toml") is None


# -- comparing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "came", "found"),
    [
        ("a|b", "a|b", []),
        ("Opens  Door", "opens door", []),
        ("", "", []),
        ("a|b|c", "a|x|c", [Change(2, "b", "x")]),
        ("a|b|c", "a|c", [Change(2, "b", None)]),
        ("a|c", "a|b|c", [Change(2, None, "b")]),
        ("a", "", [Change(1, "a", None)]),
        ("", "a", [Change(1, None, "a")]),
        ("a|b", "b|a", [Change(1, None, "b"), Change(2, "b", None)]),
        ("a|b|c|d", "x|y|c", [Change(1, "a", "x"), Change(2, "b", "y"), Change(4, "d", None)]),
    ],
)
def test_the_steps_that_are_others(expected: str, came: str, found: Sequence[Change]) -> None:
    before, after = ([line for line in text.split("|") if line] for text in (expected, came))
    assert list(changes(before, after)) == found


def test_a_change_in_words() -> None:
    assert str(Change(2, "a", "b")) == "step 2 was “a”, now “b”"
    assert str(Change(2, "a", None)) == "step 2 is missing: “a”"
    assert str(Change(2, None, "b")) == "step 2 is new: “b”"


# -- sending it again --------------------------------------------------------------------------------------------------


def test_it_is_said_again_in_the_conversations_it_was_said_in() -> None:
    sent: list[Turn] = []

    async def respond(turn: Turn) -> ActionReply:
        sent.append(turn)
        # The third reply names no session, as a service without conversations would.
        return reply("Opens\n" * len(sent), "" if len(sent) == 3 else f"live {len(sent)}")

    turns = tuple(
        Recorded(turn=replace(TURN, character_id=""), expected=("Opens",), after=after, session="old")
        for after in (0, 1, 0, 3, 2)
    )
    made = Replay(turns=turns, character_id="c1")

    async def said_again() -> list[Replayed]:
        return [one async for one in replay(made, "c2", respond)]

    done = asyncio.run(said_again())
    assert [turn.session_id for turn in sent] == ["-1", "live 1", "-1", "-1", "live 2"]
    assert {turn.character_id for turn in sent} == {"c2"}
    assert [len(one.changes) for one in done] == [0, 1, 2, 3, 4]
    updated = again(made, done)
    assert [len(one.expected) for one in updated.turns] == [1, 2, 3, 4, 5]
    assert updated.turns[4].session == "live 5"
    assert again(made, done[:1]).turns[1:] == made.turns[1:]
