"""Which override of a trigger counts where a section holds several, in one place for all that ask."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["counting"]


def counting(overrides: Iterable[tuple[str, str | None]]) -> dict[str, int]:
    """Which override of each trigger counts, by its place: of several in a section the first that leads anywhere.

    ``overrides`` are the trigger and the destination of each (decision 33). No document says this of them; it is as
    with records that share an id, and with decisions.
    """
    found: dict[str, int] = {}
    for position, (trigger_id, destination) in enumerate(overrides):
        if destination:
            found.setdefault(trigger_id, position)
    return found
