"""How the program looks: themes that are chosen, that change while they are worn, and parts one jumps to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import Key
from textual.widget import Widget
from textual.widgets import Input

from chartui.core.config import Config, config_path, load_config
from chartui.core.paths import own_themes
from chartui.tui.bindings import active
from chartui.tui.shell.jump import Jump, part_name
from chartui.tui.shell.open_profile import Opening
from chartui.tui.shell.themes import ThemeChooser
from chartui.tui.terminal import Terminal
from chartui.tui.theme import Looks
from chartui.tui.widgets.tabs import tabs_on
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.user import User, opened

_HEAD = 'format = "chartui-theme"\nversion = 1\n'


def own(text: str, name: str = "dusk") -> Path:
    own_themes().mkdir(parents=True, exist_ok=True)
    path = own_themes() / f"{name}.toml"
    path.write_text(text)
    return path


async def chooser(user: User) -> None:
    await user.press("@")
    await user.until(lambda: user.is_at(ThemeChooser) and user.app.screen.is_mounted)


async def worn(user: User, name: str) -> None:
    await user.until(lambda: user.app.theme == name, f"for {name}, not {user.app.theme}")


# -- the chooser -------------------------------------------------------------------------------------------------------


@covers("theme")
async def test_a_theme_is_seen_while_one_moves_and_only_enter_keeps_it() -> None:
    async with opened() as user:
        await chooser(user)
        await user.press("down")
        await worn(user, "monochrome")
        await user.press("up", "up")
        await worn(user, "daylight")
        await user.press("escape")
        await worn(user, "lantern")
        assert not config_path().exists()
        await chooser(user)
        await user.press(*"dayl", "enter")
        await user.is_told("Theme daylight was saved to", "config.toml")
        assert user.app.theme == "daylight"
        assert load_config().theme == "daylight"


async def test_what_cannot_be_used_says_why_and_changes_nothing() -> None:
    own(_HEAD + '[colors]\nprimary = "rde"\n')
    own(_HEAD, "lantern")
    async with opened(size=(120, 40)) as user:
        await chooser(user)
        assert user.screen.count(" lantern ") == 1
        await user.press(*"dusk")
        await user.sees("✗ errors", "Unknown color")
        await user.rests()
        assert user.app.theme == "lantern"
        await user.press("enter")
        await user.is_told("Did you mean “red”?")
        assert user.app.theme == "lantern"
        assert not config_path().exists()


async def test_a_choice_that_cannot_be_written_holds_until_the_end() -> None:
    config_path().parent.mkdir(parents=True, exist_ok=True)
    config_path().write_text("theme =\n")
    async with opened() as user:
        await chooser(user)
        await user.press(*"beacon", "enter")
        await user.is_told("beacon applies to this session only", "not TOML")
        assert user.app.theme == "beacon"
    assert config_path().read_text() == "theme =\n"


async def test_whose_wish_holds_at_a_start_and_after_a_choice() -> None:
    session = demo()
    async with opened(
        replace(session, profile=replace(session.profile, theme="beacon")), config=Config(theme="daylight")
    ) as user:
        assert user.app.theme == "beacon"
        await chooser(user)
        await user.press(*"mono", "enter")
        await user.is_told("sets 'beacon', which overrides this theme at startup")
    async with opened(opening=Opening(theme="colorblind"), config=Config(theme="daylight")) as user:
        assert user.app.theme == "colorblind"
        await chooser(user)
        await user.press(*"mono", "enter")
        await user.is_told("Theme monochrome was saved to")
        user.app.looks.apply()
        assert user.app.theme == "monochrome"


@pytest.mark.parametrize(
    ("terminal", "config", "expected"),
    [
        (Terminal(), Config(), "lantern"),
        (Terminal(few_colors=True), Config(), "terminal"),
        (Terminal(few_colors=True), Config(theme="daylight"), "daylight"),
        (Terminal(colorless=True), Config(theme="daylight"), "monochrome"),
    ],
)
async def test_a_terminal_that_shows_less_is_dressed_otherwise(
    terminal: Terminal, config: Config, expected: str
) -> None:
    async with opened(terminal=terminal, config=config) as user:
        assert user.app.theme == expected


# -- a file that changes -----------------------------------------------------------------------------------------------


async def test_a_theme_of_ones_own_is_worn_anew_when_its_file_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chartui.tui.theme._LOOK_EVERY", 0.01)
    path = own(_HEAD + '[colors]\nprimary = "#aabbcc"\n')
    async with opened(config=Config(theme="dusk")) as user:

        def primary(color: str) -> Callable[[], bool]:
            return lambda: user.app.theme_variables["primary"].lower() == color

        assert primary("#aabbcc")()
        path.write_text(_HEAD + '[colors]\nprimary = "#ccbbaa"\n# longer\n')
        await user.until(primary("#ccbbaa"), "for the new color")
        path.write_text(_HEAD + '[colors]\nprimry = "#ccbbaa"\n')
        await user.is_told("dusk.toml", "Unknown key “primry” in colors. Did you mean “primary”?", "stays in use")
        assert primary("#ccbbaa")()
        assert user.app.theme == "dusk"
        path.unlink()
        await user.is_told("no such file")
        assert primary("#ccbbaa")()
        path.write_text(_HEAD + '[colors]\nprimary = "#bbbbbb"\n')
        await user.until(primary("#bbbbbb"), "for the file that is back")
        told = user.toasts
        assert len(told) == 2, told


async def test_a_file_that_is_being_written_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is another at each look is left alone until it is the same at two of them."""
    monkeypatch.setattr(Looks, "watch", lambda self: None)
    path = own(_HEAD)
    async with opened(config=Config(theme="dusk")) as user:
        for number in range(5):
            path.write_text(_HEAD + "[colors\n" + "#" * number)
            user.app.looks.look()
        assert not user.toasts
        user.app.looks.look()
        await user.is_told("not TOML")


async def test_themes_that_come_along_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []
    monkeypatch.setattr(Looks, "look", looked.append)
    monkeypatch.setattr("chartui.tui.theme._LOOK_EVERY", 0.001)
    async with opened() as user:
        await user.press("C")
        await user.ready()
    assert looked == []


async def test_a_theme_with_a_mistake_is_told_at_the_start() -> None:
    path = own("[colors]\n")
    async with opened(config=Config(theme="dusk"), size=(120, 40)) as user:
        await user.is_told("Theme 'dusk' is set by the settings.", path.name, "the file must start with")
        assert user.app.theme == "lantern"


# -- ASCII -------------------------------------------------------------------------------------------------------------


async def test_in_ascii_nothing_else_is_on_any_screen() -> None:
    async with opened(terminal=Terminal(ascii=True), size=(120, 40)) as user:
        for keys in (["E"], ["x"], ["w"], ["C"], ["enter"], ["e"], ["N"], ["m"], ["A"], ["Q"], ["?"], ["escape", ":"]):
            await user.press(*keys)
            if len(user.app.screen_stack) <= 2:
                await user.ready()
            await user.settle()
            assert user.screen.isascii(), [line for line in user.screen.splitlines() if not line.isascii()]
            assert "\\ " not in user.screen, "a key is named in words"
        await user.press("escape", "E", "escape")
        await user.sees(" enter change ", " right step ")
        user.app.tell("naïve – “done”")
        await user.is_told('naive - "done"')


# -- jumping -----------------------------------------------------------------------------------------------------------


@covers("jump")
@pytest.mark.parametrize("key", [";", "f4"])
async def test_a_letter_leads_to_each_part(key: str) -> None:
    async with opened(screen="narrative", size=(120, 40)) as user:
        before = user.app.focused
        await user.press(key)
        await user.at(Jump)
        await user.sees(" A ", " S ")
        await user.press("s")
        assert user.app.focused is not before
        other = user.app.focused
        await user.press(key, "A")
        assert user.app.focused is before
        for leaves in ("escape", "9", key):
            await user.press(key, leaves)
            assert user.app.focused is before
            assert not user.is_at(Jump)
        assert other is not None


@pytest.mark.parametrize("screen", ["estimator", "characters", "narrative", "actions"])
async def test_a_letter_goes_to_each_tab_that_a_border_names(screen: str) -> None:
    async with opened(screen=screen, size=(120, 30)) as user:
        await user.ready()
        panels = [panel for panel in user.app.screen.query(Widget) if panel.region]
        tabs = [title for panel in panels for title, _, _ in tabs_on(panel)]
        assert len(tabs) > 2
        for tab in tabs:
            await user.press(";")
            jump = await user.at(Jump)
            (letter,) = [found.keys[0] for found in active(jump) if found.command.title == f"to {tab}"]
            await user.press(letter)
            await user.leaves(Jump)
            assert user.app.focused is not None
            await user.until(lambda: part_name(user.app.focused or user.app.screen) == tab, f"for {tab}")  # noqa: B023


async def test_the_letter_of_a_tab_covers_no_name() -> None:
    async with opened(screen="narrative", size=(120, 40)) as user:
        await user.press(";")
        await user.at(Jump)
        await user.sees(" S Section D Map F Lint G Walk H Stats ─")


@pytest.mark.parametrize(
    ("view", "heading"),
    [
        ("view-rank", "S Name"),
        ("view-explore", "S credits"),
        ("view-compare", "│ credits"),
        ("view-subscriptions", "Name"),
    ],
)
async def test_letters_cover_no_heading_of_a_table(view: str, heading: str) -> None:
    async with opened() as user:
        await user.finds(view)
        await user.press(";")
        await user.at(Jump)
        await user.sees(heading)


async def test_the_parts_of_one_panel_have_different_names() -> None:
    async with opened() as user:
        await user.finds("view-subscriptions")
        await user.press(";")
        titles = [found.command.title for found in active(await user.at(Jump))]
        assert {"to Subscriptions: form", "to Subscriptions: table"} <= set(titles)
        assert len(titles) == len(set(titles))


async def test_in_a_dialogue_it_leads_to_the_parts_of_that() -> None:
    async with opened(size=(120, 40)) as user:
        await user.press("P", "a")
        await user.until(lambda: len(user.app.screen.query(Input)) > 1)
        dialog, before = user.app.screen, user.app.focused
        await user.press("f4")
        await user.at(Jump)
        await user.press("d")
        await user.until(lambda: user.app.screen is dialog)
        assert user.app.focused not in (None, before)


async def test_the_letters_go_when_the_window_changes() -> None:
    async with opened() as user:
        await user.press(";")
        await user.at(Jump)
        await user.resize(120, 40)
        await user.leaves(Jump)


# -- too small a window ------------------------------------------------------------------------------------------------


async def test_in_a_window_that_is_too_small_no_key_does_anything_but_quit() -> None:
    async with opened() as user:
        before = user.estimator.now
        await user.resize(59, 24)
        await user.press("right", "C", ":", "@")
        await user.paste("text")
        await user.resize(80, 24)
        assert user.estimator.now == before
        await user.press("right")
        assert user.estimator.now != before
        await user.resize(80, 19)
        user.app.post_message(_quit())
        await user.until(lambda: user.app.return_code == 0, "for the end")


def _quit() -> Key:

    return Key("q", "q")
