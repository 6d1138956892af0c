"""The screens as a test knows them: what you see there, by its name. Only this package reaches into a screen, so that a
screen can be built in another way and no test has to change.
"""

from __future__ import annotations

from tests.tui.screens.actions import Actions
from tests.tui.screens.characters import Characters
from tests.tui.screens.estimator import Estimator
from tests.tui.screens.narrative import Narrative
from tests.tui.screens.requests import Requests

__all__ = ["Actions", "Characters", "Estimator", "Narrative", "Requests"]
