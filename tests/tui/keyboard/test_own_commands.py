"""Your own commands: what they get, what becomes of their output, and what ends them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from chartui.core.config import Config, config_path, load_config
from chartui.core.credentials import KeySource, SourceKind
from chartui.core.jsontext import dumps, loads
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.profiles_file import change_profiles
from chartui.keymap import make_keymap, own_problems
from chartui.main import main
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.shell.own_commands import MOST_OUTPUT
from chartui.tui.shell.palette import Palette
from chartui.tui.tour.player import key_event
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.told_list import ToldList
from tests.tui.sessions import demo, doubled
from tests.tui.user import WIDE, User, opened

HEAD = 'format = "chartui-config"\nversion = 1\n'


def written(text: str) -> Config:
    """The settings with these commands."""
    config_path().parent.mkdir(parents=True, exist_ok=True)
    config_path().write_text(HEAD + text)
    return load_config()


def python(code: str, *words: str, **settings: object) -> Config:
    """The settings with one command, which runs ``code`` with some words."""
    table = {"title": "Try it", "run": [sys.executable, "-c", code, *words], "changes": False, **settings}
    config = written("[[commands]]\n" + "".join(f"{name} = {dumps(value)}\n" for name, value in table.items()))
    assert not config.problems
    return config


async def run_it(user: User) -> None:
    """Find the command in the palette, and run it."""
    await user.press(":")
    await user.paste("Try it")
    await user.press("enter")


# -- output ------------------------------------------------------------------------------------------------------------


async def test_the_output_is_shown_in_a_pane_as_plain_text() -> None:
    config = python("print('first [bold]line[/]'); print('\\x1b[31mred'); print('    in'); print('x\\n' * 60 + 'last')")
    async with opened(config=config) as user:
        await run_it(user)
        await user.at(ToldList)
        await user.sees("first [bold]line[/]", "␛[31mred", "    in")
        await user.press("end")
        await user.sees("last")
        await user.press("y")
        await user.back()
        assert "first [bold]line[/]" in user.clipboard
        assert "\x1b" not in user.clipboard


async def test_the_output_is_written_to_a_file(tmp_path: Path) -> None:
    async with opened(config=python("print('one')", output="file")) as user:
        await run_it(user)
        await user.until(lambda: user.focus is None or not user.at_work, "for the name")
        await user.sees("Default folder")
        await user.paste(str(tmp_path / "out"))  # in place of the name, in front of its suffix
        await user.press("enter")
        await user.until((tmp_path / "out.txt").exists, "for the file")
        await user.back()
        assert (tmp_path / "out.txt").read_text() == "one\n"


async def test_without_output_only_the_end_is_told(tmp_path: Path) -> None:
    path = tmp_path / "there"
    async with opened(
        config=python("import sys; open(sys.argv[1], 'w'); print('x')", str(path), output="none")
    ) as user:
        await run_it(user)
        await user.is_told("Done.")
        assert path.exists()
        assert user.at_work


async def test_a_failure_is_told_beside_its_output() -> None:
    async with opened(config=python("import sys; print('oh no', file=sys.stderr); sys.exit(3)")) as user:
        await run_it(user)
        await user.at(ToldList)
        await user.sees("oh no", "Exited with status 3.")


async def test_a_program_that_does_not_exist_is_told() -> None:
    config = written('[[commands]]\ntitle = "Try it"\nrun = ["no-such-program"]\nchanges = false\n')
    async with opened(config=config) as user:
        await run_it(user)
        await user.is_told("“no-such-program” cannot be started: No such file or directory.")


async def test_long_output_is_cut() -> None:
    async with opened(config=python(f"print('x' * 99 + '\\n', end=''); print('y' * {MOST_OUTPUT + 9})")) as user:
        await run_it(user)
        await user.at(ToldList)
        await user.press("end")
        await user.sees("The output was truncated to 256 KiB.")


# -- input -------------------------------------------------------------------------------------------------------------


async def test_it_gets_values_and_the_selection() -> None:
    code = "import sys; print(sys.stdin.read()); print(sys.argv[1:])"
    words = ["{character_id}", "{character_name} in {profile}", "{{x}}"]
    async with opened(screen="characters", size=WIDE, config=python(code, *words, scope="characters")) as user:
        await user.press("space", "down", "space")
        await user.rests()
        names = [one.character_name for one in user.characters.selected]
        here = user.characters.current
        assert here is not None
        await run_it(user)
        await user.at(ToldList)
        await user.press("y")
        given, argv = user.clipboard.splitlines()[:2]
        table = loads(given)
        assert [one["name"] for one in table["characters"]] == names
        assert (table["screen"], table["profile"], table["section"]) == ("characters", "demo", None)
        assert argv == str([here.character_id, f"{here.character_name} in demo", "{x}"])


async def test_it_is_found_from_another_screen_and_runs_on_its_own(tmp_path: Path) -> None:
    path = tmp_path / "given"
    code = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"
    async with opened(config=python(code, str(path), output="none", scope="characters"), screen="estimator") as user:
        await user.press(":")
        await user.paste("Try it")
        palette = await user.at(Palette)
        await user.until(lambda: palette.entry is not None and palette.entry.note == "Characters", "for its screen")
        await user.press("enter")
        await user.is_told("Done.")
        await user.at(CharactersScreen)
        given = loads(path.read_bytes())
        assert isinstance(given, dict)
        assert given["screen"] == "characters"


async def test_a_section_is_given_where_one_is_in_sight() -> None:
    async with opened(screen="narrative", config=python("import sys; print(sys.argv[1])", "{section_name}")) as user:
        await run_it(user)
        await user.sees(user.narrative.here.title)


async def test_without_a_value_the_reason_is_told() -> None:
    async with opened(size=WIDE, config=python("", "{section_id}")) as user:
        await user.press(":")
        await user.paste("Try it")
        await user.sees("The command needs the section id, which is not available on this screen.")
        await user.press("enter")
        await user.is_told("The command needs the section id, which is not available on this screen.")


async def test_a_value_never_becomes_an_option() -> None:
    config = python("", "{profile}")
    with pytest.raises(ValueError, match="begins with"):
        config.commands[0].words({"profile": "-rf"})
    assert config.commands[0].words({"profile": "x; rm -rf /"})[-1] == "x; rm -rf /"


async def test_it_gets_no_apikey_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTUI_API_KEY", "first-secret-key-1")
    monkeypatch.setenv("WORK_KEY", "second-secret-key-2")
    monkeypatch.setenv("COPY_OF_IT", "Bearer first-secret-key-1")
    monkeypatch.setenv("HARMLESS", "kept")
    source = KeySource(SourceKind.ENV, ("WORK_KEY",))
    work = Profile(name="work", kind=ProfileKind.REMOTE, base_url="https://a.example", key=source)
    change_profiles(lambda profiles: profiles.adding(work))
    async with opened(config=python("import os; print(*map('='.join, os.environ.items()))")) as user:
        await run_it(user)
        await user.at(ToldList)
        await user.press("y")
        assert "HARMLESS=kept" in user.clipboard
        assert "secret-key" not in user.clipboard


# -- changes, keys, scopes ---------------------------------------------------------------------------------------------


async def test_a_change_is_asked_for_with_the_exact_command(tmp_path: Path) -> None:
    path = tmp_path / "there"
    config = python("import sys; open(sys.argv[1], 'w')", str(path), changes=True, output="none")
    session, double = doubled()
    async with opened(session, screen="characters", config=config) as user:
        await run_it(user)
        await user.at(Confirm)
        await user.sees("Run “Try it”?", "This command may change data:")
        await user.press("escape")
        await user.back()
        assert not path.exists()
        before = len(double.calls)
        await run_it(user)
        await user.at(Confirm)
        await user.press("y")
        await user.is_told("Done.")
        assert path.exists()
        await user.until(lambda: len(double.calls) > before, "for the list to be read again")


async def test_the_lock_refuses_what_changes(tmp_path: Path) -> None:
    path = tmp_path / "there"
    config = python("import sys; open(sys.argv[1], 'w')", str(path), changes=True, key="f9")
    async with opened(demo(read_only=True), config=config) as user:
        await user.press("f9")
        await user.is_told("“Try it” is disabled.")
        assert not path.exists()
        assert user.at_work


async def test_a_key_shows_in_the_footer_and_in_the_help() -> None:
    async with opened(screen="requests", size=WIDE, config=python("print('here')", key="f9", scope="requests")) as user:
        assert "f9 Try it" in user.bottom_line
        await user.press("?")
        await user.sees("Try it")
        await user.press("escape", "f9")
        await user.at(ToldList)
        await user.sees("here")
        await user.press("escape")
        await user.press("E")
        await user.ready()
        assert "Try it" not in user.bottom_line
        await user.press("f9")
        assert user.at_work


async def test_without_a_key_it_is_not_in_the_footer() -> None:
    async with opened(size=(200, 50), config=python("")) as user:
        assert "Try it" not in user.bottom_line


# -- the end -----------------------------------------------------------------------------------------------------------


def is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    return False


STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child:
    with open(sys.argv[1] + ".new", "w") as file:
        file.write("%s %s" % (os.getpid(), child))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
while True:
    time.sleep(60)
"""


async def test_the_time_limit_ends_it_with_all_it_has_started(tmp_path: Path) -> None:
    path = tmp_path / "pids"
    async with opened(config=python(STUBBORN, str(path), seconds=4)) as user:
        await run_it(user)
        await user.is_told("Stopped: time limit of 4 s exceeded.")
        pids = [int(pid) for pid in path.read_text().split()]
        await user.until(lambda: not any(map(is_alive, pids)), "for the end of both")


async def test_escape_ends_it_with_all_it_has_started(tmp_path: Path) -> None:
    path = tmp_path / "pids"
    async with opened(config=python(STUBBORN, str(path))) as user:
        user.app.post_message(key_event(":"))
        await user.until(lambda: not user.at_work, "for the palette")
        await user.paste("Try it")
        user.app.post_message(key_event("enter"))
        await user.until(path.exists, "for the program")
        pids = [int(pid) for pid in path.read_text().split()]
        user.app.post_message(key_event("escape"))
        await user.until(lambda: not any(map(is_alive, pids)), "for the end of both")
        await user.until(lambda: user.at_work, "for the screen")


# -- mistakes ----------------------------------------------------------------------------------------------------------

MISTAKES = [
    ('title = "A"', "commands[0].run is missing.", 3),
    ('run = ["x"]', "commands[0].title is missing.", 3),
    ('title = "A"\nrun = "x"', "commands[0].run must be a list of strings", 5),
    ('title = "A"\nrun = []', "commands[0].run must be a list of strings", 5),
    ('title = "A"\nrun = ["x", "{charcter_id}"]', "Unknown placeholder “charcter_id”. Did you mean “character_id”?", 5),
    ('title = "A"\nrun = ["x"]\nscope = "charcters"', "Unknown scope “charcters”. Did you mean “characters”?", 6),
    ('title = "A"\nrun = ["x"]\noutput = "window"', "Unknown output “window”. Known: pane, file, none.", 6),
    ('title = "A"\nrun = ["x"]\nchanges = 1', "commands[0].changes must be true or false.", 6),
    ('title = "A"\nrun = ["x"]\nseconds = 0', "commands[0].seconds must be more than 0 and at most 3600.", 6),
    ('title = "A"\nrun = ["x"]\nchange = true', "Unknown key “change” in commands[0]. Did you mean “changes”?", 6),
    (f'title = "{"A" * 40}"\nrun = ["x"]', "commands[0].title must have 1 to 33 characters.", 4),
]


@pytest.mark.parametrize(("text", "told", "line"), MISTAKES)
def test_a_mistake_is_told_with_its_line_and_the_rest_works(text: str, told: str, line: int) -> None:
    config = written(f'[[commands]]\n{text}\n\n[[commands]]\ntitle = "Good"\nrun = ["x"]\n')
    [problem] = config.problems
    assert f"config.toml:{line}: " in problem
    assert told in problem
    assert [each.title for each in config.commands] == ["Good"]


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("q", "commands[0].key: 'q' is assigned to quit. The command has no shortcut."),
        ("S", "commands[0].key: 'S' is assigned to apply-settings. The command has no shortcut."),
        ("j", "commands[0].key: 'j' is reserved for moving in lists, trees and forms. The command has no shortcut."),
        ("f99", "commands[0].key: 'f99' is not a key"),
    ],
)
def test_a_key_that_it_cannot_have_is_told(key: str, told: str) -> None:
    config = written(f'[[commands]]\ntitle = "A"\nrun = ["x"]\nscope = "characters"\nkey = "{key}"\n')
    [problem] = own_problems(config.commands, make_keymap({}))
    assert told in problem


def test_two_of_them_cannot_share_akey_event() -> None:
    one = '[[commands]]\ntitle = "{}"\nrun = ["x"]\nkey = "f9"\nscope = "{}"\n'
    config = written(one.format("A", "characters") + one.format("B", "requests") + one.format("C", "requests"))
    [problem] = own_problems(config.commands, make_keymap({}))
    assert problem == "commands[2].key: 'f9' is assigned to “B”. The command has no shortcut."


async def test_mistakes_are_told_at_the_start_and_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    config = written('[[commands]]\ntitle = "A"\nrun = ["x", "{odd}"]\n[[commands]]\ntitle="B"\nrun=["x"]\nkey="q"\n')
    async with opened(config=config) as user:
        await user.is_told("Unknown placeholder “odd”", "'q' is assigned to quit")
    assert main(["config", "validate"]) == 1
    told = capsys.readouterr().out
    assert "config.toml:5: Unknown placeholder “odd”" in told
    assert "config.toml:9: commands[1].key: 'q' is assigned to quit" in told
