"""Hostile requests: text that is no Unicode, deep patches, cut protobuf, forged queries."""

import base64
import json
from typing import Any

import pytest

from tests.api.kubernetes.test_kubernetes import MAPS, PROTOBUF, Kubernetes, configmap, kube

__all__ = ["kube"]

MERGE, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"


def map_with(**more: str) -> bytes:
    texts = "".join(f', "{name}": {text}' for name, text in more.items())
    return f'{{"kind": "ConfigMap", "apiVersion": "v1"{texts}}}'.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("half", ["\\udfff", "\\uD800", "\\ud800\\ud800", "\ud800"])
def test_half_a_surrogate_pair_becomes_the_replacement_character(kube: Kubernetes, half: str) -> None:
    kube("POST", MAPS, map_with(metadata='{"name": "a"}', data=f'{{"x": "1{half}"}}'), status=201)
    found = kube("GET", f"{MAPS}/a")
    assert set(found["data"]["x"][1:]) == {"\ufffd"}
    patch = f'{{"metadata": {{"annotations": {{"b": "{half}"}}}}}}'.encode("utf-8", "surrogatepass")
    assert set(kube("PATCH", f"{MAPS}/a", patch, kind=MERGE)["metadata"]["annotations"]["b"]) == {"\ufffd"}
    patch = f'{{"metadata": {{"annotations": {{"{half}": "b"}}}}}}'.encode("utf-8", "surrogatepass")
    assert kube("PATCH", f"{MAPS}/a", patch, status=422, kind=MERGE)["reason"] == "Invalid"
    kube("POST", MAPS, map_with(metadata=f'{{"name": "{half}"}}'), status=422)


def test_whole_surrogate_pairs_and_escaped_backslashes_stay(kube: Kubernetes) -> None:
    text = r'{"x": "\ud83d\ude00 \\ud800"}'
    kube("POST", MAPS, map_with(metadata='{"name": "a"}', data=text), status=201)
    assert kube("GET", f"{MAPS}/a")["data"]["x"] == "\U0001f600 \\ud800"


DEEP = [{"op": "add", "path": "/" + "/".join(["a"] * depth), "value": {}} for depth in range(1, 900)]
DOUBLED: list[dict[str, Any]] = [{"op": "copy", "from": "/data", "path": "/data/a"}] * 120
MOVED = [
    step
    for _ in range(200)
    for step in (
        {"op": "add", "path": "/b", "value": {}},
        {"op": "move", "from": "/data", "path": "/b/a"},
        {"op": "move", "from": "/b", "path": "/data"},
    )
]


@pytest.mark.parametrize("patch", [DEEP, DOUBLED, MOVED], ids=["added", "copied", "moved"])
def test_a_json_patch_to_a_great_depth_is_refused(kube: Kubernetes, patch: Any) -> None:
    kube("POST", MAPS, configmap("a", x="1"), status=201)
    told = kube("PATCH", f"{MAPS}/a", patch, status=400, kind=JSON_PATCH)
    assert told["reason"] == "BadRequest"
    assert told["message"].endswith("nested deeper than 100 levels")


def length(number: int) -> bytes:
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def part(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + length(len(content)) + content


def object_of(raw: bytes) -> bytes:
    return b"k8s\x00" + part(1, part(1, b"v1") + part(2, b"ConfigMap")) + part(2, raw)


def nested(levels: int) -> bytes:
    found = b""
    for _ in range(levels):
        found = part(1, found)
    return found


def test_hostile_protobuf_is_refused_with_a_status(kube: Kubernetes) -> None:
    metadata = part(1, part(1, b"a"))
    whole = object_of(metadata)
    bodies = {
        "cut": whole[:-1],
        "length of 2 GiB": b"k8s\x00" + bytes([1 << 3 | 2]) + length(1 << 31),
        "nested": object_of(nested(5_000)),
        "no text": object_of(part(1, part(1, b"\xff\xfe"))),
        "no text in a map": object_of(metadata + part(2, part(1, b"\xff") + part(2, b"\xfe"))),
        "kind that is no text": b"k8s\x00" + part(1, part(1, b"\xff") + part(2, b"\xff")),
        "magic alone": b"k8s\x00",
        "no magic": b"\x00" * 64,
        "many entries": object_of(metadata + b"".join(part(2, part(1, b"%d" % key)) for key in range(120_000))),
    }
    for name, body in bodies.items():
        answer = kube.client.generic("POST", f"/k8s/{kube.cluster_id}/{MAPS}", body, PROTOBUF)
        assert answer.status_code in (400, 413, 422), (name, answer.content)
        assert json.loads(answer.content)["kind"] == "Status"


@pytest.mark.parametrize("name", ["v", "rv", "start"])
@pytest.mark.parametrize("value", [None, -1, 2**70, [], {}, "\0", "\ud800", True, 1.5, "../x"])
def test_a_forged_token_of_a_list(kube: Kubernetes, name: str, value: Any) -> None:
    for letter in "ab":
        kube("POST", MAPS, configmap(letter), status=201)
    token = kube("GET", f"{MAPS}?limit=1")["metadata"]["continue"]
    written = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    forged = base64.urlsafe_b64encode(json.dumps({**written, name: value}).encode()).decode()
    path = f"{MAPS}?limit=1&continue={forged}"
    if (name, value) in (("rv", -1), ("start", "\0"), ("start", "\ud800")):
        # The newest version; the beginning; and a text in which U+FFFD stands for what is no character.
        assert kube("GET", path)["kind"] == "ConfigMapList"
        return
    status = 410 if (name, value) == ("rv", 2**70) else 400
    assert kube("GET", path, status=status)["kind"] == "Status"


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("limit=9223372036854775807", 200, ""),
        ("limit=%EF%BC%91", 400, 'strconv.ParseInt: parsing "\uff11": invalid syntax'),
        ("limit=9223372036854775808", 400, 'strconv.ParseInt: parsing "9223372036854775808": value out of range'),
        ("resourceVersion=%EF%BC%91", 400, "invalid resource version: resourceVersion: Invalid value"),
        ("resourceVersion=18446744073709551616", 400, "value out of range"),
        ("watch=1&resourceVersion=-1", 500, 'strconv.ParseUint: parsing "-1": invalid syntax'),
    ],
)
def test_numbers_of_a_query(kube: Kubernetes, query: str, status: int, message: str) -> None:
    assert message in kube("GET", f"{MAPS}?{query}", status=status).get("message", "")


@pytest.mark.parametrize("seconds", ["99999999999999999999999", "\uff11", "1_0", "nan"])
def test_a_grace_period_that_is_no_number(kube: Kubernetes, seconds: str) -> None:
    kube("POST", MAPS, configmap("a"), status=201)
    assert "ParseInt" in kube("DELETE", f"{MAPS}/a?gracePeriodSeconds={seconds}", status=400)["message"]
