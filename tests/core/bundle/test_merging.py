"""Two authors edit different sections of one bundle and push; version control merges their files, lock included."""

from __future__ import annotations

import asyncio
import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from chartui.core.bundle.files import load, remember, write_bundle
from chartui.core.bundle.model import Bundle
from chartui.core.bundle.present import present_of, pull
from chartui.core.bundle.push import push_plan
from chartui.core.session import Session
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.operations import operation
from chartui.core.spec.shape import build

from .sessions import carried_out, local_session
from .stories import hall_and_gate

_SECTIONS: Final = 9
_WORDS: Final = "gate hall bell lamp road river winter smith guest key song tower rain".split()  # noqa: SIM905


class Repository:
    def __init__(self, folder: Path, *settings: str) -> None:
        self.folder = folder
        self("init", "-q", "-b", "main")
        (folder / ".gitattributes").write_text("".join(f"{line}\n" for line in settings))

    def __call__(self, *words: str) -> str:
        names = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *names, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def commit(self) -> None:
        self("add", "-A")
        self("commit", "-q", "--allow-empty", "-m", "Edit")


def _sentence(random: Random) -> str:
    return " ".join(random.choices(_WORDS, k=random.randint(2, 9))).capitalize() + random.choice(".!?")


def _decision(random: Random, bundle: Bundle) -> dict[str, Any]:
    return {"criteria": _sentence(random), "next_section_id": random.choice(list(bundle.story.sections))}


def _edited(random: Random, bundle: Bundle, slug: str, *, adding: bool) -> Bundle:
    """Change something of a section, or add one after it."""
    section = bundle.story.sections[slug]
    ways = [dict(way.raw) for way in section.decisions or ()]
    words = (section.objective or "").split(". ")
    words[random.randrange(len(words))] = _sentence(random)
    choice = random.randrange(8 if adding else 7)
    more: dict[str, Section] = {}
    changed: dict[str, Any]
    match choice:
        case 0:
            changed = {"objective": ". ".join(words)}
        case 1:
            changed = {"objective": "\n".join(_sentence(random) for _ in range(3))}
        case 2:
            changed = {"section_name": _sentence(random)}
        case 3:
            changed = {"decisions": [*ways, _decision(random, bundle)]}
        case 4:
            changed = {"decisions": [_decision(random, bundle), *ways[1:]]}
        case 5:
            changed = {"decisions": list(reversed(ways))[: random.randint(0, 3)]}
        case 6:
            override = {"trigger_id": "bell", "destination_section": random.choice(list(bundle.story.sections))}
            changed = {"triggers": [override]}
        case _:
            new = f"{random.choice(_WORDS)}-{random.randrange(10**6)}"
            more[new] = build(Section, {"section_id": new, "section_name": new, "objective": "", "decisions": []})
            changed = {"decisions": [*ways, {"criteria": "*", "next_section_id": new}]}
    sections: dict[str, Section] = {}
    for name, one in bundle.story.sections.items():
        sections[name] = one
        if name == slug:
            sections |= {slug: build(Section, {**section.raw, **changed}), **more}
    return replace(bundle, story=replace(bundle.story, sections=sections))


async def _push(session: Session, path: Path, character_id: str) -> None:
    push = await push_plan(session, load(path).bundle, character_id)
    assert (push.conflicts, push.left_out) == ((), ())
    done = await carried_out(session, push)
    assert done.different == ()
    remember(path, done.bundle.ids)


async def _begun(session: Session, path: Path, *, folder: bool) -> tuple[str, str]:
    """Write a bundle that belongs to two characters: the one that both work on, and one to try things on."""
    random = Random(1)
    shared, own = await hall_and_gate(session.service), await hall_and_gate(session.service)
    bundle, _ = await pull(session, shared)
    for _ in range(_SECTIONS):
        bundle = _added(random, bundle)
    write_bundle(path, bundle, folder=folder)
    for character_id in (shared, own):
        await _push(session, path, character_id)
    return shared, own


def _added(random: Random, bundle: Bundle) -> Bundle:
    slug = f"part-{len(bundle.story.sections)}"
    objective = " ".join(_sentence(random) for _ in range(6))
    ways = [_decision(random, bundle) for _ in range(random.randint(0, 3))]
    section = {"section_id": slug, "section_name": slug, "objective": objective, "decisions": ways}
    sections = {**bundle.story.sections, slug: build(Section, section)}
    return replace(bundle, story=replace(bundle.story, sections=sections))


def _parts(bundle: Bundle, slugs: set[str]) -> object:
    sections = {slug: one for slug, one in bundle.story.sections.items() if slug in slugs}
    return {
        slug: (one.section_name, one.objective, one.decisions, one.triggers or None) for slug, one in sections.items()
    }


async def _merged(
    session: Session, repository: Repository, path: Path, random: Random, ids: tuple[str, str], *, adding: bool
) -> None:
    shared, own = ids
    base = load(path).bundle
    places = random.sample(list(base.story.sections), 2)
    edited: list[Bundle] = []
    for branch, slug, character_id in zip("ab", places, ids, strict=True):
        repository("checkout", "-q", "-B", branch, "main")
        edited.append(_edited(random, base, slug, adding=adding))
        write_bundle(path, edited[-1], replace=True)
        await _push(session, path, character_id)
        repository.commit()
    repository("merge", "-q", "--no-edit", "a")
    merged = load(path).bundle
    for before, slug in zip(edited, places, strict=True):
        mine = {slug} | (before.story.sections.keys() - base.story.sections.keys())
        assert _parts(merged, mine) == _parts(before, mine)
    for character_id in (shared, own):
        await _push(session, path, character_id)
        assert (await present_of(session, character_id)).compared(load(path).bundle) == ()
    repository.commit()
    repository("checkout", "-q", "-B", "main")


def _merges(folder: Path, name: str, times: int, *, adding: bool) -> None:
    async def story() -> None:
        repository = Repository(folder, *(["*.lock merge=union"] if adding else []))
        path = folder / name
        async with local_session() as session:
            ids = await _begun(session, path, folder=not path.suffix)
            repository.commit()
            random = Random(75)
            for _ in range(times):
                await _merged(session, repository, path, random, ids, adding=adding)

    asyncio.run(story())


each = pytest.mark.parametrize("adding", [False, True])
each_form = pytest.mark.parametrize("name", ["mira.toml", "mira"])


@each
@each_form
def test_edits_of_different_sections_merge(tmp_path: Path, name: str, adding: bool) -> None:
    (tmp_path / "work").mkdir()
    _merges(tmp_path / "work", name, 6, adding=adding)


@pytest.mark.long
@each
@each_form
def test_two_hundred_pairs_of_edits_merge(tmp_path: Path, name: str, adding: bool) -> None:
    (tmp_path / "work").mkdir()
    _merges(tmp_path / "work", name, 200, adding=adding)


@each_form
def test_edits_pulled_from_two_copies_of_a_character_arrive_in_both(tmp_path: Path, name: str) -> None:
    """Each author works on a copy of the character, and commits the bundle pulled from it."""

    async def story() -> None:
        repository = Repository(tmp_path / "work", "*.lock merge=union")
        path = tmp_path / "work" / name
        random = Random(14)
        async with local_session() as session:
            original = await hall_and_gate(session.service)
            bundle, _ = await pull(session, original)
            for _ in range(_SECTIONS):
                bundle = _added(random, bundle)
            write_bundle(path, bundle, folder=not path.suffix)
            await _push(session, path, original)
            repository.commit()
            places, copies, edited = random.sample(list(bundle.story.sections), 2), [], []
            for branch, slug in zip("ab", places, strict=True):
                repository("checkout", "-q", "-B", branch, "main")
                copies.append(await _copy_of(session, original))
                pulled, _ = await pull(session, copies[-1], like=load(path).bundle)
                edited.append(_edited(random, pulled, slug, adding=True))
                write_bundle(path, edited[-1], replace=True)
                await _push(session, path, copies[-1])
                repository.commit()
            repository("merge", "-q", "--no-edit", "a")
            for character_id in copies:
                await _push(session, path, character_id)
                present = await present_of(session, character_id)
                now = load(path).bundle
                assert present.compared(now) == ()
                for before, slug in zip(edited, places, strict=True):
                    assert _parts(now, {slug}) == _parts(before, {slug})

    (tmp_path / "work").mkdir()
    asyncio.run(story())


async def _copy_of(session: Session, character_id: str) -> str:
    copied = await session.service.perform(operation("duplicate-character"), {"charID": character_id})
    body: Any = copied.body
    return str(body["character_id"])
