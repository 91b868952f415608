"""Objects whose owners are not there: what the garbage collector takes once it is at work."""

from collections.abc import Iterable

from scheduler_core.actors.garbage_collector import owners
from scheduler_core.objects.meta import KubeObject


def left_alone(objects: Iterable[KubeObject]) -> list[KubeObject]:
    """Those whose owners are not among them."""
    everything = list(objects)
    uids = {(obj.kind, obj.key): obj.uid for obj in everything}
    definitions = [obj.manifest for obj in everything if obj.kind == owners.DEFINITION]
    owned = (obj for obj in everything if obj.owners)
    return [obj for obj in owned if owners.has_none(obj.manifest, lambda of, at: uids.get((of, at)), definitions)]
