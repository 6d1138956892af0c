"""Calls as command lines; that curl gets the same answers is shown in ``tests/contract/test_curl.py``."""

from __future__ import annotations

import shlex
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.cli.explore import constraints_of
from chartui.cli.parser import Arguments, build_parser
from chartui.core.estimation.card import load_card
from chartui.core.estimation.constraints import DEFAULTS, FEATURES, Constraints, Need, default_constraints, groups
from chartui.core.estimation.prices import Configuration, Quantities
from chartui.core.estimation.rank import RANKED, Order
from chartui.core.jsontext import Wire, loads
from chartui.core.profiles import BUILT_IN, Profile, ProfileKind
from chartui.core.reproduce import (
    as_command,
    as_curl,
    as_json,
    compare_command,
    estimate_command,
    estimate_curl,
    explore_command,
    rank_command,
)
from chartui.core.spec.catalogue import KINDS, Kind
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import OPERATIONS
from chartui.core.text import is_plain
from chartui.core.typed_numbers import Range

WORK = Profile(name="work", kind=ProfileKind.REMOTE, base_url="https://service.example/base")
PAYLOAD: dict[str, Wire] = {"charID": "c1", "backstory": "it's $5", "temperature": Decimal("0.70")}
_ROWS = list(OPERATIONS.values())


def test_a_json_request() -> None:
    assert as_curl(OPERATIONS["update-character"], PAYLOAD, WORK) == (
        "# this request changes data\n"
        "curl --request POST \\\n"
        "  https://service.example/base/character/update \\\n"
        '  --header "SERVICE-API-KEY: $CHARTUI_API_KEY" \\\n'
        "  --header 'Content-Type: application/json' \\\n"
        """  --data-raw '{"charID": "c1", "backstory": "it'"'"'s $5", "temperature": 0.7}'"""
    )


def test_a_query_without_a_key() -> None:
    row = OPERATIONS["get-estimate"]
    assert as_curl(row, {"llm": "a b", "memory": True}, WORK) == (
        "curl 'https://service.example/base/api/v1/estimate?llm=a+b&memory=true'"
    )


def test_a_request_without_a_body() -> None:
    assert as_curl(OPERATIONS["list-characters"], {}, WORK) == (
        "curl --request POST \\\n"
        "  https://service.example/base/character/list \\\n"
        '  --header "SERVICE-API-KEY: $CHARTUI_API_KEY" \\\n'
        "  --header 'Content-Length: 0'"
    )


def test_an_embedded_profile_is_asked_where_it_would_be_served() -> None:
    command = as_curl(OPERATIONS["options"], {}, BUILT_IN["demo"])
    assert command == (
        "# start a server with demo data first: chartui serve --demo (its IDs and keys are new)\n"
        "curl http://127.0.0.1:8465/api/v1/options \\\n"
        "  --noproxy '*'"
    )


def test_the_profiles_own_ways_are_followed() -> None:
    profile = Profile(
        name="odd",
        kind=ProfileKind.REMOTE,
        base_url="https://[::1]:8443",
        key_header="X-$(id)`id`",
        send_key_to_estimation=True,
        ca_file=Path("/a folder/ca.pem"),
        proxy="https://proxy.example",
    )
    command = as_curl(OPERATIONS["options"], {}, profile)
    assert command is not None
    words = shlex.split(command.replace("\\\n", ""))
    assert words == [
        "curl",
        "--globoff",
        "https://[::1]:8443/api/v1/options",
        "--header",
        "X-$(id)`id`: $CHARTUI_API_KEY",
        "--cacert",
        "/a folder/ca.pem",
        "--proxy",
        "https://proxy.example",
    ]
    # Of all that a shell would replace, only the key stands outside single quotes.
    assert """'X-$(id)`id`: '"$CHARTUI_API_KEY\"""" in command


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row.name)
def test_the_key_is_named_where_it_is_sent_and_nowhere_else(row: Operation) -> None:
    command = as_curl(row, {}, WORK)
    assert (command is None) == (row.path is None)
    if command is not None:
        assert ("$CHARTUI_API_KEY" in command) is (row.tier is not None)
    assert "API_KEY" not in as_command(row, {}, WORK)


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row.name)
def test_every_operation_is_a_command_that_the_parser_takes(row: Operation) -> None:
    payload = {"a": "it's \x1b[201~\u202e\n", "n": Decimal("0.1")}
    command = as_command(row, payload, WORK)
    assert is_plain(command)
    words = shlex.split(command)
    assert words[:2] == ["chartui", "call"]
    arguments = build_parser(["call"]).parse_args(words[1:])
    assert (arguments.operation, arguments.profile) == (row.name, "work")
    assert loads(arguments.data) == payload
    assert "read_only" not in arguments


def test_a_command_keeps_the_lock() -> None:
    row = OPERATIONS["list-characters"]
    assert as_command(row, {}, WORK, read_only=True) == "chartui call list-characters --profile work --read-only"
    locked = Profile(name="work", kind=ProfileKind.REMOTE, base_url=WORK.base_url, read_only=True)
    assert "--read-only" in as_command(row, {}, locked)
    assert "--read-only" not in as_command(row, {}, WORK)


def test_what_cannot_be_sent_is_no_curl_either() -> None:
    with pytest.raises(ServiceError) as refused:
        as_curl(OPERATIONS["list-characters"], {"member": 1}, WORK)
    assert refused.value.kind is ErrorKind.INVALID


def test_an_estimate_is_a_command_that_the_parser_takes() -> None:
    selections = Selections(llm="a b", memory=False, knowledge=True)
    command = estimate_command(selections, Assumptions(input_tokens=Decimal("1250.50")), BUILT_IN["demo"])
    assert command == ("chartui estimate --profile demo --llm 'a b' --no-memory --knowledge --input-tokens 1250.5")
    arguments = build_parser(["estimate"]).parse_args(shlex.split(command)[1:])
    assert (arguments.llm, arguments.memory, arguments.knowledge, arguments.tts) == ("a b", False, True, None)
    assert arguments.input_tokens == Decimal("1250.5")


def test_an_estimate_is_a_request_with_a_query() -> None:
    selections = Selections(llm="a b", memory=False)
    assumptions = Assumptions(input_tokens=Decimal("1250.50"), tts_seconds=Decimal(0))
    assert estimate_curl(selections, assumptions, WORK) == (
        "curl 'https://service.example/base/api/v1/estimate?llm=a+b&memory=false&inputTokens=1250.5&ttsSeconds=0'"
    )
    assert estimate_curl(Selections(), Assumptions(), BUILT_IN["demo"]).splitlines()[0] == (
        "# start a server with demo data first: chartui serve --demo (its IDs and keys are new)"
    )
    assert estimate_curl(Selections(), Assumptions(), BUILT_IN["local"]).splitlines()[0] == (
        "# start the server first: chartui serve --profile local"
    )


@pytest.mark.parametrize("name", ["update-character", "create-section"])
def test_a_request_that_changes_data_says_so(name: str) -> None:
    command = as_curl(OPERATIONS[name], {}, WORK)
    assert command is not None
    assert command.startswith("# this request changes data\ncurl ")


def parsed(command: str, noun: str) -> Arguments:
    words = shlex.split(command)
    assert words[:2] == ["chartui", noun]
    assert is_plain(command)
    return parser_of(noun).parse_args(words[1:], Arguments())


parser_of = cache(lambda noun: build_parser([noun]))


def test_a_comparison_is_a_command_that_the_parser_takes() -> None:
    names = ["Quick & cheap", "-1", "./it's.toml"]
    command = compare_command(Selections(llm="x"), Assumptions(), names, WORK, baseline="-1")
    assert command == (
        "chartui estimate --profile work --llm x "
        """--compare 'Quick & cheap' --compare=-1 --compare './it'"'"'s.toml' --baseline=-1"""
    )
    arguments = parsed(command, "estimate")
    assert (arguments.llm, arguments.compare, arguments.baseline) == ("x", names, "-1")
    assert parsed(compare_command(Selections(), Assumptions(), ["a"], WORK), "estimate").baseline is None


CONFIGURATIONS = st.builds(
    Configuration,
    llm=st.sampled_from(["mdla_4o", "-x", "a b", "$(id)"]),
    memory=st.booleans(),
    knowledge=st.booleans(),
    stt=st.sampled_from(["no_stt_input", "it's"]),
    tts=st.just("no_tts"),
    animation=st.just("no_animation"),
)
AMOUNTS = st.one_of(st.integers(0, 10**12), st.decimals(0, 10**6, places=4))
QUANTITIES = st.builds(Quantities, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS)


@given(CONFIGURATIONS, QUANTITIES, st.sampled_from(KINDS), st.none() | st.sampled_from(Order))
def test_a_ranking_is_a_command_that_the_parser_takes(
    configuration: Configuration, quantities: Quantities, kind: Kind, by: Order | None
) -> None:
    arguments = parsed(rank_command(configuration, quantities, WORK, kind=kind, by=by), "rank")
    assert Configuration(**{name: getattr(arguments, name) for name in Configuration._fields}) == configuration
    assert Quantities(**{name: getattr(arguments, name) for name in Quantities._fields}) == quantities
    assert (RANKED[arguments.kind], arguments.sort, arguments.reverse) == (kind, by or "credits", False)


NEEDS = st.sampled_from(Need)


@given(
    st.builds(
        Constraints,
        **dict.fromkeys(FEATURES, NEEDS),
        families=st.frozensets(st.sampled_from(groups(load_card(), "llm"))),
        speech_in_vendors=st.frozensets(st.sampled_from(groups(load_card(), "stt"))),
        speech_out_vendors=st.frozensets(st.sampled_from(groups(load_card(), "tts"))),
        max_credits=st.none() | st.decimals(0, 10**6, places=6),
        max_latency=st.none() | st.integers(1, 10**6),
        interactions=st.integers(1, 10**6).map(Decimal),
        max_monthly_credits=st.none() | st.decimals(0, 10**6, places=6),
        max_monthly_price=st.none() | st.decimals(0, 10**6, places=2),
    ),
    QUANTITIES,
)
def test_a_search_is_a_command_that_the_parser_takes(constraints: Constraints, quantities: Quantities) -> None:
    """It asks for the very same constraints."""
    arguments = parsed(explore_command(constraints, quantities, WORK, card=load_card()), "explore")
    assert constraints_of(arguments, load_card(), Configuration.default(load_card())) == constraints
    assert Quantities(**{name: getattr(arguments, name) for name in Quantities._fields}) == quantities


def test_a_scenario_and_ranges_are_in_the_commands_of_rankings_and_searches() -> None:
    given = {"output_chars": Range(Decimal(60), Decimal(150), Decimal(400))}
    card, quantities = load_card(), Quantities(1, 2, 3, 4)
    ranking = rank_command(Configuration.default(card), quantities, WORK, scenario="Museum", given=given)
    search = explore_command(DEFAULTS, quantities, WORK, card=card, scenario="Museum", given=given)
    for command, noun in ((ranking, "rank"), (search, "explore")):
        arguments = parsed(command, noun)
        assert (arguments.scenario, arguments.output_chars, arguments.input_tokens) == (
            "Museum",
            given["output_chars"],
            None,
        )


def test_default_constraints_are_left_out() -> None:
    default = default_constraints(Configuration.default(load_card()))
    command = explore_command(default, Quantities(1, 2, 3, Decimal("4.50")), BUILT_IN["demo"], card=load_card())
    assert command == (
        "chartui explore --profile demo --input-tokens 1 --output-chars 2 --stt-seconds 3 --tts-seconds 4.5"
    )


def test_json_is_indented_and_cannot_command_a_terminal() -> None:
    text = as_json({"a": ["\x9b\u202e", 1]})
    assert text == '{\n  "a": [\n    "\\u009b\\u202e",\n    1\n  ]\n}'
    assert loads(text) == {"a": ["\x9b\u202e", 1]}
