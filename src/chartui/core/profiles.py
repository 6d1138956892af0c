"""Profiles: which service the program works against, and how."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Profile", "ProfileKind"]


class ProfileKind(StrEnum):
    """What stands behind a profile."""

    DEMO = "demo"  # built-in demo data, resettable
    LOCAL = "local"  # the user's own embedded store
    REMOTE = "remote"  # a service over HTTP


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One profile."""

    name: str
    kind: ProfileKind
    base_url: str | None = None
    read_only: bool = False
