"""The part of the narrative screen that brings stories to files and services, and from there."""

from __future__ import annotations

from chartui.tui.screens.narrative.walking import WalkingStory

__all__ = ["ShippingStory"]


class ShippingStory(WalkingStory):
    """Writes, reads and ships the story."""
