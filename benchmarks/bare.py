"""The least that a program of this kind can be: what starting `chartui` is compared with."""

from __future__ import annotations

import sys
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

#: Shown as soon as it can be used.
READY = "bare and ready"


class Bare(App[None]):
    """One line of text, and a key that ends it."""

    BINDINGS: ClassVar[list[BindingType]] = [("q", "quit", "Quit")]

    def compose(self) -> ComposeResult:
        """The line."""
        yield Static(READY)


if __name__ == "__main__":
    # No argument parser: importing one would count as time that the least program needs.
    if len(sys.argv) > 1:
        print(f"{__doc__}\nUsage: bare.py, in a terminal; q ends it.")
    else:
        Bare().run()
