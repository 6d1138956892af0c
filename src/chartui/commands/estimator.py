"""What can be done on the estimator."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["ESTIMATOR"]

ESTIMATOR: Final = (
    Command(
        id="choose-field",
        keys=("enter",),
        action="choose_field",
        scope="estimator",
        title="Change this input",
        help="Opens the list, flips the switch, or edits the number.",
        footer="change",
    ),
    Command(
        id="step-up",
        keys=("right", "plus", "equals_sign"),
        action="step(1)",
        scope="estimator",
        title="Next option, or a step more",
        help="The next option of a list, or a step more.",
        footer="step",
    ),
    Command(
        id="step-down",
        keys=("left", "minus"),
        action="step(-1)",
        scope="estimator",
        title="Previous option, or a step less",
        help="The option before, or a step less.",
    ),
    Command(
        id="reset-field",
        keys=("r",),
        action="reset_field",
        scope="estimator",
        title="Reset this input",
        help="Back to the service's default.",
        footer="reset",
    ),
    Command(
        id="reset-all",
        keys=("R",),
        action="reset_all",
        scope="estimator",
        title="Reset every input",
        help="Back to the service's defaults, all ten.",
    ),
)
