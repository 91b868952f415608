"""Execution of comparison runs: each starts from the same record, with its own configuration and seed.

Runs write nothing to the cluster. A run is deterministic, so another worker can repeat an abandoned one. Clusters that
wait for a worker come first, because their users are watching.
"""

import logging
import os
import socket

from playground import logs
from playground.comparisons import runs
from playground.comparisons.attempt import Attempt
from playground.engine.leases import LeaseLostError
from playground.engine.renewal import Renewal

logger = logging.getLogger(__name__)


def do_one() -> bool:
    """Run the next waiting run; return False if none waits."""
    lease = runs.take_lease(f"{socket.gethostname()}:{os.getpid()}")
    if lease is None:
        return False
    with logs.about(cluster=lease.cluster_id):
        try:
            with Renewal(lease, runs.write):
                Attempt(lease).do()
        except LeaseLostError as lost:
            logger.info("%s", lost)
        except BaseException:
            # So that the next worker need not wait for the lease's expiry.
            runs.give_back(lease)
            raise
    return True
