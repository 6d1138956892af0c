"""The commands as the framework's bindings, and which of them work where the keys go now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from chartui.commands import COMMANDS, Command, commands_at

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

__all__ = ["Active", "active", "along", "bindings_for", "part_of", "performer", "sign_of"]

_TABLE = {command.id: (order, command) for order, command in enumerate(COMMANDS)}


class Active(NamedTuple):
    """A command that works where the keys go now: the ``node`` that performs it, and the ``keys`` that reach it.

    A titled binding of a dialog is one as well; its scope is empty.
    """

    command: Command
    node: DOMNode
    keys: tuple[str, ...]


def bindings_for(scope: str) -> list[BindingType]:
    """The bindings of the widget that performs the commands of ``scope``."""
    return [Binding(c.shortcut.replace(" ", ","), c.action, c.title, show=False, id=c.id) for c in commands_at(scope)]


def active(screen: Screen[Any]) -> list[Active]:
    """What works on ``screen``, from the focused part outward; within a part in the table's order."""
    found: dict[tuple[int, int, str], tuple[Command, DOMNode, list[str]]] = {}
    taken: set[str] = set()
    bound = [
        (depth, node, key, binding)
        for depth, (node, bindings) in enumerate(screen._modal_binding_chain)
        for key, binding in bindings
    ]
    bound.sort(key=lambda each: not each[3].priority)
    for depth, node, key, binding in bound:
        if key in taken or _hands_on(binding, screen) or not _able(screen, node, binding):
            continue
        taken.add(key)
        if (order_and_command := _command(binding)) is not None:
            order, command = order_and_command
            found.setdefault((depth, order, command.id), (command, node, []))[2].append(key)
    keymap = cast("ChartuiApp", screen.app).keymap
    shown = []
    for place in sorted(found, key=lambda place: place[:2]):
        command, node, bound_keys = found[place]
        # Of a command of the table, the keys in the order of the table; none where all were taken from it.
        keys = [key for key in keymap.keys(command) if key in bound_keys] if command.scope else bound_keys
        if keys:
            shown.append(Active(command, node, tuple(keys)))
    return shown


def _command(binding: Binding) -> tuple[int, Command] | None:
    """The row of a binding, or one made from its title; None for one that only moves."""
    if binding.id in _TABLE:
        return _TABLE[binding.id]
    if not (binding.description and binding.show):
        return None
    word = binding.description[:1].lower() + binding.description[1:]
    name = f"{binding.action} {binding.description}"
    return len(_TABLE), Command(
        name, binding.key, binding.action, "", binding.description, binding.tooltip, footer=word
    )


def _hands_on(binding: Binding, screen: Screen[Any]) -> bool:
    """Whether a list or a text field only reports the key, and a command of what is around it answers."""
    if binding.id or (binding.show and binding.description):
        return False
    return binding.action == "choose" or (binding.action == "submit" and screen.is_modal)


def _able(screen: Screen[Any], node: DOMNode, binding: Binding) -> bool:
    return screen.app._check_action_state(binding.action, node) is not False


def along(screen: Screen[Any]) -> list[Active]:
    """All commands along the focus path with all their keys, those as well that cannot work just now."""
    keymap = cast("ChartuiApp", screen.app).keymap
    found: list[Active] = []
    for node in _path(screen):
        here: dict[str, tuple[int, Active]] = {}
        for key, binding in node._bindings:
            if (order_and_command := _command(binding)) is not None:
                order, command = order_and_command
                keys = (*here[command.id][1].keys, key) if command.id in here else (key,)
                here[command.id] = order, Active(command, node, keymap.keys(command) if command.scope else keys)
        found += [each for _, each in sorted(here.values(), key=lambda pair: pair[0])]
    return found


def performer(screen: Screen[Any], command_id: str) -> DOMNode | None:
    """The node along the focus path that performs a command, whether or not a key reaches it while you type."""
    return next((node for node in _path(screen) if _binds(node, command_id)), None)


def part_of(screen: Screen[Any], command_id: str) -> Widget | None:
    """The part of a screen that performs a command, wherever the focus is; None where no part does."""
    return next((widget for widget in screen.walk_children(Widget) if _binds(widget, command_id)), None)


def _path(screen: Screen[Any]) -> Iterator[DOMNode]:
    for node in (screen.focused or screen).ancestors_with_self:
        yield node
        if node.is_modal:
            return


def _binds(node: DOMNode, command_id: str) -> bool:
    return any(binding.id == command_id for _, binding in node._bindings)


def sign_of(node: DOMNode, key: str) -> str:
    """A key that no command has, by the framework's name, as the present terminal can show it."""
    return cast("ChartuiApp", node.app).keymap.sign(key)
