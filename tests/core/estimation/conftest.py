"""The packaged card and an estimator on it."""

from __future__ import annotations

import pytest

from chartui.core.estimation.card import RateCard, load_card
from chartui.core.estimation.estimator import Estimator


@pytest.fixture(scope="session")
def card() -> RateCard:
    return load_card()


@pytest.fixture(scope="session")
def estimator(card: RateCard) -> Estimator:
    return Estimator(card)
