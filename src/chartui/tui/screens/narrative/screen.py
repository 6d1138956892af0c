"""The narrative graph of one character: a tree to read it by, and panes to write, see, check and play it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from chartui.tui.bindings import bindings_for
from chartui.tui.screens.narrative.switching import SwitchingStory

__all__ = ["NarrativeScreen"]


class NarrativeScreen(SwitchingStory):
    """Tree and panes side by side; in a narrow window the panes lie below the tree."""

    SCOPE = "narrative"
    AUTO_FOCUS = "#tree"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("narrative")
    DEFAULT_CSS = """
    NarrativeScreen #work { layout: vertical; }
    NarrativeScreen #left { height: 3fr; }
    NarrativeScreen #panes { height: 2fr; }
    NarrativeScreen.-normal #work, NarrativeScreen.-wide #work { layout: horizontal; }
    NarrativeScreen.-normal #left, NarrativeScreen.-wide #left { width: 1fr; height: 1fr; }
    NarrativeScreen.-normal #panes, NarrativeScreen.-wide #panes { width: 1fr; height: 1fr; }
    NarrativeScreen.-full #left { display: none; }
    NarrativeScreen.-full #panes { width: 1fr; height: 1fr; }
    NarrativeScreen #filter { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    NarrativeScreen.-filtering #filter { display: block; }
    NarrativeScreen #tree { height: 1fr; }
    """
