"""The documents are complete, and their links and keys exist: ``UPDATE_GOLDEN=1`` writes the tables."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import pytest

from chartui.commands import COMMANDS, SCREENS, DataEffect, command, commands_for, key_label
from chartui.commands.command import Command
from chartui.commands.letters import LETTERS
from chartui.keymap import KEPT, MOVES, pressed_key

from .pages import (
    DOCS,
    DOCUMENTS,
    FOR_DEVELOPERS,
    ROOT,
    anchors,
    cell,
    kept,
    links,
    made_parts,
    pictures,
    prose,
    section_of,
    table,
    with_parts,
)

SCOPES: Final = ("app", *(screen.id.removeprefix("show-") for screen in SCREENS))
#: The page of each screen, and of the commands everywhere; every command is in one table of its page.
PAGES: Final[Mapping[str, Path]] = {scope: DOCS / ("start.md" if scope == "app" else f"{scope}.md") for scope in SCOPES}
#: The screens whose keys a page may name, besides those that work everywhere.
ABOUT: Final[Mapping[str, tuple[str, ...]]] = {
    **{path.name: (scope,) for scope, path in PAGES.items()},
    "start.md": SCOPES,
    "troubleshooting.md": SCOPES,
    "README.md": SCOPES,
    "scripting.md": ("characters",),
    "bundles.md": ("narrative",),
    "interchange.md": ("narrative",),
    "narrative-lint.md": ("narrative",),
    "walks.md": ("narrative",),
    "scenes.md": ("actions",),
    "rate-card.md": ("estimator",),
    "configuration.md": ("characters",),
}

each_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)


# -- keys -------------------------------------------------------------------------------------------------------------

_HEAD = """\
# The keys

This page lists every command of the terminal UI, with its ID for `config.toml`. <kbd>?</kbd> lists the keys of the
current screen, and <kbd>:</kbd> finds a command by name. [configuration.md](configuration.md#keys) describes how to
change shortcuts.

In lists, trees and forms, <kbd>↑</kbd> <kbd>↓</kbd> or <kbd>j</kbd> <kbd>k</kbd> move by a row, <kbd>pgup</kbd>
<kbd>pgdn</kbd> by a page, <kbd>home</kbd> <kbd>end</kbd> or <kbd>g</kbd> <kbd>G</kbd> to the first or last row, and
<kbd>tab</kbd> goes to the next part of the screen. These keys cannot be assigned to commands.

The key of a tab opens the tab and moves the focus to it. <kbd>[</kbd> and <kbd>]</kbd> switch tabs and leave the focus
in the list, tree, form or scene while that is visible. <kbd>esc</kbd> returns from a tab to the list, tree, form or
scene.

If a command has no key, you can run it from the palette, or give it a key in `config.toml`.
"""


def keys_of(one: Command) -> str:
    return " ".join(f"<kbd>{cell(key_label(key))}</kbd>" for key in one.keys) or "–"


def words_of(one: Command) -> str:
    return cell(f"{one.help} This changes data." if one.effect is DataEffect.WRITE else one.help)


def all_of(commands: Iterable[Command]) -> str:
    rows = ((keys_of(one), cell(one.title), f"`{one.id}`", words_of(one)) for one in commands)
    return table(("keys", "command", "ID", "what it does"), rows)


def key_reference() -> str:
    """``docs/keys.md``."""
    letters = ((f"<kbd>{cell(key_label(pressed_key(key)))}</kbd>", "; ".join(said)) for key, said in LETTERS.items())
    parts = [_HEAD, f"## What each letter means\n\n{table(('key', 'what it does on every screen'), letters)}"]
    parts.append(f"## Everywhere\n\n{all_of(commands_for('app'))}")
    parts.append(f"## In every table\n\n{all_of(commands_for('table'))}")
    for screen in SCREENS:
        scope = screen.id.removeprefix("show-")
        if commands := commands_for(scope):
            parts.append(f"## {screen.name}\n\n[How to use this screen]({scope}.md)\n\n{all_of(commands)}")
    kept_keys = table(("key", "why"), ((f"<kbd>{cell(key_label(key))}</kbd>", why) for key, why in KEPT.items()))
    parts.append(f"## Keys that cannot be assigned\n\n{kept_keys}")
    return "\n".join(parts)


def test_the_key_reference_is_made_from_the_table() -> None:
    text = kept(DOCS / "keys.md", key_reference())
    assert text == key_reference()
    assert {one.id for one in COMMANDS} == set(re.findall(r"\| `([a-z-]+)` \|", text))


def in_a_table(words: str) -> tuple[str, ...]:
    kind, *ids = words.split()
    return tuple(ids) if kind == "keys" else ()


def keys_made(words: str) -> str | None:
    rows = [(keys_of(one), cell(one.title), words_of(one)) for one in map(command, in_a_table(words))]
    return table(("keys", "command", "what it does"), rows) if rows else None


@each_document
def test_the_tables_of_keys_are_made_from_the_table_of_commands(path: Path) -> None:
    made = with_parts(path.read_text(encoding="utf-8"), keys_made)
    if os.environ.get("UPDATE_GOLDEN"):
        kept(path, made)
    assert path.read_text(encoding="utf-8") == made


@pytest.mark.parametrize("scope", SCOPES)
def test_the_page_of_a_screen_lists_every_command(scope: str) -> None:
    named = Counter(one for words in made_parts(PAGES[scope].read_text(encoding="utf-8")) for one in in_a_table(words))
    assert set(named) == {one.id for one in commands_for(scope)}


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path.name != "keys.md"], ids=lambda path: path.name)
def test_keys_on_a_page_exist_on_its_screen(path: Path) -> None:
    """In a section with a table of keys, only the keys in the table count, so prose and table agree."""
    document = path.read_text(encoding="utf-8")
    for found in re.finditer(r"<kbd>(.+?)</kbd>", document):
        words = [words for words in made_parts(section_of(document, found.start())) if in_a_table(words)]
        scopes = ABOUT.get(path.name, SCOPES)
        near = [command(one) for part in words for one in in_a_table(part)]
        known = [*(near or (one for scope in scopes for one in commands_for(scope))), *SCREENS, *commands_for("app")]
        labels = {cell(key_label(key)) for one in known for key in one.keys} | COMMON
        assert found[1] in labels, document[found.start() - 60 : found.end() + 40]


#: Keys that move, that answer in any dialog, that choose by number, those of the tutor, and prefixes of the palette.
COMMON: Final = {key_label(key) for key in MOVES | {"enter", "escape", "f1", "f4"}} | set("123456789@#") | {"&gt;"}


def test_every_command_in_a_footer_has_a_key() -> None:
    """The others are reached through the palette."""
    assert [one.id for one in COMMANDS if one.footer and not one.keys] == []


# -- links ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*DOCUMENTS, *FOR_DEVELOPERS], ids=lambda path: path.name)
def test_links_have_a_target(path: Path) -> None:
    """To an existing file and, if they name one, to an existing heading in it."""
    document = path.read_text(encoding="utf-8")
    for link in links(document):
        if "://" in link:
            continue
        file, _, heading = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if heading:
            assert heading in anchors(target.read_text(encoding="utf-8")), link


@each_document
def test_every_document_has_one_title_and_no_two_headings_alike(path: Path) -> None:
    document = prose(path.read_text(encoding="utf-8"))
    assert len(re.findall(r"^# ", document, re.MULTILINE)) == 1
    assert anchors(document)


@each_document
def test_pictures_are_those_that_tests_look_at(path: Path) -> None:
    """Otherwise one may show what the program no longer does."""
    snapshots = ROOT / "tests" / "tui" / "snapshots" / "__snapshots__"
    for picture in pictures(path.read_text(encoding="utf-8")):
        file = (path.parent / picture).resolve()
        assert file.is_file(), picture
        assert file.is_relative_to(snapshots) or file.is_relative_to(DOCS), picture


def test_every_picture_in_the_documents_is_shown() -> None:
    shown = {(path.parent / picture).resolve() for path in DOCUMENTS for picture in pictures(path.read_text("utf-8"))}
    there = {path.resolve() for kind in ("svg", "png", "gif", "jpg") for path in DOCS.rglob(f"*.{kind}")}
    # Those of a tour's further sizes are only compared.
    compared = {path for path in there if re.fullmatch(r"\d+x\d+", path.parent.name)}
    assert there - compared == shown & there
    assert shown


def test_the_index_leads_to_every_document() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    listed = {link.partition("#")[0] for link in links(index)}
    assert {path.name for path in DOCS.glob("*") if path.is_file()} - {"README.md"} - listed == set()
    assert "docs/README.md" in links((ROOT / "README.md").read_text(encoding="utf-8"))
