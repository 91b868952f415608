"""Strategies that check one Pod at a time. Source: descheduler/pkg/framework/plugins/removepods…, podlifetime."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kube_controllers.descheduler.evictor import Evictor
from kube_controllers.pods import phase
from kube_objects.manifests import (
    Manifest,
    created,
    is_deleted,
    labels,
    name,
    namespace,
    owners,
    parse_time,
    spec,
    status,
)
from kube_objects.selectors import required_node_affinity, selects
from kube_objects.sentences import say
from kube_objects.taints import as_tolerations, untolerated

Arguments = Mapping[str, Any]
Strategy = Callable[[Evictor, Arguments], None]


def is_selected(pod: Manifest, arguments: Arguments) -> bool:
    """Return whether the arguments select the Pod's namespace and labels."""
    namespaces = arguments.get("namespaces") or {}
    include, exclude = namespaces.get("include") or (), namespaces.get("exclude") or ()
    if (include and namespace(pod) not in include) or namespace(pod) in exclude:
        return False
    selector = arguments.get("labelSelector")
    return selector is None or selects(selector, labels(pod))


def least_important_first(pods: Iterable[Manifest]) -> list[Manifest]:
    """Return the Pods by priority and QoS class, the lowest first. Source: SortPodsBasedOnPriorityLowToHigh."""
    return sorted(pods, key=lambda pod: (int(spec(pod).get("priority") or 0), _qos_rank(pod)))


def _qos_rank(pod: Manifest) -> int:
    """Return 0 for BestEffort, 1 for Burstable, 2 for Guaranteed."""
    resources = [container.get("resources") or {} for container in spec(pod).get("containers") or ()]
    if not any(one.get("requests") or one.get("limits") for one in resources):
        return 0
    same = all(one.get("limits") and (one.get("requests") or one["limits"]) == one["limits"] for one in resources)
    return 2 if same else 1


def evict_restarting_pods(evictor: Evictor, arguments: Arguments) -> None:
    """Evict Pods that restarted too often. Source: RemovePodsHavingTooManyRestarts."""
    least, with_init = int(arguments.get("podRestartThreshold", 0)), arguments.get("includingInitContainers")
    for node in evictor.nodes:
        for pod in evictor.pods_on(node):
            fields = ("containerStatuses", "initContainerStatuses") if with_init else ("containerStatuses",)
            statuses = [container for field in fields for container in status(pod).get(field) or ()]
            count = sum(int(container.get("restartCount") or 0) for container in statuses)
            if count < least or not is_selected(pod, arguments) or not _is_in_state(pod, statuses, arguments):
                continue
            if evictor.may_evict(pod):
                evictor.evict(
                    pod,
                    "RemovePodsHavingTooManyRestarts",
                    say("its containers restarted {count} times", count=count),
                )


def _is_in_state(pod: Manifest, statuses: Iterable[Mapping[str, Any]], arguments: Arguments) -> bool:
    wanted = arguments.get("states")
    if not wanted or phase(pod) in wanted or status(pod).get("reason") in wanted:
        return True
    waiting = (((container.get("state") or {}).get("waiting") or {}).get("reason") for container in statuses)
    return any(reason in wanted for reason in waiting)


def evict_old_pods(evictor: Evictor, arguments: Arguments) -> None:
    """Evict Pods that are too old, the oldest first. Source: PodLifeTime."""
    most = float(arguments.get("maxPodLifeTimeSeconds", 0))
    now = evictor.api.view.now
    for node in evictor.nodes:
        for pod in sorted(evictor.pods_on(node), key=created):
            age = now - (parse_time(created(pod) or None) or now)
            selected = is_selected(pod, arguments) and _is_in_state(
                pod, status(pod).get("containerStatuses") or (), arguments
            )
            if age > most and selected and evictor.may_evict(pod):
                evictor.evict(pod, "PodLifeTime", say("it is {seconds} seconds old", seconds=round(age)))


def evict_failed_pods(evictor: Evictor, arguments: Arguments) -> None:
    """Evict failed Pods. Source: RemoveFailedPods."""
    least, now = float(arguments.get("minPodLifetimeSeconds", 0)), evictor.api.view.now
    reasons, excluded = arguments.get("reasons") or (), arguments.get("excludeOwnerKinds") or ()
    for node in evictor.nodes:
        for pod in evictor.api.view.pods_on(name(node)):
            age = now - (parse_time(created(pod) or None) or now)
            if phase(pod) != "Failed" or age < least or is_deleted(pod) or not is_selected(pod, arguments):
                continue
            if any(owner.get("kind") in excluded for owner in owners(pod)):
                continue
            if (not reasons or _reasons_of(pod) & set(reasons)) and evictor.may_evict(pod):
                evictor.evict(pod, "RemoveFailedPods", say("it has failed"))


def _reasons_of(pod: Manifest) -> set[str]:
    reasons = {str(status(pod).get("reason"))}
    for container in status(pod).get("containerStatuses") or ():
        state = container.get("state") or {}
        reasons |= {str((state.get(state_name) or {}).get("reason")) for state_name in ("waiting", "terminated")}
    return reasons


def evict_tainted_pods(evictor: Evictor, arguments: Arguments) -> None:
    """Evict Pods that don't tolerate a taint of their Node. Source: RemovePodsViolatingNodeTaints."""
    effects = ("NoSchedule", "PreferNoSchedule") if arguments.get("includePreferNoSchedule") else ("NoSchedule",)
    excluded = arguments.get("excludedTaints") or ()
    for node in evictor.nodes:
        taints = [
            one
            for one in spec(node).get("taints") or ()
            if one.get("effect") in effects
            and one.get("key") not in excluded
            and f"{one.get('key')}={one.get('value', '')}" not in excluded
        ]
        for pod in evictor.pods_on(node) if taints else ():
            unmet = untolerated(as_tolerations(spec(pod).get("tolerations")), taints)
            if unmet and is_selected(pod, arguments) and evictor.may_evict(pod):
                why = say("it does not tolerate the taint {taint} of its node", taint=str(unmet[0].get("key")))
                evictor.evict(pod, "RemovePodsViolatingNodeTaints", why)


def evict_misplaced_pods(evictor: Evictor, arguments: Arguments) -> None:
    """Evict Pods whose Node no longer meets their required node affinity. Source: RemovePodsViolatingNodeAffinity."""
    for node in evictor.nodes:
        for pod in evictor.pods_on(node):
            is_affine = required_node_affinity(spec(pod)).matches(labels(node), name(node))
            if is_affine or not is_selected(pod, arguments) or not evictor.fits_elsewhere(pod):
                continue
            if evictor.may_evict(pod):
                why = say("its node does not have what its node affinity requires")
                evictor.evict(pod, "RemovePodsViolatingNodeAffinity", why)


def evict_repelled_pods(evictor: Evictor, arguments: Arguments) -> None:
    """Evict the less important of two Pods that must not share a domain. Source:
    RemovePodsViolatingInterPodAntiAffinity.
    """
    for node in evictor.nodes:
        for pod in least_important_first(evictor.pods_on(node)):
            if not is_selected(pod, arguments) or not evictor.may_evict(pod):
                continue
            other = _repelled_by(pod, node, evictor)
            if other is not None:
                why = say("anti-affinity forbids a domain shared with Pod {other}", other=name(other))
                evictor.evict(pod, "RemovePodsViolatingInterPodAntiAffinity", why)


def _repelled_by(pod: Manifest, node: Manifest, evictor: Evictor) -> Manifest | None:
    for there in evictor.nodes:
        for other in evictor.pods_on(there):
            if other is not pod and _repels(other, there, pod, node):
                return other
    return None


def _repels(other: Manifest, there: Manifest, pod: Manifest, node: Manifest) -> bool:
    affinity = ((spec(other).get("affinity") or {}).get("podAntiAffinity")) or {}
    for term in affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or ():
        inside = term.get("namespaces") or (namespace(other),)
        domain = str(term.get("topologyKey"))
        shared = labels(node).get(domain)
        if shared is None or labels(there).get(domain) != shared or namespace(pod) not in inside:
            continue
        if selects(term.get("labelSelector"), labels(pod)):
            return True
    return False
