"""Keys that the file of settings gives to commands, in the program."""

from __future__ import annotations

from textual.events import Key

from chartui.core.config import Config, config_path, load_config
from chartui.core.paths import from_home
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.shell.help import Help
from chartui.tui.widgets.chooser import Chooser
from tests.tui.user import opened

_HEAD = 'format = "chartui-config"\nversion = 1\n'


def _written(text: str) -> Config:
    path = config_path()
    path.parent.mkdir(exist_ok=True)
    path.write_text(_HEAD + text)
    return load_config()


async def test_a_command_is_done_with_its_new_key_and_no_longer_with_the_old() -> None:
    config = _written('[keys]\nshow-characters = "F6"\nhelp = ["f9", "?"]\nrefresh = "f7"\n')
    async with opened(config=config) as user:
        await user.press("C")
        assert user.is_at(EstimatorScreen)
        await user.press("f6")
        await user.at(CharactersScreen)
        assert "f9 help" in user.screen.splitlines()[-1]
        for key in ("f9", "?"):
            await user.press(key)
            await user.at(Help)
            await user.press("escape")


async def test_two_commands_change_their_keys_with_one_another() -> None:
    config = _written('[keys]\nshow-characters = "E"\nshow-estimator = "C"\n')
    async with opened(config=config) as user:
        await user.press("E")
        await user.at(CharactersScreen)
        await user.press("C")
        await user.at(EstimatorScreen)


async def test_a_key_with_alt_is_no_escape_where_a_command_has_it() -> None:
    async with opened(config=_written('[keys]\nshow-characters = "alt+x"\n')) as user:
        await user.press("?")
        await user.at(Help)
        user.app.post_message(Key("alt+C", "C"))
        await user.at(EstimatorScreen)
        user.app.post_message(Key("alt+x", "x"))
        await user.at(CharactersScreen)


async def test_a_command_without_a_key_can_be_given_one() -> None:
    async with opened(config=_written('[keys]\nview-rank = "f6"\n'), size=(120, 50)) as user:
        await user.press("?")
        await user.at(Help)
        assert " f6 " in user.line("Rank models and voices")
        assert " – " in user.line("Compare configurations")
        await user.press("escape", "f6")
        await user.until(lambda: user.focus == "ranking")


async def test_the_help_and_the_palette_show_the_keys_there_are() -> None:
    config = _written('[keys]\nreset-all = "ctrl+t"\nreset-field = []\n')
    async with opened(config=config, size=(120, 50)) as user:
        await user.press("?")
        await user.at(Help)
        assert " ctrl+t " in user.line("Reset all inputs")
        assert " – " in user.line("Reset this input")
        await user.press("escape", ":")
        await user.at(Chooser)
        await user.press(*"reset all")
        await user.sees("ctrl+t")


async def test_a_key_that_was_taken_away_does_nothing_and_is_not_in_the_footer() -> None:
    async with opened(config=_written("[keys]\nquit = []\nshow-requests = []\n")) as user:
        assert "quit" not in user.screen.splitlines()[-1]
        await user.press("q", "ctrl+q", "Q")
        assert user.is_at(EstimatorScreen)
        assert user.app.return_code is None


async def test_what_is_wrong_is_told_at_the_start_and_the_rest_holds() -> None:
    config = _written('theem = "x"\n[keys]\nrefresh = "ctrl+c"\nshow-characters = "f6"\n')
    async with opened(config=config, size=(120, 50)) as user:
        told = "\n".join(user.toasts)
        assert f"{from_home(str(config_path()))}:3: Unknown key “theem” in the file. Did you mean “theme”?" in told
        assert f"{from_home(str(config_path()))}:5: keys.refresh: 'ctrl+c' never reaches the program" in told
        await user.press("f6")
        await user.at(CharactersScreen)
        assert user.app.keymap.label("refresh") == "f5"


async def test_a_theme_that_is_not_there_is_told() -> None:
    async with opened(config=_written('theme = "moonshine"\n'), size=(120, 40)) as user:
        await user.sees("Theme 'moonshine' is set by the settings")
        assert user.app.theme == "lantern"


async def test_texts_name_the_keys_that_were_given_and_a_command_without_a_key_takes_one() -> None:
    keys = 'write-text = "f6"\nshow-reply = "f8"\nonly-failures = "f9"\npalette = "f10"\n'
    async with opened(config=_written(f"[keys]\n{keys}"), screen="actions") as user:
        await user.press("v")
        await user.sees("Press f6 to write a line, then ⏎ to send it.")
        await user.press("h", "f8")
        assert user.focus == "reply"
        await user.press("Q", "f9")
        await user.sees("No failures. f9 shows all requests again.")
