"""Which objects a controller looks after: adopts those that match its selector, releases those that do not; and who
looks again when a pod comes, changes or goes.

Source: pkg/controller/controller_ref_manager.go.
"""

from collections.abc import Callable, Iterator, Sequence

from kube_controllers.api import Api
from kube_controllers.contract import Wake
from kube_controllers.objects import View
from kube_objects.manifests import (
    Manifest,
    controller_of,
    controller_reference,
    finalizers,
    is_deleted,
    labels,
    namespace,
    owners,
    spec,
    uid,
    with_meta,
    without_finalizer,
)
from kube_objects.selectors import as_label_selector, selects


def everything(obj: Manifest) -> bool:
    return True


def claim(
    owner: Manifest,
    of: str,
    api: Api,
    among: Callable[[Manifest], bool] = everything,
    owned: Sequence[Manifest] | None = None,
    finalizer: str = "",
) -> list[Manifest]:
    """The objects of kind `of` that belong to `owner`, after adopting and releasing; `owned` if they are known.

    `finalizer`: what those that it looks after have, from being adopted until they are released.
    """
    selector = as_label_selector(spec(owner).get("selector"))
    mine = []
    for obj in api.view.owned(owner, of) if owned is None else owned:
        if not among(obj):
            continue
        if selector is not None and selector.matches(labels(obj)):
            mine.append(obj)
        elif not is_deleted(owner):
            _release(owner, obj, api, finalizer)
    if is_deleted(owner) or selector is None:
        return mine
    inside = namespace(owner)
    for obj in api.view.orphans(of, inside) if api.view.has_orphans(of, inside) else ():
        if among(obj) and not is_deleted(obj) and selector.matches(labels(obj)):
            made = with_meta(obj, ownerReferences=[*owners(obj), controller_reference(owner)])
            if finalizer and finalizer not in finalizers(obj):
                made = with_meta(made, finalizers=[*finalizers(obj), finalizer])
            mine.append(api.update(made))
    return mine


def _release(owner: Manifest, obj: Manifest, api: Api, finalizer: str) -> None:
    others = [reference for reference in owners(obj) if reference.get("uid") != uid(owner)]
    released = with_meta(obj, ownerReferences=others or None)
    api.update(without_finalizer(released, finalizer) if finalizer else released)


def owners_of_pod(of: str, old: Manifest | None, new: Manifest | None, view: View) -> Iterator[Wake]:
    """The objects of a kind that control the pod, before and after. Source: addPod, updatePod, deletePod."""
    yield from (Wake(at) for at in view.controllers(of, old, new))


def would_adopt(of: str, old: Manifest | None, new: Manifest | None, view: View) -> Iterator[Manifest]:
    """Those whose selector fits a pod that nobody controls, when it is new or its labels changed."""
    if new is not None and controller_of(new) is None and (old is None or labels(old) != labels(new)):
        for one in view.of_kind(of, namespace(new)):
            if selects(spec(one).get("selector"), labels(new)):
                yield one
