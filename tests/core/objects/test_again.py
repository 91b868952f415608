"""What is read once of many objects is what each of them would be by itself."""

from typing import Any

import pytest

from kube_objects.parse import parse_object, parse_pod
from kube_objects.pod import Pod
from kube_objects.reparse import SiblingParser
from kube_objects.text.problems import ObjectError

CONTAINER = {"name": "main", "image": "app:1", "resources": {"requests": {"cpu": "100m"}}}
SPECS: dict[str, dict[str, Any]] = {
    "plain": {"containers": [CONTAINER], "priority": 7, "tolerations": [{"operator": "Exists"}]},
    "volume named after the pod": {"containers": [CONTAINER], "volumes": [{"name": "data", "ephemeral": {}}]},
    "terms over its own labels": {
        "containers": [CONTAINER],
        "affinity": {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": "zone", "labelSelector": {}, "matchLabelKeys": ["app"]}
                ]
            }
        },
    },
}


def pod(named: str, spec: dict[str, Any], **status: Any) -> dict[str, Any]:
    metadata = {"name": named, "namespace": f"of-{named}", "labels": {"app": named}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_pods_of_one_spec_are_what_each_would_be_by_itself(spec: dict[str, Any]) -> None:
    siblings = SiblingParser()
    for manifest in (pod("a", spec, phase="Running"), pod("b", spec), pod("c", spec, nominatedNodeName="n")):
        parsed = siblings.parse(manifest)
        assert parsed == parse_object(manifest)
        assert parsed.manifest is manifest


def test_pods_of_one_template_may_be_on_nodes_of_their_own() -> None:
    siblings, spec = SiblingParser(), SPECS["plain"]
    manifests = [
        pod("a", spec),
        pod("b", {**spec, "nodeName": "n"}),
        pod("c", {"nodeName": "m", **spec}),
        pod("d", spec),
    ]
    found = [siblings.parse(one) for one in manifests]
    assert found == [parse_pod(one) for one in manifests]
    assert len({id(one.containers) for one in found if isinstance(one, Pod)}) == 1


def test_what_containers_report_is_read_of_each() -> None:
    siblings, spec = SiblingParser(), SPECS["plain"]
    reported = [{"name": "main", "resources": {"requests": {"cpu": "1"}}, "allocatedResources": {"cpu": "1"}}]
    manifests = [pod("a", spec, containerStatuses=reported), pod("b", spec), pod("c", spec, containerStatuses=reported)]
    assert [siblings.parse(one) for one in manifests] == [parse_pod(one) for one in manifests]


def test_what_is_wrong_with_a_sibling_is_told() -> None:
    siblings, spec = SiblingParser(), SPECS["plain"]
    siblings.parse(pod("a", spec))
    for wrong in (pod("B!", spec), pod("b", {**spec, "nodeName": "N!"})):
        with pytest.raises(ObjectError):
            siblings.parse(wrong)
