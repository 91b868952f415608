"""PodSecurity: check Pods, workloads and labels of a namespace against its level.

Source: pod-security-admission/admission. There are no exemptions and no audit annotations.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_apiserver import causes, errors
from kube_apiserver.admission import pod_parts
from kube_apiserver.admission.attributes import Attributes, ClusterReader
from kube_apiserver.admission.pod_security import levels
from kube_apiserver.admission.pod_security.checks import as_text, problems, violation
from kube_apiserver.admission.pod_security.levels import Level
from kube_apiserver.resources import Resource

Object = Mapping[str, Any]
_POD_SUBRESOURCES = ("", "resize", "ephemeralcontainers")
_MOST_PODS = 3000


def validate(attributes: Attributes) -> list[str]:
    """Return the warnings for the client, or raise ApiError for a Pod or labels that aren't allowed."""
    resource, live, value, world = attributes.resource, attributes.live, attributes.value, attributes.world
    kind, subresource = resource.kind, attributes.subresource
    if resource.custom is not None:
        return []
    if kind == "Namespace":
        return [] if subresource else _check_namespace(resource, live, value, world)
    if kind == "Pod":
        is_judged = subresource in _POD_SUBRESOURCES and (live is None or _matters(live, value))
        return _check_pod(resource, value, value, world, is_enforced=True) if is_judged else []
    if kind not in pod_parts.TEMPLATES or subresource:
        return []
    template: Any = value
    for name in pod_parts.TEMPLATES[kind]:
        template = template.get(name) or {}
    return _check_pod(resource, value, template, world, is_enforced=False) if template else []


def _check_pod(resource: Resource, value: Object, pod: Object, world: ClusterReader, *, is_enforced: bool) -> list[str]:
    namespace = world.get("Namespace", str(value["metadata"].get("namespace") or ""))
    labels = ((namespace or {}).get("metadata") or {}).get("labels") or {}
    if not levels.are_any(labels):
        return []
    policy = levels.policy_of(labels)
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    if is_enforced and (why := violation(policy.enforce, metadata, spec)):
        raise errors.refused(resource, str(value["metadata"].get("name") or ""), why)
    found = problems(policy.warn, metadata, spec)
    return [f'would violate PodSecurity "{policy.warn}": {as_text(found)}'] if found else []


def _matters(live: Object, value: Object) -> bool:
    """Return True if an update of a Pod changes checked fields. Source: isSignificantPodUpdate."""
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    for part in ("containers", "initContainers"):
        if [each.get("image") for each in was.get(part) or ()] != [each.get("image") for each in spec.get(part) or ()]:
            return True
    there = {each.get("name"): each.get("image") for each in was.get("ephemeralContainers") or ()}
    now = spec.get("ephemeralContainers") or ()
    return any(each.get("name") not in there or there[each.get("name")] != each.get("image") for each in now)


def _check_namespace(resource: Resource, live: Object | None, value: Object, world: ClusterReader) -> list[str]:
    new = levels.policy_of(value["metadata"].get("labels") or {})
    old = None if live is None else levels.policy_of(live["metadata"].get("labels") or {})
    name = str(value["metadata"].get("name") or "")
    if new.problems and (old is None or new.problems != old.problems):
        raise errors.invalid(resource, name, [causes.invalid(*each) for each in new.problems])
    if old is None or new.enforce == old.enforce or new.enforce.name == levels.PRIVILEGED:
        return []
    if new.enforce.version == old.enforce.version and new.enforce.strictness <= old.enforce.strictness:
        return []
    return _warn_about_pods(name, new.enforce, world.list("Pod", name))


def _warn_about_pods(namespace: str, level: Level, pods: Sequence[Object]) -> list[str]:
    """Return warnings about existing Pods that violate a new level. Source: EvaluatePodsInNamespace."""
    warnings, named = [], dict[str, list[str]]()
    for each in pods[:_MOST_PODS]:
        if found := problems(level, each.get("metadata") or {}, each.get("spec") or {}):
            named.setdefault(", ".join(reason for reason, _ in found), []).append(str(each["metadata"]["name"]))
    if len(pods) > _MOST_PODS:
        checked = f"the first {_MOST_PODS} of {len(pods)} existing pods"
        warnings.append(f"new PodSecurity enforce level only checked against {checked}")
    if named:
        warnings.append(f'existing pods in namespace "{namespace}" violate the new PodSecurity enforce level "{level}"')
    return warnings + sorted(f"{_some(names)}: {reasons}" for reasons, names in named.items())


def _some(names: Sequence[str]) -> str:
    more = len(names) - 1
    others = f" (and {more} other pod{'s' if more > 1 else ''})" if more else ""
    return f"{min(names)}{others}"
