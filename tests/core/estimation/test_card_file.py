"""A card that is written is the card that is read."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartui.core.estimation.card import (
    FREE,
    MAX_LATENCY,
    MAX_QUANTITY,
    QUANTITIES,
    TIERS,
    BadCard,
    CardOption,
    Origin,
    RateCard,
    Subscription,
    load_card,
    rates_of,
    write_card,
)
from chartui.core.spec.catalogue import KINDS, MAX_RATE, Kind, options
from tests.long import examples

ORIGIN = Origin(
    profile="work",
    base_url="https://service.example",
    learned_at="2026-11-21T09:30:00+00:00",
    calls=79,
    tests=20,
    worst_error=Decimal("0.000001"),
)

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
rates = st.decimals(0, MAX_RATE, places=9)
amounts = st.integers(0, MAX_QUANTITY) | st.decimals(0, MAX_QUANTITY, places=3)
spans = st.tuples(st.integers(0, 5000), st.integers(5000, MAX_LATENCY)) | st.none()


@st.composite
def cards(draw: st.DrawFn) -> RateCard:
    """Any card that a file can hold: some options of the catalogue, some that it does not know."""
    timed = draw(st.booleans())
    chosen: dict[Kind, dict[str, CardOption]] = {}
    for kind in KINDS:
        known = [entry for entry in options(kind) if entry.key in FREE[kind] or draw(st.integers(0, 3))]
        found = {}
        for entry in known:
            label = entry.label if entry.key in FREE[kind] else draw(st.just(entry.label) | texts)
            found[entry.key] = draw(priced(kind, entry.key, label, timed))
        for key in draw(st.lists(texts.map(lambda text: f"new {text}"), max_size=2, unique=True)):
            found[key] = draw(priced(kind, key, draw(st.just(key) | texts), timed))
        chosen[kind] = found
    if not chosen["llm"]:
        chosen["llm"]["only"] = draw(priced("llm", "only", "only", timed))
    components = {"memory": "Memory", "knowledge": "Knowledge bank", "platform": "Platform"}
    selections: dict[str, Any] = {
        "llm": draw(st.sampled_from(sorted(chosen["llm"]))),
        "memory": draw(st.booleans()),
        "knowledge": draw(st.booleans()),
        **{kind: draw(st.sampled_from(sorted(chosen[kind]))) for kind in KINDS[1:]},
    }
    origin = Origin(draw(texts), draw(texts), ORIGIN.learned_at, draw(st.integers(0, 99)), 20, draw(rates))
    return RateCard(
        version=draw(st.integers(0, 10**9)),
        effective_date=draw(st.dates(date(1, 1, 1))).isoformat(),
        selections=selections,
        assumptions={name: draw(amounts) for name in QUANTITIES},
        components={
            key: CardOption(key, draw(st.just(label) | texts), {"flat": draw(rates)}, None)
            for key, label in components.items()
        },
        options=chosen,
        subscriptions=tuple(
            draw(st.lists(st.builds(Subscription, texts, texts, amounts, amounts, st.sampled_from(TIERS)), max_size=3))
        ),
        origin=origin if not timed else draw(st.just(origin) | st.none()),
        timed=timed,
    )


@st.composite
def priced(draw: st.DrawFn, kind: Kind, key: str, label: str, timed: bool) -> CardOption:
    latency = draw(spans) if timed and key not in FREE[kind] else None
    return CardOption(key, label, {name: draw(rates) for name in rates_of(kind, key)}, latency)


@given(cards())
@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_written_is_read(tmp_path: Path, card: RateCard) -> None:
    path = tmp_path / "card.toml"
    write_card(card, path)
    assert load_card(path) == card


def test_it_is_for_its_owner_alone_and_says_what_it_is(card: RateCard, tmp_path: Path) -> None:
    path = tmp_path / "rates" / "work.toml"
    write_card(card._replace(origin=ORIGIN), path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert "[origin]" in path.read_text()
    assert load_card(path).origin == ORIGIN


def test_the_packaged_card_comes_back(card: RateCard, tmp_path: Path) -> None:
    write_card(card, tmp_path / "card.toml")
    assert load_card(tmp_path / "card.toml") == card


def test_only_a_learned_card_can_lack_latencies(card: RateCard, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="origin"):
        write_card(card._replace(timed=False), tmp_path / "card.toml")
    assert not (tmp_path / "card.toml").exists()


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('profile = "work"', "profile = 3", "origin.profile"),
        ('base_url = "https://service.example"', 'base_url = ""', "origin.base_url"),
        ("2026-11-21T09:30:00+00:00", "2026-11-21T09:30:00", "origin.learned_at"),
        ("2026-11-21T09:30:00+00:00", "yesterday", "origin.learned_at"),
        ("calls = 79", "calls = -1", "origin.calls"),
        ("tests = 20", "tests = 2.5", "origin.tests"),
        ("worst_error = 0.000001", "worst_error = -1", "origin.worst_error"),
        ("latency_fits = true", 'latency_fits = "yes"', "origin.latency_fits"),
        ("calls = 79\n", "", "origin.calls"),
        ("calls = 79", "calls = 79\ncosts = 3", "origin.costs"),
        ("latency_fits = true", "latency_fits = false", "latency"),
    ],
)
def test_an_origin_that_cannot_be_is_named(card: RateCard, tmp_path: Path, old: str, new: str, where: str) -> None:
    path = tmp_path / "card.toml"
    write_card(card._replace(origin=ORIGIN), path)
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(BadCard) as caught:
        load_card(path)
    assert where in caught.value.mistakes[0].message.partition(": ")[0]


def test_the_example_in_the_documents_is_a_card(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs" / "rate-card.md").read_text("utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "card.toml").write_text(example, "utf-8")
    found = load_card(tmp_path / "card.toml")
    assert found.version == 7
    assert found.options["tts"]["tts_1"].label == "The default voice"
    assert "vendore_3" not in found.options["tts"]
