"""What a store of an earlier version held is held after it is brought up to date, and by every way of making a row."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chartui.core.backends.local.schema import MIGRATIONS
from chartui.core.backends.local.seed import seed
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.backends.local.tables import StoredCharacter
from tests.core.local.embedded import a_character

USER = BUILT_IN_ACCOUNT.user_id


def _character(number: int, model: Any, level: str | None = None, temperature: Any = 0) -> StoredCharacter:
    made = a_character(number, personalised_prompt_config={"MODEL": model, "TEMPERATURE": temperature})
    made.reasoning_effort = level
    return made


def _held(path: Path) -> set[tuple[str, object, str]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT user_id, member, value, model FROM held_settings").fetchall()
    assert {user_id for user_id, *_ in rows} <= {USER}
    return {(member, value, model) for _, member, value, model in rows}


@pytest.mark.parametrize("migrated", [False, True], ids=["new", "of version 1"])
def test_a_store_holds_the_settings_of_its_characters(path: Path, migrated: bool) -> None:
    store = Store(path, migrations=MIGRATIONS[:1] if migrated else MIGRATIONS)
    with store.writing() as tables:
        tables.characters.insert(_character(1, "own-8b", "deep", Decimal("1.5")))
        tables.characters.insert(_character(2, "mdla-4o", temperature=Decimal("0.5")))
        tables.characters.insert(_character(3, None, "high"))
        tables.characters.insert(_character(4, ["a list"], temperature="warm"))
        tables.characters.insert(a_character(5, personalised_prompt_config=None))
    store.close()
    Store(path).close()
    assert _held(path) == {
        ("model_group_name", "own-8b", ""),
        ("reasoning_effort", "deep", "own-8b"),
        ("temperature", "1.5", ""),
        ("model_group_name", "mdla-4o", ""),
        ("reasoning_effort", "high", ""),
    }


def test_what_a_character_had_before_is_held_when_it_is_gone(path: Path) -> None:
    with closing(Store(path)) as store:
        with store.writing() as tables:
            tables.characters.insert(_character(1, "first", "low"))
            tables.characters.save(_character(1, "second", "high"))
            tables.characters.delete("character-1")
        with store.reading() as tables:
            held = tables.characters.held
            assert held(USER, "model_group_name", "first")
            assert held(USER, "reasoning_effort", "high", model="second")
            assert not held(USER, "reasoning_effort", "high", model="first")
            assert not held("another", "model_group_name", "first")


def test_seeded_characters_are_held_as_well(path: Path) -> None:
    with closing(Store(path)) as store:
        seed(store, BUILT_IN_ACCOUNT, characters=20, sections=5, seed=1)
        with store.reading() as tables:
            models = {str(summary["model"]) for summary in tables.characters.summaries(USER)}
    assert {value for member, value, _ in _held(path) if member == "model_group_name"} == models
