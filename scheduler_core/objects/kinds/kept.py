"""By which kind an object is kept: kinds of clients may have the names of built-in ones."""

from functools import lru_cache

from scheduler_core.objects.kinds.table import DESCRIBED, KINDS


@lru_cache(1024)
def kept_kind(api_version: str, kind: str) -> str:
    """The kind, with its group behind it where it must not be taken for ours: Volcano's is `Job.batch.volcano.sh`.

    Deployments were in `extensions` once: what controllers read is theirs in every group of Kubernetes.
    """
    group, known = api_version.rpartition("/")[0], DESCRIBED.get(kind)
    if known is None or not api_version or group == known.group or (kind not in KINDS and not is_custom(group)):
        return kind
    return f"{kind}.{group or api_version}"


def is_custom(group: str) -> bool:
    """Whether it is none of Kubernetes' own."""
    return "." in group and not group.endswith(".k8s.io")
