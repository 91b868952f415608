"""Measure the CPU time of a repair by cluster size: `python -m tests.core.repair.repair_speed`."""

import argparse
import time
from collections.abc import Mapping
from typing import Any

from scheduler_core.edits.costs import Prices
from simulator.repair.finder import Finder, Limits
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.repair.random_clusters import POD, ZONE, Manifest, played

SIZES = ((100, 1_000), (1_000, 10_000), (5_000, 50_000))
HOST = "kubernetes.io/hostname"


def cluster(nodes: int, pods: int) -> list[Manifest]:
    """Return Nodes of three zones, a fifth of them tainted, nearly full; every Pod belongs to one of 20 apps."""
    found = []
    for i in range(nodes):
        node = make_node(f"n{i}").cpu("4").memory("16Gi").zone("abc"[i % 3]).label("disk", ("ssd", "hdd")[i % 2])
        found.append((node.taint("dedicated", "db") if i % 5 == 0 else node).manifest())
    for i in range(pods):
        pod = make_pod(f"p{i}").node(f"n{i % nodes}").label("app", f"app-{i % 20}").cpu("380m").memory("1Gi")
        found.append(pod.priority(10 * (i % 3)).manifest())
    return found


def waiting() -> Mapping[str, Any]:
    """Return the pending Pods by the reason that rejects them."""
    pod = lambda: make_pod("p").label("app", "p").cpu("100m").memory("100Mi")  # noqa: E731
    return {
        "a node selector that no node meets": pod().node_selector("disk", "nvme"),
        "a request that no node has free": pod().cpu("2"),
        "more than any node has": pod().cpu("6"),
        "anti-affinity against every zone": pod().anti_affinity(ZONE, {"app": "app-1"}),
        "a taint, and too little room": pod().node_selector("disk", "ssd").cpu("1").spread(HOST, {"app": "app-2"}, 1),
    }


def measured(simulation: Simulation) -> tuple[float | None, float, int]:
    """Return the seconds to the first repair and to the end of the list, and the number of repairs."""
    began, first, number = time.process_time(), None, 0
    for _ in Finder(simulation, POD, Prices(), time.process_time, Limits()).find():
        number += 1
        first = time.process_time() - began if first is None else first
    return first, time.process_time() - began, number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=SIZES[-1][0], help="nodes of the largest cluster")
    most = parser.parse_args().most
    print("| nodes, pods | what keeps the pod out | first repair | whole list |\n| --- | --- | --- | --- |")
    for nodes, pods in SIZES:
        if nodes > most:
            continue
        around = cluster(nodes, pods)
        for what, pod in waiting().items():
            first, whole, number = measured(played([*around, pod.manifest()]))
            told = "none" if first is None else f"{first:.2f} s"
            print(f"| {nodes:,}, {pods:,} | {what} | {told} | {number} in {whole:.2f} s |", flush=True)


if __name__ == "__main__":
    main()
