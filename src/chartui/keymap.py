"""The keys of each command: the defaults of the table, overridden by the settings file.

They are checked here because the framework accepts unknown key names and lets one command silently take the key of
another. Problems are reported, and the command keeps its default keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from chartui.commands import COMMANDS, Command, command, key_label
from chartui.commands.command import APP, within
from chartui.commands.keys import CHARACTER_KEYS, character_key
from chartui.core.classes import NamedTuple
from chartui.core.naming import nearest, unknown

if TYPE_CHECKING:
    from chartui.core.own_commands import OwnCommand

#: Keys that terminals and multiplexers reserve or cannot tell apart, with the reason.
KEPT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ctrl+a": "the prefix key of terminal multiplexers",
        "ctrl+b": "the prefix key of terminal multiplexers",
        "ctrl+c": "used to interrupt programs or copy text",
        "ctrl+g": "used by terminal multiplexers",
        "ctrl+h": "the same as Backspace in terminals",
        "ctrl+i": "the same as Tab in terminals",
        "ctrl+j": "the same as Enter in terminals",
        "ctrl+k": "used by terminal multiplexers",
        "ctrl+m": "the same as Enter in terminals",
        "ctrl+o": "used by terminal multiplexers",
        "ctrl+s": "used to pause terminal output",
        "ctrl+backslash": "used to quit programs",
        "ctrl+left_square_bracket": "the same as Escape in terminals",
    }
)
#: Keys that move in lists, trees and forms; they never reach a command.
MOVES: Final = frozenset({"up", "down", "j", "k", "pageup", "pagedown", "home", "end", "g", "G", "tab", "shift+tab"})

_SPECIAL: Final = ("left", "right", "insert", "delete", *(f"f{number}" for number in range(1, 13)))
_SINGLE: Final = ("enter", "escape", "space", "backspace", *_SPECIAL, "up", "down", "pageup", "pagedown", "home", "end")
_MODIFIERS: Final = ("ctrl", "alt", "shift")
_ALSO: Final[Mapping[str, str]] = MappingProxyType(
    {"esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "del": "delete", "ins": "insert"}
)
#: The scope of tables, which every screen can contain.
_TABLE: Final = "table"


class BadKey(ValueError):
    """A key that a command cannot have; the message gives the reason, as the end of a sentence."""


def key_name(text: str) -> str:
    """The framework's name of a key: ``?`` is ``question_mark``, ``Ctrl+X`` is ``ctrl+x``. Raises :class:`BadKey`."""
    key = pressed_key(text)
    if key in KEPT:
        raise BadKey(f"never reaches the program: {KEPT[key]}")
    if key in MOVES:
        raise BadKey("is reserved for moving in lists, trees and forms")
    return key


def pressed_key(text: str) -> str:
    """Like :func:`key_name`, but for any key that can be pressed, even one that a command cannot have."""
    if len(text) == 1 and text.isprintable() and text != " ":
        name = character_key(text)
        if not name:
            raise BadKey("is not a key")
        return name
    *modifiers, last = (
        text.strip().replace(" +", "+").replace("+ ", "+").split("+") if text.strip() != "+" else ["plus"]
    )
    last = _base(last, text)
    modifiers = [modifier.lower() for modifier in modifiers]
    unknown = [modifier for modifier in modifiers if modifier not in _MODIFIERS]
    if unknown or len(set(modifiers)) < len(modifiers):
        raise BadKey(f"is not a key; the modifiers are {', '.join(_MODIFIERS)}")
    if not modifiers:
        return last
    if last in _SPECIAL or last in MOVES - {"j", "k", "g", "G"}:
        return "+".join([*(m for m in _MODIFIERS if m in modifiers), last])
    if modifiers == ["shift"]:
        raise BadKey(
            f"is not a separate key; write '{last.upper()}'"
            if last.isalpha()
            else "is not a key that terminals can send"
        )
    if modifiers == ["alt"] and (len(last) == 1 or last in CHARACTER_KEYS):
        return f"alt+{last}"
    if modifiers == ["ctrl"] and (
        (len(last) == 1 and last.isascii() and last.isalpha()) or last in ("backslash", "left_square_bracket")
    ):
        return f"ctrl+{last.lower()}"
    raise BadKey("is not a key that terminals can send")


def _base(last: str, text: str) -> str:
    """The key without its modifiers."""
    if len(last) == 1 and last.isprintable():
        return character_key(last)
    name = last.lower().replace("-", "_")
    name = _ALSO.get(name, name)
    if name in _SINGLE or name in CHARACTER_KEYS or name == "tab":
        return name
    near = nearest(name, [*_SINGLE, *CHARACTER_KEYS])
    hint = f" (did you mean “{'+'.join([*text.split('+')[:-1], near])}”?)" if near else ""
    raise BadKey(f"is not a key{hint}")


class Keymap(NamedTuple):
    """The keys of every command, by their framework names. ``given`` holds those that differ from the table.

    ``problems`` lists the rejected keys, one sentence each. With ``words``, labels are words instead of signs.
    """

    given: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    problems: tuple[str, ...] = ()
    words: bool = False

    def keys(self, wanted: Command) -> tuple[str, ...]:
        """The keys of a command; empty if all were removed."""
        return self.given.get(wanted.id, wanted.keys)

    def binds(self, key: str) -> bool:
        """Whether the settings file assigns ``key`` to a command."""
        return any(key in keys for keys in self.given.values())

    def label(self, wanted: Command | str) -> str:
        """The label of the first key of a command or its id, or an empty string if the command has no key."""
        keys = self.keys(command(wanted) if isinstance(wanted, str) else wanted)
        return key_label(keys[0], words=self.words) if keys else ""

    def sign(self, key: str) -> str:
        """The label of a key, by the framework's name."""
        return key_label(key, words=self.words)

    def labels(self, wanted: Command) -> str:
        """The labels of all keys of a command."""
        return " ".join(key_label(key, words=self.words) for key in self.keys(wanted))

    def name(self, command_id: str) -> str:
        """The name of a command in a sentence: its first key or, if it has none, its title in quotes."""
        return self.label(command_id) or f"“{command(command_id).title}”"

    @property
    def for_framework(self) -> dict[str, str]:
        """The keys in the form of the framework's own keymap.

        The framework takes a changed key away from every command that has it, so all commands sharing one are included.
        """
        touched = {key for wanted, keys in self.given.items() for key in (*command(wanted).keys, *keys)}
        shared = (each for each in COMMANDS if each.id in self.given or touched & {*each.keys})
        return {each.id: each.bound(self.keys(each)) for each in shared}


def make_keymap(wanted: Mapping[str, tuple[str, ...]], table: Iterable[Command] = COMMANDS) -> Keymap:
    """The keys of all commands, changed as ``wanted`` (by command id). ``problems`` lists the rejected keys."""
    commands = {row.id: row for row in table}
    problems: list[str] = []
    given: dict[str, tuple[str, ...]] = {}
    for command_id, texts in wanted.items():
        if command_id not in commands:
            where = "" if nearest(command_id, commands) else " See docs/keys.md for all commands."
            problems.append(f"keys.{command_id}: {unknown('command', command_id, commands, listed=False)}{where}")
            continue
        try:
            given[command_id] = _keys(texts)
        except BadKey as error:
            problems.append(f"keys.{command_id}: {error}. The command keeps {_written(commands[command_id].keys)}.")
    while clash := _clash(commands.values(), given):
        one, other, key = clash
        # Falling back to the defaults always helps: the keys of the table do not clash.
        loser = other if other.id in given else one
        del given[loser.id]
        problems.append(
            f"keys.{loser.id}: '{key_label(key)}' is assigned to both {one.id} and {other.id}; "
            f"{loser.id} keeps {_written(loser.keys)}."
        )
    changed = {command_id: keys for command_id, keys in given.items() if keys != commands[command_id].keys}
    return Keymap(MappingProxyType(changed), tuple(problems))


def key_of_own(own: OwnCommand, every: Iterable[OwnCommand], keymap: Keymap) -> tuple[str, str]:
    """The key of one of the user's own commands, by its framework name (empty if unusable), and the problem with it."""
    if own.key is None:
        return "", ""
    where = f"commands[{own.number}].key"
    try:
        key = key_name(own.key)
    except BadKey as error:
        return "", f"{where}: {own.key!r} {error}. The command has no shortcut."
    row = Command(own.id, key, "", own.scope, own.title, "")
    taken = next((c.id for c in COMMANDS if key in keymap.keys(c) and together(c, row)), None)
    for other in every:
        if taken is None and other.number < own.number and other.key == own.key:
            taken = f"“{other.title}”" if APP in (own.scope, other.scope) or own.scope == other.scope else None
    return ("", f"{where}: {own.key!r} is assigned to {taken}. The command has no shortcut.") if taken else (key, "")


def own_problems(own: Sequence[OwnCommand], keymap: Keymap) -> Iterator[str]:
    """The problems with the keys of the user's own commands."""
    return filter(None, (key_of_own(each, own, keymap)[1] for each in own))


def _keys(texts: tuple[str, ...]) -> tuple[str, ...]:
    keys = []
    for text in texts:
        try:
            keys.append(key_name(text))
        except BadKey as error:
            raise BadKey(f"{text!r} {error}") from None
    return tuple(dict.fromkeys(keys))


def _clash(commands: Iterable[Command], given: Mapping[str, tuple[str, ...]]) -> tuple[Command, Command, str] | None:
    """Two commands that clash in the same place, and the key they share.

    Commands that share a key by default may share others: the inner command, or the one that works now, is performed.
    """
    owners: dict[str, list[Command]] = {}
    for row in commands:
        for key in given.get(row.id, row.keys):
            for owner in owners.setdefault(key, []):
                if together(owner, row) and not {*owner.keys} & {*row.keys}:
                    return owner, row, key
            owners[key].append(row)
    return None


def together(one: Command, other: Command) -> bool:
    """Whether two commands can be reached from the same place, so that one would hide the other."""
    return _TABLE in (one.scope, other.scope) or within(one.scope, other.scope) or within(other.scope, one.scope)


def _written(keys: tuple[str, ...]) -> str:
    return ", ".join(key_label(key) for key in keys) or "no key"
