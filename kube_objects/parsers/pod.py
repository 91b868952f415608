"""Pods.

Source: pkg/apis/core/v1/defaults.go, pkg/apis/core/validation ValidatePodSpec, pkg/scheduler/framework/types.go.
"""

import dataclasses
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kube_objects import field_errors, names, read
from kube_objects.parsers.affinity import node_affinity, pod_affinity, spread_constraints
from kube_objects.parsers.containers import containers
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.resources import check_requirements, requirements, resource_list
from kube_objects.parsers.volumes import pod_volumes
from kube_objects.pod import Container, HostPort, Pod, PodClaim, PodCondition
from kube_objects.read import Manifest, Problems
from kube_objects.requests import (
    NON_ZERO,
    ContainerStatusAmounts,
    PodAmounts,
    counted,
    default_pod_level,
    in_units,
    node_non_zero,
    pod_requests,
)
from kube_objects.sentences import quoted, say
from kube_objects.taints import NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE, Toleration
from kube_objects.text.problems import Problem

_EFFECTS = (NO_EXECUTE, NO_SCHEDULE, PREFER_NO_SCHEDULE)
_NON_ZERO_UNITS = in_units(NON_ZERO)
_NOTHING: Manifest = {}
_NO_FEATURES: frozenset[str] = frozenset()
_CONDITION = ("type", "status", "reason", "message", "lastTransitionTime")
_SHORT = 64


def parse_pod(manifest: Manifest, problems: Problems) -> Pod:
    meta = read_meta("Pod", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems)
    if spec is None:
        if manifest.get("spec") is None:
            problems.append(field_errors.required("spec", say("a pod needs spec.containers")))
        spec = _NOTHING
    status = read.mapping(manifest, "status", "", problems) or _NOTHING

    host_network = read.boolean(spec, "hostNetwork", "spec", problems)
    amounts, main, init, ports = _containers(spec, host_network, problems)
    node_name = _node_name(spec, problems)
    pod = Pod(
        **meta,
        scheduler_name=read.text(spec, "schedulerName", "spec", problems) or "default-scheduler",
        priority=read.integer(spec, "priority", "spec", problems) or 0,
        priority_class_name=read.text(spec, "priorityClassName", "spec", problems),
        preemption_policy=read.choice(
            spec, "preemptionPolicy", "spec", problems, ("Never", "PreemptLowerPriority"), "PreemptLowerPriority"
        ),
        node_name=node_name,
        node_selector=read.label_map(spec, "nodeSelector", "spec", problems),
        **_affinities(spec, meta, problems),
        tolerations=_tolerations(spec, problems) if spec.get("tolerations") is not None else (),
        spread_constraints=(
            spread_constraints(spec, "spec", problems) if spec.get("topologySpreadConstraints") is not None else ()
        ),
        containers=tuple(main),
        init_containers=tuple(init),
        scheduling_gates=_gates(spec, problems) if spec.get("schedulingGates") is not None else (),
        volumes=pod_volumes(spec, problems, meta["name"]) if spec.get("volumes") is not None else (),
        resource_claims=_claims(spec, problems) if spec.get("resourceClaims") is not None else (),
        host_ports=tuple(ports),
        scheduling_group=_scheduling_group(spec, problems) if spec.get("schedulingGroup") is not None else "",
        required_features=_required_features(spec, host_network),
    )
    if status:
        _read_status(pod, status, problems)
        amounts.statuses = _container_statuses(status, problems)
        # The first PodResizePending condition decides. Source: IsPodResizeInfeasible.
        resize = next((condition for condition in pod.conditions if condition.type == "PodResizePending"), None)
        amounts.resize_infeasible = resize is not None and resize.reason == "Infeasible"
    if spec.get("overhead") is not None:
        amounts.overhead = resource_list(spec, "overhead", "spec", problems, names.container_resource)
    if spec.get("resources") is not None:
        _pod_level(spec, amounts, problems)
    _set_requests(pod, amounts)
    return pod


def _node_name(spec: Manifest, problems: Problems) -> str:
    name = read.text(spec, "nodeName", "spec", problems)
    if name and (rule := names.dns_subdomain(name)):
        problems.append(Problem("spec.nodeName", name, rule))
    return name


def _containers(
    spec: Manifest, host_network: bool, problems: Problems
) -> tuple[PodAmounts, list[Container], list[Container], list[HostPort]]:
    """Return the requests, the containers, the init containers and the host ports."""
    taken_names: set[str] = set()
    main, main_amounts, ports = containers(spec, "containers", "spec", problems, host_network, taken_names)
    if not main and not spec.get("containers") and spec is not _NOTHING:
        problems.append(field_errors.required("spec.containers", quoted("a pod needs at least one container")))
    amounts = PodAmounts(main_amounts)
    init: list[Container] = []
    if spec.get("initContainers"):
        init, amounts.init_containers, sidecar_ports = containers(
            spec, "initContainers", "spec", problems, host_network, taken_names
        )
        ports = sidecar_ports + ports
    return amounts, main, init, ports


def _affinities(spec: Manifest, meta: Mapping[str, Any], problems: Problems) -> dict[str, Any]:
    affinity = read.mapping(spec, "affinity", "spec", problems)
    if not affinity:
        return {}
    path, namespace, labels = "spec.affinity", meta["namespace"], meta["labels"]
    return {
        "node_affinity": node_affinity(affinity, path, problems),
        "pod_affinity": pod_affinity(affinity, "podAffinity", path, problems, namespace, labels),
        "pod_anti_affinity": pod_affinity(affinity, "podAntiAffinity", path, problems, namespace, labels),
    }


def _read_status(pod: Pod, status: Manifest, problems: Problems, before: Pod | None = None) -> None:
    # The API server accepts any phase. Callers compare it with the ones they know.
    pod.phase = read.text(status, "phase", "status", problems) or "Pending"
    pod.nominated_node_name = read.text(status, "nominatedNodeName", "status", problems)
    pod.start_time = read.timestamp(status, "startTime", "status", problems)
    pod.conditions = _reuse_conditions(status, before, problems) if status.get("conditions") is not None else ()
    claim_names, extended = status.get("resourceClaimStatuses"), status.get("extendedResourceClaimStatus")
    pod.claim_names = read.NONE if claim_names is None else read_claim_names(claim_names, problems)
    if extended is not None:
        pod.extended_claim = read.mapping(status, "extendedResourceClaimStatus", "status", problems)
    else:
        pod.extended_claim = None


def read_again(before: Pod, manifest: Manifest, problems: Problems) -> Pod | None:
    """Return a new version of a pod of which only status and deletion time changed. None if more may have changed."""
    status = read.mapping(manifest, "status", "", problems) or _NOTHING
    known = before.manifest
    if manifest.get("spec") is not known.get("spec") or _reports(known.get("status") or _NOTHING):
        return None
    has_news = status is not known.get("status")
    if has_news and _reports(status):
        return None
    pod = before.copied()
    pod.manifest = manifest
    pod.deletion_timestamp = read.timestamp(manifest["metadata"], "deletionTimestamp", "metadata", problems)
    if has_news:
        _read_status(pod, status, problems, before)
    return pod


def read_sibling(pod: Pod, manifest: Manifest, problems: Problems) -> Pod | None:
    """Another pod whose spec has the very same parts, on whatever node; None if what they mean may depend on whose they
    are.
    """
    spec, status = manifest["spec"], read.mapping(manifest, "status", "", problems) or _NOTHING
    if (
        spec.get("affinity")
        or spec.get("volumes")
        or _reports(status)
        or _reports(pod.manifest.get("status") or _NOTHING)
    ):
        return None
    sibling = pod.copied()
    for name, value in read_meta("Pod", manifest, problems).items():
        setattr(sibling, name, value)
    sibling.node_name = _node_name(spec, problems)
    _read_status(sibling, status, problems)
    return sibling


def _reports(status: Manifest) -> bool:
    """Return whether the status reports resources of containers."""
    for key in ("containerStatuses", "initContainerStatuses"):
        given = status.get(key)
        if given and isinstance(given, (list, tuple)):
            for one in given:
                # Of what is a dict, that is known sooner than whether something is a mapping.
                if (type(one) is dict or isinstance(one, Mapping)) and one.get("resources") is not None:
                    return True
    return False


def _scheduling_group(spec: Manifest, problems: Problems) -> str:
    group = read.mapping(spec, "schedulingGroup", "spec", problems) or _NOTHING
    name = read.required_text(group, "podGroupName", "spec.schedulingGroup", problems)
    if name and (rule := names.dns_subdomain(name)):
        problems.append(Problem("spec.schedulingGroup.podGroupName", name, rule))
    return name


def read_claim_names(json: Any, problems: Problems) -> dict[str, str | None]:
    """Parse `status.resourceClaimStatuses`."""
    return {
        read.required_text(item, "name", path, problems): (
            None if item.get("resourceClaimName") is None else read.text(item, "resourceClaimName", path, problems)
        )
        for path, item in read.mappings({"resourceClaimStatuses": json}, "resourceClaimStatuses", "status", problems)
    }


def _claims(spec: Manifest, problems: Problems) -> tuple[PodClaim, ...]:
    return tuple(_claim(item, path, problems) for path, item in read.mappings(spec, "resourceClaims", "spec", problems))


def _claim(item: Manifest, path: str, problems: Problems) -> PodClaim:
    name = read.required_text(item, "name", path, problems)
    if name and (rule := names.dns_label(name)):
        problems.append(Problem(f"{path}.name", name, rule))
    return PodClaim(
        name,
        read.text(item, "resourceClaimName", path, problems),
        read.text(item, "resourceClaimTemplateName", path, problems),
    )


def _required_features(spec: Manifest, host_network: bool) -> frozenset[str]:
    """Return the declared features that the Pod needs from its Node. Source (v1.36):
    component-helpers/nodedeclaredfeatures.
    """
    needed = set()
    if host_network and spec.get("hostUsers") is False:
        needed.add("UserNamespacesHostNetworkSupport")
    for key in ("containers", "initContainers"):
        listed = spec.get(key)
        for container in listed if isinstance(listed, list) else ():
            rules = container.get("restartPolicyRules") if isinstance(container, Mapping) else None
            if isinstance(rules, list) and any(_restarts_all(rule) for rule in rules):
                needed.add("RestartAllContainersOnContainerExits")
    return frozenset(needed) if needed else _NO_FEATURES


def _restarts_all(rule: object) -> bool:
    return isinstance(rule, Mapping) and rule.get("action") == "RestartAllContainers"


def _set_requests(pod: Pod, amounts: PodAmounts) -> None:
    """Source: PodInfo.CalculateResource; noderesources computePodResourceRequest, calculatePodResourceRequest."""
    if len(pod.containers) == 1 and not (
        amounts.init_containers or amounts.overhead or amounts.pod_requests or amounts.statuses
    ):
        requests = pod.containers[0].requests
        non_zero = requests if "cpu" in requests and "memory" in requests else {**_NON_ZERO_UNITS, **requests}
        pod.requests = pod.filter_requests = requests
        pod.nonzero_requests = pod.scoring_requests = non_zero
        return
    exact = pod_requests(amounts)
    pod.requests = pod.filter_requests = counted(exact)
    missing = node_non_zero(amounts, exact)
    pod.nonzero_requests = counted(pod_requests(amounts, missing=missing)) if missing else pod.requests
    pod.scoring_requests = pod.nonzero_requests
    if amounts.statuses:
        pod.filter_requests = counted(pod_requests(amounts, use_status=False))
    if amounts.statuses or amounts.pod_level:
        containers_only = dataclasses.replace(amounts, pod_requests=_NOTHING)
        pod.scoring_requests = counted(pod_requests(containers_only, use_status=False, missing=NON_ZERO))


def _pod_level(spec: Manifest, amounts: PodAmounts, problems: Problems) -> None:
    amounts.pod_requests, amounts.pod_limits = requirements(spec, "spec", problems, names.pod_resource)
    default_pod_level(amounts)
    check_requirements(amounts.pod_requests, amounts.pod_limits, "spec.resources", problems)


def _tolerations(spec: Manifest, problems: Problems) -> tuple[Toleration, ...]:
    """Source: ValidateTolerations."""
    tolerations = []
    for path, item in read.mappings(spec, "tolerations", "spec", problems):
        key = read.text(item, "key", path, problems)
        operator = read.choice(item, "operator", path, problems, ("Equal", "Exists"))
        value = read.text(item, "value", path, problems)
        effect = read.choice(item, "effect", path, problems, _EFFECTS)
        seconds = read.integer(item, "tolerationSeconds", path, problems, -read.INT64, read.INT64 - 1)
        if key and (rule := names.qualified_name(key)):
            problems.append(Problem(f"{path}.key", key, rule))
        if not key and operator != "Exists":
            rule = quoted('operator must be Exists when `key` is empty, which means "match all values and all keys"')
            problems.append(Problem(f"{path}.operator", operator, rule))
        if seconds is not None and effect != NO_EXECUTE:
            rule = quoted("effect must be 'NoExecute' when `tolerationSeconds` is set")
            problems.append(Problem(f"{path}.effect", effect, rule))
        if operator == "Exists":
            if value:
                problems.append(
                    Problem(f"{path}.value", value, quoted("value must be empty when `operator` is 'Exists'"))
                )
        elif rule := names.label_value(value):
            problems.append(Problem(f"{path}.value", value, rule))
        tolerations.append(Toleration(key, operator, value, effect, seconds))
    return tuple(tolerations)


def _gates(spec: Manifest, problems: Problems) -> tuple[str, ...]:
    gates: list[str] = []
    for path, item in read.mappings(spec, "schedulingGates", "spec", problems):
        name = read.required_text(item, "name", path, problems)
        if name and (rule := names.qualified_name(name)):
            problems.append(Problem(f"{path}.name", name, rule))
        if name in gates:
            problems.append(field_errors.duplicate(f"{path}.name", name))
        gates.append(name)
    return tuple(gates)


def read_conditions(status: Manifest, problems: Problems) -> tuple[PodCondition, ...]:
    return tuple(
        _condition(item, path, problems) for path, item in read.mappings(status, "conditions", "status", problems)
    )


def _condition(item: Manifest, path: str, problems: Problems) -> PodCondition:
    given = [item.get(key) for key in _CONDITION]
    short = [value for value in given if value is None or (type(value) is str and len(value) <= _SHORT)]
    known = _short_condition(*short) if len(short) == len(given) else None
    return known or _read_condition(item, path, problems)


@lru_cache(maxsize=1024)
def _short_condition(*given: str | None) -> PodCondition | None:
    """Many pods say the same at a moment: it is read once, and one for all. None if anything is wrong with it."""
    problems: Problems = []
    found = _read_condition(dict(zip(_CONDITION, given, strict=True)), "", problems)
    return None if problems else found


def _read_condition(item: Manifest, path: str, problems: Problems) -> PodCondition:
    return PodCondition(
        type=read.text(item, "type", path, problems),
        status=read.text(item, "status", path, problems),
        reason=read.text(item, "reason", path, problems),
        message=read.text(item, "message", path, problems),
        last_transition_time=read.timestamp(item, "lastTransitionTime", path, problems),
    )


def _reuse_conditions(status: Manifest, before: Pod | None, problems: Problems) -> tuple[PodCondition, ...]:
    """Return the conditions; those that are the same instances as before are not parsed again."""
    written = None if before is None else (before.manifest.get("status") or _NOTHING).get("conditions")
    if before is None or type(written) is not list or len(written) != len(before.conditions):
        return read_conditions(status, problems)
    known = dict(zip(map(id, written), before.conditions, strict=True))
    given = status["conditions"]
    if type(given) is list:
        same = [found for item in given if (found := known.get(id(item))) is not None]
        if len(same) == len(given):
            return tuple(same)
    return tuple(
        [
            known.get(id(item)) or _condition(item, path, problems)
            for path, item in read.mappings(status, "conditions", "status", problems)
        ]
    )


def _container_statuses(status: Manifest, problems: Problems) -> Mapping[str, ContainerStatusAmounts]:
    """Return the statuses that report resources, by container name."""
    statuses = {}
    for key in ("containerStatuses", "initContainerStatuses"):
        if status.get(key) is None:
            continue
        for path, item in read.mappings(status, key, "status", problems):
            if item.get("resources") is None:
                continue
            requests, _ = requirements(item, path, problems, names.container_resource)
            allocated = resource_list(item, "allocatedResources", path, problems)
            statuses[read.text(item, "name", path, problems)] = ContainerStatusAmounts(requests, allocated)
    return statuses
