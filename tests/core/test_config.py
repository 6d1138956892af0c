"""The file of settings: what is wrong is told and left out."""

from __future__ import annotations

import pytest

from chartui.cli import parser
from chartui.commands import SCREENS
from chartui.core.config import Config, config_path, load_config
from chartui.core.profiles import SCREEN_NAMES

_HEAD = 'format = "chartui-config"\nversion = 1\n'


def _load(text: str) -> Config:
    path = config_path()
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return load_config()


def test_without_a_file_everything_is_open() -> None:
    assert load_config() == Config()


def test_settings_are_read() -> None:
    config = _load(
        _HEAD
        + 'theme = "lantern"\nscreen = "actions"\nclipboard = "file"\n'
        + '[keys]\nquit = "x"\nrefresh = ["f5", "r"]\ncopy = []\n[lint]\noff = { ending = "It ends here." }\n'
    )
    assert config == Config(
        theme="lantern",
        screen="actions",
        clipboard="file",
        keys={"quit": ("x",), "refresh": ("f5", "r"), "copy": ()},
        lint_off={"ending": "It ends here."},
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("theme = ", "not TOML"),
        ("", 'it must start with: format = "chartui-config"'),
        ('format = "chartui-config"\nversion = 9\n', "version 9 is not known here"),
        (_HEAD + "thme = 1\n", "unknown key 'thme' in the file; 'theme' is the nearest"),
        (_HEAD + "theme = 1\n", "theme must be text"),
        (_HEAD + 'screen = "actoins"\n', "screen is none: 'actoins'; 'actions' is the nearest"),
        (_HEAD + 'clipboard = "fiel"\n', "clipboard is none: 'fiel'; 'file' is the nearest"),
        (_HEAD + "keys = 1\n", "keys must be a table"),
        (_HEAD + "[lint]\noff = 1\n", "lint.off must be a table of rules, each with a reason"),
        (_HEAD + "[lint]\nof = {}\n", "unknown key 'of' in lint; 'off' is the nearest"),
        (_HEAD + "[lint.off]\nending = true\n", "lint.off.ending must be the reason why it is switched off"),
        (_HEAD + '[lint.off]\nending = " "\n', "lint.off.ending must say why it is switched off"),
        (_HEAD + "[keys]\nquit = 1\n", 'keys.quit must be a key such as "f5", or a list of them'),
        (_HEAD + "[keys]\nquit = [1]\n", 'keys.quit must be a key such as "f5", or a list of them'),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, told: str) -> None:
    [problem] = _load(text).problems
    assert problem.startswith(f"{config_path()}: ")
    assert told in problem


def test_one_mistake_does_not_spoil_the_rest() -> None:
    config = _load(_HEAD + 'a = 1\nb = 2\ntheme = 3\nscreen = "requests"\n[keys]\nquit = 1\ncopy = "f3"\n')
    assert (config.theme, config.screen, dict(config.keys)) == (None, "requests", {"copy": ("f3",)})
    assert len(config.problems) == 4


def test_every_list_of_screens_is_the_same() -> None:
    names = tuple(command.id.removeprefix("show-") for command in SCREENS)
    assert names == SCREEN_NAMES == parser.SCREENS
