"""The screens as a test knows them: what somebody sees there, by its name. Only here a test reaches into a screen, so
that a screen may be built in another way without a test being written anew.
"""

from __future__ import annotations

from tests.tui.screens.actions import Actions
from tests.tui.screens.characters import Characters
from tests.tui.screens.estimator import Estimator
from tests.tui.screens.narrative import Narrative
from tests.tui.screens.requests import Requests

__all__ = ["Actions", "Characters", "Estimator", "Narrative", "Requests"]
