"""Which profile a character is compared with, and which character there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.core.profiles import ProfileError, load_profiles
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.shell.open_profile import NotOpened, open_checked
from chartui.tui.shell.profiles import where_of
from chartui.tui.wait import waiting
from chartui.tui.widgets.chooser import Choice, Chooser

if TYPE_CHECKING:
    from chartui.core.session import Session
    from chartui.tui.app import ChartuiApp

__all__ = ["choose_character", "open_another"]


async def open_another(app: ChartuiApp) -> Session | None:
    """Ask for another profile than the present one, and open it beside it; the caller closes it.

    None where none was chosen or it does not answer, which is told. To be awaited in a worker.
    """
    try:
        known = load_profiles()
        others = [profile for profile in known.by_name.values() if profile.name != app.session.profile.name]
        choices = [Choice(profile.name, profile.name, where_of(profile)) for profile in others]
        chosen = await app.push_screen_wait(Chooser("Compare with the same character on …", choices))
        if chosen is None:
            return None
        async with waiting(app, f"Open '{single_line(chosen, limit=30)}'"):
            return await open_checked(app, known.get(chosen))
    except (ProfileError, OSError, NotOpened) as error:
        app.tell(str(error), title="Not compared", severity="warning")
        return None


async def choose_character(app: ChartuiApp, session: Session, character_id: str, name: str) -> str | None:
    """The id of the character to compare with: the same where the profile of ``session`` has it, else asked for.

    None where none was chosen, or nothing could be read, which is told. To be awaited in a worker.
    """
    async with waiting(app, f"Compare with {single_line(name, limit=30)}"):
        try:
            summaries = await session.service.asking_as("characters").summaries()
        except ServiceError as error:
            app.tell_failure(error)
            return None
        if any(summary.character_id == character_id for summary in summaries):
            return character_id
        where = single_line(session.profile.name)
        if not summaries:
            app.tell(f"Profile '{where}' has no characters.", title="Not compared")
            return None
        choices = [Choice(s.character_id, s.character_name or "(no name)", "", s.character_id) for s in summaries]
        namesake = next((s.character_id for s in summaries if s.character_name == name), None)
        return await app.push_screen_wait(Chooser(f"This id is not on {where}: compare with …", choices, namesake))
