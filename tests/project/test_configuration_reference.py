"""The page about the configuration, and the schemas beside it: ``UPDATE_GOLDEN=1`` writes the made parts again."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest

from chartui.commands import COMMANDS
from chartui.commands.tabs import TABS
from chartui.core.actions.scene_file import scene_schema
from chartui.core.bundle.schema import bundle_schema, section_schema
from chartui.core.config import config_path, load_config
from chartui.core.estimation.pins import change_pins, load_pins, pins_schema
from chartui.core.estimation.policy import policy_schema
from chartui.core.estimation.scenario import scenario_schema
from chartui.core.jsontext import dumps
from chartui.core.narrative.lint.findings import RULES
from chartui.core.narrative.walk.replay import walk_schema
from chartui.core.own_commands import PLACEHOLDERS
from chartui.core.presets import as_toml, read_preset
from chartui.core.profiles import BUILT_IN, profiles_path
from chartui.core.profiles_file import load_profiles
from chartui.core.schemas import config_schema, profiles_schema
from chartui.demos.tour_file import tour_schema
from chartui.keymap import make_keymap, own_problems

from .pages import DOCS, DOCUMENTS, ROOT, blocks, cell, kept, made_parts, table, with_parts

PAGE = DOCS / "configuration.md"

#: The schema of each file, by the format that the file says it has.
SCHEMAS: Final[Mapping[str, dict[str, Any]]] = {
    "chartui-config": config_schema((command.id for command in COMMANDS), RULES),
    "chartui-profiles": profiles_schema(),
    "chartui-pins": pins_schema(),
    "chartui-scenario": scenario_schema(),
    "chartui-bundle": bundle_schema(),
    "chartui-section": section_schema(),
    "chartui-walk": walk_schema(),
    "chartui-scene": scene_schema(),
    "chartui-tour": tour_schema(),
    "chartui-policy": policy_schema(),
}


# -- what is made -----------------------------------------------------------------------------------------------------


def values(schema: Mapping[str, Any]) -> str:
    """The values that a setting accepts, in words."""
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "oneOf" in schema:
        return "[one of five sources](#where-the-api-key-comes-from)"
    if schema["type"] == "number":
        return f"a number up to {schema['maximum']}"
    if schema["type"] == "integer":
        return f"a whole number up to {schema['maximum']}"
    return {"string": "text", "boolean": "`true`, `false`", "object": "a table", "array": "tables"}[schema["type"]]


def default_of(schema: Mapping[str, Any]) -> str:
    return f"`{dumps(schema['default'])}`" if "default" in schema else ""


def of_profiles() -> str:
    """The settings of a profile: a service takes all of them."""
    profiles = SCHEMAS["chartui-profiles"]["properties"]["profiles"]
    service, built_in = profiles["additionalProperties"], profiles["properties"]["local"]["properties"]
    rows = []
    for name, schema in service["properties"].items():
        needed = " Required." if name in service["required"] else ""
        store = "yes" if name in built_in else ""
        rows.append((f"`{name}`", cell(schema["description"]) + needed, values(schema), default_of(schema), store))
    lines = table(("setting", "meaning", "values", "default", "stores"), rows)
    names = " and ".join(f"`{name}`" for name in BUILT_IN)
    return (
        f"{lines}\nA service has all of these settings. {names} have only those marked under *stores*, and are\n"
        "not read-only by default.\n"
    )


def of_the_program() -> str:
    """The settings of ``config.toml``."""
    rows = [(f"`{name}`", cell(words), values(schema), default_of(schema)) for name, words, schema in _settings()]
    return table(("setting", "meaning", "values", "default"), rows)


def _settings() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The settings, tables by their headings; a table that only holds another one is left out."""
    for name, schema in SCHEMAS["chartui-config"]["properties"].items():
        if "description" in schema:
            brackets = {"object": "[{}]", "array": "[[{}]]"}.get(schema.get("type", ""), "{}")
            heading = brackets.format(name)
            yield heading, schema["description"], schema
        elif "properties" in schema:
            yield from (
                (f"[{name}.{inner}]", part["description"], part) for inner, part in schema["properties"].items()
            )


_MADE: Final = {"profile": of_profiles, "settings": of_the_program}


def test_the_tables_are_made_from_the_model() -> None:
    made = with_parts(PAGE.read_text(encoding="utf-8"), lambda words: _MADE[words]() if words in _MADE else None)
    assert kept(PAGE, made) == made
    assert set(_MADE) <= set(made_parts(made))


@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_schemas_are_those_of_the_program(kind: str) -> None:
    made = dumps(SCHEMAS[kind], indent=2) + "\n"
    assert kept(DOCS / f"{kind.removeprefix('chartui-')}.schema.json", made) == made


def test_every_variable_is_in_the_table() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    read = set(re.findall(r'"(CHARTUI_[A-Z_]+)"', source))
    assert read
    assert read == set(re.findall(r"^\| `(CHARTUI_[A-Z_]+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))


# -- what is shown ----------------------------------------------------------------------------------------------------


def shown() -> Iterator[tuple[str, str]]:
    """Every file in the documents that has a schema: its format and its text."""
    for path in DOCUMENTS:
        for block in blocks(path.read_text(encoding="utf-8"), "toml"):
            if (kind := str(tomllib.loads(block).get("format"))) in SCHEMAS:
                yield kind, block


@pytest.mark.parametrize(("kind", "text"), shown())
def test_a_file_that_is_shown_fits_its_schema(kind: str, text: str) -> None:
    jsonschema_rs.Draft202012Validator(SCHEMAS[kind]).validate(tomllib.loads(text))


def test_a_file_of_each_kind_is_shown() -> None:
    assert {kind for kind, _ in shown()} == set(SCHEMAS)


def examples(kind: str) -> list[str]:
    return [text for text in blocks(PAGE.read_text(encoding="utf-8"), "toml") if f'format = "{kind}"' in text]


def example(kind: str) -> str:
    [found] = examples(kind)
    return found


@pytest.mark.parametrize("text", examples("chartui-config"))
def test_the_examples_of_settings_have_nothing_wrong(text: str) -> None:
    path = config_path()
    path.parent.mkdir()
    path.write_text(text)
    config = load_config()
    keymap = make_keymap(config.keys)
    assert (config.problems, keymap.problems, *own_problems(config.commands, keymap)) == ((), ())
    assert bool(config.commands) is ("[[commands]]" in text)


def test_the_names_in_the_tables_are_those_of_the_program() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for screen, tabs in TABS.items():
        assert not tabs or f"| `{screen}` | {', '.join(f'`{tab}`' for tab in tabs)} |" in page
    for name in SCHEMAS["chartui-config"]["properties"]["commands"]["items"]["properties"]:
        assert f"\n| `{name}` |" in page
    assert all(f"`{{{name}}}`" in page for name in PLACEHOLDERS)


def test_the_example_of_profiles_can_be_read() -> None:
    profiles_path().parent.mkdir()
    profiles_path().write_text(example("chartui-profiles"))
    profiles = load_profiles()
    assert profiles.current in profiles.by_name


def test_the_example_of_a_preset_is_what_the_program_writes(tmp_path: Path) -> None:
    path = tmp_path / "kiosk.toml"
    path.write_text(example("chartui-preset"))
    assert as_toml(read_preset(path)) == path.read_text()


def test_the_example_of_your_own_prices_is_what_the_program_writes(tmp_path: Path) -> None:
    path = tmp_path / "pins.toml"
    path.write_text(example("chartui-pins"))
    pins = load_pins(path)
    assert pins.problems == ()
    change_pins(lambda pins: pins, path)
    assert path.read_text() == example("chartui-pins")
