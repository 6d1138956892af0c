"""The string-based action endpoint, answered by the rule-based planner (C 4.14, decisions 43 to 47 and 60)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chartui.core.actions.planner import plan
from chartui.core.backends.local.call import Call, invalid
from chartui.core.backends.local.sessions import Session
from chartui.core.jsontext import Wire

__all__ = ["get_response"]

#: Only this one yields actions (decision 44).
MULTISTEP: Final = "multistep"
_CLASSIFICATIONS: Final = (MULTISTEP, "True", "False")
_NEW_SESSION: Final = ("-1", "")


def get_response(call: Call) -> Wire:
    """One turn: a reply, and what to do step by step."""
    payload = call.payload
    actions = _words(payload.get("actions", ()))
    objects = _things(payload.get("objects", ()))
    people = [person["name"] for person in payload.get("characters", ())]
    multistep = _is_multistep(payload.get("classification", "False"))
    character = call.character()
    session = _session(call, character.character_id)
    planned = plan(payload["userText"], actions if multistep else (), objects, people, mentioned=session.mentioned)
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


def _words(words: Sequence[str]) -> list[str]:
    for word in words:
        if "," in word or "\n" in word or "\r" in word:
            # The first separates words, the others steps.
            raise invalid("actions", f"The action word {word!r} holds a comma or a line break.")
    return [word.strip() for word in words if word.strip()]


def _things(objects: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of the objects; what separates them on the service's side may not be in them (decision 46)."""
    for position, thing in enumerate(objects):
        for member in ("name", "description"):
            if ";" in thing[member]:
                where = f"objects[{position}].{member}"
                raise invalid(where, f"'{where}' of the object {thing['name']!r} holds a ';'.")
    return [thing["name"] for thing in objects]


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
