"""A tour with characters, a theme and a profile of its own: on copies, with every mistake named by its line."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest

from chartui.core.backends.local.store import Store
from chartui.core.bundle.difference import Difference
from chartui.core.bundle.files import load, write_bundle
from chartui.core.bundle.present import compared
from chartui.core.paths import shipped_theme
from chartui.core.session import Session, open_session
from chartui.core.spec.errors import ServiceError
from chartui.demos import fill
from chartui.demos.stage import Stage, staged
from chartui.demos.tour import OwnProfile, Service, Tour
from chartui.demos.tour_file import BadTour, read_tour, written
from chartui.tui.tour.run import recorded

T = TypeVar("T")

BUNDLE = """\
format = "chartui-bundle"
version = 1

[character]
name = "Mira"
model = "mdla-5.1"
temperature = 0.4
reasoning_effort = "low"
backstory = "Mira keeps the gate."
narrative = true
start = "gate"

[actions]
actions = ["Opens", "Waits"]

[actions.scene]
actions = ["Opens"]
objects = [{ name = "Key 1", description = "Small, of brass." }]

[sections.gate]
name = "Gate"
objective = "Who is there?"
decisions = [
    { when = "gives a name", to = "hall" },
    { when = "is rude", to = "id:lost", priority = 1 },
]

[sections.hall]
name = "Hall"
objective = "Show the guest around."
decisions = []
overrides = [{ trigger = "bell", to = "gate" }]

[triggers.bell]
name = "bell"
message = "The bell rings."
to = "hall"
"""
STEPS = '[[steps]]\nexpect = "Mira"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with material, which a tour must not change."""
    place = tmp_path / "material"
    (place / "cast" / "notes").mkdir(parents=True)
    (place / "mira.toml").write_text(BUNDLE, encoding="utf-8")
    (place / "cast" / "ada.toml").write_text(BUNDLE.replace("Mira", "Ada"), encoding="utf-8")
    write_bundle(place / "cast" / "bea", load(place / "cast" / "ada.toml").bundle, folder=True)
    (place / "cast" / "other.toml").write_text('format = "chartui-tour"\n', encoding="utf-8")
    theme = shipped_theme("lantern").read_text(encoding="utf-8")
    (place / "dusk.toml").write_text(theme.replace('name = "lantern"', 'name = "dusk"'), encoding="utf-8")
    with closing(Store(tmp_path / "made" / "mine.db")) as store:
        fill(store)
        store.backup(place / "mine.db")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    yield place
    kept = {path: path.read_bytes() for path in place.rglob("*") if path.is_file() and path.name != "tour.toml"}
    assert kept == before


def tour_of(folder: Path, head: str) -> Tour:
    path = folder / "tour.toml"
    path.write_text(f'format = "chartui-tour"\nversion = 1\ntitle = "T"\n{head}\n{STEPS}', encoding="utf-8")
    return read_tour(path)


def on(stage: Stage, work: Callable[[Session], Awaitable[T]]) -> T:
    """Do ``work`` with the profile of a stage."""

    async def begin() -> T:
        session = open_session(stage.profile, reach=stage.service.reach)
        try:
            return await work(session)
        finally:
            await session.aclose()

    return asyncio.run(begin())


async def names(session: Session) -> list[str | None]:
    return [each.character_name for each in await session.service.summaries()]


def test_bundles_are_the_characters_of_a_tour(folder: Path) -> None:
    tour = tour_of(folder, 'bundles = ["mira.toml", "cast"]\ncharacters = 2')
    with staged(tour, alone=True) as stage:
        found = on(stage, names)
    assert (stage.profile.name, found[:3], len(found)) == ("local", ["Mira", "Ada", "Ada"], 5)


def test_a_bundle_is_staged_whole(folder: Path) -> None:
    """It does not differ from the character made of it, not even in the scene and the reference that dangles."""
    mine = load(folder / "mira.toml").bundle

    async def compare(session: Session) -> tuple[Difference, ...]:
        [mira] = await session.service.summaries()
        return await compared(session, mine, str(mira.character_id))

    with staged(tour_of(folder, 'bundles = "mira.toml"'), alone=True) as stage:
        assert on(stage, compare) == ()


def test_a_store_is_copied_with_its_characters(folder: Path) -> None:
    for profile in ("local", "staging"):
        tour = tour_of(folder, f'store = "mine.db"\nbundles = "mira.toml"\nprofile = "{profile}"')
        with staged(tour, alone=True) as stage:
            found = on(stage, names)
        assert found[-1] == "Mira"
        assert "Elena Marsh" in found


def test_a_profile_of_its_own_is_served_with_its_faults(folder: Path) -> None:
    head = 'bundles = "cast"\n[profile]\nname = "live"\nbase_url = "https://api.example"\nproduction = true\n'
    tour = tour_of(folder, f'{head}service = "failing"\nlatency = 0.5')
    assert isinstance(tour.profile, OwnProfile)
    assert read_tour_again(tour, folder) == tour
    with staged(tour, alone=True) as stage:
        assert (stage.profile.name, stage.profile.host, stage.profile.production) == ("live", "api.example", True)
        begun = stage.time.now
        with pytest.raises(ServiceError, match="500"):
            on(stage, names)
        assert stage.time.now > begun
        stage.service.behaves = Service.HERE
        assert on(stage, names) == ["Ada", "Ada"]


def read_tour_again(tour: Tour, folder: Path) -> Tour:
    path = folder / "tour.toml"
    path.write_text(written(tour), encoding="utf-8")
    return read_tour(path)


def test_a_profile_without_material_serves_the_demo_data(folder: Path) -> None:
    with staged(tour_of(folder, 'profile = { name = "live" }'), alone=True) as stage:
        assert "Elena Marsh" in on(stage, names)
    with staged(tour_of(folder, 'profile = "local"'), alone=True) as stage:
        assert on(stage, names) == []


def test_a_theme_of_its_own_is_worn(folder: Path) -> None:
    tour = tour_of(folder, 'bundles = "mira.toml"\nscreen = "characters"\ntheme = "dusk.toml"')
    path = folder / "tour.toml"
    path.write_text(f'{path.read_text(encoding="utf-8")}picture = "one"\n', encoding="utf-8")
    ground = re.search(r'background = "(#\w+)"', (folder / "dusk.toml").read_text(encoding="utf-8"))
    assert ground is not None
    [plain] = recorded(read_tour(path))
    theme = folder / "dusk.toml"
    before = theme.read_bytes()
    theme.write_bytes(before.replace(ground[1].encode(), b"#102030"))
    [worn] = recorded(read_tour(path))
    theme.write_bytes(before)
    assert worn.text == plain.text
    assert "#102030" in worn.svg
    assert "#102030" not in plain.svg
    assert tour.theme_name == "dusk"


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ('\nbundles = "none.toml"', "5: bundles: {folder}/none.toml: the file cannot be read"),
        ('bundles = [\n  "mira.toml",\n  "cast/notes",\n]', "6: bundles: {folder}/cast/notes contains no bundles."),
        ('bundles = ["broken.toml"]', "4: bundles: {folder}/broken.toml:11: "),
        ("bundles = [3]", "4: bundles must be a single line of text."),
        ('store = "mira.toml"', "4: store: {folder}/mira.toml: not a store."),
        ('store = "none.db"', "4: store: {folder}/none.db: No such file or directory."),
        ('theme = "none.toml"', "4: theme: {folder}/none.toml: no such file."),
        ('theme = "cast/lantern.toml"', "4: theme: lantern.toml has the name of a built-in theme; rename the file."),
        (
            'bundles = "mira.toml"\nprofile = "demo"',
            '5: with bundles or store, profile must be "local", "staging" or a table',
        ),
        ('profile = { base_url = "https://a.example" }', "4: profile.name is missing"),
        ('profile = { name = "demo" }', "4: profile.name: 'demo' is built in"),
        ('[profile]\nname = "a"\nkey = { env = "A" }', "6: Unknown key “key” in profile."),
        ('[profile]\nname = "a"\n\nservice = "gone"', "7: Unknown name “gone” for profile.service."),
        ('[profile]\nname = "a"\nbase_url = "ftp://a.example"', "4: The base_url of profile 'a' must start with"),
        ('[profile]\nname = "a"\nread_only = 1', "6: profile.read_only must be true or false."),
    ],
)
def test_a_mistake_is_told_with_the_line_of_the_tour(head: str, told: str, folder: Path) -> None:
    broken = folder / "broken.toml"
    broken.write_text(BUNDLE.replace('start = "gate"', 'strat = "gate"'), encoding="utf-8")
    try:
        with pytest.raises(BadTour) as refused:
            tour_of(folder, head)
    finally:
        broken.unlink()
    assert f"{folder}/tour.toml:{told.format(folder=folder)}" in str(refused.value)


def test_a_store_that_cannot_be_opened_is_told_when_the_tour_begins(folder: Path, tmp_path: Path) -> None:
    head = (folder / "mine.db").read_bytes()[:100]
    (tmp_path / "cut.db").write_bytes(head + bytes(8000))
    for profile in ("local", "staging"):
        tour = tour_of(folder, f'store = {json.dumps(str(tmp_path / "cut.db"))}\nprofile = "{profile}"')
        with pytest.raises(BadTour, match=r"^tour\.toml:4: store: .*/cut\.db is damaged"), staged(tour, alone=True):
            pass
