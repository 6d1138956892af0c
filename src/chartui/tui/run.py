"""Opens a profile in the terminal UI and runs it to its end."""

from __future__ import annotations

from chartui.core.profiles import BUILT_IN, load_profiles
from chartui.core.session import open_session
from chartui.tui.app import ChartuiApp
from chartui.tui.theming import DEFAULT_THEME, theme_names

__all__ = ["UnknownTheme", "run_app", "run_tui"]


class UnknownTheme(ValueError):
    """No theme has this name; the message lists those there are."""


def run_tui(
    *,
    profile: str | None,
    read_only: bool,
    theme: str | None,
    screen: str | None,
    character: str | None,
    demo: bool,
) -> int:
    """Open the workbench and return the exit status it ends with.

    ``demo`` works on demo data that is thrown away at the end, whatever ``profile`` says. Raises
    :class:`~chartui.core.profiles.ProfileError` and :class:`UnknownTheme`.
    """
    if theme is not None and theme not in theme_names():
        raise UnknownTheme(f"no theme is called '{theme}'; there are {', '.join(theme_names())}")
    chosen = BUILT_IN["demo"] if demo else load_profiles().choose(profile) or BUILT_IN["demo"]
    session = open_session(chosen, read_only=read_only, throwaway=demo, fill=_fill, origin="terminal UI")
    return run_app(
        ChartuiApp(session, theme=theme or DEFAULT_THEME, screen_name=screen or "estimator", character=character)
    )


def run_app(app: ChartuiApp) -> int:
    """Run until the user leaves or a signal comes; returns the exit status. A crash is raised as it happened."""
    app.run()
    if app.crash is not None:
        raise app.crash
    return app.return_code or 0


def _fill(store: object) -> None:
    from chartui.demos import fill

    fill(store)  # type: ignore[arg-type]
