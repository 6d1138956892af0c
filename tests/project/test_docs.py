"""The documents that are made from the program say what it does: ``UPDATE_GOLDEN=1`` writes them anew."""

from __future__ import annotations

import os
import re
from dataclasses import fields
from pathlib import Path

import pytest

from chartui.commands import COMMANDS, SCREENS, DataEffect, commands_for, key_label
from chartui.commands.command import Command
from chartui.core.config import config_path, load_config
from chartui.core.estimation.pins import load_pins, save_pins
from chartui.core.presets import as_toml, read_preset
from chartui.core.profiles import Profile
from chartui.keymap import KEPT, make_keymap

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_HEAD = """\
# The keys

Every command of the terminal UI, with the id that `config.toml` names it by. `?` shows those of the present screen, `:`
finds any of them by what it is called. [configuration.md](configuration.md#keys) says how they are given other keys.

In lists, trees and forms <kbd>↑</kbd> <kbd>↓</kbd> or <kbd>j</kbd> <kbd>k</kbd> move by a row, <kbd>pgup</kbd>
<kbd>pgdn</kbd> by a page, <kbd>home</kbd> <kbd>end</kbd> to the first or last row, and <kbd>tab</kbd> goes to the next
part of the screen. No command can have these keys.
"""


def _table(commands: tuple[Command, ...]) -> str:
    rows = ["| keys | command | id | what it does |", "|---|---|---|---|"]
    for command in commands:
        keys = " ".join(f"<kbd>{_cell(key_label(key))}</kbd>" for key in command.keys)
        words = f"Changes data. {command.help}" if command.effect is DataEffect.WRITE else command.help
        rows.append(f"| {keys} | {_cell(command.title)} | `{command.id}` | {_cell(words)} |")
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")


def key_reference() -> str:
    """``docs/keys.md``."""
    parts = [_HEAD, f"## Everywhere\n\n{_table(commands_for('app'))}"]
    for screen in SCREENS:
        scope = screen.id.removeprefix("show-")
        if commands := commands_for(scope):
            parts.append(f"## {screen.name}\n\n{_table(commands)}")
    kept = "\n".join(f"| <kbd>{_cell(key_label(key))}</kbd> | {why} |" for key, why in KEPT.items())
    parts.append(f"## Keys that no command can have\n\n| key | why |\n|---|---|\n{kept}\n")
    return "\n".join(parts)


def test_the_key_reference_is_made_from_the_table() -> None:
    path = DOCS / "keys.md"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(key_reference(), encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    assert text == key_reference()
    assert {command.id for command in COMMANDS} == set(re.findall(r"\| `([a-z-]+)` \|", text))


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_links_between_the_documents_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        assert (path.parent / link).exists(), link


CONFIGURATION = (DOCS / "configuration.md").read_text(encoding="utf-8")


def example(kind: str) -> str:
    """The file of one format that the document shows."""
    blocks: list[str] = re.findall(r"^```toml\n(.*?)^```$", CONFIGURATION, re.MULTILINE | re.DOTALL)
    [found] = [block for block in blocks if block.startswith(f'format = "{kind}"')]
    return found


def test_the_example_of_settings_has_nothing_wrong() -> None:
    path = config_path()
    path.parent.mkdir()
    path.write_text(example("chartui-config"))
    config = load_config()
    assert (config.problems, make_keymap(config.keys).problems) == ((), ())


def test_the_example_of_a_preset_is_what_the_program_writes(tmp_path: Path) -> None:
    path = tmp_path / "kiosk.toml"
    path.write_text(example("chartui-preset"))
    assert as_toml(read_preset(path)) == path.read_text()


def test_the_example_of_a_table_of_ones_own_is_what_the_program_writes(tmp_path: Path) -> None:
    path = tmp_path / "pricing.toml"
    path.write_text(example("chartui-pricing"))
    pins = load_pins(path)
    assert pins.problems == ()
    save_pins(pins, path)
    assert path.read_text() == example("chartui-pricing")


def test_every_setting_of_a_profile_is_described() -> None:
    settings = {f.name for f in fields(Profile)} - {"name", "kind"}
    assert {name for name in settings if f"`{name}`" not in CONFIGURATION} == set()
