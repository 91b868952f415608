"""kr8s: small objects that wait, scale and read themselves again."""

from collections.abc import Callable
from typing import Any

import kr8s
import pytest
from kr8s.objects import Deployment, Pod

from tests.clients.conftest import Cluster


# Whatever version of Kubernetes the cluster emulates, it says that it knows others.
@pytest.mark.filterwarnings("ignore:Kubernetes version:UserWarning")
def test_objects_come_become_ready_change_and_go(make_cluster: Callable[..., Cluster]) -> None:
    api: Any = kr8s.api(kubeconfig=str(make_cluster(actors=True).kubeconfig))
    assert [each.name for each in api.get("nodes")] == ["node-0", "node-1", "node-2"]
    assert api.lookup_kind("deploy")[1] == "deployments"
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    web: Any = Deployment({"metadata": {"name": "web"}, "spec": spec}, api=api)
    web.create()
    web.wait("condition=Available", timeout=60)
    web.scale(3)
    web.wait("jsonpath='{.status.readyReplicas}'=3", timeout=60)
    pods: list[Any] = list(web.pods())
    assert len(pods) == 3
    for pod in pods:
        pod.refresh()
        assert pod.ready()
    pods[0].label({"looked-at": "yes"})
    assert [each.name for each in api.get("pods", label_selector="looked-at=yes")] == [pods[0].name]
    web.delete(propagation_policy="Foreground")
    web.wait("delete", timeout=60)
    assert not list(api.get(Pod, namespace="default"))
