"""Processing of a write before it is stored: the API server's checks, and fields that it drops.

Source: pkg/registry (strategies).
"""

from typing import Any, Protocol

from kube_objects.manifests import Manifest, kind, spec, status, with_spec

# Kinds whose status is written by a subresource alone.
_WITH_STATUS = frozenset(
    (
        "CronJob",
        "DaemonSet",
        "Deployment",
        "HorizontalPodAutoscaler",
        "Job",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Pod",
        "PodDisruptionBudget",
        "ReplicaSet",
        "ReplicationController",
        "ResourceQuota",
        "Service",
        "StatefulSet",
    )
)


class ApiServer(Protocol):
    """An API server that returns what it accepts of an object, or raises Refused.

    `strictness` concerns fields that the kind lacks: Strict, Warn, Ignore.
    """

    def knows(self, given: Manifest) -> bool:
        """Return True if every server has the object's kind."""
        ...

    def filled(self, given: Manifest) -> Manifest:
        """Return the object with the server's defaults."""
        ...

    def created(self, given: Manifest, strictness: str) -> Manifest: ...

    def changed(self, before: Manifest, given: Manifest, subresource: str, strictness: str) -> Manifest: ...

    def patched(self, before: Manifest, how: str, sent: Any) -> Manifest:
        """Return the patched object, before any check. `how`: json, merge, strategic."""
        ...

    def applied(self, before: Manifest, last: Manifest, given: Manifest) -> Manifest | None:
        """Return the result of a client's apply after it had applied `last`; None for a custom resource."""
        ...


def as_created(given: Manifest, server: ApiServer, strictness: str) -> Manifest:
    """Return a new object without a status, which others write; a Node keeps its status. Raises Refused."""
    given = server.created(_without_disabled(given), strictness)
    if kind(given) == "Node" or kind(given) not in _WITH_STATUS or "status" not in given:
        return given
    return {field: value for field, value in given.items() if field != "status"}


def as_written(before: Manifest, given: Manifest, subresource: str, server: ApiServer, strictness: str) -> Manifest:
    """Return what the server accepts of a write. Raises Refused."""
    if subresource == "status":
        return {**before, "status": dict(status(server.changed(before, given, subresource, strictness)))}
    if kind(before) in _WITH_STATUS:
        own_status = {"status": before["status"]} if "status" in before else {}
        given = {**{field: value for field, value in given.items() if field != "status"}, **own_status}
    return server.changed(before, _without_disabled(given), subresource, strictness)


def _without_disabled(given: Manifest) -> Manifest:
    """Return the object without the field of a gate that is off by default.

    Source: dropStatefulSetDisabledFields.
    """
    strategy = spec(given).get("updateStrategy") or {} if kind(given) == "StatefulSet" else {}
    if "maxUnavailable" not in (strategy.get("rollingUpdate") or {}):
        return given
    rolling = {field: value for field, value in strategy["rollingUpdate"].items() if field != "maxUnavailable"}
    left = {field: value for field, value in strategy.items() if field != "rollingUpdate"}
    return with_spec(given, updateStrategy={**left, "rollingUpdate": rolling} if rolling else left)
