"""`make_pod("web").cpu("500m").label("app", "web").node("n1").build()`."""

from collections.abc import Mapping
from typing import Any, Self

from kube_objects.parse import parse_pod
from kube_objects.parsers.affinity import PREFERRED, REQUIRED
from kube_objects.pod import Pod
from tests.conformance.testing.builder import ManifestBuilder

Selector = Mapping[str, str] | None


def make_pod(name: str, namespace: str = "default") -> "PodBuilder":
    """Return a builder of a pending pod with one container, by default without requests."""
    return PodBuilder(name, namespace)


class PodBuilder(ManifestBuilder):
    def __init__(self, name: str, namespace: str) -> None:
        super().__init__("v1", "Pod", name, namespace)
        self.spec(containers=[{"name": "main", "image": "app:v1"}])

    def build(self) -> Pod:
        return parse_pod(self.manifest())

    # What it asks for: of its first container, unless another is named.

    def request(self, resource: str, amount: str) -> Self:
        self._resources("requests")[resource] = amount
        return self

    def limit(self, resource: str, amount: str) -> Self:
        self._resources("limits")[resource] = amount
        return self

    def cpu(self, amount: str) -> Self:
        return self.request("cpu", amount)

    def memory(self, amount: str) -> Self:
        return self.request("memory", amount)

    def extended(self, resource: str, count: int) -> Self:
        """Request an extended resource, whose request must equal its limit."""
        return self.request(resource, str(count)).limit(resource, str(count))

    def image(self, image: str) -> Self:
        self._part("spec")["containers"][0]["image"] = image
        return self

    def host_port(self, port: int, protocol: str = "TCP", ip: str = "") -> Self:
        entry = {"containerPort": port, "hostPort": port, "protocol": protocol, "hostIP": ip}
        self._part("spec")["containers"][0].setdefault("ports", []).append(entry)
        return self

    def container(self, name: str, image: str = "app:v1", **requests: str) -> Self:
        return self._append("spec", "containers", _container(name, image, requests))

    def init_container(self, name: str, image: str = "app:v1", **requests: str) -> Self:
        return self._append("spec", "initContainers", _container(name, image, requests))

    def sidecar(self, name: str, image: str = "app:v1", **requests: str) -> Self:
        """Add an init container that keeps running."""
        container = {**_container(name, image, requests), "restartPolicy": "Always"}
        return self._append("spec", "initContainers", container)

    def overhead(self, **amounts: str) -> Self:
        return self.spec(overhead=dict(amounts))

    def pod_level(self, **requests: str) -> Self:
        return self.spec(resources={"requests": dict(requests)})

    # Where it may go.

    def node(self, name: str) -> Self:
        """Let the pod run on the node."""
        return self.spec(nodeName=name).status(phase="Running")

    def node_selector(self, key: str, value: str) -> Self:
        self._part("spec", "nodeSelector")[key] = value
        return self

    def node_affinity(self, key: str, operator: str, *values: str) -> Self:
        """Add a required term; terms are alternatives."""
        term = {"matchExpressions": [_expression(key, operator, values)]}
        terms = self._part("spec", "affinity", "nodeAffinity", REQUIRED).setdefault("nodeSelectorTerms", [])
        terms.append(term)
        return self

    def preferred_node(self, weight: int, key: str, operator: str, *values: str) -> Self:
        term = {"matchExpressions": [_expression(key, operator, values)]}
        return self._affinity("nodeAffinity", PREFERRED, {"weight": weight, "preference": term})

    def affinity(self, topology_key: str, selector: Selector, **more: Any) -> Self:
        """Require affinity to pods with all labels of `selector`; `more` as in YAML (namespaces=…)."""
        return self._affinity("podAffinity", REQUIRED, _pod_term(topology_key, selector, more))

    def anti_affinity(self, topology_key: str, selector: Selector, **more: Any) -> Self:
        return self._affinity("podAntiAffinity", REQUIRED, _pod_term(topology_key, selector, more))

    def preferred_affinity(self, weight: int, topology_key: str, selector: Selector, **more: Any) -> Self:
        term = {"weight": weight, "podAffinityTerm": _pod_term(topology_key, selector, more)}
        return self._affinity("podAffinity", PREFERRED, term)

    def preferred_anti_affinity(self, weight: int, topology_key: str, selector: Selector, **more: Any) -> Self:
        term = {"weight": weight, "podAffinityTerm": _pod_term(topology_key, selector, more)}
        return self._affinity("podAntiAffinity", PREFERRED, term)

    def toleration(self, key: str = "", value: str = "", effect: str = "", operator: str = "Equal") -> Self:
        entry = {"key": key, "operator": operator, "value": value, "effect": effect}
        return self._append("spec", "tolerations", entry)

    def for_seconds(self, seconds: int) -> Self:
        """Limit the last toleration to so many seconds."""
        self._part("spec")["tolerations"][-1]["tolerationSeconds"] = seconds
        return self

    def spread(
        self,
        topology_key: str,
        selector: Selector,
        max_skew: int = 1,
        when_unsatisfiable: str = "DoNotSchedule",
        **more: Any,
    ) -> Self:
        constraint = {
            "topologyKey": topology_key,
            "maxSkew": max_skew,
            "whenUnsatisfiable": when_unsatisfiable,
            **_label_selector(selector),
            **more,
        }
        return self._append("spec", "topologySpreadConstraints", constraint)

    def claim(self, claim_name: str) -> Self:
        """Add a volume of a PersistentVolumeClaim."""
        volume = {"name": claim_name, "persistentVolumeClaim": {"claimName": claim_name}}
        return self._append("spec", "volumes", volume)

    # When, and how it stands.

    def scheduler(self, name: str) -> Self:
        return self.spec(schedulerName=name)

    def priority(self, value: int) -> Self:
        return self.spec(priority=value)

    def never_preempts(self) -> Self:
        return self.spec(preemptionPolicy="Never")

    def gate(self, name: str) -> Self:
        return self._append("spec", "schedulingGates", {"name": name})

    def nominated(self, node_name: str) -> Self:
        return self.status(nominatedNodeName=node_name)

    def phase(self, phase: str) -> Self:
        return self.status(phase=phase)

    def started(self, time: str) -> Self:
        return self.status(startTime=time)

    def _resources(self, kind: str) -> dict[str, str]:
        resources: dict[str, dict[str, str]] = self._part("spec")["containers"][0].setdefault("resources", {})
        return resources.setdefault(kind, {})

    def _affinity(self, kind: str, strength: str, term: dict[str, Any]) -> Self:
        self._part("spec", "affinity", kind).setdefault(strength, []).append(term)
        return self


def _container(name: str, image: str, requests: Mapping[str, str]) -> dict[str, Any]:
    return {"name": name, "image": image, "resources": {"requests": dict(requests)}}


def _expression(key: str, operator: str, values: tuple[str, ...]) -> dict[str, Any]:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def _pod_term(topology_key: str, selector: Selector, more: Mapping[str, Any]) -> dict[str, Any]:
    return {"topologyKey": topology_key, **_label_selector(selector), **more}


def _label_selector(selector: Selector) -> dict[str, Any]:
    """Return a label selector. None: no selector at all; empty: one that selects everything."""
    return {} if selector is None else {"labelSelector": {"matchLabels": dict(selector)} if selector else {}}
