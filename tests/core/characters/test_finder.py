"""What a person types to find characters, how it is understood, and in which order they come."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.characters.finder import (
    AS_LISTED,
    FIELDS,
    TEXTS,
    Column,
    Finder,
    Query,
    Sorting,
    Traits,
    parse,
    texts_in,
    traits_of,
)
from chartui.core.jsontext import Wire
from chartui.core.spec.models.summaries import CharacterSummary
from chartui.core.text import fold

ELENA = CharacterSummary(
    "id-1", "Elena Marsh", "mdlc-flash", "en-US", True, True, "2026-01-02T10:00:00", "2026-03-01T00:00:00"
)
BRAN = CharacterSummary("id-2", "Bran Alder", "mdla-5.4", "de-DE", False, True, "2025-12-31T23:59:59.5", "")
NOVA = CharacterSummary("id-3", "NOVA", "own-model", "en-GB", True, False, "some day", "2026-03-01T00:00:00Z")
BLANK = CharacterSummary("id-4")
EVERYBODY = (ELENA, BRAN, NOVA, BLANK)
TRAITS = {
    "id-1": Traits("time and tide wait for none\ncalm\nhappy", {"openness": 4, "sensitivity": 0}),
    "id-2": Traits("strasse\ncalm under fire", {"openness": Decimal("2.5")}),
}
KNOWN = frozenset({"mdlc-flash", "mdla-5.4"})
RECORDS: Sequence[dict[str, Wire]] = (
    {
        "character_id": "id-1",
        "user_id": "Studio-A",
        "description": "Keeps the LIGHTHOUSE.",
        "personalised_prompt_config": {"PROMPT": "Speak calmly."},
        "embodiment_data": {"looks_description": ["a yellow coat", 7, None]},
    },
    {"character_id": "id-2", "user_id": "studio-b", "personalised_prompt_config": None, "backstory": "Born at sea."},
    {"character_id": "id-3", "description": 5},
)
BACKSTORIES = {"id-1": "Came by boat.", "id-4": "Not listed."}


@pytest.fixture
def finder() -> Finder:
    return Finder(EVERYBODY, KNOWN, TRAITS)


def ids(found: Sequence[CharacterSummary]) -> str:
    return "".join(summary.character_id[-1] for summary in found)


# -- queries ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        ("", Query()),
        ("  two WORDS ", Query(("two", "words"))),
        ('"a phrase" rest', Query(("rest",), ("a phrase",))),
        ('"not closed yet', Query((), ("not closed yet",))),
        ('""', Query()),
        ("model:MDLA", Query(fields=(("model", "mdla"),))),
        ('name:"elena marsh" lang:en', Query(fields=(("name", "elena marsh"), ("language", "en")))),
        ("model:", Query()),
        (
            "openness>3 Sensitivity<=0.5",
            Query(scores=(("openness", ">", Decimal(3)), ("sensitivity", "<=", Decimal("0.5")))),
        ),
        ("openness>3,5", Query(scores=(("openness", ">", Decimal("3.5")),))),
        ("openness>3,", Query(scores=(("openness", ">", Decimal(3)),))),
        ("openness>", Query()),
        ("openness", Query(("openness",))),
        ("https://x.test width>3 a:b", Query(("width>3",), unknown="https")),
        ('"https://x.test" "a:b"', Query((), ("https://x.test", "a:b"))),
        ("Prompt:Kind owner:", Query(fields=(("prompt", "kind"),))),
        ("foo:", Query(unknown="foo")),
        ("id-1:2", Query(("id-1:2",))),
        ("STRASSE straße", Query(("strasse", "strasse"))),
    ],
)
def test_a_query_is_understood(typed: str, query: Query) -> None:
    assert parse(typed) == query


@given(st.text() | st.lists(st.sampled_from((*FIELDS, "foo", ":", '"', " ", "openness", ">", "3", "x"))).map("".join))
def test_nothing_that_can_be_typed_is_an_error(typed: str) -> None:
    finder = Finder(EVERYBODY, KNOWN, TRAITS, texts_in(RECORDS, TEXTS, BACKSTORIES))
    for fuzzy in (False, True):
        found = finder.find(typed, fuzzy=fuzzy)
        assert set(found) <= set(EVERYBODY)
        if problem := parse(typed).problem:
            assert not found
            assert finder.remark(typed) == problem
            assert all(name in problem for name in FIELDS)


@given(st.sampled_from(FIELDS), st.text(st.characters(exclude_characters='"')), st.booleans())
def test_every_value_can_be_quoted(name: str, value: str, upper: bool) -> None:
    query = parse(f'{name.upper() if upper else name}:"{value}"')
    assert query == Query(fields=((name, fold(value)),) if fold(value) else ())


@given(st.text(st.characters(categories=["L"]), min_size=1).filter(lambda name: name.lower() not in (*FIELDS, "lang")))
def test_another_word_before_a_colon_is_an_unknown_field_unless_it_is_quoted(name: str) -> None:
    assert parse(f"marsh {name}:x").unknown == name
    assert parse(f'"{name}:x"') == Query(phrases=(fold(f"{name}:x"),))


# -- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("owner:studio", "12"),
        ("owner:studio-b", "2"),
        ("description:lighthouse", "1"),
        ("prompt:CALMLY", "1"),
        ("prompt:lighthouse", ""),
        ("backstory:boat", "1"),
        ("backstory:sea", "2"),
        ("text:coat", "1"),
        ('text:"yellow coat" prompt:calm', "1"),
        ("text:studio", "12"),
        ("text:boat", "1"),
        ("text:sea marsh", ""),
    ],
)
def test_texts_are_found_in_their_fields_once_they_were_read(finder: Finder, typed: str, found: str) -> None:
    assert ids(finder.find(typed)) == ""
    wanted = finder.unread(typed)
    assert wanted == parse(typed).texts != frozenset()
    read = finder.with_texts(texts_in(RECORDS, wanted, BACKSTORIES))
    assert ids(read.find(typed)) == ids(read.find(typed, fuzzy=True)) == found
    assert read.unread(typed) == frozenset()
    assert ids(read.judged_by({"own-model"}).find(typed)) == found


def test_backstories_that_are_unknown_are_counted_once_others_were_read(finder: Finder) -> None:
    assert finder.remark("backstory:sea") == finder.remark("marsh") == ""
    for name in ("backstory", "text"):
        remark = finder.with_texts(texts_in(RECORDS, {name}, BACKSTORIES)).remark(f"{name}:sea")
        assert remark.startswith("Only 2 of 4 backstories can be searched, namely those ")
    everything = dict.fromkeys(("id-1", "id-2", "id-3", "id-4"), "")
    records = [{"character_id": identity} for identity in everything]
    assert finder.with_texts(texts_in(records, TEXTS, everything)).remark("backstory:x text:x") == ""
    assert finder.with_texts(texts_in(RECORDS, TEXTS, BACKSTORIES)).remark("prompt:x") == ""


_JSON = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _JSON), _JSON, st.text(st.characters(exclude_characters='"'), min_size=1))
def test_every_text_of_a_record_is_found(record: dict[str, Wire], config: Wire, hidden: str) -> None:
    whole = {**record, "personalised_prompt_config": config, "character_id": "id-1", "deep": [{"in": [1, hidden]}]}
    finder = Finder([ELENA]).with_texts(texts_in([whole], TEXTS, {}))
    assert finder.find(f'text:"{hidden}"') == [ELENA]


# -- exactly ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", "1234"),
        ("MARSH elena", "1"),
        ("marsh bran", ""),
        ('"na ma"', "1"),
        ('"marsh elena"', ""),
        ("id-3", "3"),
        ("mdl", "12"),
        ("de-de", "2"),
        ("calm", "12"),
        ("calm happy", "1"),
        ("STRASSE", "2"),
        ("marsh\tid-1", "1"),
        ('"marsh id-1"', ""),
        ("model:flash", "1"),
        ("name:flash", ""),
        ("lang:en name:a", "13"),
        ("narrative:yes", "13"),
        ("narrative:no", "2"),
        ("memory:y", "12"),
        ("gone:yes", "3"),
        ("gone:no", "124"),
        ("created:2026", "1"),
        ("used:2026-03", "13"),
        ("trait:calm", "12"),
        ('trait:"under fire"', "2"),
        ("trait:elena", ""),
        ("openness>2", "12"),
        ("openness>=4 calm", "1"),
        ("openness=2.5", "2"),
        ("openness<3", "2"),
        ("sensitivity<1", "1"),
        ("meticulousness>0", ""),
    ],
)
def test_every_part_of_a_query_must_hold(finder: Finder, typed: str, found: str) -> None:
    assert ids(finder.find(typed)) == found
    assert ids(finder.find(typed)) == found, "what was prepared says something else"


@pytest.mark.parametrize(
    "typed", ["zoe", "ZOË", "Zoe\u0308", "mull", "Müll", "name:muller", '"zoe mull"', "trait:cafe"]
)
def test_accents_and_case_are_ignored_on_both_sides(typed: str) -> None:
    traits = {"id-1": traits_of({"catch_phrases": ["Au Café!"]}, None, None)}
    finder = Finder((CharacterSummary("id-1", "Zoë Müller"), CharacterSummary("id-2", "Zo Ml")), KNOWN, traits)
    assert ids(finder.find(typed)) == "1"


def test_every_field_can_be_named(finder: Finder) -> None:
    for name in FIELDS:
        assert finder.find(f"{name}:\N{SNOWMAN}") == [], name


def test_staged_settings_are_found_as_they_change(finder: Finder) -> None:
    first, *others = [one.character_id for one in EVERYBODY]
    assert ids(finder.find("staged:yes")) == ""
    staged = finder.with_staged({first})
    assert [one.character_id for one in staged.find("staged:yes")] == [first]
    assert [one.character_id for one in staged.find("staged:no")] == others
    assert staged.with_staged({first}) is staged
    assert list(staged.with_staged(()).find("staged:yes")) == []


def test_without_a_list_of_models_none_is_gone() -> None:
    unsure = Finder(EVERYBODY)
    assert not any(map(unsure.is_gone, EVERYBODY))
    assert unsure.find("gone:yes") == unsure.find("gone:no") == []
    assert [s.character_id for s in EVERYBODY if Finder(EVERYBODY, KNOWN).is_gone(s)] == ["id-3"]


def test_other_models_are_another_judgement_of_the_same_list(finder: Finder) -> None:
    by_gone = Sorting(Column.GONE)
    assert ids(finder.prepare(fuzzy=True).find("gone:yes", sorting=by_gone)) == "3"
    other = finder.judged_by({"own-model"})
    assert ids(other.find("gone:yes")) == "12"
    assert ids(other.find(sorting=by_gone)) == "1234"
    assert ids(other.find("elnea", fuzzy=True)) == ids(other.find("happy")) == "1"
    assert other.summaries is finder.summaries


def test_two_with_one_id_are_two() -> None:
    twins = Finder([CharacterSummary("same", "One"), CharacterSummary("same", "Two")])
    assert list(twins.places("two")) == [1]
    assert [s.character_name for s in twins.find("same")] == ["One", "Two"]


# -- sorted -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "upwards", "downwards"),
    [
        (None, "1234", "4321"),
        (Column.NAME, "2134", "3124"),
        (Column.MODEL, "2134", "3124"),
        (Column.LANGUAGE, "2314", "1324"),
        (Column.NARRATIVE, "1324", "2134"),
        (Column.MEMORY, "1234", "3124"),
        (Column.GONE, "3124", "1243"),
        (Column.CREATED, "2134", "3124"),
        (Column.USED, "1324", "1324"),
        (Column.ID, "1234", "4321"),
    ],
)
def test_what_is_not_said_comes_last_and_equals_stay_as_they_came(
    finder: Finder, column: Column | None, upwards: str, downwards: str
) -> None:
    assert ids(finder.find(sorting=Sorting(column))) == upwards
    assert ids(finder.find(sorting=Sorting(column, descending=True))) == downwards
    assert ids(finder.find("id-", sorting=Sorting(column, descending=True))) == downwards


def test_dates_are_compared_as_dates() -> None:
    dates = ("2026-02-01T09:00:00.5", "2026-02-01T09:00:00", "2026-02-01T09:00:00+05:00", "2026-01-31T23:00:00Z")
    found = Finder([CharacterSummary(f"{i}", timestamp=date) for i, date in enumerate(dates)])
    assert ids(found.find(sorting=Sorting(Column.CREATED))) == "3120"


def test_the_order_of_the_service_costs_nothing(finder: Finder) -> None:
    assert finder.find(sorting=AS_LISTED) is finder.summaries


# -- fuzzily ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("elena", "1"),
        ("elnea", "1"),
        ("mrsh", "1"),
        ("flsh", "1"),
        ("aldr brn", "2"),
        ("straße", "2"),
        ("clam", "12"),
        ("xyz", ""),
        ("mrsh xyz", ""),
        ("elnea model:flash", "1"),
        ("elnea model:flsh", ""),
        ('elnea "and tide"', "1"),
        ('elnea "and tdie"', ""),
        ("clam openness>3", "1"),
    ],
)
def test_words_may_be_wrong_and_the_rest_may_not(finder: Finder, typed: str, found: str) -> None:
    assert ids(finder.find(typed, fuzzy=True)) == found


def test_the_best_come_first_and_what_is_as_good_is_sorted() -> None:
    people = [CharacterSummary(str(i), name) for i, name in enumerate(("Malte Anders", "Martha", "Marla", "Marta"))]
    among = Finder(people)
    assert ids(among.find("mar", fuzzy=True)) == "1230"
    assert ids(among.find("mar", fuzzy=True, sorting=Sorting(Column.NAME))) == "2310"
    assert ids(among.find("marta", fuzzy=True, sorting=Sorting(Column.NAME))) == "321"


# -- traits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("traits", "style", "emotions", "found"),
    [
        pytest.param(
            {"catch_phrases": ["Well, WELL."], "speaking_style": "Dry", "personality_traits": {"openness": 3}},
            {"description": "Short", "sample_dialogues": "secret"},
            ["joy", "fear"],
            Traits("well, well.\ndry\nshort\njoy\nfear", {"openness": 3}),
            id="as documented",
        ),
        pytest.param({}, "Short", None, Traits("short"), id="the description alone"),
        pytest.param(None, None, None, Traits(), id="nulls"),
        pytest.param(
            {
                "catch_phrases": "one",
                "speaking_style": 5,
                "personality_traits": {"a": True, "b": "3", "c": Decimal("0.5")},
            },
            ["x", 3],
            {"a": 1},
            Traits("one\nx", {"c": Decimal("0.5")}),
            id="of other types",
        ),
        pytest.param([], 7, "joy", Traits("joy"), id="other still"),
    ],
)
def test_traits_are_taken_from_whatever_is_there(traits: Wire, style: Wire, emotions: Wire, found: Traits) -> None:
    assert traits_of(traits, style, emotions) == found
