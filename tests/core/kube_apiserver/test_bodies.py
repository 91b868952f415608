"""Bodies: what is no JSON, what is too deep, and fields that are written twice."""

import json
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import decode, handlers
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH
from tests.core.kube_apiserver.refusals import created, resource

MAPS = resource("configmaps")
TIME = "2025-06-01T00:00:00Z"
STRICT, WARN, IGNORE = (WriteOptions("tests", TIME, each) for each in ("Strict", "Warn", "Ignore"))


@pytest.mark.parametrize(
    "body", [b"{", b"\xff", b"[" * 100_000, json.dumps([[]]).encode().replace(b"[[]]", b"[" * 200 + b"]" * 200)]
)
def test_bodies_that_are_no_json_or_too_deep(body: bytes) -> None:
    with pytest.raises(ApiError) as caught:
        decode.read_json(body)
    assert caught.value.code == 400


TWICE: list[tuple[str, str, list[str]]] = [
    ("none", '{"a": {"b": 1}, "c": [1]}', []),
    ("at the top", '{"a": 1, "a": 2}', ["a"]),
    ("thrice is told once", '{"a": 1, "a": 2, "a": 3}', ["a"]),
    ("inside", '{"a": {"b": [{"c": 1}, {"c": 1, "d": 2, "c": 3}]}}', ["a.b[1].c"]),
    ("in the order of the text, also in what is written over", '{"a": {"z": 1, "z": 1}, "b": 1, "b": 2, "a": {}}', [
        "a.z",
        "b",
        "a",
    ]),
    ("of a list", '[{"op": 1}, {"op": 1, "op": 2}]', ["[1].op"]),
    ("many", json.dumps([*"x" * 200]).replace('"x"', '{"a": 1, "a": 2}'), [f"[{number}].a" for number in range(100)]),
    ("in what is written over, too deep", '{"a": %s, "a": 1}' % ('{"b": ' * 150 + "1" + "}" * 150), ["a"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "want"), TWICE, ids=[each[0] for each in TWICE])
def test_what_is_written_twice(name: str, body: str, want: list[str]) -> None:
    found = decode.read_json(body.encode())
    assert list(decode.twice(found)) == want
    assert found == json.loads(body)


def config_map(rest: str) -> Any:
    return decode.read_json(f'{{"metadata": {{"name": "web"}}, {rest}}}'.encode())


def test_a_new_object_with_a_field_twice() -> None:
    sent = config_map('"data": {"a": "1", "a": "2"}, "odd": {"b": 1, "b": 2}, "odd": 1')
    wrong = ['duplicate field "data.a"', 'unknown field "odd"']
    with pytest.raises(ApiError) as caught:
        handlers.create(MAPS, "default", sent, STRICT)
    start = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error'
    assert str(caught.value) == f"{start}: {', '.join(wrong)}"
    warned = handlers.create(MAPS, "default", sent, WARN)
    assert warned.warnings == wrong and warned.value is not None and warned.value["data"] == {"a": "2"}
    assert handlers.create(MAPS, "default", sent, IGNORE).warnings == []


PATCHES: list[tuple[str, str, str]] = [
    (MERGE_PATCH, '{"data": {"a": "1", "a": "2"}}', 'duplicate field "data.a"'),
    (STRATEGIC_PATCH, '{"data": {"a": "1", "a": "2"}}', 'duplicate field "data.a"'),
    (JSON_PATCH, '[{"op": "add", "path": "/data", "value": {"a": "1", "a": "2"}}]',
     'json patch duplicate field "[0].value.a"'),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "body", "want"), PATCHES, ids=[each[0] for each in PATCHES])
def test_a_patch_with_a_field_twice(kind: str, body: str, want: str) -> None:
    live = created("configmaps", {"data": {"a": "0"}}).value
    assert live is not None
    sent = decode.read_json(body.encode())
    with pytest.raises(ApiError) as caught:
        handlers.patch(MAPS, live, kind, sent, STRICT)
    assert caught.value.code == 422 and f"strict decoding error: {want}" in str(caught.value)
    warned = handlers.patch(MAPS, live, kind, sent, WARN)
    assert warned.warnings == [want] and warned.value is not None and warned.value["data"] == {"a": "2"}


NO_OBJECTS: list[tuple[str, bytes, str]] = [
    ("no JSON", b"x", "invalid character 'x' looking for beginning of value (78)"),
    ("cut off", b'{"a"', 'unexpected end of JSON input ({"a")'),
    ("a list", b"[]", "json: cannot unmarshal array into Go value of type {0} (5b5d)"),
    (
        "a long text",
        b'"' + b"a" * 40 + b'"',
        f"json: cannot unmarshal string into Go value of type {{0}} (22{'61' * 29} ...)",
    ),
]
META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'


@pytest.mark.parametrize(("name", "body", "want"), NO_OBJECTS, ids=[each[0] for each in NO_OBJECTS])
def test_what_is_no_object(name: str, body: bytes, want: str) -> None:
    with pytest.raises(ApiError) as caught:
        decode.read_json(body, "Scale")
    start = "the object provided is unrecognized (must be of type Scale): couldn't get version/kind; json parse error: "
    assert (caught.value.code, str(caught.value)) == (400, start + want.replace("{0}", META))


def test_both_wrongs_stand_in_the_order_of_the_text() -> None:
    sent = config_map('"odd": 1, "data": {"a": "1", "a": "2"}')
    with pytest.raises(ApiError) as caught:
        handlers.create(MAPS, "default", sent, STRICT)
    assert str(caught.value).endswith('strict decoding error: unknown field "odd", duplicate field "data.a"')
