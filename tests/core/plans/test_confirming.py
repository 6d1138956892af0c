"""What is said of what was saved: as sent, something else, or not to be known."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chartui.core.jsontext import Wire
from chartui.core.plans.confirming import confirmation
from chartui.core.plans.settings import Staged

BASE: dict[str, Wire] = {"model_group_name": "mdla-5.4", "temperature": Decimal("0.3")}
ALL: dict[str, Wire] = {**BASE, "reasoning_effort": "low", "backstory": "Once."}


def sent(base: dict[str, Wire], **changes: str) -> Staged:
    return Staged(character_id="c1", name="Nova", base=base, changes=changes)


def test_nothing_is_said_where_everything_came_back() -> None:
    saved = sent(ALL, temperature="0.50", reasoning_effort="", backstory="Twice.")
    now = {**ALL, "temperature": Decimal("0.5"), "reasoning_effort": None, "backstory": "Twice."}
    found = confirmation(saved, now)
    assert found.as_sent == ("temperature", "reasoning_effort", "backstory")
    assert found.sentence == ""


def test_what_a_service_does_not_give_back_is_said() -> None:
    saved = sent(BASE, temperature="0.5", reasoning_effort="high", backstory="Twice.")
    found = confirmation(saved, {**BASE, "temperature": Decimal("0.5")})
    assert found.sentence == (
        "Read back as sent: temperature. "
        "Cannot be confirmed, since this service does not give it back: reasoning level, backstory."
    )


@pytest.mark.parametrize("there", [Decimal("0.3"), None])
def test_what_came_back_as_something_else_is_said_first(there: Wire) -> None:
    saved = sent(BASE, model_group_name="mdla-4o", temperature="0.5")
    found = confirmation(saved, {"model_group_name": "mdla-4o", "temperature": there})
    assert found.as_sent == ("model_group_name",)
    said = "0.3" if there is not None else "empty"
    assert found.sentence == f"Not as it was sent when it was read back: temperature is {said}."
