"""The commands of the estimator."""

from __future__ import annotations

from typing import Final

from chartui.commands.command import Command

__all__ = ["ESTIMATOR"]

# fmt: off
ESTIMATOR: Final = (
    Command("choose-field", "enter", "choose_field", "estimator", "Change this input",
            "Opens the list, flips the switch, or edits the number.", footer="change"),
    Command("step-up", "right plus equals_sign", "step(1)", "estimator", "Next option, or a step more",
            "The next option of a list, or a step more.", footer="step"),
    Command("step-down", "left minus", "step(-1)", "estimator", "Previous option, or a step less",
            "The option before, or a step less."),
    Command("reset-field", "r", "reset_field", "estimator", "Reset this input",
            "Back to the service's default.", footer="reset"),
    Command("reset-all", "R", "reset_all", "estimator", "Reset every input",
            "Back to the service's defaults, all ten."),
    Command("next-view", "right_square_bracket", "turn_view(1)", "estimator", "Next view",
            "The next one; the focus stays where it is.", footer="views"),
    Command("previous-view", "left_square_bracket", "turn_view(-1)", "estimator", "Previous view",
            "The one before; the focus stays where it is."),
    Command("view-estimate", "e", "view('estimate')", "estimator", "Estimate",
            "The total and its lines, nothing beside them."),
    Command("view-compare", "c", "view('compare')", "estimator", "Compare",
            "The present inputs beside what is pinned, line by line."),
    Command("pin", "p", "pin", "estimator", "Pin this configuration",
            "It stays under a name, and others are held against it.", footer="pin"),
    Command("compare-baseline", "a", "in_view('compare', 'baseline')", "estimator", "Compare: make it the baseline",
            "Everything is held against the one with the cursor."),
    Command("compare-drop", "X", "in_view('compare', 'drop')", "estimator", "Compare: pin it no longer",
            "The one with the cursor goes, after a question."),
    Command("save-preset", "S", "save_preset", "estimator", "Save as a preset",
            "The inputs under a name; in Compare, the cursor's."),
    Command("open-preset", "o", "open_preset", "estimator", "Open a preset",
            "Put one into the form, pin it, or remove it."),
    Command("view-rank", "m", "view('rank')", "estimator", "Rank", "Every model or voice under the present inputs."),
    Command("rank-order", "s", "in_view('rank', 'order')", "estimator", "Rank: next order",
            "By credits, by latency, by name."),
    Command("rank-kind", "t", "in_view('rank', 'kind')", "estimator", "Rank: next kind",
            "Models, speech in, speech out, animation."),
    Command("view-explore", "x", "view('explore')", "estimator", "Explore",
            "All configurations under constraints, and the best."),
    Command("explore-constraints", "f", "in_view('explore', 'constrain')", "estimator", "Explore: constraints",
            "What it must have, must not have, and at the most cost."),
    Command("view-what-if", "w", "view('what-if')", "estimator", "What-if",
            "Credits over a range of a quantity, and break-even points."),
    Command("what-if-quantity", "g", "in_view('what-if', 'next_quantity')", "estimator", "What-if: next quantity",
            "Input tokens, response, user speech, spoken reply."),
    Command("what-if-longer", "greater_than_sign", "in_view('what-if', 'longer')", "estimator", "What-if: longer range",
            "The range of the quantity ends further away."),
    Command("what-if-shorter", "less_than_sign", "in_view('what-if', 'shorter')", "estimator", "What-if: shorter range",
            "The range of the quantity ends nearer."),
    Command("view-plans", "b", "view('plans')", "estimator", "Plans and volume",
            "What a month costs, and which plan pays for it how long."),
    Command("plans-volume", "v", "in_view('plans', 'volume')", "estimator", "Plans: volume",
            "Users, interactions or minutes a day, and days a month."),
    Command("apply-to-character", "i", "apply_to_character", "estimator", "Give the model to a character",
            "Staged among its settings; nothing is sent."),
    Command("load-character", "I", "load_character", "estimator", "Begin with a character's inputs",
            "Its model, level and memory become the present inputs."),
    Command("learn-rates", "L", "learn_rates", "estimator", "Learn this service's rates",
            "Found out by some 80 estimates, and computed with then."),
    Command("leave-view", "escape", "leave_view", "estimator", "Back to the inputs",
            "The focus goes back to the inputs; the view stays.", footer="back"),
    Command("zoom-view", "z", "zoom", "estimator", "Enlarge the view, or back",
            "It takes the whole window; the same key ends that."),
)
# fmt: on
