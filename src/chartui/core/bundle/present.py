"""A character as it is on a profile: read whole, made a bundle, held against one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.bundle.difference import Difference, differences
from chartui.core.bundle.making import bundle_of
from chartui.core.bundle.model import key_of
from chartui.core.character import Reading, read_character
from chartui.core.narrative.story import Story
from chartui.core.plans.settings import BACKSTORY, REASONING
from chartui.core.plans.wording import LABELS
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.shape import build

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle
    from chartui.core.session import Session

__all__ = ["Present", "compared", "keep_scene", "present_of", "pull"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """A character as it is on a profile, with its story, and what was composed for it on this machine.

    ``key`` is what the character is called in the table of ids of a file.
    """

    key: str
    reading: Reading
    story: Story
    scene: Turn | None = None

    def bundle(self, like: Bundle | None = None) -> Bundle:
        """All of it as a bundle; ``like`` gives the slugs."""
        return bundle_of(self.reading, self.story, self.key, scene=self.scene, like=like)


async def present_of(session: Session, character_id: str) -> Present:
    """Read a character with its story; raises :class:`ServiceError`, of kind ``not_found`` where there is none."""
    service, place = session.service, session.profile.place
    reading = await read_character(service, session.journal, place, character_id)
    if reading is None:
        raise ServiceError(ErrorKind.NOT_FOUND, f"There is no character '{character_id}'.")
    sections, triggers = await service.sections(character_id), await service.triggers(character_id)
    return Present(
        key=key_of(session.profile.name, character_id),
        reading=reading,
        story=Story.of(build(Character, reading.record), sections, triggers),
        scene=await _scene(session, character_id),
    )


async def pull(session: Session, character_id: str, *, like: Bundle | None = None) -> tuple[Bundle, tuple[str, ...]]:
    """A character as a bundle, and what of it no file can hold, in sentences; ``like`` is an earlier bundle of it.

    What neither the service nor this machine tells stays as it is in the earlier bundle. Raises as :func:`present_of`.
    """
    present = await present_of(session, character_id)
    bundle = present.bundle(like)
    if like is not None:
        settings = {**{member: like.settings.get(member) for member in bundle.unread}, **bundle.settings}
        bundle = replace(
            bundle,
            settings={member: value for member, value in settings.items() if value is not None},
            unread=tuple(member for member in bundle.unread if settings[member] is None),
            scene=bundle.scene or like.scene,
        )
    return bundle, tuple(_not_in_file(present, bundle))


def _not_in_file(present: Present, bundle: Bundle) -> Iterator[str]:
    doubles = (*present.story.other_sections, *present.story.other_triggers)
    if doubles:
        yield f"{len(doubles)} with an id that an earlier one has cannot be addressed, and are left out."
    untold = [member for member in (REASONING, BACKSTORY) if member not in present.reading.now]
    kept = [LABELS[member] for member in untold if member not in bundle.unread]
    unread = [LABELS[member] for member in untold if member in bundle.unread]
    if kept:
        yield f"The service does not give back: {', '.join(kept)}. What the file says of it stays."
    if unread:
        yield f"The service does not give back: {', '.join(unread)}. The file says so, and a push leaves it alone."


async def compared(session: Session, bundle: Bundle, character_id: str) -> tuple[Difference, ...]:
    """Hold a bundle against a character as it is now; raises as :func:`present_of`."""
    present = await present_of(session, character_id)
    return differences(bundle, present.bundle(bundle), present.key)


# -- the scene that was composed ---------------------------------------------------------------------------------------


async def _scene(session: Session, character_id: str) -> Turn | None:
    """What was last composed for the character here; None where that is nothing to act with."""
    draft = await session.drafts.load(session.profile.place, character_id, SCENE_PART)
    if draft is None:
        return None
    try:
        turn = Turn.from_payload(draft.document)
    except ValueError:  # damaged, or of another version; the screen that it belongs to says so
        return None
    return turn if turn.actions or turn.targets else None


async def keep_scene(session: Session, bundle: Bundle, character_id: str) -> None:
    """Keep the scene of a file for a character on this machine, where nothing was composed for it."""
    place = session.profile.place
    if bundle.scene is None or await session.drafts.load(place, character_id, SCENE_PART) is not None:
        return
    await session.drafts.save(
        place, character_id, SCENE_PART, replace(bundle.scene, character_id=character_id).payload()
    )
