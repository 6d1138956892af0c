"""The program draws what somebody looks at, once, and reads a style sheet that it has read before no second time.

What a terminal would have shown between two looks is drawn for nobody: that was a third of the time. The tests with a
real terminal (``tests/pty``) see every picture drawn.
"""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from rich.console import RenderableType
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.geometry import Size
from textual.strip import Strip

__all__ = ["KnownRules", "draw_when_looked_at"]


class KnownRules(Stylesheet):
    """A style sheet that keeps for all programs of this process what was made of a source."""

    _known: ClassVar[dict[object, list[RuleSet]]] = {}

    def _parse_rules(
        self,
        css: str,
        read_from: CSSLocation,
        is_default_rules: bool = False,
        tie_breaker: int = 0,
        scope: str = "",
    ) -> list[RuleSet]:
        key = (tuple(self._variables.items()), css, read_from, is_default_rules, tie_breaker, scope)
        if key not in self._known:
            self._known[key] = super()._parse_rules(css, read_from, is_default_rules, tie_breaker, scope)
        return self._known[key]


def draw_when_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the screen when somebody looks at it, and again only when the program would have painted since.

    A widget that changes and asks for no paint is seen as a terminal would show it: as it was.
    """
    update, strips = Compositor.render_update, Compositor.render_strips
    kept: dict[Compositor, tuple[object, list[Strip]]] = {}

    def render_update(
        self: Compositor, full: bool = False, screen_stack: list[Any] | None = None, simplify: bool = False
    ) -> RenderableType | None:
        if full or screen_stack is None:  # somebody takes a picture
            return update(self, full, screen_stack, simplify)
        if not self._dirty_regions:
            return None
        self._dirty_regions.clear()
        kept.clear()
        return ""

    def render_strips(self: Compositor, size: Size | None = None) -> list[Strip]:
        if self._dirty_regions:  # it is about to paint
            return strips(self, size)
        view = (size or self.size, tuple(visible_screen_stack.get([])))
        if self not in kept or kept[self][0] != view:
            kept[self] = view, strips(self, size)
        return kept[self][1]

    monkeypatch.setattr(Compositor, "render_update", render_update)
    monkeypatch.setattr(Compositor, "render_strips", render_strips)
