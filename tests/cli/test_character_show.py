"""``chartui characters show`` and ``card``: a record whole, what is looked for in it, and its card."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from chartui.core.backends.base import Context
from chartui.core.characters.record import NAMED_PATHS
from chartui.core.journal import Journal, Outcome
from chartui.core.profiles import BUILT_IN
from chartui.core.session import journal_path

from .conftest import Run, Scripted


def test_raw_is_the_record_itself(run: Run, elena: str) -> None:
    assert run("characters", "show", elena, "--raw").out == run("characters", "show", elena, "--json").out


def test_find_leaves_the_fields_that_hold_it(run: Run, elena: str) -> None:
    found = run("characters", "show", elena, "--find", "MODERATION")
    assert (found.status, found.err) == (0, "")
    assert found.out.splitlines() == [
        "Guard rails and moderation",
        "  Moderation       yes",
        "  Allowed filters  harassment · hate · self-harm · violence",
    ]


def test_nothing_found_is_an_answer(run: Run, elena: str) -> None:
    for as_json in ([], ["--json"]):
        found = run("characters", "show", elena, "--find", "no such thing", *as_json)
        assert (found.status, found.err) == (1, "" if as_json else "No field contains “no such thing”.\n")
        assert found.out == ('{\n  "fields": []\n}\n' if as_json else "")


def test_fields_as_json_say_how_each_is_known(run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(embedded=False, list_characters={"characters": [{"character_id": "c1", "voice_type": "deep"}]})
    fields = {field["path"]: field for field in run("characters", "show", "c1", "--find", "", "--json").value["fields"]}
    assert fields.keys() == {*NAMED_PATHS, "backstory", "reasoning_effort", ""}
    assert fields["voice_type"] == {
        "group": "Voice and languages",
        "field": "Voice",
        "path": "voice_type",
        "access": "no call",
        "value": "deep",
        "remark": None,
    }
    assert (fields["backstory"]["access"], fields["backstory"]["value"]) == ("write-only", None)


def write_from_here(character_id: str, **settings: str) -> None:
    """Let the journal hold a change that was made."""

    async def write() -> None:
        journal = Journal(journal_path())
        payload = {"charID": character_id, **settings}
        place = BUILT_IN["demo"].place
        number = await journal.intend(place, "update-character", payload, before=None, context=Context())
        await journal.conclude(number, Outcome.DONE)
        await journal.aclose()

    asyncio.run(write())


def test_what_was_written_from_here_is_said_with_its_date(run: Run, scripted: Callable[..., Scripted]) -> None:
    scripted(embedded=False, list_characters={"characters": [{"character_id": "c1"}]})
    write_from_here("c1", backstory="Once.")
    found = run("characters", "show", "c1", "--find", "backstory")
    assert "Backstory  Once. (last written from this machine on 20" in found.out


def test_the_card_is_for_tickets(run: Run, elena: str) -> None:
    card = run("characters", "card", elena)
    lines = card.out.splitlines()
    assert (card.status, lines[0]) == (0, "Elena Marsh")
    assert (len(lines) <= 24, max(map(len, lines)) <= 76) == (True, True)
    assert f"ID               {elena}" in lines
    assert "Profile demo (made-up prices), embedded store" in lines
    assert "museum guide on her feet" not in card.out
    assert "museum guide on her feet" in run("characters", "card", elena, "--with-texts").out


def test_the_card_as_json(run: Run, elena: str) -> None:
    card = run("characters", "card", elena, "--json").value
    assert (card["name"], card["fields"]["Model"], card["texts"]) == ("Elena Marsh", "mdla-5.1", {})
    texts = run("characters", "card", elena, "--with-texts", "--json").value["texts"]
    assert "Catchphrases" in texts


def test_a_character_that_is_not_there_has_no_card(run: Run, demo_ids: dict[str, str]) -> None:
    assert demo_ids
    result = run("characters", "card", "nobody", "--json")
    assert (result.status, result.out, result.error["code"]) == (3, "", "not_found")
