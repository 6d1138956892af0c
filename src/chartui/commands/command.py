"""What a command is: its keys, its words in the footer, the palette and the help, and what it does to data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Command", "DataEffect"]


class DataEffect(StrEnum):
    """What a command does to the service's data."""

    NONE = "none"
    WRITE = "write"
    ACT = "act"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing a user can do. ``keys`` in the framework's words, the first one shown; ``scope`` is a screen or app."""

    id: str
    keys: tuple[str, ...]
    action: str
    title: str
    help: str
    scope: str = "app"
    name: str = ""
    footer: str = ""
    effect: DataEffect = DataEffect.NONE
