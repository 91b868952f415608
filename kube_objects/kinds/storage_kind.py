"""The names under which kinds are stored, because kinds of several groups may have one name."""

from functools import lru_cache

from kube_objects.kinds.table import DESCRIBED, KINDS

# As long as a kind, a dot and a group may be.
LONGEST_KIND = 63 + 1 + 253
# Kubernetes' own groups, of those that have a dot, as those of definitions must have.
KUBERNETES_GROUPS = frozenset(
    (
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    )
)
OWN_GROUPS = KUBERNETES_GROUPS | {"playground.kube-scheduler"}


@lru_cache(1024)
def storage_kind(api_version: str, kind: str) -> str:
    """Return the kind; for custom groups with the group: `Gateway.networking.istio.io`.

    Kinds that moved between groups of Kubernetes, such as Deployment from `extensions`, share one name if controllers
    read them.
    """
    group, known = api_version.rpartition("/")[0], KINDS.get(kind)
    if is_custom(group) or (known is not None and api_version and group != known.group):
        return f"{kind}.{group or api_version}"
    return kind


def kind_of_uid(kind: str) -> str:
    """Return the kind from which the uid of an object without one is derived.

    It has no group, for compatibility with older clusters, unless scheduling or controllers read the kind.
    """
    alone = kind.partition(".")[0]
    return kind if alone in DESCRIBED else alone


def is_custom(group: str) -> bool:
    """Return whether the group is neither of Kubernetes nor of the playground."""
    return "." in group and group not in OWN_GROUPS
