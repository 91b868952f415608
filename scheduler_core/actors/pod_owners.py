"""Who looks again when a pod comes, changes or goes."""

from collections.abc import Iterator

from scheduler_core.actors.contract import Wake
from scheduler_core.actors.manifests import Manifest, controller_of, key, labels, namespace, spec
from scheduler_core.actors.objects import View
from scheduler_core.actors.selecting import matches


def owners_of_pod(of: str, old: Manifest | None, new: Manifest | None, view: View) -> Iterator[Wake]:
    """The objects of a kind that control the pod, before and after. Source: addPod, updatePod, deletePod."""
    yield from (Wake(key(one)) for one in view.controllers(of, old, new))


def would_adopt(of: str, old: Manifest | None, new: Manifest | None, view: View) -> Iterator[Manifest]:
    """Those whose selector fits a pod that nobody controls, when it is new or its labels changed."""
    if new is not None and controller_of(new) is None and (old is None or labels(old) != labels(new)):
        for one in view.of_kind(of, namespace(new)):
            if matches(spec(one).get("selector"), labels(new)):
                yield one
