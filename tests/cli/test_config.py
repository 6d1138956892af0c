"""``chartui config``: what is set, where, and what is wrong with it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from chartui.commands import COMMANDS
from chartui.core.config import config_path
from chartui.core.estimation.pins import change_pins
from chartui.core.narrative.lint import RULES
from chartui.core.paths import pins_path
from chartui.core.profiles import profiles_path
from chartui.core.profiles_file import change_profiles
from chartui.core.schemas import config_schema
from chartui.demos.tour_file import tour_files, tour_schema
from tests.core.test_profiles import EVERYTHING

from .conftest import Run

_HEAD = 'format = "chartui-config"\nversion = 1\n'


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def test_the_files_are_named(run: Run) -> None:
    result = run("config", "path")
    assert result.out.splitlines() == [str(config_path()), str(profiles_path()), str(pins_path())]
    _write(config_path(), _HEAD)
    assert run("config", "path", "--json").value == {
        "config.toml": {"path": str(config_path()), "exists": True},
        "profiles.toml": {"path": str(profiles_path()), "exists": False},
        "pins.toml": {"path": str(pins_path()), "exists": False},
    }


def test_what_holds_is_shown_with_who_says_so(run: Run) -> None:
    assert run("config", "show", "--json").value == {
        "theme": {"value": None, "source": "default"},
        "ascii": {"value": None, "source": "default"},
        "plain": {"value": False, "source": "default"},
        "remember": {"value": False, "source": "default"},
        "relock_minutes": {"value": 15, "source": "default"},
        "screen": {"value": "estimator", "source": "default"},
        "clipboard": {"value": "terminal", "source": "default"},
        "keys": {},
        "lint_off": {},
        "problems": 0,
    }
    _write(
        config_path(),
        _HEAD
        + 'theme = "lantern"\nscreen = "actions"\nclipboard = "file"\nascii = false\nplain = true\n'
        + '[keys]\nhelp = ["F1", "?"]\nquit = []\ncopy = "j"\n'
        + '[lint.off]\nending = "It ends here."\nendin = "It ends here."\n',
    )
    run("profiles", "set", "local", "--screen", "requests")
    result = run("--profile", "local", "config", "show")
    assert [line.split() for line in result.out.splitlines()] == [
        ["theme", "lantern", "config.toml"],
        ["screen", "requests", "profile", "'local'"],
        ["clipboard", "file", "config.toml"],
        ["ascii", "no", "config.toml"],
        ["plain", "yes", "config.toml"],
        ["remember", "yes", "default"],
        ["relock_minutes", "15", "default"],
        [],
        ["COMMAND", "KEYS"],
        ["help", "f1", "?"],
        ["quit", "–"],
        [],
        ["RULE", "REASON"],
        ["ending", "It", "ends", "here."],
    ]
    assert "2 settings cannot be used" in result.err
    assert run("config", "show", "--json").value["lint_off"] == {"ending": "It ends here."}


def test_the_variable_for_plain_mode_is_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_PLAIN", "1")
    assert run("config", "show", "--json").value["plain"] == {"value": True, "source": "CHARTUI_PLAIN"}


def test_good_files_are_valid(run: Run) -> None:
    assert run("config", "validate").status == 0
    _write(config_path(), _HEAD + 'theme = "lantern"\n[keys]\nhelp = "f1"\n')
    result = run("config", "validate", "--json")
    assert (result.status, result.value) == (0, {"valid": True, "problems": []})


def test_everything_that_is_wrong_is_told(run: Run) -> None:
    _write(config_path(), _HEAD + 'theme = "lantren"\nscren = "x"\n[keys]\nhlep = "f1"\nhelp = "q"\n')
    change_profiles(lambda known: known.adding(EVERYTHING))
    result = run("config", "validate", "--json")
    assert (result.status, result.value["valid"]) == (1, False)
    told = "\n".join(result.value["problems"])
    for part in (
        "Unknown key “scren” in the file. Did you mean “screen”?",
        "Unknown command “hlep”. Did you mean “help”?",
        "'q' is assigned to both help and quit",
        "Unknown theme “lantren”. Did you mean “lantern”?",
        "profiles.work.ca_file: file not found: ",
    ):
        assert part in told
    assert all(str(path) in told for path in (config_path(), profiles_path()))
    _write(pins_path(), _PINS + "[modells]\n")
    assert f"{pins_path()}:3: Unknown key “modells”" in run("config", "validate").out
    _write(profiles_path(), "nonsense")
    assert "not TOML" in run("config", "validate").out


def _checked(schema: Any, text: str) -> bool:
    return jsonschema_rs.Draft202012Validator(schema).is_valid(tomllib.loads(text))


def test_the_schemas_take_what_the_program_writes(run: Run) -> None:
    schemas = run("config", "schema").value
    assert schemas["config.toml"] == config_schema((c.id for c in COMMANDS), RULES)
    kinds = ("profiles", "pins", "scenario", "policy", "bundle", "section", "walk", "scene", "tour")
    assert list(schemas) == [f"{kind}.toml" for kind in ("config", *kinds)]
    for kind in kinds:
        assert run("config", "schema", kind).value == schemas[f"{kind}.toml"]
    assert run("config", "schema", "walks").status == 2
    for schema in schemas.values():
        assert jsonschema_rs.meta.is_valid(schema)
    run("profiles", "set", "local", "--production", "--color", "red")
    change_profiles(lambda known: known.adding(EVERYTHING))
    assert _checked(schemas["profiles.toml"], profiles_path().read_text())
    change_pins(lambda pins: pins.with_model("mdlc-flash", "mdlc_3_7_flash_low").with_voice("soft", "tts_1"))
    assert _checked(schemas["pins.toml"], pins_path().read_text())


@pytest.mark.parametrize("path", tour_files().values(), ids=lambda path: path.stem)
def test_every_built_in_tour_fits_the_schema(path: Path) -> None:
    assert _checked(tour_schema(), path.read_text(encoding="utf-8"))


def test_what_is_written_names_its_schema_and_fits_it(run: Run, demo_ids: dict[str, str], tmp_path: Path) -> None:
    elena = demo_ids["Elena Marsh"]
    write = {
        "bundle": ("pull", elena, "{}"),
        "walk": ("narrative", "walk", "--character", elena, "--save", "{}"),
        "scene": ("act", elena, "Go.", "--save-scene", "{}"),
    }
    for kind, words in write.items():
        path = tmp_path / f"{kind}.toml"
        assert run(*(word.format(path) for word in words)).status == 0
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"#:schema ./{kind}.schema.json\n")
        assert _checked(run("config", "schema", kind).value, text)


_PROFILES = 'format = "chartui-profiles"\nversion = 1\n'
_PINS = 'format = "chartui-pins"\nversion = 1\n'
_BUNDLE = 'format = "chartui-bundle"\nversion = 1\n'
_WALK = 'format = "chartui-walk"\nversion = 1\n'
_POLICY = 'format = "chartui-policy"\nversion = 1\n'


@pytest.mark.parametrize(
    ("file", "text", "fits"),
    [
        ("config.toml", _HEAD + '[keys]\nhelp = "f1"\nquit = []\n', True),
        ("config.toml", _HEAD + "[keys]\nhlep = 'f1'\n", False),
        ("config.toml", "theme = 'x'\n", False),
        ("bundle.toml", _BUNDLE + "[sections.a]\ndecisions = [{ when = 'x', to = 'a' }]\n", True),
        ("bundle.toml", _BUNDLE + "[sections.a]\ndecisions = [{ when = 'x' }]\n", False),
        ("bundle.toml", _BUNDLE + "[sections.'a b']\n", False),
        ("bundle.toml", _BUNDLE + "[character]\nmodle = 'x'\n", False),
        ("walk.toml", _WALK + "[[steps]]\ntake = 'x'\n[[steps]]\njump_id = 's1'\n", True),
        ("walk.toml", _WALK + "[[steps]]\ntake = 'x'\nfire = 'y'\n", False),
        ("walk.toml", _WALK + "[[steps]]\nto = 'x'\n", False),
        ("policy.toml", _POLICY + "[[rules]]\npresets = ['*']\nmax_latency = '1.2s'\n", True),
        ("policy.toml", _POLICY + "[[rules]]\npresets = ['*']\n", False),
        ("policy.toml", _POLICY, False),
        ("config.toml", _HEAD + "screen = 'x'\n", False),
        ("profiles.toml", _PROFILES + "[profiles.w]\nbase_url = 'https://x'\nkey = { ask = true }\n", True),
        ("profiles.toml", _PROFILES + "[profiles.w]\n", False),
        ("profiles.toml", _PROFILES + "[profiles.w]\nbase_url = 'https://x'\nkey = 'secret'\n", False),
        ("profiles.toml", _PROFILES + "[profiles.w]\nbase_url = 'https://x'\nkey = { ask = true, env = 'X' }\n", False),
        ("profiles.toml", _PROFILES + "[profiles.demo]\nscreen = 'actions'\n", True),
        ("profiles.toml", _PROFILES + "[profiles.demo]\nbase_url = 'https://x'\n", False),
        ("pins.toml", _PINS + "[models]\nmdlb-haiku = 'mdlb_haiku_4_5'\n[voices]\n", True),
        ("pins.toml", _PINS + "[models]\nmdlb-haiku = 3\n", False),
        ("pins.toml", _PINS + "[voices]\nsoft = ''\n", False),
        ("pins.toml", _PINS + "[modells]\n", False),
    ],
)
def test_the_schemas_know_what_is_wrong(file: str, text: str, fits: bool, run: Run) -> None:
    assert _checked(run("config", "schema").value[file], text) is fits
