"""Objects that etcd would not store."""

from typing import Any

import pytest

from tests.api.kubernetes.test_kubernetes import APPLY, MAPS, Kubernetes, configmap, kube
from tests.web import Api

__all__ = ["kube"]

MERGE, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"
MESSAGE = "etcdserver: request is too large"
# A ConfigMap's data has a limit of its own, so its managed fields make it too large.
NAMES = {f"{i:0253d}": "" for i in range(1700)}
MORE = {f"1{i:0252d}": "" for i in range(1700)}


def large_map(name: str = "a") -> dict[str, Any]:
    return {**configmap(name), "data": NAMES | MORE}


@pytest.mark.parametrize(
    ("method", "path", "kind", "body"),
    [
        ("POST", MAPS, "application/json", large_map("b")),
        ("PUT", f"{MAPS}/a", "application/json", large_map()),
        ("PATCH", f"{MAPS}/a", MERGE, {"data": MORE}),
        ("PATCH", f"{MAPS}/a", JSON_PATCH, [{"op": "add", "path": "/data", "value": NAMES | MORE}]),
        ("PATCH", f"{MAPS}/a?fieldManager=me", APPLY, {**configmap("a"), "data": MORE}),
        ("PATCH", f"{MAPS}/b?fieldManager=me", APPLY, large_map("b")),
    ],
)
def test_a_write_that_makes_an_object_too_large_is_refused(
    kube: Kubernetes, method: str, path: str, kind: str, body: Any
) -> None:
    kube("POST", MAPS, {**configmap("a"), "data": NAMES}, status=201)
    before = kube("GET", f"{MAPS}/a")
    answer = kube(method, path, body, kind=kind, status=500)
    assert (answer["code"], answer["message"], answer.get("reason")) == (500, MESSAGE, None)
    assert kube("GET", f"{MAPS}/a") == before
    kube("GET", f"{MAPS}/b", status=404)


def test_escapes_do_not_count(kube: Kubernetes) -> None:
    kube("POST", MAPS, configmap("a", x="\n\u00e9" * 340_000), status=201)


def test_a_command_of_the_page_names_the_object_and_the_rule(api: Api) -> None:
    cluster = api.cluster()
    objects = [configmap("a"), {**configmap("b"), "data": {"x": "y" * 1_600_000}}]
    answer = api.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects}, status=400)
    (problem,) = answer["problems"]
    assert (problem["path"], problem["value"] > 1_600_000) == ("objects[1]", True)
    assert problem["rule"] == "etcd stores at most 1572864 bytes for an object"
