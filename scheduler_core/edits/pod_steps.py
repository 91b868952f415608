"""Steps that change pods. Most fields of a pod are immutable, so other changes are made in the owner's pod template.

The line depends on the owner. Sources: pkg/controller/statefulset (a pod that never became ready isn't replaced),
pkg/controller/replicaset (only missing pods are created), pkg/registry/batch/job (the template is immutable).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from kube_objects.pod_update import refusals
from kube_objects.sentences import Template
from kube_objects.serialize import manifest_of
from kube_objects.text.problems import ObjectError
from scheduler_core.edits.edit import Change, apply_changes
from scheduler_core.edits.json_patch import (
    Operation,
    PatchError,
    adapt_patch,
    apply_patch,
    diff_json,
    escape_pointer_key,
)
from scheduler_core.edits.owners import Finder, copy_template, find_top_owner, pod_from_template, template_path
from scheduler_core.edits.steps import Command, Step, quote_json
from scheduler_core.framework.handle import Lister

OWNER = Template("A Pod's {field} cannot be changed: its {owner} changes and creates the Pod again")
ALONE = Template("A pod's {field} cannot be changed: the pod is deleted and created again")
OF_JOB = Template(
    "A Job's template cannot be changed: {owner} is deleted and created again, and starts from the beginning"
)
OF_CRON_JOB = Template(
    "{owner} changes for its next Jobs; the Job {job} is deleted and created again, and starts from the beginning"
)
# The labels by which a Job selects its pods. Source: generateSelector of pkg/registry/batch/job/strategy.go.
_JOB_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")
# Owners that create missing pods, and don't replace existing ones.
_ONLY_MISSING = ("ReplicaSet", "ReplicationController", "StatefulSet")
_SERVER_FIELDS = ("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "generation", "managedFields")


def plan_pod_steps(
    pods: Sequence[Pod], lister: Finder, changes: Sequence[Change], paths: Sequence[str]
) -> list[Step] | None:
    """Return the lines that change these pods of one template; None if no line can.

    `paths` are the changed fields. Several pods are changed through their owner's template, if it exists.
    """
    first = pods[0]
    manifest = manifest_of(first)
    try:
        target = apply_changes(first, changes)
        refused = refusals(manifest, target)
    except (LookupError, TypeError, ValueError):
        return None
    owner = find_top_owner(first, lister)
    has_template = owner is not None and template_path(owner[0]) is not None
    if not refused and not (has_template and len(pods) > 1):
        return [_patch_pod_step(pod, diff_json(manifest_of(pod), apply_changes(pod, changes))) for pod in pods]
    field = ", ".join(dict.fromkeys(path.removesuffix("[]") for path in paths))
    if owner is None or not has_template:
        return [_recreate_pod_step(pod, changes, field) for pod in pods]
    operations = _adapt_to_template(owner[2], first, changes, diff_json(manifest, target))
    if not operations:
        return None
    return _change_through_owner(owner, pods, lister, operations, field)


def requires_job_recreation(pod: Pod, changes: Sequence[Change]) -> bool:
    """Return True if a change of a Job's pod requires deleting the Job and creating it again."""
    if pod.controller is None or pod.controller.kind != "Job":
        return False
    return bool(refusals(manifest_of(pod), apply_changes(pod, changes)))


def change_owner_template(
    pod: Pod, lister: Finder, changes: Sequence[Change]
) -> tuple[KubeObject, dict[str, Any]] | None:
    """Return the owner whose template these changes patch, with its new manifest; None if there is none."""
    owner = find_top_owner(pod, lister)
    if owner is None or owner[2] is None or owner[0] == "Job" or template_path(owner[0]) is None:
        return None
    operations = _adapt_to_template(owner[2], pod, changes, diff_json(manifest_of(pod), apply_changes(pod, changes)))
    if not operations:
        return None
    return owner[2], apply_patch(manifest_of(owner[2]), _prefix_template_path(owner[0], operations))


def _change_through_owner(
    owner: tuple[str, str, KubeObject | None],
    pods: Sequence[Pod],
    lister: Finder,
    operations: Sequence[Operation],
    field: str,
) -> list[Step]:
    kind, name, obj = owner
    first = pods[0]
    if kind == "Job":
        return [_recreate_job_step(first, name, obj, operations, OF_JOB(owner=f"Job {name}"))]
    step = _patch_owner_step(first, kind, name, obj, operations)
    if kind == "CronJob" and first.controller is not None:
        names = list(dict.fromkeys(pod.controller.name for pod in pods if pod.controller is not None))
        note = OF_CRON_JOB(owner=f"CronJob {name}", job=", ".join(names))
        jobs = [(job, lister.get("Job", f"{first.namespace}/{job}")) for job in names]
        return [step, *(_recreate_job_step(first, job, found, operations, note) for job, found in jobs)]
    step = Step(step.text, step.commands, OWNER(field=field, owner=f"{kind} {name}"), replaces=True)
    if kind in _ONLY_MISSING or (kind == "DaemonSet" and _updates_on_delete(obj)):
        return [step, _delete_pods_step(pods)]
    return [step]


def _updates_on_delete(obj: KubeObject | None) -> bool:
    spec = {} if obj is None else manifest_of(obj).get("spec") or {}
    return (spec.get("updateStrategy") or {}).get("type") == "OnDelete"


def _adapt_to_template(
    owner: KubeObject | None, pod: Pod, changes: Sequence[Change], of_pod: list[Operation]
) -> list[Operation]:
    """Return the operations for the pod template; [] if they wouldn't change it."""
    template = None if owner is None else copy_template(owner)
    if template is None:
        return of_pod
    before, after = pod_from_template(template, pod), pod_from_template(template, pod)
    try:
        for change in changes:
            change(after)
        if "priority" not in before["spec"]:
            after["spec"].pop("priority", None)  # computed from the PriorityClass
        if operations := diff_json(before, after):
            return operations
    except (LookupError, TypeError, ObjectError):
        pass
    # The pod has more fields than its template, so adapt the operations that change the pod.
    try:
        return adapt_patch(before, of_pod)
    except PatchError:
        return []


def _patch_pod_step(pod: Pod, operations: Sequence[Operation]) -> Step:
    def commands(lister: Lister) -> list[Command]:
        return _update_commands(lister, "Pod", pod.key, operations, as_cluster=True)

    return Step(f"kubectl{_namespace_flag(pod)} patch pod {pod.name} --type json -p {quote_json(operations)}", commands)


def _recreate_pod_step(pod: Pod, changes: Sequence[Change], field: str) -> Step:
    operations = diff_json(manifest_of(pod), apply_changes(pod, changes))

    def commands(lister: Lister) -> list[Command]:
        live = lister.get("Pod", pod.key)
        return [] if live is None else [{"kind": "recreate", "objects": [apply_patch(manifest_of(live), operations)]}]

    local = f"kubectl patch --local -f - --type json -p {quote_json(operations)} -o yaml"
    text = f"kubectl{_namespace_flag(pod)} get pod {pod.name} -o yaml | {local} | kubectl replace --force -f -"
    return Step(text, commands, ALONE(field=field))


def _patch_owner_step(pod: Pod, kind: str, name: str, obj: KubeObject | None, operations: Sequence[Operation]) -> Step:
    whole = _prefix_template_path(kind, operations)

    def commands(lister: Lister) -> list[Command]:
        return _update_commands(lister, kind, f"{pod.namespace}/{name}", whole)

    return Step(
        f"kubectl{_namespace_flag(pod)} patch {kind.lower()} {name} --type json -p {quote_json(whole)}", commands
    )


def _prefix_template_path(kind: str, operations: Sequence[Operation]) -> list[Operation]:
    head = "".join(f"/{key}" for key in template_path(kind) or ())
    return [{**operation, "path": head + operation["path"]} for operation in operations]


def _delete_pods_step(pods: Sequence[Pod]) -> Step:
    first = pods[0]
    named = [{"kind": "Pod", "namespace": pod.namespace, "name": pod.name} for pod in pods]

    def commands(lister: Lister) -> list[Command]:
        live = [ref for ref in named if lister.get("Pod", f"{ref['namespace']}/{ref['name']}") is not None]
        return [{"kind": "delete", "objects": live}] if live else []

    return Step(f"kubectl{_namespace_flag(first)} delete pod {' '.join(pod.name for pod in pods)}", commands)


def _recreate_job_step(pod: Pod, name: str, obj: KubeObject | None, operations: Sequence[Operation], note: Any) -> Step:
    """Return the line that deletes a Job and creates it again, without the fields that only the old one may have."""
    spec = {} if obj is None else manifest_of(obj).get("spec") or {}
    without: list[Operation] = []
    if not spec.get("manualSelector"):
        labels = pod.labels if obj is None else ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
        known = [label for label in _JOB_LABELS if label in labels]
        paths = [f"/spec/template/metadata/labels/{escape_pointer_key(label)}" for label in known]
        without = [{"op": "remove", "path": path} for path in ("/spec/selector", *paths)]
    whole = [*without, *_prefix_template_path("Job", operations)]

    def commands(lister: Lister) -> list[Command]:
        live = lister.get("Job", f"{pod.namespace}/{name}")
        if live is None:
            return []
        fresh = apply_patch(manifest_of(live), whole)
        fresh["metadata"] = {key: value for key, value in fresh["metadata"].items() if key not in _SERVER_FIELDS}
        fresh.pop("status", None)
        others: Iterable[Pod] = lister.list("Pod", pod.namespace)
        owned = [other.name for other in others if other.controller is not None and other.controller.uid == live.uid]
        named = (("Job", name), *(("Pod", pod_name) for pod_name in owned))
        deleted = [{"kind": kind, "namespace": pod.namespace, "name": object_name} for kind, object_name in named]
        return [{"kind": "delete", "objects": deleted, "at_once": True}, {"kind": "create", "objects": [fresh]}]

    local = f"kubectl patch --local -f - --type json -p {quote_json(whole)} -o json"
    text = f"kubectl{_namespace_flag(pod)} get job {name} -o json | {local} | kubectl replace --force -f -"
    return Step(text, commands, note, replaces=True)


def _update_commands(
    lister: Lister, kind: str, key: str, operations: Sequence[Operation], *, as_cluster: bool = False
) -> list[Command]:
    live = lister.get(kind, key)
    if live is None:
        return []
    after = apply_patch(manifest_of(live), operations)
    after["metadata"] = {name: value for name, value in after["metadata"].items() if name != "generation"}
    return [{"kind": "update", "objects": [after], **({"as_cluster": True} if as_cluster else {})}]


def _namespace_flag(pod: Pod) -> str:
    return f" -n {pod.namespace}"
