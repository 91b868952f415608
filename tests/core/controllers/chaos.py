"""Chaos runs: seeded edits, failures, drains and evictions of a cluster with workloads, and the rules that must hold.

`python -m tests.core.controllers.chaos --seeds 1000` runs more of them than the suite does; `--of` chooses those of
`chaos_features.py`.
"""

import argparse
import copy
import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kube_controllers.daemon_set.nodes import target_of
from kube_controllers.deployment import util
from kube_controllers.names import CONTROLLERS
from kube_controllers.pods import is_active, is_finished, is_ready, node_of
from kube_objects.manifests import Manifest, is_deleted, labels, name, owners, spec, status, uid
from kube_objects.selectors import selects
from simulator.simulation import Record, Simulation
from simulator.simulation.commands.command import CommandError

NODES = 5
CALM_SECONDS = 1800
INTERRUPTED = 0.2  # of all runs
EVICTORS = ("cluster-autoscaler", "descheduler")
DEPLOYMENT, BUDGETED, STATEFUL, DAEMON = "rolling", "budgeted", "ordered", "everywhere"


def template(app: str, image: str = "app:1") -> dict[str, Any]:
    container = {"name": "main", "image": image, "resources": {"requests": {"cpu": "100m"}}}
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [container]}}


def workload(kind: str, named: str, **asked: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": named, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": named}}, "template": template(named), **asked},
    }


def node(at: int) -> dict[str, Any]:
    allocatable = {"cpu": "4", "memory": "8Gi", "pods": "30"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"node-{at}"},
        "status": {"allocatable": allocatable},
    }


def in_millicores(amount: str) -> int:
    return int(amount[:-1]) if amount.endswith("m") else 1000 * int(amount)


def cpu_of(pod: Manifest) -> int:
    """Return the CPU that a Pod requests, 0 if it has finished."""
    return 0 if is_finished(pod) else in_millicores(spec(pod)["containers"][0]["resources"]["requests"]["cpu"])


class Storm:
    """One seeded run. `broken` lists the violated rules with their time."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.interrupts = random.Random(f"interrupts {seed}")
        self.simulation = Simulation.create(seed=seed, actors=tuple(CONTROLLERS), record_steps=False)
        surge, unavailable = self.draw.choice([(1, 0), (0, 1), ("25%", "25%"), (2, 1), ("50%", "50%")])
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
        self.wanted: dict[str, dict[str, Any]] = {
            DEPLOYMENT: workload("Deployment", DEPLOYMENT, replicas=self.draw.randint(1, 6), strategy=rolling),
            BUDGETED: workload("Deployment", BUDGETED, replicas=4),
            STATEFUL: workload("StatefulSet", STATEFUL, replicas=self.draw.randint(1, 3)),
            DAEMON: workload("DaemonSet", DAEMON),
        }
        self.least = self.draw.randint(1, 3)
        budget = {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": BUDGETED, "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": BUDGETED}}, "minAvailable": self.least},
        }
        self.records: list[str] = []
        self.broken: list[str] = []
        self.scaled: set[str] = set()  # names of deployments whose replica sets are to share a change of theirs
        given = [*map(self.node, range(NODES)), budget, *copy.deepcopy([*self.wanted.values(), *self.more()])]
        self.apply({"kind": "create", "objects": given})
        self.run(60)

    def node(self, at: int) -> dict[str, Any]:
        return node(at)

    def more(self) -> list[dict[str, Any]]:
        """Return the objects besides Nodes, workloads and a PDB."""
        return []

    def blows(self) -> tuple[Callable[[], None], ...]:
        """Return the actions that a run chooses from."""
        return (self.edit, self.scale, self.drain, self.uncordon, self.evict, self.kill, self.fail, self.mend)

    def apply(self, command: Mapping[str, Any]) -> None:
        try:
            records: Iterator[Record] = self.simulation.apply(command)
            for record in records:
                self.records.append(json.dumps(record.data, sort_keys=True))
                self.check(record)
        except CommandError:
            return  # refused: a budget, or a node that is in that state already

    def run(self, seconds: float) -> None:
        """Advance time.

        Now and then the run is interrupted after a record and continues from a checkpoint, with the same bytes.
        """
        command = {"kind": "run", "until": {"seconds": seconds}}
        if self.interrupts.random() > INTERRUPTED:
            self.apply(command)
            return
        records, begins = self.simulation.apply(command), len(self.records)
        left, written = self.interrupts.randint(1, 12), None
        for record in records:
            self.records.append(json.dumps(record.data, sort_keys=True))
            self.check(record)
            left -= 1
            if not left:
                begins, written = len(self.records), self.simulation.checkpoint()
        if written is not None:
            other = Simulation.restore(written, record_steps=False)
            again = [json.dumps(record.data, sort_keys=True) for record in other.resume(command)]
            if again != self.records[begins:]:
                self.broken.append(f"{self.simulation.now}: a run that was interrupted goes on differently")

    # What must hold

    def objects(self) -> Any:
        life = self.simulation.cluster.controllers
        assert life is not None
        return life.manager.objects

    def pods_of(self, app: str) -> list[Manifest]:
        return [pod for pod in self.objects().of_kind("Pod") if labels(pod).get("app") == app]

    def check(self, record: Record) -> None:
        """Check after every record that the controllers respect their limits."""
        if record.data.get("actor") in EVICTORS:
            self.check_budget_of(any(self.is_evicted(write["key"]) for write in record.data.get("writes", ())))
        if record.data.get("actor") == "deployment" and "reason" in record.data:
            found = self.objects().get("Deployment", record.data["object"]["key"])
            if found is not None:
                self.check_limits(found, shared=name(found) in self.scaled)
                self.scaled.discard(name(found))

    def is_evicted(self, key: str) -> bool:
        pod = self.objects().get("Pod", key)
        return pod is not None and is_deleted(pod) and is_ready(pod) and labels(pod).get("app") == BUDGETED

    def check_limits(self, deployment: Manifest, shared: bool) -> None:
        """Check a rollout's bounds. `shared`: a user scaled it, so ReplicaSets share the difference."""
        replica_sets = self.objects().owned(deployment, "ReplicaSet")
        wanted, most = util.replicas(deployment), util.replicas(deployment) + util.max_surge(deployment)
        told = f"{self.simulation.now}: {name(deployment)}"
        new = util.find_new(deployment, replica_sets)
        # A scale-down of the deployment itself is shared out in the same reconcile, so that the sum is right after it.
        if util.total_replicas(replica_sets) > max(most, wanted):
            self.broken.append(f"{told} asks for {util.total_replicas(replica_sets)} pods, at most {most}")
        if new is None or shared or not util.is_rolling(deployment):
            return
        available = util.sum_status(replica_sets, "availableReplicas")
        asked = sum(min(util.replicas(one), util.status_number(one, "availableReplicas")) for one in replica_sets)
        least = util.min_available(deployment)
        if asked < least <= available:
            self.broken.append(f"{told} keeps {asked} of {available} available pods, at least {least}")

    def check_budget_of(self, evicted: bool) -> None:
        """Check that an allowed eviction left as many healthy Pods as the PDB requires."""
        healthy = sum(is_ready(pod) and is_active(pod) for pod in self.pods_of(BUDGETED))
        if evicted and healthy < self.least:
            self.broken.append(
                f"{self.simulation.now}: {healthy} healthy pods after an eviction, at least {self.least}"
            )

    # What happens

    def blow(self) -> None:
        """Take one random action, and let some time pass."""
        self.draw.choice(self.blows())()
        self.run(self.draw.choice((0.5, 2, 7, 40)))

    def edit(self) -> None:
        found = self.draw.choice(list(self.wanted.values()))
        found["spec"]["template"] = template(found["metadata"]["name"], f"app:{self.draw.randint(1, 4)}")
        self.apply({"kind": "update", "objects": [copy.deepcopy(found)]})

    def scale(self) -> None:
        found = self.wanted[self.draw.choice((DEPLOYMENT, STATEFUL))]
        found["spec"]["replicas"] = self.draw.randint(0, 6)
        self.scaled.add(found["metadata"]["name"])
        self.apply({"kind": "update", "objects": [copy.deepcopy(found)]})

    def _node(self) -> str:
        return f"node-{self.draw.randrange(NODES)}"

    def drain(self) -> None:
        before = {uid(pod) for pod in self.pods_of(BUDGETED) if is_active(pod)}
        self.apply({"kind": "drain", "node": self._node()})
        after = {uid(pod) for pod in self.pods_of(BUDGETED) if is_active(pod)}
        self.check_budget_of(bool(before - after))

    def uncordon(self) -> None:
        self.apply({"kind": "uncordon", "node": self._node()})

    def evict(self) -> None:
        pods = [pod for pod in self.pods_of(BUDGETED) if is_active(pod)]
        if pods:
            chosen = self.draw.choice(pods)
            self.apply({"kind": "evict", "pod": f"default/{name(chosen)}"})
            left = {uid(pod) for pod in self.pods_of(BUDGETED) if is_active(pod)}
            self.check_budget_of(uid(chosen) not in left and is_ready(chosen))

    def kill(self) -> None:
        pods = self.objects().of_kind("Pod")
        if pods:
            chosen = self.draw.choice(pods)
            self.apply({"kind": "delete", "objects": [{"kind": "Pod", "name": name(chosen), "namespace": "default"}]})

    def fail(self) -> None:
        self.apply({"kind": "fail_node", "node": self._node()})

    def mend(self) -> None:
        self.apply({"kind": "recover_node", "node": self._node()})

    # The end

    def calm(self) -> None:
        """Recover all Nodes, and let a long time pass."""
        for at in range(NODES):
            self.apply({"kind": "uncordon", "node": f"node-{at}"})
            self.apply({"kind": "recover_node", "node": f"node-{at}"})
        self.run(CALM_SECONDS)
        self.check_converged()

    def daemons(self) -> int:
        """Return how many Nodes a DaemonSet's Pods can run on."""
        return NODES

    def is_right(self, pod: Manifest) -> bool:
        """Return True for a ready Pod, and for a daemon whose Node other Pods filled before it."""
        return is_ready(pod) or (not node_of(pod) and labels(pod).get("app") == DAEMON and self.is_full(target_of(pod)))

    def is_full(self, node: str) -> bool:
        """Return True if no Pod of a DaemonSet would fit on the Node."""
        left = in_millicores(self.objects().get("Node", node)["status"]["allocatable"]["cpu"])
        return left - sum(map(cpu_of, self.objects().pods_on(node))) < cpu_of({"spec": template(DAEMON)["spec"]})

    def check_converged(self) -> None:
        for named, given in self.wanted.items():
            wanted = self.daemons() if given["kind"] == "DaemonSet" else given["spec"]["replicas"]
            image = given["spec"]["template"]["spec"]["containers"][0]["image"]
            pods = [pod for pod in self.pods_of(named) if is_active(pod)]
            right = [pod for pod in pods if self.is_right(pod) and spec(pod)["containers"][0]["image"] == image]
            if len(pods) != wanted or len(right) != wanted:
                self.broken.append(f"{named}: {len(right)} of {len(pods)} pods are as wanted, there should be {wanted}")
        known = {uid(obj) for obj in self.objects().all()}
        for obj in self.objects().all():
            if owners(obj) and not any(owner["uid"] in known for owner in owners(obj)):
                self.broken.append(f"{name(obj)} is left without an owner")
            if is_deleted(obj):
                self.broken.append(f"{name(obj)} is still being deleted")
        if not selects(
            self.objects().get("PodDisruptionBudget", f"default/{BUDGETED}")["spec"]["selector"], {"app": BUDGETED}
        ):
            self.broken.append("the budget selects nothing")
        for one in self.objects().of_kind("Deployment"):
            if not util.is_complete(one, status(one)):
                self.broken.append(f"{name(one)} is not complete: {status(one)}")


def play(seed: int, blows: int, of: type[Storm] = Storm) -> Storm:
    storm = of(seed)
    for _ in range(blows):
        storm.blow()
    storm.calm()
    return storm


def main() -> int:
    from tests.core.controllers.chaos_features import GALES  # they are storms, too

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--blows", type=int, default=12)
    parser.add_argument("--of", choices=("workloads", *GALES), default="workloads")
    arguments = parser.parse_args()
    failed = records = 0
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        storm = play(seed, arguments.blows, GALES.get(arguments.of, Storm))
        records += len(storm.records)
        if storm.broken:
            failed += 1
            print(f"seed {seed}: {storm.broken[0]} (and {len(storm.broken) - 1} more)", flush=True)
    print(f"{arguments.seeds} storms, {records} records: {arguments.seeds - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
