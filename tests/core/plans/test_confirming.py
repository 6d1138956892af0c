"""What is said of what was applied: as sent, something else, or not to be known."""

from __future__ import annotations

from chartui.core.plans.read_back import Confirmation


def test_nothing_is_said_where_everything_came_back() -> None:
    assert Confirmation(("temperature", "reasoning_effort"), (), ()).sentence == ""


def test_what_a_service_does_not_give_back_is_said() -> None:
    assert Confirmation(("temperature",), ("reasoning_effort", "backstory"), ()).sentence == (
        "Confirmed as sent: temperature. Not reported by the service, so not confirmed: reasoning level, backstory."
    )


def test_what_came_back_as_something_else_is_said_first() -> None:
    found = Confirmation(("model_group_name",), ("backstory",), (("temperature", "0.3"),))
    assert found.sentence.startswith("Stored differently from what was sent: temperature is 0.3. Confirmed as sent:")
