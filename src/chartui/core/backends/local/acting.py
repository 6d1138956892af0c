"""The string-based action endpoint, answered by the rule-based planner (C 4.14, decisions 43 to 47 and 60)."""

from __future__ import annotations

from typing import Final

from chartui.core.actions.turn import NEW_SESSION, faults
from chartui.core.backends.local.call import Call, invalid
from chartui.core.backends.local.sessions import Session
from chartui.core.jsontext import Wire

__all__ = ["get_response"]

#: Only this one yields actions (decision 44).
MULTISTEP: Final = "multistep"
_CLASSIFICATIONS: Final = (MULTISTEP, "True", "False")
_NEW_SESSION: Final = (NEW_SESSION, "")


def get_response(call: Call) -> Wire:
    """One turn: a reply, and what to do step by step."""
    from chartui.core.actions.planner import plan  # its English is only needed here

    payload = call.payload
    things = payload.get("objects", ())
    for member, message in faults(payload.get("actions", ()), things):
        raise invalid(member, message)
    actions = [word.strip() for word in payload.get("actions", ()) if word.strip()]
    objects = [thing["name"] for thing in things]
    people = [person["name"] for person in payload.get("characters", ())]
    multistep = _is_multistep(payload.get("classification", "False"))
    character = call.character()
    session = _session(call, character.character_id)
    planned = plan(
        payload["userText"],
        actions if multistep else (),
        objects,
        people,
        mentioned=session.mentioned,
        character=str(character.record.get("character_name", "")),
    )
    call.tables.sessions.save(session._replace(mentioned=dict(planned.mentioned)))
    character.record["last_interacted_with"] = call.now()
    call.tables.characters.save(character)
    return {
        "userQuery": payload["userText"],
        "charID": character.character_id,
        "sessionID": session.session_id,
        "text": planned.reply,
        "response": planned.reply,
        "actionSequence": "\n".join(str(step) for step in planned.steps),
    }


def _is_multistep(classification: str) -> bool:
    if classification not in _CLASSIFICATIONS:
        raise invalid("classification", f"'classification' must be one of {', '.join(_CLASSIFICATIONS)}.")
    return classification == MULTISTEP


def _session(call: Call, character_id: str) -> Session:
    """The conversation to go on with, or a new one; with another character or account it is unknown."""
    given = call.payload.get("sessionID", "")
    if given in _NEW_SESSION:
        return Session(call.ids(), character_id, {})
    found = call.tables.sessions.get(given, character_id)
    if found is None:
        raise invalid("sessionID", f"There is no session {given!r} with this character; -1 starts one.")
    return found
