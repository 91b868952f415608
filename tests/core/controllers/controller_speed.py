"""Measure clusters with controllers: `python -m tests.core.controllers.controller_speed PART …`.

PARTs are estimate, rollout, arrivals and idle.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kube_controllers.cluster_autoscaler.estimator import estimate
from kube_controllers.names import CONTROLLERS
from simulator.collector import look_seldom
from simulator.simulation import Simulation
from tests.core.controllers.chaos import template, workload
from tests.core.controllers.test_cluster_autoscaler_tables import node, pods_of, snapshot


def benchmark_groups(part: int) -> list[list[dict[str, Any]]]:
    """Return the Pods of upstream's BenchmarkBinpackingEstimate, or a part of them."""
    groups = []
    for cpu, memory, count in ((50, 100, 50000 // part), (95, 190, 1000 // part)):
        requests = {"cpu": f"{cpu}m", "memory": str(memory)}
        asked = {"containers": [{"name": "main", "image": "i", "resources": {"requests": requests}}]}
        groups.append(pods_of(asked, count, f"of-{cpu}"))
    return groups


def estimated(part: int = 1) -> tuple[int, int]:
    """Return the number of Nodes and Pods of the estimate: 2,595 and 51,000 for the whole benchmark."""
    found = estimate(benchmark_groups(part), node("template", 1000, 5000 << 20, pods=100), snapshot(), 3000)
    return found.nodes, len(found.pods)


def cluster(nodes: int, objects: Iterable[Mapping[str, Any]]) -> Simulation:
    simulation = Simulation.create(seed=0, actors=tuple(CONTROLLERS), record_steps=False)
    has = {"cpu": "32", "memory": "128Gi", "pods": "110"}
    made = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n-{at}"}, "status": {"allocatable": has}}
        for at in range(nodes)
    ]
    _play(simulation, {"kind": "create", "objects": [*made, *objects]})
    return simulation


def _play(simulation: Simulation, command: Mapping[str, Any]) -> int:
    return sum(1 for _ in simulation.apply(command))


def _run(simulation: Simulation, seconds: float) -> int:
    return _play(simulation, {"kind": "run", "until": {"seconds": seconds}})


def deployments(count: int, replicas: int, image: str = "app:1") -> list[dict[str, Any]]:
    found = []
    for at in range(count):
        made = workload("Deployment", f"app-{at}", replicas=replicas)
        made["spec"]["template"] = template(f"app-{at}", image)
        found.append(made)
    return found


def services(count: int) -> list[dict[str, Any]]:
    """Return one Service for each of so many Deployments."""
    return [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": f"app-{at}", "namespace": "default"},
            "spec": {"selector": {"app": f"app-{at}"}, "ports": [{"port": 80}]},
        }
        for at in range(count)
    ]


def _timed(what: str, work: Callable[[], Any]) -> None:
    before = time.process_time()
    answer = work()
    print(f"{what}: {answer}, {time.process_time() - before:.1f} s of CPU", flush=True)


def rollout(count: int, replicas: int, nodes: int, of_them: int = 0) -> None:
    """Measure a rollout. `of_them` is the number of Deployments with a Service."""
    simulation = cluster(nodes, [*services(of_them), *deployments(count, replicas)])
    _timed("come up, records", lambda: _run(simulation, 60))
    changed = deployments(count, replicas, "app:2")
    _timed(
        f"{count} deployments of {replicas} pods roll over on {nodes} nodes, records",
        lambda: _play(simulation, {"kind": "update", "objects": changed}) + _run(simulation, 600),
    )


def idle(pods: int, nodes: int) -> None:
    simulation = cluster(nodes, deployments(pods // 50, 50))
    _timed(f"{pods} pods come up on {nodes} nodes, records", lambda: _run(simulation, 120))
    _timed("an hour in which nothing happens, records", lambda: _run(simulation, 3600))


def arrivals(minutes: int, a_minute: int, nodes: int) -> None:
    """Measure arrivals of Pods that request 100m and run for five minutes on average."""
    made = template("load")
    made["metadata"]["annotations"] = {"playground.kube-scheduler/run-seconds": "~300"}
    load = {
        "apiVersion": "playground.kube-scheduler/v1",
        "kind": "Arrivals",
        "metadata": {"name": "load"},
        "spec": {"poisson": {"perMinute": a_minute}, "template": made, "most": 200_000},
    }
    simulation = cluster(nodes, [load])
    _timed(
        f"{minutes} minutes of {a_minute} arrivals a minute on {nodes} nodes, records",
        lambda: _run(simulation, 60.0 * minutes),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=("estimate", "rollout", "arrivals", "idle"), nargs="?", default="estimate")
    parser.add_argument("--deployments", type=int, default=40)
    parser.add_argument("--replicas", type=int, default=50)
    parser.add_argument("--services", type=int, default=0, help="how many of the deployments have one")
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--a-minute", type=int, default=500)
    arguments = parser.parse_args()
    look_seldom()  # as the command line and the workers have it
    match arguments.case:
        case "rollout":
            rollout(arguments.deployments, arguments.replicas, arguments.nodes, arguments.services)
        case "arrivals":
            arrivals(arguments.minutes, arguments.a_minute, arguments.nodes)
        case "idle":
            idle(arguments.deployments * arguments.replicas, arguments.nodes)
        case _:
            _timed("upstream's BenchmarkBinpackingEstimate, nodes and pods", estimated)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
