"""Opens a profile in the terminal UI and runs it until the user quits."""

from __future__ import annotations

from chartui.core.bookmark import View
from chartui.core.config import load_config
from chartui.core.naming import BadName, unknown
from chartui.core.profiles import BUILT_IN, profiles_path
from chartui.core.profiles_file import load_profiles
from chartui.core.themes import find_theme, theme_names
from chartui.tui.app import ChartuiApp
from chartui.tui.shell.open_profile import Opening
from chartui.tui.terminal import given_environment, terminal_of


def run_tui(
    *,
    profile: str | None,
    read_only: bool,
    theme: str | None,
    demo: bool,
    view: View | None = None,
    fresh: bool = False,
    ascii: bool | None = None,  # noqa: A002
    plain: bool = False,
) -> int:
    """Open the workbench and return its exit status; without a chosen profile, the user is asked first.

    ``demo`` works on demo data that is deleted at the end and overrides ``profile``. ``view`` says where to start;
    everything else comes back as you left it, unless ``fresh``. ``ascii`` restricts drawing to ASCII (default: the
    settings and the terminal decide); ``plain`` writes lines of text instead. Raises
    :class:`~chartui.core.profiles.ProfileError`, and :class:`BadName` for a theme or a view.
    """
    if theme is not None and find_theme(theme) is None:
        raise BadName(unknown("theme", theme, theme_names()))
    chosen = BUILT_IN["demo"] if demo else load_profiles().choose(profile)
    # No settings file means that the user was never asked, unlike a file whose default profile was removed.
    welcome = chosen is None and not profiles_path().exists()
    view = view or View()
    if view.place or view.fuzzy:
        from chartui.commands.tabs import view_to_open

        view = view_to_open(view)
    remember = not fresh and not demo
    opening = Opening(
        read_only=read_only, throwaway=demo, theme=theme, screen=view.screen, remember=remember, welcome=welcome
    )
    # Opening is cheap, even if the result is not used.
    session = opening.open(chosen or BUILT_IN["demo"])
    config = load_config()
    bookmark = opening.bookmark(session.profile, config.remember)
    start = view.screen or session.profile.screen or config.screen or bookmark.screen or "estimator"
    bookmark = bookmark.leading_to(start, view)
    terminal = terminal_of(given_environment(), ascii=config.ascii if ascii is None else ascii, plain=plain)
    return run_app(
        ChartuiApp(
            session,
            screen_name=start,
            character=view.character,
            bookmark=bookmark,
            opening=opening,
            config=config,
            terminal=terminal,
        )
    )


def run_app(app: ChartuiApp) -> int:
    """Run until the user quits or a signal arrives; returns the exit status. A crash is raised unchanged."""
    app.run(mouse=app.config.terminal.mouse)
    if app.crash is not None:
        raise app.crash
    return app.return_code or 0
