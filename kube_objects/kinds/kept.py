"""By which kind an object is kept: kinds of several groups may have one name."""

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
def kept_kind(api_version: str, kind: str) -> str:
    """The kind; of a group that is none of Kubernetes' own with that behind it: `Gateway.networking.istio.io`.

    Deployments were in `extensions` once: what controllers read is theirs in every group of Kubernetes, what scheduling
    reads is not.
    """
    group, known = api_version.rpartition("/")[0], KINDS.get(kind)
    if is_custom(group) or (known is not None and api_version and group != known.group):
        return f"{kind}.{group or api_version}"
    return kind


def kind_of_uid(kind: str) -> str:
    """What the uid of an object that is kept by this kind, and brings none, is made of.

    It is the kind alone, as before groups were told apart; of what scheduling or controllers read they always were.
    """
    alone = kind.partition(".")[0]
    return kind if alone in DESCRIBED else alone


def is_custom(group: str) -> bool:
    """Whether it is none of Kubernetes' own, or ours."""
    return "." in group and group not in OWN_GROUPS
