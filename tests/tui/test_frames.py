"""What a key makes the program draw: one frame with what differs, and nothing if nothing does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
from textual._compositor import ChopsUpdate, Compositor
from textual._styles_cache import StylesCache
from textual.screen import Screen
from textual.widget import Widget

from chartui.commands import SCREENS
from chartui.tui.shell.help import Help
from chartui.tui.widgets.border import entitle, write_on_border
from chartui.tui.widgets.line_list import LineList
from tests.tui.sessions import demo, seeded
from tests.tui.user import NARROW, WIDE, User, opened

#: More characters than the list has lines.
MANY = 60


class Drawn:
    """The frames since :meth:`forget`, even those that are not shown, the layouts, and the rows of the list drawn."""

    def __init__(self) -> None:
        self.frames: list[Any] = []
        self.layouts = 0
        self.rows: list[int] = []

    def forget(self) -> None:
        """Begin again."""
        self.__init__()  # type: ignore[misc]

    @property
    def lines(self) -> set[int]:
        """The lines of the screen that the frames consist of."""
        assert all(isinstance(frame, ChopsUpdate) for frame in self.frames)
        return {y for frame in self.frames for y, _, _ in frame.spans}


@contextmanager
def watching(user: User, monkeypatch: pytest.MonkeyPatch) -> Iterator[Drawn]:
    drawn, app = Drawn(), user.app
    display, reflow, draw_row = app._display, Compositor.reflow, LineList.draw_row

    def displayed(screen: Screen[Any], renderable: Any) -> None:
        if renderable is not None:
            drawn.frames.append(renderable)
        display(screen, renderable)

    def laid_out(*arguments: Any) -> Any:
        drawn.layouts += 1
        return reflow(*arguments)

    def row(self: LineList[Any], index: int, width: int) -> Any:
        drawn.rows.append(index)
        return draw_row(self, index, width)

    with monkeypatch.context() as patched:
        patched.setattr(app, "_display", displayed)
        patched.setattr(Compositor, "reflow", laid_out)
        patched.setattr(LineList, "draw_row", row)
        yield drawn


@asynccontextmanager
async def characters(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[User, Drawn]]:
    """The list of many characters, at rest."""
    async with opened(demo(fill_store=seeded(MANY)), screen="characters", size=NARROW) as user:
        await user.rests()
        with watching(user, monkeypatch) as drawn:
            yield user, drawn


async def test_a_step_through_a_list_draws_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    async with characters(monkeypatch) as (user, drawn):
        await user.press("down")
        await user.rests()
        assert len(drawn.frames) == 1
        assert drawn.rows == [0, 1]


async def test_a_step_that_scrolls_draws_only_the_rows_with_the_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    async with characters(monkeypatch) as (user, drawn):
        height = user.listed.size.height - 1
        await user.press(*["down"] * (height - 1))
        await user.rests()
        drawn.forget()
        await user.press("down")
        await user.rests()
        assert len(drawn.frames) == 1
        assert drawn.rows == [height - 1, height]
        assert user.listed.items[height].character_name in user.screen
        drawn.forget()
        await user.press("home")
        await user.rests()
        assert set(drawn.rows) == {0}, "the others were in sight"
        assert user.listed.items[0].character_name in user.screen


async def test_rows_that_changed_while_others_scrolled_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    async with characters(monkeypatch) as (user, _):
        await user.press("end", "space", "up", "space", "home", "space", "pagedown", "space", "pageup")
        await user.rests()
        shown = user.screen
        user.listed.refresh()
        await user.settle()
        assert user.screen == shown


@pytest.mark.parametrize(("keys", "closing"), [("question_mark", "escape"), ("y", "escape"), (":", "escape")])
async def test_a_dialog_is_drawn_once_and_what_is_below_once(
    monkeypatch: pytest.MonkeyPatch, keys: str, closing: str
) -> None:
    async with characters(monkeypatch) as (user, drawn):
        await user.press(keys)
        await user.until(lambda: not user.at_work and drawn.frames, "for the dialog")
        await user.rests()
        assert len(drawn.frames) == 1
        drawn.forget()
        await user.press(closing)
        await user.back()
        await user.rests()
        assert len(drawn.frames) == 1
        assert drawn.layouts == 0


async def test_a_list_is_drawn_once_when_a_record_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    async with characters(monkeypatch) as (user, drawn):
        await user.press("enter")
        await user.until(lambda: drawn.frames and not user.listed.region, "for the record in place of the list")
        await user.rests()
        drawn.forget()
        await user.press("escape")
        await user.until(lambda: user.listed.region, "for the list")
        await user.rests()
        assert len(drawn.frames) == 1


async def test_a_filter_is_opened_with_one_layout_and_one_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    async with characters(monkeypatch) as (user, drawn):
        await user.press("slash")
        await user.until(lambda: user.characters.described, "for the traits")
        await user.rests()
        assert (len(drawn.frames), drawn.layouts) == (1, 1)


async def test_a_letter_that_leaves_the_matches_as_they_are_draws_the_filter_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with characters(monkeypatch) as (user, drawn):
        name = user.listed.items[0].character_name
        await user.press("slash")
        await user.until(lambda: user.characters.described, "for the traits")
        await user.press(*name[:-1])
        await user.rests()
        assert name in user.screen
        drawn.forget()
        await user.press(name[-1], "space")
        await user.rests()
        assert drawn.rows == []
        field = user.app.screen.focused
        assert field is not None
        assert drawn.lines == {field.region.y}


async def test_only_the_line_of_a_border_that_differs_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    async with characters(monkeypatch) as (user, drawn):
        panel: Any = user.listed.parent
        top, bottom = panel.region.y, panel.region.bottom - 1

        async def lines(change: Callable[[], None]) -> set[int]:
            drawn.forget()
            change()
            await user.settle()
            assert drawn.layouts == 0
            return drawn.lines

        assert await lines(lambda: entitle(panel, "Other")) == {top}
        assert await lines(lambda: entitle(panel, "Other")) == set()
        assert await lines(lambda: write_on_border(panel, "a note")) == {bottom}
        assert await lines(lambda: write_on_border(panel, "a note")) == set()
        assert drawn.rows == []


async def test_keys_that_stay_the_same_are_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with characters(monkeypatch) as (user, drawn):
        user.top.refresh_bindings()
        await user.settle()
        assert drawn.frames == []


@pytest.mark.parametrize("name", [screen.id.removeprefix("show-") for screen in SCREENS])
async def test_a_screen_at_rest_is_not_drawn(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    async with opened(screen=name, size=WIDE) as user:
        await user.rests()
        with watching(user, monkeypatch) as drawn:
            user.app.work.refresh_bars()
            user.app.work.tick()
            await user.settle()
            assert drawn.frames == []


async def test_what_changes_behind_a_dialog_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    async with characters(monkeypatch) as (user, drawn):
        await user.press("y")
        await user.until(lambda: not user.at_work and drawn.frames, "for the dialog")
        await user.settle()
        drawn.forget()
        panel: Any = user.app.work["characters"].query_one("#left")
        entitle(panel, "Other")
        await user.until(lambda: drawn.frames, "for a frame")
        assert "Other" in user.screen


async def test_what_changes_behind_several_dialogs_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await user.rests()
        await user.press("P", "?")
        await user.at(Help)
        await user.settle()
        with watching(user, monkeypatch) as drawn:
            entitle(user.app.work["characters"].query_one("#left"), "Other")
            await user.until(lambda: drawn.frames, "for a frame")
        assert "╭─ Other ─" in user.screen


def test_the_framework_has_what_painting_relies_on() -> None:
    """The private names used by ``painting.py``, ``line_view.py`` and ``border.py``, by name after an upgrade."""
    screen: Screen[None] = Screen()
    for owner, names in (
        (screen, "_compositor _dirty_widgets _layout_required _layout_widgets _repaint_required"),
        (screen, "_compose _compositor_refresh _on_layout _on_timer_update _refresh_layout _screen_resized"),
        (Compositor(), "_dirty_regions visible_widgets update_widgets size"),
        (Widget(), "_repaint_regions _set_dirty _styles_cache _vertical_scrollbar _horizontal_scrollbar"),
        (Widget(), "_container_size _scroll_update _size _size_updated _border_title _border_subtitle"),
        (StylesCache(), "_cache _dirty_lines"),
    ):
        for name in names.split():
            assert hasattr(owner, name), name
