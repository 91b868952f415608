"""A namespace that is deleted: what goes when, and what it says meanwhile. Source: namespaced_resources_deleter.go."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from kube_controllers.contract import PutObject
from kube_controllers.namespaces import NamespaceController
from kube_objects.manifests import condition, conditions, format_time, status
from tests.core.controllers.recordings.sequence_replay import Played, Step
from tests.core.controllers.upstream_cases import view_of

HELD: Mapping[str, Any] = {"finalizers": ["example.com/keep"]}
DELETE = "kubectl delete ns shop --wait=false"
FREE = 'kubectl patch {} -n shop --type=merge -p \'{{"metadata":{{"finalizers":null}}}}\''
SHOP: Mapping[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
POD_SPEC = {"containers": [{"name": "main", "image": "nginx"}]}
POD: Mapping[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "db", "namespace": "shop", **HELD},
    "spec": POD_SPEC,
}
MAP: Mapping[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "shop"}}
HELD_MAP: Mapping[str, Any] = {**MAP, "metadata": {**MAP["metadata"], **HELD}}
REMAINING = "NamespaceContentRemaining"


class Case(NamedTuple):
    given: Sequence[Mapping[str, Any]]
    steps: Sequence[Step]
    there: Sequence[str]
    """Whether the pod, the config map and the namespace are there still."""
    told: Mapping[str, str] = {}


_SETS = {REMAINING: "Some resources are remaining: configmaps. has 1 resource instances"}
_FINALIZERS = {
    "NamespaceFinalizersRemaining": "Some content in the namespace has finalizers remaining: "
    "example.com/keep in 1 resource instances"
}
CASES: Mapping[str, Case] = {
    "for five seconds nothing goes": Case([MAP], [DELETE, 2.0], ["map", "namespace"]),
    "then all of it does": Case([MAP], [DELETE, 5.0], []),
    "pods go first, and others not before": Case([POD, MAP], [DELETE, 12.0], ["pod", "map", "namespace"]),
    "pods that remain are not told": Case(
        [POD], [DELETE, 6.0], ["pod", "namespace"], {REMAINING: "All content successfully removed"}
    ),
    "others go when the pods have": Case([POD, MAP], [DELETE, 6.0, FREE.format("pod db"), 16.0], []),
    "what has finalizers is told": Case([HELD_MAP], [DELETE, 6.0], ["map", "namespace"], _SETS | _FINALIZERS),
    "and looked at again": Case([HELD_MAP], [DELETE, 6.0, FREE.format("cm a"), 8.0], []),
}


@pytest.mark.parametrize("named", CASES)
def test_deleted(named: str) -> None:
    case = CASES[named]
    played = Played(case.steps, SHOP, SHOP, *case.given)
    objects = played.player.life.manager.objects
    places = {"pod": ("Pod", "shop/db"), "map": ("ConfigMap", "shop/a"), "namespace": ("Namespace", "shop")}
    assert [what for what, (of, at) in places.items() if objects.get(of, at) is not None] == case.there
    namespace = objects.get("Namespace", "shop") or {}
    said = {type_: condition(conditions(namespace), type_) or {} for type_ in case.told}
    assert {type_: one.get("message") for type_, one in said.items()} == case.told
    assert status(namespace).get("phase") == ("Terminating" if "namespace" in case.there else None)


def test_pods_whose_time_is_over_are_unexpected() -> None:
    """It tries again with the pauses of its queue, and says what it did not expect."""
    then = format_time(0.0)
    over = {"deletionTimestamp": then, "deletionGracePeriodSeconds": 30}
    pod = {**POD, "metadata": {"name": "db", "namespace": "shop", "uid": "u", **over}}
    shop = {**SHOP, "metadata": {"name": "shop", "uid": "s", "deletionTimestamp": then, "finalizers": ["kubernetes"]}}
    outcome = NamespaceController().reconcile(shop, view_of(shop, pod, now=60.0))
    message = "failed to delete pods for namespace: shop, err: unexpected items still remain in namespace: shop"
    written = outcome.changes[-1]
    assert isinstance(written, PutObject)
    said = condition(conditions(written.obj), "NamespaceDeletionContentFailure") or {}
    assert outcome.failed
    assert said["message"].endswith(f"1 remaining: {message} for gvr: /v1, Resource=pods")
