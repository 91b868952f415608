"""Manifests share equal parts, and say what they said."""

import json
from datetime import UTC, datetime
from typing import Any

from kube_objects.shared import shared


def pod(named: str, **spec: Any) -> dict[str, Any]:
    """As if read from a text of its own."""
    containers = [{"name": "main", "resources": {"requests": {"cpu": "100m"}}}]
    metadata = {"name": named, "labels": {"app": "one"}}
    whole = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}
    read: dict[str, Any] = json.loads(json.dumps(whole))
    return read


def test_pods_of_one_template_share_it() -> None:
    first, second = shared(pod("a")), shared(pod("b"))
    assert first["spec"] is second["spec"]
    assert first["metadata"]["labels"] is second["metadata"]["labels"]
    on_a_node = shared(pod("c", nodeName="n"))
    assert on_a_node["spec"]["containers"] is first["spec"]["containers"]


def test_texts_that_many_have_are_one() -> None:
    first, second = (shared(pod(name, nodeName="node-1")) for name in ("a", "b"))
    assert first["apiVersion"] is second["apiVersion"]
    assert first["spec"]["nodeName"] is second["spec"]["nodeName"]
    assert shared({"kind": 1, "metadata": {"namespace": None}}) == {"kind": 1, "metadata": {"namespace": None}}


def test_what_is_shared_is_written_as_it_was() -> None:
    numbers = [1, 1.0, True, "1"]
    ordered: list[dict[str, Any]] = [{"a": 1, "b": 2}, {"b": 2, "a": 1}]
    for value in [*numbers, *ordered]:
        manifest = pod("a", tolerations=[{"value": value}], overhead=value, nodeName="n")
        assert json.dumps(shared(manifest)) == json.dumps(manifest)


def test_what_json_does_not_have_stays_as_it_is() -> None:
    manifest = pod("a") | {"status": {"startTime": datetime(2025, 6, 1, tzinfo=UTC), "phase": "Running"}, "other": None}
    assert shared(manifest) == manifest
