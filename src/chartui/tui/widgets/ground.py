"""What lies under the lines that a widget draws: worked out again only when a style is another one."""

from __future__ import annotations

from rich.style import Style
from textual.widget import Widget

__all__ = ["Ground"]


class Ground:
    """The style of a widget and of all that it is in, put together; the framework does that anew for every line."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._made_of: tuple[int, ...] = ()
        self._style = Style()

    @property
    def style(self) -> Style:
        """The present one."""
        # The framework counts the changes of every node's styles.
        made_of = tuple(node.styles._cache_key for node in self._widget.ancestors_with_self)
        if made_of != self._made_of:
            self._made_of, self._style = made_of, self._widget.rich_style
        return self._style
