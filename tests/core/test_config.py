"""The file of settings: what is wrong is told and left out."""

from __future__ import annotations

import re

import pytest

from chartui.cli import parser
from chartui.commands import SCREENS
from chartui.core.config import Config, TerminalUse, config_path, keep_theme, load_config
from chartui.core.profiles import SCREEN_NAMES
from chartui.core.tables import BadTable

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
        + 'theme = "lantern"\nscreen = "actions"\nclipboard = "file"\nascii = true\nrelock_minutes = 2.5\n'
        + '[keys]\nquit = "x"\nrefresh = ["f5", "r"]\ncopy = []\n[lint]\noff = { ending = "It ends here." }\n'
    )
    assert config == Config(
        theme="lantern",
        screen="actions",
        clipboard="file",
        ascii=True,
        relock_minutes=2.5,
        keys={"quit": ("x",), "refresh": ("f5", "r"), "copy": ()},
        lint_off={"ending": "It ends here."},
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("theme = ", "not TOML"),
        ("", 'the file must start with: format = "chartui-config"'),
        ('format = "chartui-config"\nversion = 9\n', "version 9 is not supported"),
        (_HEAD + "thme = 1\n", "Unknown key “thme” in the file. Did you mean “theme”?"),
        (_HEAD + "theme = 1\n", "theme must be text"),
        (_HEAD + 'screen = "actoins"\n', "Unknown screen “actoins”. Did you mean “actions”?"),
        (_HEAD + 'clipboard = "fiel"\n', "Unknown clipboard “fiel”. Did you mean “file”?"),
        (_HEAD + "relock_minutes = -1\n", "relock_minutes must be a number of minutes from 0 (never) to 1440"),
        (_HEAD + "relock_minutes = nan\n", "relock_minutes must be a number of minutes from 0 (never) to 1440"),
        (_HEAD + "relock_minutes = true\n", "relock_minutes must be a number of minutes from 0 (never) to 1440"),
        (_HEAD + "keys = 1\n", "keys must be a table"),
        (_HEAD + "[lint]\noff = 1\n", "lint.off must be a table of rules, each with a reason"),
        (_HEAD + "[lint]\nof = {}\n", "Unknown key “of” in lint. Did you mean “off”?"),
        (_HEAD + "[lint.off]\nending = true\n", "lint.off.ending must be the reason why the rule is off"),
        (_HEAD + '[lint.off]\nending = " "\n', "lint.off.ending must give the reason why the rule is off"),
        (_HEAD + "[keys]\nquit = 1\n", 'keys.quit must be a key such as "f5", or a list of keys'),
        (_HEAD + "[keys]\nquit = [1]\n", 'keys.quit must be a key such as "f5", or a list of keys'),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, told: str) -> None:
    [problem] = _load(text).problems
    assert re.match(rf"{re.escape(str(config_path()))}(:[0-9]+)?: ", problem)
    assert told in problem


def test_one_mistake_does_not_spoil_the_rest() -> None:
    config = _load(_HEAD + 'a = 1\nb = 2\ntheme = 3\nscreen = "requests"\n[keys]\nquit = 1\ncopy = "f3"\n')
    assert (config.theme, config.screen, dict(config.keys)) == (None, "requests", {"copy": ("f3",)})
    assert len(config.problems) == 4


def test_every_list_of_screens_is_the_same() -> None:
    names = tuple(command.id.removeprefix("show-") for command in SCREENS)
    assert names == SCREEN_NAMES == parser.SCREENS


# -- keeping a theme ---------------------------------------------------------------------------------------------------


def test_a_theme_is_kept_where_there_was_no_file() -> None:
    keep_theme("daylight")
    assert load_config() == Config(theme="daylight")
    keep_theme("beacon")
    assert load_config() == Config(theme="beacon")


def test_all_else_in_the_file_stays_as_people_wrote_it() -> None:
    text = (
        "# Mine.\n"
        + _HEAD
        + '\ntheme = \'lantern\'  # for now\nscreen = "actions"\n\n[keys]\n# theme = "x"\nhelp = []\n'
    )
    _load(text)
    keep_theme("daylight")
    assert config_path().read_text() == text.replace("'lantern'", '"daylight"')


def test_a_theme_that_was_not_there_comes_behind_the_version() -> None:
    _load("# Mine.\n" + _HEAD + "\n[keys]\nhelp = []\n")
    keep_theme("daylight")
    assert config_path().read_text() == "# Mine.\n" + _HEAD + 'theme = "daylight"\n\n[keys]\nhelp = []\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("theme = \n", "not TOML"),
        ('version = 1\ntheme = "x"\n', "must start with"),
        (_HEAD + "theme = '''x'''\n", 'write: theme = "daylight"'),
        (_HEAD + '"theme" = "x"\n', 'write: theme = "daylight"'),
        ('format = "chartui-config"\n"version" = 1\n', 'write: theme = "daylight"'),
    ],
)
def test_a_file_that_is_not_understood_stays_as_it_is(text: str, why: str) -> None:
    _load(text)
    with pytest.raises(BadTable, match=re.escape(why)):
        keep_theme("daylight")
    assert config_path().read_text() == text


def test_what_the_program_uses_of_the_terminal() -> None:
    assert _load(f"{_HEAD}[terminal]\ntitle = false\n").terminal == TerminalUse(title=False)
    config = _load(f'{_HEAD}[terminal]\nmouse = "no"\n')
    assert config.terminal == TerminalUse()
    assert "terminal.mouse" in config.problems[0]
    assert "titel" in _load(f"{_HEAD}[terminal]\ntitel = false\n").problems[0]
