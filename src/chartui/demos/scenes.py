"""What the demo characters start with on the actions screen: a sentence, and what stands around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chartui.demos.sample import read_data


def scene_of(character_name: str) -> Mapping[str, Any] | None:
    """The members ``text``, ``objects`` and ``characters`` of a demo character's scene; None of others."""
    found: Mapping[str, Any] | None = read_data("scenes.json").get(character_name)
    return found
