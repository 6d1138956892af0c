"""The handlers of all operations of the embedded store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from chartui.core.backends.local import graph, restore, settings
from chartui.core.backends.local.call import LocalCall, invalid
from chartui.core.backends.local.tables import Characters, Session
from chartui.core.jsontext import Wire

#: The only classification that yields actions (decision 44).
MULTISTEP: Final = "multistep"
_CLASSIFICATIONS: Final = (MULTISTEP, "True", "False")


def get_response(call: LocalCall) -> Wire:
    """Perform one turn of a conversation, and return the reply with its action sequence."""
    from chartui.core.actions.planner import plan
    from chartui.core.actions.turn import faults

    payload = call.payload
    things = payload.get("objects", ())
    for member, message in faults(payload.get("actions", ()), things):
        raise invalid(member, message)
    actions = [word.strip() for word in payload.get("actions", ()) if word.strip()]
    objects = [thing["name"] for thing in things]
    people = [person["name"] for person in payload.get("characters", ())]
    classification = payload.get("classification", "False")
    if classification not in _CLASSIFICATIONS:
        raise invalid("classification", f"'classification' must be one of {', '.join(_CLASSIFICATIONS)}.")
    multistep = classification == MULTISTEP
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


def _session(call: LocalCall, character_id: str) -> Session:
    """Return the conversation to continue, or a new one.

    A conversation is found only with the same character and account.
    """
    from chartui.core.actions.turn import NEW_SESSION

    given = call.payload.get("sessionID", "")
    if given in (NEW_SESSION, ""):
        return Session(call.ids(), character_id, {})
    found = call.tables.sessions.get(given, character_id)
    if found is None:
        raise invalid("sessionID", f"The character has no session {given!r}. Use -1 to start a session.")
    return found


#: The handler of each row, by the row's name. A handler is called inside a transaction and returns the body of the
#: answer. The rows of the estimator are missing, because they need no store.
HANDLERS: Final[Mapping[str, Callable[[LocalCall], Wire]]] = MappingProxyType(
    {
        "update-character": settings.update_character,
        "list-models": settings.list_models,
        "toggle-narrative": settings.setting("is_narrative_driven", "Successful"),
        "create-section": graph.create_section,
        "edit-section": graph.edit_section,
        "get-section": graph.get_section,
        "list-sections": graph.list_sections,
        "delete-section": graph.delete_section,
        "create-trigger": graph.create_trigger,
        "update-trigger": graph.update_trigger,
        "delete-trigger": graph.delete_trigger,
        "get-trigger": graph.get_trigger,
        "list-triggers": graph.list_triggers,
        "get-response": get_response,
        "list-characters": settings.of_account(Characters.records),
        "summarize-characters": settings.of_account(Characters.summaries),
        "describe-characters": settings.of_account(Characters.descriptions),
        "measure-characters": settings.of_account(Characters.measures),
        "get-character": lambda call: call.character().record,
        "get-settings": settings.get_settings,
        "create-character": settings.create_character,
        "duplicate-character": graph.duplicate_character,
        "rename-character": settings.setting("character_name"),
        "delete-character": settings.delete_character,
        "set-start-section": graph.set_start_section,
        "set-override": graph.set_override,
        "snapshot-character": restore.snapshot_character,
        "restore-character": restore.restore_character,
        "restore-section": restore.restore_section,
        "restore-trigger": restore.restore_trigger,
        "list-accounts": lambda call: {"accounts": call.tables.accounts.notes()},
    }
)
