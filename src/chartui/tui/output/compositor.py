"""Draws only what a frame changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from rich.segment import Segment
from textual._compositor import ChopsUpdate, Compositor
from textual._styles_cache import StylesCache
from textual.color import Color
from textual.css.styles import StylesBase
from textual.geometry import Region, Size, Spacing
from textual.strip import Strip


class FrameCompositor(Compositor):
    """Asks a widget only for lines with cells that have to be painted and that no widget in front of it covers.

    The framework asks every widget for all its lines between the first and the last line of the frame, and divides
    them at the edges of all widgets. In a frame that changes a few lines, this takes longer than drawing these lines.
    """

    def render_partial_update(self) -> ChopsUpdate | None:
        """The parts of the lines within the regions to paint; the other parts are None."""
        if not self._dirty_regions:
            return None
        spans, cuts = list(self._regions_to_spans(self._dirty_regions.copy())), self.cuts
        self._dirty_regions.clear()
        chops: list[dict[int, Strip | None]] = [dict.fromkeys(line[:-1]) for line in cuts]
        missing: dict[int, set[int]] = {}
        for y, start, stop in spans:
            if 0 <= y < len(cuts):
                parts = {cut for cut, end in pairwise(cuts[y]) if cut < stop and end > start}
                missing.setdefault(y, set()).update(parts)
        for y, (left, right), strip in self._rendered(missing):
            edges = [cut for cut in cuts[y] if left <= cut <= right]
            for cut, part in zip(edges, strip.divide([edge - left for edge in edges[1:]]), strict=False):
                if cut in missing[y]:
                    missing[y].remove(cut)
                    chops[y][cut] = part
        return ChopsUpdate(chops, spans, [line[1:] for line in cuts])

    def _rendered(self, missing: dict[int, set[int]]) -> Iterator[tuple[int, tuple[int, int], Strip]]:
        """The lines of widgets, from front to back, that contain ``missing`` parts; each with its row and columns."""
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            left, right = span = shown.column_span
            lines = [
                y for y in shown.line_range if (cuts := missing.get(y)) and any(left <= cut < right for cut in cuts)
            ]
            if lines:
                asked = Region(shown.x, lines[0], shown.width, lines[-1] + 1 - lines[0])
                strips = widget.render_lines(asked.translate(-region.offset))
                yield from ((y, span, strips[y - lines[0]]) for y in lines)


class LinesCache(StylesCache):
    """The lines of a widget with its border and padding, which the framework would compute again for every line."""

    _sides: tuple[object, list[Segment], list[Segment]] | None = None

    def render_line(
        self,
        styles: StylesBase,
        y: int,
        size: Size,
        content_size: Size,
        padding: Spacing,
        base_background: Color,
        background: Color,
        render_content_line: Callable[[int], Strip],
        *others: Any,
    ) -> Strip:
        """A line; the parts beside the content are those of the last line as long as the styles are the same."""
        render = partial(super().render_line, styles, y, size, content_size, padding, base_background, background)
        gutter, (width, height) = styles.gutter, content_size
        if (
            not gutter.top <= y < gutter.top + height
            or styles.tint.a
            or styles.text_opacity != 1
            or styles.opacity != 1
        ):
            return render(render_content_line, *others)
        updates = styles._cache_key  # type: ignore[attr-defined]  # counts the changes of styles
        made_of = (updates, size, content_size, base_background, background, others[2:])
        inside = self.get_inner_outer(base_background, background)[0].rich_style
        if self._sides is None or self._sides[0] != made_of:
            row = render(lambda _: Strip.blank(width, inside), *others)
            self._sides = made_of, [*row.crop(0, gutter.left)], [*row.crop(gutter.left + width)]
        _, left, right = self._sides
        line = render_content_line(y - gutter.top).adjust_cell_length(width, inside)
        return Strip([*left, *line, *right], size.width)
