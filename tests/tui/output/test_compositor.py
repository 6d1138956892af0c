"""A frame asks widgets only for what it paints, and shows what the framework's own would show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from rich.color import ColorSystem
from textual._compositor import Compositor
from textual._styles_cache import StylesCache
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from chartui.tui.output.cells import Cells
from chartui.tui.output.compositor import FrameCompositor, LinesCache
from chartui.tui.widgets.line_view import LineView
from tests.tui.user import WIDE, opened

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("screen", ["estimator", "characters", "narrative"])
async def test_a_part_of_a_frame_is_that_of_the_whole_picture(screen: str) -> None:
    async with opened(screen=screen, size=WIDE) as user:
        random, compositor = Random(1), user.compositor
        assert isinstance(compositor, FrameCompositor)
        width, height = compositor.size
        for _ in range(40):
            dirty = {
                Region(
                    random.randrange(-3, width),
                    random.randrange(-3, height),
                    random.randint(1, 60),
                    random.randint(1, 9),
                )
                for _ in range(random.randint(1, 4))
            }
            pictures = []
            for render in (FrameCompositor.render_partial_update, Compositor.render_partial_update):
                compositor._dirty_regions = {part.intersection(compositor.size.region) for part in dirty}
                update, cells = render(compositor), Cells(ColorSystem.TRUECOLOR)
                cells.resize(width, height)
                assert update is not None
                cells.take(update)
                pictures.append([(signs, [cells.looks[ord(look)] for look in looks]) for signs, looks in cells.rows])
                assert compositor._dirty_regions == set()
            assert pictures[0] == pictures[1]


async def test_widgets_that_are_not_painted_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(size=WIDE) as user:
        screen, asked = user.app.screen, list[tuple[str | None, int]]()

        def watched(widget: Widget, drawn: Callable[[Region], list[Strip]], crop: Region) -> list[Strip]:
            asked.append((widget.id, crop.height))
            return drawn(crop)

        for widget in screen.walk_children(Widget):
            monkeypatch.setattr(widget, "render_lines", partial(watched, widget, widget.render_lines))
        compositor = user.compositor
        compositor._dirty_regions = {Region(2, 3, 20, 1)}
        assert compositor.render_partial_update() is not None
        assert asked == [("inputs", 1)]


@pytest.mark.parametrize("screen", ["estimator", "characters", "narrative"])
async def test_the_lines_of_a_list_have_the_border_that_the_framework_draws(screen: str) -> None:
    async with opened(screen=screen, size=WIDE) as user:
        for theme in user.app.theme, "textual-light":
            user.app.theme = theme
            await user.settle()
            views = [view for view in user.app.screen.query(LineView) if view.size]
            assert views
            for view in views:
                whole = view.outer_size.region
                drawn = StylesCache().render_widget(view, whole)
                assert [list(strip) for strip in LinesCache().render_widget(view, whole)] == [list(s) for s in drawn]
