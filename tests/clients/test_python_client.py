"""The official Python client: it checks every object that it is given against the types of its own version."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

from tests.clients.conftest import Cluster


@pytest.fixture
def cluster(make_cluster: Callable[..., Cluster]) -> Cluster:
    return make_cluster(actors=True)


@pytest.fixture
def api(cluster: Cluster) -> Iterator[Any]:
    with config.new_client_from_config(str(cluster.kubeconfig)) as found:
        yield found


def deployment(name: str, replicas: int) -> dict[str, Any]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


class Informer:
    """What client-go's reflector does: list, watch from there, list again where the server has forgotten."""

    def __init__(self, core: Any, *, after: str = "") -> None:
        self.core, self.version = core, after
        self.pods: dict[str, Any] = {}
        self.lists = 0
        self.told: list[tuple[str, str, str]] = []

    def run(self, is_over: Callable[[dict[str, Any]], bool]) -> None:
        while not is_over(self.pods):
            if not self.version:
                found = self.core.list_namespaced_pod("default", limit=500)
                self.pods = {each.metadata.name: each for each in found.items}
                self.version = found.metadata.resource_version
                self.lists += 1
            try:
                self._follow(is_over)
            except ApiException as gone:
                if gone.status != 410:
                    raise
                self.version = ""

    def _follow(self, is_over: Callable[[dict[str, Any]], bool]) -> None:
        stream = watch.Watch()
        pods = self.core.list_namespaced_pod
        for event in stream.stream(
            pods, "default", resource_version=self.version, allow_watch_bookmarks=True, timeout_seconds=60
        ):
            metadata = event["object"].metadata
            self.version = metadata.resource_version
            if event["type"] == "DELETED":
                self.pods.pop(metadata.name)
            elif event["type"] in ("ADDED", "MODIFIED"):
                self.pods[metadata.name] = event["object"]
            self.told.append((event["type"], metadata.name, metadata.resource_version))
            if is_over(self.pods):
                stream.stop()


def test_an_informer_follows_a_deployment_and_lists_again_after_410(api: Any) -> None:
    core, apps = client.CoreV1Api(api), client.AppsV1Api(api)
    informer = Informer(core, after="1")

    def work() -> None:
        apps.create_namespaced_deployment("default", deployment("web", 2))

    threading.Timer(0.2, work).start()
    informer.run(lambda pods: sum(each.status.phase == "Running" for each in pods.values()) == 2)
    assert informer.lists == 1
    apps.patch_namespaced_deployment_scale("web", "default", {"spec": {"replicas": 1}})
    informer.run(lambda pods: len(pods) == 1)
    assert len(informer.told) == len(set(informer.told))
    (left,) = informer.pods.values()
    read = core.read_namespaced_pod(left.metadata.name, "default")
    # Only the read of one object shows the managed fields of controllers: docs/reference/kubernetes-api.md.
    assert {entry.manager for entry in read.metadata.managed_fields} >= {"kube-controller-manager", "kubelet"}
    left.metadata.managed_fields = read.metadata.managed_fields = None
    assert left.to_dict() == read.to_dict()


def test_objects_of_every_kind_are_of_the_clients_types(api: Any, cluster: Cluster) -> None:
    apps, batch = client.AppsV1Api(api), client.BatchV1Api(api)
    apps.create_namespaced_deployment("default", deployment("web", 1))
    job = {"metadata": {"name": "once"}, "spec": {"template": {"spec": {"restartPolicy": "Never"}}}}
    job["spec"]["template"]["spec"]["containers"] = [{"name": "c", "image": "nginx"}]  # type: ignore[index]
    batch.create_namespaced_job("default", job)
    client.AutoscalingV2Api(api).create_namespaced_horizontal_pod_autoscaler(
        "default",
        {
            "metadata": {"name": "web"},
            "spec": {
                "maxReplicas": 3,
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            },
        },
    )
    client.PolicyV1Api(api).create_namespaced_pod_disruption_budget(
        "default", {"metadata": {"name": "web"}, "spec": {}}
    )
    cluster.kubectl("wait job/once --for=condition=Complete --timeout=60s")
    core = client.CoreV1Api(api)
    lists = [
        apps.list_deployment_for_all_namespaces,
        apps.list_replica_set_for_all_namespaces,
        batch.list_job_for_all_namespaces,
        client.AutoscalingV1Api(api).list_horizontal_pod_autoscaler_for_all_namespaces,
        client.AutoscalingV2Api(api).list_horizontal_pod_autoscaler_for_all_namespaces,
        client.PolicyV1Api(api).list_pod_disruption_budget_for_all_namespaces,
        client.SchedulingV1Api(api).list_priority_class,
        client.DiscoveryV1Api(api).list_endpoint_slice_for_all_namespaces,
        core.list_pod_for_all_namespaces,
        core.list_node,
        core.list_namespace,
        core.list_service_for_all_namespaces,
        core.list_event_for_all_namespaces,
        core.list_service_account_for_all_namespaces,
    ]
    assert [each.__name__ for each in lists if not each().items] == []
    assert client.VersionApi(api).get_code().major == "1"


def test_of_two_who_want_a_lease_one_has_it(api: Any) -> None:
    leases = client.CoordinationV1Api(api)
    leases.create_namespaced_lease("default", {"metadata": {"name": "leader"}, "spec": {"holderIdentity": "a"}})
    seen = [leases.read_namespaced_lease("leader", "default") for _ in range(2)]
    seen[0].spec.holder_identity, seen[1].spec.holder_identity = "b", "c"
    taken = leases.replace_namespaced_lease("leader", "default", seen[0])
    with pytest.raises(ApiException) as refused:
        leases.replace_namespaced_lease("leader", "default", seen[1])
    assert refused.value.status == 409
    assert leases.read_namespaced_lease("leader", "default") == taken
    assert taken.spec.holder_identity == "b"
