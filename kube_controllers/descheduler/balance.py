"""Strategies that compare all Nodes: duplicates, topology spread, utilization.

Source: descheduler/pkg/framework/plugins.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.cluster_autoscaler.utilization import requested
from kube_controllers.descheduler.evictor import Evictor
from kube_controllers.descheduler.strategies import Arguments, is_selected, least_important_first
from kube_objects.manifests import Manifest, labels, name, namespace, owners, spec, status
from kube_objects.quantity import parse_milli
from kube_objects.selectors import as_label_selector, required_node_affinity
from kube_objects.sentences import say
from kube_objects.taints import as_tolerations, untolerated

_DO_NOT = "DoNotSchedule"


def remove_duplicates(evictor: Evictor, arguments: Arguments) -> None:
    """Evict Pods of one owner with the same images from Nodes that have more than their share. Source:
    RemoveDuplicates.
    """
    excluded = arguments.get("excludeOwnerKinds") or ()
    groups: dict[tuple[Any, ...], dict[str, list[Manifest]]] = {}
    for node in evictor.nodes:
        for pod in evictor.pods_on(node):
            if not owners(pod) or any(owner.get("kind") in excluded for owner in owners(pod)):
                continue
            if is_selected(pod, arguments) and evictor.may_evict(pod):
                groups.setdefault(_duplicate_key(pod), {}).setdefault(name(node), []).append(pod)
    for by_node in groups.values():
        first = next(iter(by_node.values()))[0]
        targets = [node for node in evictor.nodes if _may_host(node, first)]
        if len(targets) < 2:
            continue
        share = math.ceil(sum(map(len, by_node.values())) / len(targets))
        for pods in by_node.values():
            for pod in pods[share:]:
                why = say(
                    "its node has {count} Pods of its owner; an even share is {share}", count=len(pods), share=share
                )
                evictor.evict(pod, "RemoveDuplicates", why)


def _duplicate_key(pod: Manifest) -> tuple[Any, ...]:
    images = tuple(sorted(str(container.get("image", "")) for container in spec(pod).get("containers") or ()))
    owner_names = tuple(sorted((str(owner.get("kind")), str(owner.get("name"))) for owner in owners(pod)))
    return namespace(pod), owner_names, images


def _may_host(node: Manifest, pod: Manifest) -> bool:
    """Return whether the Node could run the Pod: taints, node selector, affinity, cordon. Source: getTargetNodes."""
    if spec(node).get("unschedulable") or not _tolerated(node, pod):
        return False
    return required_node_affinity(spec(pod)).matches(labels(node), name(node))


def _tolerated(node: Manifest, pod: Manifest) -> bool:
    taints = [one for one in spec(node).get("taints") or () if one.get("effect") in ("NoSchedule", "NoExecute")]
    return not untolerated(as_tolerations(spec(pod).get("tolerations")), taints)


def balance_topology_spread(evictor: Evictor, arguments: Arguments) -> None:
    """Evict Pods that violate topology spread constraints. Source: RemovePodsViolatingTopologySpreadConstraint."""
    kinds = arguments.get("constraints") or (_DO_NOT,)
    pods = [(pod, node) for node in evictor.nodes for pod in evictor.pods_on(node) if is_selected(pod, arguments)]
    to_evict: dict[int, tuple[Manifest, str]] = {}
    for pod_namespace in dict.fromkeys(namespace(pod) for pod, _ in pods):
        seen: list[Any] = []
        namespace_pods = [(pod, node) for pod, node in pods if namespace(pod) == pod_namespace]
        for pod, _ in namespace_pods:
            for constraint in spec(pod).get("topologySpreadConstraints") or ():
                constraint_key = (
                    constraint,
                    spec(pod).get("nodeSelector"),
                    spec(pod).get("affinity"),
                    spec(pod).get("tolerations"),
                )
                if constraint.get("whenUnsatisfiable", _DO_NOT) not in kinds or constraint_key in seen:
                    continue
                seen.append(constraint_key)
                _balance(constraint, pod, namespace_pods, evictor, arguments, to_evict)
    for pod, why in to_evict.values():
        if evictor.may_evict(pod):
            evictor.evict(pod, "RemovePodsViolatingTopologySpreadConstraint", why)


def _balance(
    constraint: Mapping[str, Any],
    example: Manifest,
    pods: Sequence[tuple[Manifest, Manifest]],
    evictor: Evictor,
    arguments: Arguments,
    to_evict: dict[int, tuple[Manifest, str]],
) -> None:
    """Move Pods from the fullest to the emptiest domains until the skew is allowed. Source: balanceDomains.

    A Pod that fits on no Node below the average stays, but counts as moved, so that the search ends.
    """
    domain, skew = str(constraint["topologyKey"]), int(constraint["maxSkew"])
    eligible = [node for node in evictor.nodes if domain in labels(node) and _is_eligible(node, example, constraint)]
    domains: dict[str, list[Manifest]] = {labels(node)[domain]: [] for node in eligible}
    selector = as_label_selector(constraint.get("labelSelector"))
    known = {name(node) for node in eligible}
    for pod, node in pods:
        if name(node) in known and selector is not None and selector.matches(labels(pod)):
            domains[labels(node)[domain]].append(pod)
    if not domains or max(map(len, domains.values())) - min(map(len, domains.values())) <= skew:
        return
    ordered = sorted((_sort_for_eviction(pods_of_domain, evictor) for pods_of_domain in domains.values()), key=len)
    ideal = sum(map(len, ordered)) / len(ordered)
    below_average = [name(node) for node in eligible if len(domains[labels(node)[domain]]) < ideal]
    low, high = 0, len(ordered) - 1
    while low < high:
        if len(ordered[high]) <= ideal:
            high -= 1
        larger, smaller = len(ordered[high]), len(ordered[low])
        above, below = math.ceil(larger - ideal), math.ceil(ideal - smaller)
        count = min(above, below, math.ceil((larger - smaller - skew) / 2))
        if larger - smaller <= skew or count <= 0:
            low += 1
            continue
        moved = ordered[high][-count:]
        why = say(
            "its domain has {larger} Pods and another has {smaller}; maxSkew is {skew}",
            larger=larger,
            smaller=smaller,
            skew=skew,
        )
        for pod in moved:
            if not arguments.get("topologyBalanceNodeFit", True) or evictor.fits_on(pod, below_average):
                to_evict[id(pod)] = (pod, why)
        ordered[high] = ordered[high][:-count]
        ordered[low] = [*ordered[low], *moved]


def _is_eligible(node: Manifest, pod: Manifest, constraint: Mapping[str, Any]) -> bool:
    """Return whether the Node's domain counts for the Pod. Source: filterEligibleNodes."""
    is_affine = required_node_affinity(spec(pod)).matches(labels(node), name(node))
    if constraint.get("nodeAffinityPolicy", "Honor") == "Honor" and not is_affine:
        return False
    return constraint.get("nodeTaintsPolicy", "Ignore") != "Honor" or _tolerated(node, pod)


def _sort_for_eviction(pods: Iterable[Manifest], evictor: Evictor) -> list[Manifest]:
    """Return the Pods so that those to evict first are at the end.

    Pods that can't be evicted come first, then Pods bound to certain Nodes last, then higher priorities. Source:
    sortDomains.
    """
    return sorted(
        pods,
        key=lambda pod: (
            evictor.may_evict(pod),
            not (spec(pod).get("nodeSelector") or (spec(pod).get("affinity") or {}).get("nodeAffinity")),
            -int(spec(pod).get("priority") or 0),
        ),
    )


# Utilization


def _usage_of(node: Manifest, pods: Iterable[Manifest], resource: str) -> int:
    listed = list(pods)
    return 1000 * len(listed) if resource == "pods" else sum(requested(pod, resource) for pod in listed)


def _capacity(node: Manifest, resource: str) -> int:
    return parse_milli(str((status(node).get("allocatable") or {}).get(resource, 0)))


def _utilization(node: Manifest, evictor: Evictor, resources: Iterable[str]) -> dict[str, float]:
    pods = evictor.pods_on(node)
    return {
        resource: 100.0 * _usage_of(node, pods, resource) / whole if (whole := _capacity(node, resource)) else 0.0
        for resource in resources
    }


def relieve_overused_nodes(evictor: Evictor, arguments: Arguments) -> None:
    """Evict Pods from Nodes above the target while Nodes below the thresholds have room. Source: LowNodeUtilization."""
    low, target = dict(arguments.get("thresholds") or {}), dict(arguments.get("targetThresholds") or {})
    resources = list(dict.fromkeys([*low, *target, "cpu", "memory", "pods"]))
    used = {name(node): _utilization(node, evictor, resources) for node in evictor.nodes}
    by_name = {name(node): node for node in evictor.nodes}
    if arguments.get("useDeviationThresholds"):
        low, target = _deviation_thresholds(used, low, target, resources)
    under = [
        node
        for node, percents in used.items()
        if not spec(by_name[node]).get("unschedulable")
        and all(percents[resource] <= low.get(resource, 100) for resource in resources)
    ]
    over = [
        node
        for node, percents in used.items()
        if any(percents[resource] > target.get(resource, 100) for resource in resources)
    ]
    if not under or not over or len(under) <= int(arguments.get("numberOfNodes", 0)):
        return
    room = {
        resource: sum(
            _capacity(by_name[node], resource) * (target.get(resource, 100) - used[node][resource]) / 100.0
            for node in under
        )
        for resource in resources
    }
    over.sort(key=lambda node: -sum(used[node].values()))
    for node in over:
        limits = {resource: target.get(resource, 100.0) for resource in resources}
        _evict_from(evictor, by_name[node], limits, room, arguments, "LowNodeUtilization")


def _deviation_thresholds(
    used: Mapping[str, Mapping[str, float]], low: Mapping[str, Any], target: Mapping[str, Any], resources: Iterable[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return thresholds relative to the average utilization. Source: getNodeThresholds."""
    below, above = {}, {}
    for resource in resources:
        average = sum(percents[resource] for percents in used.values()) / len(used) if used else 0.0
        below[resource] = max(average - float(low[resource]), 0.0) if resource in low else 100.0
        above[resource] = min(average + float(target[resource]), 100.0) if resource in target else 100.0
    return below, above


def _evict_from(
    evictor: Evictor,
    node: Manifest,
    limits: Mapping[str, float],
    room: dict[str, float],
    arguments: Arguments,
    strategy: str,
) -> None:
    """Source: evictPodsFromSourceNodes, evictPods."""
    excluded = (arguments.get("evictableNamespaces") or {}).get("exclude") or ()
    for pod in least_important_first(evictor.pods_on(node)):
        now = _utilization(node, evictor, room)
        high = [resource for resource, value in now.items() if value > limits[resource]]
        if not high or any(left <= 0 for left in room.values()):
            return
        if namespace(pod) in excluded or not evictor.may_evict(pod):
            continue
        why = say(
            "{percent} % of its node's {resource} is requested; the target is {limit} %",
            percent=round(now[high[0]]),
            resource=high[0],
            limit=round(limits[high[0]]),
        )
        if evictor.evict(pod, strategy, why):
            for resource in room:
                room[resource] -= 1000 if resource == "pods" else requested(pod, resource)


def empty_underused_nodes(evictor: Evictor, arguments: Arguments) -> None:
    """Evict Pods from Nodes below the thresholds while the others have room. Source: HighNodeUtilization."""
    low: Mapping[str, Any] = arguments.get("thresholds") or {}
    resources = list(dict.fromkeys([*low, "cpu", "memory", "pods"]))
    used = {name(node): _utilization(node, evictor, resources) for node in evictor.nodes}
    by_name = {name(node): node for node in evictor.nodes}
    under = [
        node
        for node, percents in used.items()
        if all(percents[resource] <= low.get(resource, 100) for resource in resources)
    ]
    over = [node for node in used if node not in under and not spec(by_name[node]).get("unschedulable")]
    if not under or not over or len(under) <= int(arguments.get("numberOfNodes", 0)):
        return
    room = {
        resource: sum(_capacity(by_name[node], resource) * (100 - used[node][resource]) / 100.0 for node in over)
        for resource in resources
    }
    under.sort(key=lambda node: sum(used[node].values()))
    for node in under:
        nothing = dict.fromkeys(resources, 0.0)
        _evict_from(evictor, by_name[node], nothing, room, arguments, "HighNodeUtilization")
