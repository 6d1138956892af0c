"""The characters: a list to filter, and beside it everything about the one under the cursor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from chartui.tui.bindings import bindings_for
from chartui.tui.screens.characters.comparing import ComparingScreen

__all__ = ["CharactersScreen"]


class CharactersScreen(ComparingScreen):
    """List and detail side by side; in a narrow window one at a time."""

    SCOPE = "characters"
    AUTO_FOCUS = "#list"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("characters")
    DEFAULT_CSS = """
    CharactersScreen #left { width: 1fr; }
    CharactersScreen #detail { display: none; width: 1fr; }
    CharactersScreen.-normal #left, CharactersScreen.-wide #left { width: 45%; }
    CharactersScreen.-normal #detail, CharactersScreen.-wide #detail { display: block; }
    CharactersScreen.-narrow.-detail #left { display: none; }
    CharactersScreen.-narrow.-detail #detail { display: block; }
    CharactersScreen #comparison { display: none; width: 1fr; }
    CharactersScreen.-comparing #left, CharactersScreen.-comparing #detail { display: none; }
    CharactersScreen.-comparing #comparison { display: block; }
    """

    def compose_work(self) -> Iterable[Widget]:
        """The list, and the panes beside it."""
        with Horizontal(id="work"):
            yield from self.compose_list()
            yield self.detail
