"""Commands as framework bindings, and which of them work at the focus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from chartui.commands import COMMANDS, Command, commands_at
from chartui.commands.keys import CHARACTER_KEYS
from chartui.core.classes import NamedTuple

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

_TABLE = {command.id: (order, command) for order, command in enumerate(COMMANDS)}


class Active(NamedTuple):
    """A command that works at the focus: the ``node`` that performs it, and the ``keys`` that reach it.

    Titled bindings of a dialog count too; their scope is empty.
    """

    command: Command
    node: DOMNode
    action: str
    keys: tuple[str, ...]


def bindings_for(scope: str) -> list[BindingType]:
    """The bindings of the widget that performs the commands of ``scope``."""
    return [Binding(c.bound(c.keys), c.action, c.title, show=False, id=c.id) for c in commands_at(scope)]


def bindings_of_app(*ids: str) -> list[BindingType]:
    """The global commands with these ids, for a dialog that lets their keys through."""
    named = (_TABLE[command_id][1] for command_id in ids)
    return [Binding(c.bound(c.keys), f"app.{c.action}", c.title, show=False, id=c.id) for c in named]


def active(screen: Screen[Any]) -> list[Active]:
    """The commands that work on ``screen``, from the focused part outward; within a part in table order."""
    found: dict[tuple[int, int, str], Active] = {}
    taken: set[str] = set()
    bound = [
        (depth, node, key, binding)
        for depth, (node, bindings) in enumerate(screen._modal_binding_chain)
        for key, binding in bindings
    ]
    bound.sort(key=lambda each: not each[3].priority)
    for depth, node, key, binding in bound:
        if key in taken or _hands_on(binding, screen) or _is_text(screen, node, key) or not _able(node, binding):
            continue
        taken.add(key)
        if (order_and_command := _command(node, binding)) is not None:
            order, command = order_and_command
            keys = found[place].keys if (place := (depth, order, command.id)) in found else ()
            found[place] = Active(command, node, binding.action, (*keys, key))
    wanted = cast("ChartuiApp", screen.app).keymap.keys
    inward = [found[place] for place in sorted(found, key=lambda place: place[:2])]
    return [each for each in (_in_order(each, wanted(each.command)) for each in inward) if each.keys]


def _in_order(found: Active, wanted: tuple[str, ...]) -> Active:
    """The keys in table order, without the placeholder of a command that has none; Esc first."""
    if found.command.scope:
        return found._replace(keys=tuple(key for key in wanted if key in found.keys))
    return found._replace(keys=tuple(sorted(found.keys, key=lambda key: key != "escape")))


def _command(node: DOMNode, binding: Binding) -> tuple[int, Command] | None:
    """The command of a binding, or one made from its title; None if it only moves the cursor."""
    if binding.id in _TABLE:
        return _TABLE[binding.id]
    own = cast("ChartuiApp", node.app).own
    if binding.id and own is not None and binding.id.startswith("own-"):
        return len(_TABLE), own.row(binding.id)
    title = binding.description if binding.show else ""
    if not title and binding.key == "escape" and node.is_modal:
        title = "Close"
    if not title:
        return None
    word = title[:1].lower() + title[1:]
    row = Command(f"{binding.action} {title}", binding.key, binding.action, "", title, binding.tooltip, footer=word)
    # A dialog's own keys come before the global ones, and its Esc after them.
    leads_out = any(other.action == binding.action for other in node._bindings.key_to_bindings.get("escape", ()))
    return (-1 if leads_out else -2), row


def _hands_on(binding: Binding, screen: Screen[Any]) -> bool:
    """Whether a list or a text field leaves the key to its parent, by reporting or ignoring it."""
    if binding.id or (binding.show and binding.description):
        return False
    if binding.action == "submit":
        return screen.is_modal
    return binding.action == "choose" or binding.action.startswith("scroll_")


def _is_text(screen: Screen[Any], node: DOMNode, key: str) -> bool:
    """Whether the key types a character at the focus. The framework has other names for some keys."""
    focused = screen.focused
    character = key if len(key) == 1 else CHARACTER_KEYS.get(key)
    return focused is not None and node is not focused and focused.check_consume_key(key, character)


def _able(node: DOMNode, binding: Binding) -> bool:
    return node.app._check_action_state(binding.action, node) is not False


def works(found: Active) -> bool:
    """Whether the node can perform the command now."""
    return found.node.app._check_action_state(found.action, found.node) is not False


def along(screen: Screen[Any]) -> list[Active]:
    """All commands along the focus path with all their keys, including those that cannot work now."""
    return [each for node in _path(screen) for each in _of(node)]


def reachable(found: Iterable[Active]) -> list[Active]:
    """These commands without keys taken by another command: an inner one, or one that works while they do not.

    A command that loses its last key is left out, as is one whose tab is not open; one that never had a key stays.
    """
    taken: set[str] = set()
    left: dict[int, Active] = {}
    for place, each in sorted(enumerate(found), key=lambda placed: not works(placed[1])):
        # Enter belongs to the list at the focus, unless a command has a use for it there.
        if each.keys and (each.command.tab or each.keys == ("enter",)) and not works(each):
            continue
        keys = tuple(key for key in each.keys if key not in taken)
        taken.update(keys)
        if keys or not each.keys:
            left[place] = each._replace(keys=keys)
    return [left[place] for place in sorted(left)]


def performed(screen: Screen[Any], command_id: str) -> Active | None:
    """A command along the focus path, even if no key reaches it while you type."""
    return next((each for each in along(screen) if each.command.id == command_id), None)


def in_part(screen: Screen[Any], command_id: str) -> Active | None:
    """A command of any part of a screen, regardless of the focus."""
    return next((each for each in in_parts(screen) if each.command.id == command_id), None)


def in_parts(screen: Screen[Any]) -> Iterator[Active]:
    """The commands of all parts of a screen, including those that cannot work now."""
    return (each for widget in screen.walk_children(Widget) for each in _of(widget))


def _path(screen: Screen[Any]) -> Iterator[DOMNode]:
    for node in (screen.focused or screen).ancestors_with_self:
        yield node
        if node.is_modal:
            return


def _of(node: DOMNode) -> list[Active]:
    """The commands of a node, those of a part of it first, then in table order; those not in the table only while
    they work.
    """
    keymap = cast("ChartuiApp", node.app).keymap
    found: dict[tuple[int, int, str], Active] = {}
    for key, binding in node._bindings:
        if (order_and_command := _command(node, binding)) is not None and (binding.id or _able(node, binding)):
            order, command = order_and_command
            place = (-command.scope.count("."), order, command.id)
            keys = found[place].keys if place in found else ()
            found[place] = Active(command, node, binding.action, (*keys, key))
    inside = [found[place] for place in sorted(found, key=lambda place: place[:2])]
    return [each._replace(keys=keymap.keys(each.command)) if each.command.scope else each for each in inside]


def sign_of(node: DOMNode, key: str) -> str:
    """The label of a key that has no command, as this terminal can show it. ``key`` is the framework's name."""
    return cast("ChartuiApp", node.app).keymap.sign(key)
