"""Feature gates in files: what kind and kubeadm give to kube-scheduler when they make a cluster.

A KubeSchedulerConfiguration has no field for them; kubeadm's own `featureGates`, and the kubelet's, are for others.
Source: kind pkg/apis/config/v1alpha4, kubeadm.k8s.io v1beta3 and v1beta4 ClusterConfiguration.
"""

from collections.abc import Mapping
from typing import Any

FLAG = "feature-gates"
FIELD = "featureGates"
_KIND = ("kind.x-k8s.io", "Cluster")
_KUBEADM = ("kubeadm.k8s.io", "ClusterConfiguration")


def gates_in(document: Mapping[str, Any]) -> str:
    """Return the value for `--feature-gates` in such a document; "" for other documents and for none."""
    group, kind = str(document.get("apiVersion") or "").partition("/")[0], document.get("kind")
    if (group, kind) == _KIND:
        gates = document.get(FIELD)
        return _joined(gates) if isinstance(gates, Mapping) else ""
    if (group, kind) == _KUBEADM:
        scheduler = document.get("scheduler")
        return _argument(scheduler.get("extraArgs")) if isinstance(scheduler, Mapping) else ""
    return ""


def _joined(given: Mapping[Any, Any]) -> str:
    return ",".join(f"{name}={str(on).lower() if isinstance(on, bool) else on}" for name, on in given.items())


def _argument(given: Any) -> str:
    """Return an argument: v1beta3 has a mapping, v1beta4 a list of names and values, the last of which counts."""
    if isinstance(given, Mapping):
        return str(given.get(FLAG) or "")
    pairs = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    found = [str(one.get("value") or "") for one in pairs if one.get("name") == FLAG]
    return found[-1] if found else ""
