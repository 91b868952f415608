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
from kube_apiserver.validation.pods import pods, subresource_updates
from kube_apiserver.validation.workloads import jobs, statuses, workloads

Object = Mapping[str, Any]
New = Callable[[Object], Iterator[Cause]]
Change = Callable[[Object, Object], Iterator[Cause]]

_NEW: Mapping[str, New] = {
    **groups.NEW,
    "ConfigMap": others.validate_config_map,
    "ControllerRevision": workloads.validate_controller_revision,
    "CronJob": jobs.validate_cron_job,
    definitions.KIND: checking.problems,
    "DaemonSet": workloads.validate_daemon_set,
    "Deployment": workloads.validate_deployment,
    "Event": others.validate_event_namespace,
    "Job": jobs.validate_job,
    "LimitRange": limits.validate_limit_range,
    "Namespace": others.validate_namespace,
    "Node": nodes.validate_node,
    "PersistentVolume": storage.validate_volume,
    "PersistentVolumeClaim": storage.validate_claim,
    "Pod": pods.validate_new_pod,
    "PodDisruptionBudget": others.validate_disruption_budget,
    "PodTemplate": lambda value: pods.validate_pod_template(value.get("template"), "template"),
    "PriorityClass": others.validate_priority_class,
    "ReplicaSet": workloads.validate_replica_set,
    "ReplicationController": workloads.validate_replication_controller,
    "ResourceQuota": limits.validate_quota,
    "Secret": others.validate_secret,
    "Service": services.validate_service,
    "StatefulSet": workloads.validate_stateful_set,
    "StorageClass": storage.validate_storage_class,
}
_CHANGED: Mapping[str, Change] = {
    **groups.CHANGED,
    "ConfigMap": others.validate_config_map_update,
    "ControllerRevision": workloads.validate_controller_revision_update,
    "CronJob": jobs.validate_cron_job_update,
    definitions.KIND: checking.changed,
    "DaemonSet": workloads.validate_daemon_set_update,
    "Deployment": workloads.validate_deployment_update,
    "Node": nodes.validate_node_update,
    "PriorityClass": others.validate_priority_class_update,
    "ReplicaSet": workloads.validate_replica_set_update,
    "Secret": others.validate_secret_update,
    "Service": services.validate_service_update,
    "StatefulSet": workloads.validate_stateful_set_update,
    "StorageClass": storage.validate_storage_class_update,
}
# These checks also get the object as sent, because their messages show its empty lists and maps.
_CHANGED_AS_SENT: Mapping[str, Callable[[Object, Object, Object], Iterator[Cause]]] = {
    **groups.CHANGED_AS_SENT,
    "Job": jobs.validate_job_update,
    "PersistentVolume": storage.validate_volume_update,
    "PersistentVolumeClaim": storage.validate_claim_update,
    "Pod": pods.validate_pod_update,
    "ResourceQuota": limits.validate_quota_update,
}
_STATUS_CHANGED: Mapping[str, Change] = {
    **groups.STATUS_CHANGED,
    "Node": nodes.validate_node_update,
    "PersistentVolumeClaim": claims.validate_claim_status_update,
    "Pod": subresource_updates.validate_status_update,
    "ResourceQuota": limits.validate_quota_status_update,
    "Service": services.validate_load_balancer_status,
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


def validate_new(resource: Resource, value: Object) -> Sequence[Cause]:
    checks = _get_check(resource)
    own_causes = _limit_causes(checks(value)) if checks is not None else []
    # A kind's own check may repeat a cause of its name.
    metadata_causes = [*metadata.validate_new_metadata(resource.kind, value), *_validate_finalizers(resource, value)]
    if resource.kind in _OWN_RULES_FIRST and own_causes:
        return own_causes
    return _limit_causes([*metadata_causes, *(cause for cause in own_causes if cause not in metadata_causes)])


def _get_check(resource: Resource) -> New | None:
    """Return the check of a new object: the schema for a custom resource, else the kind's entry."""
    custom = resource.custom
    return _NEW.get(resource.kind) if custom is None else lambda value: _validate_custom_resource(custom, value)


def _validate_custom_resource(custom: Custom, value: Object, live: Object | None = None) -> Iterator[Cause]:
    yield from schemas.problems(value, custom.schema, live, scaling.problems(value, custom.scale))


def validate_metadata_update(resource: Resource, live: Object, value: Object) -> Sequence[Cause]:
    named = metadata.revalidate_generate_name(resource.kind, value)
    return _limit_causes(
        [*metadata.validate_metadata_update(live, value), *_validate_finalizers(resource, value), *named]
    )


def _validate_finalizers(resource: Resource, value: Object) -> Iterator[Cause]:
    if resource.custom is None and resource.group in _WITH_RULES_OF_CORE and resource.kind != "Event":
        yield from metadata.validate_builtin_finalizers(value["metadata"])


def validate_update(resource: Resource, live: Object, value: Object, subresource: str, sent: Object) -> Sequence[Cause]:
    """Return the causes that forbid an update. `sent` is the object as sent, with its empty lists and maps."""
    kind = resource.kind
    if resource.custom is not None:
        return _limit_causes(_validate_custom_resource(resource.custom, value, live))
    if subresource == "status":
        if kind in statuses.KINDS:
            return _limit_causes(statuses.validate_status_update(kind, live, value))
        of_status, of_change = groups.OF_STATUS.get(kind), _STATUS_CHANGED.get(kind)
        return _limit_causes(of_status(value) if of_status else of_change(live, value) if of_change else ())
    if subresource == "finalize":
        return _limit_causes(others.validate_namespace_finalize_update(value))
    if subresource == "approval":
        return _limit_causes(certificates.validate_approval_update(live, value))
    if subresource == "resize":
        return _limit_causes(subresource_updates.validate_resize(live, value))
    if subresource == "ephemeralcontainers":
        return _limit_causes(subresource_updates.validate_ephemeral_containers_update(live, value))
    change, new = _CHANGED.get(kind), _NEW.get(kind)
    as_new = new(value) if new and kind in _AS_NEW_TOO else ()
    if kind in _CHANGED_AS_SENT:
        return _limit_causes([*as_new, *_CHANGED_AS_SENT[kind](live, value, sent)])
    return _limit_causes([*as_new, *change(live, value)] if change else new(value) if new else ())


def _limit_causes(all_causes: Iterable[Cause]) -> list[Cause]:
    """Return the first causes, bounded in number and length."""
    causes, length = list[Cause](), 0
    for cause in islice(all_causes, _MOST_CAUSES):
        causes.append(cause)
        length += len(cause["message"]) + len(cause["field"])
        if length > _LONGEST_CAUSES:
            break
    return causes
