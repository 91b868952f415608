"""Admission: what the API server fills in from other objects when a pod is created. Only priorities matter here.

Source: plugin/pkg/admission/priority.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_apiserver.admission.built_in.priorities import default_class
from kube_objects.kinds.kept import kept_kind
from kube_objects.kinds.scheduling.priority_class import SYSTEM_CLASSES, PriorityClass
from kube_objects.sentences import quoted, say
from kube_objects.text.problems import Problem


def admit(
    manifest: Mapping[str, Any], classes: Iterable[PriorityClass], path: str
) -> tuple[Mapping[str, Any], list[Problem]]:
    """The pod's manifest with `spec.priority` and `spec.preemptionPolicy` set from its priority class.

    A pod that brings its priority along (as the API server hands it out) is left as it is. Other kinds pass unchanged.
    """
    spec = manifest.get("spec")
    is_pod = kept_kind(str(manifest.get("apiVersion") or ""), str(manifest.get("kind"))) == "Pod"
    if not is_pod or not isinstance(spec, Mapping) or "priority" in spec:
        return manifest, []
    name = spec.get("priorityClassName")
    known = {found.name: found for found in classes}
    if not name:
        chosen = default_class((c for c in known.values() if c.global_default), lambda c: (c.value, c.name))
        if chosen is None:
            return manifest, []
    elif name in SYSTEM_CLASSES:
        return {**manifest, "spec": {**spec, "priority": SYSTEM_CLASSES[name]}}, []
    elif name in known:
        chosen = known[name]
    else:
        rule, hint = (
            quoted("no PriorityClass with this name was found"),
            say("create the PriorityClass first, or set spec.priority"),
        )
        return manifest, [Problem(f"{path}spec.priorityClassName", name, rule, hint)]
    defaults = {"preemptionPolicy": chosen.preemption_policy}
    return {**manifest, "spec": {**defaults, **spec, "priorityClassName": chosen.name, "priority": chosen.value}}, []
