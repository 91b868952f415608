"""Validation of objects by kind, for creates and for updates."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from kube_apiserver.causes import Cause
from kube_apiserver.custom import checking, definitions, scaling, schemas
from kube_apiserver.resources import Custom, Resource
from kube_apiserver.validation import claims, limits, metadata, nodes, others, services, storage
from kube_apiserver.validation.groups import certificates
from kube_apiserver.validation.groups import table as groups
from kube_apiserver.validation.pods import pod_doors, pods
from kube_apiserver.validation.workloads import jobs, statuses, workloads

Object = Mapping[str, Any]
New = Callable[[Object], Iterator[Cause]]
Change = Callable[[Object, Object], Iterator[Cause]]

_NEW: Mapping[str, New] = {
    **groups.NEW,
    "ConfigMap": others.config_map,
    "ControllerRevision": workloads.controller_revision,
    "CronJob": jobs.cron_job,
    definitions.KIND: checking.problems,
    "DaemonSet": workloads.daemon_set,
    "Deployment": workloads.deployment,
    "Event": others.event,
    "Job": jobs.job,
    "LimitRange": limits.limit_range,
    "Namespace": others.namespace,
    "Node": nodes.created,
    "PersistentVolume": storage.volume,
    "PersistentVolumeClaim": storage.claim,
    "Pod": pods.created,
    "PodDisruptionBudget": others.budget,
    "PodTemplate": lambda value: pods.template(value.get("template"), "template"),
    "PriorityClass": others.priority_class,
    "ReplicaSet": workloads.replica_set,
    "ReplicationController": workloads.replication_controller,
    "ResourceQuota": limits.quota,
    "Secret": others.secret,
    "Service": services.service,
    "StatefulSet": workloads.stateful_set,
    "StorageClass": storage.storage_class,
}
_CHANGED: Mapping[str, Change] = {
    **groups.CHANGED,
    "ConfigMap": others.config_map_changed,
    "ControllerRevision": workloads.controller_revision_changed,
    "CronJob": jobs.cron_job_changed,
    definitions.KIND: checking.changed,
    "DaemonSet": workloads.daemon_set_changed,
    "Deployment": workloads.deployment_changed,
    "Node": nodes.changed,
    "PriorityClass": others.priority_class_changed,
    "ReplicaSet": workloads.replica_set_changed,
    "Secret": others.secret_changed,
    "Service": services.service_changed,
    "StatefulSet": workloads.stateful_set_changed,
    "StorageClass": storage.storage_class_changed,
}
# These checks also get the object as sent, because their messages show its empty lists and maps.
_CHANGED_AS_SENT: Mapping[str, Callable[[Object, Object, Object], Iterator[Cause]]] = {
    **groups.CHANGED_AS_SENT,
    "Job": jobs.job_changed,
    "PersistentVolume": storage.volume_changed,
    "PersistentVolumeClaim": storage.claim_changed,
    "Pod": pods.changed,
    "ResourceQuota": limits.quota_changed,
}
_STATUS_CHANGED: Mapping[str, Change] = {
    **groups.STATUS_CHANGED,
    "Node": nodes.changed,
    "PersistentVolumeClaim": claims.status_changed,
    "Pod": pod_doors.status,
    "ResourceQuota": limits.quota_status_changed,
    "Service": services.status_changed,
}
_MOST_CAUSES, _LONGEST_CAUSES = 50, 256 * 1024
# Groups whose kinds validate finalizers as core does; other groups use apimachinery's rules.
_WITH_RULES_OF_CORE = frozenset(
    [
        "",
        "apps",
        "autoscaling",
        "batch",
        "flowcontrol.apiserver.k8s.io",
        "networking.k8s.io",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    ]
)
# Kinds whose updates are validated as new objects first. Source: their strategies' ValidateUpdate.
_AS_NEW_TOO = frozenset(["CSIStorageCapacity", "ResourceClaimTemplate"])
# Kinds whose metadata is validated only if their own rules hold. Source: rest.BeforeCreate.
_OWN_RULES_FIRST = frozenset(["PodDisruptionBudget"])


def created(resource: Resource, value: Object) -> Sequence[Cause]:
    checks = _checks(resource)
    own_causes = _first(checks(value)) if checks is not None else []
    # A kind's own check may repeat a cause of its name.
    metadata_causes = [*metadata.created(resource.kind, value), *_finalizers(resource, value)]
    if resource.kind in _OWN_RULES_FIRST and own_causes:
        return own_causes
    return _first([*metadata_causes, *(cause for cause in own_causes if cause not in metadata_causes)])


def _checks(resource: Resource) -> New | None:
    """Return the check of a new object: the schema for a custom resource, else the kind's entry."""
    custom = resource.custom
    return _NEW.get(resource.kind) if custom is None else lambda value: _of_custom(custom, value)


def _of_custom(custom: Custom, value: Object, live: Object | None = None) -> Iterator[Cause]:
    yield from schemas.problems(value, custom.schema, live, scaling.problems(value, custom.scale))


def changed_metadata(resource: Resource, live: Object, value: Object) -> Sequence[Cause]:
    named = metadata.named_again(resource.kind, value)
    return _first([*metadata.changed(live, value), *_finalizers(resource, value), *named])


def _finalizers(resource: Resource, value: Object) -> Iterator[Cause]:
    if resource.custom is None and resource.group in _WITH_RULES_OF_CORE and resource.kind != "Event":
        yield from metadata.own_finalizers(value["metadata"])


def changed(resource: Resource, live: Object, value: Object, subresource: str, sent: Object) -> Sequence[Cause]:
    """Return the causes that forbid an update. `sent` is the object as sent, with its empty lists and maps."""
    kind = resource.kind
    if resource.custom is not None:
        return _first(_of_custom(resource.custom, value, live))
    if subresource == "status":
        if kind in statuses.KINDS:
            return _first(statuses.changed(kind, live, value))
        of_status, of_change = groups.OF_STATUS.get(kind), _STATUS_CHANGED.get(kind)
        return _first(of_status(value) if of_status else of_change(live, value) if of_change else ())
    if subresource == "finalize":
        return _first(others.finalized(value))
    if subresource == "approval":
        return _first(certificates.approval_changed(live, value))
    if subresource == "resize":
        return _first(pod_doors.resized(live, value))
    if subresource == "ephemeralcontainers":
        return _first(pod_doors.ephemeral(live, value))
    change, new = _CHANGED.get(kind), _NEW.get(kind)
    as_new = new(value) if new and kind in _AS_NEW_TOO else ()
    if kind in _CHANGED_AS_SENT:
        return _first([*as_new, *_CHANGED_AS_SENT[kind](live, value, sent)])
    return _first([*as_new, *change(live, value)] if change else new(value) if new else ())


def _first(all_causes: Iterable[Cause]) -> list[Cause]:
    """Return the first causes, bounded in number and length."""
    causes, length = list[Cause](), 0
    for cause in islice(all_causes, _MOST_CAUSES):
        causes.append(cause)
        length += len(cause["message"]) + len(cause["field"])
        if length > _LONGEST_CAUSES:
            break
    return causes
