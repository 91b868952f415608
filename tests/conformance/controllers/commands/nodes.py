"""The writes and errors of `kubectl taint` and `drain`. Source: kubectl/pkg/cmd/taint, drain."""

from collections.abc import Iterable, Sequence
from typing import Any

from kube_controllers.admission import is_mirror
from kube_controllers.objects import View
from kube_controllers.pods import is_finished
from kube_objects.manifests import Manifest, controller_of, labels, name, spec
from tests.conformance.controllers.arguments import Arguments, Fault

Taint = dict[str, Any]
_OWN_FILES = ("delete-emptydir-data", "delete-local-data")


def tainted(node: Manifest, settings: Sequence[str], overwrite: bool) -> dict[str, Any]:
    """Return the Node with the set taints and without the removed ones. Raises Fault."""
    taints: list[Taint] = [dict(one) for one in spec(node).get("taints") or ()]
    added = [_parsed(one) for one in settings if not one.endswith("-")]
    if not overwrite:
        for one in added:
            if any(_is_same(known, one) for known in taints):
                raise Fault(
                    f"error: node {name(node)} already has {one['key']} taint(s) with same effect(s) "
                    "and --overwrite is false"
                )
    for setting in (one[:-1] for one in settings if one.endswith("-")):
        gone = _parsed(setting)
        left = [one for one in taints if one["key"] != gone["key"] or gone["effect"] not in ("", one["effect"])]
        if len(left) == len(taints):
            raise Fault(f'error: taint "{setting}" not found')
        taints = left
    taints = [one for one in taints if not any(_is_same(one, other) for other in added)]
    return {**node, "spec": {**spec(node), "taints": [*taints, *added]}}


def _parsed(setting: str) -> Taint:
    pair, _, effect = setting.partition(":")
    key, _, value = pair.partition("=")
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


def _is_same(one: Taint, other: Taint) -> bool:
    return bool(one["key"] == other["key"] and one["effect"] == other["effect"])


def to_drain(pods: Iterable[Manifest], arguments: Arguments, view: View) -> list[Manifest]:
    """Return the Pods to evict. Raises Fault for Pods that need a flag. Source: makeFilters."""
    found, errors = [], []
    wanted = Arguments("", [], {"l": [arguments.one("pod-selector")]})
    for pod in pods:
        if is_mirror(pod) or not wanted.selects(labels(pod)):
            continue
        if is_finished(pod):
            found.append(pod)
        elif view.controller("DaemonSet", pod) is not None:
            if not arguments.has("ignore-daemonsets"):
                errors.append(f"DaemonSet-managed Pods (use --ignore-daemonsets to ignore): {name(pod)}")
        elif any("emptyDir" in one for one in spec(pod).get("volumes") or ()) and not arguments.has(*_OWN_FILES):
            errors.append(f"Pods with local storage (use --delete-emptydir-data to override): {name(pod)}")
        elif controller_of(pod) is None and not arguments.has("force"):
            errors.append(f"Pods that declare no controller (use --force to override): {name(pod)}")
        else:
            found.append(pod)
    if errors:
        problems = ", ".join(f"cannot delete {error}" for error in errors)
        raise Fault(f"error: unable to drain node due to error: [{problems}], continuing command...")
    return found
