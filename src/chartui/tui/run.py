"""Opens a profile in the terminal UI and runs it until the user quits."""

from __future__ import annotations

from chartui.core.config import load_config
from chartui.core.naming import unknown
from chartui.core.profiles import BUILT_IN, load_profiles, profiles_path
from chartui.core.themes import find_theme, theme_names
from chartui.tui.app import ChartuiApp
from chartui.tui.shell.open_profile import Opening
from chartui.tui.terminal import given_environment, terminal_of


class UnknownTheme(ValueError):
    """No theme has this name; the message lists the available ones."""


def run_tui(
    *,
    profile: str | None,
    read_only: bool,
    theme: str | None,
    screen: str | None,
    character: str | None,
    demo: bool,
    ascii: bool | None = None,  # noqa: A002
) -> int:
    """Open the workbench and return its exit status; without a chosen profile, the user is asked first.

    ``demo`` works on demo data that is deleted at the end and overrides ``profile``. ``ascii`` restricts drawing to
    ASCII (default: the settings and the terminal decide). Raises :class:`~chartui.core.profiles.ProfileError` and
    :class:`UnknownTheme`.
    """
    if theme is not None and find_theme(theme) is None:
        raise UnknownTheme(unknown("theme", theme, theme_names()))
    chosen = BUILT_IN["demo"] if demo else load_profiles().choose(profile)
    # No settings file means that the user was never asked, unlike a file whose default profile was removed.
    welcome = chosen is None and not profiles_path().exists()
    opening = Opening(read_only=read_only, throwaway=demo, theme=theme, screen=screen, welcome=welcome)
    # Opening is cheap, even if the result is not used.
    session = opening.open(chosen or BUILT_IN["demo"])
    config = load_config()
    start = screen or session.profile.screen or config.screen or "estimator"
    terminal = terminal_of(given_environment(), ascii=config.ascii if ascii is None else ascii)
    return run_app(
        ChartuiApp(session, screen_name=start, character=character, opening=opening, config=config, terminal=terminal)
    )


def run_app(app: ChartuiApp) -> int:
    """Run until the user quits or a signal comes; returns the exit status. A crash is raised unchanged."""
    app.run(mouse=app.config.terminal.mouse)
    if app.crash is not None:
        raise app.crash
    return app.return_code or 0
