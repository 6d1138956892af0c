"""A service in this process whose answers are odd: one of them at a time, everything else as it should be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

__all__ = ["SOUND", "OddService"]

_SECTIONS: Final = [
    {
        "section_id": "s1",
        "section_name": "The gate",
        "objective": "Greet the guest",
        "decisions": [
            {"criteria": "They know the word", "next_section_id": "s2", "priority": 1},
            {"criteria": "They turn away", "next_section_id": "s3", "priority": 2},
        ],
    },
    {"section_id": "s2", "section_name": "The hall", "objective": "Show the way", "decisions": []},
    {"section_id": "s3", "section_name": "The road", "objective": "Say farewell", "decisions": None},
]
_LINES: Final = [
    {"key": "prompt", "label": "Prompt", "credits": 2.5, "latency_ms": None},
    {"key": "platform", "label": "Platform", "credits": 10, "latency_ms": {"min": 100, "max": 300}},
]
_REPLY: Final = {
    "userQuery": "Ring the bell.",
    "charID": "c1",
    "sessionID": "session-1",
    "text": "The bell it is.",
    "response": "The bell it is.",
    "actionSequence": "Rings Bell",
}
#: What the service answers, by the end of the path of an operation.
SOUND: Final[Mapping[str, Any]] = {
    "list": {
        "characters": [
            {
                "character_id": "c1",
                "character_name": "Mara Finch",
                "is_narrative_driven": True,
                "start_narrative_section_id": "s1",
            },
            {"character_id": "c2", "character_name": "Tom Reed", "is_narrative_driven": False},
        ]
    },
    "list-sections": _SECTIONS,
    "list-triggers": [
        {"trigger_id": "t1", "trigger_name": "Rain", "trigger_message": "It rains", "destination_section": "s2"},
        {"trigger_id": "t2", "trigger_name": "Night", "trigger_message": "It is dark", "destination_section": "s3"},
    ],
    "getSupportedModel": {
        "STATUS": json.dumps(
            [
                {"model_group_name": "mdla-4o", "display_name": "Family A 4o"},
                {"model_group_name": "mdlc-3.5-flash", "display_name": "Family C 3.5 Flash"},
            ]
        )
    },
    "estimate": {"totals": {"credits": 12.5}, "lines": _LINES, "latency_ms": {"min": 500, "max": 900}},
    "options": {"api_version": "1", "options": {}, "defaults": {}, "plans": []},
    "getResponse": _REPLY,
}


@dataclass
class OddService:
    """Answers like a service, but for ``odd``: the end of a path, and the value or the text that is its body.

    So many of the next answers are ``sound`` all the same.
    """

    odd: tuple[str, Any] = ("", None)
    sound: int = 0
    #: Names of what was called, in order.
    called: list[str] = field(default_factory=list)

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.rstrip("/").rpartition("/")[2]
        self.called.append(name)
        self.sound -= 1
        body = self.odd[1] if name == self.odd[0] and self.sound < 0 else SOUND.get(name)
        text = body if isinstance(body, str) else json.dumps({"ERROR": "Nothing here"} if body is None else body)
        # As a stream, which is read as it would come over a network.
        return httpx.Response(404 if body is None else 200, stream=httpx.ByteStream(text.encode()))
