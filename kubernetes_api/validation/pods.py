"""Pods and what of them may change. Source: pkg/apis/core/validation ValidatePodSpec, ValidatePodUpdate."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.validation import containers, go_values, scheduling, security, volumes
from kubernetes_api.validation.metadata import broken, common
from scheduler_core.objects import names
from scheduler_core.objects.pod_update import FORBIDDEN, refusals

Object = Mapping[str, Any]

_RESTART = ("Always", "OnFailure", "Never")
_DNS = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION = ("Never", "PreemptLowerPriority")
_MOST_SECONDS = 2147483647
_CLAIM_FIELDS = ("Name", "ResourceClaimName", "ResourceClaimTemplateName")


def created(value: Object) -> Iterator[Cause]:
    given = value.get("spec") or {}
    yield from spec(given, "spec", is_pod=True)
    yield from containers.images(given, "spec")


def spec(given: Object, path: str, *, is_pod: bool = False) -> Iterator[Cause]:
    found, known = volumes.volumes(given.get("volumes"), f"{path}.volumes")
    yield from found
    yield from _claims(given.get("resourceClaims"), f"{path}.resourceClaims")
    yield from containers.containers(given, path, known)
    yield from security.host_network(given, path, is_pod=is_pod)
    policy = given.get("restartPolicy")
    if policy not in (None, *_RESTART):
        yield causes.unsupported(f"{path}.restartPolicy", policy, _RESTART)
    if given.get("dnsPolicy") not in (None, *_DNS):
        yield causes.unsupported(f"{path}.dnsPolicy", given["dnsPolicy"], _DNS)
    yield from scheduling.node_labels(given.get("nodeSelector"), f"{path}.nodeSelector")
    yield from security.of_pod(given, f"{path}.securityContext")
    yield from scheduling.affinity(given.get("affinity"), f"{path}.affinity")
    yield from security.dns(given, f"{path}.dnsConfig")
    for number, each in enumerate(given.get("readinessGates") or ()):
        kind = str(each.get("conditionType") or "")
        yield from broken(f"{path}.readinessGates[{number}].conditionType", kind, names.qualified_name(kind))
    yield from scheduling.gates(given.get("schedulingGates"), f"{path}.schedulingGates")
    yield from scheduling.spreading(given.get("topologySpreadConstraints"), f"{path}.topologySpreadConstraints")
    for key, rule in (("serviceAccountName", names.dns_subdomain), ("nodeName", names.dns_subdomain)):
        if given.get(key):
            yield from broken(f"{path}.{key}", given[key], rule(str(given[key])))
    if given.get("nodeName") and given.get("schedulingGates"):
        yield causes.forbidden(f"{path}.nodeName", "cannot be set until all schedulingGates have been cleared")
    seconds = given.get("activeDeadlineSeconds")
    if seconds is not None and not 1 <= seconds <= _MOST_SECONDS:
        yield causes.invalid(
            f"{path}.activeDeadlineSeconds", seconds, f"must be between 1 and {_MOST_SECONDS}, inclusive"
        )
    for key in ("hostname", "subdomain"):
        if given.get(key):
            yield from broken(f"{path}.{key}", given[key], names.dns_label(str(given[key])))
    yield from scheduling.tolerations(given.get("tolerations"), f"{path}.tolerations")
    yield from security.host_aliases(given.get("hostAliases"), f"{path}.hostAliases")
    for key, rule in (("priorityClassName", names.dns_subdomain), ("runtimeClassName", names.dns_subdomain)):
        if given.get(key):
            yield from broken(f"{path}.{key}", given[key], rule(str(given[key])))
    if given.get("preemptionPolicy") not in (None, *_PREEMPTION):
        yield causes.unsupported(f"{path}.preemptionPolicy", given["preemptionPolicy"], _PREEMPTION)


def template(given: Any, path: str) -> Iterator[Cause]:
    """Source: ValidatePodTemplateSpec."""
    given = given or {}
    yield from common(given.get("metadata") or {}, f"{path}")
    yield from spec(given.get("spec") or {}, f"{path}.spec")


def _claims(given: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given or ()):
        at, name = f"{path}[{number}]", str(each.get("name") or "")
        sources = [bool(each.get(key)) for key in ("resourceClaimName", "resourceClaimTemplateName")]
        written = {key: each.get(key[:1].lower() + key[1:]) for key in _CLAIM_FIELDS}
        if not name:
            yield causes.required(f"{at}.name")
        elif name in seen:
            yield causes.duplicate(f"{at}.name", name)
        seen.add(name)
        if all(sources):
            detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            yield causes.invalid(at, written, detail)
        elif not any(sources):
            yield causes.invalid(at, written, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")


def changed(live: Object, value: Object) -> Iterator[Cause]:
    """Most of a spec stays as it was: the engine's rule, with Go's difference of the two where upstream shows it."""
    is_reported = False
    for refusal in refusals(live, value):
        problem = refusal.problem
        path, rule = problem.path, str(problem.rule)
        if rule == FORBIDDEN:
            difference = go_values.pod_difference(live, value)
            yield causes.forbidden(path, f"{rule.removeprefix('Forbidden: ')}\n{difference}")
            is_reported = True
        elif rule.startswith("Forbidden: "):
            yield causes.forbidden(path, rule.removeprefix("Forbidden: "))
        else:
            shown = problem.value if problem.value is not None else _at(value, path)
            yield causes.invalid(path, shown, rule)
    if not is_reported:
        yield from created(value)


def resized(live: Object, value: Object) -> Iterator[Cause]:
    """Source: ValidatePodResize: of containers only what they ask for and may have."""
    yield from created(value)


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
