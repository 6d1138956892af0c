"""Any order of operations leaves the store as a plain model says (create, edit, link, delete, toggle, update, copy)."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from chartui.core.backends.local.store import Store
from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.core.local.embedded import Embedded

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_NAMES = st.sampled_from(["alarm", "Alarm", "bell", " bell", "a\0b", ""]) | _TEXT


class StoreModel(RuleBasedStateMachine):
    """The store beside dictionaries; ids are strings of either."""

    characters = Bundle("characters")
    sections = Bundle("sections")
    triggers = Bundle("triggers")

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self._runner = asyncio.Runner()
        self._store = Embedded(Path(self._folder.name) / "store.db", self._runner)
        self._model: dict[str, dict[str, Any]] = {}

    def teardown(self) -> None:
        self._store.close()
        self._runner.close()
        store = Store(self._store.path)
        assert store.check() == ()
        store.close()
        self._folder.cleanup()

    def _refuses(self, kind: ErrorKind, name: str, payload: dict[str, Any]) -> None:
        with pytest.raises(ServiceError) as refused:
            self._store(name, payload)
        assert refused.value.kind is kind

    @initialize(target=characters)
    def first(self) -> str:
        return self._create("First")

    @rule(target=characters, name=_TEXT)
    def create_character(self, name: str) -> str:
        return self._create(name)

    def _create(self, name: str) -> str:
        made = self._store.character(name)
        self._model[made] = {
            "name": name,
            "driven": False,
            "temperature": Decimal("0.7"),
            "backstory": None,
            "start": None,
            "sections": {},
            "triggers": {},
        }
        return made

    @rule(character=consumes(characters))
    def delete_character(self, character: str) -> None:
        self._store("delete-character", {"charID": character})
        del self._model[character]

    @rule(target=characters, character=characters)
    def duplicate(self, character: str) -> str:
        made: str = self._store("duplicate-character", {"charID": character})["character_id"]
        original = self._model[character]
        lists = {
            kind: [item[f"{kind}_id"] for item in self._store(f"list-{kind}s", {"character_id": made})]
            for kind in ("section", "trigger")
        }
        new_sections = dict(zip(original["sections"], lists["section"], strict=True))
        new_triggers = dict(zip(original["triggers"], lists["trigger"], strict=True))
        copy = deepcopy(original)
        copy["name"] = f"{original['name']} (copy)"
        copy["start"] = new_sections.get(original["start"])
        copy["sections"] = {new_sections[old]: section for old, section in copy["sections"].items()}
        copy["triggers"] = {new_triggers[old]: trigger for old, trigger in copy["triggers"].items()}
        for section in copy["sections"].values():
            for decision in section["decisions"] or ():
                decision["next_section_id"] = new_sections.get(decision["next_section_id"], decision["next_section_id"])
        for trigger in copy["triggers"].values():
            trigger["to"] = new_sections.get(trigger["to"], trigger["to"])
        self._model[made] = copy
        return made

    @rule(character=characters, backstory=_TEXT, hundredths=st.integers(0, 100))
    def update(self, character: str, backstory: str, hundredths: int) -> None:
        temperature = Decimal(hundredths) / 100
        payload = {"charID": character, "backstory": backstory, "temperature": temperature}
        self._store("update-character", payload)
        self._model[character].update(backstory=backstory, temperature=temperature)

    @rule(character=characters, driven=st.booleans())
    def toggle(self, character: str, driven: bool) -> None:
        self._store("toggle-narrative", {"character_id": character, "is_narrative_driven": driven})
        self._model[character]["driven"] = driven

    @rule(target=sections, character=characters, name=_TEXT, objective=_TEXT)
    def create_section(self, character: str, name: str, objective: str) -> tuple[str, str]:
        payload = {"character_id": character, "section_name": name, "objective": objective}
        made = self._store("create-section", payload)["section_id"]
        model = self._model[character]
        model["sections"][made] = {"name": name, "objective": objective, "decisions": None}
        model["start"] = model["start"] or made
        return character, made

    @rule(where=sections, ends=st.lists(sections, max_size=3), criteria=_TEXT, name=st.none() | _TEXT)
    def link(self, where: tuple[str, str], ends: list[tuple[str, str]], criteria: str, name: str | None) -> None:
        character, section = where
        decisions = [{"criteria": criteria, "next_section_id": end} for _, end in ends]
        changes: dict[str, Any] = {"decisions": decisions} | ({} if name is None else {"section_name": name})
        payload = {"character_id": character, "section_id": section, "updated_data": changes}
        model = self._model.get(character, {"sections": {}})
        if section not in model["sections"]:
            self._refuses(ErrorKind.NOT_FOUND, "edit-section", payload)
            return
        stored = model["sections"][section]
        known = {*model["sections"], *(decision["next_section_id"] for decision in stored["decisions"] or ())}
        if any(end not in known for _, end in ends):
            self._refuses(ErrorKind.INVALID, "edit-section", payload)
            return
        assert self._store("edit-section", payload)["updated_data"] == changes
        stored["decisions"] = decisions
        stored["name"] = stored["name"] if name is None else name

    @rule(where=sections)
    def delete_section(self, where: tuple[str, str]) -> None:
        character, section = where
        payload = {"character_id": character, "section_id": section}
        model = self._model.get(character, {"sections": {}})
        if section not in model["sections"]:
            self._refuses(ErrorKind.NOT_FOUND, "delete-section", payload)
            return
        self._store("delete-section", payload)
        del model["sections"][section]
        if model["start"] == section:
            model["start"] = None

    @rule(target=triggers, character=characters, name=_NAMES, message=_TEXT)
    def create_trigger(self, character: str, name: str, message: str) -> Any:
        payload = {"character_id": character, "trigger_name": name, "trigger_message": message}
        present = self._model[character]["triggers"]
        if any(trigger["name"] == name for trigger in present.values()):
            self._refuses(ErrorKind.CONFLICT, "create-trigger", payload)
            return multiple()
        made = self._store("create-trigger", payload)["trigger_id"]
        present[made] = {"name": name, "message": message, "to": None}
        return character, made

    @rule(where=triggers, end=st.sampled_from([None, ""]) | sections, name=st.none() | _NAMES)
    def update_trigger(self, where: tuple[str, str], end: Any, name: str | None) -> None:
        character, trigger = where
        destination = end[1] if isinstance(end, tuple) else end
        changes = {"destination_section": destination} | ({} if name is None else {"trigger_name": name})
        payload = {"character_id": character, "trigger_id": trigger, "updated_data": changes}
        model = self._model.get(character, {"triggers": {}})
        if trigger not in model["triggers"]:
            self._refuses(ErrorKind.NOT_FOUND, "update-trigger", payload)
            return
        stored = model["triggers"][trigger]
        others = {other["name"] for key, other in model["triggers"].items() if key != trigger}
        if destination and destination not in {*model["sections"], stored["to"]}:
            self._refuses(ErrorKind.INVALID, "update-trigger", payload)
        elif name in others:
            self._refuses(ErrorKind.CONFLICT, "update-trigger", payload)
        else:
            self._store("update-trigger", payload)
            stored["to"] = destination or None
            stored["name"] = stored["name"] if name is None else name

    @rule(where=triggers)
    def delete_trigger(self, where: tuple[str, str]) -> None:
        character, trigger = where
        payload = {"character_id": character, "trigger_id": trigger}
        model = self._model.get(character, {"triggers": {}})
        if trigger not in model["triggers"]:
            self._refuses(ErrorKind.NOT_FOUND, "delete-trigger", payload)
            return
        self._store("delete-trigger", payload)
        del model["triggers"][trigger]

    @rule()
    def reopen(self) -> None:
        self._store.close()

    @invariant()
    def agrees(self) -> None:
        records = self._store("list-characters")["characters"]
        assert [record["character_id"] for record in records] == list(self._model)
        summaries = self._store("summarize-characters")["characters"]
        assert [row["character_name"] for row in summaries] == [model["name"] for model in self._model.values()]
        for record, model in zip(records, self._model.values(), strict=True):
            assert _seen(self._store, record) == model


def _seen(store: Embedded, record: dict[str, Any]) -> dict[str, Any]:
    """A character of the store in the model's form."""
    character = record["character_id"]
    sections = store("list-sections", {"character_id": character})
    settings = store("get-settings", {"charID": character})
    led_to = {
        (decision["next_section_id"], section["section_id"])
        for section in sections
        for decision in section["decisions"] or ()
    }
    for section in sections:
        parents = {source for target, source in led_to if target == section["section_id"]}
        assert set(section["parents"] or ()) == parents
        assert section == store("get-section", {"character_id": character, "section_id": section["section_id"]})
    return {
        "name": record["character_name"],
        "driven": record["is_narrative_driven"],
        "temperature": settings["temperature"],
        "backstory": settings["backstory"],
        "start": record["start_narrative_section_id"],
        "sections": {
            section["section_id"]: {
                "name": section["section_name"],
                "objective": section["objective"],
                "decisions": section["decisions"],
            }
            for section in sections
        },
        "triggers": {
            trigger["trigger_id"]: {
                "name": trigger["trigger_name"],
                "message": trigger["trigger_message"],
                "to": trigger["destination_section"],
            }
            for trigger in store("list-triggers", {"character_id": character})
        },
    }


class ManyOrders(StoreModel):
    """The same, in more orders."""


def _tried(model: type[StoreModel], orders: int) -> Any:
    model.TestCase.settings = settings(
        max_examples=orders, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
    )
    return model.TestCase


TestStoreModel = _tried(StoreModel, 6)
TestManyOrders = pytest.mark.long(_tried(ManyOrders, 60))
