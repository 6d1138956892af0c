"""The stages of an interaction as bars, each beginning where the one before it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.strip import Strip

from chartui.core.estimation.summary import Stage
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.numbers import latency_text
from chartui.tui.theme import Palette

__all__ = ["waterfall", "waterfall_line"]

#: Cells of a stage's name and of its milliseconds.
NAME, TIME = 14, 18
NARROW_NAME, NARROW_TIME = 12, 16
_CALLED: Final = {"voice_input": "Speech in", "voice_output": "Speech out", "animation": "Animation"}


def waterfall(stages: Sequence[Stage], width: int, palette: Palette, *, wide: bool) -> list[Strip]:
    """A row for each stage: when it begins and ends, the part that may take longer drawn lighter."""
    if not stages:
        return []
    name, time = (NAME, TIME) if wide else (NARROW_NAME, NARROW_TIME)
    cells = max(1, width - 1 - name - 1 - time - 1)
    strips = []
    for stage, (before, sure, longer) in zip(stages, _places(stages, cells), strict=True):
        row = Line(width).gap().add(_name(stage), palette.value, width=name).gap().gap(before)
        row.add(GLYPHS.sure * sure, palette.latency).add(GLYPHS.longer * longer, palette.latency)
        row.push_right(time + 1).add(latency_text(stage.takes), palette.label, width=time, align="right")
        strips.append(row.strip())
    return strips


def waterfall_line(line: Line, stages: Sequence[Stage], cells: int, palette: Palette) -> None:
    """The stages in one row, one behind the other; of what begins together, the longest."""
    ends = {stage.begins: stage for stage in sorted(stages, key=lambda stage: stage.takes.max)}
    row = sorted(ends.values(), key=lambda stage: stage.begins)
    for stage, (_, sure, longer) in zip(row, _places(row, cells), strict=True):
        size = sure + longer
        name = _name(stage).lower()
        # "speech in" is known by its end where there is no room for all of it.
        shown = next((f" {text} " for text in (name, name.rpartition(" ")[2]) if len(text) + 4 <= size), "")
        left = (size - len(shown)) // 2
        line.add(GLYPHS.stage_begin + GLYPHS.stage * (left - 1), palette.latency).add(shown, palette.label)
        line.add(GLYPHS.stage * (size - left - len(shown) - 1) + GLYPHS.stage_end, palette.latency)


def _name(stage: Stage) -> str:
    """A stage by the input that it comes from."""
    return "Model" if stage.model else _CALLED.get(stage.key, stage.label)


def _places(stages: Sequence[Stage], cells: int) -> list[tuple[int, int, int]]:
    """Of each stage: the cells before it, those it surely takes, those it may take; two at the least."""
    whole = max((stage.begins + stage.takes.max for stage in stages), default=None)
    places = []
    for stage in stages:
        begin, sure, end = (
            round(cells * at / whole) if whole else 0
            for at in (stage.begins, stage.begins + stage.takes.min, stage.begins + stage.takes.max)
        )
        begin = min(begin, cells - 2)
        end = max(end, begin + 2)
        sure = min(max(sure, begin + 1), end)
        places.append((begin, sure - begin, end - sure))
    return places
