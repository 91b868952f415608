"""Plugins for pods: Priority, DefaultTolerationSeconds, RuntimeClass, PodTopologyLabels. Source: plugin/pkg."""

from collections.abc import Mapping
from typing import Any

from kube_apiserver import errors
from kube_apiserver.admission.built_in.priorities import default_class
from kube_apiserver.admission.world import World
from kube_apiserver.resources import by_kind

Object = dict[str, Any]

_PATIENCE = [
    {"effect": "NoExecute", "key": f"node.kubernetes.io/{name}", "operator": "Exists", "tolerationSeconds": 300}
    for name in ("not-ready", "unreachable")
]
_PLACE = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")
_PREEMPTS = "PreemptLowerPriority"


def patience(pod: Object) -> None:
    """Source: defaulttolerationseconds; of a changed pod, too."""
    spec = pod["spec"]
    tolerations = spec.get("tolerations") or []
    if isinstance(tolerations, list):
        missing = [each for each in _PATIENCE if not any(_covers(there, each) for there in tolerations)]
        spec["tolerations"] = [*tolerations, *(dict(each) for each in missing)]


def _covers(there: Any, wanted: Mapping[str, Any]) -> bool:
    if not isinstance(there, dict) or there.get("effect") not in (None, "", "NoExecute"):
        return False
    return there.get("key") == wanted["key"] or (not there.get("key") and there.get("operator") == "Exists")


def keep_priority(pod: Object, live: Mapping[str, Any]) -> None:
    """Of a pod that is there both stay, where a client leaves them out. Source: plugin/pkg/admission/priority."""
    there = live.get("spec") or {}
    for key in ("priority", "preemptionPolicy"):
        if pod["spec"].get(key) is None and there.get(key) is not None:
            pod["spec"][key] = there[key]


def priority(pod: Object, world: World) -> None:
    """Source: plugin/pkg/admission/priority."""
    spec, chosen = pod["spec"], None
    name = spec.get("priorityClassName")
    if name:
        chosen = world.get("PriorityClass", str(name))
        if chosen is None:
            raise refused(pod, f"no PriorityClass with name {name} was found")
    else:
        marked = [each for each in world.list("PriorityClass") if each.get("globalDefault")]
        chosen = default_class(marked, lambda each: (int(each.get("value") or 0), str(each["metadata"]["name"])))
    value, policy = 0, _PREEMPTS
    if chosen is not None:
        spec["priorityClassName"] = chosen["metadata"]["name"]
        value, policy = int(chosen.get("value") or 0), chosen.get("preemptionPolicy") or _PREEMPTS
    computed = "must not be provided in pod spec; priority admission controller computed"
    given = spec.get("priority")
    if given is not None and given != value:
        message = f"the integer value of priority ({given}) {computed} {value} from the given PriorityClass name"
        raise refused(pod, message)
    if spec.get("preemptionPolicy") not in (None, policy):
        message = f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) {computed} {policy}"
        raise refused(pod, f"{message} from the given PriorityClass name")
    spec["priority"], spec["preemptionPolicy"] = value, policy


def runtime_class(pod: Object, world: World) -> None:
    """Source: plugin/pkg/admission/runtimeclass."""
    spec = pod["spec"]
    name, found = spec.get("runtimeClassName"), None
    if name:
        found = world.get("RuntimeClass", str(name))
        if found is None:
            raise refused(pod, f'pod rejected: RuntimeClass "{name}" not found')
    overhead = ((found or {}).get("overhead") or {}).get("podFixed")
    if overhead:
        if spec.get("overhead") not in (None, {}, overhead):
            raise refused(pod, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
        spec["overhead"] = dict(overhead)
    elif spec.get("overhead"):
        raise refused(pod, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
    scheduling = (found or {}).get("scheduling") or {}
    for key, value in (scheduling.get("nodeSelector") or {}).items():
        selector = spec.setdefault("nodeSelector", {})
        if selector.setdefault(key, value) != value:
            both = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}]"
            raise refused(pod, f"conflict: {both} = {selector[key]}")
    if scheduling:
        spec["tolerations"] = _merged([*(spec.get("tolerations") or []), *(scheduling.get("tolerations") or [])])


def _merged(tolerations: list[Object]) -> list[Object]:
    """Without those that another covers; the first of equal ones. Source: pkg/util/tolerations MergeTolerations."""
    merged = list[Object]()
    for number, each in enumerate(tolerations):
        later = [other for other in tolerations[number + 1 :] if other != each]
        if not any(_tolerates_as_much(other, each) for other in [*merged, *later]):
            merged.append(each)
    return merged


def _tolerates_as_much(wide: Object, narrow: Object) -> bool:
    """Source: isSuperset."""
    exists = wide.get("operator") == "Exists"
    if wide == narrow:
        return True
    if wide.get("key") != narrow.get("key") and (wide.get("key") or not exists):
        return False
    if wide.get("effect") and wide["effect"] != narrow.get("effect"):
        return False
    most, seconds = wide.get("tolerationSeconds"), narrow.get("tolerationSeconds")
    if wide.get("effect") == "NoExecute" and most is not None and (seconds is None or seconds > most):
        return False
    return exists or (narrow.get("operator") == "Equal" and narrow.get("value") == wide.get("value"))


def topology(node: str, labels: Mapping[str, Any] | None, world: World) -> Object:
    """The labels of a pod that gets a node, with those of the node's place. Source: podtopologylabels."""
    found = ((world.get("Node", node) or {}).get("metadata") or {}).get("labels") or {}
    return {**(labels or {}), **{name: found[name] for name in _PLACE if name in found}}


def refused(pod: Object, why: str) -> errors.ApiError:
    metadata = pod["metadata"]
    return errors.refused(by_kind("Pod"), str(metadata.get("name") or metadata.get("generateName") or ""), why)
