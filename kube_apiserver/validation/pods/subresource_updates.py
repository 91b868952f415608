"""Validation of a Pod's subresources: `status`, `resize` and `ephemeralcontainers`.

Source: pkg/apis/core/validation ValidatePodStatusUpdate, ValidatePodResize, ValidatePodEphemeralContainersUpdate.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.pod_fields import quality_of_service
from kube_apiserver.validation import go_values, texts
from kube_apiserver.validation.metadata import report_broken_rules, validate_immutable_field
from kube_apiserver.validation.pods import claim_statuses, pods
from kube_objects import names

Object = Mapping[str, Any]

_RESIZED = ("cpu", "memory")
_SYSTEM_CONDITIONS = ("PodScheduled", "Ready", "Initialized")
_ONLY = "only cpu and memory resources are mutable"
_BOUND = "may not be set on pods that are already bound to a node"


def validate_resize(live: Object, value: Object) -> Iterator[Cause]:
    """Validate a resize, which may change only CPU and memory of containers."""
    problems = list(_validate_resized_pod(live, value))
    yield from problems
    if not problems and _strip_sizes(live) != _strip_sizes(value):
        yield causes.forbidden("spec", _ONLY)


def _validate_resized_pod(live: Object, value: Object) -> Iterator[Cause]:
    yield from pods.validate_pod(value)
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    if (was.get("os") or {}).get("name") == "windows":
        yield causes.forbidden("", "windows pods cannot be resized")
        return
    if quality_of_service(was) != quality_of_service(spec):
        shown = (value.get("status") or {}).get("qosClass")
        yield causes.invalid("spec", shown, "Pod QOS Class may not change as a result of resizing")
    moved = [cause for part in ("containers", "initContainers") for cause in _validate_container_order(was, spec, part)]
    yield from moved
    if moved:
        return
    for part in ("initContainers", "containers"):
        for number, (old, new) in enumerate(zip(was.get(part) or (), spec.get(part) or (), strict=True)):
            yield from _validate_no_removed_resources(old, new, f"spec.{part}[{number}].resources")


def _validate_container_order(was: Object, spec: Object, part: str) -> Iterator[Cause]:
    old, new = ([each.get("name") for each in pod_spec.get(part) or ()] for pod_spec in (was, spec))
    if len(old) != len(new):
        yield causes.forbidden(f"spec.{part}", f"{part} may not be added or removed on resize")
        return
    for number, (old_name, new_name) in enumerate(zip(old, new, strict=True)):
        if old_name != new_name:
            yield causes.forbidden(f"spec.{part}[{number}].name", f"{part} may not be renamed or reordered on resize")


def _validate_no_removed_resources(old: Object, new: Object, path: str) -> Iterator[Cause]:
    for which in ("requests", "limits"):
        there, here = ((each.get("resources") or {}).get(which) or {} for each in (old, new))
        if set(there) - set(here):
            yield causes.forbidden(f"{path}.{which}", f"resource {which} cannot be removed")


def _strip_sizes(value: Object) -> Any:
    """Return the Pod's spec without CPU and memory."""
    spec = dict(value.get("spec") or {})
    for part in ("containers", "initContainers"):
        spec[part] = [_strip_size(each) for each in spec.get(part) or ()]
    return {key: item for key, item in _strip_size(spec).items() if item}


def _strip_size(holder: Object) -> dict[str, Any]:
    given = holder.get("resources") or {}
    left = {
        which: {name: amount for name, amount in (given.get(which) or {}).items() if name not in _RESIZED}
        for which in ("requests", "limits")
    }
    return {**holder, "resources": left if any(left.values()) else None}


def validate_ephemeral_containers_update(live: Object, value: Object) -> Iterator[Cause]:
    """Validate an update of ephemeral containers. They may be added, but neither changed nor removed."""
    yield from pods.validate_pod(value)
    path = "spec.ephemeralContainers"
    there, here = ((each.get("spec") or {}).get("ephemeralContainers") or () for each in (live, value))
    new = {each.get("name"): each for each in here}
    for old in there:
        name = old.get("name")
        if name not in new:
            yield causes.forbidden(path, f'existing ephemeral containers "{name}" may not be removed\n')
        elif new[name] != old:
            difference = go_values.diff_values("EphemeralContainer", old, new[name])
            yield causes.forbidden(path, f'existing ephemeral containers "{name}" may not be changed\n{difference}')


def validate_status_update(live: Object, value: Object) -> Iterator[Cause]:
    was, is_now = (condition.get("status") or {} for condition in (live, value))
    for number, condition in enumerate(is_now.get("conditions") or ()):
        condition_path, kind = f"status.conditions[{number}]", str(condition.get("type") or "")
        if (condition.get("observedGeneration") or 0) < 0:
            yield causes.invalid(
                f"{condition_path}.observedGeneration",
                condition["observedGeneration"],
                "must be a non-negative integer",
            )
        if kind not in _SYSTEM_CONDITIONS:
            yield from report_broken_rules(f"{condition_path}.Type", kind, names.qualified_name(kind))
    name = is_now.get("nominatedNodeName") or ""
    if name and name != was.get("nominatedNodeName"):
        yield from report_broken_rules("status.nominatedNodeName", name, names.dns_subdomain(name))
        if (live.get("spec") or {}).get("nodeName"):
            yield causes.forbidden("status.nominatedNodeName", _BOUND)
    if (is_now.get("observedGeneration") or 0) < 0:
        detail = "must be a non-negative integer"
        yield causes.invalid("status.observedGeneration", is_now["observedGeneration"], detail)
    yield from validate_immutable_field("status.qosClass", was.get("qosClass"), is_now.get("qosClass"))
    for key in ("containerStatuses", "initContainerStatuses"):
        yield from _validate_terminated_containers(live, was.get(key) or (), is_now.get(key) or (), f"status.{key}")
    yield from claim_statuses.validate_claim_statuses(live.get("spec") or {}, is_now)
    yield from _validate_addresses(was, is_now, "podIPs")
    hosts = is_now.get("hostIPs") or ()
    if hosts and hosts[0].get("ip") != is_now.get("hostIP"):
        yield causes.invalid("status.hostIPs[0].ip", hosts[0].get("ip"), "must be equal to `hostIP`")
    yield from _validate_addresses(was, is_now, "hostIPs")


def _validate_terminated_containers(
    live: Object, was: Sequence[Object], is_now: Sequence[Object], path: str
) -> Iterator[Cause]:
    """Validate container states. A terminated container may restart only if its restart policy allows it."""
    spec = live.get("spec") or {}
    policy = spec.get("restartPolicy")
    containers_by_name = {
        old_status.get("name"): old_status
        for part in ("containers", "initContainers")
        for old_status in spec.get(part) or ()
    }
    states = {old_status.get("name"): old_status.get("state") or {} for old_status in is_now}
    for number, old_status in enumerate(was):
        name, terminated = old_status.get("name"), (old_status.get("state") or {}).get("terminated")
        if terminated is None or name not in states or states[name].get("terminated") is not None:
            continue
        container = containers_by_name.get(name, {})
        restart_policy = container.get("restartPolicy") or policy
        is_restarted = restart_policy == "Always" or (restart_policy == "OnFailure" and terminated.get("exitCode"))
        if not is_restarted and not container.get("restartPolicyRules"):
            yield causes.forbidden(f"{path}[{number}].state", "may not be transitioned to non-terminated state")


def _validate_addresses(was: Object, is_now: Object, key: str) -> Iterator[Cause]:
    old_addresses = [str(address.get("ip")) for address in was.get(key) or ()]
    new_addresses = [str(address.get("ip") or "") for address in is_now.get(key) or ()]
    for number, address in enumerate(new_addresses):
        yield from texts.validate_ip(address, f"status.{key}[{number}]", old_addresses)
    yield from texts.validate_ip_families(
        new_addresses, f"status.{key}", [go_values.Ordered(IP=address) for address in new_addresses]
    )
