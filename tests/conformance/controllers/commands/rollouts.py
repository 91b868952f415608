"""The writes and output of `kubectl set` and `kubectl rollout`. Source: kubectl/pkg/polymorphichelpers."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kube_controllers.controller_revisions import revision_of, sort_revisions, template_of
from kube_controllers.deployment import util
from kube_controllers.deployment.replica_set_revisions import roll_back
from kube_controllers.objects import View
from kube_objects.manifests import (
    Manifest,
    format_time,
    kind,
    name,
    spec,
)
from tests.conformance.controllers.arguments import Arguments, Fault

_RESTARTED = "kubectl.kubernetes.io/restartedAt"
_ENV_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
_NO_NAME = re.compile("[^a-zA-Z0-9_]")


def _template_of(obj: Manifest) -> tuple[Mapping[str, Any], Callable[[Mapping[str, Any]], dict[str, Any]]]:
    """Return the Pod template's spec, and a function that puts back a changed template."""
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
    if not template:
        raise Fault(f"error: {name(obj)} the object is not a pod or does not have a pod template: {kind(obj)}")
    pod_spec = template.get("spec") or {}
    containers = [change(one) for one in pod_spec.get("containers") or ()]
    return put({**template, "spec": {**pod_spec, "containers": containers}})


def with_images(obj: Manifest, images: Mapping[str, str]) -> dict[str, Any]:
    template, _ = _template_of(obj)
    pod_spec = template.get("spec") or {}
    known = {one["name"] for of in ("containers", "initContainers") for one in pod_spec.get(of) or ()}
    for named in images:
        if named != "*" and named not in known:
            raise Fault(f'error: unable to find container named "{named}"')
    return _with_containers(
        obj, lambda one: {**one, "image": images.get(one["name"], images.get("*", one.get("image")))}
    )


def with_env(
    obj: Manifest, settings: Sequence[str], imported: Sequence[Mapping[str, Any]] = (), keeps: bool = False
) -> dict[str, Any]:
    """Return the object with variables: `KEY=value` sets one, `KEY-` removes it; `imported` are set as well.

    Raises Fault.

    `keeps`: existing variables keep their value.
    """
    new: dict[str, Mapping[str, Any]] = {entry["name"]: entry for entry in imported}
    for one in settings:
        if "=" in one:
            named, value = one.split("=", 1)
            if _ENV_NAME.fullmatch(named) is None:
                raise Fault(f'error: "{named}" is not a valid key name')
            new[named] = {"name": named, "value": value}
    gone = {one[:-1] for one in settings if one.endswith("-") and "=" not in one}

    def change(one: Mapping[str, Any]) -> Mapping[str, Any]:
        remaining = [entry for entry in one.get("env") or () if entry["name"] not in gone]
        for entry in remaining if keeps else ():
            if new.get(entry["name"], entry) != entry:
                was = entry.get("value", "")
                raise Fault(f"error: '{entry['name']}' already has a value ({was}), and --overwrite is false")
        known = {entry["name"] for entry in remaining}
        made = [new.get(entry["name"], entry) for entry in remaining]
        made += [entry for named, entry in new.items() if named not in known]
        rest = {key: value for key, value in one.items() if key != "env"}
        return {**rest, "env": made} if made else rest

    return _with_containers(obj, change)


def env_of(source: Manifest) -> list[Mapping[str, Any]]:
    """Return each key of a ConfigMap or Secret as a variable. Source: kubectl/pkg/cmd/set/env keyToEnvName."""
    of = "secretKeyRef" if kind(source) == "Secret" else "configMapKeyRef"
    return [
        {"name": _NO_NAME.sub("_", each).upper(), "valueFrom": {of: {"name": name(source), "key": each}}}
        for each in sorted(source.get("data") or ())
    ]


def with_resources(obj: Manifest, arguments: Arguments) -> dict[str, Any]:
    given = {
        of: dict(one.split("=", 1) for one in arguments.one(of).split(","))
        for of in ("limits", "requests")
        if arguments.one(of)
    }
    if not given:
        raise Fault("error: you must specify an update to requests or limits (in the form of --requests/--limits)")
    only = arguments.one("c", "containers")
    named = [one["name"] for one in (_template_of(obj)[0].get("spec") or {}).get("containers") or ()]
    if only not in ("", "*", *named):
        raise Fault(f"error: unable to find container named {only}")

    def change(one: Mapping[str, Any]) -> Mapping[str, Any]:
        if only not in ("", "*", one["name"]):
            return one
        known = one.get("resources") or {}
        return {**one, "resources": {**known, **{of: {**(known.get(of) or {}), **given[of]} for of in given}}}

    return _with_containers(obj, change)


def with_service_account(obj: Manifest, account: str) -> dict[str, Any]:
    template, put = _template_of(obj)
    return put({**template, "spec": {**(template.get("spec") or {}), "serviceAccountName": account}})


def with_selector(obj: Manifest, wanted: Mapping[str, str]) -> dict[str, Any]:
    if kind(obj) != "Service":
        raise Fault(f"error: selectors of {kind(obj)} {name(obj)} cannot be set")
    return {**obj, "spec": {**spec(obj), "selector": dict(wanted)}}


def restarted(obj: Manifest, now: float) -> dict[str, Any]:
    if kind(obj) not in ("Deployment", "DaemonSet", "StatefulSet"):
        raise Fault(f"error: {kind(obj)} {name(obj)}: restarting is not supported")
    if spec(obj).get("paused"):
        raise Fault(
            f'error: deployments.apps "{name(obj)}" can\'t restart paused deployment (run rollout resume first)'
        )
    template, put = _template_of(obj)
    about = template.get("metadata") or {}
    known = about.get("annotations") or {}
    noted = {**known, _RESTARTED: format_time(now)}
    if noted == known:
        raise Fault(
            f"error: failed to create patch for {name(obj)}: if restart has already been triggered within the past "
            "second, please wait before attempting to trigger another"
        )
    return put({**template, "metadata": {**about, "annotations": noted}})


def paused(obj: Manifest) -> dict[str, Any]:
    if kind(obj) != "Deployment":
        raise Fault(f"error: {kind(obj)} {name(obj)}: pausing is not supported")
    if spec(obj).get("paused"):
        raise Fault(f'error: deployments.apps "{name(obj)}" is already paused')
    return {**obj, "spec": {**spec(obj), "paused": True}}


def resumed(obj: Manifest) -> dict[str, Any]:
    if not spec(obj).get("paused"):
        raise Fault(f'error: deployments.apps "{name(obj)}" is not paused')
    return {**obj, "spec": {key: value for key, value in spec(obj).items() if key != "paused"}}


def _revisions(obj: Manifest, view: View) -> dict[int, Mapping[str, Any]]:
    """Return the templates by revision."""
    if kind(obj) == "Deployment":
        return {
            util.revision(one): spec(one).get("template") or {}
            for one in view.owned(obj, "ReplicaSet")
            if util.revision(one)
        }
    return {revision_of(one): template_of(one) for one in sort_revisions(view.owned(obj, "ControllerRevision"))}


def undone(obj: Manifest, to: int, view: View) -> dict[str, Any] | None:
    """Return the object with an earlier template, by default the previous one; None if it has that template."""
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
        return roll_back(obj, found)
    return {**obj, "spec": {**spec(obj), "template": dict(known[chosen])}}


def history(full: str, obj: Manifest, view: View, number: int = 0) -> str:
    """Return the output of `rollout history`. A `number` other than 0 must exist. Raises Fault."""
    if kind(obj) not in ("Deployment", "DaemonSet", "StatefulSet"):
        raise Fault(f'error: no history viewer has been implemented for "{kind(obj)}"')
    found = sorted(_revisions(obj, view))
    if number and number not in found:
        raise Fault("error: unable to find the specified revision")
    lines = "".join(f"{revision:<10}<none>\n" for revision in found)
    return f"{full}/{name(obj)} \nREVISION  CHANGE-CAUSE\n{lines}\n"
