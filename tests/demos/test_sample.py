"""The demo data: complete, believable to the models, repeatable, and as damaged as it claims to be."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Account, Store
from chartui.core.clock import Clock, seeded_ids
from chartui.core.jsontext import Wire, dumps
from chartui.core.narrative.graph import Graph, ReferenceKind
from chartui.core.narrative.nodes import Kind
from chartui.core.narrative.outline import outline
from chartui.core.spec.catalogue import model_code
from chartui.core.spec.check import adapter
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.operation import Ref, Tier
from chartui.core.spec.shape import build, wire_names
from chartui.core.text import display_text
from chartui.demos import fill
from chartui.demos.sample import Sample, samples

MOMENT = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


def clock() -> datetime:
    return MOMENT


def sample_list(seed: int = 1, clock: Clock = clock) -> list[Sample]:
    return list(samples("someone", ids=seeded_ids(seed), clock=clock))


SAMPLES = sample_list()
BY_NAME = {sample.record["character_name"]: sample for sample in SAMPLES}
EVERY_SAMPLE = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.record["collection_name"])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "store" / "store.db")
    yield opened
    opened.close()


def dump(store: Store, user_id: str) -> str:
    """Everything the account has, as one text."""
    with store.reading() as tables:
        found = []
        for record in tables.characters.records(user_id):
            character_id = record["character_id"]
            character = tables.characters.get(user_id, character_id)
            assert character is not None
            sections = tables.narrative.sections.all(character_id)
            triggers = tables.narrative.triggers.all(character_id)
            found.append([record, character.backstory, character.reasoning_effort, sections, triggers])
        return dumps(found)


def texts(value: Wire) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


# -- filling a store ---------------------------------------------------------------------------------------------------


def test_a_fill_with_the_same_seed_is_the_same_to_the_last_byte(tmp_path: Path) -> None:
    dumped = []
    for number in range(2):
        store = Store(tmp_path / str(number) / "store.db")
        fill(store, ids=seeded_ids(7), clock=clock)
        dumped.append(dump(store, BUILT_IN_ACCOUNT.user_id))
        store.close()
    assert dumped[0] == dumped[1]
    assert len(dumped[0]) > 50_000


def test_what_is_stored_is_what_the_samples_say(store: Store) -> None:
    account = Account("someone", Tier.FREE)
    store.add_account(account.tier, user_id=account.user_id)
    fill(store, account, ids=seeded_ids(1), clock=clock)
    assert dump(store, "someone") == dumps(
        [[s.record, s.backstory, s.reasoning_effort, s.sections, s.triggers] for s in SAMPLES]
    )
    assert store.check() == ()


def test_an_account_with_characters_is_left_alone(store: Store) -> None:
    fill(store, clock=clock)
    before = dump(store, BUILT_IN_ACCOUNT.user_id)
    fill(store, clock=lambda: datetime(2030, 1, 1, tzinfo=UTC))
    assert dump(store, BUILT_IN_ACCOUNT.user_id) == before


def test_an_account_gets_the_same_ids_every_time(tmp_path: Path) -> None:
    ids = []
    for number in range(2):
        with closing(Store(tmp_path / str(number) / "store.db")) as store:
            fill(store)
            with store.reading() as tables:
                ids.append([record["character_id"] for record in tables.characters.records(BUILT_IN_ACCOUNT.user_id)])
    assert ids[0] == ids[1]


def test_every_account_gets_a_copy_of_its_own(store: Store) -> None:
    other, _ = store.add_account(Tier.ENTERPRISE, user_id="other")
    fill(store)
    fill(store, other)
    with store.reading() as tables:
        mine, theirs = (tables.characters.records(user) for user in (BUILT_IN_ACCOUNT.user_id, "other"))
    assert [r["character_name"] for r in mine] == [r["character_name"] for r in theirs]
    assert {r["user_id"] for r in theirs} == {"other"}
    assert not {r["character_id"] for r in mine} & {r["character_id"] for r in theirs}


def test_a_fill_that_fails_leaves_nothing_behind(store: Store) -> None:
    numbers = iter(range(10_000))
    with pytest.raises(sqlite3.IntegrityError):
        fill(store, ids=lambda: str(min(next(numbers), 85)))
    assert dump(store, BUILT_IN_ACCOUNT.user_id) == "[]"


def test_ages_are_counted_back_from_now() -> None:
    museum = BY_NAME["Elena Marsh"].record
    assert museum["timestamp"] == "2025-01-13T12:30:00"
    assert museum["last_interacted_with"] == "2026-03-01T12:12:00"
    created = [sample.record["timestamp"] for sample in SAMPLES]
    assert created == sorted(created)
    assert all(sample.record["timestamp"] < sample.record["last_interacted_with"] for sample in SAMPLES)


# -- the characters ----------------------------------------------------------------------------------------------------


@EVERY_SAMPLE
def test_a_record_has_every_member_and_fits_its_declaration(sample: Sample) -> None:
    record = sample.record
    assert set(wire_names(Character).values()) <= record.keys()
    adapter(Ref("characters", "Character")).validate_json(dumps(record))
    assert {name for name, value in record.items() if value is None} <= {"embodiment", "start_narrative_section_id"}
    traits = record["character_traits"]["personality_traits"]
    assert set(traits) == {"openness", "sensitivity", "extraversion", "agreeableness", "meticulousness"}
    assert 0 <= record["personalised_prompt_config"]["TEMPERATURE"] <= 1
    assert record["language_code"] == record["language_codes"][0]
    assert record["pronunciation_metadata"]["pronunciations"]


@EVERY_SAMPLE
def test_sections_and_triggers_fit_their_declarations(sample: Sample) -> None:
    adapter(Ref("narrative", "Section", many=True)).validate_json(dumps(sample.sections))
    adapter(Ref("narrative", "Trigger", many=True)).validate_json(dumps(sample.triggers))
    assert sample.record["is_narrative_driven"] == bool(sample.sections)
    ids = [s["section_id"] for s in sample.sections]
    assert (sample.record["start_narrative_section_id"] in ids) == bool(ids)


@EVERY_SAMPLE
def test_a_backstory_lists_objects_characters_and_actions(sample: Sample) -> None:
    *_, objects, characters, actions = sample.backstory.split("\n")
    for line in (objects, characters, actions):
        heading, _, items = line.replace("：", ":").partition(":")
        assert heading
        assert len(re.split("[,;、،]", items)) >= 2
    assert all(action in actions for action in sample.record["character_actions"])


@EVERY_SAMPLE
def test_nothing_needs_cleaning_before_it_is_shown(sample: Sample) -> None:
    for text in texts([sample.record, sample.backstory, sample.sections, sample.triggers]):
        assert display_text(text, multiline=True) == text


@EVERY_SAMPLE
def test_a_reasoning_level_is_one_that_the_model_accepts(sample: Sample) -> None:
    model = model_code(sample.record["personalised_prompt_config"]["MODEL"])
    if sample.reasoning_effort is not None:
        assert model is not None
        assert model.reasoning is not None
        assert sample.reasoning_effort in model.reasoning.accepted


def test_models_are_of_every_kind() -> None:
    models = [sample.record["personalised_prompt_config"]["MODEL"] for sample in SAMPLES]
    assert len(SAMPLES) == len(set(models)) == 12
    known = [model for code in models if (model := model_code(code)) is not None]
    assert [code for code in models if model_code(code) is None] == ["crew-trainer-8b"]
    assert sum(model.live for model in known) == 2
    assert sum(model.flagship for model in known) == 2
    assert len({model.group for model in known}) >= 5


def test_reasoning_is_unset_automatic_none_and_a_level_somewhere() -> None:
    levels = Counter(sample.reasoning_effort for sample in SAMPLES)
    assert levels == {None: 6, "medium": 2, "low": 1, "auto": 1, "high": 1, "none": 1}


def test_languages_are_read_in_both_directions_and_at_both_widths() -> None:
    languages = {sample.record["language_code"][:2] for sample in SAMPLES}
    assert languages >= {"en", "es", "de", "ja", "ar", "fr", "hi", "pt"}
    names = list(BY_NAME)
    assert any(unicodedata.east_asian_width(name[0]) == "W" for name in names)
    assert any(unicodedata.bidirectional(name[0]) in ("R", "AL") for name in names)


def test_memory_is_on_for_some_and_what_an_import_brings_is_kept() -> None:
    assert 0 < sum(sample.record["memory_settings"]["enabled"] for sample in SAMPLES) < len(SAMPLES)
    imported = BY_NAME["Nova Adeyemi"].record
    assert imported["imported_from"] == "training-lab"
    assert imported["personalised_prompt_config"]["USE_COMBINED_PROMPT"] == "True"
    assert imported["embodiment"] == "humanoid"


# -- the narrative graphs ----------------------------------------------------------------------------------------------


def graph_of(name: str) -> Graph:
    sample = BY_NAME[name]
    return Graph.build(
        [build(Section, section) for section in sample.sections],
        [build(Trigger, trigger) for trigger in sample.triggers],
        sample.record["start_narrative_section_id"],
    )


def objectives(graph: Graph) -> str:
    return "\n".join(section.objective or "" for section in graph.sections.values())


def named(graph: Graph, section_id: str | None) -> str:
    return graph.section_name(section_id or "")


def loops(graph: Graph) -> set[str]:
    return {named(graph, s) for s in graph.sections if s in leads_to(graph, s)}


def leads_to(graph: Graph, section_id: str) -> set[str]:
    """Every section that decisions lead to from this one."""
    found: set[str] = set()
    waiting = [section_id]
    while waiting:
        for edge in graph.edges.get(waiting.pop(), ()):
            if edge.target not in found:
                found.add(edge.target)
                waiting.append(edge.target)
    return found


def alike(names: Iterable[str | None]) -> list[set[str]]:
    """Groups of names that are nearly the same (decision 65)."""
    groups: dict[str, set[str]] = {}
    for name in names:
        folded = unicodedata.normalize("NFKC", name or "").casefold()
        groups.setdefault("".join(filter(str.isalnum, folded)), set()).add(name or "")
    return [group for group in groups.values() if len(group) > 1]


def test_there_are_three_graphs() -> None:
    sizes = {name: len(sample.sections) for name, sample in BY_NAME.items() if sample.sections}
    assert sizes == {"Elena Marsh": 40, "Bran Alder": 16, "Avery Cole": 11}


@pytest.mark.parametrize("name", ["Elena Marsh", "Bran Alder"])
def test_the_sound_graphs_are_sound(name: str) -> None:
    graph = graph_of(name)
    assert graph.unreachable == ()
    assert graph.dangling == ()
    assert not any(edge.never_runs for ways in graph.edges.values() for edge in ways)
    assert alike(section.section_name for section in graph.sections.values()) == []
    assert all(section.objective for section in graph.sections.values())
    endings = [s for s, ways in graph.edges.items() if not ways]
    assert len(endings) == 1
    assert all(endings[0] in leads_to(graph, s) for s in graph.sections if s not in endings)
    assert objectives(graph).count("<speak>") == objectives(graph).count("</speak>")


def test_the_blacksmith_shows_everything_a_graph_can_hold() -> None:
    graph = graph_of("Bran Alder")
    edges = [edge for ways in graph.edges.values() for edge in ways]
    assert "At the forge door" in loops(graph)
    assert any(edge.source == edge.target for edge in edges)
    assert any(edge.immediate for edge in edges)
    assert {edge.priority for edge in edges} >= {1, 2, 3, None}
    assert "<speak>" in objectives(graph)
    assert set(re.findall(r"{(\w+)}", objectives(graph))) == {
        "PlayerName",
        "PlayerSilver",
        "QuestGiver",
        "WeaponName",
    }
    overridden = {named(graph, s): len(graph.overrides(s)) for s in graph.sections if graph.overrides(s)}
    assert overridden == {"A blade to order": 1, "Through the night": 2, "News from the pass": 1}
    assert [trigger.trigger_name for trigger in graph.unconnected] == ["Horn from the pass"]
    assert all(len(section.node_position or ()) == 2 for section in graph.sections.values())


def test_the_museum_tour_has_several_endings() -> None:
    graph = graph_of("Elena Marsh")
    names = [section.section_name or "" for section in graph.sections.values()]
    assert sum(name.startswith("Ending: ") for name in names) == 4
    assert sum(name.startswith("Witness: ") for name in names) == 3
    assert len(loops(graph)) > 20
    assert max(node.depth for node in outline(graph).nodes) >= 8


def test_the_bank_draft_is_broken_in_every_way_it_claims() -> None:
    graph = graph_of("Avery Cole")
    assert [named(graph, s) for s in graph.unreachable] == ["Existing customer", "Terms of last year"]
    assert [(d.kind, graph.section_name(d.owner)) for d in graph.dangling[:-1]] == [
        (ReferenceKind.DECISION, "Check identity"),
        (ReferenceKind.OVERRIDE, "Choose an account"),
        (ReferenceKind.OVERRIDDEN, "Choose an account"),
    ]
    assert [(d.kind, graph.trigger_name(d.owner)) for d in graph.dangling[-1:]] == [
        (ReferenceKind.TRIGGER, "Fraud alert")
    ]
    never = [edge for ways in graph.edges.values() for edge in ways if edge.never_runs]
    assert [named(graph, edge.target) for edge in never] == ["Existing customer"]
    dead_ends = [named(graph, s) for s in graph.sections if graph.sections[s].decisions is None]
    assert dead_ends == ["Call an adviser"]
    trapped = {named(graph, s) for s in graph.sections if leads_to(graph, s) and s in leads_to(graph, s)}
    retry = next(s for s in graph.sections if named(graph, s) == "Try again")
    assert {named(graph, s) for s in leads_to(graph, retry)} == {"Try again", "Wait for the photo"} <= trapped
    assert alike(s.section_name for s in graph.sections.values()) == [{"Confirm details", "confirm  Details."}]
    assert alike(t.trigger_name for t in graph.triggers.values()) == [{"Session timeout", "Session Timeout "}]
    assert [named(graph, s.section_id) for s in graph.sections.values() if s.objective == ""] == ["Existing customer"]
    assert objectives(graph).count("<speak>") == objectives(graph).count("</speak>") + 1
    record: dict[str, Any] = BY_NAME["Avery Cole"].record
    assert record["is_narrative_driven"] is True
    assert record["personalised_prompt_config"]["MODERATION_ENABLED"] is False
    assert {Kind.MISSING, Kind.DANGLING} <= {node.kind for node in outline(graph).nodes}
