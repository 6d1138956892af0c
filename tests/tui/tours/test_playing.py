"""Tours played to somebody: captions, pauses, and every way of taking over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

import pytest
from textual.events import Resize
from textual.geometry import Size

from chartui.demos.stage import staged
from chartui.demos.tour import Action, Perform, Press, Service, Step, Text, Tour
from chartui.demos.tour_file import find_tour
from chartui.tui.tour.app import StagedApp
from chartui.tui.tour.caption import CAPTION_LINES
from chartui.tui.tour.play import PlayedApp, Start, in_best_size
from chartui.tui.tour.player import key_event, messages, missing, play, screen_text
from chartui.tui.tour.record import Broken, Recorder, record

#: Larger than the tour's window, by what a caption takes and more.
ROOMY = (100, 40)


@asynccontextmanager
async def playing(
    *steps: Step, size: tuple[int, int] = ROOMY, start: Start | None = None, **head: object
) -> AsyncIterator[PlayedApp]:
    """A tour that begins in a terminal of ``size``."""
    tour = Tour(name="a-tour", title="A tour", steps=steps, **{"speed": 100.0, **head})  # type: ignore[arg-type]
    with staged(tour, alone=True) as stage:
        app = PlayedApp(tour, stage, start=start)
        async with app.run_test(size=size):
            yield app
            if not app._exit:
                app.exit()


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def press(app: PlayedApp, *names: str) -> None:
    """Press keys at the keyboard, which no tour does."""
    for name in names:
        await app.on_event(key_event(name))
    await app.settle()


async def press_now(app: PlayedApp, *names: str) -> None:
    """As :func:`press`, while the service owes an answer."""
    for name in names:
        await app.on_event(key_event(name))


ENDLESS = (
    Step(caption="Every model.", actions=(Perform("view-rank"),), expect=("↑credits",)),
    Step(caption="And so on.", pause=600.0),
)


async def test_any_key_takes_over_and_does_nothing_else() -> None:
    async with playing(*ENDLESS) as app:
        await until(lambda: app.caption == "And so on.")
        assert app.size == (80, 24)
        await press(app, "E")
        assert not app.is_touring
        assert "↑credits" in screen_text(app)  # what was pressed is not obeyed
        await until(lambda: app.size == ROOMY)
        assert "You're in control now." in "".join(messages(app))
        await press(app, "C")
        assert "Elena Marsh" in screen_text(app)


async def test_space_pauses_and_goes_on_and_escape_leaves() -> None:
    async with playing(*ENDLESS, Step(caption="Never seen.")) as app:
        await until(lambda: app.caption == "And so on.")
        await press(app, "space")
        assert (app.is_touring, app.is_paused) == (True, True)
        await press(app, "space")
        assert (app.is_touring, app.is_paused) == (True, False)
        await press(app, "escape")
        assert app._exit
        assert app.return_code == 0


async def test_a_pause_holds_the_tour_where_it_is() -> None:
    async with playing(*(Step(caption=f"Step {number}.", pause=0.5) for number in range(40))) as app:
        await press(app, "space")
        held = app.caption
        await asyncio.sleep(0)
        await app.settle()
        assert app.caption == held
        await press(app, "space")
        await until(lambda: app.caption.startswith("End of the tour"))


# -- going to another step ---------------------------------------------------------------------------------------------

#: Each is shown until the viewer does something, and the second changes what is on the screen.
SLOW = (
    Step(caption="One.", pause=600.0),
    Step(caption="Two.", actions=(Perform("view-rank"),), expect=("↑credits",), pause=600.0),
    *(Step(caption=f"Number {number}.", pause=600.0) for number in range(3, 13)),
)


async def test_a_later_step_is_reached_by_doing_what_lies_between() -> None:
    async with playing(*SLOW, speed=1.0) as app:
        await press(app, "right")
        await until(lambda: app.caption == "One.")
        await press(app, "right", "right")
        await until(lambda: app.caption == "Number 3.")
        assert "↑credits" in screen_text(app)
        await press(app, "1", "1", "enter")
        await until(lambda: app.caption == "Number 11.")
        assert app.place == "11/12"
        await press(app, "9", "9", "enter")
        await until(lambda: app.caption.startswith("End of the tour"))


async def test_an_earlier_step_is_played_again_on_a_new_stage() -> None:
    async with playing(*SLOW, speed=1.0) as app:
        await press(app, "space", "3", "enter", "plus")
        await until(lambda: app.caption == "Number 3.")
        await press(app, "left")
        assert app._exit
    assert app.again == Start(2, speed=2.0, paused=True)
    async with playing(*SLOW, start=app.again, speed=1.0) as app:
        await until(lambda: app.caption == "Two.")
        assert app.place == "2×  2/12"
        await app.settle()
        assert "↑credits" not in screen_text(app)  # the step has yet to begin
        await press(app, "space")
        await until(lambda: "↑credits" in screen_text(app))


async def test_from_the_end_the_last_step_can_be_seen_again() -> None:
    async with playing(*SLOW[:2]) as app:
        await press(app, "3", "enter")
        await until(lambda: app.caption.startswith("End of the tour"))
        await press(app, "1")
        assert "⏎ goes to step 1" in last_line(app)
        await press(app, "backspace")
        assert "← goes back a step" in last_line(app)
        await press(app, "left")
    assert app.again == Start(2, speed=100.0)


async def test_keys_for_the_tour_do_nothing_in_the_program_and_others_take_over() -> None:
    async with playing(*SLOW, speed=1.0) as app:
        await press(app, "1", "minus", "minus")
        assert (app.is_touring, app.pace.speed) == (True, 0.25)
        await press(app, "enter")
        assert not app.is_touring


def last_line(app: PlayedApp) -> str:
    """The line below the caption, as it is shown in the window of the test."""
    line, place = app._last_line(app.size.width)
    return line.push_right(len(place) + 1).add(place).strip().text


PRESSED = (
    Step(
        actions=(Perform("show-characters"), Perform("edit-settings"), Press("down"), *[Press("plus")] * 3), pause=600.0
    ),
    *SLOW,
)


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((80, 24), (" ×3 ", "space resumes", "best at 80x27  0.5×  1/13")),
        ((40, 24), ("paused", "best at 80x27  0.5×  1/13")),
        ((24, 24), ("paused", "0.5×  1/13")),
    ],
)
async def test_a_pause_is_always_shown(size: tuple[int, int], shown: tuple[str, ...]) -> None:
    async with playing(*PRESSED, size=size, speed=1.0) as app:
        await until(lambda: app._number == 1)
        for action in PRESSED[0].actions:
            app._keys.action = action
            app._keys.add(app, key_event(action.key if isinstance(action, Press) else "C"))
        await press(app, "minus", "space")
        line = last_line(app)
        assert all(part in line for part in shown), line
        await press(app, "7")
        assert "paused" in last_line(app)


async def test_a_typed_number_can_be_corrected_and_canceled() -> None:
    async with playing(*SLOW, speed=1.0) as app:
        await press(app, "1", "2")
        assert "⏎ goes to step 12" in last_line(app)
        await press(app, "backspace")
        assert (app.is_touring, app._digits) == (True, "1")
        await press(app, "escape")
        assert (app._exit, app._digits) == (False, "")
        await press(app, "4", "enter")
        await until(lambda: app.caption == "Number 4.")
        await press(app, "backspace")  # deletes nothing, so it takes over like any other key
        assert not app.is_touring


async def test_a_number_says_where_it_goes_to() -> None:
    async with playing(*SLOW, speed=1.0) as app:
        await press(app, "0")
        assert "there is no step 0" in last_line(app)
        await press(app, "enter")
        assert (app.is_touring, app._exit, app._goal, app._digits) == (True, False, 0, "")
        await press(app, "9", "9")
        assert "⏎ goes to the end" in last_line(app)
        app._digits, app._goal = "", 12
        assert "going to step 12…" in last_line(app)


@pytest.mark.parametrize(
    ("window", "said"),
    [
        ((120, 40), "best at 120x43  "),
        ((120, 39), ""),
        ((120, 43), ""),
        ((80, 26), "best at 80x27  "),
    ],
)
@pytest.mark.parametrize("sizes", [((80, 24), (120, 40)), ((120, 40), (80, 24))])
async def test_a_larger_size_that_only_the_caption_prevents_is_named(
    window: tuple[int, int], said: str, sizes: tuple[tuple[int, int], ...]
) -> None:
    tour = in_best_size(Tour(name="a", title="A", steps=ENDLESS, size=sizes[0], more_sizes=sizes[1:]), window)
    with staged(tour, alone=True) as stage:
        app = PlayedApp(tour, stage, start=Start(0, 100.0))
        async with app.run_test(size=window):
            await until(lambda: app.caption == "And so on.")
            app.pace.speed = tour.speed
            assert app.place == f"{said}2/2"
            app.exit()


async def test_taking_over_frees_an_answer_that_a_pause_holds_back() -> None:
    steps = Step(latency=5.0, actions=(Perform("show-characters"),)), Step(expect=("Elena Marsh",))
    async with playing(*steps, profile="staging") as app:
        await until(lambda: app.scope.startswith("characters"))
        await press_now(app, "space", "E")
        await until(lambda: "Elena Marsh" in screen_text(app))


async def test_after_a_tour_no_draft_is_promised() -> None:
    """Its drafts are deleted with its stage."""
    staged_change = Perform("show-characters"), Perform("edit-settings"), Press("down"), Press("plus")
    async with playing(Step(actions=staged_change), ENDLESS[1], profile="staging") as app:
        await until(lambda: app.caption == "And so on.")
        await press(app, "E", "q")
        await until(lambda: "Quit?" in screen_text(app))
        [note] = (note for screen in app.work if (note := screen.leaving()))
        assert note.startswith("Staged changes to ")
        assert note.endswith(" are not applied yet.")


LESSONS = (
    Step(caption="Press C.", actions=(Perform("show-characters"),), expect=("Elena Marsh",)),
    Step(caption="Press E.", actions=(Perform("show-estimator"),), gone=("Elena Marsh",)),
)


async def test_a_tutor_waits_for_the_viewer() -> None:
    async with playing(*LESSONS, tutor=True) as app:
        await until(lambda: app.caption == "Press C.")
        await press(app, "Q")
        assert "No requests yet" in screen_text(app) or "Requests" in screen_text(app)
        assert app.caption == "Press C."
        await press(app, "C")
        await until(lambda: app.caption == "Press E.")
        await press(app, "E")
        await until(lambda: app.caption.startswith("You know the basics now."))
        await press(app, "C")
        assert "Elena Marsh" in screen_text(app)


async def test_a_tutor_presses_the_keys_on_request() -> None:
    async with playing(*LESSONS, tutor=True) as app:
        await until(lambda: app.caption == "Press C.")
        await press(app, "f1")
        await until(lambda: app.caption == "Press E.")
        assert "Elena Marsh" in screen_text(app)


async def test_a_tutor_goes_back_a_step_as_if_it_were_the_first_time() -> None:
    async with playing(*LESSONS, *LESSONS, tutor=True) as app:
        for number, key in enumerate("CE", 2):
            await press(app, key)
            await until(lambda number=number: app.place == f"{number}/4")  # type: ignore[misc]
        await press(app, "f4")
        assert app._exit
    assert app.again == Start(2, speed=100.0)
    async with playing(*LESSONS, *LESSONS, tutor=True, start=app.again) as app:
        await until(lambda: app.caption == "Press E.")
        await app.settle()
        assert app.place == "2/4"
        assert "Elena Marsh" in screen_text(app)  # the first step is done, and the second is left to the viewer
        await press(app, "E")
        await until(lambda: app.place == "3/4")
        await press(app, "f1")
        await until(lambda: app.place == "4/4")
        await press(app, "f1")
        await until(lambda: app.caption.startswith("You know the basics now."))
        await press(app, "f4")
    assert app.again == Start(4, speed=100.0)


async def test_a_tutor_ends_with_the_program() -> None:
    """Otherwise it would look at a screen that is gone, and its error would be printed on the terminal."""
    async with playing(*LESSONS, tutor=True) as app:
        await until(lambda: app.caption == "Press C.")
        [teaching] = (task for task in asyncio.all_tasks() if "_teach" in str(task.get_coro()))
        await press(app, "ctrl+q")
        await asyncio.wait([teaching], timeout=10)
    assert teaching.cancelled()


async def test_a_tutor_says_where_its_keys_cannot_be_pressed() -> None:
    steps = Step(caption="Pin.", actions=(Perform("pin"), Press("enter")), expect=("against “",))
    async with playing(steps, tutor=True, speed=1e9) as app:
        await until(lambda: app.caption == "Pin.")
        # F1 is obeyed after C, however soon its first key is pressed.
        await press(app, "C", "f1")
        await until(lambda: "This step is not possible here" in app._hint)
        await press(app, "E", "f1")
        await until(lambda: app.caption.startswith("You know the basics now."))


async def test_each_lesson_is_still_to_be_done_when_it_begins() -> None:
    """Otherwise the tutor would pass it by before the viewer has read it."""

    class Viewer(Recorder):
        async def begins(self, number: int, step: Step) -> None:
            assert missing(self._app, step), number

    tour = find_tour("learn")
    with staged(tour, alone=True) as stage:
        app = StagedApp(tour, stage)
        async with app.run_test(size=tour.size):
            await play(app, Viewer(app))
            app.exit()


async def test_the_end_says_so_and_leaves_the_program() -> None:
    steps = Step(caption="Pinned.", actions=(Perform("pin"), Text("x"), Press("enter"))), Step(expect=("vs. “x”",))
    async with playing(*steps) as app:
        await until(lambda: app.caption.startswith("End of the tour"))
        for key in ("right", "space", "plus"):  # pressed once too often, they take nothing from the presenter
            await press(app, key)
            assert app.is_touring, key
        await press(app, "enter")
        assert not app.is_touring
        await press(app, "enter")
        assert "type to filter" in screen_text(app)  # Enter is obeyed again


async def test_a_screen_that_is_not_as_it_should_be_ends_the_tour_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("chartui.tui.tour.play._PATIENCE", 0.1)
    async with playing(Step(expect=("what nobody wrote",))) as app:
        await until(lambda: "The tour stopped" in app.caption)
        assert "step 1: “what nobody wrote” is not shown" in app.caption


async def test_in_a_window_that_is_too_small_it_goes_on_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chartui.tui.tour.play._BRIEFLY", 0.1)
    async with playing(Step(expect=("what nobody wrote",)), size=(80, 24)) as app:
        await until(lambda: app.caption.startswith("End of the tour"))


@pytest.mark.parametrize(
    ("window", "part"),
    [((80, 24), (80, 24 - CAPTION_LINES)), ((80, 27), (80, 24)), ((200, 60), (80, 24)), ((40, 2), (40, 1))],
)
async def test_the_caption_hides_nothing(window: tuple[int, int], part: tuple[int, int]) -> None:
    async with playing(*ENDLESS, size=window) as app:
        assert app.size == part
        await app.on_event(Resize(Size(90, 30), Size(90, 30)))
        await until(lambda: app.size == (80, 24))


@pytest.mark.parametrize(
    ("window", "best"),
    [
        ((80, 24), (80, 24)),
        ((119, 60), (80, 24)),
        ((120, 42), (80, 24)),
        ((120, 43), (120, 40)),
        ((200, 60), (120, 40)),
    ],
)
def test_of_several_sizes_the_largest_that_fits_is_played(window: tuple[int, int], best: tuple[int, int]) -> None:
    assert in_best_size(Tour(name="a", size=(120, 40), more_sizes=((80, 24),)), window).size == best


# -- what a tour can do to its service ---------------------------------------------------------------------------------


async def shown(*steps: Step) -> dict[str, str]:
    """The pictures of steps on the service, as text."""
    tour = Tour(name="a", title="A", profile="staging", screen="characters", steps=steps)
    with staged(tour, alone=True) as stage:
        return {picture.name: picture.text for picture in await record(tour, stage)}


async def test_a_service_is_slow_silent_failing_or_away_as_a_tour_says() -> None:
    seen = await shown(
        Step(latency=0.25, actions=(Perform("refresh"), Perform("show-requests")), expect=("✓ 200",), picture="slow"),
        Step(latency=0.0, actions=(Perform("show-characters"),), expect=("loaded just now",)),
        Step(service=Service.FAILING, actions=(Perform("refresh"),), expect=("Failed",), picture="failing"),
        Step(service=Service.SILENT, actions=(Perform("open-record"), Perform("show-narrative")), picture="silent"),
        Step(service=Service.HERE, expect=("40 sections",)),
        Step(service=Service.AWAY, actions=(Perform("refresh"),), wait=2, expect=("retry in 3 s",), picture="away"),
    )
    assert "250" in next(line for line in seen["slow"].splitlines() if "list-characters" in line)
    assert "characters.example failed with 500" in seen["failing"]
    assert "Welcome at the door" not in seen["silent"]
    assert "Welcome at the door" in seen["away"]


async def test_a_key_that_would_do_something_else_is_never_pressed() -> None:
    with pytest.raises(Broken, match="step 1: 'send-turn' is not available on this screen"):
        await shown(Step(actions=(Perform("send-turn"),)))
    text = "the shortcuts for 'show-requests' would be typed as text here"
    with pytest.raises(Broken, match=f"step 1: {text}"):
        await shown(Step(actions=(Perform("filter-characters"), Perform("show-requests"))))


LOST: dict[str, Action] = {
    "the key % has no effect here (estimator)": Press("percent_sign"),
    "nothing here accepts the text “%&”": Text("%&"),
    "nothing here accepts the text “pasted”": Text("pasted", pasted=True),
    # Its key is bound here, but not within a record.
    "'delete-character' has no effect here (characters)": Perform("delete-character"),
}


@pytest.mark.parametrize("failure", LOST)
async def test_a_key_that_has_no_effect_is_reported_even_if_the_screen_is_as_expected(failure: str) -> None:
    action = LOST[failure]
    begin = Perform("open-record" if isinstance(action, Perform) else "show-estimator")
    with pytest.raises(Broken) as raised:
        await shown(
            Step(actions=(begin, action), expect=("chartui",), picture="before"),
            Step(actions=(Perform("show-requests"),), expect=("what nobody wrote",)),
        )
    first, second = str(raised.value).splitlines()
    assert failure in first
    assert first.startswith("a: step 1: ")
    assert "step 2: “what nobody wrote” is not shown" in second


async def test_keys_that_take_effect_in_a_field_or_a_question_are_not_lost() -> None:
    typed: tuple[Action, ...] = (
        Text("elena"),
        Press("backspace"),
        Press("left"),
        Text("a", pasted=True),
        Press("escape"),
    )
    await shown(
        Step(actions=(Perform("filter-characters"), *typed)),
        Step(actions=(Perform("show-estimator"), Perform("pin"), Text("a"), Text("b", pasted=True), Press("enter"))),
    )


async def test_keys_that_a_dialog_refuses_are_reported() -> None:
    edit = Perform("edit-settings"), Press("down"), Press("plus")
    early = Step(service=Service.SILENT, actions=(Perform("apply-settings"), Press("y")))
    with pytest.raises(Broken, match="step 3: keys were pressed too early and ignored"):
        await shown(Step(actions=edit), early, Step(service=Service.FAILING, expect=("chartui",)))


# -- waiting without an audience ---------------------------------------------------------------------------------------


async def test_what_comes_later_is_not_waited_for() -> None:
    """The clock of the loop goes on at once: to what a timer shows, or to the end of all patience."""
    steps = (Step(expect=("Late news",)), Step(expect=("what nobody wrote",)))
    tour, loop = Tour(name="a", title="A", steps=steps), asyncio.get_running_loop()
    with staged(tour, alone=True) as stage:
        app = StagedApp(tour, stage)
        recorder = Recorder(app)
        async with app.run_test(size=tour.size):
            app.set_timer(20.0, lambda: app.tell("Late news"))
            begun, here = loop.time(), monotonic()
            await play(app, recorder)
            passed, waited = loop.time() - begun, monotonic() - here
            app.exit()
    assert [str(failure) for failure in recorder.failures.noted] == ["step 2: “what nobody wrote” is not shown"]
    assert passed > 20.0 + Recorder.patience
    assert waited < passed - 20.0
