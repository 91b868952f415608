"""What goes with its owner, waits for it, or stays."""

import json
from typing import Any

import pytest

from tests.core.controllers.chaos import workload
from tests.core.controllers.recordings.test_commands import Session


@pytest.mark.parametrize(("cascade", "left"), [("foreground", 0), ("background", 0), ("orphan", 1)])
def test_what_a_config_map_owns_goes_with_it(cascade: str, left: int) -> None:
    session = Session()
    assert [session.run(one) for one in ("create cm root", "apply -f d.yaml")] == [0, 0]
    (root,) = (one for one in session.all("ConfigMap") if one["metadata"]["name"] == "root")
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "root", "uid": root["metadata"]["uid"]}
    patch = json.dumps({"metadata": {"ownerReferences": [{**owner, "blockOwnerDeletion": True}]}})
    assert session.run(f"patch deploy web --type=merge -p '{patch}'") == 0, session.out
    assert session.run(f"delete cm root --cascade={cascade}") == 0, session.out
    assert (len(session.all("Deployment")), len(session.all("Pod"))) == (left, 2 * left)


UID = "11111111-2222-3333-4444-555555555555"
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "apps.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "apps", "singular": "app", "kind": "App", "listKind": "AppList"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}},
        ],
    },
}
GONE_OWNERS = [
    ("one of a kind that every server has", "apps/v1", "ReplicaSet", False, 0),
    ("one of a group that no server has", "example.com/v1", "App", False, 1),
    ("one of a kind that somebody defined", "example.com/v1", "App", True, 0),
    ("another one of that group", "example.com/v1", "Other", True, 1),
]


@pytest.mark.parametrize(
    ("name", "version", "kind", "is_defined", "left"), GONE_OWNERS, ids=[one[0] for one in GONE_OWNERS]
)
def test_a_pod_whose_owner_is_not_there(name: str, version: str, kind: str, is_defined: bool, left: int) -> None:
    """Source: attemptToDeleteItem: of an owner whose kind is unknown it cannot be said that it is no more."""
    session = Session()
    owner = {"apiVersion": version, "kind": kind, "name": "nope", "uid": UID, "controller": True}
    pod: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "main", "image": "x"}]}}
    session.kubectl.files = {
        "c.yaml": json.dumps(DEFINITION),
        "p.yaml": json.dumps({**pod, "metadata": {"name": "p", "ownerReferences": [owner]}}),
    }
    lines = ["create -f c.yaml"] if is_defined else []
    assert [session.run(line) for line in [*lines, "create -f p.yaml"]] == [0] * (len(lines) + 1), session.out
    assert len(session.all("Pod")) == left


@pytest.mark.parametrize(("given", "number"), [("5", "5"), ("0", "1"), ("-3", "1")])
def test_a_daemon_set_may_bring_the_number_of_its_template(given: str, number: str) -> None:
    """Source: daemonset/strategy.go PrepareForCreate."""
    session = Session()
    brought = workload("DaemonSet", "web")
    brought["metadata"]["annotations"] = {"deprecated.daemonset.template.generation": given}
    session.kubectl.files = {"ds.yaml": json.dumps(brought)}
    session.run("create -f ds.yaml")
    assert [pod["metadata"]["labels"]["pod-template-generation"] for pod in session.all("Pod")] == [number] * 2


def test_a_daemon_set_takes_pods_of_its_templates_number_for_its_own() -> None:
    """Source: IsPodUpdated. Measured: a new set with another first template adopts pods, and replaces none of them."""
    session = Session()
    other = workload("DaemonSet", "web")
    other["spec"]["template"]["spec"]["containers"][0]["image"] = "web:2"
    session.kubectl.files = {**session.kubectl.files, "other.yaml": json.dumps(other)}
    assert session.run("apply -f ds.yaml") == 0, session.out
    session.kubelet("ready")
    before = sorted(pod["metadata"]["uid"] for pod in session.all("Pod"))
    assert [session.run(line) for line in ("delete ds web --cascade=orphan", "apply -f other.yaml")] == [0, 0]
    assert sorted(pod["metadata"]["uid"] for pod in session.all("Pod")) == before
    (found,) = session.all("DaemonSet")
    assert found["status"]["updatedNumberScheduled"] == len(before) == 2
    assert session.run("set image ds/web main=web:3") == 0, session.out
    session.kubelet("ready", 2)
    assert {pod["metadata"]["labels"]["pod-template-generation"] for pod in session.all("Pod")} == {"2"}
    assert not set(before) & {pod["metadata"]["uid"] for pod in session.all("Pod")}
