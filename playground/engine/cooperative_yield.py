"""Turns for waiting clusters while a long task, such as a comparison, occupies the worker."""

import time

from playground.engine import waiting_clusters, worker_turns


class CooperativeYield:
    """A limit for a long task: waiting clusters may use the worker for at most half of the time."""

    def __init__(self) -> None:
        self._next_turn = time.monotonic()

    def yield_to_waiting(self) -> None:
        """Serve one waiting cluster, unless the last one was served too recently."""
        now = time.monotonic()
        if now >= self._next_turn and (clusters := waiting_clusters.list_unattended()):
            worker_turns.serve_cluster(clusters[0], as_guest=True)
            ended = time.monotonic()
            self._next_turn = ended + (ended - now)
