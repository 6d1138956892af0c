"""Every transition of the reasoning setting from the keyboard, on an embedded store and on a service (C 3, decisions
22, 24 and 58): what is chosen, what is sent, what is there afterwards, and how a refusal is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import Final, NamedTuple

import pytest

from chartui.core.characters.reasoning import AUTO, CLEAR, NotAccepted, after_model_change, after_request
from chartui.core.spec.catalogue import model_code, model_codes
from chartui.tui.screens.characters.tabs.settings_form import level_text
from chartui.tui.widgets.review import Review
from tests.tui.characters import (
    LEVELS,
    PLACES,
    at,
    choose_level,
    choose_model,
    edit,
    reads,
    review,
    words,
)
from tests.tui.sessions import Double
from tests.tui.user import WIDE, opened

EVERY: Final = (CLEAR, *LEVELS, AUTO)
#: Takes none, low, medium, high and auto; some of them without auto; none at all.
FREELY: Final = "mdla-5.1"
NO_AUTO: Final = "mdla-oss-120b"
NONE: Final = "mdla-4o"


class Row(NamedTuple):
    """A character with this model and setting is given ``requested``; ``after`` is there then.

    What the model does not take is refused, and ``after`` is what was there.
    """

    model: str
    before: str | None
    requested: str
    after: str | None


#: C 3 and decision 58: what is there, what is asked for, and what comes of it.
ROWS: Final[Mapping[str, Row]] = {
    "not set, a level": Row(FREELY, None, "high", "high"),
    "not set, auto": Row(FREELY, None, AUTO, AUTO),
    "not set, cleared": Row(FREELY, None, CLEAR, None),
    "not set, a level that is not taken": Row(NO_AUTO, None, "minimal", None),
    "not set, auto where there is none": Row(NO_AUTO, None, AUTO, None),
    "not set, a level without reasoning": Row(NONE, None, "low", None),
    "not set, auto without reasoning": Row(NONE, None, AUTO, None),
    "not set, cleared without reasoning": Row(NONE, None, CLEAR, None),
    "a level, another level": Row(FREELY, "low", "none", "none"),
    "a level, the same": Row(FREELY, "low", "low", "low"),
    "a level, auto": Row(FREELY, "none", AUTO, AUTO),
    "a level, cleared": Row(FREELY, "none", CLEAR, None),
    "a level, a level that is not taken": Row(FREELY, "low", "max", "low"),
    "a level, auto where there is none": Row(NO_AUTO, "low", AUTO, "low"),
    "auto, a level": Row(FREELY, AUTO, "none", "none"),
    "auto, the same": Row(FREELY, AUTO, AUTO, AUTO),
    "auto, cleared": Row(FREELY, AUTO, CLEAR, None),
    "auto, a level that is not taken": Row(FREELY, AUTO, "xhigh", AUTO),
}


class Change(NamedTuple):
    """A character with this model and setting is given the model ``new``; ``after`` is set then."""

    model: str
    before: str | None
    new: str
    after: str | None


#: Decision 22: what becomes of a setting under another model.
CHANGES: Final[Mapping[str, Change]] = {
    "not set, stays": Change(FREELY, None, "mdlc-flash", None),
    "a level, kept": Change(FREELY, "low", "mdlc-flash", "low"),
    "a level, becomes auto": Change(FREELY, "none", "mdlc-flash", AUTO),
    "a level, cleared": Change(FREELY, "none", "mdle-4.3", None),
    "auto, kept": Change(FREELY, AUTO, "mdlc-flash", AUTO),
    "auto, cleared": Change(FREELY, AUTO, "mdle-4.3", None),
}


# -- the lists are whole -----------------------------------------------------------------------------------------------


def _state(setting: str | None) -> str:
    return "not set" if setting is None else "auto" if setting == AUTO else "a level"


def _kind(model: str, before: str | None, requested: str) -> str:
    """Which row of the table a request is one of."""
    known = model_code(model)
    assert known is not None
    control = known.reasoning
    without = "" if control is not None else " without reasoning"
    if requested == CLEAR:
        return f"{_state(before)}, cleared{without}"
    if control is None or requested not in control.accepted:
        if requested == AUTO:
            return f"{_state(before)}, auto{without or ' where there is none'}"
        return f"{_state(before)}, a level{without or ' that is not taken'}"
    if requested == before:
        return f"{_state(before)}, the same"
    if requested == AUTO:
        return f"{_state(before)}, auto"
    return f"{_state(before)}, another level" if _state(before) == "a level" else f"{_state(before)}, a level"


def _becoming(before: str | None, after: str | None) -> str:
    if before is None:
        return "not set, stays"
    return f"{_state(before)}, " + ("kept" if before == after else "becomes auto" if after == AUTO else "cleared")


def _settings_of(model: str) -> Sequence[str | None]:
    known = model_code(model)
    assert known is not None
    return (None, *(known.reasoning.accepted if known.reasoning else ()))


def test_the_rows_are_all_that_can_happen() -> None:
    levels = {level for model in model_codes() if model.reasoning for level in model.reasoning.accepted}
    happening = {
        _kind(model.code, before, requested)
        for model in model_codes()
        for before in _settings_of(model.code)
        for requested in {*levels, AUTO, CLEAR}
    }
    assert set(ROWS) == happening
    for name, row in ROWS.items():
        assert _kind(row.model, row.before, row.requested) == name
        known = model_code(row.model)
        assert known is not None
        try:
            after = after_request(row.requested, known.reasoning)
        except NotAccepted:
            after = row.before
        assert after == row.after


def test_the_changes_are_all_that_can_happen() -> None:
    happening = {
        _becoming(before, after_model_change(before, new.reasoning))
        for model in model_codes()
        for before in _settings_of(model.code)
        for new in model_codes()
    }
    assert set(CHANGES) == happening
    for name, change in CHANGES.items():
        new = model_code(change.new)
        assert new is not None
        assert after_model_change(change.before, new.reasoning) == change.after
        assert _becoming(change.before, change.after) == name


# -- from the keyboard -------------------------------------------------------------------------------------------------


def sent(double: Double) -> list[dict[str, object]]:
    return [{**payload} for name, payload in double.calls if name == "update-character"]


def refusal(model: str, level: str) -> str:
    """How the store words it (decision 24)."""
    known = model_code(model)
    assert known is not None
    accepted = ", ".join(known.reasoning.accepted) if known.reasoning else "only empty text, which clears the setting"
    return f"Invalid reasoning_effort '{level}' for model '{model}'. Supported values: {accepted}."


def _somewhere(names: Iterable[str]) -> pytest.MarkDecorator:
    """Each of them in each place, and in a normal run in one of the two, taking turns."""
    places = cycle(("local", "remote"))
    return pytest.mark.parametrize(
        ("name", "place"),
        [
            pytest.param(name, place, marks=() if place == kept else pytest.mark.long)
            for name, kept in zip(names, places, strict=False)
            for place in ("local", "remote")
        ],
    )


TAKEN: Final = [name for name, row in ROWS.items() if row.requested in (CLEAR, *_settings_of(row.model))]
REFUSED: Final = [name for name in ROWS if name not in TAKEN]


@_somewhere(TAKEN)
async def test_what_the_model_takes_is_set(name: str, place: str) -> None:
    row = ROWS[name]
    session, double, store = at(place)
    await store.put(row.model, row.before)
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_level(user, row.requested)
        if place == "local" and row.before == row.after:  # what is so already is no change; elsewhere nobody knows
            await user.press("S")
            await user.is_told("No staged changes")
            assert sent(double) == []
        else:
            await reads(user, "1 change staged: reasoning level")
            await review(user)
            before = "unknown" if place == "remote" else row.before or "not set"
            await reads(user, f"{before} → {row.requested or 'not set'}")
            await user.press("y")
            await user.is_told("Applied: ")
            [payload] = sent(double)
            assert payload == {"charID": payload["charID"], "reasoning_effort": row.requested}
            await user.until(lambda: not user.characters.staged)
        after = await store.read()
        assert (after.model_group_name, after.reasoning_effort) == (row.model, row.after)


@PLACES
@pytest.mark.parametrize("model", [FREELY, NO_AUTO, NONE])
async def test_what_the_model_does_not_take_is_not_offered(model: str, place: str) -> None:
    session, _, store = at(place)
    await store.put(model, None)
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("home", "down", "down", "enter")
        await reads(user, "meaning")
        lines = user.pane("Dialog > Vertical").splitlines()
        offered = {setting for setting in EVERY if any(f"{level_text(setting)}  " in line for line in lines)}
        assert offered == {setting or CLEAR for setting in _settings_of(model)}


@_somewhere(REFUSED)
async def test_a_refusal_is_told_as_the_service_worded_it(name: str, place: str) -> None:
    row = ROWS[name]
    session, double, store = at(place, promising=[row.model])
    await store.put(row.model, row.before)
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_level(user, row.requested)
        await review(user)
        await user.press("y")
        await user.sees("Not applied")
        await reads(user, refusal(row.model, row.requested))
        await user.press("escape")
        await reads(user, "1 change staged: reasoning level")
        assert len(sent(double)) == 1
        after = await store.read()
        assert (after.model_group_name, after.reasoning_effort) == (row.model, row.before)


@_somewhere(CHANGES)
async def test_what_becomes_of_a_setting_is_said_before(name: str, place: str) -> None:
    change = CHANGES[name]
    session, double, store = at(place)
    await store.put(change.model, change.before)
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_model(user, change.new)
        told = f"{change.new} does not support the reasoning level “{change.before}”, so the level "
        becomes = "becomes auto." if change.after == AUTO else "is cleared."
        if place == "remote":
            otherwise = "becomes auto." if change.new == "mdlc-flash" else "is cleared."
            said = f"A reasoning level that {change.new} does not support {otherwise}"
        else:
            said = f"{told}{becomes}" if change.before != change.after else ""
        await reads(user, said or "1 change staged: model")
        await review(user)
        await reads(user, f"{change.model} → {change.new}", said)
        assert said or "does not support" not in words(user)
        await user.press("y")
        await user.is_told("Applied: ")
        [payload] = sent(double)
        assert payload.keys() == {"charID", "model_group_name"}
        after = await store.read()
        assert (after.model_group_name, after.reasoning_effort) == (change.new, change.after)


@PLACES
async def test_a_level_that_goes_with_the_model_is_judged_against_it(place: str) -> None:
    session, double, store = at(place)
    await store.put(FREELY, "none")
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_model(user, "mdlc-flash")
        await choose_level(user, "minimal")
        await reads(user, "2 changes staged: model, reasoning level")
        assert "does not support" not in words(user)
        await review(user)
        await user.press("y")
        await user.is_told("Applied: ")
        [payload] = sent(double)
        assert (payload["model_group_name"], payload["reasoning_effort"]) == ("mdlc-flash", "minimal")
        after = await store.read()
        assert (after.model_group_name, after.reasoning_effort) == ("mdlc-flash", "minimal")


@PLACES
async def test_a_level_that_the_new_model_does_not_take_is_never_sent(place: str) -> None:
    session, double, store = at(place)
    await store.put(FREELY, "low")
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_level(user, "medium")
        await choose_model(user, "mdle-4.3")
        await reads(user, "✗ mdle-4.3 does not support “medium”; it supports low, high.")
        await user.press("S")
        await user.is_told("mdle-4.3 does not support “medium”; it supports low, high.")
        assert sent(double) == []
        await choose_level(user, "high")
        user.app.clear_notifications()
        await user.misses("does not support")
        await review(user)
        await user.press("y")
        await user.is_told("Applied: ")
        after = await store.read()
        assert (after.model_group_name, after.reasoning_effort) == ("mdle-4.3", "high")


@PLACES
async def test_a_level_that_the_service_refuses_under_the_new_model_is_told_and_stays(place: str) -> None:
    """Nothing of a refused request is done; the rest is offered without it, and the level stays staged."""
    session, double, store = at(place, promising=[FREELY, "mdle-4.3"])
    await store.put(FREELY, "low")
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await choose_model(user, "mdle-4.3")
        await choose_level(user, "medium")
        await review(user)
        await user.press("y")
        await user.sees("Not applied")
        await reads(user, refusal("mdle-4.3", "medium"))
        before = await store.read()
        assert (before.model_group_name, before.reasoning_effort) == (FREELY, "low")
        await user.press("escape")
        await reads(user, "The service rejected the reasoning level", refusal("mdle-4.3", "medium"))
        await user.press("y")
        await user.at(Review)
        await user.press("y")
        await user.is_told("Applied: ")
        assert [payload.keys() - {"charID"} for payload in sent(double)] == [
            {"model_group_name", "reasoning_effort"},
            {"model_group_name"},
        ]
        after = await store.read()
        assert (after.model_group_name, after.reasoning_effort) == ("mdle-4.3", "low")
        await reads(user, "1 change staged: reasoning level")
