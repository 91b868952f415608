"""Validation of Pods and their updates. Source: pkg/apis/core/validation ValidatePodSpec, ValidatePodUpdate."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values, resources, scheduling
from kube_apiserver.validation.metadata import report_broken_rules, validate_annotations, validate_labels
from kube_apiserver.validation.pods import containers, environment, security, volumes
from kube_objects import names
from kube_objects.pod_update import NO_CONTAINERS, NOT_UPDATABLE, TERM, TERMS, refusals
from kube_objects.text.problems import ErrorType

Object = Mapping[str, Any]

_RESTART = ("Always", "OnFailure", "Never")
_DNS = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION = ("PreemptLowerPriority", "Never")
_MOST_SECONDS = 2147483647
_LONGEST_HOST = 64
_CLAIM_FIELDS = ("Name", "ResourceClaimName", "ResourceClaimTemplateName")
_MIRROR = "kubernetes.io/config.mirror"
_COST = "controller.kubernetes.io/pod-deletion-cost"


def validate_new_pod(value: Object) -> Iterator[Cause]:
    """Source: ValidatePodCreate."""
    pod_spec = value.get("spec") or {}
    yield from validate_pod(value)
    if pod_spec.get("ephemeralContainers"):
        yield causes.forbidden("spec.ephemeralContainers", "cannot be set on create")
    if pod_spec.get("nodeName") and pod_spec.get("schedulingGates"):
        yield causes.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")


def validate_pod(value: Object) -> Iterator[Cause]:
    """Validate annotations and spec of a Pod. Source: validatePodMetadataAndSpec."""
    pod_spec, metadata = value.get("spec") or {}, value.get("metadata") or {}
    yield from _validate_pod_annotations(metadata.get("annotations"), pod_spec, "metadata.annotations")
    yield from validate_pod_spec(pod_spec, "spec", str(metadata.get("name") or ""), is_pod=True)
    yield from volumes.validate_tokens_have_account(pod_spec, "spec")
    yield from containers.validate_images(pod_spec, "spec")


def validate_pod_spec(pod_spec: Object, path: str, name: str = "", *, is_pod: bool = False) -> Iterator[Cause]:
    """Validate the spec of a Pod or a Pod template. `name` is the Pod's name, or "" for a template."""
    volume_problems, valid_volumes = volumes.validate_volumes(
        pod_spec.get("volumes"), f"{path}.volumes", name, is_pod=is_pod
    )
    yield from volume_problems
    yield from _validate_pod_claims(pod_spec.get("resourceClaims"), f"{path}.resourceClaims")
    yield from containers.validate_containers(pod_spec, path, valid_volumes)
    yield from containers.validate_pod_level_resources(pod_spec, f"{path}.resources")
    yield from security.validate_host_network(pod_spec, path, is_pod=is_pod)
    policy = pod_spec.get("restartPolicy")
    if policy not in (None, *_RESTART):
        yield causes.unsupported(f"{path}.restartPolicy", policy, _RESTART)
    if pod_spec.get("dnsPolicy") not in (None, *_DNS):
        yield causes.unsupported(f"{path}.dnsPolicy", pod_spec["dnsPolicy"], _DNS)
    yield from scheduling.validate_node_selector_labels(pod_spec.get("nodeSelector"), f"{path}.nodeSelector")
    yield from security.validate_pod_security_context(pod_spec, f"{path}.securityContext")
    yield from scheduling.validate_affinity(pod_spec.get("affinity"), f"{path}.affinity")
    yield from security.validate_dns_config(pod_spec, f"{path}.dnsConfig")
    for number, gate in enumerate(pod_spec.get("readinessGates") or ()):
        kind = str(gate.get("conditionType") or "")
        yield from report_broken_rules(
            f"{path}.readinessGates[{number}].conditionType", kind, names.qualified_name(kind)
        )
    yield from scheduling.validate_scheduling_gates(pod_spec.get("schedulingGates"), f"{path}.schedulingGates")
    yield from scheduling.validate_spread_constraints(
        pod_spec.get("topologySpreadConstraints"), f"{path}.topologySpreadConstraints"
    )
    yield from security.validate_host_process(pod_spec, path)
    yield from security.validate_host_users(pod_spec, path)
    yield from _validate_hostname_override(pod_spec, path)
    yield from _validate_names_and_hosts(pod_spec, path)
    if pod_spec.get("preemptionPolicy") == "":
        yield causes.required(f"{path}.preemptionPolicy")
    elif pod_spec.get("preemptionPolicy") not in (None, *_PREEMPTION):
        yield causes.unsupported(f"{path}.preemptionPolicy", pod_spec["preemptionPolicy"], _PREEMPTION)
    if pod_spec.get("overhead"):
        yield from resources.validate_requirements({"limits": pod_spec["overhead"]}, f"{path}.overhead")
    yield from security.validate_operating_system(pod_spec, path)
    yield from environment.validate_file_key_volumes(pod_spec, path)


def _validate_names_and_hosts(pod_spec: Object, path: str) -> Iterator[Cause]:
    for key in ("serviceAccountName", "nodeName"):
        if pod_spec.get(key):
            yield from report_broken_rules(f"{path}.{key}", pod_spec[key], names.dns_subdomain(str(pod_spec[key])))
    seconds = pod_spec.get("activeDeadlineSeconds")
    if seconds is not None and not 1 <= seconds <= _MOST_SECONDS:
        detail = f"must be between 1 and {_MOST_SECONDS}, inclusive"
        yield causes.invalid(f"{path}.activeDeadlineSeconds", seconds, detail)
    for key in ("hostname", "subdomain"):
        if pod_spec.get(key):
            yield from report_broken_rules(f"{path}.{key}", pod_spec[key], names.dns_label(str(pod_spec[key])))
    yield from scheduling.validate_tolerations(pod_spec.get("tolerations"), f"{path}.tolerations")
    yield from security.validate_host_aliases(pod_spec.get("hostAliases"), f"{path}.hostAliases")
    if pod_spec.get("priorityClassName"):
        name = pod_spec["priorityClassName"]
        yield from report_broken_rules(f"{path}.priorityClassName", name, names.dns_subdomain(str(name)))
    if pod_spec.get("runtimeClassName") is not None:
        name = pod_spec["runtimeClassName"]
        yield from report_broken_rules(f"{path}.runtimeClassName", name, names.dns_subdomain(str(name)))


def _validate_hostname_override(pod_spec: Object, path: str) -> Iterator[Cause]:
    """Source: validatePodHostName."""
    name, override_path = pod_spec.get("hostnameOverride"), f"{path}.hostnameOverride"
    if name is None:
        return
    if pod_spec.get("setHostnameAsFQDN"):
        yield causes.forbidden(override_path, "may not be specified when setHostnameAsFQDN is true")
    if pod_spec.get("hostNetwork"):
        yield causes.forbidden(override_path, "may not be specified when hostNetwork is true")
    if len(name) > _LONGEST_HOST:
        yield causes.too_long(override_path, _LONGEST_HOST)
    yield from report_broken_rules(override_path, name, names.dns_subdomain(str(name)))


def validate_pod_template(pod_template: Any, path: str) -> Iterator[Cause]:
    """Validate a Pod template.

    Upstream's paths of labels and annotations lack `metadata`. Source: ValidatePodTemplateSpec.
    """
    pod_template = pod_template or {}
    metadata, inner = pod_template.get("metadata") or {}, pod_template.get("spec") or {}
    yield from validate_labels(metadata.get("labels"), f"{path}.labels")
    yield from validate_annotations(metadata.get("annotations"), f"{path}.annotations")
    yield from _validate_pod_annotations(metadata.get("annotations"), inner, f"{path}.annotations")
    yield from validate_pod_spec(inner, f"{path}.spec")
    if inner.get("ephemeralContainers"):
        yield causes.forbidden(f"{path}.spec.ephemeralContainers", "ephemeral containers not allowed in pod template")


def _validate_pod_annotations(pod_annotations: Any, pod_spec: Object, path: str) -> Iterator[Cause]:
    """Source: ValidatePodSpecificAnnotations."""
    pod_annotations = pod_annotations or {}
    if _MIRROR in pod_annotations and not pod_spec.get("nodeName"):
        detail = "must set spec.nodeName if mirror pod annotation is set"
        yield causes.invalid(f"{path}[{_MIRROR}]", pod_annotations[_MIRROR], detail)
    cost = str(pod_annotations.get(_COST, "0"))
    digits = cost[1:] if cost[:1] == "-" else cost
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 10 and (digits == "0" or digits[0] != "0")
    if not is_number or cost == "-0" or not -(1 << 31) <= int(cost) < 1 << 31:
        yield causes.invalid(f"{path}[{_COST}]", cost, "must be a 32bit integer")


def _validate_pod_claims(claims: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, claim in enumerate(claims or ()):
        claim_path, name = f"{path}[{number}]", str(claim.get("name") or "")
        sources = [key for key in ("resourceClaimName", "resourceClaimTemplateName") if claim.get(key) is not None]
        shown = go_values.Ordered({key: claim.get(key[:1].lower() + key[1:]) for key in _CLAIM_FIELDS})
        if not name:
            yield causes.required(f"{claim_path}.name")
        elif name in seen:
            yield causes.duplicate(f"{claim_path}.name", name)
        else:
            yield from report_broken_rules(f"{claim_path}.name", name, names.dns_label(name))
        seen.add(name)
        if len(sources) == 2:
            detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            yield causes.invalid(claim_path, shown, detail)
        elif not sources:
            yield causes.invalid(
                claim_path, shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            )
        for key in sources:
            yield from report_broken_rules(f"{claim_path}.{key}", claim[key], names.dns_subdomain(str(claim[key])))


def validate_pod_update(live: Object, value: Object, sent: Object) -> Iterator[Cause]:
    """Validate an update. `pod_update.refusals` holds the rules; the rest compares values as Go's types hold them."""
    yield from validate_pod(value)
    problems = [each.problem for each in refusals(live, value)]
    forbidden = [each for each in problems if each.type is ErrorType.FORBIDDEN]
    is_same_length = all(NO_CONTAINERS not in each.rule for each in forbidden)
    seconds = (value.get("spec") or {}).get("activeDeadlineSeconds")
    is_out_of_range = seconds is not None and not 0 <= seconds <= _MOST_SECONDS
    if is_out_of_range and is_same_length:
        # Upstream reports this again with another lower bound.
        detail = f"must be between 0 and {_MOST_SECONDS}, inclusive"
        yield causes.invalid("spec.activeDeadlineSeconds", seconds, detail)
        return
    for problem in problems:
        if problem not in forbidden:
            shown = _to_go_form(value, problem.value, problem.path, problem.rule)
            yield causes.invalid(problem.path, shown, problem.rule)
        elif NOT_UPDATABLE not in problem.rule:
            yield causes.of_problem(problem)
    if is_same_length and go_values.diff_pod_specs(live, value):
        yield causes.forbidden("spec", f"{NOT_UPDATABLE}\n{go_values.diff_pod_specs(live, sent)}")


def _to_go_form(value: Object, problem_value: Any, path: str, rule: str) -> Any:
    """Return the new value of the refused field, as Go prints it."""
    refused = problem_value if problem_value is not None else _get_at_path(value, path)
    if rule == TERMS:
        return [go_values.to_go_value("NodeSelectorTerm", each) for each in refused] if refused else None
    return go_values.to_go_value("NodeSelectorTerm", refused) if rule == TERM else refused


def _get_at_path(value: Any, path: str) -> Any:
    for part in path.split("."):
        name, _, number = part.removesuffix("]").partition("[")
        value = value.get(name) if isinstance(value, Mapping) else None
        value = value[int(number)] if number and isinstance(value, list) else value
    return value
