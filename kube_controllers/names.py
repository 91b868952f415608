"""The names of all controllers, in the order in which they receive events.

This module imports no controller, so that a command without controllers starts fast. `table` has their factories.
"""

from collections.abc import Collection

CONTROLLERS = (
    "deployment",
    "replicaset",
    "replicationcontroller",
    "statefulset",
    "daemonset",
    "cronjob",
    "job",
    "horizontal-pod-autoscaler",
    "cluster-autoscaler",
    "descheduler",
    "arrivals",
    "disruption",
    "taint-eviction",
    "garbage-collector",
    "garbage-collector-of-others",
    "ttl-after-finished",
    "namespace",
    "kubelet",
    "persistent-volume",
    "resource-claim",
    "pod-gc",
    "node-lifecycle",
    "endpoints",
    "endpointslice",
    "endpointslice-mirroring",
)

# Controllers that requeue themselves forever. A run until idle does not wait for them.
RECURRING = frozenset({"arrivals", "cronjob", "descheduler", "horizontal-pod-autoscaler", "resource-claim"})

# Controllers that act for Nodes. The UI shows them in a track of their own.
NODE_CONTROLLERS = frozenset({"cluster-autoscaler", "kubelet", "node-lifecycle", "pod-gc", "taint-eviction"})


def in_table_order(names: Collection[str]) -> tuple[str, ...]:
    """Return these names once each, in the order of CONTROLLERS."""
    return tuple(name for name in CONTROLLERS if name in names)
