"""The string-based action endpoint (C 4.14; decisions 42 to 49 and 60)."""

from __future__ import annotations

from typing import Final

from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind
from tests.contract import seed
from tests.contract.case import case, refuses
from tests.contract.seed import GUIDE, KEEPER, NOWHERE
from tests.contract.world import Account, World

TURN: Final[dict[str, Wire]] = {
    "userText": "Please pick up the lamp, then move to the gate and open the gate.",
    "charID": KEEPER,
    "sessionID": "-1",
    "voiceResponse": False,
    "actions": ["Pick up", "Move to", "Open", "Drop"],
    "classification": "multistep",
    "objects": [
        {"name": "Lamp", "description": "A brass lamp."},
        {"name": "Gate", "description": "Iron."},
        {"name": "Statue (cannot be moved)", "description": "Marble."},
    ],
    "characters": [{"name": "Visitor", "bio": "A stranger."}],
}


def turn(**changes: Wire) -> dict[str, Wire]:
    return {**TURN, **changes}


@case("get-response", decisions=(43, 47, 60))
async def answers_in_words_and_steps(world: World) -> None:
    body = await world.ok("get-response", TURN)
    assert list(body) == ["userQuery", "charID", "sessionID", "text", "response", "actionSequence"]
    assert body["userQuery"] == TURN["userText"]
    assert body["charID"] == KEEPER
    assert body["sessionID"] not in ("-1", "")
    assert body["text"] == body["response"]
    assert "local planner" in body["text"].lower()
    assert body["actionSequence"].splitlines() == ["Pick up Lamp", "Move to Gate", "Open Gate"]


@case("get-response", decisions=(47,))
async def the_same_turn_gives_the_same_answer(world: World) -> None:
    first = await world.ok("get-response", TURN)
    second = await world.ok("get-response", TURN)
    assert {**first, "sessionID": ""} == {**second, "sessionID": ""}
    assert first["sessionID"] != second["sessionID"]


@case("get-response", decisions=(43,))
async def a_session_is_continued_by_its_id(world: World) -> None:
    for start in ("-1", ""):
        first = await world.ok("get-response", turn(sessionID=start))
        second = await world.ok("get-response", turn(sessionID=first["sessionID"]))
        assert second["sessionID"] == first["sessionID"]


@case("get-response", decisions=(43, 60))
async def two_members_are_enough(world: World) -> None:
    body = await world.ok("get-response", {"userText": "Hello.", "charID": KEEPER})
    assert body["sessionID"]
    assert body["actionSequence"] == ""


@case("get-response", decisions=(44, 60))
async def only_multistep_yields_steps(world: World) -> None:
    for classification in ("True", "False"):
        assert (await world.ok("get-response", turn(classification=classification)))["actionSequence"] == ""
    without = {name: value for name, value in TURN.items() if name != "classification"}
    assert (await world.ok("get-response", without))["actionSequence"] == ""


@case("get-response", decisions=(45,))
async def voice_is_true_or_false_in_any_case(world: World) -> None:
    for word in ("true", "TRUE", "False", "fAlSe"):
        await world.ok("get-response", turn(voiceResponse=word))


@case("get-response", decisions=(47, 60))
async def nothing_is_invented(world: World) -> None:
    body = await world.ok("get-response", turn(userText="Pick up the sword and sing."))
    assert body["actionSequence"] == ""
    assert "sword" in body["text"]


@case("get-response", decisions=(60,))
async def words_are_whole_and_in_any_case(world: World) -> None:
    body = await world.ok("get-response", turn(userText="PICK UP THE LAMP"))
    assert body["actionSequence"] == "Pick up Lamp"
    body = await world.ok("get-response", turn(userText="Opened lamps are dropped."))
    assert body["actionSequence"] == ""


@case("get-response", decisions=(60,))
async def a_name_that_says_what_cannot_be_done_is_honoured(world: World) -> None:
    body = await world.ok("get-response", turn(actions=["Move", "Open"], userText="Move the statue."))
    assert body["actionSequence"] == ""


@case("get-response", decisions=(57,))
async def the_character_was_interacted_with(world: World) -> None:
    before = await world.record(GUIDE)
    await world.ok("get-response", turn(charID=GUIDE))
    after = await world.record(GUIDE)
    assert after == {**before, "last_interacted_with": seed.CREATED}


@case("get-response", decisions=(42,))
async def lists_may_be_given_as_the_text_they_travel_as(world: World) -> None:
    as_text = turn(
        actions="Pick up, Move to,Open",
        objects='[{"name": "Lamp", "description": ""}, {"name": "Gate", "description": ""}]',
        characters="[]",
        voiceResponse="false",
    )
    assert (await world.ok("get-response", as_text))["actionSequence"].splitlines() == [
        "Pick up Lamp",
        "Move to Gate",
        "Open Gate",
    ]


_LAMP: Final[dict[str, Wire]] = {"name": "Lamp", "description": ""}
_INVALID: tuple[tuple[str, dict[str, Wire], tuple[str, ...], tuple[int, ...]], ...] = (
    ("an unknown session", turn(sessionID=NOWHERE), ("session", NOWHERE), (43,)),
    ("another word for a class", turn(classification="Multistep"), ("classification", "multistep"), (44,)),
    ("another word for a truth", turn(voiceResponse="yes"), ("voiceResponse",), (45,)),
    ("objects that are no JSON", turn(objects="[{"), ("objects",), (46,)),
    ("objects that are no array", turn(objects=_LAMP), ("objects",), (46,)),
    ("an object without a description", turn(objects=[_LAMP, {"name": "Rope"}]), ("objects[1]", "description"), (46,)),
    ("an object with an unknown member", turn(objects=[{**_LAMP, "size": 1}]), ("objects[0]", "size"), (46, 53)),
    ("a separator in a name", turn(objects=[_LAMP, {"name": "a;b", "description": ""}]), ("objects[1]", ";"), (46,)),
    ("a separator in a description", turn(objects=[{"name": "a", "description": ";"}]), ("objects[0]", ";"), (46,)),
    ("a character without a bio", turn(characters=[{"name": "V"}]), ("characters[0]", "bio"), (46,)),
    ("characters that are no JSON", turn(characters="nobody"), ("characters",), (46,)),
    ("no text", {"charID": KEEPER}, ("userText",), (53, 60)),
    ("no character", {"userText": "Hello."}, ("charID",), (53, 60)),
    ("an unknown member", turn(usertext="Hello."), ("usertext", "userText"), (53,)),
)
for _name, _payload, _words, _decisions in _INVALID:
    refuses("get-response", ErrorKind.INVALID, _name, _payload, *_words, decisions=_decisions)


@case("get-response", ErrorKind.INVALID, decisions=(60,))
async def an_action_that_holds_the_separator(world: World) -> None:
    message = await world.refused_unsent("get-response", turn(actions=["Pick, up"]), ErrorKind.INVALID)
    assert "Pick, up" in message


@case("get-response", ErrorKind.INVALID, decisions=(43, 60))
async def a_session_of_another_account(world: World) -> None:
    theirs = await world.ok("get-response", turn(charID=seed.FOREIGN), account=Account.ENTERPRISE)
    await world.refused("get-response", turn(sessionID=theirs["sessionID"]), ErrorKind.INVALID, "session")


for _name, _who in (("an unknown character", NOWHERE), ("somebody else's character", seed.FOREIGN)):
    refuses("get-response", ErrorKind.NOT_FOUND, _name, turn(charID=_who), _who, decisions=(27, 56))
refuses(
    "get-response",
    ErrorKind.TIER,
    "a free account",
    turn(charID=seed.PUPIL),
    "professional",
    decisions=(27, 29),
    account=Account.FREE,
)
