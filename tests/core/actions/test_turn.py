"""One turn: how it travels, how it is kept, and what of it cannot be sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chartui.core.actions.turn import Turn, faults
from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.spec.models.actions import Person, Thing

TURN = Turn(
    character_id="c1",
    text="Take the key; go.\nThen wait.",
    actions=("Take", "Go To"),
    objects=(Thing(name="Key 1", description="brass, “small”"),),
    people=(Person(name="Mira", bio=""),),
)


def test_a_turn_travels_as_the_fields_of_a_form() -> None:
    assert TURN.form() == {
        "userText": "Take the key; go.\nThen wait.",
        "charID": "c1",
        "sessionID": "-1",
        "voiceResponse": "false",
        "actions": "Take,Go To",
        "classification": "multistep",
        "objects": '[{"name": "Key 1", "description": "brass, “small”"}]',
        "characters": '[{"name": "Mira", "bio": ""}]',
    }


@pytest.mark.parametrize(
    "turn", [TURN, Turn(character_id=""), replace(TURN, multistep=False, session_id="s", voice=True)]
)
def test_a_kept_turn_comes_back(turn: Turn) -> None:
    assert Turn.from_payload(loads(dumps(turn.payload()))) == turn


@pytest.mark.parametrize(
    "damage",
    [
        None,
        [],
        "text",
        {},
        {**TURN.payload(), "objects": None},
        {**TURN.payload(), "objects": [{"name": "Key"}]},
        {**TURN.payload(), "objects": [{"name": "Key", "description": 3}]},
        {**TURN.payload(), "characters": [{"name": "A", "bio": "b", "age": 3}]},
        {**TURN.payload(), "actions": [None]},
        {**TURN.payload(), "actions": "Take"},
        {**TURN.payload(), "userText": None},
    ],
)
def test_a_damaged_turn_is_no_turn(damage: Wire) -> None:
    with pytest.raises(ValueError, match="Not a turn"):
        Turn.from_payload(damage)


def test_each_fault_names_its_item() -> None:
    things = [{"name": "Key", "description": "a;b"}, {"name": "Do;or", "description": ""}]
    found = dict(faults(["Take", "Go, Run", "Wa\nit"], things))
    assert list(found) == ["actions[1]", "actions[2]", "objects[0].description", "objects[1].name"]
    assert "'Go, Run'" in found["actions[1]"]
    assert "'Do;or'" in found["objects[1].name"]
    assert not list(faults(["Take"], [{"name": "Key", "description": "a,b"}]))
