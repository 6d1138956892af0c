"""What the tests of costs draw: configurations that the reference card prices, and quantities."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from hypothesis import strategies as st

from chartui.core.estimation.card import load_card
from chartui.core.estimation.prices import Configuration, Quantities

__all__ = ["configurations", "quantities"]

CARD: Final = load_card()

amounts = st.one_of(
    st.integers(0, 10**12),
    st.decimals(0, 10**6, places=4),
    st.sampled_from([0, 4000, Decimal("0.5")]),
)
quantities = st.builds(Quantities, amounts, amounts, amounts, amounts)
configurations = st.builds(
    Configuration,
    llm=st.sampled_from(list(CARD.options["llm"])),
    memory=st.booleans(),
    knowledge=st.booleans(),
    stt=st.sampled_from(list(CARD.options["stt"])),
    tts=st.sampled_from(list(CARD.options["tts"])),
    animation=st.sampled_from(list(CARD.options["animation"])),
)
