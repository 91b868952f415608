"""The type of a document, by apiVersion and kind: a scheduler configuration, a simulator export, a kustomization.

Everything else is an object, whatever its content, because a ConfigMap may contain any `config.yaml`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

CONFIGURATION_KIND, POLICY_KIND = "KubeSchedulerConfiguration", "Policy"
CONFIGURATION_GROUP = "kubescheduler.config.k8s.io"
# The key of a ConfigMap in which v1.20 looked for a Policy, which need not say what it is there.
POLICY_KEY = "policy.cfg"
_POLICY_VERSIONS = ("", "v1", "componentconfig/v1alpha1", f"{CONFIGURATION_GROUP}/v1alpha1")
_POLICY_FIELDS = ("predicates", "priorities", "extenders", "hardPodAffinitySymmetricWeight", "alwaysCheckAllPredicates")
DESCHEDULER_POLICY = "DeschedulerPolicy"
_KUSTOMIZATION_GROUP = "kustomize.config.k8s.io"
# Source: kube-scheduler-simulator, simulator/snapshot ResourcesForSnap: field → apiVersion and kind of its items.
_SNAPSHOT = {
    "namespaces": ("v1", "Namespace"),
    "priorityClasses": ("scheduling.k8s.io/v1", "PriorityClass"),
    "storageClasses": ("storage.k8s.io/v1", "StorageClass"),
    "pvs": ("v1", "PersistentVolume"),
    "pvcs": ("v1", "PersistentVolumeClaim"),
    "nodes": ("v1", "Node"),
    "pods": ("v1", "Pod"),
}
SNAPSHOT_CONFIGURATION = "schedulerConfig"


@dataclass(slots=True)
class Held:
    """A scheduler's configuration that was found in a text.

    `text` is it alone, and starts after `offset` lines of the text that it was found in (None if that cannot be said).
    `path` and `key` say where in a document it stood, "" for the document itself; `name` is the ConfigMap's.
    """

    text: str
    document: int
    path: str = ""
    name: str = ""
    file: str = ""
    offset: int | None = 0

    @property
    def where(self) -> str:
        """Return the place of the configuration for messages."""
        place = f"ConfigMap {self.name}, {self.path}" if self.name else f"document {self.document}"
        return ", ".join(part for part in (self.file, place) if part)


def is_configuration(value: Any) -> bool:
    """Return whether a document is a KubeSchedulerConfiguration of any version, or a Policy of kube-scheduler."""
    if not isinstance(value, Mapping):
        return False
    kind, api_version = value.get("kind"), value.get("apiVersion") or ""
    if kind == CONFIGURATION_KIND:
        return True
    return kind == POLICY_KIND and isinstance(api_version, str) and api_version in _POLICY_VERSIONS


def is_bare_policy(value: Any) -> bool:
    """Return whether a document is a Policy without kind, as v1.20 reads it from a file or from `policy.cfg`."""
    return isinstance(value, Mapping) and "kind" not in value and any(name in value for name in _POLICY_FIELDS)


def is_descheduler_policy(value: Any) -> bool:
    """Return whether a document is the descheduler's policy, which needs no name: it is a file, no object."""
    if not isinstance(value, Mapping) or value.get("kind") != DESCHEDULER_POLICY:
        return False
    return str(value.get("apiVersion") or "").partition("/")[0] == "descheduler"


def is_kustomization(value: Any) -> bool:
    if not isinstance(value, Mapping) or value.get("kind") not in ("Kustomization", "Component"):
        return False
    return str(value.get("apiVersion") or "").partition("/")[0] == _KUSTOMIZATION_GROUP


def is_snapshot(value: Mapping[str, Any]) -> bool:
    """Return whether a document is an export of kube-scheduler-simulator: named lists without a kind."""
    if "kind" in value or "apiVersion" in value or not ("nodes" in value or "pods" in value):
        return False
    return all(
        isinstance(value[name], list | None) if name in _SNAPSHOT else name == SNAPSHOT_CONFIGURATION for name in value
    )


def snapshot_lists(value: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str], list[Any]]]:
    """Return the lists of such an export: name, apiVersion and kind of the items, items."""
    for name, item_type in _SNAPSHOT.items():
        yield name, item_type, value.get(name) or []
