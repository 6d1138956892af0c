"""The palette's entries for the inputs and the pins."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from chartui.core.text import single_line
from chartui.tui.screens.estimator.quantities import INPUTS
from chartui.tui.shell.palette import Entry, Group

if TYPE_CHECKING:
    from chartui.tui.screens.estimator.screen import EstimatorScreen


def inputs_group(screen: EstimatorScreen) -> Group:
    """The inputs and the pins of ``screen``."""
    entries = []
    for name, one in INPUTS.items():
        about = "Changes this input of the estimator."
        entries.append(Entry(f"input {name}", one.label, "input", about, (), partial(screen.go_to_input, name)))
    for pin in screen.state.pinned:
        title, go = single_line(pin.name, limit=60), partial(screen.go_to_pin, pin.name)
        entries.append(Entry(f"pin {pin.name}", title, "pin", "Shows this pin in Compare.", ("pin",), go))
    return Group.of(entries)
