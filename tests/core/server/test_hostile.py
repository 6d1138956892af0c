"""Hostile text in every text member of every operation: stored and returned as it is, or refused; nothing breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from chartui.core.jsontext import dumps, loads
from chartui.core.spec.operation import Operation, Tier
from chartui.core.spec.operations import OPERATIONS
from tests.core.server.local import Document, ask, serving

SERVED = [row for row in OPERATIONS.values() if row.path is not None]

HOSTILE = {
    "empty": "",
    "blank": " \t\r\n",
    "nul": "a\x00b",
    "controls": "".join(map(chr, range(1, 32))) + "\x7f" + "".join(map(chr, range(0x80, 0xA0))),
    "escape sequences": "\x1b[2J\x1b]0;title\x07\x1b]52;c;aGk=\x1b\\\x9b31m",
    "bidi": "\u202egnp.exe\u2066\u2069\u200f",
    "separators": "a\u2028b\u2029c\ufeffd\u00add",
    "markup": "[bold]x[/] [/] [@click=app.quit]x[/] [link=a]b <script>alert(1)</script> {{7*7}} %s {0}",
    "quotes": "'; DROP TABLE characters; -- \" \\ ` $(id) ;",
    "combining": "a" + "\u0301" * 3000,
    "astral": "\U0001f468\u200d\U0001f469\u200d\U0001f467\U000e0041\U0010ffff\ufffe",
    "wide and right to left": "漢字 مرحبا שלום",
    "long": "x" * 20_000,
    "json": '{"a": [1, null]}',
    "null": "null",
    "number": "1e999",
    "path": "../../etc/passwd\x00.png",
}
#: Cannot be written in UTF-8, so cannot be kept.
HALVES = {"high half": "a\ud800b", "low half": "\udc00", "turned pair": "\udc00\ud800"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, Document, dict[str, str]]]:
    """A client, the document, and the ids of a character with a section and a trigger."""
    path: Path = tmp_path_factory.mktemp("store") / "store.db"
    with serving(path) as served, served.client(Tier.PROFESSIONAL) as client:
        ids = {"character": served.character()}
        section = {"character_id": ids["character"], "section_name": "Start", "objective": "Begin"}
        ids["section"] = ask(client, OPERATIONS["create-section"], section).json()["section_id"]
        trigger = {"character_id": ids["character"], "trigger_name": "Bell", "trigger_message": "It rings"}
        ids["trigger"] = ask(client, OPERATIONS["create-trigger"], trigger).json()["trigger_id"]
        yield client, Document(client.get("/openapi.json").json()), ids


def valid_payload(row: Operation, ids: Mapping[str, str]) -> dict[str, Any]:
    """A request with every text member that the row takes."""
    character = {"character_id": ids["character"]}
    section = {**character, "section_id": ids["section"]}
    trigger = {**character, "trigger_id": ids["trigger"]}
    selections = {"llm": "mdla_4o", "stt": "no_stt_input", "tts": "no_tts", "animation": "no_animation"}
    payloads: dict[str, dict[str, Any]] = {
        "get-estimate": {**selections, "memory": "true", "inputTokens": "1"},
        "estimate": {"selections": selections},
        "options": {},
        "update-character": {
            "charID": ids["character"],
            "model_group_name": "mdla-5.4",
            "reasoning_effort": "low",
            "backstory": "Once",
        },
        "list-models": {"charID": ids["character"]},
        "toggle-narrative": {**character, "is_narrative_driven": True},
        "create-section": {
            **character,
            "section_name": "Next",
            "objective": "Go on",
            "updated_character_data": {"a": "b"},
            "behavior_tree_code": "c",
            "bt_constants": "d",
        },
        "edit-section": {
            **section,
            "updated_data": {
                "section_name": "Start",
                "objective": "Begin",
                "decisions": [{"criteria": "always", "next_section_id": ids["section"]}],
            },
        },
        "get-section": section,
        "list-sections": character,
        "delete-section": {**character, "section_id": "gone"},
        "create-trigger": {
            **character,
            "trigger_name": "Knock",
            "trigger_message": "Somebody knocks",
            "destination_section": ids["section"],
        },
        "update-trigger": {
            **trigger,
            "updated_data": {
                "trigger_name": "Bell",
                "trigger_message": "It rings",
                "destination_section": ids["section"],
            },
        },
        "delete-trigger": {**character, "trigger_id": "gone"},
        "get-trigger": trigger,
        "list-triggers": character,
        "get-response": {
            "userText": "Take the cup",
            "charID": ids["character"],
            "sessionID": "-1",
            "voiceResponse": "false",
            "actions": "Take,Drop",
            "classification": "multistep",
            "objects": [{"name": "cup", "description": "red"}],
            "characters": [{"name": "Bo", "bio": "a cook"}],
        },
        "list-characters": {},
    }
    return payloads[row.name]


def texts(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts(item, (*path, key))


def replaced(value: Any, path: tuple[str | int, ...], text: str) -> Any:
    """A copy of ``value`` with ``text`` at ``path``."""
    if not path:
        return text
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], text)
    return copy


@pytest.mark.parametrize("row", SERVED, ids=lambda row: row.name)
def test_hostile_text_gets_an_answer_from_the_document(
    world: tuple[httpx.Client, Document, dict[str, str]], row: Operation
) -> None:
    client, document, ids = world
    payload = valid_payload(row, ids)
    for path in texts(payload):
        for name, text in (HOSTILE | HALVES).items():
            response = ask(client, row, replaced(payload, path, text))
            where = f"{name} at {path}"
            assert response.status_code < 500, where
            assert response.status_code == 400 or name not in HALVES, where
            document.hold(row, response)
            assert loads(response.content) is not None or not response.content, where


@pytest.mark.parametrize("row", SERVED, ids=lambda row: row.name)
def test_hostile_names_of_members(world: tuple[httpx.Client, Document, dict[str, str]], row: Operation) -> None:
    client, document, ids = world
    payload = valid_payload(row, ids)
    for name, text in (HOSTILE | HALVES).items():
        response = ask(client, row, {**payload, text: "x"})
        assert response.status_code == 400 or (response.status_code == 431 and row.method == "GET"), name
        document.hold(row, response)


@pytest.mark.parametrize("name", sorted(set(HOSTILE) - {"empty"}))
def test_what_is_kept_comes_back_as_it_was(world: tuple[httpx.Client, Document, dict[str, str]], name: str) -> None:
    client, document, ids = world
    character, text = {"character_id": ids["character"]}, HOSTILE[name]
    section = {**character, "section_name": text, "objective": text, "bt_constants": text}
    created = ask(client, OPERATIONS["create-section"], section)
    if name == "blank":
        assert created.status_code in (200, 400)
        return
    assert created.status_code == 200
    row = OPERATIONS["get-section"]
    found = ask(client, row, {**character, "section_id": created.json()["section_id"]})
    document.hold(row, found)
    assert (found.json()["section_name"], found.json()["objective"]) == (text, text)
    assert text in [entry["section_name"] for entry in ask(client, OPERATIONS["list-sections"], character).json()]


def test_lists_can_still_be_read(world: tuple[httpx.Client, Document, dict[str, str]]) -> None:
    client, document, ids = world
    for name in ("list-characters", "list-sections", "list-triggers", "list-models"):
        response = ask(client, OPERATIONS[name], valid_payload(OPERATIONS[name], ids))
        assert response.status_code == 200
        document.hold(OPERATIONS[name], response)


def test_half_of_a_pair_is_refused_as_an_escape_too(
    world: tuple[httpx.Client, Document, dict[str, str]],
) -> None:
    client, document, ids = world
    row = OPERATIONS["update-character"]
    whole = client.post(
        row.path or "", content=f'{{"charID": {dumps(ids["character"])}, "backstory": "\\ud83d\\ude00"}}'
    )
    assert whole.status_code == 200
    half = client.post(row.path or "", content=f'{{"charID": {dumps(ids["character"])}, "backstory": "\\ud83d"}}')
    assert half.status_code == 400
    document.hold(row, half)
