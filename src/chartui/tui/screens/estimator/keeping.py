"""The part of the estimator that keeps configurations: what is pinned, and presets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.state import EstimatorState
from chartui.tui.screens.estimator.study import pinned_folder
from chartui.tui.widgets.screen import WorkScreen

if TYPE_CHECKING:
    from chartui.tui.screens.estimator.study import Pinned

__all__ = ["KeepingScreen"]


class KeepingScreen(WorkScreen):
    """Pins the present inputs, saves them as presets, and takes them from there. What does it is loaded when needed."""

    state: EstimatorState

    def show(self, state: EstimatorState) -> None:
        """Show this state in every panel."""
        raise NotImplementedError

    def begin_with(self, chosen: Mapping[str, str | bool], typed: Mapping[str, str]) -> None:
        """Put these inputs into the form, and every other one back to its default."""
        raise NotImplementedError

    @property
    def pinned_at_hand(self) -> Pinned | None:
        """What is pinned and under the cursor, where that is so."""
        raise NotImplementedError

    def with_kept(self, state: EstimatorState) -> EstimatorState:
        """A state that has its rates with what is pinned on the disk."""
        if not pinned_folder(self.session).is_dir():
            return state
        from chartui.tui.screens.estimator.pins import with_kept

        return with_kept(state, pinned_folder(self.session))

    def action_pin(self) -> None:
        """Pin the present inputs."""
        from chartui.tui.screens.estimator.pins import pin

        self.start(partial(pin, self), group="choose")

    def action_save_preset(self) -> None:
        """Save the present inputs as a preset, or what is pinned and under the cursor."""
        from chartui.tui.screens.estimator.pins import save_preset

        self.start(partial(save_preset, self, self.pinned_at_hand), group="choose")

    def action_open_preset(self) -> None:
        """Take a preset."""
        from chartui.tui.screens.estimator.pins import open_presets

        self.start(partial(open_presets, self), group="choose")

    def on_view_dropped(self, message: View.Dropped) -> None:
        """Pin one no longer."""
        from chartui.tui.screens.estimator.pins import drop

        self.start(partial(drop, self, message.name), group="choose")

    def on_view_held_against(self, message: View.HeldAgainst) -> None:
        """Hold everything against another one."""
        from chartui.tui.screens.estimator.pins import make_baseline

        make_baseline(self, message.name)
