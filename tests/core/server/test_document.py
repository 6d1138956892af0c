"""The OpenAPI document says what the rows say, all of it and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import jsonschema_rs
import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31

from chartui.core.server.openapi import document
from chartui.core.spec.errors import ErrorKind, ErrorShape
from chartui.core.spec.operation import Encoding, Operation
from chartui.core.spec.operations import OPERATIONS

SERVED = [row for row in OPERATIONS.values() if row.path is not None]


@pytest.fixture(scope="module")
def served(client: httpx.Client) -> dict[str, Any]:
    answer = client.get("/openapi.json", headers={"service-api-key": ""})
    assert answer.headers["content-type"] == "application/json"
    loaded: dict[str, Any] = answer.json()
    return loaded


def described(served: Mapping[str, Any], row: Operation) -> dict[str, Any]:
    found: dict[str, Any] = served["paths"][row.path][row.method.lower()]
    return found


def resolve(served: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        schema = served["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def walk(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from walk(item)
    elif isinstance(value, list):
        for item in value:
            yield from walk(item)


def test_it_is_openapi_3_1(served: Mapping[str, Any]) -> None:
    jsonschema_rs.Draft202012Validator(OPENAPI_31).validate(served)
    for schema in served["components"]["schemas"].values():
        jsonschema_rs.meta.validate({**schema, "$schema": "https://json-schema.org/draft/2020-12/schema"})


def test_it_describes_the_rows_with_a_path_and_no_others(served: Mapping[str, Any]) -> None:
    found = {(path, method) for path, methods in served["paths"].items() for method in methods}
    assert found == {(row.path, row.method.lower()) for row in SERVED}
    assert len(found) == 18
    assert {described(served, row)["operationId"] for row in SERVED} == {row.name for row in SERVED}


def test_every_reference_leads_somewhere_and_every_model_is_used(served: Mapping[str, Any]) -> None:
    used = {node["$ref"] for node in walk(served) if isinstance(node.get("$ref"), str)}
    assert used == {f"#/components/schemas/{name}" for name in served["components"]["schemas"]}


def test_nothing_of_this_program_s_inside_shows(served: Mapping[str, Any]) -> None:
    assert not [node for node in walk(served) if "x-record" in node]
    for name, schema in served["components"]["schemas"].items():
        assert "raw" not in schema.get("properties", {}), name


@pytest.mark.parametrize("row", SERVED, ids=lambda row: row.name)
def test_every_listed_refusal_has_its_shape(served: Mapping[str, Any], row: Operation) -> None:
    responses = described(served, row)["responses"]
    assert {str(status) for status, _ in row.errors.values()} <= set(responses)
    for kind, (status, shape) in row.errors.items():
        content = responses[str(status)]["content"]
        if shape is ErrorShape.TEXT:
            assert content["text/plain"] == {"schema": {"type": "string"}}, kind
        else:
            options = content["application/json"]["schema"]["anyOf"]
            assert [shape.value] in [resolve(served, option)["required"] for option in options], kind


@pytest.mark.parametrize("row", SERVED, ids=lambda row: row.name)
def test_the_key_is_asked_for_where_the_row_does(served: Mapping[str, Any], row: Operation) -> None:
    security = described(served, row)["security"]
    schemes = served["components"]["securitySchemes"]
    headers = {schemes[name]["name"] for option in security for name in option}
    assert headers == ({"SERVICE-API-KEY", "X-Other-Key"} if row.tier is not None else set())


@pytest.mark.parametrize("row", SERVED, ids=lambda row: row.name)
def test_members_travel_as_the_row_says(served: Mapping[str, Any], row: Operation) -> None:
    operation = described(served, row)
    assert ("parameters" in operation) == (row.encoding is Encoding.QUERY)
    assert ("requestBody" in operation) == (row.encoding in (Encoding.JSON, Encoding.FORM))
    if "requestBody" in operation:
        body = operation["requestBody"]
        form = {"application/x-www-form-urlencoded", "multipart/form-data"}
        assert set(body["content"]) == (form if row.encoding is Encoding.FORM else {"application/json"})
        assert body["required"] is not row.body_optional
        for media_type in body["content"].values():
            assert resolve(served, media_type["schema"])["additionalProperties"] is False


def test_a_few_details(served: Mapping[str, Any]) -> None:
    estimate = described(served, OPERATIONS["get-estimate"])
    parameters = {parameter["name"]: parameter["schema"] for parameter in estimate["parameters"]}
    assert parameters["inputTokens"]["type"] == "number"
    assert parameters["memory"]["type"] == "boolean"
    assert "304" in estimate["responses"]
    act = described(served, OPERATIONS["get-response"])
    assert act["deprecated"] is True
    things = {"$ref": "#/components/schemas/Thing"}
    content = act["requestBody"]["content"]
    fields = content["application/x-www-form-urlencoded"]["schema"]["properties"]
    assert {field["type"] for field in fields.values()} == {"string"}
    assert fields["objects"]["contentSchema"]["items"] == things
    parts = content["multipart/form-data"]
    assert parts["schema"]["properties"]["objects"]["items"] == things
    json_part = {"contentType": "application/json"}
    assert parts["encoding"] == {"objects": json_part, "characters": json_part}
    record = served["components"]["schemas"]["CharacterList"]["properties"]["characters"]["items"]
    assert len(resolve(served, record)["properties"]) == 35


def test_it_names_only_the_headers_that_are_taken() -> None:
    plain = json.dumps(document(["SERVICE-API-KEY"]))
    assert "X-Other-Key" not in plain


def test_list_models_is_documented_as_it_is_sent(served: Mapping[str, Any]) -> None:
    schema = described(served, OPERATIONS["list-models"])["responses"]["200"]["content"]["application/json"]["schema"]
    assert resolve(served, schema)["required"] == ["STATUS"]
    assert OPERATIONS["list-models"].errors[ErrorKind.TIER] == (403, ErrorShape.UPPER)
