"""The table of commands: every command is tested, and no two of them want the same key."""

from __future__ import annotations

import inspect
from collections import Counter
from importlib import import_module
from itertools import combinations
from pathlib import Path

from chartui.commands import COMMANDS
from chartui.commands.command import within
from chartui.keymap import KEPT


def test_every_command_is_performed_with_its_keys_by_some_test() -> None:
    covered: set[str] = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        module = import_module(f"{__package__}.{path.stem}")
        for _, function in inspect.getmembers(module, inspect.isfunction):
            covered.update(getattr(function, "covers", ()))
    assert covered == {c.id for c in COMMANDS}


def test_no_two_commands_have_one_name() -> None:
    """The file of settings names a command by its id alone, so one of two would never get the keys it is given."""
    assert [name for name, count in Counter(c.id for c in COMMANDS).items() if count > 1] == []


def test_a_part_never_takes_a_key_of_what_is_around_it() -> None:
    """Tabs beside each other may share a key; a tab and its screen, or a screen and the program, must not."""
    clashes = [
        (one.id, other.id)
        for one, other in combinations(COMMANDS, 2)
        if within(one.scope, other.scope) or within(other.scope, one.scope)
        if set(one.keys) & set(other.keys)
        # This one works only while a search shows.
        if (one.id, other.id) != ("show-narrative", "previous-match")
    ]
    assert clashes == []


def test_no_key_is_one_that_terminals_or_multiplexers_keep() -> None:
    assert [c.id for c in COMMANDS if KEPT.keys() & set(c.keys)] == []


def test_the_words_of_a_command_fit_the_help_of_a_wide_window() -> None:
    assert [c.id for c in COMMANDS if len(c.title) > 33 or len(c.help) > 58] == []
