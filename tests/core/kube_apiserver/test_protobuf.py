"""Bodies that kubectl's typed commands send, and bodies that nobody should."""

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import protobuf

CASES = json.loads((Path(__file__).parent / "cases/protobuf.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["run"].removeprefix("kubectl ")[:50])
def test_a_body_is_the_object_that_kubectl_prints(case: dict[str, Any]) -> None:
    assert protobuf.decode(b64decode(case["body"])) == case["object"]


def _number(number: int) -> bytes:
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def _field(number: int, text: bytes) -> bytes:
    return _number(number << 3 | 2) + _number(len(text)) + text


def _body(version: str, kind: str, raw: bytes) -> bytes:
    return b"k8s\0" + _field(1, _field(1, version.encode()) + _field(2, kind.encode())) + _field(2, raw)


def _refusal(body: bytes) -> str:
    with pytest.raises(ApiError) as caught:
        protobuf.decode(body)
    return f"{caught.value.code} {caught.value}"


def test_a_zero_behind_a_pointer_is_a_value() -> None:
    replicas = protobuf.decode(_body("apps/v1", "Deployment", _field(2, b"\x08\x00\x28\x00")))["spec"]
    assert replicas == {"replicas": 0}, "minReadySeconds, no pointer, is left out"


def test_parts_that_stand_in_their_parent_and_times() -> None:
    volume = _field(1, b"data") + _field(2, _field(2, b""))
    spec = _field(1, volume) + _field(2, _field(1, b"main"))
    metadata = _field(1, b"web") + _field(8, b"\x08\x80\xa8\xd6\xb9\x07")
    found = protobuf.decode(_body("v1", "Pod", _field(1, metadata) + _field(2, spec)))
    assert found["spec"]["volumes"] == [{"name": "data", "emptyDir": {}}]
    assert found["metadata"]["creationTimestamp"] == "2033-05-18T03:33:20Z"


def test_what_is_no_object_is_refused() -> None:
    assert "does not appear to be a protobuf message" in _refusal(b"{}")
    assert "400 the object provided is unrecognized" in _refusal(b"k8s\0\xff\xff")
    assert 'no kind "Pood" is registered for version "v1"' in _refusal(_body("v1", "Pood", b""))
    assert "400 the object provided is unrecognized" in _refusal(_body("v1", "Pod", b"\x0a\xff"))
    assert _refusal(b"k8s\0" + b"\0" * protobuf.MAX_BYTES).startswith("413 ")


def test_what_is_nested_deeply_or_very_many_is_refused() -> None:
    deep = b""
    for _ in range(3000):
        deep = _field(28, deep)
    assert "400 the object provided is unrecognized" in _refusal(
        _body("apiextensions.k8s.io/v1", "JSONSchemaProps", deep)
    )
    many = _field(2, _field(2, b"") * (protobuf.MAX_VALUES + 1))
    assert _refusal(_body("v1", "Pod", many)).startswith("413 ")
