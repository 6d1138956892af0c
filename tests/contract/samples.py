"""A request that succeeds for every row, and how it looks on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

from chartui.core.jsontext import Wire, dumps
from chartui.core.spec.operation import Encoding, Operation, encode_all
from chartui.core.spec.operations import OPERATIONS
from tests.contract.seed import ALARM, BELL, END, GATE, HALL, KEEPER

__all__ = ["SAMPLES", "WITH_KEY", "WITH_PATH", "Request", "request"]

SAMPLES: Final[Mapping[str, dict[str, Wire]]] = {
    "get-estimate": {"llm": "mdla_4o"},
    "estimate": {"selections": {"llm": "mdla_4o"}},
    "options": {},
    "update-character": {"charID": KEEPER, "temperature": 1},
    "list-models": {},
    "toggle-narrative": {"character_id": KEEPER, "is_narrative_driven": True},
    "create-section": {"character_id": KEEPER, "section_name": "New", "objective": "Be new."},
    "edit-section": {"character_id": KEEPER, "section_id": END, "updated_data": {"objective": "Changed."}},
    "get-section": {"character_id": KEEPER, "section_id": GATE},
    "list-sections": {"character_id": KEEPER},
    "delete-section": {"character_id": KEEPER, "section_id": END},
    "create-trigger": {"character_id": KEEPER, "trigger_name": "new", "trigger_message": "New."},
    "update-trigger": {"character_id": KEEPER, "trigger_id": BELL, "updated_data": {"trigger_message": "Ding."}},
    "delete-trigger": {"character_id": KEEPER, "trigger_id": BELL},
    "get-trigger": {"character_id": KEEPER, "trigger_id": ALARM},
    "list-triggers": {"character_id": KEEPER},
    "get-response": {"userText": "Hello.", "charID": KEEPER},
    "list-characters": {},
    "summarize-characters": {},
    "describe-characters": {},
    "measure-characters": {},
    "get-character": {"charID": KEEPER},
    "get-settings": {"charID": KEEPER},
    "create-character": {"character_name": "New"},
    "duplicate-character": {"charID": KEEPER},
    "rename-character": {"charID": KEEPER, "character_name": "Renamed"},
    "delete-character": {"charID": KEEPER},
    "set-start-section": {"character_id": KEEPER, "section_id": HALL},
    "set-override": {
        "character_id": KEEPER,
        "section_id": GATE,
        "trigger_id": ALARM,
        "destination_section": HALL,
    },
    "snapshot-character": {"charID": KEEPER},
    "restore-character": {
        "snapshot": {"record": {"character_id": "back", "character_name": "Back"}, "sections": [], "triggers": []}
    },
    "restore-section": {"character_id": KEEPER, "section": {"section_id": "back", "section_name": "Back"}},
    "restore-trigger": {"character_id": KEEPER, "trigger": {"trigger_id": "back", "trigger_name": "back"}},
    "list-accounts": {},
}

#: The rows that are answered over HTTP, and those of them that need a key.
WITH_PATH: Final = tuple(row for row in OPERATIONS.values() if row.path is not None)
WITH_KEY: Final = tuple(row for row in WITH_PATH if row.tier is not None)


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it stands, but for its key."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""


def request(row: Operation, payload: Mapping[str, Wire] | None = None) -> Request:
    """The request of ``row`` for ``payload``, its sample without one."""
    assert row.path is not None
    payload = SAMPLES[row.name] if payload is None else payload
    match row.encoding:
        case Encoding.QUERY:
            return Request(row.method, f"{row.path}?{urlencode(encode_all(row.codecs, payload))}")
        case Encoding.FORM:
            form = urlencode(encode_all(row.codecs, payload)).encode()
            return Request(row.method, row.path, {"content-type": "application/x-www-form-urlencoded"}, form)
        case Encoding.JSON:
            return Request(row.method, row.path, {"content-type": "application/json"}, dumps(payload).encode())
        case Encoding.NONE:
            return Request(row.method, row.path)
