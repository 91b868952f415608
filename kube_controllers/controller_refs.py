"""Adoption and release of objects by a controller's selector, and the requests that follow from a Pod's event.

Source: pkg/controller/controller_ref_manager.go.
"""

from collections.abc import Callable, Iterator, Sequence

from kube_controllers.api import Api
from kube_controllers.contract import ReconcileRequest
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


def accept_all(obj: Manifest) -> bool:
    return True


def claim_objects(
    owner: Manifest,
    of: str,
    api: Api,
    among: Callable[[Manifest], bool] = accept_all,
    owned: Sequence[Manifest] | None = None,
    finalizer: str = "",
) -> list[Manifest]:
    """Return the objects of kind `of` that belong to `owner`, after adopting and releasing.

    `owned` are the owned objects, if the caller knows them. `finalizer` is added at adoption and removed at release.
    """
    selector = as_label_selector(spec(owner).get("selector"))
    claimed = []
    for obj in api.view.owned(owner, of) if owned is None else owned:
        if not among(obj):
            continue
        if selector is not None and selector.matches(labels(obj)):
            claimed.append(obj)
        elif not is_deleted(owner):
            _release(owner, obj, api, finalizer)
    if is_deleted(owner) or selector is None:
        return claimed
    obj_namespace = namespace(owner)
    for obj in api.view.orphans(of, obj_namespace) if api.view.has_orphans(of, obj_namespace) else ():
        if among(obj) and not is_deleted(obj) and selector.matches(labels(obj)):
            adopted = with_meta(obj, ownerReferences=[*owners(obj), controller_reference(owner)])
            if finalizer and finalizer not in finalizers(obj):
                adopted = with_meta(adopted, finalizers=[*finalizers(obj), finalizer])
            claimed.append(api.update(adopted))
    return claimed


def _release(owner: Manifest, obj: Manifest, api: Api, finalizer: str) -> None:
    others = [reference for reference in owners(obj) if reference.get("uid") != uid(owner)]
    released = with_meta(obj, ownerReferences=others or None)
    api.update(without_finalizer(released, finalizer) if finalizer else released)


def requests_for_owners(of: str, old: Manifest | None, new: Manifest | None, view: View) -> Iterator[ReconcileRequest]:
    """Yield requests for the controllers of kind `of` that the Pod had and has. Source: addPod, updatePod,
    deletePod.
    """
    yield from (ReconcileRequest(owner_key) for owner_key in view.controllers(of, old, new))


def adopting_controllers(of: str, old: Manifest | None, new: Manifest | None, view: View) -> Iterator[Manifest]:
    """Yield the objects of kind `of` whose selector matches an orphan Pod that is new or has new labels."""
    if new is not None and controller_of(new) is None and (old is None or labels(old) != labels(new)):
        for candidate in view.of_kind(of, namespace(new)):
            if selects(spec(candidate).get("selector"), labels(new)):
                yield candidate
