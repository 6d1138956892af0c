"""A key does the same kind of thing everywhere: each command and each dialog that has one is listed under its meaning.

A new key fails here until it stands beside what means the same, or has another key.
"""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import combinations
from typing import Final

from textual.binding import Binding
from textual.dom import DOMNode

import chartui.tui
from chartui.commands import COMMANDS
from chartui.commands.keys import CHARACTER_KEYS
from chartui.commands.letters import LETTERS
from chartui.keymap import pressed_key, together

from .pages import ROOT

#: What uses each key, for each of its meanings in turn: ids of commands, and bindings of dialogs and parts that have no
#: command, as ``class: title``.
USES: Final[Mapping[str, tuple[str, ...]]] = {
    "*": ("fold-all, fold-record, select-matching, ConstraintsDialog: Match inputs, ColumnsDialog: All",),
    "/": ("filter-characters, filter-options, filter-requests, filter-sections, filter-table, Help: Filter",),
    "a": (
        "add-entry, add-to-story, create-character, save-preset, ProfilesDialog: Add, TableDialog: Add…, "
        "ToldList: Add to the story, ToldList: Stage the story",
    ),
    "b": ("bulk-change, random-walks, replay-turns",),
    "c": ("apply-to-character, compare-characters, pick-actor, pick-character",),
    "d": (
        "compare-unpin, delete-character, remove-entry, remove-section, ProfilesDialog: Remove, TableDialog: Remove…",
    ),
    "e": (
        "edit-settings, edit-text, edit-turn-again, volume, what-if-conversation, write-text, TableDialog: Kinds…, "
        "TableDialog: Rename…",
    ),
    "f": (
        "explore-constraints, fuzzy-filter, lint-severity, map-focus, matches-in-place, only-failures, "
        "ConstraintsDialog: Close",
    ),
    "g": ("LineView: top, Review: end(False)",),
    "h": ("show-character-history, show-turns",),
    "i": ("show-form, show-record, show-section, TableDialog: Quantities…",),
    "j": ("LineView: move(1), Review: scroll(1)",),
    "k": ("LineView: move(-1), Review: scroll(-1)",),
    "l": (
        "learn-rates, show-checks, show-lint, History: Check outcome, ProfilesDialog: Test, RatesQuestion: Learn rates",
    ),
    "m": ("keep-setting, Conflicts: Keep mine",),
    "n": ("next-match, next-section-match", "History: Mark as not applied"),
    "o": ("open-in-estimator, open-preset, open-scene, replay-walk",),
    "p": ("pin, pin-price, TableDialog: Pin",),
    "q": (
        "quit, CardDialog: Close, Help: Close, History: Close, Learning: Close, Learning: Stop, ProfilesDialog: Close, "
        "Report: Close, UnreadableDialog: Close",
    ),
    "r": (
        "new-session, replace-in-story, reset-field, restart-walk, revert-setting, ConstraintsDialog: Reset, "
        "ProfilesDialog: Reset demo, SubscriptionsView: Reset, TableDialog: Reset, ToldList: Replace the story, "
        "ToldList: Stage and remove the rest, WhatIfView: Reset",
        "History: Resume, Report: Resume now",
    ),
    "s": ("sort-characters, sort-table",),
    "t": (
        "only-changes, rank-kind, toggle-multistep, what-if-quantity, CardDialog: Hide content, "
        "CardDialog: Show content, Review: Full text",
        "Conflicts: Use theirs",
    ),
    "u": ("undo, History: Undo, History: Redo",),
    "v": ("switch-side, zoom-story-tab, zoom-tab",),
    "w": ("show-walk, new-walk",),
    "x": ("backstory-outside, edit-text-outside, write-text-outside",),
    "y": (
        "copy, CardDialog: Copy, UnreadableDialog: Copy",
        "Confirm: Confirm, History: Mark as applied, RatesQuestion: Use reference rates, Review: Confirm",
    ),
    "z": ("undo-edit, undo-scene, undo-setting, undo-input",),
    "A": ("show-actions",),
    "B": ("bundle",),
    "C": ("show-characters",),
    "D": ("discard-settings, discard-story",),
    "E": ("show-estimator",),
    "F": ("fix-finding, fix-finding-in-story",),
    "G": ("LineView: bottom, Review: end(True)",),
    "H": ("history, History: Close",),
    "I": ("import-story, load-character",),
    "J": ("show-raw",),
    "K": ("change-api-key",),
    "L": ("incoming-links",),
    "M": ("show-map",),
    "N": ("show-narrative", "previous-match, previous-section-match"),
    "O": ("reverse-sort",),
    "P": ("profiles, ProfilesDialog: Close",),
    "Q": ("show-requests",),
    "R": ("reset-all, ConstraintsDialog: Defaults, ColumnsDialog: Automatic",),
    "S": ("apply-settings, apply-story",),
    "T": ("toggle-narrative",),
    "U": ("select-none",),
    "V": ("show-unreadable, UnreadableDialog: Close",),
    "W": ("write-file, CardDialog: Write to a file",),
    "X": ("fix-all-findings, fix-story-findings",),
    "Y": ("export-story, show-card, CardDialog: Close",),
    "Z": ("redo-edit, redo-scene, redo-setting, redo-input",),
    "[": ("previous-actions-tab, previous-character-tab, previous-estimator-tab, previous-story-tab",),
    "]": ("next-actions-tab, next-character-tab, next-estimator-tab, next-story-tab",),
    "+": (
        "map-more, more, step-up, unfold-node, what-if-longer, ConstraintsDialog: Step, SubscriptionsView: Step, "
        "UnreadableDialog: Unfold, ColumnsDialog: Wider",
    ),
    "=": (
        "map-more, more, step-up, unfold-node, what-if-longer, ConstraintsDialog: Step, SubscriptionsView: Step, "
        "ColumnsDialog: Wider",
    ),
    "-": (
        "fold-node, less, map-less, step-down, what-if-shorter, ConstraintsDialog: Previous value, "
        "SubscriptionsView: step(-1), UnreadableDialog: Fold, ColumnsDialog: Narrower",
    ),
    "<": ("move-decision-earlier, move-entry-up, ColumnsDialog: Up",),
    ">": ("move-decision-later, move-entry-down, ColumnsDialog: Down",),
    "$": ("show-cost, show-stats, view-estimate",),
    "&": ("compare-profiles",),
    ",": ("start-here",),
    ".": ("end-here",),
    "{": ("fill-keys",),
    "(": ("path-from-start",),
    ")": ("reachable-from-here",),
    "?": ("help, Help: Close",),
    ":": ("palette",),
    ";": ("jump",),
    "@": ("theme",),
    "!": ("lock",),
}
#: The keys with a second meaning, and why no confusion comes of it.
WHY: Final[Mapping[str, str]] = {
    "n": "answers a question, where no search can show",
    "r": "resumes in two dialogs that have nothing to reset",
    "t": "stands beside m in a conflict, where nothing has kinds",
    "y": "answers a question, where nothing can be copied",
    "N": "goes back along the matches while a search shows, as in pagers",
}
#: Digits choose by number, in the walk and on the first screen.
DIGITS: Final = frozenset("123456789")


def _classes(parent: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for child in parent.__subclasses__():
        if child.__module__.startswith("chartui."):
            yield child
        yield from _classes(child)


def _of_classes() -> Iterator[tuple[str, str]]:
    """The key and the use of each binding of a class that belongs to no command."""
    for module in pkgutil.walk_packages(chartui.tui.__path__, "chartui.tui."):
        import_module(module.name)
    ids = {one.id for one in COMMANDS}
    for owner in {*_classes(DOMNode)}:
        for binding in vars(owner).get("BINDINGS", ()):
            assert isinstance(binding, Binding)
            for key in binding.key.split(",") if binding.id not in ids else ():
                yield pressed_key(key), f"{owner.__name__}: {binding.description or binding.action}"


def _of_calls() -> Iterator[tuple[str, str]]:
    """The key and the use of each binding that a dialog is given: ``actions`` of a table, ``answers`` to a list."""
    for path in sorted((ROOT / "src/chartui/tui").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.keyword(arg="actions", value=value):
                    owner = "TableDialog"
                case ast.Assign(targets=[ast.Name(id="answers")], value=value):
                    owner = "ToldList"
                case _:
                    continue
            for given in (ast.literal_eval(part) for part in ast.walk(value) if isinstance(part, ast.Dict)):
                for keys, said in given.items():
                    title = said if isinstance(said, str) else said[-1]
                    yield from ((pressed_key(key), f"{owner}: {title}") for key in keys.split(","))


def _used() -> set[str]:
    """Every use of a visible character, as ``key: use``."""
    of_commands = ((key, one.id) for one in COMMANDS for key in one.keys)
    uses = (*of_commands, *_of_classes(), *_of_calls())
    return {f"{CHARACTER_KEYS[key]} {use}" for key, use in uses if CHARACTER_KEYS.get(key, "1") not in DIGITS}


def test_every_key_stands_under_its_meaning() -> None:
    listed = {f"{key} {use}" for key, meanings in USES.items() for uses in meanings for use in uses.split(", ")}
    used = _used()
    assert (sorted(used - listed), sorted(listed - used)) == ([], [])


def test_every_meaning_is_described_and_used() -> None:
    described = {key: len(said) for key, said in LETTERS.items() if pressed_key(key) in CHARACTER_KEYS}
    assert {key: len(uses) for key, uses in USES.items()} == {k: n for k, n in described.items() if k not in DIGITS}


def test_few_keys_have_a_second_meaning_each_for_a_reason() -> None:
    assert sorted(key for key, said in LETTERS.items() if len(said) > 1) == sorted(WHY)
    assert len(WHY) <= 5
    assert max(map(len, LETTERS.values())) == 2


def test_commands_share_a_key_only_where_it_means_the_same() -> None:
    """The inner one of two, or the one that works now, is performed."""
    meanings = [uses.split(", ") for meanings in USES.values() for uses in meanings]
    second = {*map(pressed_key, WHY), "backspace"}  # goes back in both; in a walk, by a choice
    clashes = [
        (one.id, other.id)
        for one, other in combinations(COMMANDS, 2)
        if together(one, other)
        and ({*one.keys} & {*other.keys}) - second
        and not any(one.id in uses and other.id in uses for uses in meanings)
    ]
    assert clashes == []
