"""A workload's Pods over virtual time, reduced to the number of points that the chart can show."""

from kube_controllers.deployment import util
from kube_objects.manifests import Manifest, controller_of
from playground.models import Cluster, ClusterObject, RolloutPoint
from playground.store.chart_selection import select_points
from playground.workloads import revision_names
from playground.workloads.workload_answers import RolloutColumns, RolloutRevision
from simulator.simulation.rollouts import STATES, Rollout

MOST_POINTS = 400


def read_rollout(cluster: Cluster, kind: str, key: str) -> RolloutColumns:
    """Return the chart's columns; they are empty for an unknown workload."""
    stored = RolloutPoint.objects.filter(cluster_id=cluster.pk, kind=kind, key=key).order_by("seq")
    wanted = select_points(stored.values_list("seq", "t").iterator(), MOST_POINTS)
    rows = stored.filter(seq__gte=min(wanted)).values_list("seq", "t", "body") if wanted else ()
    points: list[tuple[int, float, Rollout]] = [row for row in rows if row[0] in wanted]
    rollouts: list[Rollout] = [body for _, _, body in points]
    hashes = list(dict.fromkeys(one for rollout in rollouts for one in rollout["pods"]))
    names = _names(cluster.pk, kind, key, hashes)
    return {
        "revision": cluster.revision,
        "now": cluster.t,
        "seq": [seq for seq, _, _ in points],
        "t": [t for _, t, _ in points],
        "wanted": [rollout["wanted"] for rollout in rollouts],
        "least": [rollout["least"] for rollout in rollouts],
        "most": [rollout["most"] for rollout in rollouts],
        "revisions": [_revision(*names[one], one, rollouts) for one in sorted(hashes, key=lambda one: names[one][1])],
    }


def _revision(name: str, current: bool, label: str, rollouts: list[Rollout]) -> RolloutRevision:
    none = [0] * len(STATES)
    counts = [rollout["pods"].get(label, none) for rollout in rollouts]
    by_state = {state: [one[place] for one in counts] for place, state in enumerate(STATES)}
    return {"name": name, "current": current, **by_state}  # type: ignore[typeddict-item]  # STATES are its fields


def _names(cluster_id: int, kind: str, key: str, hashes: list[str]) -> dict[str, tuple[str, bool]]:
    """Return each revision's name as the Pod lists show it, and whether it is current."""
    stored = ClusterObject.objects.filter(cluster_id=cluster_id).values_list("key", "manifest")
    match kind:
        case "Deployment":
            namespace = key.partition("/")[0]
            sets = dict(stored.filter(kind="ReplicaSet", key__in=[f"{namespace}/{one}" for one in hashes]))
            owner = dict(stored.filter(kind=kind, key=key)).get(key)
            new = owner and util.find_new(owner, list(sets.values()))
            return {one: _of_set(one, sets.get(f"{namespace}/{one}"), new) for one in hashes}
        case "StatefulSet" | "DaemonSet":
            history = dict(stored.filter(kind="ControllerRevision", key__startswith=f"{key}-")).values()
            own = (controller_of(one) or {} for one in history)
            name = key.partition("/")[2]
            known = revision_names.numbers_by_label(
                one for one, by in zip(history, own, strict=True) if by.get("name") == name
            )
            return {one: revision_names.name_of_label(one, known) for one in hashes}
    return {one: (one, True) for one in hashes}


def _of_set(named: str, found: Manifest | None, new: Manifest | None) -> tuple[str, bool]:
    if found is None:  # beyond revisionHistoryLimit
        return named.rpartition("-")[2], False
    return revision_names.name_of_replica_set(found), found is new
