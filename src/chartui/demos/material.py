"""Your own material for a tour: bundles, a store and a theme, which its file names, as copies on its stage.

:func:`material_of` reports mistakes in the files. Nothing here writes to them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chartui.core.bundle.files import is_folder, load
from chartui.core.bundle.model import FORMAT, MEMBERS, Bundle, raw_id
from chartui.core.bundle.reader import BundleError
from chartui.core.classes import NamedTuple
from chartui.core.clock import Ids, seeded_ids, system_clock, timestamp
from chartui.core.jsontext import Wire
from chartui.core.paths import own_themes, shipped_theme
from chartui.core.tables import Mistakes
from chartui.demos.tour import Tour

if TYPE_CHECKING:
    from chartui.core.backends.local.store import Account, Store, Tables
    from chartui.core.narrative.story import Story
    from chartui.core.profiles import Profile
    from chartui.core.spec.models.narrative import Decision

#: The start of a SQLite file, and where it holds the number of the program that made it.
_MAGIC: Final = b"SQLite format 3\0"
_MADE_BY: Final = slice(68, 72)
_LOG: Final = "-wal"


class Material(NamedTuple):
    """What a tour brings along; ``store`` and ``theme`` are absolute paths."""

    bundles: tuple[Bundle, ...] = ()
    store: Path | None = None
    theme: Path | None = None

    @property
    def characters(self) -> bool:
        return bool(self.bundles) or self.store is not None

    def put_files(self, *stores: Path) -> None:
        """Copy the theme to the folder of the configuration, and the store to the paths ``stores``. Raises ``OSError``.

        The log beside a store may contain its latest changes.
        """
        if self.theme is not None:
            own_themes().mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.theme, own_themes() / self.theme.name)
        if self.store is None:
            return
        for path in stores:
            path.parent.mkdir(parents=True, exist_ok=True)
            for suffix in ("", _LOG):
                source = self.store.with_name(self.store.name + suffix)
                if not suffix or source.exists():
                    shutil.copyfile(source, path.with_name(path.name + suffix))

    def put_characters(self, store: Store, account: Account, profile: Profile) -> None:
        """Add the characters of the bundles to ``store``, and their scenes for ``profile``.

        Raises :class:`~chartui.core.spec.errors.ServiceError`.
        """
        ids = seeded_ids(f"material of {profile.name}")
        with store.writing() as tables:
            made = [(_insert(tables, account, bundle, ids), bundle) for bundle in self.bundles]
        _keep_scenes([(character_id, bundle) for character_id, bundle in made if bundle.scene is not None], profile)


# -- reading ----------------------------------------------------------------------------------------------------------


def material_of(tour: Tour, mistakes: Mistakes) -> Material:
    """The material of ``tour``. Mistakes in its files are added to ``mistakes``, at the members that name the files."""
    bundles = [
        bundle
        for number, name in enumerate(tour.bundles)
        for bundle in _bundles(tour.path(name), mistakes, f"bundles[{number}]")
    ]
    store = tour.path(tour.store) if tour.store else None
    if store is not None and (problem := _store_problem(store)):
        mistakes.add(f"store: {store}: {problem}.", at="store")
    theme = tour.path(tour.theme) if tour.theme is not None and tour.has_own_theme else None
    if theme is not None:
        _check_theme(theme, mistakes)
    return Material(tuple(bundles), store, theme)


def _bundles(path: Path, mistakes: Mistakes, at: str) -> Iterator[Bundle]:
    found = _bundle_paths(path)
    if not found:
        mistakes.add(f"bundles: {path} contains no bundles.", at=at)
    for each in found:
        try:
            yield load(each).bundle
        except BundleError as error:
            for line in error.lines:
                mistakes.add(f"bundles: {line}", at=at)


def _bundle_paths(path: Path) -> list[Path]:
    if not path.is_dir() or is_folder(path):
        return [path]
    # The folder may hold other files as well, such as tours and themes.
    return [
        each
        for each in sorted(path.iterdir())
        if is_folder(each) or (each.suffix == ".toml" and each.is_file() and FORMAT.encode() in each.read_bytes())
    ]


def _store_problem(path: Path) -> str | None:
    from chartui.core.backends.local.schema import APPLICATION_ID

    try:
        with path.open("rb") as file:
            head = file.read(_MADE_BY.stop)
    except OSError as error:
        return error.strerror or "cannot be read"
    ours = head.startswith(_MAGIC) and head[_MADE_BY] == APPLICATION_ID.to_bytes(4, "big")
    return None if ours else "not a store"


def _check_theme(path: Path, mistakes: Mistakes) -> None:
    from chartui.core.themes import load_theme

    if shipped_theme(path.stem).is_file():
        mistakes.add(f"theme: {path.name} has the name of a built-in theme; rename the file.", at="theme")
        return
    for problem in load_theme(path).problems:
        mistakes.add(f"theme: {problem}", at="theme")


# -- characters -------------------------------------------------------------------------------------------------------


def _insert(tables: Tables, account: Account, bundle: Bundle, ids: Ids) -> str:
    """Store a bundle as a new character; returns its id."""
    from chartui.core.backends.local.settings import new_record
    from chartui.core.backends.local.tables import StoredCharacter

    rows = _Rows(bundle.story, ids)
    record: dict[str, Any] = new_record(
        character_id=rows.character_id,
        user_id=account.user_id,
        name=bundle.name or "Unnamed",
        moment=timestamp(system_clock()),
        given=None if bundle.actions is None else {"character_actions": list(bundle.actions)},
    )
    settings: Mapping[str, Any] = bundle.settings
    given = {"MODEL": settings.get(MEMBERS["model"]), "TEMPERATURE": settings.get(MEMBERS["temperature"])}
    record["personalised_prompt_config"] |= {name: value for name, value in given.items() if value is not None}
    record["start_narrative_section_id"] = rows.section_id(bundle.story.start)
    record["is_narrative_driven"] = bool(bundle.story.enabled)
    backstory, level = (settings.get(MEMBERS[name]) or None for name in ("backstory", "reasoning_effort"))
    tables.characters.insert(StoredCharacter(record, backstory, level))
    for section in rows.sections():
        tables.narrative.sections.insert(section)
    for trigger in rows.triggers():
        tables.narrative.triggers.insert(trigger)
    return rows.character_id


class _Rows:
    """A story as rows of a store, with identifiers instead of slugs. Unlike a push, it keeps dangling references."""

    def __init__(self, story: Story, ids: Ids) -> None:
        self.character_id = ids()
        self._story = story
        self._sections = {slug: ids() for slug in story.sections}
        self._triggers = {slug: ids() for slug in story.triggers}

    def section_id(self, reference: str | None) -> str | None:
        return _resolved(reference, self._sections) if reference else None

    def sections(self) -> Iterator[dict[str, Wire]]:
        for slug, section in self._story.sections.items():
            decisions = section.decisions
            yield {
                "character_id": self.character_id,
                "section_id": self._sections[slug],
                "section_name": section.section_name or "",
                "objective": section.objective or "",
                "decisions": None if decisions is None else [self._decision(decision) for decision in decisions],
                "triggers": [
                    {
                        "trigger_id": _resolved(override.trigger_id, self._triggers),
                        "destination_section": self.section_id(override.destination_section),
                    }
                    for override in section.triggers or ()
                ],
                "updated_character_data": None,
                "bt_constants": None,
                "behavior_tree_code": None,
                "node_position": [],
            }

    def _decision(self, decision: Decision) -> Wire:
        return {**decision.raw, "next_section_id": self.section_id(decision.next_section_id)}

    def triggers(self) -> Iterator[dict[str, Wire]]:
        for slug, trigger in self._story.triggers.items():
            yield {
                "character_id": self.character_id,
                "trigger_id": self._triggers[slug],
                "trigger_name": trigger.trigger_name or "",
                "trigger_message": trigger.trigger_message or "",
                "destination_section": self.section_id(trigger.destination_section),
                "node_position": [],
            }


def _resolved(reference: str, ids: Mapping[str, str]) -> str:
    raw = raw_id(reference)
    return ids[reference] if raw is None else raw


def _keep_scenes(made: list[tuple[str, Bundle]], profile: Profile) -> None:
    if not made:
        return
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from chartui.core.bundle.present import keep_scene
    from chartui.core.session import open_session

    async def keep() -> None:
        session = open_session(profile)
        try:
            for character_id, bundle in made:
                await keep_scene(session, bundle, character_id)
        finally:
            await session.aclose()

    # The caller may be inside an event loop.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, keep()).result()
