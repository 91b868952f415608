"""What `kubectl set` and `kubectl rollout` write and say. Source: kubectl/pkg/polymorphichelpers."""

from collections.abc import Callable, Mapping
from typing import Any

from scheduler_core.actors.deployment import util
from scheduler_core.actors.deployment.revisions import rolled_back
from scheduler_core.actors.manifests import (
    Manifest,
    condition,
    conditions,
    format_time,
    generation,
    kind,
    name,
    number,
    spec,
    status,
)
from scheduler_core.actors.objects import View
from scheduler_core.actors.revisions import in_order, revision_of, template_of
from scheduler_core.conformance.controllers.arguments import Fault

_RESTARTED = "kubectl.kubernetes.io/restartedAt"


def _template_of(obj: Manifest) -> tuple[Mapping[str, Any], Callable[[Mapping[str, Any]], dict[str, Any]]]:
    """The pod template's spec, and what puts a changed template back."""
    if kind(obj) == "Pod":
        return {"spec": spec(obj)}, lambda new: {**obj, "spec": new["spec"]}
    if kind(obj) == "CronJob":
        job = spec(obj).get("jobTemplate") or {}
        inner = job.get("spec") or {}
        return inner.get("template") or {}, lambda new: {
            **obj,
            "spec": {**spec(obj), "jobTemplate": {**job, "spec": {**inner, "template": new}}},
        }
    return spec(obj).get("template") or {}, lambda new: {**obj, "spec": {**spec(obj), "template": new}}


def _with_containers(obj: Manifest, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> dict[str, Any]:
    template, put = _template_of(obj)
    pod_spec = template.get("spec") or {}
    containers = [change(one) for one in pod_spec.get("containers") or ()]
    return put({**template, "spec": {**pod_spec, "containers": containers}})


def with_images(obj: Manifest, images: Mapping[str, str]) -> dict[str, Any]:
    return _with_containers(
        obj, lambda one: {**one, "image": images.get(one["name"], images.get("*", one.get("image")))}
    )


def with_env(obj: Manifest, values: Mapping[str, str]) -> dict[str, Any]:
    def change(one: Mapping[str, Any]) -> Mapping[str, Any]:
        others = [entry for entry in one.get("env") or () if entry["name"] not in values]
        return {**one, "env": [*others, *({"name": key, "value": value} for key, value in values.items())]}

    return _with_containers(obj, change)


def restarted(obj: Manifest, now: float) -> dict[str, Any]:
    template, put = _template_of(obj)
    about = template.get("metadata") or {}
    noted = {**(about.get("annotations") or {}), _RESTARTED: format_time(now)}
    return put({**template, "metadata": {**about, "annotations": noted}})


def resumed(obj: Manifest) -> dict[str, Any]:
    return {**obj, "spec": {key: value for key, value in spec(obj).items() if key != "paused"}}


def _revisions(obj: Manifest, view: View) -> dict[int, Mapping[str, Any]]:
    """Templates by revision."""
    if kind(obj) == "Deployment":
        return {
            util.revision(one): spec(one).get("template") or {}
            for one in view.owned(obj, "ReplicaSet")
            if util.revision(one)
        }
    return {revision_of(one): template_of(one) for one in in_order(view.owned(obj, "ControllerRevision"))}


def undone(obj: Manifest, to: int, view: View) -> dict[str, Any] | None:
    """The object with an earlier template, that of the revision before if none is named; None if it has it."""
    if spec(obj).get("paused"):
        raise Fault(
            f'error: cannot rollback a paused deployment; resume it first with "kubectl rollout resume" {name(obj)}'
        )
    known = _revisions(obj, view)
    if to and to not in known:
        raise Fault(f"error: unable to find specified revision {to} in history")
    if not to and len(known) < 2:
        raise Fault("error: no rollout history found")
    chosen = to or sorted(known)[-2]
    if util.same_template(known[chosen], spec(obj).get("template") or {}):
        return None
    if kind(obj) == "Deployment":
        found = next(one for one in view.owned(obj, "ReplicaSet") if util.revision(one) == chosen)
        return rolled_back(obj, found)
    return {**obj, "spec": {**spec(obj), "template": dict(known[chosen])}}


def history(full: str, obj: Manifest, view: View) -> str:
    lines = "".join(f"{revision:<10}<none>\n" for revision in sorted(_revisions(obj, view)))
    return f"{full}/{name(obj)} \nREVISION  CHANGE-CAUSE\n{lines}\n"


def status_text(obj: Manifest) -> str:
    """For a Deployment; what has not come to an end is said to be waited for."""
    if kind(obj) != "Deployment":
        return f'{kind(obj).lower()} "{name(obj)}" is looked at\n'
    found = condition(conditions(obj), "Progressing")
    if found is not None and found.get("reason") == util.TIMED_OUT:
        raise Fault(f'error: deployment "{name(obj)}" exceeded its progress deadline')
    if number(status(obj).get("observedGeneration"), 0) >= generation(obj) and util.is_complete(obj, status(obj)):
        return f'deployment "{name(obj)}" successfully rolled out\n'
    return f'Waiting for deployment "{name(obj)}" rollout to finish\n'
