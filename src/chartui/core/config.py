"""Read the settings file, which people write by hand.

It contains the theme, the first screen and shortcuts, for example::

    format = "chartui-config"
    version = 1
    theme = "lantern"
    screen = "characters"
    clipboard = "file"           # or "terminal"
    ascii = true                 # use only ASCII characters
    plain = true                 # lines of text instead of pictures, for screen readers
    remember = false             # do not reopen the screens as you left them
    relock_minutes = 15          # idle minutes until an unlocked production profile is read-only again
    price = "0.50 EUR"           # for 1 000 credits

    [prices.byo_mdla_compatible_endpoint]
    prompt_per_1k = 0.8          # credits for tokens that a provider bills (core/own_prices.py)
    output_per_1k = 3.2

    [keys]
    refresh = ["f5", "ctrl+r"]
    quit = []                    # no shortcut; the palette still lists it

    [lint.off]
    ending = "All three endings are intended."

    [terminal]
    title = false                # do not change the window title

    [backups]
    keep = 14                    # days; enabled = false turns backups off

Mistakes in the file never stop the program. They are reported, and defaults are used instead. :mod:`chartui.keymap`
checks commands and keys, and :mod:`chartui.core.narrative` checks rules.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.file_lock import rewrite
from chartui.core.files import read_obeyed
from chartui.core.paths import config_dir
from chartui.core.profiles import SCREEN_NAMES
from chartui.core.tables import (
    BadTable,
    Reader,
    as_toml,
    check_head,
    one_of,
    read_table,
    refuse_unknown,
    table_in,
    typed,
)

if TYPE_CHECKING:
    from decimal import Decimal

    from chartui.core.money import Price
    from chartui.core.own_commands import OwnCommand

FORMAT: Final = "chartui-config"
VERSION: Final = 1
#: Destinations of copied text, the default first. Text that is too long always goes to a file.
CLIPBOARDS: Final = ("terminal", "file")
#: Idle minutes until an unlocked production profile is locked again; 0 means never.
RELOCK_MINUTES: Final = 15
MOST_MINUTES: Final = 1440
#: Values of a variable that turn something off.
OFF: Final = ("0", "no", "off", "false")
_THEME: Final = re.compile(r"""(?m)^([ \t]*theme[ \t]*=[ \t]*)("[^"\n]*"|'[^'\n]*')""")
_VERSION: Final = re.compile(r"(?m)^[ \t]*version[ \t]*=.*$")


class Backups(NamedTuple):
    """The settings for daily copies of the store and the journal.

    They determine whether copies are made and how many are kept. ``max_mb`` limits the total size of the copies of one
    file, in megabytes. A file larger than this limit is not copied.
    """

    enabled: bool = True
    keep: int = 7
    max_mb: int = 1000


class TerminalUse(NamedTuple):
    """The terminal features that the program uses, such as the window title and the mouse.

    If ``differences`` is true, only changed parts of the screen are sent to the terminal.
    """

    title: bool = True
    links: bool = True
    notices: bool = True
    mouse: bool = True
    differences: bool = True


class Config(NamedTuple):
    """The settings in the settings file.

    A value of None means that a setting is not set. ``keys`` maps command IDs to shortcuts as written in the file.
    ``commands`` contains the user's own commands. ``lint_off`` maps the ID of each disabled lint rule to the reason.
    ``price`` is the price for 1 000 credits. ``prices`` contains the user's own rates for options that are billed by
    their provider, keyed by option. ``problems`` contains a sentence for each mistake. Every sentence names the file
    and the setting, and suggests a fix. Invalid settings are ignored.
    """

    theme: str | None = None
    screen: str | None = None
    clipboard: str | None = None
    ascii: bool | None = None
    plain: bool | None = None
    remember: bool | None = None
    relock_minutes: float | None = None
    price: Price | None = None
    prices: Mapping[str, Mapping[str, Decimal]] = MappingProxyType({})
    keys: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    lint_off: Mapping[str, str] = MappingProxyType({})
    backups: Backups = Backups()
    commands: tuple[OwnCommand, ...] = ()
    terminal: TerminalUse = TerminalUse()
    problems: tuple[str, ...] = ()


def config_path() -> Path:
    return config_dir() / "config.toml"


def load_config() -> Config:
    """Read the settings file, which may be missing. Mistakes are listed in ``problems``; no errors are raised."""
    known = tuple(name.removesuffix("_off") for name in Config._fields if name != "problems")
    reader = Reader(config_path(), FORMAT, VERSION, known, read=read_obeyed)
    off = reader.take(_off, reader.entries("lint")) or {}
    reasons = {rule: reader.take(_reason, value, rule) for rule, value in off.items()}
    keys = {command: reader.take(_keys, value, command) for command, value in reader.entries("keys").items()}
    return Config(
        theme=reader.text_of(reader.table, "theme", "theme"),
        screen=reader.take(one_of, reader.table, "screen", SCREEN_NAMES),
        clipboard=reader.take(one_of, reader.table, "clipboard", CLIPBOARDS),
        ascii=reader.flag_of(reader.table, "ascii", "ascii"),
        plain=reader.flag_of(reader.table, "plain", "plain"),
        remember=reader.flag_of(reader.table, "remember", "remember"),
        relock_minutes=reader.take(_minutes, reader.table, "relock_minutes"),
        price=reader.take(_price, reader.table, "price"),
        prices=MappingProxyType(_prices(reader)),
        keys=MappingProxyType({command: value for command, value in keys.items() if value is not None}),
        lint_off=MappingProxyType({rule: reason for rule, reason in reasons.items() if reason is not None}),
        backups=reader.take(_backups, reader.entries("backups")) or Backups(),
        commands=_commands(reader),
        terminal=reader.take(_terminal, reader.entries("terminal")) or TerminalUse(),
        problems=reader.problems,
    )


def plain_and_source(config: Config) -> tuple[bool, str]:
    """Return whether plain mode is on, and where the setting comes from, such as ``CHARTUI_PLAIN``."""
    if config.plain is not None:
        return config.plain, "config.toml"
    said = os.environ.get("CHARTUI_PLAIN", "").strip().lower()
    return said not in ("", *OFF), "CHARTUI_PLAIN" if said else "default"


def _commands(reader: Reader) -> tuple[OwnCommand, ...]:
    if "commands" not in reader.table:
        return ()
    from chartui.core.own_commands import read_commands

    return read_commands(reader.table["commands"], reader)


def _minutes(table: Mapping[str, Any], key: str) -> float | None:
    if key not in table:
        return None
    wanted = f"a number of minutes from 0 (never) to {MOST_MINUTES}"
    minutes = typed(table[key], (int, float), key, wanted)
    if not 0 <= minutes <= MOST_MINUTES:
        raise BadTable(f"{key} must be {wanted}.")
    return minutes


def _price(table: Mapping[str, Any], key: str) -> Price | None:
    if key not in table:
        return None
    from chartui.core.money import read_price

    try:
        return read_price(typed(table[key], str, key, 'text such as "0.50 EUR"'))
    except BadTable:
        raise
    except ValueError as error:
        raise BadTable(f"{key} {error}.", at=key) from None


def _prices(reader: Reader) -> dict[str, Mapping[str, Decimal]]:
    given = reader.entries("prices")
    if not given:
        return {}
    from chartui.core.own_prices import own_price

    read = {key: reader.take(own_price, key, table) for key, table in given.items()}
    return {key: rates for key, rates in read.items() if rates is not None}


def _off(lint: Mapping[str, Any]) -> Mapping[str, Any]:
    refuse_unknown(lint, ("off",), "lint")
    return typed(lint.get("off", {}), dict, "lint.off", "a table of rules, each with a reason")


def _reason(value: Any, rule: str) -> str:
    reason = typed(value, str, f"lint.off.{rule}", "the reason why the rule is off")
    if not reason.strip():
        raise BadTable(f"lint.off.{rule} must give the reason why the rule is off.")
    return reason


def _backups(table: Mapping[str, Any]) -> Backups:
    refuse_unknown(table, ("enabled", "keep", "max_mb"), "backups")
    enabled = typed(table.get("enabled", True), bool, "backups.enabled", "true or false")
    numbers = {name: table[name] for name in ("keep", "max_mb") if name in table}
    for name, number in numbers.items():
        where = f"backups.{name}"
        if isinstance(number, bool) or typed(number, int, where, "a whole number") < 1:
            raise BadTable(f"{where} must be a whole number above 0.")
    return Backups(enabled=enabled, **numbers)


def _terminal(table: Mapping[str, Any]) -> TerminalUse:
    refuse_unknown(table, TerminalUse._fields, "terminal")
    return TerminalUse(**{name: typed(use, bool, f"terminal.{name}", "true or false") for name, use in table.items()})


def _keys(value: Any, command: str) -> tuple[str, ...]:
    where = f"keys.{command}"
    wanted = 'a key such as "f5", or a list of keys'
    found = (value,) if isinstance(value, str) else tuple(typed(value, list, where, wanted))
    for key in found:
        typed(key, str, where, wanted)
    return found


def keep_theme(name: str) -> None:
    """Write the theme to the settings file and leave everything else unchanged, including comments.

    Raises ``OSError`` if the file cannot be written, or :class:`BadTable` if the theme cannot be inserted.
    After an error, the file is unchanged.
    """
    path = config_path()
    rewrite(path, lambda: _with_theme(name, path).encode())


def _with_theme(name: str, path: Path) -> str:
    """Return the text of the settings file with another theme. Raises :class:`BadTable`."""
    before = read_table(path)
    if before is None:
        return as_toml({"format": FORMAT, "version": VERSION, "theme": name})
    check_head(before, FORMAT, VERSION)
    text = path.read_bytes().decode()
    line = f'theme = "{name}"'
    if "theme" in before:
        after = _THEME.sub(lambda found: f'{found[1]}"{name}"', text, count=1)
    else:
        after = _VERSION.sub(lambda found: f"{found[0].rstrip()}\n{line}", text, count=1)
    try:
        understood = table_in(after.encode()) == {**before, "theme": name}
    except BadTable:
        understood = False
    if not understood:  # The theme is written in a form that only the user can change.
        raise BadTable(f"the theme is not set on a line of its own; write: {line}")
    return after
