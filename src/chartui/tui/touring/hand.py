"""A hand that presses the program's own keys, and eyes that read its screen: for tours, and for tests."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from textual import events
from textual._context import visible_screen_stack
from textual.keys import KEY_NAME_REPLACEMENTS
from textual.strip import Strip

if TYPE_CHECKING:
    from textual.widget import Widget

    from chartui.tui.app import ChartuiApp

__all__ = ["drawn", "key_event", "messages", "screen_text", "seen"]


def key_event(name: str) -> events.Key:
    """A key as a terminal reports it; ``name`` is a character or a name of the framework."""
    if len(name) == 1:
        named = unicodedata.name(name).lower().replace("-", "_").replace(" ", "_")
        key = name if name.isalnum() else KEY_NAME_REPLACEMENTS.get(named, named)
        return events.Key(key, name)
    return events.Key(name, " " if name == "space" else None)


def drawn(app: ChartuiApp) -> list[Strip]:
    """The lines of the screen, with what lies behind a dialogue; drawn now."""
    # The same private renderer that the framework's own export_screenshot uses; its exact pin covers this.
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()


def screen_text(app: ChartuiApp) -> str:
    """What the screen of ``app`` shows, as text: a line per line, without blanks at the ends."""
    strips = drawn(app)
    return "\n".join(strip.text.rstrip() for strip in strips).rstrip() + "\n"


def seen(app: ChartuiApp, widget: Widget) -> str:
    """What is seen of one widget."""
    left, top, width, height = widget.region
    strips = drawn(app)[top : top + height]
    return "\n".join(strip.crop(left, left + width).text.rstrip() for strip in strips) + "\n"


def messages(app: ChartuiApp) -> list[str]:
    """The messages in sight, each in one line however it is broken."""
    toasts = app.screen.query("Toast")
    return [" ".join(seen(app, toast).replace("▌", " ").split()) for toast in toasts]
