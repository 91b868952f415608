"""The policy of the descheduler, in upstream's format. Source: descheduler/pkg/api/v1alpha2."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kube_objects.manifests import Manifest, annotations

INTERVAL = "playground.kube-scheduler/interval-seconds"
# The strategies of a policy without plugins. Source: kubernetes/base/configmap.yaml.
DEFAULT: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("RemovePodsViolatingInterPodAntiAffinity", {}),
    ("RemoveDuplicates", {}),
    (
        "LowNodeUtilization",
        {
            "thresholds": {"cpu": 20, "memory": 20, "pods": 20},
            "targetThresholds": {"cpu": 50, "memory": 50, "pods": 50},
        },
    ),
)


class DeschedulerPolicy(NamedTuple):
    """A policy's strategies and limits.

    `strategies` are names and arguments, in the order in which they run; `evictor` are the arguments of DefaultEvictor.
    """

    strategies: Sequence[tuple[str, Mapping[str, Any]]]
    evictor: Mapping[str, Any]
    per_node: int | None
    per_namespace: int | None
    in_all: int | None
    interval: float | None


def read_policy(obj: Manifest, known: Sequence[str]) -> DeschedulerPolicy:
    """Return the policy of an object. Raise ValueError for an unknown strategy, and for v1alpha1."""
    if obj.get("strategies") and not obj.get("profiles"):
        raise ValueError("the policy lists strategies as descheduler/v1alpha1 did; write profiles of v1alpha2")
    strategies: list[tuple[str, Mapping[str, Any]]] = []
    evictor: dict[str, Any] = {}
    for profile in obj.get("profiles") or ():
        arguments = {config.get("name"): config.get("args") or {} for config in profile.get("pluginConfig") or ()}
        evictor |= arguments.get("DefaultEvictor", {})
        plugins = profile.get("plugins") or {}
        for point in ("deschedule", "balance"):
            for name in (plugins.get(point) or {}).get("enabled") or ():
                if name not in known:
                    raise ValueError(f"{name!r} is no strategy; there are {', '.join(known)}")
                strategies.append((name, arguments.get(name, {})))
    interval = annotations(obj).get(INTERVAL)
    return DeschedulerPolicy(
        strategies or DEFAULT,
        evictor,
        obj.get("maxNoOfPodsToEvictPerNode"),
        obj.get("maxNoOfPodsToEvictPerNamespace"),
        obj.get("maxNoOfPodsToEvictTotal"),
        None if interval is None else max(float(interval), 1.0),
    )
