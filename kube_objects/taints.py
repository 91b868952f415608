"""Taints of nodes and tolerations of pods."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from kube_objects.selectors import GT, LT, compare

NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "PreferNoSchedule", "NoExecute"


@dataclass(slots=True, frozen=True)
class Taint:
    key: str
    value: str = ""
    effect: str = NO_SCHEDULE

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


@dataclass(slots=True, frozen=True)
class Toleration:
    """Source: k8s.io/api/core/v1/toleration.go."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    # tolerationSeconds: how long a NoExecute taint is tolerated, None is for ever. Nothing that scheduling reads.
    seconds: int | None = field(default=None, compare=False)


_CANONICAL = re.compile("0|-?[1-9][0-9]*")


class AnyTaint(Protocol):
    """A taint of a node or of a device."""

    @property
    def key(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def effect(self) -> str: ...


class AnyToleration(AnyTaint, Protocol):
    """A toleration of a pod or of a device request."""

    @property
    def operator(self) -> str: ...


def tolerates(toleration: AnyToleration, taint: AnyTaint, *, comparison_operators: bool = False) -> bool:
    """Return whether the toleration tolerates the taint.

    `comparison_operators` is the feature gate TaintTolerationComparisonOperators (v1.35 and later, off by default):
    without it the operators Gt and Lt tolerate nothing.
    Source: api/core/v1/toleration.go ToleratesTaint, dynamic-resource-allocation/resourceclaim ToleratesTaint.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    if toleration.operator == "Exists":
        return True
    return (
        comparison_operators
        and toleration.operator in (GT, LT)
        and all(_CANONICAL.fullmatch(value) for value in (taint.value, toleration.value))
        and compare(toleration.operator, taint.value, toleration.value)
    )


def as_taint(manifest: Mapping[str, Any]) -> Taint:
    """Return the taint of a valid manifest of a node."""
    return Taint(manifest.get("key") or "", manifest.get("value") or "", manifest.get("effect") or "")


def as_tolerations(manifests: Iterable[Mapping[str, Any]] | None) -> list[Toleration]:
    """Return the tolerations of a valid manifest of a pod."""
    return [
        Toleration(
            one.get("key") or "",
            one.get("operator") or "",
            one.get("value") or "",
            one.get("effect") or "",
            one.get("tolerationSeconds"),
        )
        for one in manifests or ()
    ]


def untolerated(tolerations: Iterable[Toleration], taints: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the manifests of the taints that none of the tolerations tolerates."""
    return [one for one in taints if not any(tolerates(toleration, as_taint(one)) for toleration in tolerations)]


def patience(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> float | None:
    """Return the seconds for which a Pod may stay: 0 to evict it at once, None to keep it forever.

    Source: pkg/controller/tainteviction/taint_eviction.go.
    """
    if not taints:
        return None
    used = tolerations_used(taints, tolerations)
    return 0.0 if used is None else min_toleration_time(used)


def tolerations_used(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> list[Toleration] | None:
    """Return the toleration of each taint; None if one has none. Source: GetMatchingTolerations."""
    used = []
    for taint in taints:
        match = next((toleration for toleration in tolerations if tolerates(toleration, taint)), None)
        if match is None:
            return None
        used.append(match)
    return used


def min_toleration_time(used: Sequence[Toleration]) -> float | None:
    """Return the shortest toleration time; None if all are unlimited. Source: getMinTolerationTime."""
    if not used:
        return 0.0
    limits = [max(float(toleration.seconds), 0.0) for toleration in used if toleration.seconds is not None]
    return min(limits, default=None)


# The taints that the node lifecycle controller adds to Nodes that are not ready.
NOT_READY = "node.kubernetes.io/not-ready"
CORDON_TAINT = Taint(key="node.kubernetes.io/unschedulable", effect=NO_SCHEDULE)
