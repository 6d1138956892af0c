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
    Command(
        id="next-view",
        keys=("right_square_bracket",),
        action="turn_view(1)",
        scope="estimator",
        title="Next view",
        help="The next one beside the inputs; the focus stays where it is.",
        footer="views",
    ),
    Command(
        id="previous-view",
        keys=("left_square_bracket",),
        action="turn_view(-1)",
        scope="estimator",
        title="Previous view",
        help="The one before beside the inputs; the focus stays where it is.",
    ),
    Command(
        id="view-estimate",
        keys=("e",),
        action="view('estimate')",
        scope="estimator",
        title="Estimate",
        help="The total and its lines, nothing beside them.",
    ),
    Command(
        id="view-rank",
        keys=("m",),
        action="view('rank')",
        scope="estimator",
        title="Rank",
        help="Every model or voice under the present inputs.",
    ),
    Command(
        id="rank-order",
        keys=("s",),
        action="in_view('rank', 'order')",
        scope="estimator",
        title="Rank: next order",
        help="By credits, by latency, by name.",
    ),
    Command(
        id="rank-kind",
        keys=("t",),
        action="in_view('rank', 'kind')",
        scope="estimator",
        title="Rank: next kind",
        help="Models, speech in, speech out, animation.",
    ),
    Command(
        id="view-explore",
        keys=("x",),
        action="view('explore')",
        scope="estimator",
        title="Explore",
        help="All configurations under constraints: how many fit, and the best of them as a plot and as a table.",
    ),
    Command(
        id="explore-constraints",
        keys=("f",),
        action="in_view('explore', 'constrain')",
        scope="estimator",
        title="Explore: constraints",
        help="What a configuration must have, must not have, and cost or take at the most.",
    ),
    Command(
        id="leave-view",
        keys=("escape",),
        action="leave_view",
        scope="estimator",
        title="Back to the inputs",
        help="The focus goes back to the inputs; the view stays.",
    ),
    Command(
        id="zoom-view",
        keys=("z",),
        action="zoom",
        scope="estimator",
        title="Give the view the whole window, or take it back",
        help="The inputs go, and come back with the same key.",
    ),
)
