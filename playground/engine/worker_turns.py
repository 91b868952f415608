"""A worker's turn: it serves the cluster that it was woken for, or another one whose owner had less time."""

from playground.engine import command_runner, fairness, loaded_clusters, waiting_clusters
from playground.store import quota

# The size of a history above which loading the cluster takes more time than a pass to another process.
LARGE_BYTES = 8 << 20
# The limit for passes of a trigger, and the wait before the first one. The process that has the cluster in memory may
# soon be free.
MOST_PASSES = 3
NEARLY_DONE_SECONDS = 0.05


def may_be_in_another_process(cluster_id: int) -> bool:
    """Return True for a large cluster that is not in this process's memory, because another process may have it."""
    return not loaded_clusters.is_in_memory(cluster_id) and quota.stored_bytes(cluster_id) >= LARGE_BYTES


def serve_cluster(cluster_id: int, *, as_guest: bool = False) -> bool:
    """Apply the queued commands of the cluster whose turn it is. Return False if no cluster may have a worker now."""
    chosen = fairness.choose_cluster(cluster_id)
    if chosen is None:
        return False
    command_runner.apply_commands(chosen, as_guest=as_guest, serve_others=None if as_guest else _serve_waiting_cluster)
    fairness.record_turn_end(chosen)
    return True


def _serve_waiting_cluster() -> None:
    """Give a waiting cluster a turn in the middle of a long step of another one."""
    if clusters := waiting_clusters.list_unattended():
        serve_cluster(clusters[0], as_guest=True)
