"""Strategies that look at all nodes together: duplicates, spread, utilization.

Source: descheduler/pkg/framework/plugins.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.cluster_autoscaler.utilization import requested
from kube_controllers.descheduler.evictor import Evictor
from kube_controllers.descheduler.strategies import Arguments, is_meant, least_important_first
from kube_objects.manifests import Manifest, labels, name, namespace, owners, spec, status
from kube_objects.quantity import parse_milli
from kube_objects.selectors import as_label_selector, required_node_affinity
from kube_objects.sentences import say
from kube_objects.taints import as_tolerations, untolerated

_DO_NOT = "DoNotSchedule"


def duplicates(evictor: Evictor, arguments: Arguments) -> None:
    """RemoveDuplicates: pods of one owner with the same images share a node where others have fewer of them."""
    excluded = arguments.get("excludeOwnerKinds") or ()
    found: dict[tuple[Any, ...], dict[str, list[Manifest]]] = {}
    for node in evictor.nodes:
        for pod in evictor.pods_on(node):
            if not owners(pod) or any(one.get("kind") in excluded for one in owners(pod)):
                continue
            if is_meant(pod, arguments) and evictor.may_evict(pod):
                found.setdefault(_alike(pod), {}).setdefault(name(node), []).append(pod)
    for by_node in found.values():
        first = next(iter(by_node.values()))[0]
        targets = [node for node in evictor.nodes if _may_host(node, first)]
        if len(targets) < 2:
            continue
        share = math.ceil(sum(map(len, by_node.values())) / len(targets))
        for pods in by_node.values():
            for pod in pods[share:]:
                why = say(
                    "its node has {count} pods of its owner, {share} would be its share", count=len(pods), share=share
                )
                evictor.evict(pod, "RemoveDuplicates", why)


def _alike(pod: Manifest) -> tuple[Any, ...]:
    images = tuple(sorted(str(one.get("image", "")) for one in spec(pod).get("containers") or ()))
    by = tuple(sorted((str(one.get("kind")), str(one.get("name"))) for one in owners(pod)))
    return namespace(pod), by, images


def _may_host(node: Manifest, pod: Manifest) -> bool:
    """Source: getTargetNodes: tolerated taints, node selector and affinity, not cordoned."""
    if spec(node).get("unschedulable") or not _tolerated(node, pod):
        return False
    return required_node_affinity(spec(pod)).matches(labels(node), name(node))


def _tolerated(node: Manifest, pod: Manifest) -> bool:
    taints = [one for one in spec(node).get("taints") or () if one.get("effect") in ("NoSchedule", "NoExecute")]
    return not untolerated(as_tolerations(spec(pod).get("tolerations")), taints)


def spread(evictor: Evictor, arguments: Arguments) -> None:
    """RemovePodsViolatingTopologySpreadConstraint."""
    kinds = arguments.get("constraints") or (_DO_NOT,)
    pods = [(pod, node) for node in evictor.nodes for pod in evictor.pods_on(node) if is_meant(pod, arguments)]
    going: dict[int, tuple[Manifest, str]] = {}
    for inside in dict.fromkeys(namespace(pod) for pod, _ in pods):
        seen: list[Any] = []
        here = [(pod, node) for pod, node in pods if namespace(pod) == inside]
        for pod, _ in here:
            for constraint in spec(pod).get("topologySpreadConstraints") or ():
                who = (
                    constraint,
                    spec(pod).get("nodeSelector"),
                    spec(pod).get("affinity"),
                    spec(pod).get("tolerations"),
                )
                if constraint.get("whenUnsatisfiable", _DO_NOT) not in kinds or who in seen:
                    continue
                seen.append(who)
                _balance(constraint, pod, here, evictor, arguments, going)
    for pod, why in going.values():
        if evictor.may_evict(pod):
            evictor.evict(pod, "RemovePodsViolatingTopologySpreadConstraint", why)


def _balance(
    constraint: Mapping[str, Any],
    of: Manifest,
    pods: Sequence[tuple[Manifest, Manifest]],
    evictor: Evictor,
    arguments: Arguments,
    going: dict[int, tuple[Manifest, str]],
) -> None:
    """From the fullest domains to the emptiest until no two differ by more than allowed. Source: balanceDomains.

    A pod that fits on no node below the average stays, but counts as moved, so that the search comes to an end.
    """
    domain, skew = str(constraint["topologyKey"]), int(constraint["maxSkew"])
    eligible = [node for node in evictor.nodes if domain in labels(node) and _counts(node, of, constraint)]
    domains: dict[str, list[Manifest]] = {labels(node)[domain]: [] for node in eligible}
    selector = as_label_selector(constraint.get("labelSelector"))
    known = {name(node) for node in eligible}
    for pod, node in pods:
        if name(node) in known and selector is not None and selector.matches(labels(pod)):
            domains[labels(node)[domain]].append(pod)
    if not domains or max(map(len, domains.values())) - min(map(len, domains.values())) <= skew:
        return
    ordered = sorted((_in_order(found, evictor) for found in domains.values()), key=len)
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
            "its domain has {larger} pods, another {smaller}: at most {skew} more",
            larger=larger,
            smaller=smaller,
            skew=skew,
        )
        for pod in moved:
            if not arguments.get("topologyBalanceNodeFit", True) or evictor.fits_on(pod, below_average):
                going[id(pod)] = (pod, why)
        ordered[high] = ordered[high][:-count]
        ordered[low] = [*ordered[low], *moved]


def _counts(node: Manifest, of: Manifest, constraint: Mapping[str, Any]) -> bool:
    """Whether the node's domain counts for the pod. Source: filterEligibleNodes."""
    is_affine = required_node_affinity(spec(of)).matches(labels(node), name(node))
    if constraint.get("nodeAffinityPolicy", "Honor") == "Honor" and not is_affine:
        return False
    return constraint.get("nodeTaintsPolicy", "Ignore") != "Honor" or _tolerated(node, of)


def _in_order(pods: Iterable[Manifest], evictor: Evictor) -> list[Manifest]:
    """Those at the end go first: not those that may not go, nor before others those bound to some nodes, nor the more
    important ones. Source: sortDomains."""
    return sorted(
        pods,
        key=lambda pod: (
            evictor.may_evict(pod),
            not (spec(pod).get("nodeSelector") or (spec(pod).get("affinity") or {}).get("nodeAffinity")),
            -int(spec(pod).get("priority") or 0),
        ),
    )


# Utilization


def _usage(node: Manifest, pods: Iterable[Manifest], resource: str) -> int:
    found = list(pods)
    return 1000 * len(found) if resource == "pods" else sum(requested(pod, resource) for pod in found)


def _capacity(node: Manifest, resource: str) -> int:
    return parse_milli(str((status(node).get("allocatable") or {}).get(resource, 0)))


def _percents(node: Manifest, evictor: Evictor, resources: Iterable[str]) -> dict[str, float]:
    pods = evictor.pods_on(node)
    return {
        resource: 100.0 * _usage(node, pods, resource) / whole if (whole := _capacity(node, resource)) else 0.0
        for resource in resources
    }


def low_utilization(evictor: Evictor, arguments: Arguments) -> None:
    """LowNodeUtilization: pods leave nodes above the target as long as those below the thresholds have room."""
    low, target = dict(arguments.get("thresholds") or {}), dict(arguments.get("targetThresholds") or {})
    resources = list(dict.fromkeys([*low, *target, "cpu", "memory", "pods"]))
    used = {name(node): _percents(node, evictor, resources) for node in evictor.nodes}
    by_name = {name(node): node for node in evictor.nodes}
    if arguments.get("useDeviationThresholds"):
        low, target = _deviating(used, low, target, resources)
    under = [
        node
        for node, found in used.items()
        if not spec(by_name[node]).get("unschedulable") and all(found[one] <= low.get(one, 100) for one in resources)
    ]
    over = [node for node, found in used.items() if any(found[one] > target.get(one, 100) for one in resources)]
    if not under or not over or len(under) <= int(arguments.get("numberOfNodes", 0)):
        return
    room = {
        one: sum(_capacity(by_name[node], one) * (target.get(one, 100) - used[node][one]) / 100.0 for node in under)
        for one in resources
    }
    over.sort(key=lambda node: -sum(used[node].values()))
    for node in over:
        limits = {one: target.get(one, 100.0) for one in resources}
        _relieve(evictor, by_name[node], limits, room, arguments, "LowNodeUtilization")


def _deviating(
    used: Mapping[str, Mapping[str, float]], low: Mapping[str, Any], target: Mapping[str, Any], resources: Iterable[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Thresholds around the average. Source: getNodeThresholds."""
    below, above = {}, {}
    for one in resources:
        average = sum(found[one] for found in used.values()) / len(used) if used else 0.0
        below[one] = max(average - float(low[one]), 0.0) if one in low else 100.0
        above[one] = min(average + float(target[one]), 100.0) if one in target else 100.0
    return below, above


def _relieve(
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
        now = _percents(node, evictor, room)
        high = [one for one, value in now.items() if value > limits[one]]
        if not high or any(left <= 0 for left in room.values()):
            return
        if namespace(pod) in excluded or not evictor.may_evict(pod):
            continue
        why = say(
            "{percent} % of {resource} of its node are asked for, {limit} % are the target",
            percent=round(now[high[0]]),
            resource=high[0],
            limit=round(limits[high[0]]),
        )
        if evictor.evict(pod, strategy, why):
            for one in room:
                room[one] -= 1000 if one == "pods" else requested(pod, one)


def high_utilization(evictor: Evictor, arguments: Arguments) -> None:
    """HighNodeUtilization: nodes that are hardly used are emptied as long as the others have room."""
    low: Mapping[str, Any] = arguments.get("thresholds") or {}
    resources = list(dict.fromkeys([*low, "cpu", "memory", "pods"]))
    used = {name(node): _percents(node, evictor, resources) for node in evictor.nodes}
    by_name = {name(node): node for node in evictor.nodes}
    under = [node for node, found in used.items() if all(found[one] <= low.get(one, 100) for one in resources)]
    over = [node for node in used if node not in under and not spec(by_name[node]).get("unschedulable")]
    if not under or not over or len(under) <= int(arguments.get("numberOfNodes", 0)):
        return
    room = {
        one: sum(_capacity(by_name[node], one) * (100 - used[node][one]) / 100.0 for node in over) for one in resources
    }
    under.sort(key=lambda node: sum(used[node].values()))
    for node in under:
        nothing = dict.fromkeys(resources, 0.0)
        _relieve(evictor, by_name[node], nothing, room, arguments, "HighNodeUtilization")
