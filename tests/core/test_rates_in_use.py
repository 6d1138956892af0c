"""Rates in use: a rate card that cannot be used is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chartui.core.profiles import BUILT_IN
from chartui.core.session import RatesInUse
from chartui.core.spec.errors import ErrorKind, ServiceError

PROFILE = BUILT_IN["local"]


def failure(rates: RatesInUse) -> str:
    with pytest.raises(ServiceError) as failed:
        rates.get()
    assert failed.value.kind is ErrorKind.NOT_AVAILABLE
    return failed.value.message


def test_a_missing_rate_card_is_named_with_the_reason(tmp_path: Path) -> None:
    card, own = tmp_path / "card.json", tmp_path / "own.json"
    because = "cannot be read (No such file or directory)."
    assert f"{card} {because}" in failure(RatesInUse(PROFILE, card))
    assert f"{own} {because}" in failure(RatesInUse(replace(PROFILE, rate_card=own)))
    given_first = failure(RatesInUse(replace(PROFILE, rate_card=own), card))
    assert str(card) in given_first
    assert str(own) not in given_first


def test_a_rate_card_with_a_mistake_is_refused_with_the_mistake(tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    card.write_text("{", encoding="utf-8")
    assert "No rates are available: " in failure(RatesInUse(PROFILE, card))


def test_rates_are_read_again_once_forgotten(tmp_path: Path) -> None:
    rates = RatesInUse(PROFILE)
    first = rates.get()
    assert rates.get() is first
    rates.forget()
    assert rates.get() is not first
