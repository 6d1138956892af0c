"""Draws only what a frame changes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
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
