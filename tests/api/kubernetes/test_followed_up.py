"""What a server's own controllers write behind a client's write. As kube-apiserver v1.36.2."""

from typing import Any

from tests.api.kubernetes.test_admitting import DEFAULT, MERGE
from tests.api.kubernetes.test_admitting import kube as kube
from tests.api.kubernetes.test_kubernetes import Kubernetes

ADDRESSES = "apis/networking.k8s.io/v1/ipaddresses"
SERVICES = "apis/apiregistration.k8s.io/v1/apiservices"
SLICES = "apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
SERVICE: dict[str, Any] = {"metadata": {"name": "s"}, "spec": {"clusterIP": "10.96.0.77", "ports": [{"port": 80}]}}


def test_each_address_of_a_service_is_an_object(kube: Kubernetes) -> None:
    names = lambda: [each["metadata"]["name"] for each in kube("GET", ADDRESSES)["items"]]  # noqa: E731
    kube("POST", f"{DEFAULT}/services", {"metadata": {"name": "none"}, "spec": {"clusterIP": "None"}}, status=201)
    made = kube("POST", f"{DEFAULT}/services", SERVICE, status=201)
    assert names() == ["10.96.0.1", "10.96.0.77"]
    found = kube("GET", f"{ADDRESSES}/10.96.0.77")
    assert found["spec"] == {"parentRef": {"resource": "services", "namespace": "default", "name": "s"}}
    assert found["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]
    kube("DELETE", f"{ADDRESSES}/10.96.0.77")
    assert "10.96.0.77" in names()
    kube("DELETE", f"{DEFAULT}/services/s")
    assert names() == ["10.96.0.1"]
    # Who has it by himself keeps it from Services.
    parent = {"parentRef": {"resource": "services", "namespace": "default", "name": "other"}}
    kube("POST", ADDRESSES, {"metadata": {"name": "10.96.0.88"}, "spec": parent}, status=201)
    wanted = {"metadata": {"name": "s"}, "spec": {**SERVICE["spec"], "clusterIP": "10.96.0.88"}}
    message = kube("POST", f"{DEFAULT}/services", wanted, status=422)["message"]
    assert message.endswith("failed to allocate IP 10.96.0.88: provided IP is already allocated")
    kube("GET", f"{ADDRESSES}/10.96.0.77", status=404)


def test_an_api_service_says_whether_its_service_is_there(kube: Kubernetes) -> None:
    service = {"name": "s", "namespace": "default"}
    spec = {"group": "a.example.com", "version": "v1", "groupPriorityMinimum": 1, "versionPriority": 1}
    remote = {"metadata": {"name": "v1.a.example.com"}, "spec": {**spec, "service": service, "caBundle": "YQ=="}}
    local = {"metadata": {"name": "v1.b.example.com"}, "spec": {**spec, "group": "b.example.com"}}

    def reason() -> str:
        return kube("GET", f"{SERVICES}/v1.a.example.com")["status"]["conditions"][0]["reason"]

    assert kube("POST", SERVICES, local, status=201)["status"]["conditions"][0]["reason"] == "Local"
    assert kube("POST", SERVICES, remote, status=201)["status"] == {}
    assert reason() == "ServiceNotFound"
    kube("POST", f"{DEFAULT}/services", SERVICE, status=201)
    assert reason() == "ServicePortError"
    kube("PATCH", f"{DEFAULT}/services/s", {"spec": {"ports": [{"name": "x", "port": 443}]}}, kind=MERGE)
    assert reason() == "EndpointsNotFound"
    labels = {"kubernetes.io/service-name": "s"}
    made = {"metadata": {"name": "s-1", "labels": labels}, "addressType": "IPv4", "endpoints": [], "ports": []}
    kube("POST", SLICES, made, status=201)
    assert reason() == "MissingEndpoints"
    there = {"endpoints": [{"addresses": ["10.0.0.1"]}], "ports": [{"name": "x", "port": 443}]}
    kube("PATCH", f"{SLICES}/s-1", there, kind=MERGE)
    assert reason() == "FailedDiscoveryCheck"
    kube("DELETE", f"{DEFAULT}/services/s")
    assert reason() == "ServiceNotFound"


def test_a_class_of_attributes_waits_for_who_has_it(kube: Kubernetes) -> None:
    path = "apis/storage.k8s.io/v1/volumeattributesclasses"
    made = {"metadata": {"name": "gold"}, "driverName": "d", "parameters": {"a": "b"}}
    assert kube("POST", path, made, status=201)["metadata"]["finalizers"] == ["kubernetes.io/vac-protection"]
    kube("DELETE", f"{path}/gold")
    assert kube("GET", f"{path}/gold")["metadata"]["deletionTimestamp"]
    kube("PATCH", f"{path}/gold", {"metadata": {"finalizers": None}}, kind=MERGE)
    kube("GET", f"{path}/gold", status=404)
