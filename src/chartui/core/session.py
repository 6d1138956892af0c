"""A profile, opened: the service behind its layers, and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass

from chartui.core.backends.layers import Recorder
from chartui.core.profiles import Profile
from chartui.core.service import Service

__all__ = ["Session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """An open profile.

    ``where`` says in a word what answers: a host, or the embedded store. ``read_only`` is the lock in force, from the
    flag, the environment or the profile, whichever sets it.
    """

    profile: Profile
    service: Service
    recorder: Recorder
    read_only: bool
    where: str

    async def aclose(self) -> None:
        """Let go of connections and files."""
        await self.service.aclose()
