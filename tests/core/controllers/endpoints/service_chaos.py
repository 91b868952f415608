"""Chaos runs of clusters with Services: finally EndpointSlices and Endpoints match every Pod."""

from collections.abc import Callable, Mapping
from typing import Any

from kube_controllers.endpoints.slices import MOST, SERVICE
from kube_controllers.pods import is_finished, is_ready, node_of
from kube_objects.manifests import Manifest, is_deleted, key, labels, name, spec, status
from tests.core.controllers.chaos import BUDGETED, DAEMON, DEPLOYMENT, STATEFUL, Storm

APPS = (DEPLOYMENT, BUDGETED, STATEFUL, DAEMON)


class OfServices(Storm):
    """Services that are created, deleted, and select other Pods."""

    def more(self) -> list[dict[str, Any]]:
        self.selected = {f"to-{app}": app for app in APPS}
        return [self.service(named) for named in self.selected]

    def service(self, named: str) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": named, "namespace": "default"},
            "spec": {"selector": {"app": self.selected[named]}, "ports": [{"port": 80, "targetPort": 8080}]},
        }

    def blows(self) -> tuple[Callable[[], None], ...]:
        return (*super().blows(), self.select, self.come_or_go, self.steal)

    def select(self) -> None:
        named = self.draw.choice(list(self.selected))
        self.selected[named] = self.draw.choice(APPS)
        if self.objects().get("Service", f"default/{named}") is not None:
            self.apply({"kind": "update", "objects": [self.service(named)]})

    def come_or_go(self) -> None:
        named = self.draw.choice(list(self.selected))
        if self.objects().get("Service", f"default/{named}") is None:
            self.apply({"kind": "create", "objects": [self.service(named)]})
        else:
            self.delete("Service", named)

    def steal(self) -> None:
        """Delete a slice, as a client might."""
        slices = self.objects().of_kind("EndpointSlice")
        if slices:
            self.delete("EndpointSlice", name(self.draw.choice(slices)))

    def delete(self, kind: str, named: str) -> None:
        self.apply({"kind": "delete", "objects": [{"kind": kind, "name": named, "namespace": "default"}]})

    def check_converged(self) -> None:
        super().check_converged()
        for kind in ("EndpointSlice", "Endpoints"):
            for one in self.objects().of_kind(kind):
                of = labels(one).get(SERVICE) if kind == "EndpointSlice" else name(one)
                if self.objects().get("Service", f"default/{of}") is None:
                    self.broken.append(f"{kind} {name(one)} has no service")
        for service in self.objects().of_kind("Service"):
            self._check_service(service)

    def _check_service(self, service: Manifest) -> None:
        app = spec(service)["selector"]["app"]
        pods = [pod for pod in self.pods_of(app) if status(pod).get("podIP") and not is_finished(pod)]
        slices = [one for one in self.objects().of_kind("EndpointSlice") if labels(one)[SERVICE] == name(service)]
        found = [each for one in slices for each in one.get("endpoints") or ()]
        told = sorted(_of_endpoint(each) for each in found)
        if not slices or told != sorted(_of_pod(pod) for pod in pods):
            self.broken.append(f"slices of {name(service)} say {told}")
        if any(len(one.get("endpoints") or ()) > MOST for one in slices):
            self.broken.append(f"a slice of {name(service)} is too large")
        endpoints = self.objects().get("Endpoints", key(service)) or {}
        ready = sorted(each["ip"] for one in endpoints.get("subsets", ()) for each in one.get("addresses", ()))
        if ready != sorted(each["addresses"][0] for each in found if each["conditions"]["ready"]):
            self.broken.append(f"Endpoints of {name(service)} say {ready}")


def _of_endpoint(given: Mapping[str, Any]) -> tuple[Any, ...]:
    conditions = given["conditions"]
    return *given["addresses"], given["targetRef"]["uid"], given["nodeName"], *map(bool, conditions.values())


def _of_pod(pod: Manifest) -> tuple[Any, ...]:
    serving, terminating = is_ready(pod), is_deleted(pod)
    at = status(pod)["podIP"]
    return at, pod["metadata"]["uid"], node_of(pod), serving and not terminating, serving, terminating
