"""The request and the reply of the string-based action endpoint (C 4.14)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from chartui.core.spec.shape import Described, Lines, Odd, Record, answer, request


@request()
class Thing:
    """An object in the scene. Its name may state which actions are possible with it."""

    name: str
    description: str


@request()
class Person:
    """Another character in the scene."""

    name: str
    bio: str


@request({"user_text": "userText", "char_id": "charID", "session_id": "sessionID", "voice_response": "voiceResponse"})
class ActionRequest:
    """The request for one turn (C 4.14, decisions 43 to 46 and 60).

    All values are sent as form fields, and lists are sent as text.
    """

    user_text: str
    char_id: str
    session_id: str = "-1"
    voice_response: bool = False
    actions: Sequence[str] = ()
    classification: Annotated[str, Described({"enum": ["multistep", "True", "False"]})] = "False"
    objects: Sequence[Thing] = ()
    characters: Sequence[Person] = ()


@answer(
    {"user_query": "userQuery", "char_id": "charID", "session_id": "sessionID", "action_sequence": "actionSequence"},
    # The readable parts of a reply are shown, since the turn may have cost credits (decision 70).
    odd=Odd(always=True),
)
class ActionReply(Record):
    """The reply to one turn. ``action_sequence`` has one step per line."""

    text: str = ""
    response: str = ""
    action_sequence: Annotated[str, Lines("step")] = ""
    user_query: str = ""
    char_id: str = ""
    session_id: str = ""
