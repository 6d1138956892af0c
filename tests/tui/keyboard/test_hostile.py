"""Hostile text in every text of the data: on no screen does it crash, style, hide or reorder anything."""

from __future__ import annotations

import pytest

from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.screens.actions.dialogs import EntryDialog
from chartui.tui.tour.player import messages
from chartui.tui.widgets.chooser import Chooser
from tests.long import sampled
from tests.tui.hostile import HOSTILE, IN_WINDOWS, SHORT_RUN, look, session_of
from tests.tui.sessions import doubled
from tests.tui.user import NARROW, WIDE, opened


@IN_WINDOWS
async def test_hostile_text_in_every_member(name: str, size: tuple[int, int]) -> None:
    text = HOSTILE[name]
    async with opened(session_of(text), screen="characters", size=size) as user:
        await look(user)
        await user.press("down", "enter")
        await user.until(lambda: user.characters.shown_id, "for the record")
        await look(user)
        await user.press("pagedown", "end")
        await look(user)
        await user.press("escape", "slash")
        await user.paste(text[:200])
        await look(user)
        await user.press("escape", "home")
        await user.press("N")
        await user.ready()
        await look(user)
        await user.press("down", "down", "space", "enter")
        await look(user)
        await user.press("end", "tab", "end")
        await look(user)
        await user.press("c")
        await user.at(Chooser)
        await look(user)
        await user.press("escape", "T")
        await user.sees("Cancel")
        await look(user)
        await user.press("y")
        await user.until(lambda: len(messages(user.app)) > 0, "for the message")
        await look(user)


@pytest.mark.parametrize("name", sampled(sorted(set(HOSTILE) - {"blank", "empty"}), *SHORT_RUN))
async def test_hostile_words_of_the_estimation_service(name: str) -> None:
    text = HOSTILE[name]
    session, double = doubled()
    line: dict[str, Wire] = {"key": text, "label": text, "detail": text, "credits": 3, "latency_ms": None}
    double.answers["estimate"] = {
        "totals": {"credits": 6},
        "lines": [line, {**line, "latency_ms": {"min": 1, "max": 2}}],
        "rate_card": {"version": 1, "effective_date": text},
        "selections": {"llm": text, "memory": True, "stt": text},
        "assumptions": {"inputTokens": 1},
        "disclaimer": text,
    }
    double.answers["options"] = {
        "options": {"llm": [{"key": "mdla_4o", "label": text}, {"key": text, "label": text}]},
        "defaults": {"selections": {"llm": text}},
        "plans": [{"label": text, "monthly_credits": 100, "tier": text}],
    }
    for size in (NARROW, WIDE):
        async with opened(session, size=size) as user:
            await look(user)
            await user.press("enter")
            await user.until(lambda user=user: user.is_at(Chooser))  # type: ignore[misc]
            await look(user)
            await user.press("end", "enter", "tab", "down")
            await look(user)


@IN_WINDOWS
async def test_hostile_text_in_a_turn_and_its_reply(name: str, size: tuple[int, int]) -> None:
    text = HOSTILE[name]
    session, double = doubled(session_of(text))
    double.answers["get-response"] = {
        "response": text,
        "text": f"{text} ",
        "sessionID": text,
        "actionSequence": f"{text}\nGo {text}\n{text[:50]} {text[50:90]}",
    }
    async with opened(session, screen="actions", size=size) as user:
        await look(user)
        await user.press("end", "enter")
        await user.at(EntryDialog)
        await user.paste(text[:500])
        await user.press("enter")
        await user.paste(text[:500])
        await look(user)
        await user.press("enter", "escape")
        await look(user)
        await user.press("e")
        await user.paste(text[:3000])
        await user.press("up", "home", "x", "end")
        await look(user)
        for number in (1, 2):
            await user.press("enter")
            await user.until(
                lambda number=number: all(  # type: ignore[misc]
                    len(talk.exchanges) == number or talk.error for talk in user.actions.talks.values()
                ),
                "for the reply",
            )
            await look(user)
        await user.press("tab", "tab", "end")
        await look(user)
        double.failures["get-response"] = ServiceError(ErrorKind.REFUSED, f"{text} objects[0] {text}", member=text)
        await user.press("home", "i", "enter")
        await look(user)
        await user.press("r", "tab", "tab", "d", "escape", "end", "up", "d")
        await look(user)
        await user.press("y")
        await look(user)
