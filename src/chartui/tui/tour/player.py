"""Performs the steps of a tour with real key presses."""

from __future__ import annotations

import asyncio
import unicodedata
from contextlib import nullcontext
from typing import Protocol

from textual import events
from textual._context import visible_screen_stack
from textual.events import Key, Paste
from textual.keys import KEY_NAME_REPLACEMENTS
from textual.strip import Strip
from textual.widget import Widget

from chartui.commands.keys import CHARACTER_KEYS, key_label
from chartui.core.text import cell_width, display_text
from chartui.demos.tour import Action, Perform, Press, Step, Text
from chartui.tui.app import ChartuiApp
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import fit
from chartui.tui.tour.app import RestingLoop, StagedApp
from chartui.tui.widgets.messages import MessageBar


def key_event(name: str) -> events.Key:
    """A key as a terminal reports it; ``name`` is a character or a name of the framework."""
    if len(name) == 1:
        named = unicodedata.name(name).lower().replace("-", "_").replace(" ", "_")
        key = name if name.isalnum() else KEY_NAME_REPLACEMENTS.get(named, named)
        return events.Key(key, name)
    return events.Key(name, " " if name == "space" else None)


def drawn(app: ChartuiApp) -> list[Strip]:
    """The lines of the screen, including those behind a dialog; drawn now."""
    # The same private renderer that the framework's own export_screenshot uses; its exact pin covers this.
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()


def screen_text(app: ChartuiApp) -> str:
    """The text on the screen of ``app``, line by line, without trailing spaces."""
    strips = drawn(app)
    return "\n".join(strip.text.rstrip() for strip in strips).rstrip() + "\n"


def seen(app: ChartuiApp, widget: Widget) -> str:
    left, top, width, height = widget.region
    strips = drawn(app)[top : top + height]
    return "\n".join(strip.crop(left, left + width).text.rstrip() for strip in strips) + "\n"


def messages(app: ChartuiApp) -> list[str]:
    """The visible messages, each in one line however it is wrapped."""
    told: dict[str, str] = {}
    for bar in app.screen.query(MessageBar):
        for notice, line in zip(bar.told, seen(app, bar).splitlines(), strict=False):
            words = line.removeprefix(GLYPHS.cursor).split()
            told[notice.identity] = " ".join((*told.get(notice.identity, "").split(), *words))
    return list(told.values())


#: The longest text that a failure quotes, in cells.
_LONGEST = 40
#: Seconds between two checks of the screen, at first and at most.
_LOOK, _LOOK_AT_MOST = 0.02, 0.3


class OffTheTour(Exception):
    """A key has no effect, or the screen differs from a step's expectations; the message names the step and says which.

    ``at`` is the member of the tour's file with the key or the expectation.
    """

    def __init__(self, number: int, message: str, member: str) -> None:
        super().__init__(f"step {number}: {message}")
        self.at = f"steps[{number - 1}].{member}"


class Onlooker(Protocol):
    """The audience of the tour, and its patience."""

    @property
    def patience(self) -> float: ...

    def misses(self, failure: OffTheTour) -> None:
        """A key had no effect, or the expectations of a step were not met. The tour continues unless this raises."""

    async def begins(self, number: int, step: Step) -> None:
        """A step begins, counted from 1; none of it is done yet."""
        ...

    async def between(self, action: Action) -> None:
        """A key of a step follows, or a character of its text."""
        ...

    async def passes(self, seconds: float) -> None: ...

    async def ends(self, step: Step) -> None: ...


async def play(app: StagedApp, onlooker: Onlooker) -> None:
    """Play the tour of ``app`` to its end; raises :class:`OffTheTour`."""
    await app.settle()
    for number, step in enumerate(app.tour.steps, 1):
        await play_step(app, number, step, onlooker)


async def play_step(app: StagedApp, number: int, step: Step, onlooker: Onlooker) -> None:
    if step.actions or step.service or step.wait:
        app.clear_notifications()  # earlier messages are over
    service = app.stage.service
    if step.service is not None:
        service.behaves = step.service
    if step.latency is not None:
        service.latency = step.latency
    await onlooker.begins(number, step)
    await press_keys(app, number, step, onlooker)
    lost = app.lost
    if step.wait:
        await onlooker.passes(step.wait)
    await _until_seen(app, number, step, onlooker)
    await app.settle()
    if app.lost > lost:
        onlooker.misses(OffTheTour(number, "keys were pressed too early and ignored", "keys"))
    await onlooker.ends(step)


async def press_keys(app: StagedApp, number: int, step: Step, onlooker: Onlooker) -> None:
    """Press the keys of a step; raises :class:`OffTheTour`."""
    for action in step.actions:
        await _act(app, number, action, onlooker)


async def _act(app: StagedApp, number: int, action: Action, onlooker: Onlooker) -> None:
    lost = app.lost
    match action:
        case Text(text, True):
            await onlooker.between(action)
            await app.press(Paste(text))
        case Text(text):
            for character in text:
                await onlooker.between(action)
                await app.press(key_event(character))
        case Press(key):
            await onlooker.between(action)
            await app.press(key_event(CHARACTER_KEYS.get(key, key)))
        case Perform(command_id):
            await onlooker.between(action)
            pressed = _key_of(app, number, command_id)
            await (app.perform(command_id) if pressed is None else app.press(pressed))
    # A key may open something through a worker; the next key waits for it.
    await app.settle()
    if app.lost > lost:
        onlooker.misses(OffTheTour(number, _without_effect(action, app.scope), "keys"))


def _without_effect(action: Action, scope: str) -> str:
    match action:
        case Perform(command_id):
            return f"'{command_id}' has no effect here ({scope})"
        case Press(key):
            return f"the key {key_label(key)} has no effect here ({scope})"
        case Text(text):
            shown = display_text(text)
            return f"nothing here accepts the text “{fit(shown, min(cell_width(shown), _LONGEST))}” ({scope})"


def _key_of(app: StagedApp, number: int, command_id: str) -> Key | None:
    """A key that performs a command now, that is, one that does not type text; None if the command has none."""
    command = app.command_here(command_id)
    if command is None:
        raise OffTheTour(number, f"'{command_id}' is not available on this screen ({app.scope})", "keys")
    for key in command.keys:
        event = key_event(CHARACTER_KEYS.get(key, key))
        if app.focused is None or not app.focused.check_consume_key(event.key, event.character):
            return event
    if not command.keys:
        return None
    raise OffTheTour(number, f"the shortcuts for '{command_id}' would be typed as text here", "keys")


async def _until_seen(app: StagedApp, number: int, step: Step, onlooker: Onlooker) -> None:
    loop, look = asyncio.get_running_loop(), _LOOK
    try:
        # Without an audience, only timers can still change the screen, and they need not be waited for.
        with loop.skipping() if isinstance(loop, RestingLoop) and app.is_headless else nullcontext():
            async with asyncio.timeout(onlooker.patience):
                while missing(app, step) and app.is_running:
                    await asyncio.sleep(look)
                    look = min(look * 1.5, _LOOK_AT_MOST)
    except TimeoutError:
        if wrong := missing(app, step):
            onlooker.misses(OffTheTour(number, ", ".join(wrong), "expect" if step.expect else "gone"))


def missing(app: StagedApp, step: Step) -> list[str]:
    if not step.expect and not step.gone:
        return []
    shown = "\n".join((screen_text(app), *messages(app)))
    absent = [f"“{text}” is not shown" for text in step.expect if text not in shown]
    return absent + [f"“{text}” is still shown" for text in step.gone if text in shown]
