"""Elements of an answer that could not be read: counted in a line on every screen, and shown as they came."""

from __future__ import annotations

import pytest

from chartui.core.spec.elements import Unreadable
from chartui.tui.shell.unreadable import UnreadableDialog
from tests.tui.hostile import HOSTILE
from tests.tui.keyboard import covers
from tests.tui.sessions import Double, demo, doubled
from tests.tui.user import NARROW, SMALL, WIDE, User, opened

_RECORD = Unreadable(
    kind="record", where="/characters/2", reason="character_id: missing", raw={"character_name": "[bold]Tom", "x": [1]}
)
_NULL = Unreadable(kind="section", where="/4", reason="expected an object, got null", raw=None)


def _bar(user: User) -> str:
    """The line above the keys; empty where there is none."""
    bar = user.app.screen.query_one("UnreadableBar")
    return user.pane("UnreadableBar").strip() if bar.display else ""


@pytest.mark.parametrize(
    ("screen", "operation"),
    [
        ("characters", "summarize-characters"),
        ("narrative", "list-sections"),
        ("narrative", "list-triggers"),
        ("actions", "summarize-characters"),
        ("estimator", "options"),
        ("estimator", "estimate"),
    ],
)
async def test_every_screen_counts_in_the_same_line(screen: str, operation: str) -> None:
    session, double = doubled()
    double.unreadable[operation] = (_RECORD,)
    async with opened(session, screen=screen, size=SMALL) as user:
        await user.sees("1 record could not be read: character_id: mis")
        assert _bar(user).endswith("V show")
        del double.unreadable[operation]
        await user.press("f5")
        await user.until(lambda: not _bar(user), "for the line to go")


async def test_models_of_the_settings_are_counted_too() -> None:
    session, double = doubled()
    model = Unreadable(kind="model", where="/1", reason="model_group_name: missing", raw={"display_name": "X"})
    double.unreadable["list-models"] = (model,)
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.press("e")
        await user.sees("1 model could not be read: model_group_name: missing")


@covers("show-unreadable")
async def test_the_elements_are_shown_as_they_came() -> None:
    session, double = doubled()
    double.unreadable["list-sections"] = (_NULL,)
    double.unreadable["list-triggers"] = (
        Unreadable(kind="trigger", where="/0", reason="expected an object, got text", raw="T1"),
    )
    async with opened(session, screen="narrative", size=WIDE) as user:
        await user.sees("1 section and 1 trigger could not be read")
        await user.press("V")
        await user.sees(
            "Section at /4 in the response to list-sections", "expected an object, got null", "the whole element"
        )
        await user.press("down")
        await user.sees("Trigger at /0 in the response to list-triggers", '"T1"')
        await user.press("escape")
        assert not user.is_at(UnreadableDialog)


async def test_json_of_an_element_folds_and_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    session, double = doubled()
    double.unreadable["summarize-characters"] = (_RECORD,)
    copied: list[str] = []
    async with opened(session, screen="characters", size=NARROW) as user:
        monkeypatch.setattr(user.app, "copy", lambda text, what="": copied.append(text))
        await user.press("V")
        await user.sees('"character_name": "[bold]Tom"', '"x": [')
        await user.press("down", "down", "left")
        await user.sees("[ 1 item ]")
        await user.press("enter")
        await user.sees('"x": [')
        await user.press("y")
    assert copied == ['{\n  "character_name": "[bold]Tom",\n  "x": [\n    1\n  ]\n}']


async def test_without_any_the_command_says_so() -> None:
    async with opened(demo(), screen="characters") as user:
        await user.press("V")
        await user.is_told("This screen has no unreadable elements.")


async def test_a_refused_answer_leaves_the_count_of_the_last_one() -> None:
    from chartui.core.spec.errors import ErrorKind, ServiceError

    session, double = doubled()
    double.unreadable["summarize-characters"] = (_RECORD,)
    async with opened(session, screen="characters") as user:
        await user.sees("1 record could not be read")
        double.failures["summarize-characters"] = ServiceError(ErrorKind.UNREACHABLE, "No answer.")
        await user.press("f5")
        await user.uncovers("refresh failed", "1 record could not be read")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
async def test_nothing_in_an_element_is_obeyed(text: str) -> None:
    session, double = doubled()
    element = Unreadable(kind="record", where=f"/{text}", reason=f"{text}: missing", raw={text: text})
    double.unreadable["summarize-characters"] = (element, _RECORD)
    async with opened(session, screen="characters", size=NARROW) as user:
        await user.press("V")
        await user.sees("Unreadable: 2 records")
        await user.press("tab", "right", "y", "escape")
        await user.misses("Unreadable: 2 records")


async def test_the_elements_are_sorted_and_filtered_and_the_keys_follow() -> None:
    session, double = doubled()
    double.unreadable["summarize-characters"] = tuple(
        Unreadable(kind="record", where=f"/{name}", reason=f"{name}: missing", raw={"name": name})
        for name in ("voice", "model", "name")
    )
    async with opened(session, screen="characters", size=NARROW) as user:
        await user.press("V", "s", "home")
        await user.sees('"name": "model"')
        await user.press("slash", *"voice", "enter")
        await user.sees("1 of 3", '"name": "voice"')
        await user.press("y")
        await user.is_told("Raw record")


async def _many(double: Double) -> None:
    double.unreadable["summarize-characters"] = tuple(
        Unreadable(kind="record", where=f"/characters/{number}", reason="character_id: missing", raw={"n": number})
        for number in range(10_000)
    )


async def test_ten_thousand_elements_leave_room_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    session, double = doubled()
    await _many(double)
    async with opened(session, screen="characters", size=SMALL) as user:
        await user.sees("10000 records could not be read: character")
        await user.press("V", "end")
        await user.sees("/characters/9999", '"n": 9999')
