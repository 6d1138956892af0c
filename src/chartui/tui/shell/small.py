"""A window in which nothing can be read: it says how large it has to be, and takes no key that would act unseen."""

from __future__ import annotations

from typing import Final

from textual._compositor import LayoutUpdate
from textual.geometry import Region, Size

from chartui.tui.painting import Line, wrap

__all__ = ["LEAST", "notice", "too_small"]

#: The least window, in columns and lines.
LEAST: Final = Size(60, 20)


def too_small(size: Size) -> bool:
    """Whether a window of ``size`` is smaller than the least; one that nobody knows yet (0x0) is not."""
    return bool(size) and (size.width < LEAST.width or size.height < LEAST.height)


def notice(size: Size, quit_key: str) -> LayoutUpdate:
    """The picture of such a window; ``quit_key`` is what still works, as it is written for people."""
    text = (
        f"chartui needs a window of {LEAST.width}x{LEAST.height}, and this one is {size.width}x{size.height}. "
        "Make it larger: everything is as it was."
    )
    if quit_key:
        text += f" {quit_key} quits."
    lines = wrap(text, max(1, size.width - 2))[: size.height]
    above = (size.height - len(lines)) // 2
    rows = [*[""] * above, *lines, *[""] * size.height][: size.height]
    return LayoutUpdate([[Line(size.width).gap().add(row).strip()] for row in rows], Region(0, 0, *size))
