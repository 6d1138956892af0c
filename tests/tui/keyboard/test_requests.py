"""The requests from the keyboard."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from chartui.core.backends.base import Meta
from chartui.core.backends.recorder import Recorder
from chartui.core.jsontext import loads
from chartui.core.profiles import BUILT_IN
from chartui.core.service import Service
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.shell.open_profile import Opening
from chartui.tui.shell.profiles import ProfilesDialog
from tests import writes
from tests.long import sampled
from tests.tui.hostile import HOSTILE
from tests.tui.keyboard import covers
from tests.tui.recorded import KEPT, ask, recorded, served
from tests.tui.serving import Time
from tests.tui.sessions import Double, clock, demo
from tests.tui.user import SMALL, WIDE, User, opened, words


async def some_calls(session: Session) -> str:
    """Ten calls that succeed, of which one is a change; the id of the character they are about."""
    summaries = await session.service.asking_as("characters").summaries()
    character = summaries[0].character_id
    for summary in summaries[:8]:
        await session.service.asking_as("characters").character(summary.character_id)
    await writes.toggle_narrative(session.service.asking_as("narrative"), character, True)
    return character


# -- the list ---------------------------------------------------------------------------------------------------------


@covers("show-requests")
async def test_what_other_screens_asked_is_listed_newest_first() -> None:
    session = demo()
    async with opened(session) as user:
        await user.press("C")
        await user.ready()
        await user.press("N")
        await user.ready()
        await user.press("Q")
        await user.sees("─ Requests ─", "list-sections", "list-triggers", "✓ ok", "estimate")
        assert user.requests.names == [call.operation.name for call in reversed(session.recorder.calls)]
        assert user.requests.names[-1] == "options"
        assert {"list-sections", "list-triggers", "summarize-characters"} <= set(user.requests.names)


async def test_a_call_of_a_service_shows_its_status_and_size() -> None:
    session, _ = served()
    async with opened(session, screen="requests") as user:
        await ask(session, "list-characters")
        await user.sees("list-characters", "✓ 200")
        line = words(user.line("list-characters")).split()
        assert line[:5] == ["09:30:00", "list-characters", "✓", "200", "12"]
        assert "".join(line[5:7]).isdigit()


@pytest.mark.parametrize("width", [200, 240])
async def test_in_a_wide_window_the_list_is_as_wide_as_its_texts_and_the_call_has_the_rest(width: int) -> None:
    session, double = recorded()
    double.failures["summarize-characters"] = ServiceError(ErrorKind.NOT_AVAILABLE, "Not here.", attempts=3)
    async with opened(session, screen="requests", size=(width, 40)) as user:
        await ask(session, "summarize-characters")
        await user.sees("summarize-characters", "✗ not available", "3 tries", "a test")
        left, call = (user.top.query_one(f"#{name}").region for name in ("left", "call"))
        assert (left.width, call.x, call.right) == (94, 94, width)


@pytest.mark.parametrize("key", ["f", "t"])
async def test_a_filter_brings_back_the_list_that_a_call_covers(key: str) -> None:
    session, _ = recorded()
    async with opened(session, screen="requests", size=SMALL) as user:
        await ask(session, "summarize-characters")
        await user.sees("summarize-characters")
        await user.press("enter")
        await user.misses("─ Requests ─")
        await user.press(key)
        await user.sees("─ Requests ─")
        assert user.focus == "list"


async def test_before_anything_was_asked_it_says_what_will_be_here() -> None:
    session, double = recorded()
    async with opened(session, screen="requests") as user:
        await user.reads("#left", "No requests yet. Calls to the service or store are listed here.")
        assert "⏎ open" not in user.bottom_line
        await user.press("enter", "down", "f", "t", "escape", "y")
        await user.is_told("Nothing to copy here yet.")
        assert double.calls == []
        await user.press("f", "t")
        await ask(session, "summarize-characters")
        await user.sees("summarize-characters")
        assert "⏎ open" in user.bottom_line


async def test_looking_asks_nothing() -> None:
    session, double = recorded()
    async with opened(session) as user:
        asked = len(double.calls)
        await user.press("Q", "f5", "enter", "escape", "slash", *"est", "enter", "f", "f", "t", "t")
        await user.press("E", "Q")
        await user.settle()
        assert len(double.calls) == asked


@pytest.mark.parametrize("size", sampled([(80, 24), WIDE], (80, 24)))
async def test_who_is_on_the_newest_call_follows(size: tuple[int, int]) -> None:
    session, _ = recorded()
    async with opened(session, screen="requests", size=size) as user:
        await ask(session, "options")
        await user.sees("options")
        await ask(session, "list-models")
        await user.sees("list-models")
        assert user.requests.current.operation.name == "list-models"
        await user.rests()
        if size is WIDE:
            await user.sees("─ Request 2 ─", "The supported models and their reasoning")


async def test_who_reads_an_older_call_stays_on_it_where_it_is() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests") as user:
        for _ in range(3):
            await some_calls(session)
        await user.settle()
        await user.press(*["down"] * 3)
        held = user.requests.current
        offset = user.requests.view.cursor - user.requests.view.scroll_offset.y
        await ask(session, "options", "list-models")
        await user.until(lambda: len(user.requests.names) == 32)
        await user.settle()
        assert user.requests.current == held
        assert user.requests.view.cursor == 5
        assert user.requests.view.cursor - user.requests.view.scroll_offset.y == offset
        await user.sees("5 newer")
        await user.press("home")
        await user.rests()
        assert user.requests.current.operation.name == "list-models"
        assert "newer" not in user.screen


async def test_keystrokes_take_one_line() -> None:
    session, _ = recorded()
    async with opened(session) as user:
        await user.press(*["right"] * 9)
        await user.ready()
        await user.press("Q")
        await user.sees("×10")
        assert user.requests.names.count("estimate") == 1
        await user.press("enter")
        await user.sees("in total for 10 calls; the last call is shown")


async def test_what_was_given_up_says_so() -> None:
    session, double = recorded()
    async with opened(session, screen="requests") as user:
        double.hold("get-response")
        task = asyncio.create_task(ask(session, "get-response", charID="c", userText="Hi"))
        await user.until(lambda: double.waiting("get-response") == 1)
        task.cancel()
        await user.sees("◌ canceled")
        await user.press("f", "enter")
        await user.sees("Canceled before the response arrived. The request may still have taken")
        assert user.requests.current.given_up


async def test_tries_and_kept_answers_are_marked() -> None:
    session, _ = served(options=KEPT, list_models=Meta(status=200, bytes=1234, attempts=3))
    async with opened(session, screen="requests") as user:
        await ask(session, "options", "list-models")
        await user.sees("3 tries", "cached", "1 234")


async def test_a_thousand_calls_are_kept_and_shown() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests") as user:
        for _ in range(1005):
            await ask(session, "list-accounts")
        await user.sees("─ 1 000 ─")
        await user.press("end")
        await user.rests()
        assert user.requests.current.number == 6


async def test_a_new_call_leaves_the_rows_of_the_others_alone() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests") as user:
        await ask(session, "options", "list-models")
        await user.settle()
        before, texts = user.requests.view.sheet.rows, user.requests.view.texts
        await ask(session, "options")
        await user.until(lambda: len(user.requests.names) == 3)
        table = user.requests.view
        assert [a is b for a, b in zip(table.sheet.rows[1:], before, strict=True)] == [True, True]
        assert [a is b for a, b in zip(table.texts[1:], texts, strict=True)] == [True, True]


async def test_a_sorted_list_keeps_the_cursor_on_its_call_while_calls_come() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests") as user:
        await ask(session, "options", "list-models")
        await user.sees("list-models")
        await user.press(*["s"] * 3)
        assert user.requests.names == ["list-models", "options"]
        await ask(session, "estimate")
        await user.until(lambda: user.requests.names == ["estimate", "list-models", "options"], "for the new call")
        assert user.requests.current.operation.name == "list-models"
        assert user.requests.view.cursor == 1
        await user.sees("1 newer")


# -- filters ----------------------------------------------------------------------------------------------------------


@covers("filter-requests", "leave-request")
async def test_words_find_operations_askers_outcomes_messages_and_ids() -> None:
    session, double = recorded()
    double.failures["list-models"] = ServiceError(ErrorKind.TIER, "Not for the free plan.", status=403)
    async with opened(session, screen="requests") as user:
        character = await some_calls(session)
        await ask(session, "list-models")
        await user.settle()
        for query, found in {
            "toggle narr": ["toggle-narrative"],
            "characters get": ["get-character"] * 8,
            "TIER": ["list-models"],
            "403": ["list-models"],
            "free plan": ["list-models"],
            character[:13]: ["toggle-narrative", "get-character"],
            "/getSupported": ["list-models"],
            "nothing like it": [],
        }.items():
            await user.press("slash", *query)
            assert user.requests.names == found, query
            await user.press("enter", "escape")
        assert len(user.requests.names) == 11
        assert user.app.focused is user.requests.view


async def test_a_filter_that_finds_nothing_says_how_to_leave_it() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests", size=WIDE) as user:
        await ask(session, "options")
        await user.sees("options")
        await user.press("slash", *"zzz")
        await user.sees("No matches. Esc clears the filter.", "0 of 1")
        await user.press("enter", "enter", "y")
        await user.is_told("Nothing to copy here yet.")
        await user.press("escape")
        await user.sees("✓ ok")
        assert not user.filter.display


async def test_a_filter_that_empties_an_open_request_says_so() -> None:
    async with opened(screen="requests") as user:
        await user.press("C")
        await user.ready()
        await user.press("Q", "enter")
        await user.sees("Request 1", "y copies")
        await user.press("f")
        await user.sees("No failures. f shows all requests again.")
        await user.misses("Request 1", "y copies")


@covers("only-failures", "only-changes")
async def test_failures_and_changes_can_be_looked_at_alone() -> None:
    session, double = recorded()
    double.failures["list-models"] = ServiceError(ErrorKind.TIER, "Not for the free plan.")
    async with opened(session, screen="requests") as user:
        await some_calls(session)
        await ask(session, "list-models")
        await user.settle()
        await user.press("f")
        assert user.requests.names == ["list-models"]
        await user.sees("1 of 11 · failures")
        await user.press("t")
        assert user.requests.names == []
        await user.sees("No failed changes. Press f and t to show all requests again.")
        await user.press("f")
        assert user.requests.names == ["toggle-narrative"]
        await user.sees("1 of 11 · changes")
        await user.press("t")
        assert len(user.requests.names) == 11


async def test_a_filter_stays_while_calls_come() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests") as user:
        await ask(session, "options", "list-models")
        await user.press("slash", *"models", "enter")
        await ask(session, "options", "list-models")
        await user.sees("2 of 4")
        assert user.requests.names == ["list-models", "list-models"]


# -- one call ---------------------------------------------------------------------------------------------------------


@covers("open-request", "leave-request")
async def test_a_request_is_read_in_full() -> None:
    session, double = served()
    async with opened(session, screen="requests", size=(80, 60)) as user:
        double.answers["list-models"] = {"STATUS": "[]"}
        await ask(session, "list-models", charID="c-17")
        await user.sees("list-models")
        await user.press("enter")
        await user.sees(
            "─ Request 1 ─",
            "The supported models and their reasoning levels",
            "POST /character/getSupportedModel",
            "Caller    a test",
            "At        2026-11-21 09:30:00.250 UTC",
            "Took      12 ms",
            "Source    C 4.2",
            '"charID": "c-17"',
            "Outcome   ✓ 200",
            "content-type: application/json",
            '"STATUS": "[]"',
        )
        await user.press("escape")
        await user.sees("─ Requests ─")
        assert user.app.focused is user.requests.view
        assert double.count("list-models") == 1


@pytest.mark.parametrize(
    ("error", "seen"),
    [
        (
            ServiceError(ErrorKind.NOT_FOUND, "No section has this ID.", status=404),
            (
                "✗ not found",
                "Status    404",
                "Message   No section has this ID.",
                "Sent      yes, and a response was received",
            ),
        ),
        (
            ServiceError(ErrorKind.UNREACHABLE, "The host cannot be reached.", sent="no", attempts=3),
            ("✗ unreachable", "Sent      no, so nothing was changed", "Tries     3"),
        ),
        (
            ServiceError(ErrorKind.TIMEOUT, "It was silent.", sent="unclear"),
            ("✗ timeout", "Sent      unknown; the request may have taken effect"),
        ),
    ],
)
async def test_a_failure_says_why_and_whether_it_was_sent(error: ServiceError, seen: tuple[str, ...]) -> None:
    session, double = served()
    double.failures["delete-section"] = error
    async with opened(session, screen="requests", size=(80, 40)) as user:
        await ask(session, "delete-section", character_id="c", section_id="s")
        await user.sees(seen[0])
        await user.press("enter")
        await user.sees("Δ changes data", *seen[1:])


async def test_in_a_wide_window_the_request_follows_the_cursor() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests", size=WIDE) as user:
        await some_calls(session)
        await user.sees("Switch the narrative graph on or off")
        await user.press("down")
        await user.sees("One character's record", "─ Request 9 ─")


@pytest.mark.parametrize("size", sampled([(80, 24), WIDE], (80, 24)))
async def test_a_request_that_is_read_is_not_replaced_by_a_new_one(size: tuple[int, int]) -> None:
    session, _ = recorded()
    async with opened(session, screen="requests", size=size) as user:
        await ask(session, "options")
        await user.sees("options")
        await user.press("enter", "down", "down")
        await user.sees("Options with their rates, the defaults")
        await user.settle()
        before = user.pane("#call")
        await ask(session, "list-models")
        await user.until(lambda: len(user.requests.names) == 2)
        await user.rests()
        assert user.pane("#call") == before
        assert user.requests.current.operation.name == "options"


async def test_the_call_under_the_cursor_is_shown_as_it_became() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests", size=WIDE) as user:
        await ask(session, "estimate")
        await user.sees("Took      12 ms")
        await ask(session, "estimate")
        await user.sees("Took      24 ms in total for 2 calls")


async def test_a_large_answer_is_shown_in_part_and_says_so() -> None:
    session, double = served()
    double.answers["list-sections"] = [{"section_id": str(n), "objective": "x" * 500} for n in range(5000)]
    async with opened(session, screen="requests") as user:
        await ask(session, "list-sections", character_id="c")
        await user.sees("list-sections")
        await user.press("enter")
        await user.sees("All sections of a character")
        await user.press("end")
        await user.sees("more items)")
        await user.press("y")
        await user.sees("Response body (truncated)", "As curl")


async def test_hostile_text_is_shown_and_copied_as_text() -> None:
    session, double = recorded()
    double.answers["list-triggers"] = dict(HOSTILE)
    double.failures["get-trigger"] = ServiceError(ErrorKind.INVALID, HOSTILE["escape sequences"] + HOSTILE["markup"])
    payload = {"character_id": HOSTILE["escape sequences"], "trigger_id": HOSTILE["markup"]}
    async with opened(session, screen="requests", size=WIDE) as user:
        await ask(session, "list-triggers", **payload)
        await ask(session, "get-trigger", **payload)
        await user.sees("✗ invalid", "[bold]x[/bold] [/] [/nope]")
        await user.press("slash", *"[/nope]", "enter", "down", "enter", *["pagedown"] * 5)
        await user.rests()
        for label in ("As a chartui command", "Request body", "Response body"):
            await user.press("y")
            await user.sees("─ Copy ─")
            await user.write(label)
            await user.press("enter")
            assert "\x1b" not in user.app.clipboard
            assert "\x9b" not in user.app.clipboard


# -- copying ----------------------------------------------------------------------------------------------------------


async def choose(user: User, label: str) -> str:
    await user.press("y")
    await user.sees("─ Copy ─")
    await user.write(label)
    await user.press("enter")
    await user.is_told(label)
    return user.app.clipboard


async def test_a_call_is_copied_as_curl_as_a_command_and_in_parts() -> None:
    session, double = served()
    double.answers["list-models"] = {"STATUS": []}
    async with opened(session, screen="requests") as user:
        await ask(session, "list-models", charID="it's")
        await user.sees("list-models")
        curl = await choose(user, "As curl (API key as a variable)")
        assert curl.startswith("curl --request POST \\\n  https://characters.example:8443/character/getSupportedModel")
        assert '--header "SERVICE-API-KEY: $CHARTUI_API_KEY"' in curl
        command = await choose(user, "As a chartui command")
        assert command == """chartui call list-models --profile staging --data '{"charID": "it'"'"'s"}'"""
        assert loads(await choose(user, "Request body")) == {"charID": "it's"}
        assert loads(await choose(user, "Response body")) == {"STATUS": []}


async def test_a_failure_is_copied_with_its_words() -> None:
    session, double = recorded()
    double.failures["list-models"] = ServiceError(ErrorKind.TIER, "Not for the free plan.")
    async with opened(session, screen="requests") as user:
        await ask(session, "list-models")
        await user.sees("✗ tier")
        assert await choose(user, "Error message") == "Not for the free plan."


async def test_the_list_is_copied_as_it_is_shown() -> None:
    session, double = served(list_models=Meta(status=200, bytes=1234))
    double.failures["options"] = ServiceError(ErrorKind.TIER, "Not for the free plan.", status=403)
    async with opened(session, screen="requests") as user:
        await ask(session, "options", "list-models", "list-accounts")
        await user.press("slash", *"o", "enter")
        await user.press("f")
        assert user.requests.names == ["options"]
        copied = loads(await choose(user, "Requests (JSON)"))
    expected = {"operation": "options", "outcome": "✗ tier", "latency": 12, "size": None, "note": ""}
    assert copied == [{"time": "09:30:00", "effect": "read", **expected, "asked_by": "a test"}]


async def test_under_the_lock_the_copied_command_is_locked_too() -> None:
    session, _ = recorded(demo(read_only=True))
    async with opened(session, screen="requests") as user:
        await ask(session, "options")
        await user.sees("options")
        assert await choose(user, "As a chartui command") == "chartui call options --profile demo --read-only"


async def test_what_has_no_path_or_cannot_be_sent_is_no_curl() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests") as user:
        await ask(session, "list-accounts")
        await ask(session, "list-characters", member=1)
        await user.until(lambda: len(user.requests.names) == 2)
        for _ in range(2):
            await user.press("y")
            await user.sees("─ Copy ─", "As a chartui command")
            assert "As curl" not in user.screen
            await user.press("escape", "down")


async def test_a_payload_that_was_kept_in_part_is_no_command() -> None:
    session, _ = recorded()
    async with opened(session, screen="requests") as user:
        await ask(session, "update-character", charID="c", backstory="x" * 5000)
        await user.sees("update-character")
        await user.press("y")
        await user.sees("Request body (truncated)")
        assert "As a chartui command" not in user.screen
        assert "As curl" not in user.screen


# -- another profile ---------------------------------------------------------------------------------------------------


async def test_calls_of_a_profile_go_with_it() -> None:
    way = Opening(clock=clock)
    first = way.open(BUILT_IN["demo"])
    async with opened(first, screen="requests", opening=way) as user:
        await ask(first, "list-models")
        await user.sees("list-models")
        await user.press("P")
        await user.at(ProfilesDialog)
        await user.settle()
        await user.press("home", "down", "enter")
        await user.until(lambda: user.app.session.profile.name == "local", "for the other profile")
        await user.press("Q")
        await user.ready()
        await user.misses("list-models")
        assert first.recorder._listeners == []
        await ask(user.app.session, "list-accounts")
        await user.sees("list-accounts")


async def test_a_request_under_way_is_listed_with_its_time_and_then_its_answer() -> None:
    time, session = Time(), demo()
    double = Double(session.recorder)
    recorder = Recorder(double, ticks=time.ticks)
    session = replace(session, recorder=recorder, service=Service(recorder, embedded=True))
    async with opened(session, screen="requests", size=WIDE, time=time) as user:
        double.hold("options")
        reading = asyncio.ensure_future(session.service.options(refresh=True))
        await user.sees("under way")
        assert "options" in user.line("under way", "#list")
        time.pass_by(1)
        time.pass_by(1)
        time.pass_by(1)
        await user.sees("3 s so far")
        assert " 3 s" in user.line("under way", "#list")
        double.let_all_go()
        await reading
        await user.misses("under way")
        assert "✓" in user.line("options", "#list")
        time.pass_by(1)
        await user.settle()
        assert "so far" not in user.screen
