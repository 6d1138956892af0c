"""Writing a rate card as the file that :mod:`chartui.core.estimation.card` reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from chartui.core.estimation.card import COMPONENTS, FORMAT, FORMAT_VERSION, FREE, CardOption, RateCard
from chartui.core.paths import write_private
from chartui.core.spec.catalogue import KINDS, option

__all__ = ["write_card"]

_HEAD = """\
# Rates in credits, latencies in milliseconds. "version" is that of this file's form; the rate card's own version stands
# under [card]. What costs nothing by definition has no entry, and an option that is missing has an unknown price.
"""


def write_card(card: RateCard, path: Path, write: Callable[[Path, bytes], None] = write_private) -> None:
    """Put ``card`` into the file ``path`` by ``write``; what is read from it is the same card.

    Raises ``OSError``, and ``ValueError`` for a card that says nothing about latencies without having been learned:
    only a learned card can say so.
    """
    import tomli_w

    write(path, f"{_HEAD}\n{tomli_w.dumps(_document(card))}".encode())


def _document(card: RateCard) -> dict[str, Any]:
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "card": {"version": card.version, "effective_date": date.fromisoformat(card.effective_date)},
        "defaults": {"selections": dict(card.selections), "assumptions": dict(card.assumptions)},
        "components": {key: _entry(card.components[key], label) for key, label in COMPONENTS.items()},
    }
    if card.origin is not None:
        document["origin"] = {**card.origin._asdict(), "latency_fits": card.timed}
    elif not card.timed:
        raise ValueError("a card without latencies needs an origin that tells why")
    for kind in KINDS:
        document[kind] = {
            key: _entry(entry, known.label if (known := option(kind, key)) else key)
            for key, entry in card.options[kind].items()
            if key not in FREE[kind]
        }
    document["plans"] = [plan._asdict() for plan in card.plans]
    return document


def _entry(entry: CardOption, usual_label: str) -> Mapping[str, Any]:
    """An option or a component; the label is written only where it is not the one that a reader gives by itself."""
    label = {"label": entry.label} if entry.label != usual_label else {}
    latency = {} if entry.latency is None else {"latency": {"min": entry.latency[0], "max": entry.latency[1]}}
    return {**label, **entry.rates, **latency}
