"""Chaos runs of autoscalers, node groups, a descheduler, arrivals and lost Nodes.

Each has the workloads, failures and rules of `chaos.py`, and its own besides.
"""

import copy
import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from kube_controllers.cluster_autoscaler.node_groups import GROUP_LABEL
from kube_controllers.descheduler.policy import INTERVAL
from kube_controllers.horizontal_pod_autoscaler.load import PREFIX
from kube_controllers.kubelet import KUBELET, STOPPED, with_kubelet
from kube_controllers.node_lifecycle import node_conditions as rules
from kube_controllers.node_lifecycle.zones import SECONDS, zone_of
from kube_controllers.pods import is_active, is_finished, is_ready
from kube_objects.manifests import (
    Manifest,
    annotations,
    conditions,
    key,
    labels,
    name,
    number,
    parse_time,
    spec,
    with_meta,
)
from simulator.simulation import Record
from tests.core.controllers.chaos import NODES, Storm, node, template, workload
from tests.core.controllers.endpoints.service_chaos import OfServices

PLAYGROUND = "playground.kube-scheduler/v1"
SCALED, GROWING, LOAD = "scaled", "growing", "load"
EVICTING = (rules.NOT_READY, rules.UNREACHABLE)
ARRIVED = "playground.kube-scheduler/arrivals"


class OfLoad(Storm):
    """A HorizontalPodAutoscaler, its load and its bounds.

    It never leaves the bounds, and ends with what the load needs.
    """

    least_replicas, most_replicas, load = 1, 8, 200  # of CPU, in millicores; each pod of 100m is to use half of it

    def scaler(self) -> dict[str, Any]:
        target = {"type": "Utilization", "averageUtilization": 50}
        return {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": SCALED, "namespace": "default", "annotations": {f"{PREFIX}cpu": f"0={self.load}m"}},
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": SCALED},
                "minReplicas": self.least_replicas,
                "maxReplicas": self.most_replicas,
                "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
            },
        }

    def more(self) -> list[dict[str, Any]]:
        return [workload("Deployment", SCALED, replicas=2), self.scaler()]

    def blows(self) -> tuple[Callable[[], None], ...]:
        return (*super().blows(), self.reload, self.reload, self.bound)

    def reload(self) -> None:
        self.load = self.draw.choice((0, 60, 150, 260, 390, 700))
        self.apply({"kind": "update", "objects": [self.scaler()]})

    def bound(self) -> None:
        self.least_replicas = self.draw.randint(1, 3)
        self.most_replicas = self.draw.randint(3, 9)
        self.apply({"kind": "update", "objects": [self.scaler()]})

    def check(self, record: Record) -> None:
        super().check(record)
        writes = record.data.get("writes", ())
        if record.data.get("actor") == "horizontal-pod-autoscaler" and any(
            one["kind"] == "Deployment" for one in writes
        ):
            replicas = spec(self.objects().get("Deployment", f"default/{SCALED}"))["replicas"]
            if not self.least_replicas <= replicas <= self.most_replicas:
                self.broken.append(f"{self.simulation.now}: it asks for {replicas} replicas")

    def check_converged(self) -> None:
        super().check_converged()
        replicas = number(spec(self.objects().get("Deployment", f"default/{SCALED}")).get("replicas"), 1)
        pods = [pod for pod in self.pods_of(SCALED) if is_active(pod) and is_ready(pod)]
        needed = min(max(math.ceil(self.load / 50), self.least_replicas), self.most_replicas)
        # Within a tenth of what it should be nothing is done. Source: the tolerance of the replica calculator.
        is_near = abs(self.load / (50 * replicas) - 1) <= 0.1 if replicas else False
        if len(pods) != replicas or not (replicas == needed or is_near):
            self.broken.append(f"{len(pods)} of {replicas} replicas for a load of {self.load}m, which needs {needed}")


class OfNodeGroups(Storm):
    """A ClusterAutoscaler with two groups. It respects their sizes and all PDBs, and ends without an unneeded Node."""

    MOST: Mapping[str, int] = {"small": 4, "large": 3}
    CPU: Mapping[str, str] = {"small": "2", "large": "8"}

    def more(self) -> list[dict[str, Any]]:
        growing = workload("Deployment", GROWING, replicas=4)
        growing["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "900m"}}
        self.growing = growing
        asked = {"scaleDownUnneededSeconds": 60, "scaleDownDelayAfterAddSeconds": 60}
        scaler = {"apiVersion": PLAYGROUND, "kind": "ClusterAutoscaler", "metadata": {"name": "default"}, "spec": asked}
        return [growing, scaler, *map(self.group, self.MOST)]

    def group(self, named: str) -> dict[str, Any]:
        capacity = {"cpu": self.CPU[named], "memory": "16Gi", "pods": "30"}
        asked = {"maxSize": self.MOST[named], "provisionSeconds": 30, "template": {"status": {"capacity": capacity}}}
        return {"apiVersion": PLAYGROUND, "kind": "NodeGroup", "metadata": {"name": named}, "spec": asked}

    def blows(self) -> tuple[Callable[[], None], ...]:
        return (*super().blows(), self.grow, self.grow, self.lose)

    def grow(self) -> None:
        self._grow_to(self.draw.randint(0, 24))

    def _grow_to(self, replicas: int) -> None:
        self.growing["spec"]["replicas"] = replicas
        self.scaled.add(GROWING)
        self.apply({"kind": "update", "objects": [copy.deepcopy(self.growing)]})

    def nodes_of(self, group: str) -> list[Manifest]:
        return [one for one in self.objects().of_kind("Node") if labels(one).get(GROUP_LABEL) == group]

    def lose(self) -> None:
        found = [one for group in self.MOST for one in self.nodes_of(group)]
        if found:
            self.apply({"kind": "delete", "objects": [{"kind": "Node", "name": name(self.draw.choice(found))}]})

    def check(self, record: Record) -> None:
        super().check(record)
        if any(write["kind"] == "Node" for write in record.data.get("writes", ())):
            for group, most in self.MOST.items():
                if len(self.nodes_of(group)) > most:
                    self.broken.append(f"{self.simulation.now}: {len(self.nodes_of(group))} nodes in {group}")

    def check_converged(self) -> None:
        super().check_converged()
        wanted = self.growing["spec"]["replicas"]
        ready = [pod for pod in self.pods_of(GROWING) if is_active(pod) and is_ready(pod)]
        if len(ready) != wanted:
            self.broken.append(f"{len(ready)} of {wanted} pods that groups have room for are ready")
        self._grow_to(0)
        self.run(3600)
        left = [name(one) for group in self.MOST for one in self.nodes_of(group)]
        if left:
            self.broken.append(f"nodes {left} stay, which nobody needs")

    def daemons(self) -> int:
        return NODES + sum(len(self.nodes_of(group)) for group in self.MOST)


class OfDescheduler(Storm):
    """A descheduler that runs every minute. It respects all PDBs, and ends with all Pods as its policy wants them."""

    POLICY: Mapping[str, Any] = {
        "RemoveDuplicates": {},
        "LowNodeUtilization": {"thresholds": {"pods": 10}, "targetThresholds": {"pods": 20}},
        "RemovePodsViolatingNodeTaints": {},
        "PodLifeTime": {"maxPodLifeTimeSeconds": 300},
    }
    POINT: Mapping[str, str] = {"RemoveDuplicates": "balance", "LowNodeUtilization": "balance"}

    def policy(self) -> dict[str, Any]:
        chosen = self.draw.sample(sorted(self.POLICY), self.draw.randint(1, len(self.POLICY)))
        plugins: dict[str, Any] = {}
        for one in chosen:
            plugins.setdefault(self.POINT.get(one, "deschedule"), {"enabled": []})["enabled"].append(one)
        arguments = [{"name": one, "args": dict(self.POLICY[one])} for one in chosen]
        return {
            "apiVersion": "descheduler/v1alpha2",
            "kind": "DeschedulerPolicy",
            "metadata": {"name": "default", "annotations": {INTERVAL: "60"}},
            "profiles": [{"name": "all", "pluginConfig": arguments, "plugins": plugins}],
        }

    def more(self) -> list[dict[str, Any]]:
        return [self.policy()]

    def blows(self) -> tuple[Callable[[], None], ...]:
        return (*super().blows(), self.deschedule)

    def deschedule(self) -> None:
        self.apply({"kind": "update", "objects": [self.policy()]})

    def calm(self) -> None:
        self.run(300)
        self.apply({"kind": "delete", "objects": [{"kind": "DeschedulerPolicy", "name": "default"}]})
        super().calm()


class OfArrivals(Storm):
    """Pods and Jobs that arrive over time. As many arrive as requested, and all of them finish."""

    most = 20
    came = 0

    def arrivals(self) -> dict[str, Any]:
        self.most = self.draw.randint(5, 25)
        when = self.draw.choice(
            (
                {"poisson": {"perMinute": 30}},
                {"bursts": {"every": "1m", "count": 7, "over": "20s"}},
                {"curve": "0m=10 3m=60 6m=10", "period": "6m"},
            )
        )
        made = template(LOAD)
        made["metadata"]["annotations"] = {"playground.kube-scheduler/run-seconds": self.draw.choice(("~20", "5..40"))}
        what = {"template": made} if self.draw.random() < 0.7 else {"jobTemplate": {"spec": {"template": made}}}
        return {
            "apiVersion": PLAYGROUND,
            "kind": "Arrivals",
            "metadata": {"name": LOAD, "namespace": "default"},
            "spec": {**when, **what, "most": self.most, "after": f"{self.draw.randint(0, 9)}s"},
        }

    def more(self) -> list[dict[str, Any]]:
        return [self.arrivals()]

    def blows(self) -> tuple[Callable[[], None], ...]:
        return (*super().blows(), self.change, self.begin_anew)

    def change(self) -> None:
        self.came = 0
        self.apply({"kind": "update", "objects": [self.arrivals()]})

    def begin_anew(self) -> None:
        self.apply({"kind": "delete", "objects": [{"kind": "Arrivals", "name": LOAD, "namespace": "default"}]})
        self.came = 0
        self.apply({"kind": "create", "objects": [self.arrivals()]})

    def check(self, record: Record) -> None:
        super().check(record)
        if record.data.get("actor") == "arrivals":
            self.came += 1
            if self.came > self.most:
                self.broken.append(f"{self.simulation.now}: arrival {self.came} of at most {self.most}")

    def check_converged(self) -> None:
        super().check_converged()
        if self.came != self.most:
            self.broken.append(f"{self.came} of {self.most} came")
        alive = [name(pod) for pod in self.pods_of(LOAD) if not is_finished(pod)]
        if alive:
            self.broken.append(f"{alive} still run")


class OfNodes(Storm):
    """Kubelets that stop reporting, and conditions that change.

    Taints follow, and a zone's Nodes are emptied one by one.
    """

    def __init__(self, seed: int) -> None:
        self.turns: dict[str, float | None] = {}  # when the controller began to empty a node
        super().__init__(seed)

    def node(self, at: int) -> dict[str, Any]:
        made = node(at)
        zone = f"zone-{at % 2}"
        made["metadata"]["labels"] = {"topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": "region"}
        return made

    def blows(self) -> tuple[Callable[[], None], ...]:
        return (*super().blows(), self.silence, self.silence, self.speak, self.press)

    def _live(self) -> Manifest:
        found: Manifest = self.objects().get("Node", self._node())
        return found

    def _write(self, changed: Manifest) -> None:
        self.apply({"kind": "update", "objects": [changed]})

    def silence(self) -> None:
        live = self._live()
        self._write(with_meta(live, annotations={**annotations(live), KUBELET: STOPPED}))

    def speak(self) -> None:
        self._write(with_kubelet(self._live()))

    def press(self) -> None:
        live, told = self._live(), self.draw.choice(("True", "False"))
        kept = [one for one in conditions(live) if one["type"] != "MemoryPressure"]
        self._write(
            {**live, "status": rules.with_conditions(live, [*kept, {"type": "MemoryPressure", "status": told}])}
        )

    def check(self, record: Record) -> None:
        super().check(record)
        self.note_turns()
        if record.data.get("actor") != "node-lifecycle":
            return
        live = self.objects().get("Node", record.data["object"]["key"])
        if live is not None and not rules.is_new(live):
            wanted = sorted(one["key"] for one in rules.with_schedule_taints(live, 0.0))
            if sorted(one["key"] for one in rules.taints_of(live)) != wanted:
                self.broken.append(f"{self.simulation.now}: {key(live)} has taints that its conditions do not have")
        self.check_pace()

    def note_turns(self) -> None:
        """Record when the controller gave a Node an evicting taint.

        A taint that replaces the other one isn't recorded, nor one that the command `fail_node` caused.
        """
        for one in self.objects().of_kind("Node"):
            taints = [taint for taint in rules.taints_of(one) if taint["effect"] == rules.NO_EXECUTE]
            given = [(taint["key"], taint.get("timeAdded")) for taint in taints if taint["key"] in EVICTING]
            if not given:
                self.turns.pop(name(one), None)
            elif name(one) not in self.turns:
                of, at = given[0]
                self.turns[name(one)] = parse_time(at) if of == rules.UNREACHABLE else None

    def check_pace(self) -> None:
        """Check the time between the evicting taints of two Nodes of a zone."""
        times: dict[Any, list[float]] = {}
        for one in self.objects().of_kind("Node"):
            at = self.turns.get(name(one))
            if at is not None:
                times.setdefault(zone_of(one), []).append(at)
        for zone, found in times.items():
            found.sort()
            if any(later - before < SECONDS - 1 for before, later in pairwise(found)):
                self.broken.append(f"{self.simulation.now}: the nodes of {zone} are emptied at {found}")

    def calm(self) -> None:
        for at in range(NODES):
            live = self.objects().get("Node", f"node-{at}")
            kept = [one for one in conditions(live) if one["type"] != "MemoryPressure"]
            self._write({**with_kubelet(live), "status": rules.with_conditions(live, kept)})
        super().calm()

    def check_converged(self) -> None:
        super().check_converged()
        for one in self.objects().of_kind("Node"):
            if rules.taints_of(one):
                self.broken.append(f"{name(one)} is well and has taints: {rules.taints_of(one)}")


GALES: Mapping[str, type[Storm]] = {
    "load": OfLoad,
    "node-groups": OfNodeGroups,
    "descheduler": OfDescheduler,
    "arrivals": OfArrivals,
    "nodes": OfNodes,
    "services": OfServices,
}
