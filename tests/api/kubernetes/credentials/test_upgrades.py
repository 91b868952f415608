"""A WebSocket to a container is a GET, and needs the verb `create` in clusters that emulate v1.35 or later."""

import pytest

from playground.models import Cluster
from tests.api.kubernetes.test_kubernetes import PODS, Kubernetes, kube

__all__ = ["kube"]
RBAC = "apis/rbac.authorization.k8s.io/v1/namespaces/default"


@pytest.mark.parametrize(
    ("emulates", "verbs", "code"),
    [
        ("v1.36.3", ["get"], 403),
        ("v1.36.3", ["get", "create"], 400),
        ("v1.36.3", ["create"], 403),
        ("v1.34.1", ["get"], 400),
        ("v1.34.1 AnyGate=true", ["get"], 400),
    ],
)
@pytest.mark.parametrize("door", ["exec", "attach", "portforward"])
def test_the_verb_that_an_upgrade_needs(
    kube: Kubernetes, emulates: str, verbs: list[str], code: int, door: str
) -> None:
    rule = {"verbs": verbs, "apiGroups": [""], "resources": [f"pods/{door}"]}
    subject = {"kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"}
    reference = {"kind": "Role", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"}
    kube("POST", f"{RBAC}/roles", {"metadata": {"name": "jane"}, "rules": [rule]}, 201)
    binding = {"metadata": {"name": "jane"}, "roleRef": reference, "subjects": [subject]}
    kube("POST", f"{RBAC}/rolebindings", binding, 201)
    Cluster.objects.filter(pk=kube.cluster_id).update(emulates=emulates)
    answer = kube("GET", f"{PODS}/web/{door}", status=code, **{"Impersonate-User": "jane"})
    if verbs == ["get"] and code == 403:
        assert answer["message"] == 'pods "web" is forbidden: '
