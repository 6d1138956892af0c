"""The card for support tickets: it fits on a screen, and keeps what is personal to itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from chartui import __version__
from chartui.core.characters.card import HEIGHT, WIDTH, Card, Origin, card_of
from chartui.core.characters.comparison import members
from chartui.core.characters.record import PERSONAL_PATHS
from chartui.core.clock import seeded_ids
from chartui.core.journal import Written
from chartui.core.jsontext import Wire
from chartui.core.text import cell_width, is_plain
from chartui.demos.sample import Sample, samples
from tests.tui.hostile import HOSTILE

MOMENT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
ORIGIN = Origin("staging", "characters.example:8443", MOMENT)
SAMPLES = {sample.record["character_name"]: sample for sample in samples("me", ids=seeded_ids(7), clock=lambda: MOMENT)}


def of(sample: Sample, *, with_texts: bool = False) -> Card:
    settings = {"backstory": sample.backstory, "reasoning_effort": sample.reasoning_effort}
    return card_of(sample.record, settings, ORIGIN, with_texts=with_texts)


def texts_of(sample: Sample) -> list[str]:
    """Every line that somebody wrote about the character, long enough not to stand there by chance."""
    found = [sample.backstory]
    for path in PERSONAL_PATHS:
        value = members(sample.record).get(path)
        found += value if isinstance(value, list) else [value] if isinstance(value, str) else []
    return [line[:25] for text in found for line in text.split("\n") if len(line) > 25]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_card_fits_and_says_nothing_personal(name: str) -> None:
    sample = SAMPLES[name]
    text = str(of(sample))
    assert len(text.splitlines()) <= HEIGHT
    assert max(map(cell_width, text.splitlines())) <= WIDTH
    assert texts_of(sample)
    assert [line for line in texts_of(sample) if line in text] == []


@pytest.mark.parametrize("name", SAMPLES)
def test_the_texts_are_there_when_they_are_asked_for(name: str) -> None:
    sample = SAMPLES[name]
    text = str(of(sample, with_texts=True))
    assert max(map(cell_width, text.splitlines())) <= WIDTH
    assert [line for line in texts_of(sample) if line not in text] == []


def test_a_card_says_what_a_ticket_needs() -> None:
    sample = SAMPLES["Elena Marsh"]
    card = of(sample)
    text, fields = str(card), dict(card.fields)
    assert text.startswith("Elena Marsh\n")
    assert fields["ID"] == sample.record["character_id"]
    assert fields["Start section"] == sample.record["start_narrative_section_id"]
    assert (fields["Model"], fields["Temperature"], fields["Reasoning"]) == ("mdla-5.1", "0.6", "medium")
    assert (fields["Languages"], fields["Memory"]) == ("en-GB · en-US · fr-FR", "yes")
    assert text.endswith(f"\nProfile staging, characters.example:8443\nchartui {__version__}, 2026-11-21 09:30 UTC\n")


def test_a_missing_text_is_listed_with_the_reason() -> None:
    record = {**SAMPLES["Elena Marsh"].record, "description": ""}
    lines = str(card_of(record, None, ORIGIN, with_texts=True)).splitlines()
    said = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in lines if not line.startswith(" ")}
    assert (said["Backstory"], said["Description"]) == ("not returned by this service", "empty text")
    assert "Backstory" not in str(card_of(record, None, ORIGIN))


def test_what_is_not_known_is_not_made_up() -> None:
    fields = dict(card_of({}, None, ORIGIN).fields)
    assert fields["Reasoning"] == "not returned by this service"
    assert fields["Memory"] == "not in the record"
    assert card_of({}, None, ORIGIN).name == "No name"
    written = {"reasoning_effort": Written("high", "2026-11-20T10:11:12.123Z")}
    level = dict(card_of({}, None, ORIGIN, known_here=written).fields)["Reasoning"]
    assert level.startswith("high (last written from this machine on 2026-11-20 10:11 UTC")


def test_a_text_that_is_missing_has_a_line_with_the_reason() -> None:
    record: dict[str, Wire] = {"character_name": "Ada", "description": "", "speaking_style": {"description": "Plain."}}

    def lines(settings: dict[str, Wire] | None, *, with_texts: bool = True) -> list[str]:
        return [
            " ".join(line.split()) for line in str(card_of(record, settings, ORIGIN, with_texts=with_texts)).split("\n")
        ]

    assert {"Description empty text", "Prompt not in the record", "Style", "Plain."} <= set(lines(None))
    assert "Backstory not returned by this service" in lines(None)
    assert "Backstory empty text" in lines({"backstory": ""})
    assert not any(line.startswith("Backstory") for line in lines(None, with_texts=False))


@pytest.mark.parametrize("with_texts", [False, True])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_stays_in_its_line(name: str, with_texts: bool) -> None:
    hostile = HOSTILE[name]

    def changed(value: Wire) -> Wire:
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        return [changed(item) for item in value] if isinstance(value, list) else hostile

    record, settings = changed(SAMPLES["Elena Marsh"].record), {"backstory": hostile, "reasoning_effort": hostile}
    card = card_of(record, settings, Origin(hostile, hostile, MOMENT), with_texts=with_texts)
    lines = str(card).rstrip("\n").split("\n")
    assert all(map(is_plain, lines))
    assert max(map(cell_width, lines)) <= WIDTH
    if not with_texts:
        assert len(lines) <= HEIGHT
