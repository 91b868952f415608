"""Objects whose owners are missing, which the garbage collector deletes once controllers run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from kube_controllers.garbage_collector.owners import DEFINITION, has_only_absent_owners, owner_keys
from kube_objects.kinds.storage_kind import kind_of_uid
from kube_objects.manifests import Manifest, kind, name, namespace, owners, uid
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import derived_uid
from playground.models import ClusterObject
from simulator.simulation import ownerless
from simulator.simulation.ownerless import Uids

_AT_ONCE = 500


def count_ownerless(cluster_id: int) -> dict[str, int]:
    """Return the number of such objects by kind."""
    stored = ClusterObject.objects.filter(cluster_id=cluster_id)
    # The database searches the text, so that Python reads only objects with owners.
    written = stored.annotate(text=Cast("manifest", TextField())).filter(text__contains='"ownerReferences"')
    owned = list(written.values_list("manifest", flat=True).iterator())
    uids, definitions = _uids(owned, stored), _definitions(stored)
    left = (obj for obj in owned if has_only_absent_owners(obj, lambda of, at: uids.get((of, at)), definitions))
    return _sorted(Counter(map(kind, left)))


def list_ownerless(cluster_id: int, objects: Sequence[KubeObject]) -> list[KubeObject]:
    """Return those of the objects whose owners are neither among them nor in the cluster."""
    stored = ClusterObject.objects.filter(cluster_id=cluster_id)
    owned = [obj.manifest for obj in ownerless.select_owned(objects)]
    return ownerless.find_ownerless(objects, _uids(owned, stored), _definitions(stored)) if owned else []


def count_by_kind(objects: Iterable[KubeObject]) -> dict[str, int]:
    return _sorted(Counter(obj.kind for obj in objects))


def _definitions(stored: QuerySet[ClusterObject]) -> list[Manifest]:
    return list(stored.filter(kind=DEFINITION).values_list("manifest", flat=True))


def _uids(owned: Iterable[Manifest], stored: QuerySet[ClusterObject]) -> Uids:
    """Return the UIDs of the owners that are stored, by kind and key."""
    wanted: dict[str, dict[str, None]] = {}
    for obj in owned:
        for owner in owners(obj):
            wanted.setdefault(kind(owner), {}).update(dict.fromkeys(owner_keys(owner, namespace(obj))))
    stored_uids: dict[tuple[str, str], str] = {}
    for owner_kind, named in wanted.items():
        keys = list(named)
        for start in range(0, len(keys), _AT_ONCE):
            some = stored.filter(kind=owner_kind, key__in=keys[start : start + _AT_ONCE])
            stored_uids |= {(owner_kind, key): _uid(manifest) for key, manifest in some.values_list("key", "manifest")}
    return stored_uids


def _uid(manifest: Manifest) -> str:
    return uid(manifest) or derived_uid(kind_of_uid(kind(manifest)), namespace(manifest), name(manifest))


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))
