"""Screens that paint each change once.

The framework paints a new layout, then what the widgets have asked for, then everything if the focus has moved: two or
three pictures of the same, each of which takes the time of a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from types import MappingProxyType
from typing import Self

from rich.console import RenderableType
from textual import _time, messages
from textual._context import visible_screen_stack
from textual.await_remove import AwaitRemove
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.screen import Screen, ScreenResultType
from textual.widget import Widget

from chartui.tui.output.compositor import FrameCompositor
from chartui.tui.widgets.line_view import LineView


class PaintedScreen(Screen[ScreenResultType]):
    """Nothing is painted before the first picture is complete, and what a frame has painted is not painted again."""

    #: The framework would paint the whole screen; what looks different with the focus repaints itself.
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    _opening: ExitStack | None = None
    _painted = False
    _laid_out = 0.0
    #: The widgets that asked for no layout before the current one, with their scroll bars.
    _settled: Mapping[Widget, tuple[bool, bool]] = MappingProxyType({})

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(name, id, classes)
        self._compositor = FrameCompositor()

    async def _compose(self) -> None:
        self._opening = ExitStack()
        self._opening.enter_context(self.app.batch_update())
        await super()._compose()

    def _on_unmount(self) -> None:
        if self._opening is not None:
            self._let_paint()
            for screen in self.app.screen_stack[-1:]:
                screen.refresh()

    def on_screen_resume(self) -> None:
        """Paint the first picture, once, after the layout and the messages with the first data."""
        if not self._painted:
            self._painted = True
            self.call_later(self.call_later, self._paint_first)

    def _paint_first(self) -> None:
        """Paint the whole first picture, including all pending updates.

        Otherwise the widgets would be painted one by one, and then the whole screen again.
        """
        if self._layout_required:
            self._layout_required = False
            self._refresh_layout()
        self._repaint_required = False
        # A dialog keeps a picture of what is behind it, which may have changed since.
        self._set_dirty()
        for screen in self.app._background_screens if self is self.app.screen else ():
            screen._repaint_required = False
            for widget in screen.walk_children(Widget, with_self=True):
                widget._repaint_regions.clear()
        self._compositor.update_widgets({self})
        self._let_paint()
        self._compositor_refresh()

    def _let_paint(self) -> None:
        """Let others paint too, what they could not paint in the meantime."""
        if self._opening is not None:
            self._opening.close()
            self._opening = None
            for screen in self.app.screen_stack:
                screen.check_idle()

    def _on_timer_update(self) -> None:
        if self._repaint_required and not self.app._batch_count:
            # With everything else, not after it.
            self._repaint_required = False
            self._dirty_widgets.add(self)
        if self.is_current and not self.app._batch_count:
            # Widgets ask one after the other: those that are about to ask would be painted in the next frame.
            for widget in self._compositor.visible_widgets:
                if widget._repaint_required and not widget._layout_required:
                    widget._repaint_required = False
                    self._dirty_widgets.add(widget)
        super()._on_timer_update()

    def render(self) -> RenderableType:
        """Draw on what is behind: the screens in front may keep their pictures, and have not taken it off the stack."""
        stack = self.app.screen_stack
        visible_screen_stack.set(stack[: stack.index(self)][-1:] if self in stack else [])
        return super().render()

    def _compositor_refresh(self) -> None:
        self._drop_layouts()
        behind = self.app._background_screens
        if self in behind:
            # Each dialog between this screen and the one in front keeps a picture of what is behind it, too.
            for screen in behind[behind.index(self) + 1 :]:
                screen._set_dirty(*self._compositor._dirty_regions)
        if self is self.app.screen:
            painted, visible = self._compositor._dirty_regions, self._compositor.visible_widgets
            for widget, (region, _) in visible.items():
                if isinstance(widget, LineView):
                    widget.take_width(region.width)
            if self.app._batch_count:
                # The framework would draw the whole picture, and drop it.
                return
            # What is asked for while this frame is being made is painted in the next one.
            for widget, (region, clip) in visible.items():
                widget._repaint_regions -= {
                    part
                    for part in widget._repaint_regions
                    if _contains(painted, clip.intersection(part.translate(region.offset)))
                }
        super()._compositor_refresh()

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        if not scroll or self._layout_widgets:
            self._laid_out = _time.get_time()
        self._settled = {widget: widget.scrollbars_enabled for widget in self._inside() if not widget._layout_required}
        super()._refresh_layout(size, scroll)
        self._drop_layouts()

    def _drop_layouts(self) -> None:
        """Drop requests for a layout due to a new size: only a scroll bar that comes or goes needs another one."""
        for widget, bars in self._settled.items():
            if widget._layout_required and widget.scrollbars_enabled == bars:
                widget._layout_required = False
        self._settled = {}

    def _inside(self) -> Iterator[Widget]:
        for widget in self.walk_children(Widget):
            yield widget
            yield from filter(None, (widget._vertical_scrollbar, widget._horizontal_scrollbar))

    async def _on_layout(self, message: messages.Layout) -> None:
        if message.time < self._laid_out:
            # It was asked for before the last layout, which has heeded it.
            message.stop()
            message.prevent_default()

    def _screen_resized(self, size: Size) -> None:
        # The framework lays out every screen in the background whenever a dialog opens.
        if size != self._compositor.size or not self._painted:
            super()._screen_resized(size)

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Paint again; a layout paints what it changes, not everything."""
        return super().refresh(*regions, repaint=repaint and not layout, layout=layout, recompose=recompose)

    def remove(self) -> AwaitRemove:
        """Close the screen; the framework would lay out and paint the one below again."""
        return self.app._prune(self)


def _contains(painted: Iterable[Region], part: Region) -> bool:
    return any(region.contains_region(part) for region in painted)
